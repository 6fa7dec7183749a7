"""How base and tool move when the joints of a free-floating arm follow a trajectory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from percuss.algebra.arrays import Coordinates
from percuss.algebra.poses import Pose
from percuss.algebra.scalars import is_constant
from percuss.dynamics.composite import momentum as total_momentum
from percuss.dynamics.free_floating import Split, all_rates, split_rates
from percuss.dynamics.given_momentum import checked_momentum
from percuss.kinematics.frames import frame_pose, frame_velocity
from percuss.kinematics.manifold import coordinate_rates
from percuss.kinematics.trajectories import checked_times
from percuss.model.errors import ModelError
from percuss.model.parameters import parameters
from percuss.model.systems import BaseMode, Frame, System

Array = NDArray[np.float64]
JointPath = Callable[[Any], tuple[Any, Any, Any]]
"""t (s) → (q, v, a) of the joints, in the system's order without the base."""


@dataclass(frozen=True)
class FloatingMotion:
    """Motion of a whole system at times (n,): coordinates (n, nq) and rates (n, nv)."""

    system: System
    times: Array
    q: Array
    v: Array

    def poses(self, frame: str | Frame) -> list[Pose]:
        """World ← frame at every time."""
        return [frame_pose(self.system, q, frame) for q in self.q]

    def positions(self, frame: str | Frame) -> Array:
        """Where the frame's origin is in the world (m), shape (n, 3)."""
        return np.array([pose.position.array() for pose in self.poses(frame)], float)

    def velocities(self, frame: str | Frame) -> Array:
        """(linear, angular) of a frame, world axes at its origin, shape (n, 6)."""
        pairs = zip(self.q, self.v, strict=True)
        return np.array([frame_velocity(self.system, q, v, frame).array() for q, v in pairs], float)

    def momenta(self) -> Array:
        """(linear, angular about the world origin), body by body, shape (n, 6): N s, N m s."""
        pairs = zip(self.q, self.v, strict=True)
        return np.array([total_momentum(self.system, q, v).array() for q, v in pairs], float)


def floating_motion(
    system: System,
    q: Coordinates,
    joint_motion: JointPath,
    times: Any,
    *,
    momentum: Any = None,
    mode: BaseMode | str | None = None,
    compiled: bool = True,
    tolerance: float = 1e-12,
) -> FloatingMotion:
    """The motion of base and tool for a given motion of the joints, momentum conserved.

    Args:
        q: coordinates at the first time, shape (nq,); the base's count, the joints' are those of
            the motion.
        joint_motion: t → (q, v, a) of the joints, as a trajectory; a is not used.
        times: when the result is wanted (s), increasing; the first is the start.
        momentum: (linear, angular about the world origin) in N s and N m s, world axes, a `Force`
            or six numbers, or (px, py, Lz) of a planar system; default 0.
        mode: base mode, default the system's: see `percuss.dynamics.free_floating`.
        compiled: compile the equations; half a second at first, then fast.
        tolerance: of the integration, relative and absolute (m, rad).

    Only the base is integrated, by an explicit Runge-Kutta method of order eight; the joints are
    where the motion has them.
    """
    from scipy.integrate import solve_ivp

    when = checked_times(times)
    _refuse_symbols(system)
    split = split_rates(system, mode)
    node = system.node(system.base_joint.child)
    at_joints = [k for k in range(system.coordinate_count) if k not in _range(node.coordinates)]
    if len(at_joints) != len(split.joints):
        raise ModelError(
            "the joints must have one coordinate for each rate; spherical ones have not"
        )
    start = np.array(q, float)
    if start.shape != (system.coordinate_count,) or not np.isfinite(start).all():
        raise ModelError(f"q must be {system.coordinate_count} finite numbers, got {q!r}")
    wrench = np.zeros(6) if momentum is None else _wrench(system, momentum)
    change = _equations(system, mode, compiled)

    def state(t: float, base: Array) -> tuple[Array, Array]:
        place, speed, _ = joint_motion(t)
        whole = start.copy()
        whole[node.coordinates] = base
        whole[at_joints] = np.asarray(place, float)
        return whole, np.asarray(speed, float)

    def rates(t: float, base: Array) -> Array:
        return change(*state(t, base), wrench)[1][node.coordinates]

    found = solve_ivp(
        rates,
        (when[0], when[-1]),
        start[node.coordinates],
        method="DOP853",
        t_eval=when,
        rtol=max(tolerance, 3e-14),
        atol=tolerance,
    )
    if not found.success:
        raise ModelError(f"the motion could not be integrated: {found.message}")
    rows = [_normalised(system, *state(t, base)) for t, base in zip(when, found.y.T, strict=True)]
    v = [change(whole, speed, wrench)[0] for whole, speed in rows]
    return FloatingMotion(system, when, np.array([whole for whole, _ in rows]), np.array(v))


@lru_cache(maxsize=8)
def _equations(
    system: System, mode: BaseMode | str | None, compiled: bool
) -> Callable[[Array, Array, Array], tuple[Array, Array]]:
    """(q, joint rates, momentum) → (all rates, dq/dt)."""
    split: Split = split_rates(system, mode)

    def equations(q: Coordinates, speed: Any, wrench: Any) -> tuple[Any, Any]:
        v = all_rates(system, q, speed, wrench, mode=mode)
        return v, coordinate_rates(system, q, v)

    if not compiled:
        return equations
    from percuss import kernel

    like = np.zeros(system.coordinate_count), np.zeros(len(split.joints)), np.zeros(6)
    return kernel.compile(equations, *like)


def _refuse_symbols(system: System) -> None:
    for name, value in parameters(system).items():
        if not is_constant(value):
            raise ModelError(f"a motion needs numbers: parameter {name} is {value!r}")


def _normalised(system: System, q: Array, speed: Array) -> tuple[Array, Array]:
    """With the base's quaternion, if it has one, of length one."""
    at = system.node(system.base_joint.child).coordinates
    if at.stop - at.start == 7:
        turn = slice(at.stop - 4, at.stop)
        q[turn] /= np.linalg.norm(q[turn])
    return q, speed


def _wrench(system: System, momentum: Any) -> Array:
    entries = tuple(checked_momentum(system, momentum))
    if not all(is_constant(x) for x in entries):
        raise ModelError(f"momentum must be six finite numbers, no batch, got {momentum!r}")
    return np.array(entries, float)


def _range(part: slice) -> range:
    return range(part.start, part.stop)
