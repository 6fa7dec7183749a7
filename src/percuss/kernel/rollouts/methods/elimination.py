"""Linear equations (1 - g·J) y = b of a J with a known structure, by elimination in scalars.

Rows are not exchanged: which pivot is largest is not known while a program is written. Pivots are
taken on the diagonal, in an order found beforehand that keeps zeros (Markowitz 1957): for equations
of motion the positions come first, whose rows q' = v have no diagonal entry in J, so that their
pivots are exactly 1 and cost no division; what is left is the Schur complement of the rates,
S = 1 - g·∂v'/∂v - g²·∂v'/∂q.

Why that is sound for damped mechanical systems: with the mass matrix M, and damping D and stiffness
K that act on each rate by itself (joint friction, joint springs, modes), S = 1 + M⁻¹·(g·D + g²·K),
D and K diagonal and not negative. Every leading block of S is then 1 plus the product of a positive
definite and a diagonal non-negative matrix, whose eigenvalues are not negative: no pivot is zero,
whatever the step and the order of elimination. Positions first means that the forces of springs are
formed before anything is divided by their stiffness: rounding of these forces is what is lost, as
in f itself. Elsewhere (forces that couple coordinates, gains that destabilise) a pivot may come
close to zero for some g: the solution is then inaccurate or not finite, the error estimate or the
check for finite numbers refuses the step, and with a shorter one 1 - g·J comes closer to the
identity, which has no small pivots.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from percuss.kernel.tracing.parts import Part
from percuss.kernel.tracing.sparse_jacobian import Place

Array = Any


class Elimination:
    """The plan by which matrices 1 - g·J of one structure are factored and solved with.

    Args:
        size: rows of the square matrix J.
        constant: its entries that are known numbers, by place; entries that are zero are left out.
        moving: the places of its other entries, in the order in which their values will be given.
    """

    def __init__(self, size: int, constant: Mapping[Place, float], moving: Sequence[Place]) -> None:
        self.size = size
        self._constant = dict(constant)
        self._moving = tuple(moving)
        self._order: list[int] = []
        """Pivots, the first to be eliminated first."""
        self._below: list[tuple[int, ...]] = []
        """For each pivot in order, the rows from which it is eliminated."""
        self._beside: list[tuple[int, ...]] = []
        """For each pivot in order, the columns that are left in its row."""
        self._plan()
        self.factor = Part(self._factor)
        """(values of J at `moving`, g) → factors."""
        self.solve = Part(self._solve)
        """(factors, g, b) → y with (1 - g·J) y = b."""

    @property
    def multiplications(self) -> int:
        """Multiplications of one solution with known factors: one an entry of both triangles."""
        return sum(map(len, self._below)) + sum(map(len, self._beside))

    def _plan(self) -> None:
        rows: list[set[int]] = [set() for _ in range(self.size)]
        columns: list[set[int]] = [set() for _ in range(self.size)]
        inside = {place for place in (*self._constant, *self._moving) if place[0] == place[1]}
        for row, column in (*self._constant, *self._moving):
            if row != column:
                rows[row].add(column)
                columns[column].add(row)
        left = set(range(self.size))
        changed: set[Place] = set()
        while left:
            pivot = min(left, key=lambda k: (len(rows[k]) * len(columns[k]), (k, k) in inside, k))
            left.remove(pivot)
            self._order.append(pivot)
            self._below.append(tuple(sorted(columns[pivot])))
            self._beside.append(tuple(sorted(rows[pivot])))
            for row in columns[pivot]:
                rows[row].remove(pivot)
                for column in rows[pivot]:
                    changed.add((row, column))
                    if row == column:
                        inside.add((row, row))
                    else:
                        rows[row].add(column)
                        columns[column].add(row)
            for column in rows[pivot]:
                columns[column].remove(pivot)
        self._with_divisor = [pivot for pivot in self._order if (pivot, pivot) in inside]
        upper = [
            (i, k) for i, beside in zip(self._order, self._beside, strict=True) for k in beside
        ]
        self._kept = {
            place: self._constant[place]
            for place in upper
            if place in self._constant and place not in changed
        }
        """Entries of the upper triangle that are g times a known number."""
        self._upper = [place for place in upper if place not in self._kept]

    def _factor(self, values: Array, g: Array) -> Array:
        """Multipliers, the upper triangle and the inverses of pivots, one after the other."""
        matrix: dict[Place, Array] = {place: g * values[k] for k, place in enumerate(self._moving)}
        matrix |= {place: value * g for place, value in self._constant.items()}
        multipliers: list[Array] = []
        inverses: dict[int, Array] = {}
        for pivot, below, beside in zip(self._order, self._below, self._beside, strict=True):
            if (pivot, pivot) in matrix:
                inverses[pivot] = 1.0 / (1.0 - matrix[pivot, pivot])
            for row in below:
                share = matrix[row, pivot]
                if pivot in inverses:
                    share = share * inverses[pivot]
                multipliers.append(share)
                for column in beside:
                    change = share * matrix[pivot, column]
                    place = (row, column)
                    matrix[place] = matrix[place] + change if place in matrix else change
        upper = [matrix[place] for place in self._upper]
        found = [*multipliers, *upper, *(inverses[pivot] for pivot in self._with_divisor)]
        return np.stack(found) if found else np.zeros(0)

    def _solve(self, factors: Array, g: Array, right: Array) -> Array:
        left = iter(range(sum(map(len, self._below))))
        y = [right[k] for k in range(self.size)]
        for pivot, below in zip(self._order, self._below, strict=True):
            for row in below:
                y[row] = y[row] + factors[next(left)] * y[pivot]
        start = sum(map(len, self._below))
        upper = {place: start + k for k, place in enumerate(self._upper)}
        start += len(upper)
        inverse = {pivot: start + k for k, pivot in enumerate(self._with_divisor)}
        for pivot, beside in zip(self._order[::-1], self._beside[::-1], strict=True):
            for column in beside:
                place = (pivot, column)
                known = place in self._kept
                entry = self._kept[place] * g if known else factors[upper[place]]
                y[pivot] = y[pivot] + entry * y[column]
            if pivot in inverse:
                y[pivot] = y[pivot] * factors[inverse[pivot]]
        return np.stack(y)
