"""Encounters as a whole: phases that fit together, and the same answers by every method."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import percuss
from tests.encounter.encounters import ARM, COMING, CUBE, assert_whole, run, scenario, spatial
from tests.encounter.test_repeat import bouncing

MEETS = {
    "capture-radius": 0.02,
    "timeout": 9,
    "observe": 1,
    "meet": {"at": 5, "closing-speed": 0.03},
    "control": {"law": "match", "natural-frequency": 2.0},
}


def catch(**settings: Any) -> percuss.Scenario:
    """An arm that goes to meet a turning disk, and holds it."""
    return scenario(
        COMING,
        **{
            "chaser": ARM,
            "target__position": [1.72, 0.25],
            "target__angle": 7.0,
            "target__contact": {"angle": -7.0 + np.pi},
            "target__velocity": {"linear": [-0.01, 0.005], "angular": 0.05},
            "approach": MEETS,
            "control": {"law": "detumble", "time-constant": 2.0},
            "duration": 4,
            **settings,
        },
    )


def at_contact(result: percuss.Result) -> int:
    """The first sample after the contact."""
    return int(np.searchsorted(result.record.time, result.summary["impact"]["time"]))


@pytest.mark.parametrize("closure", ["pin", "weld"])
def test_a_grasp_moves_nothing_and_jumps_only_in_velocity(closure: str) -> None:
    result = percuss.run(catch(impact__closure=closure))
    assert result.summary["status"] == "captured"
    record, k = result.record, at_contact(result)
    assert record["phase"][k - 1] == 0
    assert record["phase"][k] == 2
    assert record.time[k - 1] == np.nextafter(record.time[k], -np.inf)
    for name in ("coordinates", "target_position", "target_angle", "tool_position"):
        jump = np.abs(record[name][k] - record[name][k - 1]).max()
        assert jump < 1e-12, f"{name} jumps by {jump:.1e} at the grasp"
    for name in ("linear_momentum", "angular_momentum"):
        jump = np.abs(record[name][k] - record[name][k - 1]).max()
        assert jump < 1e-12, f"{name} jumps by {jump:.1e} at the grasp"
    assert np.abs(record["rates"][k] - record["rates"][k - 1]).max() > 1e-4
    assert record["energy"][k] < record["energy"][k - 1]
    assert record["target_angle"][0] == pytest.approx(7.0, abs=1e-12), "full turns are forgotten"
    # The point of the target at the tool stays there: 2 cm from the nominal contact point.
    angle = record["target_angle"]
    arm = record["tool_position"] - record["target_position"]
    c, s = np.cos(angle), np.sin(angle)
    own = np.stack([c * arm[:, 0] + s * arm[:, 1], -s * arm[:, 0] + c * arm[:, 1]], axis=1)
    assert np.abs(own[k:] - own[k]).max() < 1e-9, "the tool leaves the point that it holds"
    assert np.linalg.norm(own[k] - 0.3 * np.array([np.cos(np.pi - 7), np.sin(np.pi - 7)])) == (
        pytest.approx(0.02, abs=1e-10)
    )
    assert_whole(result)


def test_the_impulse_is_what_each_body_gains() -> None:
    chosen = catch(impact__closure="pin")
    result = percuss.run(chosen)
    record, k = result.record, at_contact(result)
    impulse = np.array(result.summary["impact"]["impulse"])
    speed = record["target_velocity"]
    np.testing.assert_allclose(20.0 * (speed[k] - speed[k - 1])[:2], -impulse, atol=1e-11)
    arm = record["tool_position"][k] - record["target_position"][k]
    turned = 0.5 * 20 * 0.3**2 * (speed[k] - speed[k - 1])[2]
    assert turned == pytest.approx(-(arm[0] * impulse[1] - arm[1] * impulse[0]), abs=1e-11)
    own = [
        percuss.momentum(chosen.start.chaser, record["coordinates"][i], record["rates"][i])
        for i in (k - 1, k)
    ]
    gained = np.subtract(own[1].linear.array(), own[0].linear.array())
    np.testing.assert_allclose(gained[:2], impulse, atol=1e-11)


def test_the_summary_tells_the_approach() -> None:
    result = percuss.run(catch())
    told = result.summary["approach"]
    assert told["touched"]
    assert told["by"] == "point"
    k = at_contact(result)
    assert told["time"] == result.record.time[k]
    assert told["closest"]["distance"] == pytest.approx(0.02, abs=1e-9)
    assert told["meet"]["at"] == 5.0
    arm = result.record["tool_position"][k] - result.record["target_position"][k]
    relative = np.array(told["relative_velocity"])
    np.testing.assert_allclose(relative, result.summary["impact"]["relative_velocity"], atol=1e-12)
    assert told["relative_speed"] == pytest.approx(float(np.linalg.norm(relative)), rel=1e-12)
    assert told["relative_speed"] == pytest.approx(0.03, abs=0.005)
    assert np.linalg.norm(arm) > 0.2
    names = [(phase["name"], phase["phase"]) for phase in result.summary["phases"]]
    assert names == [("observe", 0), ("approach", 0), ("after", 2)]


# --- momentum and clocks ------------------------------------------------------------------------


@pytest.mark.parametrize("law", ["match", "hold-tool"])
def test_a_free_floating_chaser_keeps_its_momentum(law: str) -> None:
    meet = {"meet": {"at": 8, "closing-speed": 0.02}} if law == "match" else {}
    control = {"law": law, "natural-frequency": 1.5}
    chosen = scenario(
        COMING,
        chaser=ARM | {"velocity": {"linear": [0.01, -0.005], "angular": 0.01}},
        target__position=[1.7, 0.25],
        target__velocity={"linear": [-0.005, 0.01], "angular": 0.05},
        approach={"capture-radius": 0.01, "timeout": 12, "observe": 1, "control": control, **meet},
        impact__closure="weld",
    )
    result = percuss.run(chosen)
    own = chosen.start.chaser
    before = result.record["phase"] == 0
    pairs = zip(result.record["coordinates"][before], result.record["rates"][before], strict=True)
    momenta = np.array([percuss.momentum(own, q, v).array() for q, v in pairs])
    drift = np.abs(momenta - momenta[0]).max()
    assert np.abs(result.record["control"][before]).max() > 1e-3, "the law does nothing"
    assert drift < 1e-10, f"motors alone change the chaser's momentum by {drift:.1e}"
    if law == "match":
        assert result.summary["status"] == "captured"
        assert result.summary["approach"]["time"] == pytest.approx(8.0, abs=0.6)


def test_observing_does_not_touch_the_target_and_is_a_phase(tmp_path: Path) -> None:
    base = spatial(tmp_path, approach={"capture-radius": 0.02, "timeout": 5, "observe": 2})
    names = [phase["name"] for phase in run(base).summary["phases"]]
    assert names == ["observe", "approach"]
    near = {**CUBE, "position": [1.59, 0.05, -0.02], "orientation": {"rpy": [0, 0, 0]}}
    hit = run(base, target=near)
    assert hit.summary["phases"][0]["name"] == "observe"


# --- the same by every method -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "close"),
    [
        ({"method": "dormand-prince"}, 1e-7),
        # The law changes at the very time of the first contact: a fixed step sees that late.
        ({"method": "rk4", "step": 5e-3}, 2e-5),
        ({"method": "dop853", "relative-tolerance": 1e-12}, 1e-8),
    ],
    ids=["dormand-prince", "rk4", "closer dop853"],
)
def test_approach_bounces_and_grasp_are_the_same_by_every_method(method: Any, close: float) -> None:
    wanted = percuss.run(bouncing(duration=2)).summary
    result = percuss.run(bouncing(duration=2, integration=method))
    found = result.summary
    assert found["status"] == wanted["status"] == "captured"
    assert len(found["impacts"]) == len(wanted["impacts"])
    for ours, theirs in zip(found["impacts"], wanted["impacts"], strict=True):
        assert ours["time"] == pytest.approx(theirs["time"], abs=close)
        np.testing.assert_allclose(ours["impulse"], theirs["impulse"], atol=1e2 * close)
    for name in ("coordinates", "rates"):
        np.testing.assert_allclose(
            found["final"][name], wanted["final"][name], atol=1e2 * close, err_msg=name
        )
    assert_whole(result, 1e-6)


LAW = """
import numpy as np

