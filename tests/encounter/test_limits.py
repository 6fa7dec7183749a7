"""Joints against their own limits: what a run tells about torque, rate, position and impact."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import percuss
from percuss.model.library.registry import entry
from percuss.scenario import loads, with_overrides

ROOT = Path(__file__).parents[2]
FLYING = ("ssrms-htv", "srms-hubble", "ets-vii", "e-deorbit")

PLANAR = """
name: limits
chaser:
  base: {shape: disk, mass: 100, radius: 1.0}
  mode: free-floating
  arm:
    - {length: 2.0, mass: 10, torque: 50, limits: {lower: -0.5, upper: 0.5, speed: 0.2}}
    - {length: 3.0, mass: 10}
  angle: 90 deg
  joints: [0.3, -0.8]
target:
  shape: disk
  mass: 15
  radius: 1.0
  contact: {angle: 0.5}
  velocity: {linear: [-0.2, 0.1], angular: 0}
impact: {closure: weld}
duration: 5 s
"""


def summary(changes: dict[str, Any] | None = None, text: str = PLANAR) -> dict[str, Any]:
    """Of a run of a scenario text with changes."""
    return percuss.run(with_overrides(loads(text), changes or {})).summary


@pytest.mark.parametrize("name", FLYING)
def test_flying_arms_are_within_their_limits(name: str) -> None:
    result = percuss.run(percuss.load(ROOT / "scenarios" / f"{name}.yaml"))
    found = result.summary
    limits = found["limits"]
    assert found["status"] == "captured"
    assert found["warnings"] == []
    assert limits["holds"]
    assert limits["verdict"].startswith("holds; closest is ")
    # As in the record of the run, which has fewer samples.
    data = result.data
    names = [str(joint) for joint in data["coordinate"].values]
    rates = [str(joint) for joint in data["rate"].values]
    for joint, use in limits["joints"].items():
        at, rate = names.index(joint), rates.index(joint)
        moved = data["coordinates"].values[:, at]
        assert use["position"]["lowest"] == pytest.approx(moved.min(), abs=1e-5)
        assert use["position"]["highest"] == pytest.approx(moved.max(), abs=1e-5)
        assert use["rate"]["peak"] == pytest.approx(
            np.abs(data["rates"].values[:, rate]).max(), rel=1e-4
        )
        assert use["effort"]["peak"] <= use["effort"]["limit"]
        assert use["rate"]["share"] == pytest.approx(use["rate"]["peak"] / use["rate"]["limit"])
        jolt = use["impact"]
        assert jolt["rate_jump"] == pytest.approx(abs(jolt["rate_after"] - jolt["rate_before"]))
        reaction = found["impact"]["joint_reactions"][joint]
        assert jolt["force"] == pytest.approx(reaction["magnitude"])
        assert jolt["moment"] == pytest.approx(np.linalg.norm(reaction["moment"]))


def test_an_arm_that_is_hit_out_of_step_exceeds_its_rates() -> None:
    """The rate after the jump is judged, not a force that an instantaneous impact does not have."""
    scenario = percuss.load(
        ROOT / "scenarios" / "e-deorbit.yaml",
        {"chaser.velocity": {}, "control": {"law": "none"}, "duration": "1 s"},
    )
    limits = percuss.run(scenario).summary["limits"]
    assert not limits["holds"]
    assert limits["verdict"].startswith("exceeds: wrist_roll rate 0.254 rad/s of 0.175 rad/s")
    wrist = limits["joints"]["wrist_roll"]
    assert not wrist["rate"]["holds"]
    assert wrist["rate"]["peak"] == pytest.approx(abs(wrist["impact"]["rate_after"]), rel=1e-9)


def test_only_joints_with_limits_are_told() -> None:
    limits = summary()["limits"]
    assert list(limits["joints"]) == ["joint1"]
    unlimited = PLANAR.replace(", torque: 50, limits: {lower: -0.5, upper: 0.5, speed: 0.2}", "")
    assert summary(text=unlimited)["limits"] is None


def test_every_kind_of_limit_is_judged_alone() -> None:
    narrow = summary({"chaser.arm[1].limits": {"lower": 0.29, "upper": 0.31}})["limits"]
    assert not narrow["holds"]
    assert "joint1 position " in narrow["verdict"]
    assert "(0.29 to 0.31 rad)" in narrow["verdict"]
    use = narrow["joints"]["joint1"]
    assert use["rate"] == {**use["rate"], "limit": None, "share": None, "holds": True}
    assert not use["position"]["holds"]
    wide = summary({"chaser.arm[1].limits": {"upper": 10.0}})["limits"]
    assert wide["holds"]
    assert wide["joints"]["joint1"]["position"]["lower"] is None
    half = summary({"chaser.arm[1].limits": {"upper": 0.301}})["limits"]
    assert half["holds"] == (half["joints"]["joint1"]["position"]["highest"] <= 0.301)
    slow = summary({"chaser.arm[1].limits": {"speed": 1e-3}})["limits"]
    assert "joint1 rate " in slow["verdict"]


def test_a_motor_beyond_the_models_limit_is_said() -> None:
    """The scenario may allow the actuators more than the joint bears."""
    drive = {"law": "computed-torque", "natural-frequency": 3.0, "limits": {"joints": 5000}}
    limits = summary({"control": drive, "chaser.arm[1].torque": 2.0})["limits"]
    effort = limits["joints"]["joint1"]["effort"]
    assert effort["limit"] == 2.0
    assert effort["peak"] > 2.0
    assert not effort["holds"]
    assert "joint1 torque" in limits["verdict"]


def test_a_motor_at_its_limit_holds() -> None:
    changes = {
        "control": {"law": "pd", "kp": 500, "kd": 500},
        "chaser.arm[1].torque": 2.0,
        "chaser.arm[1].limits": {"speed": 10.0},
        "duration": "1 s",
    }
    limits = summary(changes)["limits"]
    assert limits["joints"]["joint1"]["effort"]["peak"] == pytest.approx(2.0)
    assert limits["verdict"] == "holds; closest is joint1 torque, at its limit"


def test_page_and_terminal_show_the_verdict(tmp_path: Path) -> None:
    path = tmp_path / "limits.yaml"
    path.write_text(PLANAR, encoding="utf-8")
    out = tmp_path / "out"
    shown = subprocess.run(
        [sys.executable, "-m", "percuss", "run", str(path), "--out", str(out)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    saved = json.loads((out / "summary.json").read_text(encoding="utf-8"))["limits"]
    words = saved["verdict"].split()[:4]
    assert "Against the joints' limits" in shown
    assert " ".join(words) in " ".join(shown.split())
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "Against the joints" in page
    assert saved["verdict"] in page


def test_usual_posture_in_a_scenario() -> None:
    scenario = percuss.load(ROOT / "scenarios" / "srms-hubble.yaml", {"duration": "1 s"})
    names = percuss.run(scenario).data["coordinate"].values.tolist()
    start = percuss.run(scenario).data["coordinates"].values[0]
    posture = entry("srms").posture
    for joint, angle in posture.items():
        assert start[names.index(joint)] == pytest.approx(angle, abs=1e-12)
    assert posture["shoulder_pitch"] == pytest.approx(math.radians(110))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"chaser.joints": "usul"}, "or the word usual with a robot of the library, got 'usul'"),
        ({"chaser.robot": "demo-6"}, "'demo-6' has no usual posture"),
    ],
)
def test_usual_posture_is_refused_where_there_is_none(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(percuss.ScenarioError, match=words):
        percuss.load(ROOT / "scenarios" / "srms-hubble.yaml", changes)
