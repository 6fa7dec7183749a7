"""Joint motion that makes a tool follow a path: resolved rates and accelerations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from percuss.algebra.scalars import pack, sub, unpack
from percuss.kinematics.inverse.chain import Array, Chain, chain_to
from percuss.kinematics.inverse.solutions import NoSolutionError
from percuss.kinematics.inverse.solver import InverseKinematics
from percuss.kinematics.inverse.steps import squared_errors, target_entries
from percuss.kinematics.inverses import damped_inverse, right_inverse
from percuss.kinematics.manifold import integrate
from percuss.kinematics.matrices import Rows, rows_of, times
from percuss.kinematics.polynomials import through_states
from percuss.kinematics.task_paths import TaskState
from percuss.kinematics.tasks import (
    Task,
    task_jacobian,
    task_jacobian_time_derivative,
    usual_task,
)
from percuss.kinematics.trajectories import Trajectory, checked_times
from percuss.model.errors import ModelError
from percuss.model.joints import Scalars
from percuss.model.systems import Frame, System

Path = Callable[[Any], TaskState]
"""t (s) → where the tool should be and how it should move."""

_EXACT = (1e-12, 1e-12)
"""To which the tool is on the path at the times asked for (m, rad)."""


def resolved_motion(
    system: System,
    q: Any,
    frame: str | Frame,
    state: TaskState,
    *,
    task: Task | str | None = None,
    joints: Sequence[str] | None = None,
    damping: float | None = None,
) -> tuple[Any, Any]:
    """Rates and accelerations, shape (nv,), with which the frame moves as the state says.

    v = J⁺ ẋ and a = J⁺ (ẍ - J̇ v): the smallest of all, joints that do not take part at rest. Any
    scalar. With `damping` the inverse is damped: finite at singularities, and not exact.
    """
    chain = chain_to(system, frame, usual_task(system) if task is None else task, joints)
    return tuple(pack(part) for part in _resolved(chain, q, state, damping))  # type: ignore[return-value]


@dataclass(frozen=True)
class FollowedPath:
    """Joint motion along a path at times (n,): q (n, nq), v and a (n, nv)."""

    times: Array
    q: Array
    v: Array
    a: Array
    joints: tuple[str, ...]
    trajectory: Trajectory
    """Of the moving joints through all these states; t → (q, v, a), ready for `held_trajectory`."""
    distance: float
    """How far the tool strays from the path between the times at most (m), looked at halfway."""
    angle: float
    """The same for its orientation (rad)."""


def follow(
    system: System,
    frame: str | Frame,
    path: Path,
    times: Any,
    *,
    near: Any = None,
    task: Task | str | None = None,
    joints: Sequence[str] | None = None,
    limited: bool = True,
    damping: float | None = None,
) -> FollowedPath:
    """Joint coordinates, rates and accelerations with which a tool follows a path.

    At each time the coordinates are solved for, from where the last ones lead, so that errors do
    not add up; rates and accelerations are resolved there, J̇ included. The base of a free system
    stays where `near` has it.

    Args:
        path: t → `TaskState`, as `line` and `circle` make them.
        times: where to solve (s), increasing.
        near: coordinates near the first solution, shape (nq,).
        damping: damps the inverse of J in rates and accelerations near singularities.

    Raises:
        NoSolutionError: where the path leaves what the arm can do, with the time.
    """
    when = checked_times(times)
    asked = usual_task(system) if task is None else Task(task)
    chain = chain_to(system, frame, asked, joints, limited)
    if any(node.joint.motion.coordinate_count != 1 for node in chain.nodes):
        raise ModelError("following a path needs joints of one coordinate each")
    q, rows = near, []
    for k, t in enumerate(when):
        state = path(float(t))
        solver = InverseKinematics(
            system,
            frame,
            asked,
            q,
            joints,
            limited=limited,
            starts=1 if k else 48,
            tolerance=_EXACT,
        )
        try:
            found = solver.solve(state.pose)
        except NoSolutionError as error:
            raise NoSolutionError(
                f"at t = {t:g} s: {error}", q=error.q, distance=error.distance, angle=error.angle
            ) from error
        v, a = (np.array(part, float) for part in _resolved(chain, found.q, state, damping))
        rows.append((found.q, v, a))
        if k + 1 < len(when):
            step = float(when[k + 1] - t)
            q = np.asarray(integrate(system, found.q, v + 0.5 * step * a, step), float)
    states = [np.array(part) for part in zip(*rows, strict=True)]
    at = [[node.coordinates.start for node in chain.nodes], list(chain.rates), list(chain.rates)]
    parts = [part[:, columns] for part, columns in zip(states, at, strict=True)]
    trajectory = through_states(when, *parts)
    distance, angle = _strayed(chain, path, when, states[0][0], trajectory)
    places, speeds, changes = states
    return FollowedPath(when, places, speeds, changes, chain.joints, trajectory, distance, angle)


def _resolved(
    chain: Chain, q: Any, state: TaskState, damping: float | None
) -> tuple[Scalars, Scalars]:
    task, system = chain.task, chain.system
    values = unpack(q, system.coordinate_count, "q", system.coordinate_names)
    velocity, acceleration = tuple(state.velocity), tuple(state.acceleration)
    J = _moving(chain, task_jacobian(system, values, chain.frame, task))
    if len(J) > len(chain.rates):
        raise ModelError(
            f"{len(chain.rates)} joints cannot follow a path with task {task.value!r}, which has "
            f"{len(J)} rows; choose a task with fewer"
        )
    packed = pack(J)
    inverse = right_inverse(packed) if damping is None else damped_inverse(packed, damping)
    inverted = rows_of(inverse)
    v = _spread(chain, times(inverted, [velocity[k] for k in task.rows]))
    drift = times(task_jacobian_time_derivative(system, values, v, chain.frame, task), v)
    wanted = [sub(acceleration[k], d) for k, d in zip(task.rows, drift, strict=True)]
    return v, _spread(chain, times(inverted, wanted))


def _moving(chain: Chain, rows: Rows) -> Rows:
    return [[row[k] for k in chain.rates] for row in rows]


def _spread(chain: Chain, values: Scalars) -> Scalars:
    """Values of the moving rates among all, the others zero."""
    at = dict(zip(chain.rates, values, strict=True))
    return tuple(at.get(k, 0.0) for k in range(chain.system.rate_count))


def _strayed(
    chain: Chain, path: Path, when: Array, held: Array, trajectory: Trajectory
) -> tuple[float, float]:
    """Largest errors halfway between the times (m, rad)."""
    halfway = 0.5 * (when[1:] + when[:-1])
    q = np.repeat(held[:, None], len(halfway), axis=1)
    q[[node.coordinates.start for node in chain.nodes]] = trajectory.sample(halfway)[0]
    targets = np.array([target_entries(chain.task, path(float(t)).pose) for t in halfway], float).T
    squares = np.broadcast_to(squared_errors(chain, q, targets), (2, len(halfway)))
    distance, angle = np.sqrt(squares.max(axis=1))
    return float(distance), float(angle)
