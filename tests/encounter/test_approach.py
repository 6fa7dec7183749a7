"""Before the contact: free flight, contact found to rounding, misses, and momentum kept."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import percuss
from percuss.dynamics import free_flight
from tests.encounter.encounters import COMING, run, scenario, spatial, turned
from tests.studies import cases

TOOL = np.array([1.0, 0.0])
AWAY = {"linear": [0.05, 0.02], "angular": 0.4}


# --- the target in free flight ------------------------------------------------------------------


def test_a_planar_target_flies_freely() -> None:
    chosen = scenario(COMING, target__position=[3, 1], target__velocity=AWAY)
    result = percuss.run(chosen)
    assert result.summary["status"] == "missed"
    start = chosen.start
    assert start.target is not None
    q, v = free_flight(
        start.target, start.target_coordinates, start.target_rates, result.record.time
    )
    np.testing.assert_allclose(result.record["target_position"], q[:2].T, atol=1e-12)
    np.testing.assert_allclose(result.record["target_angle"], q[2], atol=1e-12)
    np.testing.assert_allclose(result.record["target_velocity"], v.T, atol=1e-13)


@pytest.mark.parametrize("gravity", [[0, 0, 0], [0.01, -0.02, 0.03]])
def test_a_spatial_target_flies_as_euler_says(tmp_path: Path, gravity: list[float]) -> None:
    """The closed form of the asymmetric top, over a minute of tumbling."""
    velocity = {"linear": [0.3, 0.1, 0.2], "angular": [0.2, 0.5, -0.4]}
    chosen = scenario(spatial(tmp_path), target__velocity=velocity, gravity=gravity)
    result = percuss.run(chosen)
    start = chosen.start
    assert start.target is not None
    q, v = free_flight(
        start.target, start.target_coordinates, start.target_rates, result.record.time
    )
    np.testing.assert_allclose(result.record["target_position"], q[:3].T, atol=1e-9)
    turn = result.record["target_orientation"]
    same = np.sign(np.einsum("ij,ij->i", turn, q[3:7].T))[:, None]
    np.testing.assert_allclose(turn * same, q[3:7].T, atol=2e-10)
    np.testing.assert_allclose(result.record["target_velocity"], v.T, atol=1e-9)


# --- contact with a point -----------------------------------------------------------------------


@pytest.mark.sampled
@settings(max_examples=cases(10, 25))
@given(
    direction=st.floats(-3.0, 3.0),
    aside=st.floats(-0.0199, 0.0199),
    far=st.floats(0.05, 50.0),
    speed=st.floats(0.9, 1.1),
)
def test_contact_is_at_the_capture_radius(
    direction: float, aside: float, far: float, speed: float
) -> None:
    """A contact point that flies by within the radius, at 1 m/s, is never stepped over."""
    along, across = turned(direction) @ [1.0, 0.0], turned(direction) @ [0.0, 1.0]
    grip = TOOL - far * along + aside * across
    result = run(
        COMING,
        target__position=(grip + np.array([0.3, 0.0])).tolist(),
        target__velocity={"linear": (speed * along).tolist(), "angular": 0.0},
    )
    found = result.summary["approach"]
    assert found["touched"]
    assert found["distance"] == pytest.approx(0.02, abs=1e-10)
    when = (far - math.sqrt(0.02**2 - aside**2)) / speed
    # At a graze the distance hardly changes: the time is as sharp as the root is.
    sharp = 1e-12 * (1 + far) * max(1.0, 0.02 / math.sqrt(0.02**2 - aside**2))
    assert found["time"] == pytest.approx(when, abs=10 * sharp)
    assert result.summary["impact"]["time"] == found["time"]


@pytest.mark.parametrize("by", [1e-6, 1e-9])
def test_a_graze_is_decided_by_the_radius(by: float) -> None:
    inside = run(COMING, target__position=[30.3, 0.02 - by])
    assert inside.summary["approach"]["touched"]
    assert inside.summary["approach"]["distance"] == pytest.approx(0.02, abs=1e-10)
    outside = run(COMING, target__position=[30.3, 0.02 + by])
    assert outside.summary["status"] == "missed"
    assert outside.summary["approach"]["closest"]["distance"] == pytest.approx(0.02 + by, abs=1e-11)


@pytest.mark.parametrize("samples", [2, 501])
@pytest.mark.parametrize("spin", [0.7, 7.0, 60.0])
def test_a_point_that_circles_is_found_however_few_samples_are_kept(
    spin: float, samples: int
) -> None:
    """The flight of the bodies is even, that of the contact point is not."""
    angle, down = 1.9, 0.05
    result = run(
        COMING,
        target__position=[1.3, 1.0],
        target__angle=angle,
        target__velocity={"linear": [0.0, -down], "angular": spin},
        output__samples=samples,
    )
    time = np.linspace(0.0, 40.0, 2_000_001)
    turn = angle + np.pi + spin * time
    x = 1.3 + 0.3 * np.cos(turn) - TOOL[0]
    y = 1.0 - down * time + 0.3 * np.sin(turn)
    apart = np.hypot(x, y)
    found = result.summary["approach"]
    if apart.min() < 0.02:
        first = time[np.argmax(apart < 0.02)]
        assert found["time"] == pytest.approx(first, abs=2.1e-5), "another contact than the first"
        assert found["distance"] == pytest.approx(0.02, abs=1e-10)
    else:
        assert found["closest"]["distance"] == pytest.approx(apart.min(), abs=1e-8)
        assert found["closest"]["time"] == pytest.approx(time[apart.argmin()], abs=2.1e-5)


def test_a_start_within_the_radius_is_a_contact_at_once() -> None:
    result = run(COMING, target__position=[1.31, 0.0])
    assert result.summary["approach"]["time"] == 0.0
    assert result.summary["impact"]["time"] == 0.0
    assert result.summary["approach"]["distance"] == pytest.approx(0.01, abs=1e-14)
    assert result.record.time[0] == 0.0
    assert (np.diff(result.record.time) > 0).all()


# --- contact with a surface ---------------------------------------------------------------------

BOUNCE = {"closure": "bounce", "restitution": 0.5}
ANYWHERE = {"contact": "surface", "timeout": 60}


def first_touch_of_box(start: Any, velocity: Any, size: Any) -> tuple[float, Any]:
    """When a point in straight flight enters a box about the origin, and the normal there."""
    start, velocity, half = (np.asarray(x, float) for x in (start, velocity, size))
    half = half / 2
    enter = (-np.sign(velocity) * half - start) / velocity
    k = int(np.argmax(enter))
    normal = np.zeros(len(half))
    normal[k] = -np.sign(velocity[k])
    inside = start + velocity * enter[k]
    assert (np.abs(np.delete(inside, k)) < np.delete(half, k)).all(), "the case misses the box"
    return float(enter[k]), normal


@settings(max_examples=12)
@given(aside=st.floats(-0.29, 0.29), angle=st.floats(-3, 3))
def test_a_disk_is_touched_where_it_is(aside: float, angle: float) -> None:
    along, across = turned(angle).T
    center = TOOL - 2.0 * along + aside * across
    result = run(
        COMING,
        target__position=center.tolist(),
        target__velocity={"linear": (0.1 * along).tolist(), "angular": 0.3},
        approach=ANYWHERE,
        impact=BOUNCE,
    )
    found, impact = result.summary["approach"], result.summary["impact"]
    when = (2.0 - math.sqrt(0.3**2 - aside**2)) / 0.1
    assert found["time"] == pytest.approx(when, abs=1e-9)
    inward = center + 0.1 * when * along - TOOL
    np.testing.assert_allclose(impact["normal"], inward / 0.3, atol=1e-9)
    at = np.searchsorted(result.record.time, found["time"])
    assert abs(result.record["gap"][at]) < 1e-12


@pytest.mark.parametrize("angle", [0.3, 1.2, -2.0, 2.8])
def test_a_planar_box_is_touched_on_the_right_face(angle: float) -> None:
    size, center, velocity = [0.5, 0.4], np.array([3.0, 0.05]), np.array([-0.2, 0.01])
    result = run(
        COMING,
        target={
            "shape": "box",
            "size": size,
            "mass": 20,
            "contact": [-0.25, 0],
            "angle": angle,
            "position": center.tolist(),
            "velocity": {"linear": velocity.tolist(), "angular": 0},
        },
        approach=ANYWHERE,
        impact=BOUNCE,
    )
    R = turned(angle)
    when, outward = first_touch_of_box(R.T @ (TOOL - center), R.T @ -velocity, size)
    assert result.summary["approach"]["time"] == pytest.approx(when, abs=1e-10)
    np.testing.assert_allclose(result.summary["impact"]["normal"], -R @ outward, atol=1e-12)


@pytest.mark.parametrize("shape", ["sphere", "box", "cylinder", "cylinder's end"])
def test_solids_are_touched_where_they_are(tmp_path: Path, shape: str) -> None:
    tool = np.array([0.4 + 0.4 + 0.5 * math.cos(0.2), 0.1, 0.1 - 0.5 * math.sin(0.2)])
    center, velocity = np.array([2.5, 0.2, 0.1]), np.array([-0.1, -0.01, 0.002])
    size: dict[str, Any] = {
        "sphere": {"shape": "sphere", "radius": 0.4},
        "box": {"shape": "box", "size": [0.6, 0.5, 0.7]},
    }.get(shape, {"shape": "cylinder", "radius": 0.35, "length": 0.8})
    upright = shape != "cylinder's end"
    rpy = [0, 0, 0] if upright else [0, math.pi / 2, 0]
    target = {
        **size,
        "mass": 30,
        "contact": [-0.4, 0, 0],
        "position": center.tolist(),
        "orientation": {"rpy": rpy},
        "velocity": {"linear": velocity.tolist(), "angular": [0, 0, 0]},
    }
    base = spatial(tmp_path, target=target, approach=ANYWHERE, impact=BOUNCE)
    result = percuss.run(percuss.Scenario(**base))
    own, speed = tool - center, -velocity
    if shape == "box":
        when, outward = first_touch_of_box(own, speed, size["size"])
    elif shape == "cylinder's end":
        when, outward = (-0.4 - own[0]) / speed[0], np.array([-1.0, 0.0, 0.0])
    else:
        flat = np.array([1.0, 1.0, 1.0 if shape == "sphere" else 0.0])
        o, s = own * flat, speed * flat
        half, rest = o @ s / (s @ s), (o @ o - size["radius"] ** 2) / (s @ s)
        when = -half - math.sqrt(half**2 - rest)
        outward = (o + s * when) / size["radius"]
    assert result.summary["approach"]["time"] == pytest.approx(when, abs=1e-9)
    np.testing.assert_allclose(result.summary["impact"]["normal"], -outward, atol=1e-9)
    at = np.searchsorted(result.record.time, result.summary["approach"]["time"])
    assert abs(result.record["gap"][at]) < 1e-12, "the tool is not on the surface at the contact"


# --- misses -------------------------------------------------------------------------------------


@settings(max_examples=20)
@given(
    place=st.tuples(st.floats(2.0, 5.0), st.floats(-3.0, 3.0)),
    fast=st.tuples(st.floats(-0.3, -0.02), st.floats(-0.2, 0.2)),
    own=st.tuples(st.floats(-0.1, 0.1), st.floats(-0.1, 0.1)),
)
def test_a_miss_says_how_close_and_when(place: Any, fast: Any, own: Any) -> None:
    """Straight flight of both: the smallest distance in closed form."""
    apart = np.array(place) - TOOL
    relative = np.subtract(fast, own)
    assume(np.linalg.norm(relative) > 1e-3)
    when = float(np.clip(-(apart @ relative) / (relative @ relative), 0.0, 60.0))
    nearest = float(np.linalg.norm(apart + relative * when))
    assume(nearest > 0.03)
    result = run(
        COMING,
        chaser__velocity__linear=list(own),
        target__position=[place[0] + 0.3, place[1]],
        target__velocity__linear=list(fast),
    )
    summary = result.summary
    assert summary["status"] == "missed"
    assert summary["impact"] is None
    assert summary["impacts"] == []
    closest = summary["approach"]["closest"]
    assert closest["distance"] == pytest.approx(nearest, abs=1e-8)
    assert closest["time"] == pytest.approx(
        when, abs=1e-8 * (1 + 1 / float(np.linalg.norm(relative)))
    )
    assert f"within {nearest:.4g} m" in summary["outcome"]
    assert summary["final"]["time"] == 60.0


def test_a_missed_surface_is_measured_from_the_surface() -> None:
    result = run(COMING, approach=ANYWHERE, target__position=[3.0, 0.45])
    closest = result.summary["approach"]["closest"]
    assert closest["distance"] == pytest.approx(0.15, abs=1e-10)
    assert closest["time"] == pytest.approx(2.0, abs=1e-8)


@pytest.mark.parametrize("spin", [-0.7, 0.3])
def test_a_miss_says_how_fast_at_the_closest(spin: float) -> None:
    """The target's point at the tool moves with v + ω × r, at that instant and not at a step."""
    place, velocity = np.array([3.0, 0.8]), np.array([-0.11, 0.02])
    found = run(
        COMING,
        target__position=place.tolist(),
        target__velocity={"linear": velocity.tolist(), "angular": spin},
    ).summary["approach"]
    assert not found["touched"]
    arm = TOOL - (place + velocity * found["closest"]["time"])
    expected = velocity + spin * np.array([-arm[1], arm[0]])
    np.testing.assert_allclose(found["relative_velocity"], expected, atol=1e-10)
    assert found["relative_speed"] == pytest.approx(np.linalg.norm(expected), abs=1e-10)
