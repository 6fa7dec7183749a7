"""Encounters whose numbers are replaced, and all numbers that an encounter is made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any

import numpy as np

import percuss
from percuss.algebra.scalars import is_traced
from percuss.algebra.vectors import Symmetric3
from percuss.control.joint_friction_models import DryFriction
from percuss.dynamics.orbit import CircularOrbit
from percuss.encounter.closures import Repeat
from tests.encounter.scenes import THESIS, scene
from tests.encounter.test_in_python import cube, pushed


def _planar(**changes: Any) -> percuss.Encounter:
    """The two-link arm of the thesis, and a disk at its tool."""
    given = scene(THESIS).encounter
    own = {field.name: getattr(given, field.name) for field in fields(given)}
    return percuss.Encounter(**own | changes)


def _apart(**changes: Any) -> percuss.Encounter:
    """The seven-joint arm, and a cube two metres beside where they would touch."""
    near = cube()
    assert near.target_coordinates is not None
    away = np.array(near.target_coordinates)
    away[0] += 2.0
    given: dict[str, Any] = {
        "target_coordinates": away,
        "approach": percuss.Approach(60.0, percuss.HoldTool(1.0, 0.8), capture_radius=0.02),
    }
    return cube(**given | changes)


@cache
def encounters() -> dict[str, percuss.Encounter]:
    """Planar and spatial, apart and touching, with every closure and most laws."""
    limits = percuss.ActuatorLimits(joints=200.0, base=(50.0, 50.0, 20.0))
    planar_goal = percuss.MoveTo(joints={"joint1": 0.3}, position=(1.1, 2.0), within=2.0)
    tensor = percuss.Body(
        "rock", 40.0, (0.01, 0.02, 0.0), Symmetric3(xx=5.0, yy=6.0, zz=7.0, xy=0.3, xz=-0.2, yz=0.1)
    )
    slow = percuss.Bounce(0.5, 0.1, normal=(1.0, 0.2), repeat=Repeat(0.01))
    planar = _planar()
    assert planar.target is not None
    return {
        "pin": _planar(
            control=percuss.ComputedTorque(
                natural_frequency=1.0, damping_ratio=0.7, goal=planar_goal, limits=limits
            )
        ),
        "pd": _planar(
            closure=percuss.Weld(), control=percuss.PD(natural_frequency=[1.0, 1.0, 2.0, 3.0, 4.0])
        ),
        "held": _planar(
            chaser=planar.chaser.with_mode("fixed", percuss.Pose.planar(1.0, 2.0, np.pi / 2)),
            chaser_coordinates=(0.0, 0.0),
            chaser_rates=(0.1, -0.1),
            control=percuss.PD(kp=5.0, kd=3.0),
        ),
        "bounce": _planar(closure=slow, control=percuss.FeedForward(goal=planar_goal)),
        "weld": cube(
            control=percuss.PD(
                natural_frequency=1.0, goal=percuss.MoveTo(joints=[0.1] * 7, within=0.5)
            )
        ),
        "path": cube(
            control=percuss.PD(
                natural_frequency=1.0,
                goal=percuss.PassThrough((0.0, 0.2, 2.0), ([0.0] * 7, [0.1] * 7, [0.2] * 7)),
            )
        ),
        "orbit": cube(
            chaser=percuss.robot("demo-7").with_mode("attitude-controlled"),
            orbit=CircularOrbit.at_altitude(5e5),
            closure=percuss.Compliant(1e3, damping=5.0, law="bilateral"),
            control=percuss.Detumble(
                2.0,
                limits=percuss.ActuatorLimits(wheels=30.0),
                dump=percuss.Dump(1.0, 3.0, lever_arm=0.5),
            ),
        ),
        "compliant": cube(
            target=percuss.free_body(tensor),
            closure=percuss.Compliant(1e4, restitution=0.6, friction=0.2),
            control=percuss.ImpactCompensation(
                natural_frequency=1.0,
                threshold=0.5,
                friction=DryFriction(0.1, 0.2),
                offset=(0.0, 0.01, 0.0),
            ),
        ),
        "pulse": pushed(control=percuss.ComputedTorque(kp=4.0, kd=[4.0] * 13)),
        "apart": _apart(),
        "match": _apart(
            approach=percuss.Approach(
                60.0,
                percuss.MatchTarget(1.0),
                capture_radius=0.02,
                observe=2.0,
                meet=percuss.Meet(30.0, 0.01),
            )
        ),
    }


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Every number in plain data, with the way to it."""
    if value is None or isinstance(value, (str, bool, Enum)) or callable(value):
        return
    if isinstance(value, (int, float)) or (is_traced(value) and value.ndim == 0):
        yield path, value
    elif is_dataclass(value):
        for field in fields(value):
            yield from leaves(getattr(value, field.name), (*path, field.name))
    elif isinstance(value, Mapping):
        for name, entry in value.items():
            yield from leaves(entry, (*path, name))
    elif isinstance(value, (tuple, list, np.ndarray)) or is_traced(value):
        for k, entry in enumerate(value):
            yield from leaves(float(entry) if isinstance(entry, np.generic) else entry, (*path, k))
