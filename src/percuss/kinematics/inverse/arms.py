"""Arms that are built alike and differ in their numbers from case to case."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from percuss.algebra.arrays import Coordinates
from percuss.algebra.scalars import pack, to_scalar
from percuss.kinematics.inverse.chain import Array, ToolChain
from percuss.kinematics.inverse.steps import entry_count, squared_errors, target_entries
from percuss.kinematics.tasks import task_value


@dataclass(frozen=True)
class Arms:
    """Chains with the same joints and limits, each from the numbers of its case.

    What a descent is told of a case is a column: the entries of its target, what a radian is
    compared with (m), then its numbers.

    Attributes:
        chain_of: numbers of a case, (count,), any scalar → its chain.
        count: how many numbers a case has.
        like: the chain of one of them, for what all have in common.
    """

    chain_of: Callable[[Any], ToolChain]
    count: int
    like: ToolChain

    def chain(self, column: Any, limited: bool = True) -> ToolChain:
        """The chain of a case."""
        return replace(self.chain_of(column[self._entries + 1 :]), limited=limited)

    def length(self, columns: Any) -> Any:
        """What a radian is compared with in cases (m)."""
        return columns[self._entries]

    def columns(self, entries: Array, numbers: Array, near: Array) -> Array:
        """What tells cases apart: targets (entries, n), a length and numbers (count, n).

        The length is how far the arm reaches around `near` (nq,).
        """
        most = self.spans(numbers, near)[3]
        lengths = np.where((most > 0) & np.isfinite(most), most, 1.0)
        return np.concatenate([entries, lengths[None], numbers])

    def spans(self, numbers: Array, near: Array) -> Array:
        """Where the first moving joints are, and how far the tools can be from there, (4, n), m."""

        def span(p: Any) -> Any:
            found = self.chain_of(p).span(list(near))
            return pack([to_scalar(x) for x in (*found.origin, found.most)])

        kernel = self._interpreted(span, np.zeros(self.count))
        return np.broadcast_to(np.asarray(kernel(numbers)), (4, numbers.shape[1]))

    def errors(self, q: Array, columns: Array) -> Array:
        """Squared errors (2, n) of coordinates (nq, n), in m² and rad²."""
        return np.asarray(self._errors(q, columns))

    @cached_property
    def _errors(self) -> Any:
        def errors(q: Coordinates, column: Any) -> Any:
            return squared_errors(self.chain(column), q, column[: self._entries])

        return self._interpreted(errors, *self.example)

    def places(self, q: Array, columns: Array) -> Array:
        """Where each of coordinates (nq, m) brings the tools of n cases, (entries, m, n)."""
        count, cases = q.shape[1], columns.shape[1]
        each = np.repeat(q, cases, axis=1), np.tile(columns, count)
        found = np.broadcast_to(np.asarray(self._places(*each)), (self._entries, count * cases))
        return found.reshape(self._entries, count, cases)

    @cached_property
    def _places(self) -> Any:
        from percuss import kernel

        def place(q: Coordinates, column: Any) -> Any:
            chain = self.chain(column)
            value = task_value(chain.system, q, chain.frame, chain.task)
            return pack([to_scalar(x) for x in target_entries(chain.task, value)])

        return kernel.compile(place, *self.example, key=kernel.fingerprint(place))

    @property
    def example(self) -> tuple[Array, Array]:
        """Coordinates and a column of the shapes that a case has."""
        own = np.zeros(self.like.system.coordinate_count)
        return own, np.zeros(self._entries + 1 + self.count)

    @property
    def _entries(self) -> int:
        return entry_count(self.like.task)

    def _interpreted(self, function: Callable[..., Any], *like: Any) -> Any:
        """Few operations, asked for once."""
        from percuss import kernel

        return kernel.compile(function, *like, backend="numpy")
