"""The tool stays where it is told, and its error obeys the equation asked for."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import percuss
from percuss import ModelError
from percuss.control import TreePlant
from percuss.control.guidance import hold_tool
from percuss.control.guidance.singular import damped_solution
from percuss.control.laws import no_control
from percuss.kinematics import inverse_kinematics
from percuss.sources.published.plant import PublishedPlant
from tests.control.closed_loop import captured, linear_error, motion, thesis_contact
from tests.control.guidance.encounters import MODES, scene
from tests.strategies import Array
from tests.tracers import slopes, traced

TIMES = np.linspace(0.0, 3.0, 13)
FREQUENCY, RATIO = 1.7, 0.6
KP, KD = FREQUENCY**2, 2 * RATIO * FREQUENCY


def tool_at(system: percuss.System, q: Any, tool: str) -> Array:
    return np.array(percuss.frame_pose(system, q, tool).position.array(), float)


def tool_speed(system: percuss.System, q: Any, v: Any, tool: str) -> Array:
    return np.array(percuss.frame_velocity(system, q, v, tool).array(), float)


def departure(plant: TreePlant, tool: str, place: Array, q: Array, v: Array, law: Any) -> float:
    """The largest departure of the tool's error from the linear equation (m)."""
    at, _, _ = motion(plant, law, q, v, TIMES)
    start = tool_at(plant.system, q, tool) - place
    expected = linear_error(start, tool_speed(plant.system, q, v, tool)[:3], KP, KD, TIMES)
    found = np.array([tool_at(plant.system, row, tool) - place for row in at])
    return float(np.abs(found - expected).max())


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("robot", ["thesis", "demo-7"])
def test_error_obeys_the_linear_equation(robot: str, mode: str) -> None:
    """From an offset and moving, with momentum that nothing can take away."""
    s = scene(robot, mode)
    plant = TreePlant(s.chaser)
    rng = np.random.default_rng(4)
    v = 0.02 * rng.normal(size=s.chaser.rate_count)
    step = np.array([0.1, -0.08, 0.0 if s.chaser.is_planar else 0.06])
    place = s.waiting + step
    given = place[:2] if s.chaser.is_planar else place
    law = hold_tool(plant, s.tool, given, FREQUENCY, damping_ratio=RATIO, posture=s.q)
    off = departure(plant, s.tool, place, s.q, v, law)
    assert off < 1e-10, f"{robot}, {mode}: error off by {off:.1e} m"


def test_gravity_friction_and_an_idle_joint() -> None:
    """Three joints of an arm on the ground, the first without a motor: it swings, the tool not."""
    arm = percuss.robot("air-bearing-3r").with_mode("fixed").with_gravity((0.0, -1.0))
    values = {f"joint{k}.friction.viscous": 0.02 for k in (1, 2, 3)}
    joints = tuple(
        percuss.Joint(**{**j.__dict__, "limits": percuss.Limits(effort=0.0)})
        if j.name == "joint1"
        else j
        for j in arm.joints
    )
    arm = percuss.System(
        name=arm.name,
        bodies=arm.bodies,
        joints=joints,
        frames=arm.frames,
        mode=arm.mode,
        gravity=arm.gravity,
    )
    plant = TreePlant(arm.with_parameters(values))
    q, v = np.array([-1.2, 1.3, 0.9]), np.array([0.1, 0.0, -0.1])
    place = tool_at(arm, q, "tool") + np.array([0.02, 0.03, 0.0])
    law = hold_tool(plant, "tool", place, FREQUENCY, damping_ratio=RATIO, posture=q)
    u, _ = law.command(0.0, q, v, None)
    assert u[0] == 0, "a joint without a motor gets no torque"
    a = np.asarray(plant.accelerations(q, v, u), float)
    found = percuss.frame_acceleration(plant.system, q, v, a, frame="tool").linear.array()
    speed = tool_speed(arm, q, v, "tool")[:3]
    expected = -KD * speed - KP * (tool_at(arm, q, "tool") - place)
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_with_a_captured_target_that_swings() -> None:
    """The pinned target is dead weight that nothing drives; the tool obeys all the same."""
    contact = thesis_contact()
    attachment, q, v, _ = captured(contact, "pin")
    q = q.copy()
    q[3:5] = [-0.9, 1.5]
    plant = TreePlant(attachment.joined, 5)
    place = tool_at(plant.system, q, "tool") + np.array([0.2, 0.1, 0.0])
    law = hold_tool(plant, "tool", place, FREQUENCY, damping_ratio=RATIO, posture=q[:5])
    off = departure(plant, "tool", place, q, 0.2 * v, law)
    assert off < 1e-10, f"error off by {off:.1e} m"


