"""Contact that gives way: closed forms, histories by other means, limits, and balances."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

import percuss
from percuss.impact import damping_for
from tests.encounter.contact_reference import Reference
from tests.encounter.encounters import COMING, assert_whole, run, scenario, spatial
from tests.encounter.scenes import THESIS, scene
from tests.studies import cases

MASS, STIFFNESS, DAMPING, SPEED = 31.6, 527.3, 14.0, 0.3
HEAVY = 105.0
"""Of a chaser that is pushed along its arm, through its centre of mass."""


def head_on(law: str, mass: float = MASS, **settings: Any) -> dict[str, Any]:
    """Two bodies that meet on the line of their centres: one reduced mass."""
    base = {key: value for key, value in COMING.items() if key != "approach"}
    target = {
        "shape": "disk",
        "mass": mass * HEAVY / (HEAVY - mass),
        "radius": 0.3,
        "contact": {"angle": "180 deg"},
        "angle": 0,
        "velocity": {"linear": [-SPEED, 0]},
    }
    impact = {"closure": "compliant", "law": law, "stiffness": STIFFNESS, "damping": DAMPING}
    return {**base, "target": target, "impact": impact | settings.pop("impact", {}), **settings}


def test_a_single_mass_on_a_linear_spring_and_damper() -> None:
    """The contact ends when it would begin to pull: e = 0.8481 after 0.7436 s."""
    result = percuss.run(percuss.Scenario(**head_on("linear", duration=1.5)))
    omega = math.sqrt(STIFFNESS / MASS)
    zeta = DAMPING / (2 * math.sqrt(STIFFNESS * MASS))
    damped = omega * math.sqrt(1 - zeta**2)
    lasts = (math.pi - 2 * math.asin(zeta)) / damped
    e = math.exp(-zeta * omega * lasts)
    (touch,) = result.summary["contact"]["touches"]
    assert touch["duration"] == pytest.approx(lasts, rel=1e-9)
    assert touch["restitution"] == pytest.approx(e, rel=1e-9)
    assert round(touch["duration"], 4) == 0.7436
    assert round(touch["restitution"], 4) == 0.8481
    # δ = (v/ω_d) e^(-ζωt) sin ω_d t; F = k δ + c δ̇ is largest where its derivative vanishes.
    when = (math.pi - 3 * math.asin(zeta) - math.pi / 2) / damped
    assert touch["peak_force"] == pytest.approx(
        MASS * SPEED * omega * math.exp(-zeta * omega * when), rel=1e-7
    )
    np.testing.assert_allclose(touch["impulse"], [-(1 + e) * MASS * SPEED, 0.0], atol=1e-8)
    lost = 0.5 * MASS * SPEED**2 * (1 - e**2)
    assert touch["energy_lost"] == pytest.approx(lost, rel=1e-8)
    time, gap = result.record.time, result.record["gap"]
    within = (time > 0.0) & (time < lasts)
    depth = SPEED / damped * np.exp(-zeta * omega * time) * np.sin(damped * time)
    np.testing.assert_allclose(-gap[within], depth[within], atol=1e-11)
    assert_whole(result)


def test_a_single_mass_on_a_spring_that_also_pulls() -> None:
    """Until the spring has its length again: e = 0.8431 after 0.7702 s."""
    zeta = DAMPING / (2 * math.sqrt(STIFFNESS * MASS))
    lasts = math.pi / (math.sqrt(STIFFNESS / MASS) * math.sqrt(1 - zeta**2))
    result = percuss.run(percuss.Scenario(**head_on("bilateral", duration=lasts)))
    e = math.exp(-zeta * math.pi / math.sqrt(1 - zeta**2))
    assert (round(lasts, 4), round(e, 4)) == (0.7702, 0.8431)
    final = result.summary["final"]
    parting = final["target"]["linear"][0] - final["rates"][0]
    assert parting == pytest.approx(e * SPEED, rel=1e-9)
    assert result.record["distance"][-1] < 1e-11, "the spring has not its length again"
    assert result.summary["contact"]["surface"] == "spring between the points"
    assert_whole(result)


@pytest.mark.parametrize("law", ["linear", "hunt-crossley"])
@pytest.mark.parametrize("e", [0.2, 0.8, 1.0])
def test_the_restitution_asked_for_is_the_one_that_comes_out(law: str, e: float) -> None:
    base = head_on(law, duration=3.0)
    base["impact"] = {"closure": "compliant", "law": law, "stiffness": 2e4, "restitution": e}
    result = percuss.run(percuss.Scenario(**base))
    (touch,) = result.summary["contact"]["touches"]
    assert touch["restitution"] == pytest.approx(e, rel=1e-8)
    assert touch["energy_lost"] == pytest.approx(0.5 * MASS * SPEED**2 * (1 - e**2), abs=1e-8)
    assert_whole(result)


# --- against another integration ----------------------------------------------------------------


def disk_law(radius: float, k: float, c: float, mu: float, slip: float, exponent: float) -> Any:
    """Force on a point at the rim of a disk, or of a sphere, in its own axes."""

    def law(point: Any, velocity: Any) -> Any:
        far = np.linalg.norm(point)
        n = point / far
        depth, closing = radius - far, -velocity @ n
        if depth <= 0:
            return np.zeros(3)
        size = max(
            0.0, k * depth**exponent + c * depth ** (exponent if exponent > 1 else 0) * closing
        )
        sliding = velocity + closing * n
        return size * n - mu * size * sliding / np.sqrt(sliding @ sliding + slip**2)

    return law


@pytest.mark.parametrize(
    ("law", "friction", "velocity"),
    [("linear", 0.0, [0.0, -1.0]), ("hunt-crossley", 0.4, [-0.7, -0.8])],
    ids=["straight", "oblique with friction"],
)
def test_the_thesis_hit_against_another_integration(
    law: str, friction: float, velocity: Any
) -> None:
    k, c = 4e4, 150.0 if law == "linear" else 3e4
    impact: dict[str, Any] = {"closure": "compliant", "law": law, "stiffness": k, "damping": c}
    if friction:
        impact |= {"friction": friction, "slip-speed": 0.01}
    chosen = scene(
        THESIS,
        impact=impact,
        target__velocity={"linear": velocity, "angular": 0.3},
        chaser__joints=[0.3, -0.5],
        chaser__velocity={"joints": [0.05, -0.1]},
        duration=0.4,
        output={"samples": 61},
    )
    result = percuss.run(chosen)
    start = chosen.start
    reference = Reference(
        start.chaser,
        "link2",
        [3.0, 0.0, 0.0],
        15.0,
        7.5,
        disk_law(1.0, k, c, friction, 0.01, 1.0 if law == "linear" else 1.5),
    )
    y = np.concatenate(
        [start.chaser_coordinates, start.chaser_rates, start.target_coordinates, start.target_rates]
    )
    (touch,) = result.summary["contact"]["touches"]
    time = result.record.time
    within = time <= touch["end"]
    states = reference.history(y, time[within])
    force = np.array([reference.force(state)[0][:2] for state in states.T])
    seen = np.array([reference.force(state)[2] for state in states.T])
    depth = 1.0 - np.linalg.norm(seen, axis=1)
    record = result.record
    np.testing.assert_allclose(record["coordinates"][within], states[:5].T, atol=2e-10)
    np.testing.assert_allclose(record["rates"][within], states[5:10].T, atol=2e-9)
    np.testing.assert_allclose(record["target_velocity"][within], states[13:].T, atol=2e-9)
    np.testing.assert_allclose(-record["gap"][within], depth, atol=1e-10)
    ours = record["contact_force"][within]
    # The force of the linear law begins and ends with a step: not at its first and last time.
    np.testing.assert_allclose(ours[1:-1], force[1:-1], atol=1e-6 * np.abs(force).max())
    assert np.abs(force).max() > 100.0, "the case hardly pushes"
    assert touch["peak_force"] >= np.linalg.norm(force[1:-1], axis=1).max() * (1 - 1e-6)
    assert_whole(result)


def test_a_spatial_contact_against_another_integration(tmp_path: Path) -> None:
    k, c, mu, slip = 2e4, 6e3, 0.3, 0.02
    sphere = {
        "shape": "sphere",
        "mass": 25,
        "radius": 0.4,
        "inertia": {"xx": 1.5, "yy": 1.8, "zz": 1.2, "xy": 0.1, "xz": -0.1, "yz": 0.2},
        "contact": [-0.4, 0, 0],
        "velocity": {"linear": [-0.4, 0.2, 0.1], "angular": [0.5, -0.4, 0.8]},
    }
    impact = {"closure": "compliant", "stiffness": k, "damping": c, "friction": mu}
    impact["slip-speed"] = slip
    base = spatial(tmp_path, target=sphere, impact=impact, duration=0.3)
    del base["approach"]
    base["chaser"]["velocity"] = {"angular": [0.05, -0.1, 0.02], "joints": [0.1, -0.2]}
    chosen = percuss.Scenario(**base)
    result = percuss.run(chosen)
    start = chosen.start
    tensor = [[1.5, 0.1, -0.1], [0.1, 1.8, 0.2], [-0.1, 0.2, 1.2]]
    law = disk_law(0.4, k, c, mu, slip, 1.5)
    reference = Reference(start.chaser, "hand", [0.5, 0, 0], 25.0, tensor, law)
    y = np.concatenate(
        [start.chaser_coordinates, start.chaser_rates, start.target_coordinates, start.target_rates]
    )
    (touch,) = result.summary["contact"]["touches"]
    record = result.record
    within = record.time <= touch["end"]
    states = reference.history(y, record.time[within])
    force = np.array([reference.force(state)[0] for state in states.T])
    np.testing.assert_allclose(record["rates"][within], states[9:17].T, atol=1e-9)
    np.testing.assert_allclose(record["target_velocity"][within], states[24:].T, atol=1e-9)
    ours = record["contact_force"][within]
    np.testing.assert_allclose(ours, force, atol=1e-6 * np.abs(force).max())
    places = [reference.tool(state[:9], state[9:17])[0] for state in states.T]
    np.testing.assert_allclose(record["tool_position"][within], places, atol=1e-10)
    assert_whole(result)


# --- limits -------------------------------------------------------------------------------------


def turning_hit(impact: dict[str, Any], duration: float) -> percuss.Scenario:
    """A hit off the centres' line, so that arm, base and target all turn."""
    return scene(
        THESIS,
        impact=impact,
        chaser__joints=[0.3, -0.5],
        target__velocity={"linear": [-0.3, -1.0], "angular": 0.2},
        duration=duration,
        output={"samples": 3},
    )


