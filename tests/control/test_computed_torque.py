"""Computed torque: with the true model the error is that of a linear equation, else it is not."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import percuss
from percuss.control import TreePlant, computed_torque, gains, hold, rest_to_rest
from percuss.model import WORLD, Body, Joint, Revolute, Spherical, System
from tests.control.closed_loop import (
    GOAL,
    captured,
    errors,
    linear_error,
    motion,
    small_robot,
    thesis_contact,
)
from tests.strategies import Array
from tests.tracers import slopes, traced

TIMES = np.linspace(0.0, 3.0, 16)
TOLERANCE = 1e-10
DAMPING = [0.3, 1.0, 1.8]


def follow(
    plant: TreePlant, ratio: float, q: Array, v: Array, *, believed: TreePlant | None = None
) -> float:
    """The largest departure of the actuated errors from the linear equation, the goal being q."""
    goal = q[: plant.own_coordinates]
    kp, kd = gains(1.7, ratio, plant.own_rates)
    law = computed_torque(believed or plant, hold(plant, goal), kp, kd)
    q_at, _, _ = motion(plant, law, q, v, TIMES)
    rates = v[: plant.own_rates]
    expected = linear_error(np.zeros_like(rates), rates, float(kp[0]), float(kd[0]), TIMES)
    driven = np.array(plant.actuated)
    return float(np.abs(errors(plant, goal, q_at) - expected)[:, driven].max())


@pytest.mark.parametrize("ratio", DAMPING)
@pytest.mark.parametrize("closure", ["pin", "weld"])
def test_thesis_robot_with_its_target(closure: str, ratio: float) -> None:
    attachment, q, v, _ = captured(thesis_contact(), closure)
    off = follow(TreePlant(attachment.joined, 5), ratio, q, v)
    assert off < TOLERANCE, f"{closure}, damping ratio {ratio}: error off by {off:.1e}"


@pytest.mark.parametrize("mode", ["fixed", "free-floating", "attitude-controlled"])
def test_planar_base_modes_with_a_pinned_target(mode: str) -> None:
    """What is actuated obeys the equation although base and target move as they must."""
    base = percuss.Pose.planar(*GOAL[:3])
    attachment, q, v, _ = captured(thesis_contact(), "pin")
    system = attachment.joined.with_mode(mode, base)
    own = 2 if mode == "fixed" else 5
    q, v = q[5 - own :], v[5 - own :]
    plant = TreePlant(system, own)
    assert sum(plant.actuated) == {"fixed": 2, "free-floating": 2, "attitude-controlled": 3}[mode]
    off = follow(plant, 1.0, q, v)
    assert off < TOLERANCE, f"{mode}: error off by {off:.1e}"


def spatial_capture(mode: str, joint: str | None) -> tuple[TreePlant, Array, Array]:
    robot = small_robot(mode)
    rng = np.random.default_rng(3)
    system = robot
    if joint is not None:
        target = percuss.robot("cube").prefixed("target_")
        relative = percuss.Pose.at((0.4, 0.3, -0.2), rpy=(0.3, 0.2, 0.1))
        system = percuss.attach(robot, target, "tool", relative, joint=joint).joined
    q = percuss.integrate(system, percuss.neutral(system), 0.4 * rng.normal(size=system.rate_count))
    return TreePlant(system, robot.rate_count), q, 0.3 * rng.normal(size=system.rate_count)


@pytest.mark.parametrize(
    ("mode", "joint", "ratio"),
    [
        ("free-flying", None, 0.3),
        ("free-flying", "spherical", 1.0),
        ("free-flying", "fixed", 1.8),
        ("attitude-controlled", "spherical", 1.0),
        ("free-floating", "spherical", 0.3),
        ("free-floating", "fixed", 1.8),
        ("fixed", "spherical", 1.0),
    ],
)
def test_spatial_robots(mode: str, joint: str | None, ratio: float) -> None:
    plant, q, v = spatial_capture(mode, joint)
    off = follow(plant, ratio, q, v)
    assert off < TOLERANCE, f"{mode}, target {joint}: error off by {off:.1e}"


def test_orientation_far_from_its_goal() -> None:
    """Half a radian short of half a turn, and the rotation vector still goes straight to zero."""
    plant, q, _ = spatial_capture("free-flying", None)
    phi = np.array([1.9, -1.2, 1.3])
    step = np.concatenate([[0.5, -0.3, 0.2], phi, [0.4, -0.6]])
    start = percuss.integrate(plant.system, q, step)
    kp, kd = gains(1.3, 0.6, plant.own_rates)
    law = computed_torque(plant, hold(plant, q), kp, kd)
    q_at, _, _ = motion(plant, law, start, np.zeros(8), TIMES)
    expected = linear_error(step, np.zeros(8), float(kp[0]), float(kd[0]), TIMES)
    off = np.abs(errors(plant, q, q_at) - expected).max()
    assert off < TOLERANCE, f"error off by {off:.1e}"


def test_a_moving_goal_is_followed_from_an_offset() -> None:
    plant, q, _ = spatial_capture("free-flying", None)
    end = percuss.integrate(plant.system, q, [0.5, 0.2, -0.4, 0.9, -1.1, 0.6, 1.0, -0.8])
    goal = rest_to_rest(plant, q, end, 2.5)
    step = np.array([0.1, 0.2, -0.1, 0.5, -0.4, 0.3, 0.2, -0.1])
    start = percuss.integrate(plant.system, q, step)
    kp, kd = gains(1.7, 1.0, plant.own_rates)
    law = computed_torque(plant, goal, kp, kd)
    q_at, _, _ = motion(plant, law, start, np.zeros(8), TIMES)
    found = np.array([plant.error(goal(t)[0], row) for t, row in zip(TIMES, q_at, strict=True)])
    # At t = 0 goal and robot are at rest, so the rotation vector is too.
    expected = linear_error(step, np.zeros(8), float(kp[0]), float(kd[0]), TIMES)
    off = np.abs(found - expected).max()
    assert off < TOLERANCE, f"error off by {off:.1e}"


def test_a_driven_ball_joint() -> None:
    """A spherical joint has its rates in the child's axes; its error obeys the equation too."""
    link = Body("link", 2.0, (0.3, 0.1, 0.0), (0.2, 0.3, 0.4))  # type: ignore[arg-type]
    tip = Body("tip", 1.0, (0.2, 0.0, 0.1), (0.1, 0.1, 0.1))  # type: ignore[arg-type]
    system = System(
        "shoulder",
        (link, tip),
        (
            Joint("shoulder", Spherical(), WORLD, "link"),
            Joint(
                name="elbow",
                motion=Revolute(),
                parent="link",
                child="tip",
                placement=percuss.Pose.at((0.6, 0.0, 0.0)),
            ),
        ),
        gravity=(0.0, 0.0, -9.81),  # type: ignore[arg-type]
    )
    plant = TreePlant(system)
    q = percuss.integrate(system, percuss.neutral(system), [0.3, 0.4, -0.2, 0.5])
    end = percuss.integrate(system, q, [1.0, -0.5, 0.7, 0.4])
    step = np.array([0.8, -0.7, 1.1, 0.3])
    goal = rest_to_rest(plant, q, end, 2.0)
    kp, kd = gains(2.0, 0.4, 4)
    law = computed_torque(plant, goal, kp, kd)
    start = percuss.integrate(system, q, step)
    q_at, _, _ = motion(plant, law, start, np.zeros(4), TIMES)
    found = np.array([plant.error(goal(t)[0], row) for t, row in zip(TIMES, q_at, strict=True)])
    expected = linear_error(step, np.zeros(4), float(kp[0]), float(kd[0]), TIMES)
    assert np.abs(found - expected).max() < TOLERANCE


