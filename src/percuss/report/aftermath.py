"""How a capture was brought to rest, as rows of plain text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from percuss.report.encounter import Row
from percuss.report.words import lookup, number, size, vector


def stabilisation_rows(summary: Mapping[str, Any]) -> Iterator[Row]:
    """Settling, wheels, thrusters, what momentum remains, and how it could be dumped.

    Nothing where no control acts: then nothing is brought to rest.
    """
    found = stabilisation_of(summary)
    if found is None:
        return
    if "settling_time" in found:
        time = found["settling_time"]
        value = "not within this run" if time is None else f"{number(time)} s"
        yield "Settled after", value, "from the grasp until rates stay within 2 % of their peaks"
    yield from _wheels(found.get("wheels"))
    thrusters = found.get("thrusters")
    if isinstance(thrusters, Mapping):
        remark = "sum of sizes over time"
        for key, name, unit in (
            ("force_impulse", "Thrust impulse", "N s"),
            ("torque_impulse", "Torque impulse", "N m s"),
        ):
            if size(thrusters.get(key)):
                yield name, f"{number(size(thrusters[key]))} {unit}", remark
    remaining = found.get("remaining")
    if isinstance(remaining, Mapping):
        yield from _remaining(remaining)
    yield from _dump(found.get("dump"))


def stabilisation_of(summary: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The block `stabilisation` of a run that is controlled after the grasp."""
    found = summary.get("stabilisation")
    law = lookup(summary, "control.law")
    return found if isinstance(found, Mapping) and law not in (None, "none") else None


def _wheels(wheels: Any) -> Iterator[Row]:
    if not isinstance(wheels, Mapping):
        return
    capacity = size(wheels.get("capacity"))
    of = "no capacity given" if capacity is None else f"of {number(capacity)} N m s"
    yield "Wheels, peak", f"{number(size(wheels.get('peak')))} N m s", of
    yield "Wheels, final", f"{number(size(wheels.get('final')))} N m s", ""
    if wheels.get("saturated_at") is not None:
        yield "Wheels saturated", f"at {number(wheels['saturated_at'])} s", ""


def _remaining(remaining: Mapping[str, Any]) -> Iterator[Row]:
    for key, name, unit, remark in (
        ("linear_momentum", "Linear momentum left", "N s", "world axes"),
        ("angular_momentum", "Angular momentum left", "N m s", "about the common centre of mass"),
        ("spin", "Spin left", "rad/s", "with all joints held"),
        ("drift", "Drift left", "m/s", "of the common centre of mass"),
    ):
        if remaining.get(key) is not None:
            yield name, vector(remaining[key], unit, 3), remark


def _dump(dump: Any) -> Iterator[Row]:
    if not isinstance(dump, Mapping):
        return
    torque = f"by {number(size(dump.get('torque')))} N m"
    yield "Momentum to dump", f"{number(size(dump.get('momentum')))} N m s", torque
    planned = "as planned, for what the wheels held when it began"
    yield "Dump takes", f"{number(dump.get('duration'))} s", planned
    if dump.get("impulse") is not None:
        yield "Dump impulse", f"{number(size(dump['impulse']))} N s", "propellant, as planned"
    if dump.get("used") is not None:
        yield "Dump gave", f"{number(size(dump['used']))} N m s", _dump_end(dump)
    if dump.get("propellant") is not None:
        yield "Dump used", f"{number(size(dump['propellant']))} N s", "propellant"


def _dump_end(dump: Mapping[str, Any]) -> str:
    if dump.get("end") is None:
        return "the wheels were not empty at the end"
    return f"the wheels were empty from {number(dump['end'])} s on"


def meeting_sentences(summary: Mapping[str, Any]) -> Sequence[str]:
    """What was found out about the meeting, in words."""
    return tuple(str(text) for text in lookup(summary, "approach.meet.sentences") or ())


def rest_sentences(summary: Mapping[str, Any]) -> Sequence[str]:
    """What was found out about bringing the pair to rest, in words."""
    given = (stabilisation_of(summary) or {}).get("sentences") or ()
    return tuple(str(text) for text in given)
