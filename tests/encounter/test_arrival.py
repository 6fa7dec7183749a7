"""The first contact beside its plan: said where it differs, silent where it does not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import percuss
from percuss.encounter.arrival import Arrival

SHIPPED = ("mission-3d", "air-bearing", "three-bounces")
EARLY = [("mission-3d", 0.1), ("mission-3d", 0.05), ("air-bearing", 0.02)]


def run(name: str, **changes: Any) -> percuss.Result:
    settings = {key.replace("__", ".").replace("_", "-"): value for key, value in changes.items()}
    return percuss.run(percuss.load(f"scenarios/{name}.yaml", {"duration": 0.1, **settings}))


@pytest.mark.parametrize("name", SHIPPED)
def test_a_plan_that_is_kept_is_not_talked_about(name: str) -> None:
    summary = run(name).summary
    arrival = summary["approach"]["arrival"]
    assert arrival["as_planned"]
    assert arrival["differences"] == []
    assert "plan" not in summary["outcome"]
    assert not any("planned" in text for text in summary["warnings"])


@pytest.mark.parametrize(("name", "radius"), EARLY)
def test_a_contact_before_its_plan_is_said(name: str, radius: float) -> None:
    """A wide capture radius closes the grasp on the way, before the tool has slowed down."""
    result = run(name, approach__capture_radius=radius)
    summary = result.summary
    approach, arrival = summary["approach"], summary["approach"]["arrival"]
    assert summary["status"] == "captured"
    assert not arrival["as_planned"]
    assert {"earlier", "faster", "more sideways"} >= set(arrival["differences"])
    assert "earlier" in arrival["differences"]
    assert arrival["time"] == {"planned": approach["meet"]["at"], "found": approach["time"]}
    said = [text for text in summary["warnings"] if "not as planned" in text]
    assert len(said) == 1
    assert f"before the planned {approach['meet']['at']:g} s" in said[0]
    assert "than planned" in summary["outcome"]
    assert any("not as planned" in text for text in summary["verdict"])
    assert "not as planned" in result.page()
    assert arrival["offset"]["found"] == pytest.approx(radius, rel=1e-9)


@pytest.mark.parametrize(("name", "radius"), EARLY)
def test_the_speeds_are_those_of_the_recorded_motion(name: str, radius: float) -> None:
    """The tool in the target's axes, differentiated: along the way to the centre, and across."""
    result = run(name, approach__capture_radius=radius)
    arrival, data = result.summary["approach"]["arrival"], result.data
    time = np.asarray(data["time"])
    use = np.flatnonzero(np.asarray(data["phase"]) == 0)[-9:]
    apart = np.asarray(data["tool_position"] - data["grip_position"])[use]
    if result.summary["planar"]:
        turn = Rotation.from_rotvec(np.outer(np.asarray(data["target_angle"])[use], [0, 0, 1]))
        apart = np.pad(apart, ((0, 0), (0, 1)))
    else:
        turn = Rotation.from_quat(np.asarray(data["target_orientation"])[use][:, [1, 2, 3, 0]])
    seen = turn.inv().apply(apart)
    contact = np.array([-0.6, 0.1, 0.2]) if name == "mission-3d" else np.array([-0.2, 0.0, 0.0])
    inward = -contact / np.linalg.norm(contact)
    t = time[use] - time[use][-1]
    fitted = np.polynomial.Polynomial.fit
    velocity = np.array([fitted(t, row, 6).deriv()(0.0) for row in seen.T])
    closing = float(velocity @ inward)
    across = float(np.linalg.norm(velocity - closing * inward))
    assert arrival["closing_speed"]["found"] == pytest.approx(closing, abs=1e-6)
    assert arrival["sideways_speed"]["found"] == pytest.approx(across, abs=1e-6)
    whole = np.hypot(arrival["closing_speed"]["found"], arrival["sideways_speed"]["found"])
    assert whole == pytest.approx(result.summary["approach"]["relative_speed"], rel=1e-12)


def test_without_a_plan_or_a_contact_there_is_nothing_to_compare() -> None:
    assert run("miss").summary["approach"]["arrival"] is None
    assert run("thesis-1").summary["approach"] is None


@given(
    early=st.floats(-1.0, 1.0),
    faster=st.floats(0.0, 4.0),
    sideways=st.floats(0.0, 4.0),
    beside=st.floats(0.0, 0.5),
    surface=st.booleans(),
)
def test_what_differs_is_named_with_its_numbers(
    early: float, faster: float, sideways: float, beside: float, surface: bool
) -> None:
    speed, duration, lever = 0.02, 30.0, 0.8
    found = Arrival(
        time=40.0 - early * duration,
        planned_time=40.0,
        closing_speed=faster * speed,
        planned_closing_speed=speed,
        sideways_speed=sideways * speed,
        offset=beside * lever,
        duration=duration,
        lever=lever,
        capture_radius=None if surface else beside * lever,
    )
    expected = {
        "earlier": early > 0.05,
        "later": early < -0.05,
        "faster": faster > 1.25,
        "more sideways": sideways > 0.5,
        "elsewhere": surface and beside > 0.1,
    }
    marginal = min(abs(abs(early) - 0.05), abs(faster - 1.25), abs(sideways - 0.5))
    if min(marginal, abs(beside - 0.1)) < 1e-9:
        return
    assert set(found.differences) == {key for key, so in expected.items() if so}
    assert found.as_planned == (not found.differences)
    text = " ".join(found.warnings)
    numbers = {
        "earlier": f"{40.0 - found.time:.3g} s before the planned 40 s",
        "later": f"{found.time - 40.0:.3g} s after the planned 40 s",
        "faster": f"closing at {faster * speed:.3g} m/s instead of 0.02 m/s",
        "more sideways": f"sideways at {sideways * speed:.3g} m/s",
        "elsewhere": f"{beside * lever:.3g} m from the planned contact point",
    }
    for key, so in expected.items():
        assert (numbers[key] in text) == so


def test_speeds_too_slow_to_matter_are_not_told_apart() -> None:
    """A plan without a closing speed is not broken by a tenth of a millimetre a second."""
    slow = Arrival(
        time=40.0,
        planned_time=40.0,
        closing_speed=1e-4,
        planned_closing_speed=0.0,
        sideways_speed=1e-4,
        offset=0.0,
        duration=30.0,
        lever=0.8,
        capture_radius=0.01,
    )
    assert slow.as_planned
    assert slow.warnings == ()
