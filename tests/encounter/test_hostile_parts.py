"""Parts of an encounter made in Python refuse numbers that cannot be, by field and value."""

# pyright: reportArgumentType=false

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

import percuss
from percuss import (
    PD,
    ActuatorLimits,
    Approach,
    Belief,
    Bounce,
    ComputedTorque,
    Detumble,
    Dump,
    EncounterError,
    ImpactCompensation,
    Integration,
    MatchTarget,
    Meet,
    MoveTo,
    NoControl,
    PassThrough,
    Repeat,
    UserLaw,
)
from tests.encounter.test_in_python import cube, pushed

NAN, INF = math.nan, math.inf
ROWS = ([0.1] * 7, [0.2] * 7)
AWAY = (2.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)

REFUSED: list[tuple[Any, str]] = [
    # --- Meet -----------------------------------------------------------------------------------
    (lambda: Meet(NAN), "approach.meet.at: must be a time in s > 0, got nan"),
    (lambda: Meet(INF), "approach.meet.at: must be a time in s > 0, got inf"),
    (lambda: Meet(0.0), "approach.meet.at: must be a time in s > 0, got 0.0"),
    (lambda: Meet("30 s"), "approach.meet.at: must be a time in s > 0, got '30 s'"),
    (lambda: Meet(None), "approach.meet.at: must be a time in s > 0, got None"),
    (
        lambda: Meet(3.0, -0.01),
        "approach.meet.closing-speed: must be a speed in m/s ≥ 0, got -0.01",
    ),
    (lambda: Meet(3.0, NAN), "approach.meet.closing-speed: must be a speed in m/s ≥ 0, got nan"),
    (lambda: Meet(3.0, base="fly"), "approach.meet.base: must be one of stay, move, got 'fly'"),
    # --- Approach -------------------------------------------------------------------------------
    (
        lambda: Approach(-5.0, NoControl()),
        "approach.timeout: must be a time in s > 0, got -5.0",
    ),
    (lambda: Approach(INF, NoControl()), "approach.timeout: must be a time in s > 0, got inf"),
    (
        lambda: Approach(5.0, NoControl(), 0.0),
        "approach.capture-radius: must be a length in m > 0, got 0.0",
    ),
    (
        lambda: Approach(5.0, NoControl(), observe=-1.0),
        "approach.observe: must be a time in s ≥ 0, got -1.0",
    ),
    (
        lambda: Approach(5.0, "pd"),
        "approach.control.law: must be a law, such as percuss.PD(…), got 'pd'",
    ),
    (
        lambda: Approach(5.0, NoControl(), meet=3.0),
        "approach.meet: must be a percuss.Meet, got 3.0",
    ),
    # --- MoveTo ---------------------------------------------------------------------------------
    (
        lambda: MoveTo(joints=[0.0, NAN]),
        "control.goal.joints[2]: must be a finite number in rad or m, got nan",
    ),
    (
        lambda: MoveTo(joints={"shoulder_yaw": INF}),
        "control.goal.joints.shoulder_yaw: must be a finite number in rad or m, got inf",
    ),
    (
        lambda: MoveTo(joints=3.0),
        "control.goal.joints: must be coordinates by joint name, or all of them in order, got 3.0",
    ),
    (
        lambda: MoveTo(joints="home"),
        "control.goal.joints: must be coordinates by joint name, or all of them in order, "
        "got 'home'",
    ),
    (
        lambda: MoveTo(position=[1.0]),
        "control.goal.position: must be two or three numbers in m, got [1.0]",
    ),
    (
        lambda: MoveTo(position=5.0),
        "control.goal.position: must be two or three numbers in m, got 5.0",
    ),
    (
        lambda: MoveTo(position=[1.0, NAN, 0.0]),
        "control.goal.position: must be made of finite numbers in m, got nan",
    ),
    (lambda: MoveTo(angle=INF), "control.goal.angle: must be a finite angle in rad, got inf"),
    (
        lambda: MoveTo(rotation=(1, 0, 0, 0)),
        "control.goal.orientation: must be a percuss.Rotation, got (1, 0, 0, 0)",
    ),
    (
        lambda: MoveTo(joints=[0.1] * 7, within=0.0),
        "control.goal.within: must be a time in s > 0, got 0.0",
    ),
    (
        lambda: MoveTo(joints=[0.1] * 7, within=NAN),
        "control.goal.within: must be a time in s > 0, got nan",
    ),
    (
        lambda: MoveTo(within=2.0),
        "control.goal.within: needs something to reach: joints, position, angle or orientation, "
        "got 2.0 s alone",
    ),
    # --- PassThrough ----------------------------------------------------------------------------
    (
        lambda: PassThrough((1.0,), ROWS[:1]),
        "control.goal.times: must be two or more, in s, got (1.0,)",
    ),
    (lambda: PassThrough(3.0, ROWS), "control.goal.times: must be two or more, in s, got 3.0"),
    (
        lambda: PassThrough((2.0, 1.0), ROWS),
        "control.goal.times: must increase, got [2.0, 1.0] s",
    ),
    (
        lambda: PassThrough((1.0, 1.0), ROWS),
        "control.goal.times: must increase, got [1.0, 1.0] s",
    ),
    (
        lambda: PassThrough((-1.0, 1.0), ROWS),
        "control.goal.times[1]: must be a time in s ≥ 0, got -1.0",
    ),
    (
        lambda: PassThrough((0.0, INF), ROWS),
        "control.goal.times[2]: must be a time in s ≥ 0, got inf",
    ),
    (
        lambda: PassThrough((1.0, 2.0, 3.0), ([0.1], [0.2])),
        "control.goal.joints: must have one set per time, 3 of them, got ([0.1], [0.2])",
    ),
    (
        lambda: PassThrough((1.0, 2.0), ([0.1], [NAN])),
        "control.goal.joints[2][1]: must be a finite number in rad or m, got nan",
    ),
    (
        lambda: cube(control=PD(1.0, goal=PassThrough((1.0, 2.0), ([0.1], [0.2])))),
        "control.goal.joints[1]: must have 7 entries, one for each joint",
    ),
    # --- Integration ----------------------------------------------------------------------------
    (
        lambda: Integration("euler"),
        "integration.method: must be one of dop853, dormand-prince, rosenbrock, rk4, got 'euler'",
    ),
    (
        lambda: Integration(None),
        "integration.method: must be one of dop853, dormand-prince, rosenbrock, rk4, got None",
    ),
    (
        lambda: Integration("rk4"),
        "integration.step: is missing: method rk4 needs a step in s, such as 0.001",
    ),
    (
        lambda: Integration("rk4", step=-1e-3),
        "integration.step: must be a time in s > 0, got -0.001",
    ),
    (lambda: Integration("rk4", step=NAN), "integration.step: must be a time in s > 0, got nan"),
    (
        lambda: Integration("dop853", step=1e-3),
        "integration.step: is for method rk4, not for dop853, got 0.001 s",
    ),
    (
        lambda: Integration(relative_tolerance=0.0),
        "integration.relative-tolerance: must be a number from 1e-14 to 0.1, got 0.0",
    ),
    (
        lambda: Integration(relative_tolerance=NAN),
        "integration.relative-tolerance: must be a number from 1e-14 to 0.1, got nan",
    ),
    (
        lambda: Integration(relative_tolerance=1.0),
        "integration.relative-tolerance: must be a number from 1e-14 to 0.1, got 1.0",
    ),
    (
        lambda: Integration(most_steps=0),
        "integration.most-steps: must be 1 or more, got 0",
    ),
    (
        lambda: Integration(most_steps=1e6),
        "integration.most-steps: must be a whole number, 1 or more, got 1000000.0",
    ),
    (lambda: cube(integration="rk4"), "integration: must be a percuss.Integration, got 'rk4'"),
    # --- ActuatorLimits and Dump ----------------------------------------------------------------
    (
        lambda: ActuatorLimits(joints=NAN),
        "control.limits.joints: must be a limit in N m or N ≥ 0, got nan",
    ),
    (
        lambda: ActuatorLimits(joints=[1.0, -2.0]),
        "control.limits.joints[2]: must be a limit in N m or N ≥ 0, got -2.0",
    ),
    (
        lambda: ActuatorLimits(base="5 N"),
        "control.limits.base: must be a limit in N m or N ≥ 0, got '5 N'",
    ),
    (
        lambda: ActuatorLimits(wheels=0.0),
        "control.limits.wheels: must be an angular momentum in N m s > 0, got 0.0",
    ),
    (
        lambda: ActuatorLimits(wheels=INF),
        "control.limits.wheels: must be an angular momentum in N m s > 0, got inf",
    ),
    (lambda: Dump(0.0), "control.dump.torque: must be a torque in N m > 0, got 0.0"),
    (lambda: Dump(NAN), "control.dump.torque: must be a torque in N m > 0, got nan"),
    (lambda: Dump(1.0, after=-1.0), "control.dump.after: must be a time in s ≥ 0, got -1.0"),
    (
        lambda: Dump(1.0, lever_arm=0.0),
        "control.dump.lever-arm: must be a length in m > 0, got 0.0",
    ),
    (
        lambda: cube(control=PD(1.0, limits=ActuatorLimits(wheels=1.0))),
        "control.limits.wheels: is for mode attitude-controlled, which has wheels, not for "
        "free-floating, got 1.0",
    ),
    (
        lambda: cube(control=PD(1.0, dump=Dump(1.0))),
        "control.dump: is for mode attitude-controlled, which has wheels, not for free-floating",
    ),
    (lambda: cube(control=PD(1.0, limits=5.0)), "control.limits: must be a percuss.ActuatorLimits"),
    (lambda: cube(control=PD(1.0, dump=0.5)), "control.dump: must be a percuss.Dump, got 0.5"),
    # --- laws -----------------------------------------------------------------------------------
    (
        lambda: cube(control=PD(1.0, goal=[1, 2])),
        "control.goal: must be a percuss.Stay, MoveTo or PassThrough, got [1, 2]",
    ),
    (
        lambda: cube(approach=Approach(5.0, PD(1.0, goal="there"), 0.1), target_coordinates=AWAY),
        "approach.control.goal: must be a percuss.Stay, MoveTo or PassThrough, got 'there'",
    ),
    (lambda: PD("1"), "control.natural-frequency: must be finite and > 0, got '1'"),
    (
        lambda: PD(kp=[1.0, NAN], kd=1.0),
        "control.kp[2]: must be finite and ≥ 0, got nan",
    ),
    (
        lambda: cube(control=ComputedTorque([1.0] * 3)),
        "control.natural-frequency: must be one number, or 13, one for each generalized velocity, "
        "got 3",
    ),
    (lambda: Detumble("2"), "control.time-constant: must be a time in s > 0, got '2'"),
    (
        lambda: UserLaw("mine.py"),
        "control.function: must be a function of the plant that makes a law, got 'mine.py'",
    ),
    (
        lambda: UserLaw(lambda plant: plant, period=0.0),
        "control.period: must be a time in s > 0, got 0.0",
    ),
    (
        lambda: ImpactCompensation(rule="torque"),
        "control.compensation.rule: must be one of acceleration, force, got 'torque'",
    ),
    (
        lambda: ImpactCompensation(threshold=NAN),
        "control.compensation.threshold: must be a force in N ≥ 0, got nan",
    ),
    (
        lambda: ImpactCompensation(offset=(0.1,)),
        "control.compensation.offset: must be two or three numbers in m, got (0.1,)",
    ),
    (
        lambda: ImpactCompensation(friction="some"),
        "control.compensation.friction: must be one of ideal, none, got 'some'",
    ),
    (
        lambda: ImpactCompensation(delay=-1e-3, period=1e-3),
        "control.compensation.delay: must be a time in s > 0, got -0.001",
    ),
    (
        lambda: ImpactCompensation(torque_rate=5.0),
        "control.compensation.torque-rate: needs control.period, a time in s such as 0.001, "
        "got 5.0",
    ),
    (
        lambda: cube(control=PD(1.0, believes=Belief(percuss.robot("thesis")))),
        "control.believes.chaser: there is no body 'base' in the chaser. There are: satellite",
    ),
    (lambda: cube(control=PD(1.0, believes=14.0)), "control.believes: must be a percuss.Belief"),
    # --- closures and the encounter itself ------------------------------------------------------
    (lambda: Bounce("0.5"), "impact.restitution: must be a number from 0 to 1, got '0.5'"),
    (lambda: Bounce(None), "impact.restitution: must be a number from 0 to 1, got None"),
    (
        lambda: Bounce(0.5, repeat=0.01),
        "impact.repeat: must be a percuss.Repeat, got 0.01",
    ),
    (
        lambda: Repeat(0.1, then="weld"),
        "impact.repeat.then: must be a percuss.Pin or percuss.Weld, got 'weld'",
    ),
    (
        lambda: Repeat(0.1, most=2.5),
        "impact.repeat.most: must be a whole number, 1 or more, got 2.5",
    ),
    (lambda: cube(orbit="low"), "orbit: must be a CircularOrbit of percuss.dynamics, got 'low'"),
    (lambda: cube(name=3), "name: must be a text, got 3"),
]


