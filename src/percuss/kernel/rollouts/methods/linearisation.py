"""The rates near a point, for methods that solve linear equations: their first derivatives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from percuss.kernel import trees

if TYPE_CHECKING:
    from percuss.kernel.rollouts.methods.elimination import Elimination
    from percuss.kernel.tracing.sparse_jacobian import SparseJacobian

Array = Any


@dataclass(frozen=True)
class Linearised:
    """dz/dt near a point (t, z): rates + by_time·δt + J·δz, with the J of an `Elimination`.

    Attributes:
        by_time: (entry of z, ∂(its rate)/∂t) where the rates depend on t by themselves.
        values: of J at the places where it is neither zero nor a known number.
        elimination: how equations with 1 - g·J are solved.
    """

    by_time: tuple[tuple[int, Array], ...]
    values: Array
    elimination: Elimination

    def solver(self, g: Array) -> Callable[[Array], Array]:
        """b ↦ y with (1 - g·J) y = b, for g in s and vectors shaped like z; factored once."""
        factors = self.elimination.factor(self.values, g)
        return lambda right: self.elimination.solve(factors, g, right)

    def moved(self, vector: Array, factor: Array) -> Array:
        """vector + factor·∂(dz/dt)/∂t."""
        if not self.by_time:
            return vector
        entries = [vector[k] for k in range(self.elimination.size)]
        for row, slope in self.by_time:
            entries[row] = entries[row] + factor * slope
        return np.stack(entries)


class Linearisation:
    """The derivatives of rates(t, z, …) by t and by the first `size` entries of z.

    The other entries of z are integrals, on which nothing depends. Zeros and constants of the
    Jacobian are found when it is first asked for, and the order of elimination with them.
    """

    def __init__(self, rates: Callable[..., Array], size: int) -> None:
        self._rates = rates
        self._size = size
        self._made: tuple[SparseJacobian, Elimination] | None = None

    def at(self, t: Array, z: Array, *others: Any) -> Linearised:
        """The linearisation at a point; `others` are the further arguments of the rates."""
        if self._made is None:
            self._made = self._make(t, z, *others)
        jacobian, elimination = self._made
        found = jacobian(t, z, *others)
        times = sum(column == 0 for _, column in jacobian.moving)
        # By time first, then by state, each row by row.
        order = np.argsort([column != 0 for _, column in jacobian.moving], kind="stable")
        rows = [jacobian.moving[k][0] for k in order[:times]]
        by_time = [(row, found[k]) for row, k in zip(rows, order[:times].tolist(), strict=True)]
        by_time += [(row, value) for (row, at), value in jacobian.constant.items() if at == 0]
        return Linearised(tuple(by_time), found[order[times:]], elimination)

    def _make(self, *arguments: Any) -> tuple[SparseJacobian, Elimination]:
        from percuss.kernel.rollouts.methods.elimination import Elimination
        from percuss.kernel.tracing.sparse_jacobian import SparseJacobian

        like = trees.map_leaves(lambda leaf: np.zeros(np.shape(leaf)), arguments)
        found = SparseJacobian(self._rates, like, range(1 + self._size))
        constant = {(i, k - 1): value for (i, k), value in found.constant.items() if k}
        moving = [(i, k - 1) for i, k in found.moving if k]
        return found, Elimination(found.shape[0], constant, moving)
