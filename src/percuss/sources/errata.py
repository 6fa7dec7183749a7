"""Errors of a document: where, what is printed, what is right, and what shows it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from percuss.sources.evidence import Evidence
from percuss.sources.table import Table, numbers


class ShownErratum(Protocol):
    """An error with the computation that shows it."""

    @property
    def where(self) -> str: ...
    @property
    def printed(self) -> str: ...
    @property
    def right(self) -> str: ...
    @property
    def evidence(self) -> Evidence: ...


@dataclass(frozen=True)
class Erratum:
    """An error with its numbers."""

    where: str
    printed: str
    right: str
    evidence: Evidence

    def data(self) -> dict[str, Any]:
        """The erratum as plain data."""
        return {
            "where": self.where,
            "printed": self.printed,
            "right": self.right,
            "evidence": self.evidence.data(),
        }


@dataclass(frozen=True)
class Misprint:
    """Where, what is printed, what is right, and why there is no number."""

    where: str
    printed: str
    right: str
    why: str

    def data(self) -> dict[str, str]:
        """The erratum as plain data."""
        return {
            "where": self.where,
            "printed": self.printed,
            "right": self.right,
            "why": self.why,
        }


def errata_table(found: Iterable[ShownErratum]) -> Table:
    """Where, printed, right, and the computed evidence."""
    rows = []
    for error in found:
        shown = error.evidence
        quantity = f"{shown.quantity}, {shown.unit}" if shown.unit else shown.quantity
        values = (_values(shown.printed), _values(shown.right))
        rows.append((error.where, error.printed, error.right, quantity, *values))
    header = ("where", "printed", "right", "computed", "printed gives", "right gives")
    return Table("", header, tuple(rows))


def misprint_table(misprints: Iterable[Misprint]) -> Table:
    """What is wrong without a number to show it."""
    rows = tuple((m.where, m.printed, m.right, m.why) for m in misprints)
    return Table("", ("where", "printed", "right", "why no number"), rows)


def _values(entries: tuple[float, ...]) -> str:
    text = numbers(entries, 5)
    return text if len(entries) == 1 else f"({text})"