@pytest.mark.parametrize(("make", "told"), REFUSED, ids=[told for _, told in REFUSED])
def test_it_is_refused_by_its_field(make: Any, told: str) -> None:
    with pytest.raises(EncounterError, match=f"^{re.escape(told)}"):
        make()


def test_angles_are_for_the_plane_and_rotations_for_space() -> None:
    planar, q = percuss.robot("thesis"), np.zeros(5)
    turned = percuss.Rotation.identity()
    with pytest.raises(EncounterError, match=r"^control\.goal\.orientation: is for a chaser in sp"):
        MoveTo(rotation=turned).points(planar, q)
    spatial = percuss.robot("demo-7")
    with pytest.raises(EncounterError, match=r"^control\.goal\.angle: is for a planar chaser, "):
        MoveTo(angle=1.0).points(spatial, np.zeros(14))


def test_what_can_be_is_taken() -> None:
    """The borders of what is allowed."""
    Meet(1e-3, 0.0, "move")
    Approach(5.0, MatchTarget(1.0), observe=0.0, meet=Meet(3.0))
    MoveTo(joints=np.zeros(7), position=(1, 2), angle=-20, within=1)
    MoveTo()
    PassThrough((0, 1.0), (np.zeros(7), {"shoulder_yaw": 1}))
    Integration("rk4", step=np.float64(0.1), most_steps=np.int64(1))
    Integration(relative_tolerance=1e-14)
    Dump(1e-9, 0, 0.1)
    assert ActuatorLimits(joints=INF, base=[0.0, 1.0, INF]).wheels is None
    ImpactCompensation(period=1e-3, delay=2e-3, torque_rate=1.0)
    one = Belief(percuss.robot("demo-7"), words="nothing differs")
    pushed(control=PD(kp=[0.0] * 13, kd=np.ones(13), believes=one))