def rate_of(errors: list[float], ratio: float) -> float:
    """The order p of errors that fall as stiffness^-p, from values at stiffnesses in a ratio."""
    return float(np.mean(-np.diff(np.log(errors)) / math.log(ratio)))


def test_a_stiff_contact_tends_to_the_bounce() -> None:
    """At a fixed damping ratio (restitution), the error falls as stiffness^-1/2."""
    bounced = percuss.run(turning_hit({"closure": "bounce", "restitution": 0.6}, 0.1)).summary
    errors = []
    for k in (1e6, 1e7, 1e8):
        impact = {"closure": "compliant", "law": "linear", "stiffness": k, "restitution": 0.6}
        summary = percuss.run(turning_hit(impact, 0.5 * 1e3 / math.sqrt(k))).summary
        found = summary["impact"]
        pairs = ("chaser_velocity", "target_velocity", "impulse")
        gaps = [np.subtract(found[name], bounced["impact"][name]) for name in pairs]
        errors.append(float(np.linalg.norm(np.concatenate(gaps))))
        assert len(summary["contact"]["touches"]) == 1
    rate = rate_of(errors, 10.0)
    assert rate == pytest.approx(0.5, abs=0.05), f"errors {errors}"
    assert errors[-1] < 2e-2


def test_a_stiff_spring_between_the_points_tends_to_the_pin() -> None:
    """Strongly damped: the state a fixed time later; the error falls as stiffness^-1/2."""
    pinned = percuss.run(turning_hit({"closure": "pin"}, 0.5)).summary["final"]
    errors = []
    for k in (1e5, 1e6, 1e7):
        c = damping_for("bilateral", 0.1, k, 10.0, 1.0)
        impact = {"closure": "compliant", "law": "bilateral", "stiffness": k, "damping": c}
        final = percuss.run(turning_hit(impact, 0.5)).summary["final"]
        gap = np.subtract(final["coordinates"], pinned["coordinates"])
        turn = final["target"]["angle"] - pinned["target"]["angle"]
        errors.append(float(np.linalg.norm([*gap, turn])))
    rate = rate_of(errors, 10.0)
    assert rate == pytest.approx(0.5, abs=0.1), f"errors {errors}"
    assert errors[-1] < 1e-3


