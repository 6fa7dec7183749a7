"""The clock of a record whose times are not counted from the impact."""

from __future__ import annotations

from decimal import Context, Decimal, InvalidOperation

import numpy as np

from percuss.encounter.errors import shown
from percuss.model.errors import ModelError

ImpactAt = str | float | Decimal
"""The time of the impact by the clock of a record (s); text keeps every digit."""


def impact_time(given: ImpactAt) -> Decimal:
    """The time of an impact by the clock of a record (s), every digit of it kept."""
    try:
        # The shortest digits of a float are those that were written.
        found = Decimal(repr(given) if isinstance(given, float) else given)
    except (InvalidOperation, ValueError, TypeError):
        found = Decimal("NaN")
    if not found.is_finite():
        raise ModelError(
            f"impact_at (--impact-at) must be a finite number of seconds by the clock of the "
            f"record, such as 1700000000.25, got {shown(given)}"
        )
    return found


_EXACT = Context(prec=60)
"""Digits of a difference of times: more than any clock has."""


def since(time: str | float | int | Decimal, impact: Decimal) -> float:
    """Seconds from the impact to a time as its file has it, without loss.

    Seconds since 1970 have a resolution of 0.2 µs as numbers of the machine; their difference is
    exact where it is taken of the digits in the file.
    """
    return float(_EXACT.subtract(Decimal(time), impact))


def after_impact(time: np.ndarray, impact: Decimal, file: str) -> tuple[np.ndarray, str | None]:
    """Which rows (n,) are not before the impact, and a note on those that are.

    `time` (n,) is counted from the impact already (s); ModelError where no row is left.
    """
    kept = ~(time < 0.0)
    dropped = int((~kept).sum())
    if dropped == len(time):
        raise ModelError(
            f"{file}: every row is before the impact at {impact} s: the last is "
            f"{-float(time.max()):.6g} s before it; see --impact-at (impact_at)"
        )
    rows = "row is" if dropped == 1 else "rows are"
    note = f"{file}: {dropped} {rows} before the impact at {impact} s, and not used."
    return kept, note if dropped else None
