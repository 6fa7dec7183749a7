"""Motion of free-floating arms: conserved momentum, reaction null space, disturbance."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

import percuss
from percuss.dynamics import (
    base_disturbance,
    center_of_mass,
    floating_motion,
    hybrid_dynamics,
    mass_matrix,
    reaction_null_space,
    reactionless,
    total_mass,
)
from percuss.dynamics.disturbance_maps import attitude_map, base_disturbance_map
from percuss.dynamics.free_floating import (
    base_motion_map,
    base_rates,
    generalized_jacobian,
    momentum_drift,
)
from percuss.kinematics import coordinate_rates, quintic
from percuss.kinematics.polynomials import spline
from tests.tracers import traced
from tests.truth.compare import assert_same

SEEDS = st.integers(0, 2**32 - 1)
TWO = percuss.robot("2r-floating")
SEVEN = percuss.robot("demo-7")


# --- motion -------------------------------------------------------------------------------------


@given(SEEDS, st.booleans())
@settings(max_examples=8)
def test_momentum_is_conserved_along_random_joint_motion(seed: int, planar: bool) -> None:
    """The centre of mass moves on at p / m although only velocities were integrated (≤ 1e-10)."""
    system = percuss.robot("air-bearing-3r") if planar else SEVEN
    rng = np.random.default_rng(seed)
    count = 3 if planar else 7
    knots = rng.uniform(-1, 1, (5, count))
    path = spline([0.0, 1.0, 2.0, 3.0, 4.0], knots)
    given_momentum = rng.normal(size=6) * ([1, 1, 0, 0, 0, 1] if planar else np.ones(6))
    q = np.array(percuss.neutral(system))
    moved = floating_motion(system, q, path, np.linspace(0, 4, 9), momentum=given_momentum)
    assert_same(
        moved.momenta(), np.tile(given_momentum, (9, 1)), "momentum, body by body", 1e-12, 1.0
    )
    centers = np.array([center_of_mass(system, row).array() for row in moved.q], float)
    drift = np.outer(moved.times, given_momentum[:3] / cast(float, total_mass(system)))
    assert np.abs(centers - centers[0] - drift).max() < 1e-10, "the centre of mass goes straight"
    assert_same(moved.q[:, -count:], path.sample(moved.times)[0].T, "joints as given")


def test_the_tool_goes_where_the_integrated_generalized_jacobian_says() -> None:
    """∫ (J_g q̇ + drift) dt from the start is forward kinematics at the end (≤ 1e-10)."""
    path = quintic(np.zeros(7), np.linspace(-0.8, 0.9, 7), 3.0)
    given_momentum = np.array([2.0, -1.0, 0.5, 0.3, -0.2, 0.4])
    q = np.array(percuss.neutral(SEVEN))
    dense = floating_motion(SEVEN, q, path, np.linspace(0, 3, 121), momentum=given_momentum)
    speeds = np.array(
        [
            np.asarray(generalized_jacobian(SEVEN, at, "tool"), float)[:3] @ path(t)[1]
            + momentum_drift(SEVEN, at, "tool", given_momentum)[:3]
            for t, at in zip(dense.times, dense.q, strict=True)
        ]
    )
    assert_same(speeds, dense.velocities("tool")[:, :3], "velocity of the tool", 1e-12, 1.0)
    # Boole's rule on the dense samples.
    h = dense.times[1]
    weights = np.tile([14.0, 32.0, 12.0, 32.0], 30) * 2 * h / 45
    weights = np.append(weights, 7.0 * 2 * h / 45)
    weights[0] = 7.0 * 2 * h / 45
    way = dense.positions("tool")[-1] - dense.positions("tool")[0]
    assert np.abs(weights @ speeds - way).max() < 1e-10
    assert len(dense.poses("tool")) == 121


def test_dynamics_agrees_with_momentum() -> None:
    """Joint torques that cause the joint motion move the base as momentum says."""
    path = quintic([0.1, -0.3], [1.2, 0.8], 2.0)
    q = np.array([0.0, 0.0, 0.0, 0.1, -0.3])
    by_momentum = floating_motion(TWO, q, path, [0.0, 1.0, 2.0], compiled=False)

    def rates(t: float, x: Any) -> Any:
        at, v = x[:5], x[5:]
        wanted = [0.0, 0.0, 0.0, *path(t)[2]]
        a = hybrid_dynamics(TWO, at, v, None, a=wanted, prescribed=[False] * 3 + [True] * 2)
        return np.concatenate([coordinate_rates(TWO, at, v), np.asarray(a, float)])

    start = np.concatenate([q, np.zeros(5)])
    found = solve_ivp(rates, (0, 2), start, method="DOP853", rtol=1e-11, atol=1e-12)
    assert_same(found.y[:5, -1], by_momentum.q[-1], "where everything is in the end", 1e-9)


def test_attitude_controlled_motion_keeps_the_attitude() -> None:
    path = quintic(np.zeros(7), np.full(7, 0.5), 2.0)
    q = np.array(percuss.neutral(SEVEN))
    moved = floating_motion(SEVEN, q, path, [0.0, 2.0], mode="attitude-controlled")
    assert_same(moved.q[-1, 3:7], (1.0, 0.0, 0.0, 0.0), "the base does not turn")
    com = [center_of_mass(SEVEN, row).array() for row in moved.q]
    assert_same(com[1], com[0], "the centre of mass stays", 1e-11)
    free = floating_motion(SEVEN, q, path, [0.0, 2.0])
    assert np.abs(free.q[-1, 3:7] - [1, 0, 0, 0]).max() > 1e-3


# --- reaction null space and disturbance --------------------------------------------------------


@given(SEEDS)
def test_motions_to_which_the_base_does_not_react(seed: int) -> None:
    rng = np.random.default_rng(seed)
    q = np.array([*np.zeros(3), 1.0, 0.0, 0.0, 0.0, *rng.uniform(-2, 2, 7)])
    basis = reaction_null_space(SEVEN, q)
    assert basis.shape == (7, 4), "seven joints, three axes of the base"
    rates = basis @ rng.normal(size=4)
    turning = base_rates(SEVEN, q, rates)[3:]
    assert np.abs(turning).max() < 1e-13, "the base does not turn"
    still = reaction_null_space(SEVEN, q, still="base")
    assert still.shape == (7, 1)
    assert np.abs(base_rates(SEVEN, q, still[:, 0])).max() < 1e-12, "it does not move at all"
    wish = rng.normal(size=7)
    nearest = reactionless(SEVEN, q, wish)
    assert np.abs(base_rates(SEVEN, q, nearest)[3:]).max() < 1e-13
    assert_same(basis @ basis.T @ wish, nearest, "the nearest of them", 1e-11)


def test_reactionless_motion_traced() -> None:
    q, wish = np.array([0.0, 0.0, 0.0, 0.4, -0.9]), np.array([0.3, 0.7])
    for tracer, found in traced(lambda x: reactionless(TWO, x, wish), q).items():
        assert_same(found, reactionless(TWO, q, wish), tracer, 1e-12)


@given(SEEDS)
def test_disturbance(seed: int) -> None:
    rng = np.random.default_rng(seed)
    q = np.array([*np.zeros(3), 1.0, 0.0, 0.0, 0.0, *rng.uniform(-2, 2, 7)])
    found = base_disturbance(SEVEN, q)
    worst = base_rates(SEVEN, q, found.largest_direction)[3:]
    assert_same(np.linalg.norm(worst), found.largest, "the base turns as said", 1e-12)
    assert np.abs(base_rates(SEVEN, q, found.smallest_direction)[3:]).max() < 1e-13
    some = rng.normal(size=7)
    turning = np.linalg.norm(base_rates(SEVEN, q, some)[3:])
    assert turning <= found.largest * np.linalg.norm(some) * (1 + 1e-12)
    assert_same(found.map, base_motion_map(SEVEN, q)[3:], "angular rows of the base's motion")
    assert "shoulder_yaw" in str(found)


def test_disturbance_over_joints() -> None:
    robot = percuss.robot("air-bearing-3r")
    grid = {"joint2": np.linspace(-2, 2, 9), "joint3": np.linspace(-1, 1, 5)}
    found = base_disturbance_map(robot, np.zeros(6), grid)
    assert found.values.shape == (9, 5)
    at = np.array([0, 0, 0, 0, grid["joint2"][2], grid["joint3"][1]])
    assert found.values[2, 1] == pytest.approx(base_disturbance(robot, at).largest, rel=1e-12)
    assert attitude_map(robot, at).shape == (1, 3)
    B = np.asarray(attitude_map(robot, at), float)
    M = np.asarray(mass_matrix(robot, at), float)
    solved = -np.linalg.solve(M[:3, :3], M[:3, 3:])[2:]
    assert_same(B, solved, "-M_bb⁻¹ M_bm", 1e-12)
