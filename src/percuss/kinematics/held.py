"""A trajectory of some joints as one of the whole system: the other joints are held."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from percuss.algebra.arrays import Coordinates
from percuss.algebra.scalars import Scalar, pack, unpack
from percuss.kernel.provenance import is_own
from percuss.model.errors import ModelError
from percuss.model.joints import Free, Planar, Scalars
from percuss.model.systems import System

JointPath = Callable[[Any], tuple[Any, Any, Any]]
"""t (s) → (q, v, a)."""


@dataclass(frozen=True)
class HeldTrajectory:
    """t → (q, v, a) of a system whose `joints` follow `trajectory`, the others resting at `q`."""

    system: System
    q: Scalars
    trajectory: JointPath
    joints: tuple[str, ...]

    def __fingerprint__(self) -> Any:
        """All of it, where the trajectory is one of percuss; a user's may look at anything."""
        if not is_own(self.trajectory):
            return None
        return self.system, self.q, self.trajectory, self.joints

    def __call__(self, t: Any) -> tuple[Any, Any, Any]:
        """(q, v, a) at time t (s): shapes (nq,), (nv,), (nv,)."""
        count = len(self.joints)
        place, speed, change = (unpack(part, count, "a trajectory") for part in self.trajectory(t))
        q: list[Scalar] = list(self.q)
        v: list[Scalar] = [0.0] * self.system.rate_count
        a: list[Scalar] = [0.0] * self.system.rate_count
        for name, x, dx, ddx in zip(self.joints, place, speed, change, strict=True):
            node = self.system.node(self.system.joint(name).child)
            q[node.coordinates.start] = x
            v[node.rates.start], a[node.rates.start] = dx, ddx
        return pack(q), pack(v), pack(a)


def held_trajectory(
    system: System, q: Coordinates, trajectory: JointPath, joints: Sequence[str] | None = None
) -> HeldTrajectory:
    """A trajectory of joints as one of the system.

    Args:
        q: where the other joints, and the base, rest: shape (nq,).
        trajectory: t → (q, v, a) of the joints named.
        joints: joints of one coordinate, default all of them that are not the base's.
    """
    place = unpack(q, system.coordinate_count, "q", system.coordinate_names)
    names = tuple(joints) if joints is not None else single_joints(system)
    for name in names:
        if system.joint(name).motion.coordinate_count != 1:
            raise ModelError(
                f"joint {name!r} has {system.joint(name).motion.coordinate_count} coordinates; "
                "trajectories are for joints of one"
            )
    return HeldTrajectory(system, place, trajectory, names)


def single_joints(system: System) -> tuple[str, ...]:
    """The joints of one coordinate, in the order of the system's joints."""
    return tuple(
        joint.name
        for joint in system.joints
        if joint.motion.coordinate_count == 1 and not isinstance(joint.motion, (Free, Planar))
    )
