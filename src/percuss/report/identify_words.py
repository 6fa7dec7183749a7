"""Sentences on what an identification found that the terminal and the page share."""

from __future__ import annotations

from percuss.identification.data.left_out import summary
from percuss.identification.result import Identification
from percuss.report.words import number

_MOST = 12
"""Samples that a page lists of those left out."""


def bounds_in_words(found: Identification) -> tuple[str, ...]:
    """Sentences between which values each quantity lies that is not known to first order."""
    units = dict(zip(found.unknowns.names, found.unknowns.units, strict=True))
    return tuple(
        f"{name} lies between {number(low, 2)} and {number(high, 2)} {_unit(units[name])}(95 %), "
        "but what is measured changes only with its square or cube: it has no number with ± σ"
        for name, (low, high) in found.bounds.items()
    )


def left_out_in_words(found: Identification) -> tuple[str, ...]:
    """What was left out as outliers: a sentence on all, then on the farthest of many."""
    items = sorted(found.left_out, key=lambda item: -item.deviations)
    if not items:
        return ()
    more = f"and {len(items) - _MOST} more, see left_out in identify.json"
    listed = [item.words for item in items[:_MOST]]
    return (summary(items), *listed, *([more] if len(items) > _MOST else []))


def _unit(unit: str) -> str:
    return "" if unit == "1" else f"{unit} "
