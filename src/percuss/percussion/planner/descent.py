"""The way from a start to a local optimum, within limits, and how good an optimum it is."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from percuss.percussion.planner.cost import Cost
from percuss.percussion.planner.evaluation import PostureSlopes
from percuss.percussion.planner.problem import Array
from percuss.percussion.planner.screening import Feasible

_ITERATIONS = 300
_AT_LIMIT = 1e-9
_TOUCHING = 1e-5
"""Room between bodies (m) below which they hold each other off."""
_ACTIVE = 1e-6
"""Functions within this share of the largest count as active."""


@dataclass(frozen=True)
class Optimum:
    """Where a descent ended.

    `stationarity`: what is left of the gradient of (cost / reference)², per rad or m, after the
    reactions of limits, kept contact and equally large terms have been taken off it: 0 at a
    local optimum. `allowed`: bodies are apart and a bounce closes.
    """

    x: Array
    cost: float
    stationarity: float
    allowed: bool
    evaluations: int


class PostureDescent:
    """Sequential quadratic programming (Kraft's SLSQP) on compiled derivatives.

    With one smooth function it is minimised; the largest of several is minimised as a bound t
    that none may exceed.
    """

    def __init__(self, feasible: Feasible, cost: Cost, errors: Array, reference: float) -> None:
        self.feasible, self.cost, self.errors = feasible, cost, errors
        self.reference = reference
        self._last: tuple[bytes, PostureSlopes] | None = None
        self._last_room: tuple[bytes, tuple[Array, Array]] | None = None
        self._count = 0

    def __call__(self, start: Array) -> Optimum:
        from scipy.optimize import minimize

        self._count = 0
        lower, upper = self.feasible.bounds
        n, several = len(start), self._functions(start)[0].size > 1
        bounds = [*zip(lower.tolist(), upper.tolist(), strict=True)]
        constraints: list[dict[str, Any]] = []
        if self.feasible.kept:
            constraints.append(
                {
                    "type": "eq",
                    "fun": lambda z: self._at(z[:n]).tool - self.feasible.goal,
                    "jac": lambda z: _wide(self._at(z[:n]).tool_by, len(z)),
                }
            )
        least = self.feasible.least_closing
        if least is not None:
            constraints.append(
                {
                    "type": "ineq",
                    "fun": lambda z: np.array([self._at(z[:n]).closing - least]),
                    "jac": lambda z: _wide(self._at(z[:n]).closing_by[None], len(z)),
                }
            )
        if self.feasible.apart:
            constraints.append(
                {
                    "type": "ineq",
                    "fun": lambda z: self._room(z[:n])[0],
                    "jac": lambda z: _wide(self._room(z[:n])[1], len(z)),
                }
            )
        begin = start
        if several:
            begin = np.append(start, self._functions(start)[0].max())
            bounds.append((0.0, math.inf))
            constraints.append(
                {
                    "type": "ineq",
                    "fun": lambda z: z[n] - self._functions(z[:n])[0],
                    "jac": lambda z: np.column_stack(
                        [-self._functions(z[:n])[1], np.ones(len(self._functions(z[:n])[0]))]
                    ),
                }
            )
        unit = np.append(np.zeros(n), 1.0)
        with warnings.catch_warnings():
            # A step that rounding puts outside the limits is put back: said without need.
            warnings.filterwarnings("ignore", "Values in x were outside bounds")
            found = minimize(
                (lambda z: z[n]) if several else (lambda z: self._functions(z)[0][0]),
                begin,
                jac=(lambda _: unit) if several else (lambda z: self._functions(z)[1][0]),
                method="SLSQP",
                bounds=bounds,
                constraints=constraints,
                options={"maxiter": _ITERATIONS, "ftol": 1e-15},
            )
        x = np.clip(found.x[:n], lower, upper)
        return self.judged(x, start)

    def judged(self, x: Array, start: Array) -> Optimum:
        """The end of a descent, or its start where the end is no better or not allowed."""
        if self.feasible.kept:
            projected, reached = self.feasible.projected(x[:, None])
            x = projected[:, 0] if reached[0] else start
        if self._allowed(start) and not (self._allowed(x) and self._value(x) <= self._value(start)):
            x = start
        value, left = self._value(x), self._stationarity(x)
        return Optimum(
            x=x, cost=value, stationarity=left, allowed=self._allowed(x), evaluations=self._count
        )

    def _allowed(self, x: Array) -> bool:
        least = self.feasible.least_closing
        if least is not None and self._at(x).closing < least * (1.0 - 1e-6):
            return False
        return bool(self.feasible.clear(x[:, None])[0])

    def _value(self, x: Array) -> float:
        return self.reference * math.sqrt(float(self._functions(x)[0].max()))

    def _at(self, x: Array) -> PostureSlopes:
        key = x.tobytes()
        if self._last is None or self._last[0] != key:
            self._last = key, self.feasible.evaluation.slopes(x, self.errors)
            self._count += 1
        return self._last[1]

    def _room(self, x: Array) -> tuple[Array, Array]:
        """Room between bodies (m) and its derivative."""
        key = x.tobytes()
        if self._last_room is None or self._last_room[0] != key:
            self._last_room = key, self.feasible.evaluation.room_slopes(x)
        return self._last_room[1]

    def _functions(self, x: Array) -> tuple[Array, Array]:
        """Values (functions,) and derivatives (functions, entries) of (cost / reference)²."""
        at, unit = self._at(x), self.reference**-2
        return unit * self.cost.functions(at.squares), unit * self.cost.functions(at.squares_by)

    def _stationarity(self, x: Array) -> float:
        """|Σ μᵢ ∇fᵢ + Σ λ ∇g| at its least, with μ ≥ 0, Σ μ = 1, and g the constraints at work."""
        from scipy.optimize import nnls

        values, slopes = self._functions(x)
        active = values >= values.max() - _ACTIVE * max(float(values.max()), 1e-12)
        lower, upper = self.feasible.bounds
        columns = [*slopes[active]]
        own = len(columns)
        if self.feasible.kept:
            columns += [*self._at(x).tool_by, *-self._at(x).tool_by]
        least = self.feasible.least_closing
        if least is not None and self._at(x).closing <= least * (1.0 + 1e-6):
            columns.append(-self._at(x).closing_by)
        if self.feasible.apart:
            rooms, by = self._room(x)
            columns += [*-by[rooms <= _TOUCHING]]
        units = np.eye(len(x))
        columns += [-units[k] for k in np.flatnonzero(x <= lower + _AT_LIMIT)]
        columns += [units[k] for k in np.flatnonzero(x >= upper - _AT_LIMIT)]
        matrix = np.array(columns).T
        # A heavy row holds the sum of the μ at 1.
        heavy = 1e3 * (1.0 + float(np.abs(matrix).max()))
        row = np.where(np.arange(matrix.shape[1]) < own, heavy, 0.0)
        shares, _ = nnls(np.vstack([matrix, row]), np.append(np.zeros(len(x)), heavy))
        return float(np.linalg.norm(matrix @ shares))


def _wide(rows: Array, width: int) -> Array:
    """Derivatives by the choice alone, in a row of all unknowns."""
    return np.pad(rows, ((0, 0), (0, width - rows.shape[1])))