@pytest.mark.parametrize("mode", ["fixed", "free-floating"])
def test_orientation_in_space(mode: str) -> None:
    """The rotation vector of the tool from a turn of 0.9 rad away dies out with its place."""
    s = scene("demo-7", mode)
    plant = TreePlant(s.chaser)
    turn = np.array([0.5, -0.6, 0.4])
    now = percuss.frame_pose(s.chaser, s.q, s.tool).rotation
    back = percuss.Quaternion.from_rotation_vector(percuss.Vector3(*(-turn))).to_rotation()
    wanted = back @ now
    quaternion = wanted.to_quaternion().array()
    law = hold_tool(
        plant,
        s.tool,
        s.waiting,
        FREQUENCY,
        damping_ratio=RATIO,
        posture=s.q,
        orientation=quaternion,
    )
    q, _, _ = motion(plant, law, s.q, np.zeros(s.chaser.rate_count), TIMES)
    found = np.array(
        [
            (percuss.frame_pose(s.chaser, row, s.tool).rotation @ wanted.inverse())
            .to_rotation_vector()
            .array()
            for row in q
        ]
    )
    expected = linear_error(turn, np.zeros(3), KP, KD, TIMES)
    assert np.abs(found - expected).max() < 1e-9
    off = max(np.abs(tool_at(s.chaser, row, s.tool) - s.waiting).max() for row in q)
    assert off < 1e-9, f"the tool's point moved by {off:.1e} m"


def test_orientation_in_the_plane() -> None:
    s = scene("air-bearing-3r", "free-floating")
    plant = TreePlant(s.chaser)
    angle = float(percuss.planar_angle(s.chaser, s.q, s.tool)) - 0.4  # type: ignore[arg-type]
    law = hold_tool(
        plant, s.tool, s.waiting, FREQUENCY, damping_ratio=RATIO, posture=s.q, orientation=angle
    )
    q, _, _ = motion(plant, law, s.q, np.zeros(s.chaser.rate_count), TIMES)
    found = np.array([float(percuss.planar_angle(s.chaser, row, s.tool)) for row in q]) - angle  # type: ignore[arg-type]
    expected = linear_error(np.array([0.4]), np.zeros(1), KP, KD, TIMES)[:, 0]
    assert np.abs(found - expected).max() < 1e-9


def test_freedom_that_is_left_returns_to_the_posture() -> None:
    """A redundant arm started in another posture with its tool at the same place."""
    s = scene("air-bearing-3r", "fixed")
    plant = TreePlant(s.chaser)
    other = inverse_kinematics(
        s.chaser, s.tool, s.waiting[:2], "planar position", near=s.q + np.array([0.3, -0.2, 0.2])
    ).q
    assert np.abs(other - s.q).max() > 0.1, "another posture"
    law = hold_tool(plant, s.tool, s.waiting, 2.0, damping_ratio=1.0, posture=s.q)
    q, v, _ = motion(plant, law, other, np.zeros(3), [0.0, 1.0, 40.0])
    assert np.abs(tool_at(s.chaser, q[1], s.tool) - s.waiting).max() < 1e-9
    assert np.abs(q[-1] - s.q).max() < 1e-3, "the joints did not return to the posture"
    assert np.abs(v[-1]).max() < 1e-3, "the joints did not come to rest"


def test_other_arms_hold_the_posture() -> None:
    s = scene("two-arms", "free-floating")
    plant = TreePlant(s.chaser)
    law = hold_tool(
        plant,
        s.tool,
        s.waiting + np.array([0.05, 0.0, 0.0]),
        FREQUENCY,
        damping_ratio=RATIO,
        posture=s.q,
    )
    q, _, _ = motion(plant, law, s.q, np.zeros(s.chaser.rate_count), TIMES)
    assert np.abs(q[:, 5:] - s.q[5:]).max() < 1e-10, "the other arm moved"
    assert np.abs(q[-1, 3:5] - s.q[3:5]).max() > 1e-3


def test_at_a_singularity_the_forces_stay_small() -> None:
    """The stretched arm of the thesis cannot go further out: damped, it does not try for long."""
    robot = percuss.robot("thesis").with_mode("fixed", percuss.Pose.planar(1.0, 2.0, math.pi / 2))
    plant = TreePlant(robot)
    place = np.array([1.0, 7.3, 0.0])
    law = hold_tool(plant, "tool", place, 1.0, damping_ratio=1.0, posture=np.zeros(2))
    for bend in (0.0, 1e-9, 1e-5, 1e-3, 0.02):
        u, _ = law.command(0.0, np.array([bend, -bend]), np.zeros(2), None)
        assert np.isfinite(u).all(), f"bend {bend}: not finite"
        assert np.abs(u).max() < 300.0, f"bend {bend}: {np.abs(u).max():.1e} N m"
    undamped = hold_tool(
        plant, "tool", place, 1.0, damping_ratio=1.0, posture=np.zeros(2), singular_below=0.0
    )
    u, _ = undamped.command(0.0, np.array([1e-5, -1e-5]), np.zeros(2), None)
    assert np.abs(u).max() > 1e4, "without damping the same command is huge"


