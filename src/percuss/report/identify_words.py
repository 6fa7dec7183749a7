"""Sentences on what an identification found that the terminal and the page share."""

from __future__ import annotations

from percuss.identify.result import Identification
from percuss.report.words import number


def bounds_in_words(found: Identification) -> tuple[str, ...]:
    """Of each quantity that is not known to first order: between which values it lies."""
    units = dict(zip(found.unknowns.names, found.unknowns.units, strict=True))
    return tuple(
        f"{name} lies between {number(low, 2)} and {number(high, 2)} {_unit(units[name])}(95 %), "
        "but what is measured changes only with its square or cube: it has no number with ± σ"
        for name, (low, high) in found.bounds.items()
    )


def _unit(unit: str) -> str:
    return "" if unit == "1" else f"{unit} "
