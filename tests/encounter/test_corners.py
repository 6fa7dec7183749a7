"""Corners that a careful user reaches: peaks, turns of angles, limits, sampled times, NaN."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import percuss
from percuss.control import user_law
from percuss.control.plant import Plant
from percuss.encounter.closures import Pin
from percuss.encounter.failure import SimulationError
from percuss.impact import pin
from percuss.scenario.simulation import simulate
from tests.encounter.scenes import THESIS, TRACKING, scene
from tests.impact.captures import thesis

RINGING = {"law": "computed-torque", "natural-frequency": 8, "damping-ratio": 0.1}


def test_a_longer_run_has_no_smaller_peak() -> None:
    peaks = [
        percuss.run(scene(THESIS, impact__closure="weld", control=RINGING, duration=duration))
        for duration in (20, 400)
    ]
    short, long = (result.summary["peak"]["control"] for result in peaks)
    assert (np.array(long) >= np.array(short) * (1 - 1e-6)).all(), f"{short} s, {long}"


def test_peaks_of_saturated_commands_stay_at_the_limit() -> None:
    control = {"law": "pd", "kp": 200, "kd": 20, "limits": {"joints": 10}}
    result = percuss.run(scene(THESIS, control=control, duration=100))
    assert max(result.summary["peak"]["control"][3:]) == 10.0


def test_peaks_of_stepping_commands_are_the_steps() -> None:
    def stepping(_: Plant) -> Any:
        def law(t: Any, q: Any, v: Any, memory: Any) -> Any:
            del q
            return np.where(t > 0.9, 5.0, 1.0) + 0.0 * v[:5], memory

        return user_law(law, period=0.5)

    found = simulate(scene(THESIS, impact__closure="weld", duration=2.0), stepping)
    np.testing.assert_array_equal(found.peak_control, 5.0)


@pytest.mark.parametrize("closure", ["pin", "weld", "published", "bounce"])
@pytest.mark.parametrize("angle", [0.0, -math.pi / 2, 9.0])
def test_the_target_keeps_the_turns_it_was_given(closure: str, angle: float) -> None:
    impact = {"closure": closure} | ({"restitution": 0.5} if closure == "bounce" else {})
    result = percuss.run(scene(THESIS, impact=impact, target__angle=angle, duration=0.1))
    assert result.record["target_angle"][0] == pytest.approx(angle, abs=1e-12)


def test_a_fixed_base_keeps_the_turns_it_was_given() -> None:
    result = percuss.run(scene(THESIS, chaser__mode="fixed", chaser__angle=9.0, duration=0.1))
    assert result.summary["final"]["coordinates"][2] == 9.0


@pytest.mark.parametrize(("step", "samples"), [(1e-3, 501), (3e-3, 101), (0.3, 501)])
def test_samples_are_equally_spaced_with_fixed_steps(step: float, samples: int) -> None:
    chosen = scene(THESIS, integration={"method": "rk4", "step": step}, output={"samples": samples})
    result = percuss.run(chosen)
    np.testing.assert_allclose(result.record.time, np.linspace(0, 10, samples), atol=1e-12)
    assert result.summary["integration"]["steps"] == math.ceil(10 / step - 1e-9)


def test_nan_from_a_law_is_named() -> None:
    def broken(_: Plant) -> Any:
        return user_law(lambda t, q, v, m: (np.log(-1.0 - t) * v[:5], m))  # noqa: ARG005

    with pytest.raises(SimulationError, match=r"control law commands .*nan"):
        percuss.run(scene(THESIS), control=broken)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("    return missing * v[:5], memory\n", "NameError"),
        ("    if q[0] > 0:\n        return 0 * v[:5], memory\n", "cannot be compiled"),
        ("    return v[:3], memory\n", "the command must have 5 entries"),
    ],
)
def test_a_law_that_fails_is_explained(tmp_path: Path, body: str, said: str) -> None:
    (tmp_path / "law.py").write_text(f"def law(t, q, v, memory):\n{body}")
    text = f"{scene(THESIS).text}control: {{law: python, file: law.py}}\n"
    (tmp_path / "s.yaml").write_text(text)
    with pytest.raises((percuss.ScenarioError, ValueError), match=said):
        percuss.run(percuss.load(tmp_path / "s.yaml"), allow_code=True)


def test_joints_beyond_their_limits_are_reported() -> None:
    links = [dict(link) for link in THESIS["chaser"]["arm"]]
    links[0]["limits"] = {"lower": -0.01, "upper": 0.01, "speed": 0.05}
    result = percuss.run(scene(THESIS, chaser__arm=links, duration=2))
    (warning,) = [line for line in result.summary["warnings"] if "leave their limits" in line]
    assert "joint1 goes to" in warning
    assert "joint1 moves at" in warning


def test_a_bounce_that_would_touch_again_is_reported() -> None:
    impact = {"closure": "bounce", "restitution": 0.3}
    falling = scene(
        THESIS,
        impact=impact,
        chaser__mode="fixed",
        target__velocity__linear=[0, -1],
        gravity=[0, -1],
        duration=3,
    )
    warnings = percuss.run(falling).summary["warnings"]
    assert any("meet again" in line for line in warnings)
    apart = scene(THESIS, impact=impact, target__velocity__linear=[0, -1], duration=3)
    assert not any("meet again" in line for line in percuss.run(apart).summary["warnings"])


def test_what_a_controller_believes_is_said() -> None:
    tracking = TRACKING | {"believes": {"target.mass": 14}}
    result = percuss.run(scene(THESIS, control=tracking, duration=1))
    assert any("target.mass = 14" in line for line in result.summary["advice"])


def test_a_capture_on_a_line_through_the_origin_keeps_momentum() -> None:
    """Angular momentum is rounding there, and not to be judged by itself."""
    for mode in ("free-floating", "fixed"):
        for closure in ("pin", "weld"):
            result = percuss.run(
                scene(
                    THESIS,
                    chaser__mode=mode,
                    chaser__position=[0, 0],
                    target__velocity__linear=[0, -1],
                    impact__closure=closure,
                    duration=1,
                )
            )
            assert result.summary["warnings"] == [], f"{mode}, {closure}"


def test_a_joint_called_grasp_is_no_obstacle() -> None:
    contact = thesis()
    joints = [
        replace(joint, name="grasp") if joint.name == "joint2" else joint
        for joint in contact.chaser.joints
    ]
    renamed = replace(contact, chaser=replace(contact.chaser, joints=tuple(joints)))
    assembly = Pin().assembly_after(renamed, pin(renamed))
    assert assembly.grasp == "grasp 2"
    assert assembly.tree is not None
    assert assembly.tree.joint("grasp 2").child == "target"
