"""The parts of the page that are words and tables; every text that comes in is escaped."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from html import escape

import numpy as np

from percuss.encounter.record import Record
from percuss.encounter.records.impact import ImpactRecord
from percuss.encounter.records.result import EncounterResult, EncounterStatus
from percuss.impact.verdict import State, percent
from percuss.report.encounter import aimed_at
from percuss.report.judgement import outcome_words
from percuss.report.tables import bullet_list, peak_control
from percuss.report.words import Row, number, size

_SIGNS = {State.KEPT: "✓", State.LOST: "✓", State.PASSED_ON: "→", State.BROKEN: "✗"}
"""By state of a law. Energy that is lost in an impact breaks none."""


def warnings(result: EncounterResult) -> str:
    """Each warning in a box of its own."""
    return "\n".join(
        f'<p class="warning" role="alert"><strong>Warning</strong> {escape(text)}</p>'
        for text in result.warnings
    )


def verdict(result: EncounterResult) -> str:
    """One line per conservation law with its mark."""
    items = [
        f'<li class="{escape(law.state.replace(" ", "-"))}">'
        f'<span class="sign" aria-label="{escape(law.state)}">{_SIGNS[law.state]}'
        f"</span>{escape(law.text)}</li>"
        for law in result.laws
    ]
    return f'<ul class="verdict">{"".join(items)}</ul>' if items else ""


def advice(result: EncounterResult) -> str:
    """What the reader should know about this kind of run, in plain sentences."""
    return bullet_list(result.advice)


def notices(result: EncounterResult) -> str:
    """What had to be changed in the model files, folded away: where, what was read and used."""
    found = result.notices
    if not found:
        return ""
    head = "".join(f"<th>{name}</th>" for name in ("file", "line", "where", "read", "used"))
    rows = "".join(
        "<tr>"
        + "".join(
            f"<td>{escape(text)}</td>"
            for text in (
                notice.file,
                str(notice.line) if notice.line else "",
                notice.where,
                notice.read,
                notice.used,
            )
        )
        + "</tr>"
        for notice in found
    )
    title = f"Changed in model files ({len(found)})"
    return (
        f'<details class="scenario" id="notices"><summary>{title}</summary>'
        f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></details>"
    )


def outcome(result: EncounterResult) -> str:
    """How an encounter ended, in a word and a sentence, as HTML."""
    status, sentence = outcome_words(result)
    badge = f'<b class="status {_class(result.status)}">{escape(status)}</b> '
    return f'<p class="outcome">{badge}{escape(sentence)}</p>'


def _class(status: EncounterStatus) -> str:
    if status in (EncounterStatus.CAPTURED, EncounterStatus.HELD):
        return "good"
    bad = (EncounterStatus.MISSED, EncounterStatus.ACCUMULATED, EncounterStatus.UNFINISHED)
    return "bad" if status in bad else "plain"


def cards(result: EncounterResult) -> str:
    """The numbers one asks for first, large."""
    found: list[Row] = [
        *_approach_cards(result),
        *_impulse_cards(result),
        *_contact_card(result),
        *_energy_card(result),
        *_settling_card(result),
        *_joint_cards(result),
    ]
    return "".join(
        f'<div class="card"><span class="name">{escape(name)}</span>'
        f'<span class="value">{escape(value)}</span><span class="more">{escape(more)}</span></div>'
        for name, value, more in found
    )


def _impulse_cards(result: EncounterResult) -> Iterable[Row]:
    sizes = [size(impact.impulse) or 0.0 for impact in result.impacts]
    if len(sizes) > 1:
        which = f"impact {1 + sizes.index(max(sizes))} of {len(sizes)}"
        yield "Largest impulse", f"{number(max(sizes))} N s", which
    elif sizes:
        yield "Impulse on the chaser", f"{number(sizes[0])} N s", ""


def _settling_card(result: EncounterResult) -> Iterable[Row]:
    if result.brought_to_rest is not None and result.brought_to_rest.settling_time is not None:
        yield (
            "Settled after",
            f"{number(result.brought_to_rest.settling_time, 3)} s",
            "from the grasp",
        )


def _joint_cards(result: EncounterResult) -> Iterable[Row]:
    """The joint that bears most: of all impacts, and of all times."""
    loads = [magnitudes(impact) for impact in result.impacts]
    worst = max(loads, key=lambda found: max(found.values(), default=0.0), default={})
    single = result.impact is not None and not result.is_divided
    largest = "Largest reaction after" if single else "Largest joint reaction"
    for sizes, label, unit in (
        (worst, "Most loaded joint", "N s"),
        (result.peak.joint_reaction, largest, "N"),
    ):
        if any(sizes.values()):
            joint = max(sizes, key=lambda key: sizes[key])
            yield label, f"{number(sizes[joint])} {unit}", joint


def _approach_cards(result: EncounterResult) -> Iterable[Row]:
    approach = result.approach
    if approach is None:
        return
    if approach.touched:
        more = f"at {number(approach.relative_speed, 3)} m/s"
        yield "First contact", f"{number(approach.time)} s", more
        return
    more = f"from the tool to the {aimed_at(approach)}"
    beyond = approach.beyond_radius
    if beyond is not None:
        more += f", {number(beyond, 3)} m beyond the capture radius"
    yield "Missed by", f"{number(approach.closest.distance)} m", more
    more = f"given up after {number(approach.timeout)} s"
    yield "Closest at", f"{number(approach.closest.time)} s", more


def _contact_card(result: EncounterResult) -> Iterable[Row]:
    contact = result.contact
    if contact is None or contact.peak_force is None:
        return
    durations = [touch.duration for touch in contact.touches]
    lasting = f"in contact for {number(sum(time or 0.0 for time in durations), 3)} s"
    if durations[-1] is None:
        lasting = "in contact to the end"
    yield "Peak contact force", f"{number(contact.peak_force)} N", lasting


def _energy_card(result: EncounterResult) -> Iterable[Row]:
    impacts, impact = result.impacts, result.impact
    if impact is None:
        return
    if len(impacts) > 1:
        lost = math.fsum(impact.energy.lost for impact in impacts)
        yield "Energy lost", f"{number(lost)} J", f"in {len(impacts)} impacts"
        return
    before, after = impact.energy.before, impact.energy.after
    states = result.law_states
    if result.status == EncounterStatus.PUSHED:
        yield "Energy put in", f"{number(after - before, 4)} J", f"on {number(before, 4)} J"
    elif "energy" not in states:
        return
    elif states["energy"] == State.KEPT:
        yield "Energy lost", "none", f"{number(before, 4)} J are kept"
    elif states["energy"] == State.BROKEN:
        yield "Energy gained", f"{number(after - before, 4)} J", f"on {number(before, 4)} J"
    else:
        share = f"{percent(1.0 - after / before if before else np.nan)} of {number(before, 4)} J"
        yield "Energy lost", f"{number(before - after, 4)} J", share


_CONTROL = {"N": "Peak control force", "N m": "Peak control torque", "": "Peak control"}
"""Titles by unit; without a unit where units are not told apart."""


def loads(result: EncounterResult, record: Record) -> str:
    """What joints and actuators bear, as bars: at the impact, and at most after it."""
    impulses = {} if result.impact is None else magnitudes(result.impact)
    shown = bars("Joint reaction impulses", impulses, "N s")
    title = "Peak joint reactions" if result.is_divided else "Peak joint reactions after"
    shown += bars(title, result.peak.joint_reaction, "N")
    peaks = peak_control(result, record)
    for unit in dict.fromkeys(unit for _, unit in peaks.values()):
        acting = {name: value for name, (value, u) in peaks.items() if u == unit and value}
        shown += bars(_CONTROL[unit if unit in _CONTROL else ""], acting, unit)
    return shown


def magnitudes(impact: ImpactRecord) -> dict[str, float]:
    """The size of the impulse at each joint, N s."""
    return {name: reaction.magnitude for name, reaction in impact.joint_reactions.items()}


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