def law(t, q, v, memory):
    pull = np.array([0.0, 0.0, 0.0, 0.35, -0.2]) * np.sin(0.8 * t)
    return pull - 2.0 * np.concatenate([np.zeros(3), v[3:5]]), memory
"""


def with_law(period: float | None, method: dict[str, Any]) -> percuss.Scenario:
    """A scenario of the current folder, where its law is."""
    Path("law.py").write_text(LAW)
    control: dict[str, Any] = {"law": "python", "file": "law.py"}
    if period is not None:
        control["period"] = period
    return scenario(
        COMING,
        chaser=ARM,
        target__position=[1.75, 0.25],
        target__velocity={"linear": [-0.05, 0.0], "angular": 0.02},
        approach={"contact": "surface", "timeout": 9, "control": control},
        impact={"closure": "weld"},
        control=control,
        integration=method,
        duration=2,
    )


def final_of(chosen: percuss.Scenario) -> np.ndarray:
    result = percuss.run(chosen, allow_code=True)
    summary = result.summary
    assert summary["status"] == "captured", summary["outcome"]
    assert_whole(result, 1e-6)
    return np.array([summary["impact"]["time"], *summary["final"]["coordinates"]])


def test_a_sampled_law_of_a_user_drives_every_phase(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By each method the same, and ever nearer to the law without samples."""
    monkeypatch.chdir(tmp_path)
    exact = final_of(with_law(None, {"method": "dop853"}))
    kernel = final_of(with_law(0.02, {"method": "dop853"}))
    fixed = final_of(with_law(0.02, {"method": "rk4", "step": 5e-3}))
    np.testing.assert_allclose(kernel, fixed, atol=1e-8)
    coarse = final_of(with_law(0.04, {"method": "dormand-prince"}))
    ratio = np.linalg.norm(coarse - exact) / np.linalg.norm(kernel - exact)
    assert ratio == pytest.approx(2.0, abs=0.15), "sampling and holding is of first order"


