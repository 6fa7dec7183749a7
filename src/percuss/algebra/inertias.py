"""Inertias: rigid bodies, articulated bodies, and the 4×4 pseudo-inertia."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from percuss.algebra.motions import Force, Motion
from percuss.algebra.poses import Pose
from percuss.algebra.rotations import Rotation
from percuss.algebra.scalars import Scalar, add, div, is_constant, mul, neg, pack
from percuss.algebra.vectors import Matrix3, Symmetric3, Vector3


@dataclass(frozen=True, slots=True)
class SpatialInertia:
    """Inertia of a rigid body about the origin of its frame.

    `mass` m (kg), `first_moment` h = m c with c the centre of mass (kg m), and
    `second_moment`, the rotational inertia tensor about the frame origin (kg m²).
    The body's momentum is (m v + ω × h, I ω + h × v).
    """

    mass: Scalar
    first_moment: Vector3
    second_moment: Symmetric3

    @staticmethod
    def zero() -> SpatialInertia:
        return SpatialInertia(0.0, Vector3.zero(), Symmetric3.zero())

    @staticmethod
    def about_center_of_mass(mass: Scalar, com: Vector3, inertia: Symmetric3) -> SpatialInertia:
        """The inertia of a mass (kg) with this centre (m) and `inertia` (kg m²) about it."""
        return SpatialInertia(mass, com * mass, inertia + parallel_axis(mass, com))

    @property
    def is_constant(self) -> bool:
        """Whether all its entries are plain numbers."""
        return all(map(is_constant, (self.mass, *self.first_moment, *self.second_moment)))

    @property
    def center_of_mass(self) -> Vector3:
        """The centre of mass (m), in the frame of this inertia."""
        return self.first_moment * div(1.0, self.mass)

    @property
    def central_inertia(self) -> Symmetric3:
        """Rotational inertia about the centre of mass, in the axes of this frame (kg m²)."""
        return self.second_moment - parallel_axis(self.mass, self.center_of_mass)

    def __add__(self, other: SpatialInertia) -> SpatialInertia:
        return SpatialInertia(
            add(self.mass, other.mass),
            self.first_moment + other.first_moment,
            self.second_moment + other.second_moment,
        )

    def __matmul__(self, motion: Motion) -> Force:
        """Momentum (N s, N m s) for a velocity, or force (N, N m) for an acceleration."""
        m, h, v, w = self.mass, self.first_moment, motion.linear, motion.angular
        return Force(v * m + w.cross(h), self.second_moment @ w + h.cross(v))

    def kinetic_energy(self, velocity: Motion) -> Scalar:
        """½ vᵀ I v (J)."""
        return mul(0.5, velocity.dot(self @ velocity))

    def moved_by(self, pose: Pose) -> SpatialInertia:
        rotation, p = pose.rotation, pose.position
        h = rotation @ self.first_moment
        second = (
            _rotated(rotation, self.second_moment) + parallel_axis(self.mass, p) + mixed_axis(h, p)
        )
        return SpatialInertia(self.mass, h + p * self.mass, second)

    def moved_back_by(self, pose: Pose) -> SpatialInertia:
        return self.moved_by(pose.inverse())

    def matrix(self) -> Any:
        """[m 1, -h×; h×, I], shape (6, 6)."""
        return ArticulatedInertia.of_body(self).matrix()

    def pseudo_inertia(self) -> PseudoInertia:
        """The pseudo-inertia ∫ [P; 1][P; 1]ᵀ dm of this body."""
        half_trace = mul(0.5, self.second_moment.trace())
        second = Symmetric3.scaled_identity(half_trace) - self.second_moment
        return PseudoInertia(second, self.first_moment, self.mass)


@dataclass(frozen=True, slots=True)
class ArticulatedInertia:
    """A symmetric 6×6 inertia [M H; Hᵀ I]: force (f, n) = (M a + H α, Hᵀ a + I α).

    What a body with everything hanging from it feels like at its frame origin: `linear` is M
    (kg), `coupling` H (kg m), `angular` I (kg m²).
    """

    linear: Symmetric3
    coupling: Matrix3
    angular: Symmetric3

    @staticmethod
    def of_body(inertia: SpatialInertia) -> ArticulatedInertia:
        """The 6×6 inertia of a single rigid body."""
        mass = Symmetric3.scaled_identity(inertia.mass)
        return ArticulatedInertia(mass, -inertia.first_moment.skew(), inertia.second_moment)

    def __add__(self, other: ArticulatedInertia) -> ArticulatedInertia:
        return ArticulatedInertia(
            self.linear + other.linear,
            self.coupling + other.coupling,
            self.angular + other.angular,
        )

    def __matmul__(self, motion: Motion) -> Force:
        a, alpha = motion.linear, motion.angular
        return Force(
            self.linear @ a + self.coupling @ alpha,
            self.coupling.transpose() @ a + self.angular @ alpha,
        )

    def released(self, axis: Motion, force: Force, response: Force) -> ArticulatedInertia:
        """I - U (U / D)ᵀ with U = I s and D = s · U: the inertia once motion along s is free.

        `force` is U and `response` is U / D.

        A free axis feels no inertia. Where s is a coordinate axis that row is set to zero
        rather than left to cancel in rounding.
        """
        u, w = _without(force, axis), _without(response, axis)
        keep = _without(Force(_ONES, _ONES), axis)
        outer = u.linear.outer(w.linear), u.linear.outer(w.angular), u.angular.outer(w.angular)
        linear = _kept(self.linear.matrix(), keep.linear, keep.linear)
        coupling = _kept(self.coupling, keep.linear, keep.angular)
        angular = _kept(self.angular.matrix(), keep.angular, keep.angular)
        return ArticulatedInertia(
            Symmetric3.of(linear - outer[0]), coupling - outer[1], Symmetric3.of(angular - outer[2])
        )

    def moved_by(self, pose: Pose) -> ArticulatedInertia:
        rotation, p = pose.rotation, pose.position
        linear = _rotated(rotation, self.linear)
        coupling = rotation.conjugate(self.coupling)
        angular = _rotated(rotation, self.angular)
        # About the new origin: H → H - M p×, I → I + p× H_new + (p× H_old)ᵀ.
        shifted = coupling + _cross_rows(linear.matrix(), p)
        turned = _cross_columns(p, shifted) + _cross_columns(p, coupling).transpose()
        return ArticulatedInertia(linear, shifted, angular + Symmetric3.of(turned))

    def moved_back_by(self, pose: Pose) -> ArticulatedInertia:
        return self.moved_by(pose.inverse())

    def matrix(self) -> Any:
        """Shape (6, 6), linear before angular."""
        m, h, i = self.linear.matrix(), self.coupling, self.angular.matrix()
        top = [(*a, *b) for a, b in zip(m.rows, h.rows, strict=True)]
        bottom = [(*a, *b) for a, b in zip(h.transpose().rows, i.rows, strict=True)]
        return pack(top + bottom)


@dataclass(frozen=True, slots=True)
class PseudoInertia:
    """The 4×4 matrix J = ∫ [P; 1][P; 1]ᵀ dm = [Σ h; hᵀ m], which changes frame by congruence.

    A mass distribution exists exactly when J is positive semidefinite.
    """

    second: Symmetric3
    first: Vector3
    mass: Scalar

    def spatial_inertia(self) -> SpatialInertia:
        inertia = Symmetric3.scaled_identity(self.second.trace()) - self.second
        return SpatialInertia(self.mass, self.first, inertia)

    def moved_by(self, pose: Pose) -> PseudoInertia:
        """T J Tᵀ."""
        return self.spatial_inertia().moved_by(pose).pseudo_inertia()

    def moved_back_by(self, pose: Pose) -> PseudoInertia:
        return self.moved_by(pose.inverse())

    def matrix(self) -> Any:
        """Shape (4, 4)."""
        rows = [(*row, h) for row, h in zip(self.second.matrix().rows, self.first, strict=True)]
        return pack([*rows, (*self.first, self.mass)])


def parallel_axis(mass: Scalar, offset: Vector3) -> Symmetric3:
    """m (p·p 1 - p pᵀ): inertia of a point mass at p about the origin (kg m²)."""
    x, y, z = (mul(mass, a) for a in offset)
    xx, yy, zz = mul(x, offset.x), mul(y, offset.y), mul(z, offset.z)
    return Symmetric3(
        xx=add(yy, zz),
        yy=add(xx, zz),
        zz=add(xx, yy),
        xy=neg(mul(x, offset.y)),
        xz=neg(mul(x, offset.z)),
        yz=neg(mul(y, offset.z)),
    )


def mixed_axis(h: Vector3, p: Vector3) -> Symmetric3:
    """2 h·p 1 - h pᵀ - p hᵀ: how a first moment h adds to the inertia when moved by p."""
    xx, yy, zz = mul(h.x, p.x), mul(h.y, p.y), mul(h.z, p.z)
    return Symmetric3(
        xx=mul(2.0, add(yy, zz)),
        yy=mul(2.0, add(xx, zz)),
        zz=mul(2.0, add(xx, yy)),
        xy=neg(add(mul(h.x, p.y), mul(h.y, p.x))),
        xz=neg(add(mul(h.x, p.z), mul(h.z, p.x))),
        yz=neg(add(mul(h.y, p.z), mul(h.z, p.y))),
    )


def principal_moments(inertia: Symmetric3) -> tuple[float, float, float]:
    """Eigenvalues of a rotational inertia of constants, ascending (kg m²)."""
    a, b, c = np.linalg.eigvalsh(inertia.array())
    return float(a), float(b), float(c)


_ONES = Vector3(1.0, 1.0, 1.0)


def _rotated(rotation: Rotation, tensor: Symmetric3) -> Symmetric3:
    return Symmetric3.of(rotation.conjugate(tensor.matrix()))


def _cross_rows(matrix: Matrix3, p: Vector3) -> Matrix3:
    """-A p×: each row a becomes p × a."""
    return Matrix3(*(p.cross(row) for row in matrix.rows))


def _cross_columns(p: Vector3, matrix: Matrix3) -> Matrix3:
    """p× A: each column a becomes p × a."""
    a, b, c = matrix.rows
    return Matrix3(c * p.y - b * p.z, a * p.z - c * p.x, b * p.x - a * p.y)


def _without(force: Force, axis: Motion) -> Force:
    """The force with its component along a coordinate axis set to zero; else unchanged."""
    entries = [s == 1.0 if isinstance(s, float) else False for s in axis]
    others = [isinstance(s, float) and s == 0.0 for s in axis]
    if sum(entries) != 1 or sum(others) != 5:
        return force
    kept = [0.0 if is_axis else f for f, is_axis in zip(force, entries, strict=True)]
    return Force(Vector3(*kept[:3]), Vector3(*kept[3:]))


def _kept(matrix: Matrix3, rows: Vector3, columns: Vector3) -> Matrix3:
    """Entries whose row and column are both kept (1.0), others zero."""
    return Matrix3(
        *(
            Vector3(*(mul(mul(keep, k), entry) for k, entry in zip(columns, row, strict=True)))
            for keep, row in zip(rows, matrix.rows, strict=True)
        )
    )