@given(seed=st.integers(0, 2**32 - 1), rows=st.integers(1, 6), more=st.integers(0, 3))
@settings(max_examples=60, deadline=None)
def test_damping_is_zero_away_from_singularities(seed: int, rows: int, more: int) -> None:
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(rows, rows + more))
    y = rng.normal(size=rows)
    values = np.linalg.svd(A, compute_uv=False)
    s = 1 / math.sqrt(np.sum(values**-2.0))
    assert values[-1] / math.sqrt(rows) <= s * (1 + 1e-9) <= values[-1] * (1 + 1e-6)
    exact = damped_solution(A.tolist(), y.tolist(), 0.999 * s)
    plain = damped_solution(A.tolist(), y.tolist(), 0.0)
    np.testing.assert_array_equal(exact, plain, err_msg="damping must be exactly zero here")
    shortest = np.linalg.pinv(A) @ y
    np.testing.assert_allclose(np.array(exact, float), shortest, rtol=1e-6, atol=1e-8 / s)
    damped = np.array(damped_solution(A.tolist(), y.tolist(), 4.0 * s), float)
    assert np.linalg.norm(damped) < np.linalg.norm(plain)  # type: ignore[arg-type]


@given(seed=st.integers(0, 2**32 - 1), rank=st.integers(0, 3))
@settings(max_examples=30, deadline=None)
def test_damped_steps_are_bounded_at_any_rank(seed: int, rank: int) -> None:
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(4, rank)) @ rng.normal(size=(rank, 5))
    y = rng.normal(size=4)
    y /= np.linalg.norm(y)
    found = np.array(damped_solution(A.tolist(), y.tolist(), 0.1), float)
    assert np.isfinite(found).all()
    # σ / (σ² + λ²) is largest near the threshold: 1.33 / d for s = σ of one row, √m more here.
    assert np.linalg.norm(found) < 2 * 2 / 0.1


def test_derivatives_are_finite() -> None:
    s = scene("thesis", "free-floating")
    plant = TreePlant(s.chaser)
    law = hold_tool(plant, s.tool, s.waiting, 1.0, damping_ratio=1.0, posture=s.q)
    stretched = s.q * [1, 1, 1, 0, 0]

    def command(q: Any) -> Any:
        return law.command(0.0, q, np.zeros(5), None)[0]

    for q in (s.q, stretched):
        for found in traced(command, q).values():
            np.testing.assert_allclose(found, command(q), rtol=1e-9, atol=1e-9)
        for way, slope in slopes(command, q).items():
            assert np.isfinite(slope).all(), f"a derivative is not finite, {way}"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"position": (1.0, math.nan)}, "position"),
        ({"position": (1.0,)}, "position"),
        ({"position": "here"}, "position"),
        ({"orientation": 0.3}, "takes 3 driven joints"),
        ({"natural_frequency": -1.0}, "natural-frequency"),
        ({"posture": (0.0, math.inf)}, "finite"),
        ({"tool": "tol"}, "tool"),
    ],
)
def test_impossible_laws_are_refused(change: dict[str, Any], words: str) -> None:
    s = scene("thesis", "fixed")
    given = {
        "plant": TreePlant(s.chaser),
        "tool": "tool",
        "position": (1.0, 2.0),
        "natural_frequency": 1.0,
        "damping_ratio": 1.0,
        "posture": s.q,
    } | change
    with pytest.raises(ModelError, match=words):
        hold_tool(**given)  # type: ignore[arg-type]


def test_a_plant_that_is_no_tree_is_refused() -> None:
    with pytest.raises(ModelError, match="TreePlant"):
        hold_tool(
            PublishedPlant(thesis_contact()),
            "tool",
            (0, 0),
            1.0,
            damping_ratio=1.0,
            posture=np.zeros(5),
        )


def test_a_zero_quaternion_is_refused() -> None:
    s = scene("demo-7", "fixed")
    plant = TreePlant(s.chaser)
    with pytest.raises(ModelError, match="not zero"):
        hold_tool(
            plant, "tool", (0, 0, 0), 1.0, damping_ratio=1.0, posture=s.q, orientation=(0, 0, 0, 0)
        )
    with pytest.raises(ModelError, match="quaternion"):
        hold_tool(plant, "tool", (0, 0, 0), 1.0, damping_ratio=1.0, posture=s.q, orientation=(0, 0))


def test_without_the_law_the_tool_drifts() -> None:
    s = scene("thesis", "free-floating")
    plant = TreePlant(s.chaser)
    v = np.array([0.01, 0.0, 0.02, 0.0, 0.0])
    q, _, _ = motion(plant, no_control(plant), s.q, v, TIMES)
    assert np.abs(tool_at(s.chaser, q[-1], s.tool) - s.waiting).max() > 0.01
