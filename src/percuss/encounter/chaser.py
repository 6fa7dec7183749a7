"""The chaser's coordinates and rates as results list them: always a base, then the joints."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from percuss.algebra.poses import Pose
from percuss.kinematics.frames import frame_pose
from percuss.kinematics.manifold import neutral
from percuss.model.joints import Fixed
from percuss.model.systems import System

_PLANAR = (("x", "y", "angle"), ("x", "y", "angle"), ("m", "m", "rad"))
_SPATIAL = (
    ("x", "y", "z", "qw", "qx", "qy", "qz"),
    ("vx", "vy", "vz", "wx", "wy", "wz"),
    ("m", "m", "m", "1", "1", "1", "1"),
)


@dataclass(frozen=True)
class ChaserView:
    """Lists a chaser's state with the base in front, also where the base cannot move.

    Planar: (x, y, angle, joints…); spatial: (position, quaternion, joints…) and (linear,
    angular, joints…), world frame. A base that is fixed keeps its entries: the pose it has, and
    zeros.
    """

    chaser: System
    planar: bool
    angle: float | None = None
    """Of a fixed planar base as it was given (rad): its pose has forgotten full turns."""
    root: Pose | None = None
    """Of a fixed base as it was given, world ← root frame; default that of the base body, which
    may be displaced from the root."""

    @cached_property
    def lacks_base(self) -> bool:
        """Whether the base has no coordinates of its own."""
        count = self.chaser.base_joint.motion.coordinate_count
        return count != (3 if self.planar else 7)

    @cached_property
    def coordinate_names(self) -> tuple[str, ...]:
        return self._names(0, self.chaser.coordinate_names)

    @cached_property
    def rate_names(self) -> tuple[str, ...]:
        return self._names(1, self.chaser.rate_names)

    @cached_property
    def rate_units(self) -> tuple[str, ...]:
        if not self.lacks_base:
            return self.chaser.rate_units
        base = ("m/s", "m/s", "rad/s") if self.planar else ("m/s",) * 3 + ("rad/s",) * 3
        return (*base, *self.chaser.rate_units)

    @cached_property
    def coordinate_units(self) -> tuple[str, ...]:
        base = (_PLANAR if self.planar else _SPATIAL)[2]
        own: list[str] = []
        for joint in self.chaser.joints:
            if joint is self.chaser.base_joint and not self.lacks_base:
                continue
            units = [unit.removesuffix("/s") for unit in joint.motion.rate_units]
            same = joint.motion.coordinate_count == len(units)
            own += units if same else ["1"] * joint.motion.coordinate_count
        return (*base, *own)

    @cached_property
    def force_units(self) -> tuple[str, ...]:
        """The unit of the generalized force on each rate."""
        return tuple("N" if unit == "m/s" else "N m" for unit in self.rate_units)

    def coordinates(self, q: np.ndarray) -> np.ndarray:
        """Coordinates with those of a base that the system lacks, of its q (nq,) or (nq, time)."""
        if not self.lacks_base:
            return q
        return _stacked(self._base_pose(), q)

    def rates(self, v: np.ndarray) -> np.ndarray:
        """Rates, or forces on them, with those of a base that the system lacks, of its v.

        The shape of v is (nv,) or (nv, time).
        """
        if not self.lacks_base:
            return v
        return _stacked(np.zeros(3 if self.planar else 6), v)

    def _base_pose(self) -> np.ndarray:
        joint = self.chaser.base_joint
        if not isinstance(joint.motion, Fixed):
            # The first link stands on the world itself.
            return np.zeros(3) if self.planar else np.array([0.0, 0, 0, 1, 0, 0, 0])
        pose = self.root
        if pose is None:
            pose = frame_pose(self.chaser, neutral(self.chaser), joint.child)
        if self.planar:
            x, y, _ = pose.position.array()
            angle = pose.rotation.angle_about_z() if self.angle is None else self.angle
            return np.array([x, y, angle], float)
        return np.array([*pose.position, *pose.rotation.to_quaternion()], float)

    def _names(self, kind: int, own: tuple[str, ...]) -> tuple[str, ...]:
        base = (_PLANAR if self.planar else _SPATIAL)[kind]
        return (*base, *(own if self.lacks_base else own[len(base) :]))


def _stacked(base: np.ndarray, own: np.ndarray) -> np.ndarray:
    wide = base if own.ndim == 1 else np.broadcast_to(base[:, None], (len(base), own.shape[1]))
    return np.concatenate([wide, own])
