"""PD gains from a frequency: what the coupled system of base, arm and target makes of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given
from hypothesis import strategies as st

import percuss
from percuss.algebra import Pose, Rotation, Vector3
from percuss.control import TreePlant, hold, pd, pd_gains
from percuss.model.attach import attach
from tests.control.closed_loop import errors, linear_error, motion, small_robot
from tests.strategies import Array

MODES = ("fixed", "free-floating", "attitude-controlled", "free-flying")
FREQUENCY = 3.0


def holding(mode: str, grasp: str, rng: np.random.Generator) -> tuple[TreePlant, Array]:
    """A spatial robot in a random pose, with nothing in its hand or with a cube."""
    robot = small_robot(mode)
    step = rng.uniform(-np.pi, np.pi, robot.rate_count)
    q = np.asarray(percuss.integrate(robot, percuss.neutral(robot), step), float)
    if grasp == "nothing":
        return TreePlant(robot), q
    placed = Pose(Rotation.identity(), Vector3(*rng.uniform(-1.0, 1.0, 3).tolist()))
    target = percuss.robot("cube").prefixed("target_")
    whole = attach(robot, target, "tool", placed, joint=grasp).joined
    return TreePlant(whole, robot.rate_count), np.concatenate([q, percuss.neutral(whole)[len(q) :]])


def driven_inertia(plant: TreePlant, q: Array) -> Array:
    """M* = M_dd - M_df M_ff⁻¹ M_fd: what the actuators feel together."""
    M = np.asarray(percuss.mass_matrix(plant.system, q), float)
    driven = np.array([*plant.actuated, *[False] * (plant.rate_count - plant.own_rates)])
    d, f = np.flatnonzero(driven), np.flatnonzero(~driven)
    return M[np.ix_(d, d)] - M[np.ix_(d, f)] @ np.linalg.solve(M[np.ix_(f, f)], M[np.ix_(f, d)])


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from(MODES),
    st.sampled_from(["nothing", "spherical", "fixed"]),
    st.floats(0.1, 2.0),
)
def test_modes_are_bounded_below_by_what_was_asked(
    seed: int, mode: str, grasp: str, ratio: float
) -> None:
    """M* q̈ + Kd q̇ + Kp q = 0 has modes λ² + 2ζωn μ λ + ωn² μ = 0 with Σ 1/μ = n, so μ ≥ 1/n."""
    plant, q = holding(mode, grasp, np.random.default_rng(seed))
    own = np.array(plant.actuated)
    kp, kd = (np.asarray(k, float) for k in pd_gains(plant, q, FREQUENCY, ratio))
    np.testing.assert_allclose(kd, 2.0 * ratio / FREQUENCY * kp, rtol=1e-12)
    reduced, count = driven_inertia(plant, q), int(own.sum())
    mu = scipy.linalg.eigh(np.diag(kp[own]) / FREQUENCY**2, reduced, eigvals_only=True)
    assert np.sum(1.0 / mu) == pytest.approx(count, rel=1e-7)
    assert mu.min() >= (1.0 - 1e-9) / count


@given(st.integers(0, 2**32 - 1), st.sampled_from(MODES), st.sampled_from(["spherical", "fixed"]))
def test_no_mode_is_quicker_than_with_base_and_target_held(
    seed: int, mode: str, grasp: str
) -> None:
    """The diagonal of the whole mass matrix would only add stiffness."""
    plant, q = holding(mode, grasp, np.random.default_rng(seed))
    own = np.array(plant.actuated)
    kp = np.asarray(pd_gains(plant, q, 1.0, 1.0)[0], float)[own]
    held = np.diag(np.asarray(percuss.mass_matrix(plant.system, q), float))[: len(own)][own]
    reduced = driven_inertia(plant, q)
    felt, whole = (scipy.linalg.eigh(np.diag(D), reduced, eigvals_only=True) for D in (kp, held))
    assert (felt <= whole * (1.0 + 1e-8)).all()


def test_one_joint_on_a_free_base_is_the_oscillator_it_was_tuned_for() -> None:
    """A rod mounted at the centre of a floating disk: the inertia between them is constant."""
    arm = percuss.PlanarLink(length=1.5, mass=4.0)
    robot = percuss.planar_arm([arm], base=percuss.disk("base", mass=10.0, radius=0.5))
    plant = TreePlant(robot.with_mode("free-floating"))
    goal = np.array([0.0, 0.0, 0.0, 0.3])
    law = pd(plant, hold(plant, goal), *pd_gains(plant, goal, 2.0, 0.4))
    times = np.linspace(0.0, 3.0, 16)
    start = np.array([0.0, 0.0, 0.0, 0.8])
    # At rest as a whole: base and rod turn against each other.
    q_at, _, _ = motion(plant, law, start, np.zeros(4), times)
    expected = linear_error(np.array([0.5]), np.zeros(1), 4.0, 1.6, times)
    np.testing.assert_allclose(errors(plant, goal, q_at)[:, 3:], expected, atol=1e-10)


def test_one_driven_joint_with_a_swinging_target_has_the_poles_asked_for() -> None:
    """Linearised about rest: λ² + 2ζωn λ + ωn² = 0, and the free swing beside it."""
    arm = percuss.planar_arm([percuss.PlanarLink(length=2.0, mass=5.0)])
    target = percuss.robot("thesis-target").prefixed("target_")
    placed = Pose(Rotation.identity(), Vector3(0.6, 0.8, 0.0))
    plant = TreePlant(attach(arm, target, "tool", placed, joint="pin").joined, 1)
    goal = np.array([0.4])
    q = np.array([0.4, 0.0])
    law = pd(plant, hold(plant, goal), *pd_gains(plant, q, 3.0, 0.25))

    def accelerations(e: float, rate: float) -> Any:
        state = q + np.array([e, 0.0]), np.array([rate, 0.0])
        return np.asarray(plant.accelerations(*state, law.command(0.0, *state, None)[0]), float)[0]

    nudge = 1e-6
    stiffness = (accelerations(nudge, 0.0) - accelerations(-nudge, 0.0)) / (2 * nudge)
    damping = (accelerations(0.0, nudge) - accelerations(0.0, -nudge)) / (2 * nudge)
    assert stiffness == pytest.approx(-9.0, rel=1e-8)
    assert damping == pytest.approx(-1.5, rel=1e-8)
