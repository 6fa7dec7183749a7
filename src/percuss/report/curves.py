"""Curves of one unit, as a chart shows them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from percuss.report.columns import Entry

NOISE = 1e-12
"""In SI units nothing that is drawn on a plain axis is meant to be that small, but zero."""


@dataclass(frozen=True)
class Series:
    """One curve: `values` of shape (time,)."""

    label: str
    values: np.ndarray


@dataclass(frozen=True)
class Chart:
    """Curves of one unit. `group` gathers charts that belong together; `note` says the frame.

    `key` says what is shown, whatever the title; charts of one key differ in their units.
    """

    key: str
    group: str
    title: str
    unit: str
    series: tuple[Series, ...]
    logarithmic: bool = False
    note: str = ""

    @property
    def is_zero(self) -> bool:
        """Whether there is nothing to see: every curve is zero wherever it has a value."""
        least = 0.0 if self.logarithmic else NOISE
        return not any(bool(np.any(np.abs(series.values) > least)) for series in self.series)


def by_unit(
    key: str,
    group: str,
    title: str | Mapping[str, str],
    entries: Sequence[Entry],
    *,
    note: str = "",
) -> Iterator[Chart]:
    """A chart for each unit; a title may differ by unit, with "" for any other."""
    for unit in dict.fromkeys(unit for _, unit, _ in entries):
        series = tuple(Series(label, values) for label, u, values in entries if u == unit)
        words = title if isinstance(title, str) else title.get(unit, title[""])
        yield Chart(key=key, group=group, title=words, unit=unit, series=series, note=note)
