"""The joints against their own limits, as rows of plain text for page and terminal."""

from __future__ import annotations

from collections.abc import Iterable

from percuss.encounter.records.limits import JointLimits, LimitsRecord
from percuss.report.words import number


def limit_rows(limits: LimitsRecord) -> list[tuple[str, ...]]:
    """Joint, effort, rate, range, jump at the impact; "✗" marks what breaks a limit."""
    return [(name, *_cells(joint)) for name, joint in limits.joints.items()]


def limit_headings(limits: LimitsRecord) -> tuple[str, ...]:
    """Headings of the columns of `limit_rows`; units where all joints share them."""
    units = {joint.unit for joint in limits.joints.values()}
    if units == {"rad"}:
        return ("joint", "torque, N m", "rate, rad/s", "position, rad", "jump, rad/s")
    if units == {"m"}:
        return ("joint", "force, N", "rate, m/s", "position, m", "jump, m/s")
    return ("joint", "effort, N m or N", "rate, 1/s", "position", "jump, 1/s")


def _cells(joint: JointLimits) -> Iterable[str]:
    for use in (joint.effort, joint.rate):
        yield _marked(_of(use.peak, use.limit), use.holds)
    where = joint.position
    used = f"{_place(where.lowest)}…{_place(where.highest)}"
    if not where.holds:
        used += f" of {_end(where.lower, '−∞')}…{_end(where.upper, '∞')}"
    yield _marked(used, where.holds)
    yield "" if joint.impact is None else number(joint.impact.rate_jump, 3)


def _place(value: float) -> str:
    """A position to a thousandth of a radian or metre, which is what a range is about."""
    return number(round(value, 3))


def _of(value: float, limit: float | None) -> str:
    return number(value, 3) if limit is None else f"{number(value, 3)} of {number(limit, 3)}"


def _end(value: float | None, without: str) -> str:
    return without if value is None else number(value, 3)


def _marked(text: str, holds: bool) -> str:
    return text if holds else f"✗ {text}"
