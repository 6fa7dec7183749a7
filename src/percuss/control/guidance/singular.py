"""Accelerations of joints for that of a tool: exact, and damped only near a singularity."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from percuss.algebra.linear import multiple, plus, solve_symmetric
from percuss.algebra.scalars import Scalar, div, dot, is_constant, mul, plain, terms, total, where
from percuss.kinematics.inverse.chain import chain_to
from percuss.kinematics.manifold import neutral
from percuss.kinematics.matrices import Rows, gram, identity, solve_columns, transposed
from percuss.kinematics.tasks import Task
from percuss.model.checks import is_not_negative, violates
from percuss.model.errors import ModelError
from percuss.model.joints import Scalars
from percuss.model.systems import Frame, System

_SHARE = 0.02
"""Of the arm's reach: how small singular values may be before damping sets in."""
_FLOOR = 1e-12
"""Part of the squared threshold added to the squared singular values when they are measured."""


@dataclass(frozen=True)
class Singular:
    """Where the neighbourhood of singularities begins.

    Attributes:
        below: m. Rows of the Jacobian that turn the tool are multiplied by `length`, so that all
            have this unit; damping sets in where s of `damped_solution` is smaller.
        length: m, what a radian is compared with: the reach of the arm.
    """

    below: Scalar
    length: Scalar

    @staticmethod
    def of(system: System, tool: Frame, task: Task, below: float | None) -> Singular:
        """For a tool; by default 2 % of the arm's reach."""
        reach = chain_to(system, tool, task, limited=False).span(neutral(system)).most
        length: Scalar = where(reach > 0, reach, 1.0)
        if is_constant(reach):
            length = reach if 0 < reach < math.inf else 1.0
        edge = mul(_SHARE, length) if below is None else float(below)
        if violates(edge, is_not_negative):
            raise ModelError(f"singular_below must be finite and ≥ 0 m, got {below!r}")
        return Singular(edge, length)

    def solved(
        self, task: Task, rows: Rows, wanted: Sequence[Scalar], preferred: Sequence[Scalar]
    ) -> Scalars:
        """x with J x = wanted, and of all those the nearest to `preferred`."""
        scales = [1.0 if k < 3 else self.length for k in task.rows]
        scaled = [list(multiple(s, row)) for s, row in zip(scales, rows, strict=True)]
        already = [dot(row, preferred) for row in rows]
        left = [plain(s * (terms(w) - x)) for s, w, x in zip(scales, wanted, already, strict=True)]
        step = damped_solution(scaled, left, self.below)
        return plus(preferred, step)


def damped_solution(rows: Rows, wanted: Sequence[Scalar], below: Scalar) -> Scalars:
    """x = Aᵀ (A Aᵀ + λ² 1)⁻¹ y: the shortest x with A x = y where λ = 0.

    λ² = d² (1 - s²/d²)² for s < d and exactly 0 elsewhere, with d = `below` and

        s = 1 / √(Σ σᵢ⁻²),   σ_min / √m ≤ s ≤ σ_min,

    from the m singular values of A: a smooth stand-in for the smallest of them that needs no
    decomposition. λ² and its first derivative are continuous.
    """
    exact = is_constant(below) and below == 0
    damped = gram(rows, 0.0 if exact else _damping(rows, below))
    weights = solve_symmetric(damped, wanted)
    return tuple(dot(column, weights) for column in transposed(rows))


def _damping(rows: Rows, below: Scalar) -> Scalar:
    squared = mul(below, below)
    measured = gram(rows, mul(_FLOOR, squared))
    inverse = solve_columns(measured, identity(len(measured)))
    smallest = div(1.0, total(inverse[k][k] for k in range(len(measured))))
    short = plain(1.0 - terms(smallest) / squared)
    inside = short > 0.0
    return where(inside, plain(squared * (terms(short) * short)), 0.0)