# --- several touches ----------------------------------------------------------------------------


def pressed(law: str) -> percuss.Scenario:
    """Gravity presses the target onto a tool that the ground holds."""
    return scenario(
        head_on(law, duration=6.0, gravity=[-0.6, 0.0]),
        chaser__mode="fixed",
        impact__stiffness=5e3 if law == "linear" else 1e5,
        impact__damping=60.0 if law == "linear" else 1.2e5,
        control={"law": "pd", "kp": 500, "kd": 50},
    )


@pytest.mark.parametrize("law", ["linear", "hunt-crossley"])
def test_a_pressed_contact_touches_again_and_again(law: str) -> None:
    result = percuss.run(pressed(law))
    summary = result.summary
    touches = summary["contact"]["touches"]
    assert len(touches) > 2
    assert [impact["time"] for impact in summary["impacts"]] == [t["begin"] for t in touches]
    peaks = [touch["peak_force"] for touch in touches]
    assert peaks == sorted(peaks, reverse=True), "a touch pushes harder than the one before"
    for first, second in pairwise(touches):
        assert first["end"] <= second["begin"]
    names = [phase["name"] for phase in summary["phases"]]
    assert names[:3] == ["contact", "flight", "contact"]
    pushing = result.record["phase"] == 1
    assert (result.record["contact_force"][~pushing] == 0.0).all()
    assert summary["status"] == "bounced"
    assert f"{len(touches)} times" in summary["outcome"]
    assert_whole(result)


