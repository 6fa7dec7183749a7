"""The key figures of a run as tables; every text that comes in is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from percuss.impact import percent
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
from percuss.report.judgement import end_words, judged
from percuss.report.limits import limit_headings, limit_rows, limit_verdict
from percuss.report.steering import control_rows, is_steered
from percuss.report.timeline import impacts_of, is_divided
from percuss.report.words import flat, lookup, number, size, vector
from percuss.simulate.record import Record


def figures(summary: Mapping[str, Any], record: Record) -> str:
    """The key figures of the impact, of the motion after it, and where that ends."""
    several = len(impacts_of(summary)) > 1
    phases = _listing(phase_listing(summary))
    title = "Whole run" if phases or is_divided(summary) else "After"
    if not phases and lookup(summary, "status") == "missed":
        title = end_words(summary)
    final = _table("Final state", final_rows(summary, record))
    return (
        _table("Approach", approach_rows(summary))
        + told(meeting_sentences(summary))
        + _listing(impact_listing(summary))
        + _table("Last impact" if several else "Impact", _impact_rows(summary))
        + _table("Contact", contact_rows(summary))
        + _listing(touch_listing(summary))
        + _limits(summary)
        + _table(title, _after_rows(summary, record))
        + _table("Bringing it to rest", stabilisation_rows(summary))
        + told(rest_sentences(summary))
        + (_folded("Phases and final state", phases + final) if phases else final)
    )


def told(sentences: Iterable[Any]) -> str:
    """Plain sentences as a list."""
    items = "".join(f"<li>{escape(str(text))}</li>" for text in sentences)
    return f'<ul class="advice">{items}</ul>' if items else ""


def _folded(title: str, content: str) -> str:
    """What is there for those who ask."""
    return f"<details><summary>{escape(title)}</summary>{content}</details>"


def _impact_rows(summary: Mapping[str, Any]) -> Iterable[Row]:
    if lookup(summary, "impact.time"):
        yield "Time", f"{number(lookup(summary, 'impact.time'), 6)} s", ""
    if lookup(summary, "impact.duration"):
        yield "Duration", f"{number(lookup(summary, 'impact.duration'))} s", ""
    if lookup(summary, "impact.normal_speed") is not None:
        value = number(lookup(summary, "impact.normal_speed"))
        yield "Normal speed", f"{value} m/s", "before"
    world = "on the chaser, world axes"
    noise = 1e-12 * (size(lookup(summary, "impact.impulse")) or 0.0)
    for path, name, unit, remark in (
        ("impulse", "Impulse", "N s", world),
        ("moment", "Moment", "N m s", world + ", about the contact point"),
        ("base_impulse", "Impulse of the base", "N s", "on the world, which holds it"),
        ("base_moment", "Moment of the base", "N m s", "on the world, about the base's origin"),
        ("effective_mass", "Effective mass", "kg", "along the normal"),
        ("normal", "Normal", "", "from chaser to target, world axes"),
    ):
        value = lookup(summary, f"impact.{path}")
        if (size(value) or 0.0) > noise:
            yield name, vector(value, unit).strip(), remark
    for path, name, unit, remark in (
        (
            "energy",
            "Energy",
            "J",
            "kinetic, both together" if lookup(summary, "status") != "pushed" else "kinetic",
        ),
        ("linear_momentum", "Linear momentum", "N s", "world axes"),
        ("angular_momentum", "Angular momentum", "N m s", "about the world origin"),
    ):
        before, after = (lookup(summary, f"impact.{path}.{when}") for when in ("before", "after"))
        if before is not None and after is not None:
            yield f"{name} before", vector(before, unit), remark
            yield f"{name} after", vector(after, unit), _change(summary, before, after, unit)


def _change(summary: Mapping[str, Any], before: Any, after: Any, unit: str) -> str:
    old, new = flat(before), flat(after)
    if len(old) != len(new):
        return ""
    change = size([b - a for a, b in zip(old, new, strict=True)]) or 0.0
    states = {given.law: given.state for given in judged(summary)}
    if unit == "J" and states.get("energy") == "lost":
        return f"{percent(change / old[0] if old[0] else np.nan)} lost"
    return f"change {number(change, 2)} {unit}"


def _after_rows(summary: Mapping[str, Any], record: Record) -> Iterable[Row]:
    time = lookup(summary, "final.time")
    if time is not None:
        yield "Simulated", f"{number(time)} s", ""
    yield from control_rows(summary)
    peaks = peak_control(summary, record)
    idle = not any(value for value, _ in peaks.values()) and not is_controlled(record)
    # A law that has nothing to correct acts all the same.
    if peaks and idle and not is_steered(summary):
        yield "Control", "none acts", ""
    remark = "largest: change minus work and external impulse"
    for path, name, unit in (
        ("energy", "Energy residual", "J"),
        ("linear_momentum", "Linear momentum residual", "N s"),
        ("angular_momentum", "Angular momentum residual", "N m s"),
    ):
        value = lookup(summary, f"balance.{path}")
        if value is not None:
            yield name, f"{number(size(value), 2)} {unit}", remark
            remark = ""


def final_rows(summary: Mapping[str, Any], record: Record) -> Iterable[Row]:
    """Coordinates at the end by name, with the rates as remarks; the base by unit."""
    if lookup(summary, "final") is None or not {"coordinates", "rates"} <= set(record.variables):
        return
    (base, joints), (base_rates, joint_rates) = (
        split(record, name) for name in ("coordinates", "rates")
    )
    for entries, rates in _paired(_by_unit(base), _by_unit(base_rates)):
        names = ", ".join(label for label, _, _ in entries)
        yield f"base {names}", _last(entries), _last(rates, 3)
    for entries, rates in _paired([[one] for one in joints], [[one] for one in joint_rates]):
        yield entries[0][0], _last(entries), _last(rates, 3)
    target = lookup(summary, "final.target")
    if not isinstance(target, Mapping):
        return
    yield "target position", vector(target["position"], "m"), vector(target["linear"], "m/s", 3)
    turning = vector(target["angular"], "rad/s", 3)
    if "angle" in target:
        yield "target angle", vector(target["angle"], "rad"), turning
    else:
        yield "target qw, qx, qy, qz", vector(target["orientation"], "").strip(), turning


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


def peak_control(summary: Mapping[str, Any], record: Record) -> dict[str, tuple[float, str]]:
    """Largest control force and its unit, by rate; the summary gives a list or names them."""
    control = lookup(summary, "peak.control")
    if isinstance(control, Mapping):
        names = [str(name) for name in control]
        values = [size(value) or 0.0 for value in control.values()]
    else:
        values = [abs(x) for x in flat(control)]
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


def _limits(summary: Mapping[str, Any]) -> str:
    """The joints against their limits with the verdict; nothing where there are none."""
    rows = limit_rows(summary)
    if not rows:
        return ""
    holds, sentence = limit_verdict(summary)
    head = "".join(f'<th scope="col">{escape(text)}</th>' for text in limit_headings(summary))
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>" for cells in rows
    )
    kind = "good" if holds else "bad"
    return (
        f'<table class="listing limits"><caption>Against the joints\' limits</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        f'<p class="more {kind}">{escape(sentence)}</p>'
    )
