"""The parts of the page that are words and tables; every text that comes in is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

import numpy as np

from percuss.impact import percent
from percuss.report.judgement import judged
from percuss.report.tables import Row, peak_control
from percuss.report.words import lookup, number, size
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
    items = "".join(f"<li>{escape(str(text))}</li>" for text in summary.get("advice") or ())
    return f'<ul class="advice">{items}</ul>' if items else ""


def cards(summary: Mapping[str, Any]) -> str:
    """The numbers one asks for first, large."""
    found: list[Row] = []
    impulse = lookup(summary, "impact.impulse")
    if impulse is not None:
        found.append(("Impulse on the chaser", f"{number(size(impulse), 4)} N s", ""))
    found.extend(_energy_card(summary))
    for name, label, unit in (
        ("impact.joint_reactions", "Most loaded joint", "N s"),
        ("peak.joint_reaction", "Largest reaction after", "N"),
    ):
        sizes = magnitudes(lookup(summary, name))
        if sizes:
            joint = max(sizes, key=lambda key: sizes[key])
            found.append((label, f"{number(sizes[joint])} {unit}", joint))
    return "".join(
        f'<div class="card"><span class="name">{escape(name)}</span>'
        f'<span class="value">{escape(value)}</span><span class="more">{escape(more)}</span></div>'
        for name, value, more in found
    )


def _energy_card(summary: Mapping[str, Any]) -> Iterable[Row]:
    before, after = (lookup(summary, f"impact.energy.{when}") for when in ("before", "after"))
    state = {given.law: given.state for given in judged(summary)}.get("energy")
    if before is None or after is None or state is None:
        return
    if state == "kept":
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
    shown += bars("Peak joint reactions after", reactions, "N")
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
    if not values:
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