@pytest.mark.parametrize("closure", ["pin", "weld"])
def test_with_a_wrong_model_the_error_is_another(closure: str) -> None:
    """A target believed to weigh 14 kg, not 15."""
    attachment, q, v, _ = captured(thesis_contact(), closure)
    plant = TreePlant(attachment.joined, 5)
    body = attachment.guest.base.name
    believed = TreePlant(attachment.joined.with_parameters({f"{body}.mass": 14.0}), 5)
    off = follow(plant, 1.0, q, v, believed=believed)
    assert off > 1e-4, f"a wrong model goes unnoticed: {off:.1e}"


@pytest.mark.parametrize(
    ("closure", "peaks"),
    [("pin", [10, 8.06146, 50, 50, 30]), ("weld", [30, 5.3130278, 180, 180, 120])],
)
def test_thesis_simulation_1(closure: str, peaks: list[float]) -> None:
    """Kp = 1, Kd = 2: p = p_d + ṗ_f t e⁻ᵗ, and the largest forces on the way."""
    attachment, q, v, jump = captured(thesis_contact(), closure)
    plant = TreePlant(attachment.joined, 5)
    law = computed_torque(plant, hold(plant, GOAL), *gains(1.0, 1.0, 5))
    times = np.linspace(0.0, 10.0, 4001)
    q_at, v_at, u = motion(plant, law, q, v, times)
    closed = GOAL + jump.chaser_rates * (times * np.exp(-times))[:, None]
    off = np.abs(q_at[:, :5] - closed).max()
    assert off < 1e-10, f"coordinates are off the closed form by {off:.1e}"
    np.testing.assert_allclose(np.abs(u).max(axis=0), peaks, rtol=1e-6)
    _, target = percuss.split_velocity(attachment, q_at[-1], v_at[-1])
    if closure == "pin":
        assert target[2] == pytest.approx(0.7328696, abs=5e-8), "spin of the target at 10 s"
        assert np.abs(u[-1]).max() > 1.0, "holding a target that swings takes forces"
    else:
        assert math.fabs(target[2]) < 1e-3


def test_gravity_and_friction_are_compensated() -> None:
    arm = percuss.robot("lecture").with_parameters(
        {"joint1.friction.viscous": 0.4, "joint2.friction.viscous": 0.2}
    )
    plant = TreePlant(arm)
    off = follow(plant, 1.0, np.array([0.3, -0.4]), np.array([0.5, 0.2]))
    assert off < TOLERANCE


def test_compiled_and_plain_numbers_agree() -> None:
    """The same law on floats, and derivatives at zero error, where rotation vectors are 0/0."""
    plant, q, v = spatial_capture("free-flying", "spherical")
    law = computed_torque(plant, hold(plant, q[:9]), 1.0, 2.0)
    plain, _ = law.command(0.0, q, v, None)

    def command(q: Any) -> Any:
        return law.command(0.0, q, v, None)[0]

    for found in traced(command, q).values():
        np.testing.assert_allclose(found, plain, rtol=1e-10, atol=1e-12)
    for way, slope in slopes(command, q).items():
        assert np.isfinite(slope).all(), f"a derivative at zero error is not finite, {way}"
