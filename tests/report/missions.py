"""A mission of four phases in space: observe, approach, capture, bring to rest."""

from __future__ import annotations

from functools import cache

import numpy as np

from percuss.control.settling import WheelHistory
from percuss.encounter.record import Variable
from percuss.encounter.records.approach import MeetingRecord
from percuss.encounter.records.control import ControlRecord
from percuss.encounter.records.stabilisation import DumpRecord, RemainingMotion, StabilisationRecord
from tests.report.captures import Capture
from tests.report.encounters import (
    Motion,
    approach,
    capture,
    impact,
    phases,
    record_of,
    scalar,
    smooth,
    times,
    tool_of,
    vector,
)

SPACE = "zyyzyzy"
REACHING = np.array([0.4, 0.5, -0.7, 0.3, -0.6, 0.2, 0.4])


@cache
def mission() -> Capture:
    """Observe, approach, contact at 30 s, motion brought to rest: seven joints, in space."""
    time = times((0.0, 10.0, 30.0, 60.0), (60, 200, 241))
    share = smooth(time, 10.0, 30.0)[:, None]
    swing = 0.25 * (1.0 - np.exp(-np.maximum(time - 30.0, 0.0) / 8.0))[:, None]
    joints = REACHING * share + swing * np.array([1, -0.5, 0.4, 0.3, 0.2, -0.6, 0.5])
    tool = tool_of(joints, SPACE)
    meeting = tool_of(REACHING, SPACE)[0]
    offset = np.array([0.5, 0.1, 0.0])
    flight = meeting + offset - (30.0 - time)[:, None] * np.array([-0.09, 0.02, -0.01])
    held = time >= 30.0
    target = np.where(held[:, None], tool + offset, flight)
    spin = np.where(held, 0.0, 0.08 * (time - 30.0))
    motion = Motion(time, joints, SPACE, target, spin)
    wheels = np.column_stack([0 * time, 0 * time, 3.0 * smooth(time, 30.0, 50.0)])
    gap = np.where(held, np.nan, np.linalg.norm(target - offset - tool, axis=1))
    extra = {
        "distance": scalar(gap, "m"),
        "wheel_momentum": vector(wheels, "N m s"),
        "phase": scalar(np.where(held, 2, 0).astype(np.int8), "1"),
    }
    record = record_of(motion, False, extra)
    record = record_of(motion, False, extra | {"control": _efforts(record.variables["rates"])})
    return capture(
        record,
        "mission of four phases",
        "captured",
        "The target was caught rigidly 30 s after the start and brought to rest in 22 s.",
        impacts=[impact(30.0, "weld", [6.2, -1.1, 0.4], moment=(0.1, 0.0, 0.3), normal=None)],
        phases=phases(("observe", 0.0, 10.0), ("approach", 10.0, 30.0), ("after", 30.0, 60.0)),
        approach=approach(
            30.0,
            0.004,
            relative_speed=0.0102,
            relative_velocity=(0.0102, 0.0, 0.0),
            timeout=60.0,
            meet=MeetingRecord(at=30.0, closing_speed=0.01, sentences=("The arm reaches it.",)),
        ),
        stabilisation=StabilisationRecord(
            settling_time=22.4,
            wheels=WheelHistory(peak=3.1, final=3.0, capacity=4.0, saturated_at=None, initial=0.0),
            thrusters=None,
            remaining=RemainingMotion(
                linear_momentum=(6.2, -1.1, 0.4),
                angular_momentum=(0.0, 0.0, 0.02),
                spin=0.0002,
                drift=0.011,
            ),
            dump=DumpRecord(
                momentum=3.0,
                torque=0.2,
                duration=15.0,
                impulse=3.75,
                end=75.0,
                begin=60.0,
                used=3.0,
                propellant=3.75,
            ),
            sentences=("The wheels keep 3 N m s; thrusters of 0.2 N m dump it in 15 s.",),
        ),
        control=ControlRecord({"law": "detumble", "time-constant": "10 s"}),
    )


def _efforts(rates: Variable) -> Variable:
    units = rates.units.replace("m/s", "N").replace("rad/s", "N m")
    return Variable(
        dimensions=rates.dimensions,
        values=4.0 * rates.values,
        units=units,
        frame="world",
        title="control",
    )
