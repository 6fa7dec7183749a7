"""A quantity as a document has it and as percuss computes it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from percuss.sources.table import Table, number, numbers

HEADER = ("quantity", "source", "percuss", "difference", "remark")


@dataclass(frozen=True)
class Comparison:
    """One row of the table of a reproduction; numbers are kept beside their texts, formulas not.

    `source` is as printed. `values` are (source, percuss, percuss - source), each a tuple, where
    both are numbers.
    """

    quantity: str
    source: str
    percuss: str
    difference: str
    remark: str
    values: tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...]] | None = None

    @staticmethod
    def of(
        quantity: str, source: Any, percuss: Any, remark: str = "", *, digits: int = 8
    ) -> Comparison:
        """The comparison of numbers or arrays of them; the source's have the digits it gives."""
        theirs, ours = _entries(source), _entries(percuss)
        apart = tuple(b - a for a, b in zip(theirs, ours, strict=True))
        return Comparison(
            quantity=quantity,
            source=numbers(theirs, digits),
            percuss=numbers(ours, digits),
            difference=", ".join(number(x, 3) if abs(x) > 1e-11 else "0" for x in apart),
            remark=remark,
            values=(theirs, ours, apart),
        )

    @property
    def row(self) -> tuple[str, ...]:
        return (self.quantity, self.source, self.percuss, self.difference, self.remark)

    def data(self) -> dict[str, Any]:
        """The comparison as plain data: numbers where there are any, else texts."""
        found: dict[str, Any] = dict(zip(HEADER, self.row, strict=True))
        if self.values is not None:
            found |= {k: list(v) for k, v in zip(HEADER[1:4], self.values, strict=True)}
        return found


def comparison_table(title: str, rows: Iterable[Comparison]) -> Table:
    """Quantity, source, percuss, difference, remark."""
    return Table(title, HEADER, tuple(row.row for row in rows))


def _entries(values: Any) -> tuple[float, ...]:
    return tuple(float(x) for x in np.atleast_1d(np.asarray(values, float)).ravel())