@pytest.mark.parametrize("method", [{"method": "dormand-prince"}, {"method": "rk4", "step": 1e-2}])
def test_a_spatial_encounter_is_the_same_by_every_method(tmp_path: Path, method: Any) -> None:
    base = spatial(tmp_path, impact={"closure": "bounce", "restitution": 0.6})
    near = {
        "target__position": [1.7, 0.06, 0.0],
        "target__velocity": {"linear": [-0.05, 0.0, 0.0], "angular": [0.02, 0.05, -0.04]},
        "approach": {"contact": "surface", "timeout": 9},
    }
    wanted = percuss.run(scenario(base, **near)).summary
    found = percuss.run(scenario(base, **near, integration=method)).summary
    assert found["impact"]["time"] == pytest.approx(wanted["impact"]["time"], abs=1e-8)
    np.testing.assert_allclose(found["impact"]["normal"], wanted["impact"]["normal"], atol=1e-8)
    np.testing.assert_allclose(
        found["final"]["coordinates"], wanted["final"]["coordinates"], atol=1e-8
    )


@pytest.mark.parametrize("method", [{"method": "dormand-prince"}, {"method": "rk4", "step": 1e-3}])
def test_a_compliant_contact_is_the_same_by_every_method(method: Any) -> None:
    impact = {"closure": "compliant", "law": "linear", "stiffness": 2000, "restitution": 0.4}
    settings = {"impact": impact, "control": {"law": "none"}, "duration": 1}
    wanted = percuss.run(catch(**settings)).summary
    result = percuss.run(catch(**settings, integration=method))
    found = result.summary
    assert len(found["contact"]["touches"]) == len(wanted["contact"]["touches"]) > 0
    for ours, theirs in zip(found["contact"]["touches"], wanted["contact"]["touches"], strict=True):
        assert ours["begin"] == pytest.approx(theirs["begin"], abs=1e-7)
        if theirs["end"] is not None:
            assert ours["end"] == pytest.approx(theirs["end"], abs=1e-6)
            assert ours["restitution"] == pytest.approx(theirs["restitution"], abs=1e-6)
    np.testing.assert_allclose(found["final"]["rates"], wanted["final"]["rates"], atol=1e-6)
    assert_whole(result, 1e-6)
