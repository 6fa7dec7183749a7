"""Derivatives of what is found of cases with respect to the numbers in which they differ.

The cases are carried out once more for each entry of a number, all of them together, as Duals along
it: every motion, event, impact and peak is differentiated as it is computed. Only what is searched
for, a plan of base and joints or the damping that gives a restitution, is so by differences. A case
that fails has no derivatives, and decisions (how often it hits, how it ends) have none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from percuss.encounter.ensemble.history import Histories
from percuss.encounter.ensemble.vary import ManyCases, Variation
from percuss.encounter.errors import EncounterError
from percuss.model.errors import closest


@dataclass(frozen=True)
class SlopeEntry:
    """An entry of a number, None of one that has no entries; its place among all, and its unit."""

    name: str
    place: int
    entry: int | None
    unit: str

    def __str__(self) -> str:
        return self.name if self.entry is None else f"{self.name}[{self.entry + 1}]"


@dataclass(frozen=True)
class CaseSlopes:
    """Derivatives with respect to some entries of numbers.

    Attributes:
        entries: of numbers.
        cases: those that were not refused, as Duals along each entry, one after the other.
    """

    entries: tuple[SlopeEntry, ...]
    cases: ManyCases


def check_names(by: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    """The numbers to differentiate by; EncounterError for one in which cases do not differ."""
    wanted = (by,) if isinstance(by, str) else tuple(by)
    for name in wanted:
        if name not in names:
            message = f"{name!r} is not among the numbers that vary: {', '.join(names)}."
            raise EncounterError(("derivatives",), f"{message}{closest(name, tuple(names))}")
    return wanted


def slopes_of(
    variation: Variation,
    found: ManyCases,
    by: Sequence[str],
    histories: Histories | None = None,
    *,
    progress: Callable[[float], None] | None = None,
) -> Iterator[CaseSlopes]:
    """Derivatives with respect to each entry of some numbers, as many at a time as fit.

    `histories` are the signals that are wanted over time.
    """
    entries = _entries(found, by)
    times = 0 if histories is None else len(histories.times)
    together = max(1, variation.block(times) // max(1, len(found.places)))
    for first in range(0, len(entries), together):
        some = entries[first : first + together]
        cases = variation.along(found, [one.place for one in some], histories)
        if progress is not None:
            progress(min(1.0, (first + together) / len(entries)))
        yield CaseSlopes(some, cases)


def _entries(found: ManyCases, by: Sequence[str]) -> tuple[SlopeEntry, ...]:
    """The entries of the numbers of these names."""
    entries: list[SlopeEntry] = []
    place = 0
    for one in found.varied.inputs:
        for k in range(one.value.size):
            if one.name in by:
                entries.append(SlopeEntry(one.name, place, k if one.value.ndim else None, one.unit))
            place += 1
    return tuple(entries)