def test_points_that_part_do_not_touch() -> None:
    result = run(head_on("linear"), target__velocity__linear=[0.1, 0.0])
    assert result.summary["contact"]["touches"] == []
    assert result.summary["impact"] is None
    assert result.summary["outcome"] == "The points did not touch."


@pytest.mark.parametrize("law", ["linear", "hunt-crossley"])
def test_a_weight_laid_on_the_tool_rests_on_it(law: str) -> None:
    """Points that start together at rest: gravity presses them on each other, at once."""
    laid = percuss.Scenario(
        chaser={"mode": "fixed", "arm": [{"length": 1.0, "mass": 5}], "joints": [0]},
        target={
            "shape": "disk",
            "mass": 2,
            "radius": 0.2,
            "contact": {"angle": "-90 deg"},
            "angle": 0,
        },
        impact={"closure": "compliant", "law": law, "stiffness": 1e4, "damping": 50},
        control={"law": "computed-torque", "natural-frequency": 10},
        gravity=[0, -9.81],
        duration=0.1,
    )
    result = percuss.run(laid)
    assert result.record["gap"].min() > -0.03, "the disk goes through the tool"
    (touch,) = result.summary["contact"]["touches"]
    assert touch["begin"] == 0.0
    assert touch["end"] is None, "it still rests there"
    assert touch["impulse"][1] < -0.5 * 2 * 9.81 * 0.1
    assert "they still do" in result.summary["outcome"]


