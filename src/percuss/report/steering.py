"""Which law of control drives a run, before the contact and after it, as rows of plain text."""

from __future__ import annotations

from collections.abc import Iterator

from percuss.encounter.records.control import ControlRecord
from percuss.encounter.records.result import EncounterResult
from percuss.report.words import Row, said

_UNITS = {"natural-frequency": "rad/s", "period": "s"}
"""Units of numbers in a control block that may stand without one."""


def is_steered(result: EncounterResult) -> bool:
    """Whether a law drives the chaser before the contact."""
    approach = result.approach
    return approach is not None and approach.control is not None and approach.control.is_driving


def approach_control_rows(result: EncounterResult) -> Iterator[Row]:
    """The law that drives the chaser until the contact; nothing where there is none."""
    if result.approach is not None and result.approach.control is not None:
        yield from _rows(result.approach.control, "" if result.is_missed else "before the contact")


def control_rows(result: EncounterResult) -> Iterator[Row]:
    """The law after the contact and what was said of it, gains before all."""
    remark = "after the contact" if is_steered(result) else ""
    if result.is_missed:
        remark = "for after the contact, which did not come"
    yield from _rows(result.control, remark)


def _rows(control: ControlRecord, remark: str) -> Iterator[Row]:
    if not control.is_driving:
        return
    yield "Control law", control.law, remark
    for name, value in control.parameters.items():
        unit = _UNITS[name] if name in _UNITS and not isinstance(value, str) else ""
        yield name.replace("-", " ").capitalize(), f"{said(value)} {unit}".strip(), ""
