"""All errors of chapters 2–4, in the order of the thesis."""

from __future__ import annotations

from percuss.sources.table import Table, numbers
from percuss.sources.thesis import (
    classic_errata,
    control_errata,
    dynamics_errata,
    impact_errata,
    kinematics_errata,
)
from percuss.sources.thesis.evidence import Finding
from percuss.sources.thesis.misprints import MISPRINTS

ERRATA = (
    *kinematics_errata.ERRATA,
    *classic_errata.ERRATA,
    *dynamics_errata.ERRATA,
    *impact_errata.ERRATA,
    *control_errata.ERRATA,
)


def findings() -> tuple[Finding, ...]:
    """Every erratum with its numbers, computed now."""
    return tuple(erratum.found() for erratum in ERRATA)


def errata_table(found: tuple[Finding, ...]) -> Table:
    """Where, printed, right, and the computed evidence."""
    rows = []
    for finding in found:
        erratum, shown = finding.erratum, finding.evidence
        quantity = f"{shown.quantity}, {shown.unit}" if shown.unit else shown.quantity
        values = (_values(shown.printed), _values(shown.right))
        rows.append((erratum.where, erratum.printed, erratum.right, quantity, *values))
    header = ("where", "printed", "right", "computed", "printed gives", "right gives")
    return Table("", header, tuple(rows))


def misprint_table() -> Table:
    """What is wrong without a number to show it."""
    rows = tuple((m.where, m.printed, m.right, m.why) for m in MISPRINTS)
    return Table("", ("where", "printed", "right", "why no number"), rows)


def _values(entries: tuple[float, ...]) -> str:
    text = numbers(entries, 5)
    return text if len(entries) == 1 else f"({text})"