SOFT = {"closure": "compliant", "stiffness": 2e4, "damping": 100}


@pytest.mark.parametrize("law", ["linear", "hunt-crossley"])
@pytest.mark.parametrize("control", [{"law": "none"}, {"law": "ic2", "natural-frequency": 3}])
def test_points_at_rest_that_nothing_presses_are_refused(law: str, control: dict[str, Any]) -> None:
    resting = scene(THESIS, target__velocity={}, impact={**SOFT, "law": law}, control=control)
    with pytest.raises(percuss.ScenarioError, match=r"touch at rest .0 m/s., and nothing presses"):
        percuss.run(resting)


def test_points_at_rest_may_be_pressed_later() -> None:
    """A goal that is reached from rest presses nothing in the first instant."""
    goal = {"times": [0, 1], "joints": [[0, 0], [0.3, 0]]}
    control = {"law": "computed-torque", "natural-frequency": 5, "goal": goal}
    summary = percuss.run(
        scene(THESIS, target__velocity={}, impact=SOFT, control=control, duration=1)
    ).summary
    assert summary["status"] == "bounced"


@pytest.mark.sampled
@given(
    st.one_of(st.just(0.0), st.floats(-9.0, 0.0).map(lambda x: 10.0**x)),
    st.floats(2.0, 6.0).map(lambda x: 10.0**x),
    st.sampled_from(["linear", "hunt-crossley"]),
    st.sampled_from([{"damping": 50.0}, {"restitution": 0.6}]),
)
@hypothesis_settings(max_examples=cases(6, 12), deadline=None)
def test_grazing_contacts_give_a_result_or_a_reason(
    angle: float, stiffness: float, law: str, loss: dict[str, float]
) -> None:
    """The target slides past the tool at an angle (rad) to the tangent, down to none at all."""
    velocity = {"linear": [-math.cos(angle), -math.sin(angle)]}
    impact = {"closure": "compliant", "law": law, "stiffness": stiffness, **loss}
    grazing = scene(THESIS, target__velocity=velocity, impact=impact, duration=0.5)
    if angle == 0.0 and "restitution" in loss:
        with pytest.raises(percuss.ScenarioError, match="do not approach each other along"):
            percuss.run(grazing)
        return
    result = percuss.run(grazing)
    time = result.record["time"]
    assert (np.diff(time) >= 0.0).all()
    for touch in result.summary["contact"]["touches"]:
        assert touch["end"] is None or touch["end"] >= touch["begin"]
        assert abs(touch["impulse"][1]) <= 2.1 * 15 * math.sin(angle) + 1e-9
    assert_whole(result)


def test_what_a_spring_still_holds_is_not_lost() -> None:
    impact = {"closure": "compliant", "law": "bilateral", "stiffness": 1e3, "damping": 0}
    summary = percuss.run(scene(THESIS, impact=impact, duration=1.05)).summary
    assert summary["status"] == "held"
    (touch,) = summary["contact"]["touches"]
    assert abs(touch["energy_lost"]) < 1e-9
    assert summary["laws"][-1]["state"] == "kept"


def test_a_contact_too_soft_to_be_one_is_said() -> None:
    impact = {"closure": "compliant", "law": "linear", "stiffness": 1.0, "damping": 0.1}
    velocity = {"linear": [0, -1]}
    summary = percuss.run(
        scene(THESIS, impact=impact, target__velocity=velocity, duration=3)
    ).summary
    assert summary["contact"]["touches"][0]["restitution"] is None, "it came out on the other side"
    assert any("too soft" in warning for warning in summary["warnings"])
