"""Approach, impacts, contact and phases of a run as rows of plain text.

Page and terminal show the same rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from percuss.encounter.records.approach import (
    ApproachRecord,
    ArrivalRecord,
    ContactBy,
    MeetingRecord,
)
from percuss.encounter.records.impact import ContactRecord, ImpactRecord, TouchRecord
from percuss.encounter.records.result import EncounterResult
from percuss.encounter.sampling import distinct
from percuss.impact.contact_laws import CONTACT_LAWS
from percuss.report.steering import approach_control_rows
from percuss.report.words import Row, number, size

MOST_LISTED = 20
"""Impacts or touches that are listed; the others are counted."""

_TOUCHED = {
    ContactBy.POINT: "the tool is within the capture radius of the contact point",
    ContactBy.SURFACE: "the tool touches the target's surface",
}


@dataclass(frozen=True)
class Listing:
    """Rows of equal kind under headings; `times` (s) are where each one happens."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    times: tuple[float, ...]
    more: str = ""
    """What is not listed, in words."""


def approach_rows(result: EncounterResult) -> Iterator[Row]:
    """How the tool came to the target, or by how much it missed it."""
    approach = result.approach
    if approach is None:
        return
    if approach.touched:
        yield "Contact", f"at {number(approach.time)} s", _TOUCHED[approach.by]
        remark = "from the tool to the contact point, at contact"
        yield "Distance", f"{number(approach.distance, 3)} m", remark
        remark = "of the contact point seen from the tool"
        yield "Relative speed", f"{number(approach.relative_speed, 3)} m/s", remark
    else:
        yield from _miss_rows(approach)
    if approach.arrival is not None:
        yield from _arrival_rows(approach.arrival)
    if not approach.touched:
        yield "Given up after", f"{number(approach.timeout)} s", ""
    yield from approach_control_rows(result)
    if approach.meet is not None:
        yield from _meeting_rows(approach.meet)


def _miss_rows(approach: ApproachRecord) -> Iterator[Row]:
    closest = approach.closest
    where = f"from the tool to the {aimed_at(approach)}, closest at {number(closest.time)} s"
    yield "Missed by", f"{number(closest.distance)} m", where
    beyond = approach.beyond_radius
    if beyond is not None:
        of = f"of {number(approach.capture_radius)} m"
        yield "Beyond the radius", f"{number(beyond, 3)} m", f"the capture radius {of}"


def aimed_at(approach: ApproachRecord) -> str:
    """What of the target the tool was to come to, in words."""
    return "surface" if approach.by == ContactBy.SURFACE else "contact point"


def _arrival_rows(arrival: ArrivalRecord) -> Iterator[Row]:
    """The velocity at a planned contact, along and across the approach direction."""
    for speed, name, remark in (
        (arrival.closing_speed, "Closing speed", "along the approach direction"),
        (arrival.sideways_speed, "Sideways speed", "across the approach direction"),
    ):
        wanted = f"{number(speed.planned, 3)} m/s" if speed.planned else "none"
        yield name, f"{number(speed.found, 3)} m/s", f"{remark}; planned {wanted}"


def _meeting_rows(meet: MeetingRecord) -> Iterator[Row]:
    """The plan in numbers; its sentences stand with other advice."""
    yield "Meeting, at", f"{number(meet.at)} s", "the plan"
    yield "Meeting, closing speed", f"{number(meet.closing_speed)} m/s", "the plan"


_IMPACT: tuple[tuple[str, Callable[[ImpactRecord], str]], ...] = (
    ("closure", lambda impact: impact.closure),
    ("impulse, N s", lambda impact: number(size(impact.impulse))),
    ("normal speed, m/s", lambda impact: _number(impact.normal_speed)),
    ("relative speed, m/s", lambda impact: _number(size(impact.relative_velocity))),
    ("energy lost, J", lambda impact: _number(impact.energy.lost)),
)
"""Headings and cells of the list of impacts."""


def impact_listing(result: EncounterResult) -> Listing | None:
    """Every impact with time, impulse, speed before and energy lost; None for one or none."""
    impacts = result.impacts
    if len(impacts) < 2:
        return None
    shown = impacts[:MOST_LISTED]
    filled = [(name, [cell(impact) for impact in shown]) for name, cell in _IMPACT]
    filled = [(name, cells) for name, cells in filled if any(cells)]
    times = tuple(impact.time for impact in shown)
    rows = tuple(
        (str(k + 1), _moment(time, times), *(cells[k] for _, cells in filled))
        for k, time in enumerate(times)
    )
    headings = ("", "time, s", *(name for name, _ in filled))
    return Listing(
        title="Impacts", headings=headings, rows=rows, times=times, more=_rest(impacts, times)
    )


