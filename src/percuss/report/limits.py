"""The joints against their own limits, as rows of plain text for page and terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from percuss.report.words import lookup, number


def limit_rows(summary: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """Joint, effort, rate, range, jump at the impact; "✗" marks what breaks a limit.

    Empty where no joint has a limit.
    """
    joints = lookup(summary, "limits.joints")
    return [(name, *_cells(joint)) for name, joint in (joints or {}).items()]


def limit_headings(summary: Mapping[str, Any]) -> tuple[str, ...]:
    """Of the columns of `limit_rows`; units where all joints share them."""
    joints = lookup(summary, "limits.joints") or {}
    units = {joint["unit"] for joint in joints.values()}
    if units == {"rad"}:
        return ("joint", "torque, N m", "rate, rad/s", "position, rad", "jump, rad/s")
    if units == {"m"}:
        return ("joint", "force, N", "rate, m/s", "position, m", "jump, m/s")
    return ("joint", "effort, N m or N", "rate, 1/s", "position", "jump, 1/s")


def limit_verdict(summary: Mapping[str, Any]) -> tuple[bool, str]:
    """Whether all limits hold, and the sentence; (True, "") where there are none."""
    limits = lookup(summary, "limits")
    if not isinstance(limits, Mapping):
        return True, ""
    return bool(limits["holds"]), str(limits["verdict"])


def _cells(joint: Mapping[str, Any]) -> Iterable[str]:
    for key in ("effort", "rate"):
        use = joint[key]
        yield _marked(_of(use["peak"], use["limit"]), use["holds"])
    where = joint["position"]
    used = f"{_place(where['lowest'])}…{_place(where['highest'])}"
    if not where["holds"]:
        used += f" of {_end(where['lower'], '−∞')}…{_end(where['upper'], '∞')}"
    yield _marked(used, where["holds"])
    impact = joint["impact"]
    yield "" if impact is None else number(impact["rate_jump"], 3)


def _place(value: float) -> str:
    """A position to a thousandth of a radian or metre, which is what a range is about."""
    return number(round(value, 3))


def _of(value: float, limit: float | None) -> str:
    return number(value, 3) if limit is None else f"{number(value, 3)} of {number(limit, 3)}"


def _end(value: float | None, without: str) -> str:
    return without if value is None else number(value, 3)


def _marked(text: str, holds: bool) -> str:
    return text if holds else f"✗ {text}"
