"""Bounces until the grasp closes, and the other ways in which they end."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import percuss
from tests.encounter.encounters import ARM, COMING, assert_whole, scenario

KEEPS_COMING = {
    "contact": "surface",
    "timeout": 20,
    "meet": {"at": 6, "closing-speed": 0.08},
    "control": {"law": "match", "natural-frequency": 2.0},
}
REPEAT = {"below": 0.03, "then": "weld", "most": 20}


def bouncing(restitution: float = 0.5, friction: float = 0.2, **settings: Any) -> percuss.Scenario:
    """An arm that keeps closing in on a disk and bounces off it."""
    repeat = REPEAT | settings.pop("repeat", {})
    impact = {"closure": "bounce", "restitution": restitution, "repeat": repeat}
    if friction:
        impact["friction"] = friction
    return scenario(
        COMING,
        chaser=ARM,
        target__position=[1.72, 0.25],
        target__velocity={"linear": [-0.01, 0.005], "angular": 0.02},
        approach=KEEPS_COMING,
        impact=impact,
        duration=settings.pop("duration", 3),
        **settings,
    )


def alone(restitution: float, **settings: Any) -> percuss.Scenario:
    """A disk that falls onto a tool held by the ground: closed form."""
    repeat = {"below": 1e-3, "then": "pin", "most": 50} | settings.pop("repeat", {})
    base = {key: value for key, value in COMING.items() if key != "approach"}
    chaser = base["chaser"] | {"mode": "fixed"}
    target = {key: value for key, value in base["target"].items() if key != "position"}
    target |= {"velocity": {"linear": [-0.3, 0.0], "angular": 0.0}} | settings.pop("target", {})
    impact = {"closure": "bounce", "restitution": restitution, "repeat": repeat}
    control = {"law": "pd", "kp": 1e4, "kd": 1e3}
    document = base | {"chaser": chaser, "target": target, "impact": impact, "control": control}
    return percuss.Scenario(**(document | {"gravity": [-1.0, 0.0], "duration": 2} | settings))


def test_every_bounce_is_listed_and_slower_than_the_one_before() -> None:
    result = percuss.run(bouncing())
    summary = result.summary
    assert summary["status"] == "captured"
    impacts = summary["impacts"]
    assert [impact["closure"] for impact in impacts] == ["bounce"] * (len(impacts) - 1) + ["weld"]
    assert len(impacts) >= 3
    times = [impact["time"] for impact in impacts]
    assert times == sorted(times)
    assert times[0] == summary["approach"]["time"]
    flights = [phase for phase in summary["phases"] if phase["name"] == "flight"]
    assert [phase["end"] for phase in flights] == times[1:]
    for impact in impacts:
        assert impact["energy"]["after"] <= impact["energy"]["before"] * (1 + 1e-12)
        assert np.linalg.norm(impact["impulse"]) > 0
    speeds = [impact["normal_speed"] for impact in impacts[:-1]]
    assert all(a > b > 0 for a, b in pairwise(speeds)), f"speeds {speeds}"
    last = float(np.linalg.norm(impacts[-1]["relative_velocity"]))
    assert last < 0.03 <= float(np.linalg.norm(impacts[-2]["relative_velocity"]))
    assert f"after {len(impacts) - 1} bounces" in summary["outcome"]
    gap = result.record["gap"]
    assert np.nanmin(gap) > -1e-11, f"the tool is {-np.nanmin(gap):.1e} m inside the target"
    assert_whole(result)


def test_then_pin_leaves_the_target_free_to_turn() -> None:
    result = percuss.run(bouncing(repeat={"then": "pin"}))
    assert result.summary["impacts"][-1]["closure"] == "pin"
    assert result.summary["impacts"][-1]["moment"] is None
    after = result.record["phase"] == 2
    moment = result.record["grasp_moment"][after]
    moment = moment[np.isfinite(moment)]
    assert np.abs(moment).max() < 1e-12, "a pin passes a moment on"
    assert_whole(result)


def test_a_falling_disk_bounces_as_in_the_textbook() -> None:
    """Speeds fall by e at each bounce, flights last 2 v/g; no joint takes any of it."""
    e, g, v = 0.6, 1.0, 0.3
    result = percuss.run(alone(e))
    summary = result.summary
    assert summary["status"] == "captured"
    bounces = summary["impacts"][:-1]
    time, speed = 0.0, v
    assert len(bounces) == 12, "the grasp closes below 1 mm/s: 0.3·0.6^12 = 0.65 mm/s"
    for impact in bounces:
        assert impact["time"] == pytest.approx(time, abs=1e-11)
        assert impact["normal_speed"] == pytest.approx(speed, rel=1e-8)
        np.testing.assert_allclose(
            impact["impulse"], [-20 * (1 + e) * speed, 0], rtol=1e-8, atol=1e-8
        )
        lost = impact["energy"]["before"] - impact["energy"]["after"]
        assert lost == pytest.approx(10 * speed**2 * (1 - e**2), rel=1e-7)
        speed *= e
        time += 2 * speed / g
    assert summary["impacts"][-1]["time"] == pytest.approx(time, abs=1e-11)
    assert_whole(result)


def test_restitution_zero_closes_after_one_impact() -> None:
    """Nothing of the normal speed is left, and no sliding: the grasp can close at once."""
    summary = percuss.run(alone(0.0)).summary
    assert summary["status"] == "captured"
    assert [impact["closure"] for impact in summary["impacts"]] == ["bounce", "pin"]
    assert summary["impacts"][1]["time"] == 0.0
    assert np.linalg.norm(summary["impacts"][1]["relative_velocity"]) < 1e-12


@pytest.mark.parametrize("restitution", [0.0, 0.5, 0.9])
def test_bounces_that_pile_up_end_with_a_clear_status(restitution: float) -> None:
    """Without friction the disk slides along the tool for good: the grasp can never close."""
    sliding = {"velocity": {"linear": [-0.3, 0.1], "angular": 0.0}}
    limit = {"below": 0.02, "most": 1000}
    result = percuss.run(alone(restitution, target=sliding, repeat=limit, duration=10))
    summary = result.summary
    assert summary["status"] == "accumulated"
    assert "pile up" in summary["outcome"]
    assert "More friction" in summary["outcome"]
    count = len(summary["impacts"])
    speeds = [impact["normal_speed"] for impact in summary["impacts"]]
    assert all(a > b for a, b in pairwise(speeds))
    assert count < 1000
    assert all(impact["closure"] == "bounce" for impact in summary["impacts"])
    # The run ends where nothing is left of the last bounce.
    after = summary["final"]["time"] - summary["impacts"][-1]["time"]
    assert 0.0 <= after < 1e-4
    assert_whole(result)


def test_as_many_bounces_as_allowed_leave_it_unfinished() -> None:
    result = percuss.run(alone(0.9, repeat={"most": 4}))
    assert result.summary["status"] == "unfinished"
    assert len(result.summary["impacts"]) == 4
    assert "4 bounces" in result.summary["outcome"]
    assert_whole(result)


def test_a_target_that_never_comes_back_has_bounced() -> None:
    result = percuss.run(alone(0.7, gravity=[0.0, 0.0]))
    assert result.summary["status"] == "bounced"
    assert len(result.summary["impacts"]) == 1
    assert result.summary["final"]["time"] == 2.0
    assert result.summary["outcome"] == "Not captured: tool and target touched once at 0 s."
    assert_whole(result)


def test_a_first_touch_slow_enough_closes_without_a_bounce() -> None:
    result = percuss.run(bouncing(repeat={"below": 0.5}))
    assert [impact["closure"] for impact in result.summary["impacts"]] == ["weld"]
    assert result.summary["status"] == "captured"
