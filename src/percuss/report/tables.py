"""The key figures of a run as tables; every text that comes in is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

import numpy as np

from percuss.encounter.record import Record
from percuss.encounter.records.impact import ImpactRecord
from percuss.encounter.records.limits import LimitsRecord
from percuss.encounter.records.result import EncounterResult, EncounterStatus, PlanarTargetState
from percuss.impact.verdict import State, percent
from percuss.report.aftermath import meeting_sentences, rest_sentences, stabilisation_rows
from percuss.report.charts import is_controlled
from percuss.report.columns import Entry, split
from percuss.report.curves import NOISE
from percuss.report.encounter import (
    Listing,
    Row,
    approach_rows,
    contact_rows,
    impact_listing,
    phase_listing,
    touch_listing,
)
from percuss.report.judgement import end_words
from percuss.report.limits import limit_headings, limit_rows
from percuss.report.steering import control_rows, is_steered
from percuss.report.words import flat, number, size, vector


def figures(result: EncounterResult, record: Record) -> str:
    """The key figures of the impact, of the motion after it, and where that ends."""
    several = len(result.impacts) > 1
    phases = _listing(phase_listing(result))
    title = "Whole run" if phases or result.is_divided else "After"
    if not phases and result.is_missed:
        title = end_words(result)
    final = _table("Final state", final_rows(result, record))
    return (
        _table("Approach", approach_rows(result))
        + bullet_list(meeting_sentences(result))
        + _listing(impact_listing(result))
        + _table("Last impact" if several else "Impact", _impact_rows(result))
        + _table("Contact", contact_rows(result))
        + _listing(touch_listing(result))
        + ("" if result.limits is None else _limits(result.limits))
        + _table(title, _after_rows(result, record))
        + _table("Bringing it to rest", stabilisation_rows(result))
        + bullet_list(rest_sentences(result))
        + (_folded("Phases and final state", phases + final) if phases else final)
    )


def bullet_list(sentences: Iterable[str]) -> str:
    """Plain sentences as a list."""
    items = "".join(f"<li>{escape(text)}</li>" for text in sentences)
    return f'<ul class="advice">{items}</ul>' if items else ""


def _folded(title: str, content: str) -> str:
    """What is there for those who ask."""
    return f"<details><summary>{escape(title)}</summary>{content}</details>"


def _impact_rows(result: EncounterResult) -> Iterable[Row]:
    impact = result.impact
    if impact is None:
        return
    if impact.time:
        yield "Time", f"{number(impact.time, 6)} s", ""
    if impact.duration:
        yield "Duration", f"{number(impact.duration)} s", ""
    if impact.normal_speed is not None:
        yield "Normal speed", f"{number(impact.normal_speed)} m/s", "before"
    yield from _impulse_rows(impact)
    kinetic = "kinetic, both together" if result.status != EncounterStatus.PUSHED else "kinetic"
    for change, name, unit, remark in (
        (impact.energy, "Energy", "J", kinetic),
        (impact.linear_momentum, "Linear momentum", "N s", "world axes"),
        (impact.angular_momentum, "Angular momentum", "N m s", "about the world origin"),
    ):
        old, new = flat(change.before), flat(change.after)
        yield f"{name} before", vector(old, unit), remark
        yield f"{name} after", vector(new, unit), _change(result, old, new, unit)


def _impulse_rows(impact: ImpactRecord) -> Iterable[Row]:
    """Impulses, and along what they act; what is zero beside the impulse is left out."""
    world = "on the chaser, world axes"
    noise = 1e-12 * (size(impact.impulse) or 0.0)
    for value, name, unit, remark in (
        (impact.impulse, "Impulse", "N s", world),
        (impact.moment, "Moment", "N m s", world + ", about the contact point"),
        (impact.base_impulse, "Impulse of the base", "N s", "on the world, which holds it"),
        (
            impact.base_moment,
            "Moment of the base",
            "N m s",
            "on the world, about the base's origin",
        ),
        (impact.effective_mass, "Effective mass", "kg", "along the normal"),
        (impact.normal, "Normal", "", "from chaser to target, world axes"),
    ):
        if (size(value) or 0.0) > noise:
            yield name, vector(value, unit).strip(), remark


def _change(result: EncounterResult, old: list[float], new: list[float], unit: str) -> str:
    change = size([b - a for a, b in zip(old, new, strict=True)]) or 0.0
    states = result.law_states
    if unit == "J" and "energy" in states and states["energy"] == State.LOST:
        return f"{percent(change / old[0] if old[0] else np.nan)} lost"
    return f"change {number(change, 2)} {unit}"


def _after_rows(result: EncounterResult, record: Record) -> Iterable[Row]:
    yield "Simulated", f"{number(result.final.time)} s", ""
    yield from control_rows(result)
    peaks = peak_control(result, record)
    idle = not any(value for value, _ in peaks.values()) and not is_controlled(record)
    # A law that has nothing to correct acts all the same.
    if peaks and idle and not is_steered(result):
        yield "Control", "none acts", ""
    remark = "largest: change minus work and external impulse"
    balance = result.balance
    for value, name, unit in (
        (balance.energy, "Energy residual", "J"),
        (balance.linear_momentum, "Linear momentum residual", "N s"),
        (balance.angular_momentum, "Angular momentum residual", "N m s"),
    ):
        if value is not None:
            yield name, f"{number(value, 2)} {unit}", remark
            remark = ""


def final_rows(result: EncounterResult, record: Record) -> Iterable[Row]:
    """Coordinates at the end by name, with the rates as remarks; the base by unit."""
    if not {"coordinates", "rates"} <= set(record.variables):
        return
    (base, joints), (base_rates, joint_rates) = (
        split(record, name) for name in ("coordinates", "rates")
    )
    for entries, rates in _paired(_by_unit(base), _by_unit(base_rates)):
        names = ", ".join(label for label, _, _ in entries)
        yield f"base {names}", _last(entries), _last(rates, 3)
    for entries, rates in _paired([[one] for one in joints], [[one] for one in joint_rates]):
        yield entries[0][0], _last(entries), _last(rates, 3)
    target = result.final.target
    if target is None:
        return
    yield "target position", vector(target.position, "m"), vector(target.linear, "m/s", 3)
    turning = vector(target.angular, "rad/s", 3)
    if isinstance(target, PlanarTargetState):
        yield "target angle", vector(target.angle, "rad"), turning
    else:
        yield "target qw, qx, qy, qz", vector(target.orientation, "").strip(), turning


def _by_unit(entries: Sequence[Entry]) -> list[list[Entry]]:
    units = dict.fromkeys(unit for _, unit, _ in entries)
    return [[entry for entry in entries if entry[1] == unit] for unit in units]


def _paired(
    coordinates: list[list[Entry]], rates: list[list[Entry]]
) -> list[tuple[list[Entry], list[Entry]]]:
    """Coordinates with their rates, or with none where they do not correspond."""
    if len(coordinates) != len(rates):
        rates = [[] for _ in coordinates]
    return list(zip(coordinates, rates, strict=True))


def _last(entries: Sequence[Entry], digits: int = 4) -> str:
    if not entries:
        return ""
    unit = entries[0][1]
    values = np.array([values[-1] for _, _, values in entries], float)
    values[np.abs(values) <= NOISE] = 0.0
    return vector(values, "" if unit == "1" else unit, digits).strip()


def peak_control(result: EncounterResult, record: Record) -> dict[str, tuple[float, str]]:
    """Largest control force and its unit, by the name of the rate that it drives."""
    values = [abs(x) for x in result.peak.control]
    base, joints = split(record, "control")
    names = [f"base {entry}" for entry, _, _ in base] + [joint for joint, _, _ in joints]
    if len(names) != len(values):
        names = [str(k + 1) for k in range(len(values))]
    units = _control_units(record, len(names))
    return {n: (v, u) for n, v, u in zip(names, values, units, strict=True)}


def _control_units(record: Record, count: int) -> list[str]:
    variable = record.variables.get("control")
    units = [unit.strip() for unit in variable.units.split(",")] if variable else []
    return units if len(units) == count else [""] * count


def _table(title: str, rows: Iterable[Row]) -> str:
    body = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td class="number">{escape(value)}</td>'
        f'<td class="remark">{escape(remark)}</td></tr>'
        for name, value, remark in rows
    )
    return f"<table><caption>{escape(title)}</caption><tbody>{body}</tbody></table>" if body else ""


def _listing(listing: Listing | None) -> str:
    """A table under headings; a click on a row goes to its time."""
    if listing is None:
        return ""
    head = "".join(f'<th scope="col">{escape(heading)}</th>' for heading in listing.headings)
    body = "".join(
        f'<tr data-seek="{time!r}" tabindex="0">'
        f"{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>"
        for row, time in zip(listing.rows, listing.times, strict=True)
    )
    more = f'<p class="more">{escape(listing.more)}</p>' if listing.more else ""
    return (
        f'<table class="listing"><caption>{escape(listing.title)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"
    )


def _limits(limits: LimitsRecord) -> str:
    """The joints against their limits with the verdict."""
    head = "".join(f'<th scope="col">{escape(text)}</th>' for text in limit_headings(limits))
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"
        for cells in limit_rows(limits)
    )
    kind = "good" if limits.holds else "bad"
    return (
        f'<table class="listing limits"><caption>Against the joints\' limits</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        f'<p class="more {kind}">{escape(limits.verdict)}</p>'
    )