def _rest(impacts: Sequence[ImpactRecord], times: Sequence[float]) -> str:
    hidden = len(impacts) - len(times)
    if hidden <= 0:
        return ""
    return f"and {hidden} more, the last at {number(impacts[-1].time, 6)} s"


def contact_rows(result: EncounterResult) -> Iterator[Row]:
    """The law of a contact that takes time, its parameters, and what a single touch did."""
    contact = result.contact
    if contact is None:
        return
    yield from _law_rows(contact)
    if contact.surface is not None:
        yield "Surface", contact.surface, ""
    if len(contact.touches) == 1:
        for value, name, unit, remark in _touch(contact.touches[0]):
            if value is not None:
                yield name, f"{number(value)} {unit}".strip(), remark


def _law_rows(contact: ContactRecord) -> Iterator[Row]:
    law = CONTACT_LAWS.get(contact.law)
    yield "Law", contact.law if law is None else law.words, ""
    stiffness, damping = ("", "") if law is None else (law.stiffness_unit, law.damping_unit)
    # A spring between two points does not slide.
    friction = contact.friction if law is None or law.only_pushes else None
    for value, name, unit, remark in (
        (contact.stiffness, "Stiffness", stiffness, ""),
        (contact.damping, "Damping", damping, ""),
        (friction, "Friction", "", "Coulomb coefficient"),
        (contact.slip_speed, "Slip speed", "m/s", "below it friction is smoothed"),
    ):
        if value is not None:
            yield name, f"{number(value)} {unit}".strip(), remark


def _touch(touch: TouchRecord) -> tuple[tuple[float | None, str, str, str], ...]:
    """Value, name, unit and remark of what is told of a touch."""
    return (
        (size(touch.peak_force), "Peak force", "N", ""),
        (size(touch.duration), "Duration", "s", ""),
        (size(touch.impulse), "Impulse", "N s", ""),
        (size(touch.restitution), "Effective restitution", "", "normal speed after / before"),
        (size(touch.energy_lost), "Energy lost", "J", ""),
    )


def touch_listing(result: EncounterResult) -> Listing | None:
    """Every touch of a contact that takes time; None for one or none."""
    touches = () if result.contact is None else result.contact.touches
    if len(touches) < 2:
        return None
    shown = touches[:MOST_LISTED]
    times = tuple(touch.begin for touch in shown)
    rows = tuple(
        (str(k + 1), _moment(times[k], times), *(_number(value) for value, *_ in _touch(touch)))
        for k, touch in enumerate(shown)
    )
    headings = ("", "from, s", "peak, N", "lasts, s", "impulse, N s", "restitution", "lost, J")
    hidden = len(touches) - len(shown)
    return Listing(
        title="Touches",
        headings=headings,
        rows=rows,
        times=times,
        more=f"and {hidden} more" if hidden else "",
    )


def phase_listing(result: EncounterResult, most: int = MOST_LISTED) -> Listing | None:
    """The phases with the largest residuals of their balances; None for a single phase."""
    phases = result.phases
    if len(phases) < 2:
        return None
    shown = phases[:most]
    times = tuple(phase.begin for phase in shown)
    borders = (*times, shown[-1].end)
    residuals = [
        (heading, values)
        for heading, values in (
            ("energy, J", [phase.energy for phase in shown]),
            ("linear, N s", [phase.linear_momentum for phase in shown]),
            ("angular, N m s", [phase.angular_momentum for phase in shown]),
        )
        if any(value is not None for value in values)
    ]
    rows = tuple(
        (
            phase.name,
            _moment(phase.begin, borders),
            _moment(phase.end, borders),
            number(phase.steps),
            *(number(values[k], 2) for _, values in residuals),
        )
        for k, phase in enumerate(shown)
    )
    headings = ("phase", "from, s", "to, s", "steps", *(heading for heading, _ in residuals))
    hidden = len(phases) - len(shown)
    more = f"and {hidden} more" if hidden else ""
    return Listing(
        title="Phases and what their balances leave open",
        headings=headings,
        rows=rows,
        times=times,
        more=more,
    )


def _number(value: float | None) -> str:
    return "" if value is None else number(value)


def _moment(time: float, among: Sequence[float]) -> str:
    """A time with the decimals that tell it from its neighbours, six at most."""
    gaps = np.diff(distinct(np.asarray(among, float)))
    least = float(gaps.min(initial=1.0))
    decimals = 2 if least >= 0.1 else min(6, 2 - int(np.floor(np.log10(least))))
    text = f"{time:.{decimals}f}"
    return text.replace("-", "−")
