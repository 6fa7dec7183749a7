"""Coulomb's law at a contact point with a mobility, per normal force, for any scalar.

With the slip s and the normal velocity v of the target's contact point relative to the chaser's,
the normal impulse p and the tangential force f per normal force,

    ds/dp = b + T f,    dv/dp = c + b · f,    |f| ≤ μ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from percuss.algebra.scalars import (
    Scalar,
    dot,
    formula,
    plain,
    terms,
    where,
)
from percuss.impact.choices import Condition, largest, size_of

Tangent = Sequence[Scalar]
"""Along the tangents: one entry in the plane, two in space."""

_ROUNDING = 2.0**-49


@dataclass(frozen=True)
class SlidingLaw:
    """Mobility of the contact point by blocks (1/kg), and the two coefficients.

    `tangential` T has shape (d, d) and `coupling` b (d,): d = 1 in the plane, 2 in space.
    """

    tangential: Sequence[Tangent]
    coupling: Tangent
    normal: Scalar
    friction: Scalar
    restitution: Scalar

    @formula
    def change_of_slip(self, force: Tangent) -> Tangent:
        """ds/dp = b + T f."""
        return [b + dot(row, force) for b, row in zip(self.coupling, self.tangential, strict=True)]

    @formula
    def along(self, direction: Tangent) -> tuple[Scalar, Scalar]:
        """How slip in a unit direction changes with p: its speed, and speed times its turning."""
        change = self.change_of_slip(self.sliding_force(direction))
        grows = dot(direction, change)
        if len(direction) == 1:
            return grows, 0.0
        return grows, direction[0] * change[1] - direction[1] * change[0]

    @formula
    def sliding_force(self, direction: Tangent) -> Tangent:
        """f = -μ s/|s|."""
        return [-(self.friction * x) for x in direction]

    @formula
    def stiffness(self, force: Tangent) -> Scalar:
        """dv/dp at a tangential force per normal force."""
        return self.normal + dot(self.coupling, force)

    @formula
    def is_turning(self, direction: Tangent) -> Condition:
        """Whether slip in this direction turns, beyond rounding."""
        _, turns = self.along(direction)
        return terms(size_of([turns])) > _ROUNDING * terms(self.rate())

    def rate(self) -> Scalar:
        """|b| + μ |T|: how fast slip can change with p at most."""
        entries = [x for row in self.tangential for x in row]
        return plain(size_of(self.coupling) + self.friction * terms(size_of(entries)))

    @formula
    def force_at_rest(self) -> Tangent:
        """The force per normal force once slip has ended: sticking, or sliding away."""
        sticking = [-x for x in _solved(self.tangential, self.coupling)]
        sticks = size_of(sticking) <= self.friction
        away = self.sliding_force(self._leaving_direction(sticks))
        return [where(sticks, a, b) for a, b in zip(sticking, away, strict=True)]

    def _leaving_direction(self, sticks: Condition) -> Tangent:
        """The unit vector s with b - μ T s = λ s, λ > 0: the only way out of rest.

        |(μ T + λ)⁻¹ b| falls with λ from more than 1 (or rest would last) to 0, so λ is unique.
        """
        # Where they stick there is none: any other pull keeps the formulas finite.
        pull = [where(sticks, 1.0, b) for b in self.coupling]
        size = size_of(pull)
        if len(pull) == 1:
            return [plain(terms(pull[0]) / size)]
        friction = terms(self.friction)
        resisted = plain([[friction * x for x in row] for row in self.tangential])
        # |(μ T + λ)⁻¹ b| ≥ |b| / (μ max T + λ) bounds λ from below.
        shift = largest(plain(terms(size) - _larger_eigenvalue(resisted)), 0.0)
        # Newton on 1/|…|, which is concave and nearly straight: from the left it never overshoots.
        for _ in range(12):
            shifted = _shifted(resisted, shift)
            drawn = _solved(shifted, pull)
            size = terms(size_of(drawn))
            slope = dot(drawn, _solved(shifted, drawn)) / (size * (size * size))
            shift = plain(shift + (1.0 - 1.0 / size) / slope)
        drawn = _solved(_shifted(resisted, shift), pull)
        size = terms(size_of(drawn))
        return plain([x / size for x in drawn])


# --- two by two -----------------------------------------------------------------------------


@formula
def _solved(matrix: Sequence[Tangent], right: Tangent) -> Tangent:
    if len(right) == 1:
        return [right[0] / matrix[0][0]]
    (a, b), (c, d) = matrix
    determinant = a * d - b * c
    x, y = right
    return [
        (d * x - b * y) / determinant,
        (a * y - c * x) / determinant,
    ]


@formula
def _shifted(matrix: Sequence[Tangent], shift: Scalar) -> Sequence[Tangent]:
    (a, b), (c, d) = matrix
    return [[a + shift, b], [c, d + shift]]


@formula
def _larger_eigenvalue(matrix: Sequence[Tangent]) -> Scalar:
    (a, b), (_, d) = matrix
    half = 0.5 * (a - d)
    return 0.5 * (a + d) + size_of([half, b])
