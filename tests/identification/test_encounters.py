"""Encounters made in Python are identified as scenarios of the same numbers are."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import percuss
from percuss.algebra.rotations import Quaternion
from percuss.encounter.closures import Pulse
from percuss.identification.data.synthesis import synthesise
from percuss.identification.forward.centred import centred
from percuss.identification.forward.known import KnownEncounter
from percuss.kinematics.frames import frame_velocity
from percuss.scenario import Scenario, load, with_overrides
from tests.identification.cases import SCENARIOS

SENSORS = percuss.Sensors({"joint": {"noise": 1e-4}, "base.position": {"noise": 1e-3}})
DEMO = percuss.Encounter(
    chaser=percuss.robot("demo-7"),
    target=percuss.free_body(percuss.box("target", (0.8, 0.6, 0.8), mass=120.0)),
    grip=(0.0, 0.0, -0.4),  # type: ignore[arg-type]
    target_rates=(0.0, 0.0, -0.05, 0.0, 0.1, 0.0),
    closure=percuss.Weld(),
    duration=2.0,
)
NAMES = ("thesis-1", "thesis-2", "pin-3d", "tumbling-3d", "ic2")


def scenario(name: str) -> Scenario:
    return load(SCENARIOS / f"{name}.yaml", {"duration": "2 s"})


@pytest.mark.parametrize("name", ["thesis-1", "pin-3d"])
def test_an_encounter_is_identified_as_the_scenario_that_describes_it(name: str) -> None:
    described = scenario(name)
    true = with_overrides(described, {"target.velocity.angular": described_spin(described)})
    record = synthesise(true, SENSORS, seed=1, rate=20.0)
    both = [
        percuss.identify(given, record, SENSORS, ["velocity"], starts=2, advice=False)
        for given in (described, described.encounter)
    ]
    assert both[0].estimate == pytest.approx(both[1].estimate, rel=1e-9, abs=1e-12)
    assert both[0].sigma == pytest.approx(both[1].sigma, rel=1e-9)
    assert both[0].warnings == both[1].warnings


def described_spin(described: Scenario) -> Any:
    assert described.target is not None
    spin = described.target.velocity.angular
    return (
        spin + 0.05
        if isinstance(spin, float)
        else [x + 0.05 for x in floats(spin or (0.0, 0.0, 0.0))]
    )


def test_what_is_measured_of_an_encounter_is_what_is_measured_of_its_scenario() -> None:
    described = scenario("thesis-1")
    ours = percuss.synthesise(described.encounter, SENSORS, seed=3, rate=10.0)
    file = percuss.synthesise(described, SENSORS, seed=3, rate=10.0)
    for column, values in file.columns.items():
        np.testing.assert_allclose(ours.columns[column], values, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_the_closure_goes_by_one_name_in_file_and_encounter(name: str) -> None:
    described = scenario(name)
    known = KnownEncounter.of(described)
    assert known.closure.name == described.impact.closure == described.encounter.closure.name
    own = KnownEncounter.of(described.encounter).shape
    # An inertia that a file gives may be that of a shape; only the numbers tell of an encounter.
    assert known.shape in (own, None)


def floats(values: Any) -> list[float]:
    return [float(x) for x in values]


def off_centre(com: tuple[float, float, float], placed: percuss.Pose) -> percuss.Encounter:
    """`DEMO` with the frame of its target elsewhere in the body, and its joint placed elsewhere."""
    body = DEMO.target.base  # type: ignore[union-attr]
    moved = replace(body, com=percuss.Vector3(*com), visuals=())
    joint = replace(percuss.free_body(moved).base_joint, placement=placed)
    target = percuss.System("target", (moved,), (joint,))
    grip = np.array(com) + np.array((0.0, 0.0, -0.4))
    q = list(target.base_joint.motion.neutral())
    q[3:] = Quaternion(0.9, 0.1, -0.3, 0.2).normalized()
    v = (0.02, -0.01, -0.05, 0.03, 0.1, -0.02)
    first = replace(DEMO, target=target, grip=tuple(grip), target_coordinates=None)
    # Where the contact point is at the tool.
    tool = percuss.frame_pose(first.chaser, first.chaser_coordinates, first.tool).position
    at = percuss.frame_pose(target, q, first.grip).position  # type: ignore[arg-type]
    q[:3] = floats(placed.rotation.inverse() @ (tool - at))
    return replace(first, target_coordinates=q, target_rates=v)


@settings(max_examples=15)
@given(
    com=st.tuples(*[st.floats(-0.5, 0.5)] * 3),
    turn=st.tuples(*[st.floats(-2.0, 2.0)] * 3),
)
def test_a_target_moves_alike_about_whatever_point_its_frame_is(com: Any, turn: Any) -> None:
    placed = percuss.Pose(Quaternion.from_rotation_vector(percuss.Vector3(*turn)).to_rotation())
    given_one = off_centre(com, placed)
    moved = centred(given_one)
    assert moved.target is not None
    assert given_one.target is not None
    q, v = given_one.target_coordinates, given_one.target_rates
    own = frame_velocity(given_one.target, q, v, given_one.grip)  # type: ignore[arg-type]
    other = frame_velocity(
        moved.target,
        moved.target_coordinates,
        moved.target_rates,
        moved.grip,  # type: ignore[arg-type]
    )
    np.testing.assert_allclose(floats(own.linear), floats(other.linear), rtol=0, atol=1e-13)
    np.testing.assert_allclose(floats(own.angular), floats(other.angular), rtol=0, atol=1e-13)
    energies = [
        float(percuss.kinetic_energy(e.target, e.target_coordinates, e.target_rates))  # type: ignore[arg-type]
        for e in (given_one, moved)
    ]
    assert energies[0] == pytest.approx(energies[1], rel=1e-12)
    assert not any(float(x) for x in moved.target.base.com)  # type: ignore[arg-type]


def test_the_velocity_that_is_found_is_that_of_the_centre_of_mass() -> None:
    true = off_centre((0.2, -0.1, 0.3), percuss.Pose.identity())
    record = percuss.synthesise(true, SENSORS, seed=1, rate=50.0)
    guessed = replace(true, target_rates=np.zeros(6))
    found = percuss.identify(guessed, record, SENSORS, ["velocity"], advice=False)
    truth = dict(zip(found.unknowns.names, centred(true).target_rates, strict=True))
    assert len(found.estimate) >= 5
    for name, value in found.estimate.items():
        assert abs(value - truth[name]) < 4.5 * found.sigma[name], name


def test_numbers_by_name_may_be_unknown_of_an_encounter_too() -> None:
    law = percuss.Detumble(time_constant=4.0)
    driven = replace(DEMO, control=law, duration=4.0)
    record = percuss.synthesise(driven, SENSORS, seed=2, rate=20.0)
    guessed = replace(driven, control=replace(law, time_constant=3.0))
    found = percuss.identify(
        guessed, record, SENSORS, ["velocity", "control.time-constant"], advice=False
    )
    gap = found.estimate["control.time-constant"] - 4.0
    assert abs(gap) < 4.5 * found.sigma["control.time-constant"] < 0.1


def test_encounters_that_begin_with_no_contact_are_refused() -> None:
    record = percuss.synthesise(DEMO, SENSORS, seed=1, rate=10.0)

    def said(encounter: percuss.Encounter) -> str:
        with pytest.raises(percuss.ModelError) as raised:
            percuss.identify(encounter, record, SENSORS)
        return str(raised.value)

    pushed = replace(DEMO, closure=Pulse((0.0, 0.0, 1.0), 0.1, False), target=None, grip=None)
    pushed = replace(pushed, target_coordinates=None, target_rates=None)
    assert said(pushed).startswith("target: is missing")
    mission = load(SCENARIOS / "mission-3d.yaml").encounter
    assert said(mission).startswith("approach: chaser and target are apart")
    hinged = percuss.System(
        "target",
        (DEMO.target.base, percuss.Body("panel", 5.0, (0.0, 0.0, 0.0), (1.0, 1.0, 1.0))),  # type: ignore[union-attr]
        (
            DEMO.target.base_joint,  # type: ignore[union-attr]
            percuss.Joint("hinge", percuss.Revolute((0, 0, 1)), "target", "panel"),
        ),
    )
    both = replace(
        DEMO, target=hinged, grip=(0.0, 0.0, -0.4), target_coordinates=None, target_rates=None
    )
    assert "one free body, got 2 bodies: target, panel" in said(both)
