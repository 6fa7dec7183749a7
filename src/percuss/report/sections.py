"""The parts of the page that are words and tables; every text that comes in is escaped."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

import numpy as np

from percuss.impact import percent
from percuss.report.aftermath import stabilisation_of
from percuss.report.encounter import beyond_radius, energy_lost
from percuss.report.judgement import judged, outcome_words, peak_force
from percuss.report.tables import peak_control, told
from percuss.report.timeline import impacts_of, is_divided
from percuss.report.words import Row, lookup, number, size
from percuss.simulate.record import Record

_SIGNS = {"kept": "✓", "lost": "✓", "passed on": "→", "broken": "✗"}
"""By state of a law. Energy that is lost in an impact breaks none."""


def warnings(summary: Mapping[str, Any]) -> str:
    """Each warning in a box of its own."""
    return "\n".join(
        f'<p class="warning" role="alert"><strong>Warning</strong> {escape(str(text))}</p>'
        for text in summary.get("warnings") or ()
    )


def verdict(summary: Mapping[str, Any]) -> str:
    """One line per conservation law with its mark."""
    items = [
        f'<li class="{escape(given.state.replace(" ", "-"))}">'
        f'<span class="sign" aria-label="{escape(given.state)}">{_SIGNS.get(given.state, "?")}'
        f"</span>{escape(given.text)}</li>"
        for given in judged(summary)
    ]
    return f'<ul class="verdict">{"".join(items)}</ul>' if items else ""


def advice(summary: Mapping[str, Any]) -> str:
    """What the reader should know about this kind of run, in plain sentences."""
    return told(summary.get("advice") or ())


def notices(summary: Mapping[str, Any]) -> str:
    """What had to be changed in the model files, folded away: where, what was read and used."""
    found = summary.get("notices") or ()
    if not found:
        return ""
    heads = ("file", "line", "where", "read", "used")
    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    rows = "".join(
        "<tr>" + "".join(f"<td>{escape(str(notice[key] or ''))}</td>" for key in heads) + "</tr>"
        for notice in found
    )
    title = f"Changed in model files ({len(found)})"
    return (
        f'<details class="scenario" id="notices"><summary>{title}</summary>'
        f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></details>"
    )


def outcome(summary: Mapping[str, Any]) -> str:
    """How it ended, in a word and a sentence."""
    status, sentence = outcome_words(summary)
    badge = f'<b class="status {_class(status)}">{escape(status)}</b> ' if status else ""
    return f'<p class="outcome">{badge}{escape(sentence)}</p>' if status or sentence else ""


def _class(status: str) -> str:
    if status in ("captured", "held"):
        return "good"
    return "bad" if status in ("missed", "accumulated", "unfinished") else "plain"


def cards(summary: Mapping[str, Any]) -> str:
    """The numbers one asks for first, large."""
    found: list[Row] = [
        *_approach_cards(summary),
        *_impulse_cards(summary),
        *_contact_card(summary),
        *_energy_card(summary),
    ]
    settled = (stabilisation_of(summary) or {}).get("settling_time")
    if settled is not None:
        found.append(("Settled after", f"{number(settled, 3)} s", "from the grasp"))
    found.extend(_joint_cards(summary))
    return "".join(
        f'<div class="card"><span class="name">{escape(name)}</span>'
        f'<span class="value">{escape(value)}</span><span class="more">{escape(more)}</span></div>'
        for name, value, more in found
    )


def _impulse_cards(summary: Mapping[str, Any]) -> Iterable[Row]:
    impacts = impacts_of(summary)
    sizes = [size(impact.get("impulse")) or 0.0 for impact in impacts]
    if len(impacts) > 1:
        which = f"impact {1 + sizes.index(max(sizes))} of {len(impacts)}"
        yield "Largest impulse", f"{number(max(sizes))} N s", which
    elif lookup(summary, "impact.impulse") is not None:
        value = number(size(lookup(summary, "impact.impulse")))
        yield "Impulse on the chaser", f"{value} N s", ""


def _joint_cards(summary: Mapping[str, Any]) -> Iterable[Row]:
    """The joint that bears most: of all impacts, and of all times."""
    loads = [magnitudes(impact.get("joint_reactions")) for impact in impacts_of(summary)]
    worst = max(loads, key=lambda found: max(found.values(), default=0.0), default={})
    single = lookup(summary, "impact") is not None and not is_divided(summary)
    largest = "Largest reaction after" if single else "Largest joint reaction"
    for sizes, label, unit in (
        (worst, "Most loaded joint", "N s"),
        (magnitudes(lookup(summary, "peak.joint_reaction")), largest, "N"),
    ):
        if any(sizes.values()):
            joint = max(sizes, key=lambda key: sizes[key])
            yield label, f"{number(sizes[joint])} {unit}", joint


def _approach_cards(summary: Mapping[str, Any]) -> Iterable[Row]:
    approach = summary.get("approach")
    if not isinstance(approach, Mapping):
        return
    speed = approach.get("relative_speed")
    if approach.get("touched"):
        more = "" if speed is None else f"at {number(speed, 3)} m/s"
        yield "First contact", f"{number(approach.get('time'))} s", more
        return
    closest = approach.get("closest") or {}
    aimed = "surface" if approach.get("by") == "surface" else "contact point"
    more = f"from the tool to the {aimed}"
    beyond = beyond_radius(approach)
    if beyond is not None:
        more += f", {number(beyond, 3)} m beyond the capture radius"
    yield "Missed by", f"{number(closest.get('distance'))} m", more
    waited = approach.get("timeout")
    more = "" if waited is None else f"given up after {number(waited)} s"
    yield "Closest at", f"{number(closest.get('time'))} s", more


def _contact_card(summary: Mapping[str, Any]) -> Iterable[Row]:
    peak = peak_force(summary)
    if peak is not None:
        durations = [touch.get("duration") for touch in lookup(summary, "contact.touches")]
        lasting = f"in contact for {number(sum(time or 0.0 for time in durations), 3)} s"
        if durations[-1] is None:
            lasting = "in contact to the end"
        yield "Peak contact force", f"{number(peak)} N", lasting


def _energy_card(summary: Mapping[str, Any]) -> Iterable[Row]:
    impacts = impacts_of(summary)
    if len(impacts) > 1:
        lost = math.fsum(energy_lost(impact) or 0.0 for impact in impacts)
        yield "Energy lost", f"{number(lost)} J", f"in {len(impacts)} impacts"
        return
    before, after = (lookup(summary, f"impact.energy.{when}") for when in ("before", "after"))
    state = {given.law: given.state for given in judged(summary)}.get("energy")
    if before is None or after is None or (state is None and summary.get("status") != "pushed"):
        return
    if summary.get("status") == "pushed":
        yield "Energy put in", f"{number(after - before, 4)} J", f"on {number(before, 4)} J"
    elif state == "kept":
        yield "Energy lost", "none", f"{number(before, 4)} J are kept"
    elif state == "broken":
        yield "Energy gained", f"{number(after - before, 4)} J", f"on {number(before, 4)} J"
    else:
        share = f"{percent(1.0 - after / before if before else np.nan)} of {number(before, 4)} J"
        yield "Energy lost", f"{number(before - after, 4)} J", share


def loads(summary: Mapping[str, Any], record: Record) -> str:
    """What joints and actuators bear, as bars: at the impact, and at most after it."""
    impulses = magnitudes(lookup(summary, "impact.joint_reactions"))
    reactions = magnitudes(lookup(summary, "peak.joint_reaction"))
    shown = bars("Joint reaction impulses", impulses, "N s")
    title = "Peak joint reactions" if is_divided(summary) else "Peak joint reactions after"
    shown += bars(title, reactions, "N")
    peaks = peak_control(summary, record)
    for unit in dict.fromkeys(unit for _, unit in peaks.values()):
        acting = {name: value for name, (value, u) in peaks.items() if u == unit and value}
        kind = {"N": "Peak control force", "N m": "Peak control torque"}.get(unit, "Peak control")
        shown += bars(kind, acting, unit)
    return shown


def magnitudes(given: Any) -> dict[str, float]:
    """Size of each joint's load, from {joint: number or {magnitude, force, …}}."""
    found: dict[str, float] = {}
    for name, load in given.items() if isinstance(given, Mapping) else ():
        value = load
        if isinstance(load, Mapping):
            value = load.get("magnitude", load.get("force"))
        found[str(name)] = size(value) or 0.0
    return found


def bars(title: str, values: Mapping[str, float], unit: str) -> str:
    """Loads by joint as horizontal bars, the largest one highlighted."""
    if not any(values.values()):
        return ""
    largest = max(values.values())
    rows: list[str] = []
    for name, value in values.items():
        share = 100 * value / largest if largest > 0 else 0.0
        kind = " most" if value == largest and largest > 0 else ""
        rows.append(
            f'<div class="bar{kind}"><span class="name">{escape(name)}</span>'
            f'<span class="track"><span class="fill" style="width:{share:.2f}%"></span></span>'
            f'<span class="value">{escape(number(value))} {escape(unit)}</span></div>'
        )
    return f'<div class="bars"><h3>{escape(title)}</h3>{"".join(rows)}</div>'
