"""The cost of a posture: weights, norms and errors make one number of the sizes of what is felt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from percuss.percussion.planner.problem import Array


@dataclass(frozen=True)
class Cost:
    """The objective, as the largest of some smooth functions (usually of one).

    `weights`: of the terms (N s per unit of the term). `largest`: over the terms, else their sum.
    `worst`: over the errors, else their mean. The functions are squares, in (N s)².
    """

    weights: Array
    largest: bool
    worst: bool

    def functions(self, squares: Array) -> Array:
        """(functions, …) from squares (terms, errors, …): the objective² is their maximum."""
        weighted = (self.weights**2).reshape(-1, *(1,) * (squares.ndim - 1)) * squares
        weighted = weighted[self.weights > 0.0]
        if not self.largest:
            weighted = weighted.sum(axis=0, keepdims=True)
        if not self.worst:
            # The mean of every term's square, so that what is rarely large counts rarely.
            return weighted.mean(axis=1)
        return weighted.reshape(weighted.shape[0] * weighted.shape[1], *weighted.shape[2:])

    def of(self, squares: Array) -> Array:
        """The objective (N s), shape (…) from squares (terms, errors, …)."""
        return np.sqrt(self.functions(squares).max(axis=0))
