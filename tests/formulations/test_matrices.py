"""Homogeneous matrices: their frames, and the corrected formulas of the thesis."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from percuss.algebra import Force, Motion, Pose
from percuss.dynamics.formulations import (
    action_matrix,
    congruent,
    is_identically_zero,
    pose_matrix,
    pseudo_scalar_product,
    similar,
    velocity_matrix,
)
from percuss.dynamics.formulations.homogeneous import (
    acceleration_matrix,
    action_force,
    inertial_action,
    kinetic_energy_of,
    l_matrix,
    pseudo_inertia,
    velocity_from_poses,
    velocity_motion,
    weight_action,
)
from percuss.dynamics.formulations.homogeneous_equations import l_matrices
from percuss.model import ModelError, robot, rod
from tests.strategies import Array, random_body, random_pose
from tests.truth.compare import assert_same, derivative

SEEDS = st.integers(0, 2**32 - 1)


def drawn(seed: int) -> tuple[Any, Pose, Motion, Force]:
    """A body, a pose, a velocity and a force."""
    rng = np.random.default_rng(seed)
    motion, force = Motion.of(rng.normal(size=6)), Force.of(rng.normal(size=6))
    return random_body(rng, "body"), random_pose(rng), motion, force


@given(SEEDS)
@settings(max_examples=50, deadline=None)
def test_frames_change_by_similarity_and_by_congruence(seed: int) -> None:
    body, pose, motion, force = drawn(seed)
    M = pose_matrix(pose)
    W, phi, J = velocity_matrix(motion), action_matrix(force), pseudo_inertia(body)
    assert_same(similar(M, W), velocity_matrix(pose.act(motion)), "M W M⁻¹", 1e-13, 5.0)
    assert_same(congruent(M, phi), action_matrix(pose.act(force)), "M Φ Mᵀ", 1e-13, 5.0)
    moved = pose.act(body.spatial_inertia)
    assert_same(congruent(M, J), pseudo_inertia(moved), "M J Mᵀ", 1e-13, 5.0)
    power = pseudo_scalar_product(phi, W)
    assert_same(power, motion.dot(force), "Φ ⊗ W = f · v + c · ω", 1e-13, 5.0)
    elsewhere = pseudo_scalar_product(congruent(M, phi), similar(M, W))
    assert_same(elsewhere, power, "power is the same in every frame", 1e-12, 20.0)
    T = body.spatial_inertia.kinetic_energy(motion)
    assert_same(kinetic_energy_of(W, J), T, "½ Tr(W J Wᵀ)", 1e-13)
    assert_same(kinetic_energy_of(similar(M, W), congruent(M, J)), T, "energy elsewhere", 1e-12)


@given(SEEDS)
@settings(max_examples=30, deadline=None)
def test_matrices_give_back_what_they_are_made_of(seed: int) -> None:
    _, _, motion, force = drawn(seed)
    assert_same(velocity_motion(velocity_matrix(motion)).array(), motion.array(), "W", 0.0)
    assert_same(action_force(action_matrix(force)).array(), force.array(), "Φ", 0.0)
    assert_same(velocity_matrix(list(motion)), velocity_matrix(motion), "six scalars", 0.0)


def test_velocity_is_the_rate_of_the_pose() -> None:
    """W = Ṁ M⁻¹, H = M̈ M⁻¹ = Ẇ + W²."""

    def place(t: float) -> Array:
        return Pose.at((t, t**2, 1 - t), rpy=(0.3 + t, 0.2 * t, -(t**2))).matrix()

    def velocity(t: float) -> Array:
        return velocity_from_poses(place(t), derivative(lambda s: place(t + s)))

    W = velocity(0.4)
    assert_same(W[3], np.zeros(4), "the last row is zero", 1e-12)
    assert_same(W[:3, :3], -W[:3, :3].T, "the rotation block is skew", 1e-10)
    change = derivative(lambda s: velocity(0.4 + s))
    twice = derivative(lambda s: derivative(lambda r: place(0.4 + s + r)))
    H = twice @ np.linalg.inv(place(0.4))
    assert_same(acceleration_matrix(W, change), H, "H = Ẇ + W²", 1e-7, 1.0)


@given(SEEDS)
@settings(max_examples=30, deadline=None)
def test_inertial_action_is_newton_and_euler(seed: int) -> None:
    body, _, motion, force = drawn(seed)
    rate = Motion.of(list(force))
    H = acceleration_matrix(velocity_matrix(motion), velocity_matrix(rate))
    inertia = body.spatial_inertia
    truth = inertia @ rate + motion.cross(inertia @ motion)
    phi = inertial_action(H, pseudo_inertia(body))
    assert_same(action_force(phi).array(), truth.array(), "H J - J Hᵀ", 1e-12, 10.0)
    weight = action_force(weight_action((0.0, -9.81, 0.0), pseudo_inertia(body)))
    assert_same(weight.linear.array(), [0.0, -9.81 * body.mass, 0.0], "weight", 1e-13)


def test_l_matrix_keeps_the_sense_of_rotation() -> None:
    """Erratum of (2.13): with |rate| a joint that turns backwards would seem to turn forwards."""
    for rate in (0.7, -0.7):
        L = l_matrix(velocity_matrix((0.0, 0.0, 0.0, 0.0, 0.0, rate)), rate)
        assert_same(L, velocity_matrix((0.0, 0.0, 0.0, 0.0, 0.0, 1.0)), "L", 1e-15)
        assert L[0, 1] == -1, "L(1,2) of (2.15) is -1"
    with pytest.raises(ModelError, match="must not be 0"):
        l_matrix(np.zeros((4, 4)), 0.0)


def test_l_matrices_of_the_thesis() -> None:
    """Joint 2 in the initial pose turns about the end of link 1, which is at (1, 4)."""
    Ls = l_matrices(robot("thesis"), (1.0, 2.0, np.pi / 2, 0.0, 0.0))
    truth = velocity_matrix((4.0, -1.0, 0.0, 0.0, 0.0, 1.0))
    assert_same(Ls[4], truth, "ᶠL of q2", 1e-15)
    assert_same(Ls[0], velocity_matrix((1.0, 0.0, 0.0, 0.0, 0.0, 0.0)), "ᶠL of x", 1e-15)


def test_pseudo_inertia_of_a_rod_in_symbols() -> None:
    """Erratum of (3.26): symmetric, ∫ x dm in (1,4) and (4,1); about the end m l²/3."""
    m, l = sympy.symbols("m l")
    far_end = Pose.at((-l, 0, 0))
    J = congruent(pose_matrix(far_end), pseudo_inertia(rod("rod", l, m)))
    truth = sympy.zeros(4, 4)
    truth[0, 0], truth[3, 3] = m * l**2 / 3, m
    truth[0, 3] = truth[3, 0] = -m * l / 2
    assert is_identically_zero(J - truth)


def test_hostile_matrices_are_refused() -> None:
    with pytest.raises(ValueError, match="W must be a 4×4 matrix, got 3 rows"):
        velocity_motion(np.eye(3))
    with pytest.raises(ValueError, match="row 1 of Φ must have 4 entries, got 3"):
        action_force(np.zeros((4, 3)))
    with pytest.raises(TypeError, match="must be a 4×4 matrix"):
        similar(1.0, np.eye(4))
    with pytest.raises(ValueError, match="must have 6 entries"):
        velocity_matrix((1.0, 2.0))
