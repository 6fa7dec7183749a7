"""The encounters that a reader may meet: mission, bounces and a catch, miss, hit, pulse."""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import cache

import numpy as np

from percuss.encounter.records.approach import ClosestApproach
from percuss.encounter.records.control import ControlRecord
from percuss.encounter.records.impact import ContactRecord, TouchRecord
from tests.report.captures import Capture
from tests.report.encounters import (
    RADIUS,
    Motion,
    approach,
    capture,
    impact,
    phases,
    record_of,
    scalar,
    times,
    tool_of,
    vector,
)
from tests.report.missions import mission

__all__ = ["bounces", "held", "hit", "miss", "mission", "passed", "pulse"]

PLANE = "zz"
BENT = np.array([0.9, -1.3])


@cache
def bounces() -> Capture:
    """Three bounces, each slower than the last, and a catch by a weld at 9.5 s: planar."""
    moments = (4.0, 6.5, 8.3, 9.5)
    time = times((0.0, *moments, 14.0), (81, 50, 40, 30, 100))
    joints = BENT + 0.12 * np.maximum(time - moments[0], 0.0)[:, None] ** 0.7 * [1.0, -0.8]
    tool = tool_of(joints, PLANE)
    gap = np.where(time < moments[0], 0.3 * (moments[0] - time), 0.0)
    for begin, end in itertools.pairwise(moments):
        inside = (time >= begin) & (time < end)
        gap = np.where(inside, 0.12 * (time - begin) * (end - time), gap)
    target = tool + np.column_stack([gap + RADIUS, 0.1 * gap, 0 * gap])
    record = record_of(
        Motion(time, joints, PLANE, target, 0.2 * np.minimum(time, moments[-1])),
        True,
        {
            "gap": scalar(gap, "m"),
            "phase": scalar(np.where(time < moments[-1], 0, 2).astype(np.int8), "1"),
            "grip_position": vector((target - [RADIUS, 0.0, 0.0])[:, :2], "m"),
        },
    )
    sizes = (9.0, 4.1, 1.9)
    impacts = [
        impact(t, "bounce", [-size, 0.05 * size])
        for t, size in zip(moments[:-1], sizes, strict=True)
    ]
    borders = (*moments[:1], *moments[1:])
    flights = [("flight", a, b) for a, b in itertools.pairwise(borders)]
    return capture(
        record,
        "three bounces and a catch",
        "captured",
        "After 3 bounces the relative speed was below 0.01 m/s and the grasp closed at 9.5 s.",
        impacts=[*impacts, impact(9.5, "weld", [-0.4, 0.0], moment=0.01, normal_speed=None)],
        phases=phases(("approach", 0.0, 4.0), *flights, ("after", 9.5, 14.0)),
        approach=approach(
            4.0,
            0.013,
            "surface",
            relative_speed=0.3,
            closest=ClosestApproach(distance=0.0, time=4.0),
        ),
    )


@cache
def miss() -> Capture:
    """The target passes the tool at 0.12 m, 12 s after the start; planar."""
    time = np.linspace(0.0, 20.0, 201)
    joints = np.tile(BENT, (len(time), 1))
    tool = tool_of(joints, PLANE)
    way = np.column_stack([0 * time + RADIUS + 0.12, 0.25 * (time - 12.0), 0 * time])
    target = tool + way
    grip = target - [RADIUS, 0.0, 0.0]
    gap = np.linalg.norm(target - tool, axis=1) - RADIUS
    record = record_of(
        Motion(time, joints, PLANE, target, 0 * time),
        True,
        {
            "gap": scalar(gap, "m"),
            "phase": scalar(np.zeros(len(time), np.int8), "1"),
            "grip_position": vector(grip[:, :2], "m"),
        },
    )
    return capture(
        record,
        "a miss",
        "missed",
        "The tool came no closer to the contact point than 0.12 m, 12 s after the start.",
        phases=phases(("observe", 0.0, 3.0), ("approach", 3.0, 20.0)),
        approach=approach(None, 0.12),
    )


def passed() -> Capture:
    """A miss without observation: the law of the approach drives it all, in a single phase."""
    case = miss()
    assert case.encounter.approach is not None
    steered = replace(
        case.encounter.approach,
        control=ControlRecord({"law": "hold-tool", "natural-frequency": 0.8}),
        capture_radius=0.04,
        closest=ClosestApproach(distance=0.19557786, time=12.0),
    )
    return case.changed(approach=steered, phases=phases(("approach", 0.0, 20.0)))


