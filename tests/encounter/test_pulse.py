"""A given force for a given time: the robot of the centre-of-percussion studies, and its axes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import percuss
from tests.encounter.encounters import assert_whole

COP = 2.5 / (20 * 0.3) + 0.3
"""Of link 2 from its joint: I_c / (m r_cm) beyond the centre of mass (m)."""
COP_1 = 3.33 / (30 * 0.3) + 0.3


def pushed(
    at: float,
    angle: float = math.pi / 2,
    *,
    first: float = 1.0,
    frame: str = "link",
    lasting: float = 0.01,
    size: float = 1000.0,
    **blocks: Any,
) -> percuss.Result:
    """1 kN for 10 ms on link 2, -F (cos φ, sin φ) in its axes; joint 2 at `first` on link 1."""
    chaser = {
        "base": {"mass": 300, "inertia": 50},
        "mount": [0.5, 0.5],
        "mode": "free-floating",
        "arm": [
            {"length": first, "mass": 30, "com": 0.3, "inertia": 3.33},
            {"length": 1.0, "mass": 20, "com": 0.3, "inertia": 2.5},
        ],
        "joints": ["-90 deg", "90 deg"],
        "tool": {"link": 2, "at": at},
    }
    force = [-size * math.cos(angle), -size * math.sin(angle)]
    impact = {"closure": "pulse", "force": force, "frame": frame, "duration": lasting}
    document = {"name": "pulse", "chaser": chaser, "impact": impact, "duration": 0.05} | blocks
    return percuss.run(percuss.Scenario(**document))


def reactions(result: percuss.Result, joint: str) -> np.ndarray:
    """|N| over the pulse (N)."""
    k = result.record.labels["joint"].index(joint)
    force = result.record["joint_reaction_force"][:, k]
    return np.linalg.norm(force[result.record["phase"] == 1], axis=1)


@pytest.mark.parametrize(("at", "wanted"), [(0.1, 800.7), (0.5, 281.3), (0.9, 238.1), (1.0, 367.9)])
def test_the_reaction_at_joint_2_at_onset(at: float, wanted: float) -> None:
    result = pushed(at)
    assert reactions(result, "joint2")[0] == pytest.approx(wanted, abs=0.05)
    assert_whole(result)


def test_at_the_centre_of_percussion_the_joint_feels_next_to_nothing() -> None:
    result = pushed(COP)
    felt = reactions(result, "joint2")
    assert felt[0] < 1e-9, "a reaction at onset"
    assert felt.max() == pytest.approx(3.84, abs=0.005)
    peaks = result.summary["peak"]["joint_reaction"]
    assert peaks["joint2"] >= felt.max() * (1 - 1e-9)
    oblique = reactions(pushed(COP, math.radians(60)), "joint2")
    assert oblique[0] == pytest.approx(115.0, abs=0.05)


@pytest.mark.parametrize("angle", [30, 60, 90, 140])
def test_joint_2_at_the_centre_of_percussion_of_link_1_spares_joint_1(angle: float) -> None:
    result = pushed(COP, math.radians(angle), first=COP_1)
    assert reactions(result, "joint1")[0] < 1e-9


def test_the_impulse_in_world_axes_is_force_times_time() -> None:
    result = pushed(0.8, math.radians(70), frame="world", lasting=0.2, size=300.0)
    wanted = -300.0 * 0.2 * np.array([math.cos(math.radians(70)), math.sin(math.radians(70))])
    impact = result.summary["impact"]
    np.testing.assert_allclose(impact["impulse"], wanted, rtol=1e-12)
    gained = np.subtract(impact["linear_momentum"]["after"], impact["linear_momentum"]["before"])
    np.testing.assert_allclose(gained, wanted, rtol=1e-11)
    assert impact["duration"] == pytest.approx(0.2, abs=1e-15)
    assert result.summary["status"] == "pushed"
    assert f"{np.linalg.norm(wanted):.4g} N s" in result.summary["outcome"]
    during = result.record["phase"] == 1
    np.testing.assert_allclose(
        result.record["contact_force"][during], [wanted / 0.2] * during.sum()
    )
    assert_whole(result)


def test_a_force_in_the_links_axes_turns_with_the_link() -> None:
    lasting, size = 0.3, 400.0
    result = pushed(1.0, lasting=lasting, size=size)
    record = result.record
    during = record["phase"] == 1
    q = record["coordinates"][during]
    turned = q[:, 2] + q[:, 3] + q[:, 4]
    wanted = size * np.stack([np.sin(turned), -np.cos(turned)], axis=1)
    assert np.ptp(turned) > 0.5, "the link hardly turns"
    np.testing.assert_allclose(record["contact_force"][during], wanted, atol=1e-9 * size)
    from scipy.interpolate import CubicSpline

    time = record.time[during]
    impulse = CubicSpline(time, wanted).integrate(time[0], time[-1])
    np.testing.assert_allclose(result.summary["impact"]["impulse"], impulse, atol=1e-7)
    fixed = pushed(1.0, frame="world", lasting=lasting, size=size)
    apart = np.subtract(fixed.summary["impact"]["impulse"], impulse)
    assert np.linalg.norm(apart) > 1.0, "world and link axes give the same"
    assert_whole(result)


def test_a_pulse_needs_no_target_and_has_none() -> None:
    result = pushed(0.5)
    summary = result.summary
    assert summary["final"]["target"] is None
    assert summary["impact"]["target_velocity"] is None
    assert summary["approach"] is None
    assert summary["contact"]["law"] == "pulse"
    (touch,) = summary["contact"]["touches"]
    assert touch["peak_force"] == pytest.approx(1000.0, rel=1e-12)
    assert (touch["begin"], touch["duration"]) == (0.0, pytest.approx(0.01, abs=1e-15))
    assert summary["stabilisation"] is None
    assert not any(name.startswith("target") for name in result.record.variables)
    assert [phase["name"] for phase in summary["phases"]] == ["contact", "after"]
    assert summary["final"]["time"] == pytest.approx(0.06, abs=1e-15)
    assert {track.owner for track in result.record.tracks} == {"chaser"}


def test_gravity_and_a_pulse_add_up() -> None:
    """The total mass is 350 kg: weight and pulse both go into the momentum."""
    g = np.array([0.3, -1.6])
    result = pushed(0.5, frame="world", lasting=0.1, gravity=g.tolist())
    impact = result.summary["impact"]
    gained = np.subtract(impact["linear_momentum"]["after"], impact["linear_momentum"]["before"])
    np.testing.assert_allclose(gained, np.array([0.0, -100.0]) + 350 * g * 0.1, rtol=1e-10)
    last = result.record["linear_momentum"][-1]
    np.testing.assert_allclose(last, np.array([0.0, -100.0]) + 350 * g * 0.15, rtol=1e-10)
    assert_whole(result)
    assert {law["state"] for law in result.summary["laws"]} == {"kept"}


@pytest.mark.parametrize("mode", ["fixed", "free-flying", "attitude-controlled"])
def test_every_base_can_be_pushed(mode: str) -> None:
    result = pushed(
        0.9,
        chaser={
            "robot": "percussion",
            "mode": mode,
            "joints": [-1.2, 1.5],
        },
        control={"law": "pd", "kp": 300, "kd": 80},
        duration=0.3,
        lasting=0.05,
    )
    assert result.summary["status"] == "pushed"
    assert_whole(result)


def test_joint_reactions_are_integrated_over_the_pulse() -> None:
    result = pushed(1.0)
    k = result.record.labels["joint"].index("joint2")
    during = result.record["phase"] == 1
    force = result.record["joint_reaction_force"][during, k]
    from scipy.integrate import simpson

    time = result.record.time[during]
    wanted = simpson(force, x=time, axis=0)
    found = result.summary["impact"]["joint_reactions"]["joint2"]["force"]
    np.testing.assert_allclose(found, wanted, atol=1e-6)
