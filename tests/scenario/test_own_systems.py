"""Systems of the user's own, given to a scenario where a robot or an object is named."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import percuss
from percuss import kernel
from percuss.algebra import Pose, Vector3
from percuss.model import Frame
from percuss.scenario import Scenario, ScenarioError, loads, with_overrides

ROBOT = percuss.robot("demo-7")
HEAVY = ROBOT.with_parameters({"link1.mass": 50.0})
BOX = percuss.free_body(
    percuss.box("crate", (0.8, 0.8, 0.8), mass=120.0),
    frames=[Frame("grip", "crate", Pose(position=Vector3(0.0, 0.0, -0.4)))],
)


def scenario(robot: Any = ROBOT, caught: Any = "cube", **changes: Any) -> Scenario:
    given: dict[str, Any] = {
        "chaser": {"robot": robot},
        "target": {"object": caught, "velocity": {"linear": [0, 0, -0.02]}},
        "impact": {"closure": "weld"},
        "duration": 1.0,
    }
    return Scenario(**given | changes)


def test_a_system_is_the_robot_as_its_name_is() -> None:
    own, named = scenario(), scenario("demo-7")
    assert own.start.chaser == named.start.chaser
    assert own != named, "one has a name of the library, which tells its posture"
    found, wanted = percuss.run(own), percuss.run(named)
    for name in ("energy", "coordinates"):
        np.testing.assert_array_equal(found.record[name], wanted.record[name])


def test_equality_and_fingerprint_follow_the_content() -> None:
    own = scenario()
    assert own == scenario(replace(ROBOT))
    assert hash(own) == hash(scenario(replace(ROBOT)))
    assert kernel.fingerprint(own) == kernel.fingerprint(scenario(replace(ROBOT))) is not None
    other = scenario(HEAVY)
    assert own != other
    assert kernel.fingerprint(own) != kernel.fingerprint(other)
    rates = [percuss.run(each).record["rates"][-1] for each in (own, other)]
    assert not np.allclose(*rates, rtol=1e-3)


def test_its_text_holds_the_system_and_loads_again(tmp_path: Path) -> None:
    own = scenario(HEAVY, BOX, chaser={"robot": HEAVY, "joints": {"elbow_pitch": 0.4}})
    again = loads(own.text)
    assert again == own
    assert kernel.fingerprint(again) == kernel.fingerprint(own)
    result = percuss.run(own)
    assert loads(result.scenario_text) == own
    page = (result.save(tmp_path / "result") / "report.html").read_text()
    assert "name: link1" in page, "the report shows the scenario with its system"


def test_an_arm_and_its_base_are_systems() -> None:
    arm = percuss.robot("iiwa-14")
    base = percuss.free_body(percuss.box("bus", (1.0, 1.0, 1.0), mass=300.0))

    def vehicle(arm: Any) -> Scenario:
        arms = {"right": {"robot": arm, "mount": [0, 0, 0.5], "from": "a1"}}
        return scenario(chaser={"base": {"robot": base}, "arms": arms})

    own = vehicle(arm)
    with pytest.warns(percuss.ModelNotice, match="changed in iiwa-14"):
        assert loads(own.text) == own
    assert vehicle(replace(arm)) == own
    assert {body.name for body in own.start.chaser.bodies} >= {"bus"}
    named = vehicle("iiwa-14").start.chaser
    assert [joint.name for joint in own.start.chaser.joints] == [j.name for j in named.joints]
    heavier = vehicle(arm.with_parameters({f"{arm.bodies[-1].name}.mass": 9.0}))
    assert heavier != own


def test_a_target_of_ones_own_is_held_at_its_grip() -> None:
    own = scenario(caught=BOX)
    assert own.start.target is not None
    assert own.start.target.base.mass == 120.0
    assert own.start.grip is not None
    assert tuple(own.start.grip.placement.position) == (0.0, 0.0, -0.4)
    assert percuss.run(own).encounter.status == "captured"
    bare = replace(BOX, frames=())
    with pytest.raises(ScenarioError, match=r"target\.contact: is missing\. Give contact"):
        scenario(caught=bare)
    held = {"object": bare, "contact": [0, 0, -0.4], "mass": 90}
    start = scenario(HEAVY, target=held).start
    assert start.target is not None
    assert start.target.base.mass == 90.0


def test_settings_reach_it_and_it_may_be_one() -> None:
    named = scenario("demo-7")
    assert with_overrides(named, {"chaser.robot": HEAVY}) == scenario(HEAVY)
    heavier = with_overrides(scenario(), {"chaser.parameters.link1.mass": 50})
    assert heavier.start.chaser == scenario(HEAVY).start.chaser
    believing = {"law": "computed-torque", "natural-frequency": 1}
    wrong = scenario(control=believing | {"believes": {"chaser.parameters.link1.mass": 50}})
    assert wrong.encounter.control.believes is not None


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"chaser": ROBOT}, r"chaser: is a System; one may be given as robot of a chaser"),
        (
            {"chaser": {"robot": ROBOT, "joints": "usual"}},
            r"chaser\.joints: what is no robot of the library has no usual posture",
        ),
        ({"target": {"object": ROBOT}}, r"target\.object: must be a system of one body, got 'demo"),
        (
            {"chaser": {"robot": {"name": "mine", "bodies": []}}},
            r"chaser\.robot: is neither a name nor a system: .*joints",
        ),
        (
            {"chaser": {"robot": percuss.robot("thesis")}},
            r"target\.object: is spatial .*because of chaser\.robot thesis",
        ),
        ({"chaser": {"robot": 3}}, r"chaser\.robot: must be text, a name, got 3"),
    ],
)
def test_what_cannot_be_says_why(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ScenarioError, match=message):
        scenario(**given)
