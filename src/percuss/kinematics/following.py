"""Joint motion that makes a tool follow a path: resolved rates and accelerations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from percuss.algebra.arrays import Coordinates
from percuss.algebra.scalars import pack, sub, unpack
from percuss.kinematics.inverse.chain import Array, ToolChain, chain_to
from percuss.kinematics.inverse.solutions import NoSolutionError
from percuss.kinematics.inverse.solver import InverseKinematics
from percuss.kinematics.inverses import damped_inverse, right_inverse
from percuss.kinematics.manifold import integrate
from percuss.kinematics.matrices import Rows, rows_of, times
from percuss.kinematics.polynomials import through_states
from percuss.kinematics.straying import Path, reach_of, refuse_straying, strayed
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

_EXACT = (1e-12, 1e-12)
"""To which the tool is on the path at the times asked for (m, rad)."""
_SINGULAR = 4.0
"""An arm is singular within this many times the root of the accuracy: a stretched arm that misses
its target by ε is bent by about √ε, and its smallest singular value is no nearer to zero."""


def resolved_motion(
    system: System,
    q: Coordinates,
    frame: str | Frame,
    state: TaskState,
    *,
    task: Task | str | None = None,
    joints: Sequence[str] | None = None,
    damping: float | None = None,
) -> tuple[Any, Any]:
    """Rates and accelerations, shape (nv,), with which the frame moves as the state says.

    v = J⁺ ẋ and a = J⁺ (ẍ - J̇ v): the smallest of all, joints that do not take part at rest. Any
    scalar. With `damping` the inverse is damped: finite at singularities, and not exact. Without
    it numbers at a singularity are refused.
    """
    chain = chain_to(system, frame, usual_task(system) if task is None else task, joints)
    return tuple(pack(part) for part in _resolved(chain, q, state, damping))


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
    """How far the tool strays from the path between the times at most (m), seen at quarters."""
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
    straying: float = 0.05,
) -> FollowedPath:
    """Joint coordinates, rates and accelerations with which a tool follows a path.

    At each time the coordinates are solved for, from where the last ones lead, so that errors do
    not add up; rates and accelerations are resolved there, J̇ included. The base of a free system
    stays where `near` has it.

    Args:
        path: t → `TaskState`, as `line` and `circle` make them.
        times: where to solve (s), increasing.
        near: coordinates near the first solution, shape (nq,).
        damping: damps the inverse of J in rates and accelerations near singularities; in the unit
            of J's singular values (m for positions).
        straying: how far the tool may stray from the path between the times, as a share of the
            path's length; turns are compared with lengths by the reach of the arm.

    Raises:
        NoSolutionError: where the path leaves what the arm can do, with the time.
        ModelError: where the path meets a singularity and nothing damps, with the time; or when
            the tool strays too far, with the distance.
    """
    when = checked_times(times)
    if not straying > 0:
        raise ModelError(f"straying must be a share of the path > 0, got {straying!r}")
    asked = usual_task(system) if task is None else Task(task)
    chain = chain_to(system, frame, asked, joints, limited=limited)
    if any(node.joint.motion.coordinate_count != 1 for node in chain.nodes):
        raise ModelError("following a path needs joints of one coordinate each")
    q, rows = near, []
    # From a singularity several branches lead on, and no single start finds its way: there, as at
    # the beginning, the nearest solution from many starts is taken.
    branching = True
    for t, step in zip(when, [*np.diff(when), 0.0], strict=True):
        state = path(float(t))
        solver = InverseKinematics(
            system=system,
            frame=frame,
            task=asked,
            near=q,
            joints=joints,
            limited=limited,
            starts=48 if branching else 1,
            tolerance=_EXACT,
        )
        try:
            found = solver.solve(state.pose)
        except NoSolutionError as error:
            raise NoSolutionError(
                f"at t = {t:g} s: {error}", q=error.q, distance=error.distance, angle=error.angle
            ) from error
        share, least = _conditioning(chain, found.q)
        branching = share < least
        if branching and damping is None:
            raise ModelError(
                f"at t = {t:g} s the path meets a singularity of the arm: the smallest singular "
                f"value of its Jacobian is {share:.2g} of the largest, and no finite rates follow "
                "the path. Keep away from there, or give damping=… (0.05, say), with which rates "
                "and accelerations stay finite and are not exact"
            )
        v, a = (np.array(part, float) for part in _resolved(chain, found.q, state, damping))
        rows.append((found.q, v, a))
        q = np.asarray(integrate(system, found.q, v + 0.5 * step * a, float(step)), float)
    states = [np.array(part) for part in zip(*rows, strict=True)]
    at = [[node.coordinates.start for node in chain.nodes], list(chain.rates), list(chain.rates)]
    parts = [part[:, columns] for part, columns in zip(states, at, strict=True)]
    trajectory = through_states(when, *parts)
    distance, angle = strayed(chain, path, when, states[0][0], trajectory=trajectory)
    refuse_straying(chain, path, when, states[0][0], errors=(distance, angle), share=straying)
    places, speeds, changes = states
    return FollowedPath(
        times=when,
        q=places,
        v=speeds,
        a=changes,
        joints=chain.joints,
        trajectory=trajectory,
        distance=distance,
        angle=angle,
    )


def _resolved(
    chain: ToolChain, q: Coordinates, state: TaskState, damping: float | None
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
    inverted = rows_of(_inverse(pack(J), damping))
    v = _spread(chain, times(inverted, [velocity[k] for k in task.rows]))
    drift = times(task_jacobian_time_derivative(system, values, v, chain.frame, task=task), v)
    wanted = [sub(acceleration[k], d) for k, d in zip(task.rows, drift, strict=True)]
    return v, _spread(chain, times(inverted, wanted))


def _inverse(J: Any, damping: float | None) -> Any:
    if damping is not None:
        return damped_inverse(J, damping)
    try:
        return right_inverse(J)
    except ModelError as error:
        raise ModelError(f"give damping=… to resolve motion at a singularity: {error}") from error


def _conditioning(chain: ToolChain, q: Array) -> tuple[float, float]:
    """Smallest over largest singular value, lengths scaled by the reach; and what it may be."""
    reach = reach_of(chain, q)
    J = np.array(_moving(chain, task_jacobian(chain.system, q, chain.frame, chain.task)), float)
    J[: chain.task.linear_count] /= reach
    J[:, list(chain.slides)] *= reach
    values = np.linalg.svd(J, compute_uv=False)
    least = _SINGULAR * np.sqrt(max(_EXACT[0] / reach, _EXACT[1]))
    return (float(values[-1] / values[0]) if values[0] > 0 else 0.0), float(least)


def _moving(chain: ToolChain, rows: Rows) -> Rows:
    return [[row[k] for k in chain.rates] for row in rows]


def _spread(chain: ToolChain, values: Scalars) -> Scalars:
    """Values of the moving rates among all, the others zero."""
    at = dict(zip(chain.rates, values, strict=True))
    return tuple(at.get(k, 0.0) for k in range(chain.system.rate_count))
