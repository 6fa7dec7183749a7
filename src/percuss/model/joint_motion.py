"""Joint motions: how a child moves relative to its parent.

A joint's *coordinates* q say where the child is, its *rates* v how fast it moves. The child's
velocity relative to the parent is S Q(q) v in the child's frame: S, the motion `subspace`, is
constant there, and the orthogonal Q turns the rates as the user sees them into *local*
components on S. Q is the identity except for `Planar` and `Free`, whose rates are along the
axes of the parent side (the world, for a base), as the literature on space robots has it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from percuss.algebra.inertias import SpatialInertia
from percuss.algebra.linear import minus, plus
from percuss.algebra.motions import Motion
from percuss.algebra.poses import Pose
from percuss.algebra.rotations import Rotation
from percuss.algebra.scalars import Scalar
from percuss.algebra.vectors import Vector3

Scalars = tuple[Scalar, ...]

X = Vector3(1.0, 0.0, 0.0)
Y = Vector3(0.0, 1.0, 0.0)
Z = Vector3(0.0, 0.0, 1.0)
ZERO = Vector3.zero()


class JointMotion(ABC):
    """How a joint moves. Subclasses are final; every method is pure."""

    coordinate_names: tuple[str, ...]
    """Suffixes of the coordinates; one empty string for a joint of one coordinate."""
    rate_names: tuple[str, ...]
    rate_units: tuple[str, ...]
    """Unit of each rate: m/s or rad/s."""

    @property
    def kind(self) -> str:
        """The name used in files and tables."""
        return type(self).__name__.lower()

    @property
    def coordinate_count(self) -> int:
        return len(self.coordinate_names)

    @property
    def rate_count(self) -> int:
        return len(self.rate_names)

    @property
    def uncoupled(self) -> JointMotion:
        """The motion itself; of a joint that follows another, its motion as if nothing led it."""
        return self

    @property
    @abstractmethod
    def subspace(self) -> tuple[Motion, ...]:
        """S: the motions of the child per unit of each local rate, child frame, constant."""

    @abstractmethod
    def pose(self, q: Scalars) -> Pose:
        """Child frame in the joint frame at coordinates q."""

    @abstractmethod
    def coordinates(self, pose: Pose) -> Scalars:
        """The coordinates at which the child has this pose; what the joint cannot do is ignored."""

    @abstractmethod
    def neutral(self) -> Scalars:
        """Coordinates of the identity pose."""

    @abstractmethod
    def reverse(self) -> JointMotion:
        """The motion of the parent seen from the child."""

    @abstractmethod
    def reverse_coordinates(self, q: Scalars) -> Scalars:
        """The coordinates of `reverse()` at the same relative pose."""

    def reverse_rates(self, q: Scalars, v: Scalars) -> Scalars:
        """The rates of `reverse()` for the same relative motion."""
        del q
        return v

    def shared_out(self, inertia: SpatialInertia) -> tuple[SpatialInertia, SpatialInertia] | None:
        """The inertia of a child as what the joint feels of it, and what its parent may carry.

        The second part is the same to the parent wherever the joint is and however fast it moves,
        and gives no force on its axes: the system moves as before when the parent carries it, at
        the joint's frame (W. Khalil, E. Dombre, Modeling, Identification and Control of Robots,
        2002, section 9.4). Both are in the moved joint frame; None where there is no such part.
        """
        del inertia
        return None

    def to_local(self, rotation: Rotation, rates: Scalars) -> Scalars:
        """Q x: rates, or generalized forces, as components on the subspace.

        `rotation` is that of `pose(q)`.
        """
        del rotation
        return rates

    def from_local(self, rotation: Rotation, local: Scalars) -> Scalars:
        """Qᵀ x: the inverse of `to_local`, Q being orthogonal."""
        del rotation
        return local

    def turned(self, local_rates: Scalars, local: Scalars) -> Scalars:
        """ω × x block by block, ω the rotation of the local axes: Q̇ᵀ x = Qᵀ (ω × x)."""
        del local_rates
        return (0.0,) * len(local)

    def coordinate_rates(self, q: Scalars, v: Scalars) -> Scalars:
        """dq/dt for rates v."""
        del q
        return v

    def integrate(self, q: Scalars, step: Scalars) -> Scalars:
        """The coordinates after moving at constant rates v for a time h, with step = v h."""
        return plus(q, step)

    def difference(self, start: Scalars, end: Scalars) -> Scalars:
        """The step for which `integrate(start, step)` is the pose of `end`."""
        return minus(end, start)
