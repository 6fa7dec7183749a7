"""Which law of control drives a run, before the contact and after it, as rows of plain text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from percuss.report.words import Row, lookup, said

_UNITS = {"natural-frequency": "rad/s", "period": "s"}
"""Of numbers in a control block that may stand without one."""


def is_law(control: Any) -> bool:
    """Whether a control block names a law that drives anything.

    >>> is_law({"law": "hold-tool"}), is_law({"law": "none"}), is_law(None)
    (True, False, False)
    """
    return isinstance(control, Mapping) and str(control.get("law") or "none") != "none"


def is_steered(summary: Mapping[str, Any]) -> bool:
    """Whether a law drives the chaser before the contact."""
    return is_law(lookup(summary, "approach.control"))


def approach_control_rows(summary: Mapping[str, Any]) -> Iterator[Row]:
    """The law that drives the chaser until the contact; nothing where there is none."""
    missed = summary.get("status") == "missed"
    yield from _rows(lookup(summary, "approach.control"), "" if missed else "before the contact")


def control_rows(summary: Mapping[str, Any]) -> Iterator[Row]:
    """The law after the contact and what was said of it, gains before all."""
    remark = "after the contact" if is_steered(summary) else ""
    if summary.get("status") == "missed":
        remark = "for after the contact, which did not come"
    yield from _rows(summary.get("control"), remark)


def _rows(control: Any, remark: str) -> Iterator[Row]:
    if not is_law(control):
        return
    yield "Control law", str(control["law"]), remark
    for name, value in control.items():
        if name != "law":
            unit = _UNITS.get(str(name), "") if not isinstance(value, str) else ""
            yield str(name).replace("-", " ").capitalize(), f"{said(value)} {unit}".strip(), ""
