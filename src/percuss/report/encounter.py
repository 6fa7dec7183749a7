"""Approach, impacts, contact and phases of a run as rows of plain text.

Page and terminal show the same rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from percuss.report.steering import approach_control_rows
from percuss.report.timeline import impacts_of
from percuss.report.words import Row, flat, lookup, number, said, size

MOST_LISTED = 20
"""Impacts or touches that are listed; the others are counted."""

_LAWS = {
    "linear": ("linear spring and damper, pushes only", "N/m", "N s/m"),
    "hunt-crossley": ("Hunt–Crossley", "N/m^1.5", "N s/m^2.5"),
    "bilateral": ("linear spring and damper between two points, pushes and pulls", "N/m", "N s/m"),
}
"""Words, unit of stiffness and unit of damping of a law of contact."""

_MEETING = {"at": ("at", "s"), "closing-speed": ("closing speed", "m/s"), "base": ("base", "")}
_TOUCHED = {
    "point": "the tool is within the capture radius of the contact point",
    "surface": "the tool touches the target's surface",
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


def approach_rows(summary: Mapping[str, Any]) -> Iterator[Row]:
    """How the tool came to the target, or by how much it missed it."""
    approach = summary.get("approach")
    if not isinstance(approach, Mapping):
        return
    if approach.get("touched"):
        how = _TOUCHED.get(str(approach.get("by")), str(approach.get("by") or ""))
        yield "Contact", f"at {number(approach.get('time'))} s", how
        if approach.get("distance") is not None:
            remark = "from the tool to the contact point, at contact"
            yield "Distance", f"{number(approach['distance'], 3)} m", remark
    else:
        closest = approach.get("closest") or {}
        when = f"closest at {number(closest.get('time'))} s"
        aimed = "surface" if approach.get("by") == "surface" else "contact point"
        distance = f"{number(closest.get('distance'))} m"
        yield "Missed by", distance, f"from the tool to the {aimed}, {when}"
        beyond = beyond_radius(approach)
        if beyond is not None:
            of = f"of {number(approach['capture_radius'])} m"
            yield "Beyond the radius", f"{number(beyond, 3)} m", f"the capture radius {of}"
    if approach.get("touched") and approach.get("relative_speed") is not None:
        remark = "of the contact point seen from the tool"
        yield "Relative speed", f"{number(approach['relative_speed'], 3)} m/s", remark
    yield from _arrival_rows(approach.get("arrival"))
    if approach.get("timeout") is not None and not approach.get("touched"):
        yield "Given up after", f"{number(approach['timeout'])} s", ""
    yield from approach_control_rows(summary)
    yield from _meeting_rows(approach.get("meet"))


def beyond_radius(approach: Mapping[str, Any]) -> float | None:
    """How far a miss stayed outside the capture radius (m); None where none is given."""
    radius, distance = approach.get("capture_radius"), lookup(approach, "closest.distance")
    if approach.get("by") != "point" or radius is None or distance is None:
        return None
    return float(distance) - float(radius)


def _arrival_rows(arrival: Any) -> Iterator[Row]:
    """The velocity at a planned contact, along and across the approach direction."""
    if not isinstance(arrival, Mapping):
        return
    for key, name, remark in (
        ("closing_speed", "Closing speed", "along the approach direction"),
        ("sideways_speed", "Sideways speed", "across the approach direction"),
    ):
        found, planned = (lookup(arrival, f"{key}.{which}") for which in ("found", "planned"))
        wanted = f"{number(planned, 3)} m/s" if planned else "none"
        yield name, f"{number(found, 3)} m/s", f"{remark}; planned {wanted}"


def _meeting_rows(meet: Any) -> Iterator[Row]:
    for key, value in meet.items() if isinstance(meet, Mapping) else ():
        if value is None or key == "sentences":  # those stand with other advice
            continue
        name, unit = _MEETING.get(str(key).replace("_", "-"), (str(key).replace("_", " "), ""))
        yield f"Meeting, {name}", f"{said(value)} {unit}".strip(), "the plan"


def impact_listing(summary: Mapping[str, Any]) -> Listing | None:
    """Every impact with time, impulse, speed before and energy lost; None for one or none."""
    impacts = impacts_of(summary)
    if len(impacts) < 2:
        return None
    columns = (
        ("closure", lambda i: str(i.get("closure") or "")),
        ("impulse, N s", lambda i: number(size(i.get("impulse")))),
        ("normal speed, m/s", lambda i: _number(i.get("normal_speed"))),
        ("relative speed, m/s", lambda i: _number(size(i.get("relative_velocity")))),
        ("energy lost, J", lambda i: _number(energy_lost(i))),
    )
    shown = impacts[:MOST_LISTED]
    filled = [(name, [cell(impact) for impact in shown]) for name, cell in columns]
    filled = [(name, cells) for name, cells in filled if any(cells)]
    times = tuple(float(impact.get("time") or 0.0) for impact in shown)
    rows = tuple(
        (str(k + 1), _moment(time, times), *(cells[k] for _, cells in filled))
        for k, time in enumerate(times)
    )
    headings = ("", "time, s", *(name for name, _ in filled))
    return Listing("Impacts", headings, rows, times, _rest(impacts, times))


def _rest(impacts: Sequence[Mapping[str, Any]], times: Sequence[float]) -> str:
    hidden = len(impacts) - len(times)
    if hidden <= 0:
        return ""
    last = number(impacts[-1].get("time"), 6)
    return f"and {hidden} more, the last at {last} s"


def energy_lost(impact: Mapping[str, Any]) -> float | None:
    """Kinetic energy before minus after (J); a residue of rounding is zero."""
    before, after = (lookup(impact, f"energy.{when}") for when in ("before", "after"))
    if before is None or after is None:
        return None
    lost = float(before) - float(after)
    return 0.0 if abs(lost) <= 1e-12 * abs(float(before)) else lost


def contact_rows(summary: Mapping[str, Any]) -> Iterator[Row]:
    """The law of a contact that takes time, its parameters, and what a single touch did."""
    contact = summary.get("contact")
    if not isinstance(contact, Mapping):
        return
    law = str(contact.get("law") or "")
    words, stiffness, damping = _LAWS.get(law, (law, "", ""))
    if words:
        yield "Law", words, ""
    for key, name, unit, remark in (
        ("stiffness", "Stiffness", stiffness, ""),
        ("damping", "Damping", damping, ""),
        ("friction", "Friction", "", "Coulomb coefficient"),
        ("slip_speed", "Slip speed", "m/s", "below it friction is smoothed"),
    ):
        # A spring between two points does not slide.
        rubs = key != "friction" or law != "bilateral"
        if contact.get(key) is not None and rubs:
            yield name, f"{said(contact[key])} {unit}".strip(), remark
    if contact.get("surface"):
        yield "Surface", str(contact["surface"]), ""
    touches = contact.get("touches") or ()
    if len(touches) == 1:
        for key, name, unit, remark in _TOUCH:
            if touches[0].get(key) is not None:
                yield name, f"{number(size(touches[0][key]))} {unit}".strip(), remark


_TOUCH = (
    ("peak_force", "Peak force", "N", ""),
    ("duration", "Duration", "s", ""),
    ("impulse", "Impulse", "N s", ""),
    ("restitution", "Effective restitution", "", "normal speed after / before"),
    ("energy_lost", "Energy lost", "J", ""),
)


def touch_listing(summary: Mapping[str, Any]) -> Listing | None:
    """Every touch of a contact that takes time; None for one or none."""
    touches = lookup(summary, "contact.touches") or ()
    if len(touches) < 2:
        return None
    shown = touches[:MOST_LISTED]
    times = tuple(float(touch["begin"]) for touch in shown)
    rows = tuple(
        (str(k + 1), _moment(times[k], times), *(_number(size(t.get(key))) for key, *_ in _TOUCH))
        for k, t in enumerate(shown)
    )
    headings = ("", "from, s", "peak, N", "lasts, s", "impulse, N s", "restitution", "lost, J")
    hidden = len(touches) - len(shown)
    return Listing("Touches", headings, rows, times, f"and {hidden} more" if hidden else "")


def phase_listing(summary: Mapping[str, Any], most: int = MOST_LISTED) -> Listing | None:
    """The phases with the largest residuals of their balances; None for a single phase."""
    phases = summary.get("phases") or ()
    if len(phases) < 2:
        return None
    shown = phases[:most]
    times = tuple(float(phase["begin"]) for phase in shown)
    borders = (*times, float(shown[-1]["end"]))
    keys = [
        (key, heading)
        for key, heading in (
            ("energy", "energy, J"),
            ("linear_momentum", "linear, N s"),
            ("angular_momentum", "angular, N m s"),
        )
        if any(phase.get(key) is not None for phase in shown)
    ]
    rows = tuple(
        (
            str(phase["name"]),
            _moment(float(phase["begin"]), borders),
            _moment(float(phase["end"]), borders),
            said(phase.get("steps", "")),
            *(number(size(phase.get(key)), 2) for key, _ in keys),
        )
        for phase in shown
    )
    headings = ("phase", "from, s", "to, s", "steps", *(heading for _, heading in keys))
    hidden = len(phases) - len(shown)
    more = f"and {hidden} more" if hidden else ""
    return Listing("Phases and what their balances leave open", headings, rows, times, more)


def _number(value: float | None) -> str:
    return "" if value is None else number(value)


def _moment(time: float, among: Sequence[float]) -> str:
    """A time with the decimals that tell it from its neighbours, six at most."""
    gaps = np.diff(np.unique(flat(list(among))))
    least = float(gaps.min(initial=1.0))
    decimals = 2 if least >= 0.1 else min(6, 2 - int(np.floor(np.log10(least))))
    text = f"{time:.{decimals}f}"
    return text.replace("-", "−")
