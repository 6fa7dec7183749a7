"""The orbit block of a scenario: what it takes, what it refuses, and what it says then."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

import percuss
from percuss.model import save_system
from percuss.scenario import ScenarioError, json_schema, loads
from percuss.scenario.advice import warnings
from tests.scenario.examples import SHIPPED

MISSION = next(path for path in SHIPPED if path.stem == "mission-3d")
THESIS = next(path for path in SHIPPED if path.stem == "thesis-1")
LOW = {"altitude": "500 km"}


@pytest.mark.parametrize(
    ("orbit", "said"),
    [
        ({"altitude": -1}, r"orbit\.altitude: must be a number in m ≥ 100000, got -1"),
        ({"altitude": "-500 km"}, r"orbit\.altitude: must be a number in m ≥ 100000"),
        ({"altitude": 500}, r"orbit\.altitude: must be a number in m ≥ 100000, got 500"),
        ({"altitude": 0}, r"orbit\.altitude: must be"),
        ({"altitude": math.nan}, r"orbit\.altitude: must be finite"),
        ({"altitude": math.inf}, r"orbit\.altitude: must be finite"),
        ({"altitude": "1e9 km"}, r"orbit\.altitude: must be .* at most 1e\+09"),
        ({"altitude": "500 kg"}, r"orbit\.altitude: .*which is a mass"),
        ({"altitude": True}, r"orbit\.altitude: must be a number in m"),
        ({"altitude": [500e3]}, r"orbit\.altitude: must be a number in m"),
        ({"semi-major-axis": "6378 km"}, r"orbit\.semi-major-axis: must be a number in m ≥ 6"),
        ({"semi-major-axis": math.nan}, r"orbit\.semi-major-axis: must be finite"),
        ({}, r"orbit: must have altitude or semi-major-axis, one of them, got neither"),
        ({"field": "two-body"}, r"orbit: must have altitude or semi-major-axis.*got neither"),
        (
            {"altitude": "500 km", "semi-major-axis": "6878 km"},
            r"orbit: must have altitude or semi-major-axis, one of them, got both",
        ),
        (LOW | {"field": "J2"}, r"orbit\.field: must be one of clohessy-wiltshire, two-body"),
        (LOW | {"field": "two body"}, r"orbit\.field: .*Did you mean 'two-body'"),
        (LOW | {"velocities": "world"}, r"orbit\.velocities: must be one of local, inertial"),
        (LOW | {"inclination": 51.6}, r"orbit\.inclination: unknown key"),
        (500e3, r"orbit: must be a mapping with altitude"),
        ([500e3], r"orbit: must be a mapping"),
    ],
)
def test_what_is_no_orbit_is_refused(orbit: Any, said: str) -> None:
    with pytest.raises(ScenarioError, match=said):
        percuss.load(MISSION, {"orbit": orbit})


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"gravity": [0, 0, -9.81]}, r"gravity: does not go with orbit: .*give gravity or orbit"),
        ({"gravity": [0, 0, 0]}, r"gravity: does not go with orbit"),
        ({"chaser.mode": "fixed"}, r"orbit: does not go with chaser\.mode fixed"),
    ],
)
def test_what_does_not_go_with_an_orbit(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(ScenarioError, match=said):
        percuss.load(MISSION, {"orbit": LOW} | settings)


def test_closure_published_has_no_orbit() -> None:
    with pytest.raises(ScenarioError, match=r"orbit: does not go with impact\.closure published"):
        percuss.load(THESIS, {"orbit": LOW, "impact.closure": "published"})


def test_a_model_with_gravity_of_its_own_has_no_orbit(tmp_path: Path) -> None:
    save_system(percuss.robot("demo-7").with_gravity((0.0, 0.0, -1.0)), tmp_path / "arm.yaml")
    chaser = {"system": str(tmp_path / "arm.yaml"), "tool": "tool"}
    with pytest.raises(ScenarioError, match=r"orbit: does not go with gravity, and the model of"):
        percuss.load(MISSION, {"orbit": LOW, "chaser": chaser})


def test_errors_name_the_line() -> None:
    text = MISSION.read_text(encoding="utf-8") + "orbit: {altitude: -3 km}\n"
    last = text.count("\n")
    with pytest.raises(ScenarioError, match=rf"my\.yaml, line {last}: orbit\.altitude"):
        loads(text, "my.yaml")


def test_both_lengths_say_the_same() -> None:
    one = percuss.load(MISSION, {"orbit": {"altitude": "500 km"}}).start.orbit
    other = percuss.load(MISSION, {"orbit": {"semi-major-axis": "6878.137 km"}}).start.orbit
    assert one is not None
    assert one == other
    assert percuss.load(MISSION).start.orbit is None


def test_a_scenario_in_another_orbit_is_another_scenario() -> None:
    low, high = (percuss.load(MISSION, {"orbit": {"altitude": a}}) for a in ("500 km", "600 km"))
    assert low != high
    assert low != percuss.load(MISSION)
    assert low == percuss.load(MISSION, {"orbit": {"altitude": 500e3}})
    assert loads(low.text).start.orbit == low.start.orbit


def test_schema_has_the_block() -> None:
    schema = json_schema()
    block = schema["$defs"]["Orbit"]["properties"]
    assert schema["properties"]["orbit"]["$ref"] == "#/$defs/Orbit"
    assert block["altitude"]["x-unit"] == "m"
    assert block["field"]["enum"] == ["clohessy-wiltshire", "two-body"]
    assert block["velocities"]["enum"] == ["local", "inertial"]


def test_bodies_of_which_one_moment_is_known_are_named() -> None:
    flat = {"chaser.arm[2].inertia": 7.5, "impact.closure": "pin"}
    told = warnings(percuss.load(THESIS, {"orbit": LOW} | flat))
    assert any("'link2'" in text and "gravity gradient" in text for text in told)
    assert not warnings(percuss.load(THESIS, {"orbit": LOW, "impact.closure": "pin"}))
    assert not warnings(percuss.load(THESIS, flat))
