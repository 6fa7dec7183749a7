"""The parts of the page that are words and tables; every text that comes in is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from percuss.report.columns import split
from percuss.report.judgement import Mark, mark
from percuss.report.words import flat, lookup, number, size, vector
from percuss.simulate.record import Record

_SIGNS = {Mark.KEPT: ("✓", "kept"), Mark.BROKEN: ("✗", "broken"), Mark.REMARK: ("•", "remark")}

Row = tuple[str, str, str]
"""Name, value and remark of a table, as plain text."""


def warnings(summary: Mapping[str, Any]) -> str:
    """Each warning in a box of its own."""
    return "\n".join(
        f'<p class="warning" role="alert"><strong>Warning</strong> {escape(str(text))}</p>'
        for text in summary.get("warnings") or ()
    )


def verdict(summary: Mapping[str, Any], reach: float) -> str:
    """One line per conservation law with a check or a cross; see `judgement.mark`.

    Warnings, which a verdict repeats, have boxes of their own.
    """
    boxed = {f"warning: {text}" for text in summary.get("warnings") or ()}
    lines = [str(line) for line in summary.get("verdict") or () if line not in boxed]
    if not lines:
        return ""
    items: list[str] = []
    for line in lines:
        kind = mark(line, summary, reach)
        sign, meaning = _SIGNS[kind]
        items.append(
            f'<li class="{kind}"><span class="sign" aria-label="{meaning}">{sign}</span>'
            f"{escape(line)}</li>"
        )
    return f'<ul class="verdict">{"".join(items)}</ul>'


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
    before, after = (lookup(summary, f"impact.energy.{when}") for when in ("before", "after"))
    if before is not None and after is not None:
        lost = before - after
        share = f"{number(100 * lost / before, 3)} % of {number(before, 4)} J" if before else ""
        found.append(("Energy lost", f"{number(lost, 4)} J", share))
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


def figures(summary: Mapping[str, Any], record: Record) -> str:
    """The key figures of the impact and of the motion after it, as tables."""
    return _table("Impact", _impact_rows(summary)) + _table("After", _after_rows(summary, record))


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


def _impact_rows(summary: Mapping[str, Any]) -> Iterable[Row]:
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
        ("energy", "Energy", "J", "kinetic, both together"),
        ("linear_momentum", "Linear momentum", "N s", "world axes"),
        ("angular_momentum", "Angular momentum", "N m s", "about the world origin"),
    ):
        before, after = (lookup(summary, f"impact.{path}.{when}") for when in ("before", "after"))
        if before is not None and after is not None:
            yield f"{name} before", vector(before, unit), remark
            yield f"{name} after", vector(after, unit), _change(before, after, unit)
    impacts = lookup(summary, "impacts")
    if isinstance(impacts, Sequence) and len(impacts) > 1:
        for k, impact in enumerate(impacts, start=1):
            at = f"at {number(impact.get('time'), 4)} s"
            yield f"Impact {k} of {len(impacts)}", vector(impact.get("impulse"), "N s"), at


def _change(before: Any, after: Any, unit: str) -> str:
    old, new = flat(before), flat(after)
    if len(old) != len(new):
        return ""
    change = size([b - a for a, b in zip(old, new, strict=True)]) or 0.0
    scale = size(old) or 0.0
    if unit == "J" and new[0] < old[0]:
        return f"{number(100 * change / scale, 3)} % lost"
    return f"change {number(change, 2)} {unit}"


def _after_rows(summary: Mapping[str, Any], record: Record) -> Iterable[Row]:
    time = lookup(summary, "final.time")
    if time is not None:
        yield "Simulated", f"{number(time)} s", ""
    peaks = peak_control(summary, record)
    if peaks and not any(value for value, _ in peaks.values()):
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
