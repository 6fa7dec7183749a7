"""Spatial motions and forces, linear part first (Featherstone's Plücker vectors, reordered)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, overload

from percuss.algebra.poses import Pose
from percuss.algebra.scalars import Scalar, add, pack, unpack
from percuss.algebra.vectors import Vector3


@dataclass(frozen=True, slots=True)
class Motion:
    """A spatial motion (v, ω): velocity of the body point at the frame origin, and rotation.

    Velocities in m/s and rad/s, accelerations in m/s² and rad/s².
    """

    linear: Vector3
    angular: Vector3

    @staticmethod
    def zero() -> Motion:
        return Motion(Vector3.zero(), Vector3.zero())

    @staticmethod
    def of(values: Any, what: str = "a motion (v, ω)") -> Motion:
        """The motion of six scalars, linear first (m/s, rad/s)."""
        entries = unpack(values, 6, what)
        return Motion(Vector3(*entries[:3]), Vector3(*entries[3:]))

    def __iter__(self) -> Iterator[Scalar]:
        return iter((*self.linear, *self.angular))

    def __add__(self, other: Motion) -> Motion:
        return Motion(self.linear + other.linear, self.angular + other.angular)

    def __sub__(self, other: Motion) -> Motion:
        return Motion(self.linear - other.linear, self.angular - other.angular)

    def __neg__(self) -> Motion:
        return Motion(-self.linear, -self.angular)

    def __mul__(self, factor: Scalar) -> Motion:
        return Motion(self.linear * factor, self.angular * factor)

    __rmul__ = __mul__
    __array_ufunc__ = None

    @overload
    def cross(self, other: Motion) -> Motion: ...
    @overload
    def cross(self, other: Force) -> Force: ...
    def cross(self, other: Motion | Force) -> Motion | Force:
        """Rate of change of a vector that is at rest in a frame moving with this velocity.

        On motions v × m = (ω × m_lin + v × m_ang, ω × m_ang); on forces its dual
        v ×* f = (ω × f, ω × n + v × f).
        """
        v, w = self.linear, self.angular
        if isinstance(other, Motion):
            return Motion(w.cross(other.linear) + v.cross(other.angular), w.cross(other.angular))
        return Force(w.cross(other.linear), w.cross(other.angular) + v.cross(other.linear))

    def dot(self, force: Force) -> Scalar:
        """Power v · f + ω · n of a force on this motion (W)."""
        return add(self.linear.dot(force.linear), self.angular.dot(force.angular))

    def moved_by(self, pose: Pose) -> Motion:
        angular = pose.rotation @ self.angular
        return Motion(pose.rotation @ self.linear + pose.position.cross(angular), angular)

    def moved_back_by(self, pose: Pose) -> Motion:
        back = pose.rotation.inverse()
        linear = back @ (self.linear - pose.position.cross(self.angular))
        return Motion(linear, back @ self.angular)

    def array(self) -> Any:
        """Shape (6,): linear, angular."""
        return pack(self)


@dataclass(frozen=True, slots=True)
class Force:
    """A spatial force (f, n): force (N), and moment about the frame origin (N m).

    Also a momentum (N s, N m s) or an impulse: they transform alike.
    """

    linear: Vector3
    angular: Vector3

    @staticmethod
    def zero() -> Force:
        return Force(Vector3.zero(), Vector3.zero())

    @staticmethod
    def of(values: Any, what: str = "a force (f, n)") -> Force:
        """The force of six scalars, force before moment (N, N m)."""
        entries = unpack(values, 6, what)
        return Force(Vector3(*entries[:3]), Vector3(*entries[3:]))

    def __iter__(self) -> Iterator[Scalar]:
        return iter((*self.linear, *self.angular))

    def __add__(self, other: Force) -> Force:
        return Force(self.linear + other.linear, self.angular + other.angular)

    def __sub__(self, other: Force) -> Force:
        return Force(self.linear - other.linear, self.angular - other.angular)

    def __neg__(self) -> Force:
        return Force(-self.linear, -self.angular)

    def __mul__(self, factor: Scalar) -> Force:
        return Force(self.linear * factor, self.angular * factor)

    __rmul__ = __mul__
    __array_ufunc__ = None

    def moved_by(self, pose: Pose) -> Force:
        linear = pose.rotation @ self.linear
        return Force(linear, pose.rotation @ self.angular + pose.position.cross(linear))

    def moved_back_by(self, pose: Pose) -> Force:
        back = pose.rotation.inverse()
        angular = back @ (self.angular - pose.position.cross(self.linear))
        return Force(back @ self.linear, angular)

    def array(self) -> Any:
        """Shape (6,): force, moment."""
        return pack(self)
