"""`--set path=value`: other values, the same checks, and messages that name the setting."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from percuss.encounter.errors import shown_path
from percuss.scenario import Scenario, ScenarioError, build, load, loads, with_overrides
from percuss.scenario.document import parse_path
from percuss.scenario.impact import BounceBlock
from percuss.scenario.overrides import believed, parse_settings
from tests.scenario.examples import PLANAR, SHIPPED, with_block


@pytest.fixture
def scenario() -> Scenario:
    return loads(PLANAR, "thesis.yaml")


def test_values_are_yaml_with_units(scenario: Scenario) -> None:
    settings = [
        "target.mass=20 kg",
        "target.velocity.linear=[-2, 0.5]",
        "impact.closure=weld",
        "chaser.arm[2].length=3500 mm",
        "chaser.arm[1].torque=30 N m",
        "chaser.joints[1]=30 deg",
        "integration.method=rk4",
        "integration.step=1e-3",
    ]
    changed = with_overrides(scenario, parse_settings(settings))
    assert changed.target is not None
    assert changed.target.mass == 20
    assert changed.target.velocity.linear == (-2, 0.5)
    assert changed.impact.closure == "weld"
    assert changed.chaser.arm is not None
    assert changed.chaser.arm[1].length == 3.5
    assert changed.chaser.arm[0].torque == 30
    assert changed.chaser.joints == (math.radians(30), 0)
    assert changed.integration.step == 1e-3
    assert scenario == loads(PLANAR), "the first is as it was"
    assert loads(changed.text) == changed, "its text says all of it"


def test_null_takes_a_key_away(scenario: Scenario) -> None:
    assert "angle" not in with_overrides(scenario, {"target.angle": "null"}).document["target"]


def test_raw_documents(scenario: Scenario) -> None:
    document = dict(scenario.document, duration=3)
    assert with_overrides(document, {"target.mass": 20}).duration == 3


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("target.mass=abc", "--set target.mass=abc: target.mass: must be a number in kg > 0"),
        ("target.mass=20 m", "--set target.mass=20 m: target.mass: must be a number in kg > 0"),
        ("target.mas=20", "--set target.mas=20: target.mas: unknown key 'mas'"),
        ("targt.mass=20", "--set targt.mass=20: targt: unknown key 'targt'"),
        ("targt.mass=20", "Did you mean 'target'?"),
        ("target.mass.kg=20", "--set target.mass.kg=20: target.mass is 15, which has no part"),
        ("chaser.arm[3].mass=1", "chaser.arm has 2 entries, got position 3"),
        ("chaser.arm[0].mass=1", "not a path"),
        ("chaser.arm.mass=1", "chaser.arm is a list, got .mass; write chaser.arm[1]"),
        ("chaser[1]=1", "chaser is a mapping, got position [1]"),
        ("target.mass", "write it as path=value"),
        ("=3", "write it as path=value"),
        ("target..mass=3", "not a path"),
        ("target.mass={", "--set target.mass={, line 1: not valid YAML"),
        ("impact.closure=bounce", "thesis.yaml, line 21: impact.restitution: is missing"),
        ("duration=-1", "--set duration=-1: duration: must be a number in s > 0"),
        (
            "chaser.position=[1, 2, 3]",
            "--set chaser.position=[1, 2, 3]: chaser.position: is spatial",
        ),
        ("chaser.joints=[0, 0, 0]", "--set chaser.joints=[0, 0, 0]: chaser.joints: must have 2"),
        ("control.law=ic2", "--set control.law=ic2: control.law: 'ic2' acts on a force"),
        ("target=null", "--set target=null: target: is missing: closure pin needs"),
    ],
)
def test_wrong_settings(scenario: Scenario, setting: str, words: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        with_overrides(scenario, parse_settings([setting]))
    message = str(caught.value)
    assert words in message, message


def test_settings_are_checked_together(tmp_path: Path) -> None:
    """What is only right with both settings is right; a file that needs them is, too."""
    scenario = loads(PLANAR)
    bounce = {"impact.closure": "bounce", "impact.restitution": "0.5"}
    impact = with_overrides(scenario, bounce).impact
    assert isinstance(impact, BounceBlock)
    assert impact.restitution == 0.5
    path = tmp_path / "open.yaml"
    path.write_text(PLANAR.replace("duration: 10 s", ""))
    assert load(path, {"duration": "3 s"}).duration == 3
    with pytest.raises(ScenarioError, match="duration: is missing"):
        load(path)


def test_overrides_of_overrides(scenario: Scenario) -> None:
    once = with_overrides(scenario, {"target.mass": "20"})
    twice = with_overrides(once, {"target.radius": "2"})
    assert twice.target is not None
    assert (twice.target.mass, twice.target.radius) == (20, 2)
    with pytest.raises(ScenarioError, match=r"--set target.mass=20 s"):
        with_overrides(once, {"target.mass": "20 s"})


@pytest.mark.parametrize(
    "path", ["target.mass", "chaser.arm[2].mass", "chaser.arms.left.links[1].com", "a[1][2].b"]
)
def test_paths_read_as_they_are_shown(path: str) -> None:
    assert shown_path(parse_path(path)) == path


def test_beliefs_come_true_in_the_believed_scenario() -> None:
    control = (
        "control: {law: computed-torque, natural-frequency: 1, believes: {target.mass: 14, "
        "'chaser.arm[2].mass': 9, target.inertia: 5, chaser.base.mass: 99 kg}}"
    )
    scenario = loads(with_block(PLANAR, "control", control))
    other = believed(scenario)
    truth, belief = build(scenario), build(other)
    assert truth.target.base.mass == 15
    assert (belief.target.base.mass, belief.target.base.inertia.zz) == (14, 5)
    assert belief.chaser.node("link2").body.mass == 9
    assert belief.chaser.base.mass == 99
    assert believed(other) is other
    assert other.control.gains == {"natural_frequency": 1}
    assert (truth.target_coordinates == belief.target_coordinates).all(), "the geometry is the same"


def test_a_belief_scales_a_shape() -> None:
    """The mass of a disk carries its inertia along, m r²/2."""
    control = "control: {law: pd, kp: 1, kd: 1, believes: {target.mass: 30}}"
    body = build(believed(loads(with_block(PLANAR, "control", control)))).target.base
    assert body.inertia.zz == 15.0
    assert build(with_overrides(loads(PLANAR), {"target.mass": 30})).target.base.inertia.zz == 15.0


def test_what_a_caller_gives_stays_as_it_is(scenario: Scenario) -> None:
    """A setting may reach into the value of an earlier one."""
    target = {"shape": "disk", "mass": 20.0, "radius": 1.0, "contact": {"angle": 0.5}}
    changed = with_overrides(scenario, {"target": target, "target.mass": 30.0})
    assert build(changed).target.base.mass == 30.0
    assert target["mass"] == 20.0


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_scenarios_can_be_changed(path: Path) -> None:
    scenario = load(path)
    longer = with_overrides(scenario, {"duration": "50 s"})
    assert longer.duration == 50
    assert longer.start.chaser.name == scenario.start.chaser.name
    assert re.search(r"^duration: 50 s$", longer.text, re.MULTILINE)