@cache
def held() -> Capture:
    """A spring that pushes and pulls holds the target to the tool from the start: planar."""
    time = np.linspace(0.0, 10.0, 101)
    joints = np.tile(BENT, (len(time), 1)) + 0.01 * time[:, None]
    tool = tool_of(joints, PLANE)
    stretch = 0.02 * np.exp(-time)[:, None] * [1.0, 0.0, 0.0]
    pull = 300.0 * np.exp(-time)
    record = record_of(
        Motion(time, joints, PLANE, tool + stretch + [RADIUS, 0.0, 0.0], 0 * time),
        True,
        {
            "contact_force": vector(np.column_stack([pull, 0 * pull]), "N"),
            "phase": scalar(np.ones(len(time), np.int8), "1"),
            "grip_position": vector((tool + stretch)[:, :2], "m"),
        },
    )
    touch = TouchRecord(
        begin=0.0,
        end=None,
        duration=None,
        peak_force=311.1,
        impulse=(0.0, -13.3),
        restitution=None,
        energy_lost=6.7,
    )
    return capture(
        record,
        "a spring",
        "held",
        "A spring holds the points together.",
        impacts=[impact(0.0, "compliant", [0.0, -13.3], duration=None, normal=None)],
        phases=phases(("contact", 0.0, 10.0)),
        contact=ContactRecord(
            law="bilateral",
            stiffness=1e4,
            damping=100.0,
            friction=0.0,
            slip_speed=None,
            surface="spring between the points",
            touches=(touch,),
        ),
    )


@cache
def hit(dense: int = 401) -> Capture:
    """A compliant hit of 20 ms in a run of 30 s: planar, with a force as a half sine."""
    begin, end = 15.0, 15.02
    time = times((0.0, begin, end, 30.0), (151, dense, 151))
    inside = (time >= begin) & (time < end)
    push = np.where(inside, 320.0 * np.sin(np.pi * (time - begin) / (end - begin)), 0.0)
    joints = BENT + 0.02 * np.maximum(time - begin, 0.0)[:, None] * [1.0, -1.0]
    place = tool_of(BENT, PLANE)[0]
    gap = np.where(time < begin, 0.2 * (begin - time), 0.12 * np.maximum(time - end, 0.0))
    gap = np.where(inside, -0.0016 * np.sin(np.pi * (time - begin) / (end - begin)), gap)
    target = place + np.column_stack([gap + RADIUS, 0 * gap, 0 * gap])
    record = record_of(
        Motion(time, joints, PLANE, target, 0 * time),
        True,
        {
            "gap": scalar(gap, "m"),
            "contact_force": vector(np.column_stack([-push, 0.1 * push]), "N"),
            "phase": scalar((inside + 2 * (time >= end)).astype(np.int8), "1"),
        },
    )
    touch = TouchRecord(
        begin=begin,
        end=end,
        duration=end - begin,
        peak_force=321.6,
        impulse=(-4.05, 0.4),
        restitution=0.6,
        energy_lost=0.21,
    )
    return capture(
        record,
        "a hit of 20 ms",
        "bounced",
        "The target touched the tool for 20 ms and left at 0.12 m/s.",
        impacts=[impact(begin, "compliant", [-4.05, 0.4], duration=end - begin)],
        phases=phases(("approach", 0.0, begin), ("contact", begin, end), ("after", end, 30.0)),
        approach=approach(begin, 0.0, "surface", relative_speed=0.2, timeout=60.0),
        contact=ContactRecord(
            law="hunt-crossley",
            stiffness=2.5e5,
            damping=8.1e5,
            friction=0.1,
            slip_speed=1e-4,
            surface="disk of radius 0.5 m",
            touches=(touch,),
        ),
    )


@cache
def pulse() -> Capture:
    """A force of 1 kN for 10 ms at the tool, and no target: planar."""
    time = times((0.0, 0.01, 10.0), (51, 201))
    inside = time < 0.01
    joints = BENT + 0.05 * time[:, None] * [1.0, -1.4]
    force = np.column_stack([0.0 * time, np.where(inside, -1000.0, 0.0)])
    record = record_of(
        Motion(time, joints, PLANE),
        True,
        {
            "contact_force": vector(force, "N"),
            "phase": scalar(np.where(inside, 1, 2).astype(np.int8), "1"),
        },
    )
    return capture(
        record,
        "a pulse",
        "pushed",
        "A force of 1000 N pushed the tool for 10 ms.",
        impacts=[impact(0.0, "pulse", [0.0, -10.0], duration=0.01, normal=None)],
        phases=phases(("contact", 0.0, 0.01), ("after", 0.01, 10.0)),
    )
