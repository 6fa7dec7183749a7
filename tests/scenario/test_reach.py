"""Targets that no tool can get to, and targets far away: each has its own sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import percuss
from percuss.encounter.failure import SimulationError
from percuss.encounter.reach import far_away, reach_at, unreachable
from percuss.kinematics import frame_pose
from percuss.scenario import ScenarioError, load
from percuss.scenario.advice import warnings
from tests.cli.test_run import percuss_command

SCENARIOS = Path(__file__).parents[2] / "scenarios"
MISSION, FLOOR, MISS = (
    SCENARIOS / f"{name}.yaml" for name in ("mission-3d", "air-bearing", "miss")
)
STAY = {"approach.meet.base": "stay"}
UNLIMITED = {"control": {"law": "none"}, "approach.control.limits": None}
KILOMETRES = {"target.position": [3600, 0.3, 0.4]}


@pytest.mark.parametrize("path", sorted(SCENARIOS.glob("*.yaml")), ids=lambda path: path.stem)
def test_shipped_targets_are_near_and_may_be_reached(path: Path) -> None:
    scenario = load(path)
    assert unreachable(scenario.encounter) is None
    assert far_away(scenario.encounter) is None


@pytest.mark.parametrize(
    ("path", "changes", "told"),
    [
        (
            MISSION,
            STAY | {"target.position": [6.6, 0.3, 0.4]},
            ("out of reach by 3.45 m", "at 40 s", "2.35 m", "approach.meet.base: move"),
        ),
        (MISSION, STAY | KILOMETRES, ("out of reach by 3.6 km", "is the unit right (m)?")),
        (
            FLOOR,
            {"target.position": [6.0, -0.35]},
            ("out of reach by", "centre of mass", "give the base thrusters"),
        ),
        (
            FLOOR,
            {"target.position": [6.0, -0.35], "chaser.mode": "fixed", **UNLIMITED},
            ("out of reach by", "'joint1', where the arm begins", "meet at another time"),
        ),
    ],
)
def test_a_target_out_of_reach_is_refused_before_anything_moves(
    path: Path,
    changes: dict[str, Any],
    told: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    scenario = load(path, changes)
    with pytest.raises(ScenarioError, match=r"approach\.meet: the contact point is out"):
        percuss.run(scenario)
    settings = [part for key, x in changes.items() for part in ("--set", f"{key}={json.dumps(x)}")]
    for command in (("check", path), ("run", path, "--out", tmp_path / "out")):
        assert percuss_command(monkeypatch, *command, *settings) == 2
        caught = capsys.readouterr()
        assert caught.err.count("\n") == 1
        for words in told:
            assert words in caught.err
    assert not (tmp_path / "out").exists()


def test_a_target_far_away_is_said_and_explains_a_failure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        percuss_command(monkeypatch, "check", MISSION, "--set", "target.position=[3600,0,0]") == 0
    )
    shown = " ".join(capsys.readouterr().out.split())
    for words in ("3.6 km from the tool", "2.35 m that the arm spans", "is the unit right", "m/s"):
        assert words in shown
    with pytest.raises(SimulationError, match=r"^target\.position: the contact point is 3.6 km"):
        percuss.run(load(MISSION, KILOMETRES))


def test_a_target_that_passes_far_away_is_missed_with_a_warning() -> None:
    far = load(MISS, {"target.position": [3600, 0], "duration": 0.1})
    result = percuss.run(far)
    assert result.summary["status"] == "missed"
    assert any("3.6 km from the tool" in text for text in result.summary["warnings"])
    assert not any("far" in text or "km" in text for text in warnings(load(MISS)))


@pytest.mark.parametrize("mode", ["fixed", "free-flying", "free-floating"])
@given(st.integers(0, 2**32 - 1))
def test_the_tool_never_gets_farther_than_is_said(mode: str, seed: int) -> None:
    """Whatever the joints do: from where the arm begins, or from the centre of mass."""
    random = np.random.default_rng(seed)
    path, changes = (FLOOR, UNLIMITED) if seed % 2 else (MISSION, STAY | UNLIMITED)
    if mode == "free-floating" and path == MISSION:
        law = {"law": "match", "natural-frequency": 1.0}
        changes = UNLIMITED | {"approach.meet": {"at": 12}, "approach.control": law}
    start = load(path, {**changes, "chaser.mode": mode}).start
    reach = reach_at(start, 12.0)
    assert reach is not None
    chaser, q = start.chaser, np.array(start.chaser_coordinates, float)
    for joint in chaser.movable_joints:
        q[chaser.node(joint.child).coordinates] = random.uniform(-np.pi, np.pi)
    tool = frame_pose(chaser, q, start.tool).position
    if mode == "free-floating":
        away = tool - percuss.center_of_mass(chaser, q)
    else:
        first = chaser.movable_joints[0]
        away = tool - frame_pose(chaser, q, first.parent).act(first.placement.position)
    size = float(np.linalg.norm(np.array(away.array(), float)))
    assert reach.least - 1e-9 <= size <= reach.most + 1e-9


def test_check_says_that_a_sliding_tool_has_no_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Infinity is no number in JSON, and no length in a sentence."""
    path = tmp_path / "s.yaml"
    path.write_text(
        "chaser: {base: {shape: disk, mass: 9, radius: 1}, arm: [{joint: prismatic, mass: 1, "
        "length: 1}, {length: 1, mass: 1}]}\n"
        "target: {shape: disk, mass: 5, radius: 1, contact: {angle: 0}}\n"
        "impact: {closure: pin}\nduration: 1 s\n"
    )
    assert percuss_command(monkeypatch, "check", path) == 0
    assert "reach of the tool 'tool': without bound from joint 'joint1'" in capsys.readouterr().out
    assert percuss_command(monkeypatch, "check", path, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["reach"] == {"from": "joint1", "most": None}


@pytest.mark.parametrize("x", [1.25, 1.3])
def test_a_tool_at_the_end_of_its_reach_misses(x: float) -> None:
    """Distances alone do not forbid it: a base that floats might have come nearer."""
    beyond = load(FLOOR, {"target.position": [x, -0.35]})
    assert unreachable(beyond.encounter) is None
    with pytest.raises(
        SimulationError, match=r"misses the contact point by .* stretched to (99|100)"
    ):
        percuss.run(beyond)


@pytest.mark.parametrize("mode", ["free-floating", "attitude-controlled"])
@pytest.mark.parametrize("base", ["stay", "move"])
def test_check_refuses_joints_planned_ahead_on_a_base_that_drifts(mode: str, base: str) -> None:
    """Where the base will be depends on the way there: `run` cannot plan it either."""
    settings = {
        "chaser.mode": mode,
        "approach.control": "{law: computed-torque, natural-frequency: 3}",
        "control": "{law: none}",
    }
    if base == "move":
        settings["approach.meet.base"] = base
    found = unreachable(load(FLOOR, settings).encounter)
    assert found is not None
    assert found.startswith("the base of")
    assert "moves as momentum demands" in found
