"""The matrices of the thesis's planar system, to the digits printed."""

from __future__ import annotations

import math

import numpy as np
import pytest

import percuss

Q = [1.0, 2.0, math.pi / 2, 0.0, 0.0]
V = [0.1, -0.2, 0.3, -0.4, 0.5]
M = [
    [120, 0, -45, -45, -15],
    [0, 120, 0, 0, 0],
    [-45, 0, 193.333333333333, 143.333333333333, 60],
    [-45, 0, 143.333333333333, 143.333333333333, 60],
    [-15, 0, 60, 60, 30],
]


@pytest.fixture
def thesis() -> percuss.System:
    return percuss.robot("thesis")


def test_mass_matrix(thesis: percuss.System) -> None:
    np.testing.assert_allclose(percuss.mass_matrix(thesis, Q), M, atol=1e-12)


def test_velocity_terms(thesis: percuss.System) -> None:
    np.testing.assert_allclose(percuss.bias_forces(thesis, Q, V), [0, -2.7, 0, 0, 0], atol=1e-14)
    np.testing.assert_allclose(
        percuss.coriolis_forces(thesis, Q, V), [0, -2.7, 0, 0, 0], atol=1e-14
    )


def test_jacobian_of_the_tool(thesis: percuss.System) -> None:
    found = percuss.jacobian(thesis, Q, "tool")[:2]
    np.testing.assert_allclose(found, [[1, 0, -5, -5, -3], [0, 1, 0, 0, 0]], atol=1e-14)


def test_jacobian_of_the_grip() -> None:
    """The object's centre is 1 m above the contact, so its spin moves the contact along +x."""
    target = percuss.robot("thesis-target")
    pose = [1.0, 8.0, math.pi / 2 + math.pi - 0.5]
    grip = percuss.frame_pose(target, pose, "grip").position.array()
    np.testing.assert_allclose(grip, [1.0, 7.0, 0.0], atol=1e-14)
    found = percuss.jacobian(target, pose, "grip")[:2]
    np.testing.assert_allclose(found, [[1, 0, 1], [0, 1, 0]], atol=1e-14)


def test_friction_opposes_motion_and_is_smooth(thesis: percuss.System) -> None:
    rubbed = thesis.with_parameters(
        {"joint1.friction.viscous": 2.0, "joint2.friction.coulomb": 3.0}
    )
    force = percuss.joint_friction(rubbed, V)
    np.testing.assert_allclose(force, [0, 0, 0, 0.8, -3.0 * 0.5 / math.hypot(0.5, 1e-3)])
    assert not percuss.joint_friction(rubbed, np.zeros(5)).any()
    tau = percuss.inverse_dynamics(rubbed, Q, V, np.zeros(5))
    np.testing.assert_allclose(tau, np.array([0, -2.7, 0, 0, 0]) - force, atol=1e-13)
    again = percuss.forward_dynamics(rubbed, Q, V, tau)
    np.testing.assert_allclose(again, np.zeros(5), atol=1e-13)


def test_nan_in_the_state_is_not_hidden(thesis: percuss.System) -> None:
    q = [math.nan, *Q[1:]]
    assert np.isfinite(percuss.mass_matrix(thesis, q)).all(), "the mass matrix ignores position"
    v = [math.nan, *V[1:]]
    assert np.isnan(percuss.forward_dynamics(thesis, Q, v)).any()
    assert np.isnan(percuss.mass_matrix(thesis, [0, 0, 0, 0, math.inf])).any()
