"""How a capture was brought to rest, as rows of plain text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from percuss.control.settling import ThrusterUse, WheelHistory
from percuss.encounter.records.result import EncounterResult
from percuss.encounter.records.stabilisation import DumpRecord, RemainingMotion
from percuss.report.words import Row, number, vector


def stabilisation_rows(result: EncounterResult) -> Iterator[Row]:
    """Settling, wheels, thrusters, what momentum remains, and how it could be dumped.

    Nothing where no control acts: then nothing is brought to rest.
    """
    found = result.brought_to_rest
    if found is None:
        return
    time = found.settling_time
    value = "not within this run" if time is None else f"{number(time)} s"
    yield "Settled after", value, "from the grasp until rates stay within 2 % of their peaks"
    if found.wheels is not None:
        yield from _wheels(found.wheels)
    if found.thrusters is not None:
        yield from _thrusters(found.thrusters)
    if found.remaining is not None:
        yield from _remaining(found.remaining)
    if found.dump is not None:
        yield from _dump(found.dump)


def _wheels(wheels: WheelHistory) -> Iterator[Row]:
    capacity = wheels.capacity
    of = "no capacity given" if capacity is None else f"of {number(capacity)} N m s"
    yield "Wheels, peak", f"{number(wheels.peak)} N m s", of
    yield "Wheels, final", f"{number(wheels.final)} N m s", ""
    if wheels.saturated_at is not None:
        yield "Wheels saturated", f"at {number(wheels.saturated_at)} s", ""


def _thrusters(thrusters: ThrusterUse) -> Iterator[Row]:
    remark = "sum of sizes over time"
    if thrusters.force_impulse:
        yield "Thrust impulse", f"{number(thrusters.force_impulse)} N s", remark
    if thrusters.torque_impulse:
        yield "Torque impulse", f"{number(thrusters.torque_impulse)} N m s", remark


def _remaining(remaining: RemainingMotion) -> Iterator[Row]:
    for value, name, unit, remark in (
        (remaining.linear_momentum, "Linear momentum left", "N s", "world axes"),
        (
            remaining.angular_momentum,
            "Angular momentum left",
            "N m s",
            "about the common centre of mass",
        ),
        (remaining.spin, "Spin left", "rad/s", "with all joints held"),
        (remaining.drift, "Drift left", "m/s", "of the common centre of mass"),
    ):
        yield name, vector(value, unit, 3), remark


def _dump(dump: DumpRecord) -> Iterator[Row]:
    torque = f"by {number(dump.torque)} N m"
    yield "Momentum to dump", f"{number(dump.momentum)} N m s", torque
    planned = "as planned, for what the wheels held when it began"
    yield "Dump takes", f"{number(dump.duration)} s", planned
    if dump.impulse is not None:
        yield "Dump impulse", f"{number(dump.impulse)} N s", "propellant, as planned"
    yield "Dump gave", f"{number(dump.used)} N m s", _dump_end(dump)
    if dump.propellant is not None:
        yield "Dump used", f"{number(dump.propellant)} N s", "propellant"


def _dump_end(dump: DumpRecord) -> str:
    if dump.end is None:
        return "the wheels were not empty at the end"
    return f"the wheels were empty from {number(dump.end)} s on"


def meeting_sentences(result: EncounterResult) -> Sequence[str]:
    """What was found out about the meeting, in words."""
    if result.approach is None or result.approach.meet is None:
        return ()
    return result.approach.meet.sentences


def rest_sentences(result: EncounterResult) -> Sequence[str]:
    """What was found out about bringing the pair to rest, in words."""
    found = result.brought_to_rest
    return () if found is None else found.sentences
