"""Many cases that differ in numbers are the single runs of these numbers, laws knowing them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import percuss
from percuss.encounter.numbers import EncounterNumbers
from percuss.model.errors import ModelError
from tests.encounter.batches import DRIFTING, PLANAR
from tests.encounter.many import (
    EXACT,
    LOOSE,
    assert_cases_are_runs,
    case_of,
    drawn,
    drawn_of,
    single,
)
from tests.encounter.numbered import encounters
from tests.encounter.scenes import scene

SCENARIOS = Path(__file__).parents[2] / "scenarios"
CASES = 6
COMPARED = [2, 5]
"""Cases of a batch that are run on their own as well."""

COMMANDED = (
    "peak.control",
    "peak.joint_reaction",
    "limits.joints.effort.peak",
    "limits.joints.effort.share",
)
"""What is largest where a command is."""
READ_OFF = {k: share for k, share in LOOSE.items() if k.startswith(("limits.", "stabilisation."))}
"""What runs read off their steps, and how far many cases may be off that."""

PLACED = {f"target__{key}": value for key, value in DRIFTING.items()}
BODIES = {
    "target.mass": 0.2,
    "target.velocity.linear": 0.1,
    "target.velocity.angular": 0.3,
    "chaser.base.mass": 0.2,
}
ARM = {"chaser.arm[1].length": 0.05, "chaser.arm[2].mass": 0.3}
FIXED = {"chaser__mode": "fixed", "chaser__base": None, "chaser__mount": None}
PD = {"law": "pd", "natural-frequency": 1.0, "damping-ratio": 0.7}
DETUMBLE = {"law": "detumble", "time-constant": 2.0}
LIMITED = PD | {"limits": {"joints": 3.0, "base": 5.0}}
GAINS = {"control.natural-frequency": 0.3, "control.damping-ratio": 0.3}
BOUNCE = {"closure": "bounce", "restitution": 0.6, "friction": 0.3}
SMOOTH = {"closure": "bounce", "restitution": 0.6, "friction": 0.0, "normal": [1, 0.2]}
SOFT = {"closure": "compliant", "stiffness": 2e3}
BILATERAL = SOFT | {"law": "bilateral", "damping": 50.0}
YIELDING = {"impact.stiffness": 0.4, "impact.damping": 0.3}
PULSE = {
    "name": "pulse",
    "chaser": {"robot": "percussion", "mode": "free-flying", "joints": ["-90 deg", "90 deg"]},
    "impact": {"closure": "pulse", "force": [0, -100.0], "duration": 0.01},
    "control": {"law": "ic2", "natural-frequency": 3.0},
    "duration": 0.2,
    "integration": EXACT,
}


def stored(name: str, **changes: Any) -> percuss.Scenario:
    """A scenario of the collection, integrated exactly."""
    given = percuss.load(SCENARIOS / f"{name}.yaml")
    return percuss.with_overrides(given, {"integration": EXACT} | changes)


Case = tuple[percuss.Scenario, dict[str, float]]

PLAIN: dict[str, Case] = {
    "pin, nothing drives": (
        scene(PLANAR, impact__closure="pin"),
        BODIES | ARM | {"duration": 0.3, "chaser.joints": 0.1, "chaser.velocity.joints": 0.05},
    ),
    "weld, pd with limits, free-flying": (
        scene(PLANAR, chaser__mode="free-flying", control=LIMITED),
        BODIES | ARM | GAINS | {"control.limits.joints": 0.3, "target.contact.angle": 0.1},
    ),
    "weld, computed torque, fixed base": (
        scene(PLANAR, **FIXED, control={"law": "computed-torque", "natural-frequency": 2.0}),
        {"target.mass": 0.2, "target.inertia": 0.3, "target.velocity.linear": 0.3}
        | ARM
        | {"control.natural-frequency": 0.3, "chaser.position": 0.3, "chaser.angle": 0.2},
    ),
    "weld, feed-forward, attitude-controlled": (
        scene(
            PLANAR,
            chaser__mode="attitude-controlled",
            control={"law": "feed-forward", "goal": {"joints": [0.5, -1.0], "within": 2.0}},
        ),
        BODIES | ARM,
    ),
    "weld, wheels that fill and are unloaded": (
        scene(
            PLANAR,
            chaser__mode="attitude-controlled",
            control=DETUMBLE | {"limits": {"wheels": 0.2}, "dump": {"torque": 0.3, "after": 0.8}},
        ),
        BODIES | ARM | {"control.limits.wheels": 0.2, "control.dump.torque": 0.3},
    ),
    "bounce without friction": (scene(PLANAR, impact=SMOOTH), BODIES | ARM),
    "bounce, pd": (
        scene(PLANAR, impact=BOUNCE, control=PD),
        BODIES | ARM | {"impact.restitution": 0.3, "impact.friction": 0.5, "target.radius": 0.1},
    ),
    "hunt-crossley with damping, pd": (
        scene(PLANAR, impact=SOFT | {"damping": 50.0}, control=PD, duration=1),
        BODIES | ARM | YIELDING | {"target.radius": 0.05},
    ),
    "hunt-crossley with restitution, approach": (
        scene(
            PLANAR,
            impact=SOFT | {"restitution": 0.6, "friction": 0.2},
            approach={"contact": "surface", "timeout": 9},
            duration=1,
            **PLACED,
        ),
        {"target.mass": 0.2, "chaser.base.mass": 0.2, "target.velocity.linear": 0.1}
        | {"impact.stiffness": 0.4, "impact.restitution": 0.3, "impact.friction": 0.5},
    ),
    "bilateral, detumble": (
        scene(
            PLANAR,
            impact=BILATERAL,
            chaser__mode="attitude-controlled",
            control=DETUMBLE,
        ),
        BODIES | ARM | YIELDING | {"control.time-constant": 0.3},
    ),
    "pulse, ic2": (
        percuss.Scenario(**PULSE),
        {"impact.force": 0.3, "impact.duration": 0.4, "control.natural-frequency": 0.3}
        | {"chaser.joints": 0.1, "duration": 0.2},
    ),
    "hold-tool, the tool misses": (
        stored("miss"),
        BODIES
        | {"approach.capture-radius": 0.2, "approach.timeout": 0.1, "target.position": 0.01}
        | {"approach.control.natural-frequency": 0.3},
    ),
    "match, wheels": (
        stored("air-bearing"),
        {"target.mass": 0.3, "chaser.base.mass": 0.2, "target.velocity.linear": 0.1}
        | {"approach.meet.at": 0.1, "approach.capture-radius": 0.4, "control.limits.wheels": 0.3}
        | {"chaser.arm[2].length": 0.03, "approach.control.natural-frequency": 0.1},
    ),
    "planned mission in space": (
        stored("mission-3d", duration=10),
        {"target.mass": 0.2, "target.inertia.xx": 0.03, "target.inertia.yz": 0.3}
        | {"target.velocity.linear": 0.3, "target.velocity.angular": 0.3, "approach.observe": 0.2}
        | {"approach.meet.closing-speed": 0.2, "control.time-constant": 0.2}
        | {"approach.control.natural-frequency": 0.2},
    ),
    "orbit": (
        stored("orbit-3d"),
        {"target.mass": 0.2, "target.inertia.xx": 0.05, "orbit.altitude": 0.2, "duration": 0.4}
        | {"target.velocity.linear": 0.002, "approach.capture-radius": 0.3},
    ),
    "pin in space": (
        stored("pin-3d", duration=5),
        {"target.velocity.linear": 0.3, "target.velocity.angular": 0.3, "target.contact": 0.1}
        | {"chaser.joints": 0.1, "duration": 0.3},
    ),
}


@pytest.mark.parametrize("kind", PLAIN)
def test_cases_of_a_scenario_are_single_runs(kind: str) -> None:
    scenario, spreads = PLAIN[kind]
    vary = drawn(scenario, spreads, CASES, seed=3)
    found = percuss.simulate(scenario, vary=vary, knows="truth", threads=1)
    assert not (found["status"] == "refused").any(), "numbers were drawn that cannot be"
    assert_cases_are_runs(
        found.isel(case=COMPARED), lambda k: single(scenario, case_of(vary, COMPARED[k]))
    )


def test_bounces_until_slow_are_single_runs() -> None:
    """The law changes at the time of the meeting, at which they touch: rounding decides on which
    side of it the first impact is, and so on the largest command, by about a hundredth."""
    scenario = stored("three-bounces")
    vary = drawn(
        scenario,
        BODIES
        | {"impact.restitution": 0.1, "impact.friction": 0.5, "impact.repeat.below": 0.2}
        | {"approach.meet.at": 0.05, "approach.observe": 0.1, "control.time-constant": 0.3}
        | {"chaser.arm[1].length": 0.03},
        CASES,
        seed=3,
    )
    found = percuss.simulate(scenario, vary=vary, knows="truth", threads=1)
    assert (found["impacts"] > 2).any(), "no case bounces again and again"
    assert found["impact.normal"].isel(case=found["captured"].values).isnull().all(), (
        "a grasp that closes has no normal"
    )
    assert_cases_are_runs(
        found.isel(case=COMPARED),
        lambda k: single(scenario, case_of(vary, COMPARED[k])),
        loose=dict.fromkeys(COMMANDED, 0.02),
    )


ENCOUNTERS: dict[str, dict[str, float]] = {
    "pd": {"target.mass": 0.2, "chaser.joints": 0.1, "control.natural-frequency": 0.2}
    | {"chaser.parameters.joint1.axis.z": 0.1},
    "weld": {"target.mass": 0.2, "target.contact": 0.1, "control.natural-frequency": 0.2}
    | {"target.parameters.base.placement.x": 0.1, "target.parameters.base.placement.yaw": 0.2},
    "orbit": {"target.mass": 0.2, "orbit.altitude": 0.2, "impact.stiffness": 0.3},
}


@pytest.mark.parametrize("kind", ENCOUNTERS)
def test_cases_of_an_encounter_are_single_runs(kind: str) -> None:
    encounter = encounters()[kind]
    numbers = EncounterNumbers(encounter)
    vary = drawn_of(numbers, ENCOUNTERS[kind], CASES, seed=5)
    found = percuss.simulate(encounter, vary=vary, knows="truth", threads=1)
    assert_cases_are_runs(
        found.isel(case=COMPARED),
        lambda k: percuss.simulate(numbers.encounter_of(case_of(vary, COMPARED[k]))),
        loose=dict.fromkeys(found.data_vars, 1e-6) | READ_OFF,
    )


def test_points_that_part_at_once_do_not_touch() -> None:
    scenario = scene(PLANAR, impact=SOFT | {"damping": 50.0}, duration=1)
    vary = {"target.velocity.linear": np.array([[0.1, -0.05], [0.2, -0.1]])}
    found = percuss.simulate(scenario, vary=vary, knows="truth", threads=1)
    assert (found["contact.touches"] == 0).all()
    assert found["contact.peak_force"].isnull().all(), "what is none has a size"
    assert_cases_are_runs(found, lambda k: single(scenario, case_of(vary, k)))


def test_what_falls_otherwise_cannot_be_held() -> None:
    """A single run is refused when the grasp closes."""
    encounter = encounters()["pd"]
    vary = {"chaser.parameters.gravity.y": np.array([0.0, -0.1])}
    found = percuss.simulate(encounter, vary=vary, threads=1)
    assert found["status"].values.tolist() == ["captured", "refused"]
    assert "gravity" in str(found["reason"].values[1])
    other = EncounterNumbers(encounter).encounter_of(case_of(vary, 1))
    with pytest.raises(ModelError, match="gravity"):
        percuss.simulate(other)


def test_one_value_holds_in_all_cases() -> None:
    scenario, _ = PLAIN["pin, nothing drives"]
    vary = {"target.mass": np.array([10.0, 12.0, 14.0])}
    plain = percuss.simulate(scenario, vary=vary | {"chaser.base.mass": np.full(3, 45.0)})
    short = percuss.simulate(scenario, vary=vary | {"chaser.base.mass": 45.0})
    assert short.equals(plain), "a value without the axis of cases is another number"
