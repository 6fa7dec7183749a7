"""Joints that follow others, in every formulation: Lagrange's needs only where the bodies are."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from hypothesis import assume, given, settings

from percuss.dynamics import bias_forces, coriolis_forces, gravity_forces, mass_matrix
from percuss.dynamics.formulations import (
    homogeneous_kinetic_energy,
    is_identically_zero,
    lagrange_equations,
    symbolic_system,
)
from percuss.dynamics.formulations.charts import rates_map, true_coordinates
from percuss.dynamics.formulations.closed_forms import closed_forms
from percuss.dynamics.formulations.homogeneous_equations import (
    homogeneous_bias_forces,
    homogeneous_mass_matrix,
    l_matrices,
)
from percuss.dynamics.formulations.lecture import lecture_bias_forces, lecture_mass_matrix
from percuss.kinematics import jacobian
from percuss.model import (
    WORLD,
    Body,
    Frame,
    Joint,
    Mimic,
    ModelError,
    Planar,
    Prismatic,
    Revolute,
    System,
    disk,
    rod,
)
from percuss.model.systems import Pose
from tests.strategies import Case, coupled_cases
from tests.truth.compare import assert_same

TOLERANCE = 1e-12


def gripper(multiplier: float = -0.5, offset: float = 0.25) -> System:
    """A planar base with an arm whose two fingers are coupled, and the tip of one of them too."""
    joints = (
        Joint("base", Planar(), WORLD, "base"),
        Joint(
            name="arm",
            motion=Revolute(),
            parent="base",
            child="link",
            placement=Pose.at((0.5, 0.0)),
        ),
        Joint(
            name="left",
            motion=Revolute(),
            parent="link",
            child="finger",
            placement=Pose.at((1.0, 0.0)),
        ),
        Joint(
            name="right",
            motion=Mimic(Revolute(), "left", multiplier, offset),
            parent="link",
            child="thumb",
            placement=Pose.at((1.0, 0.2)),
        ),
        Joint(
            name="tip",
            motion=Mimic(Prismatic(), "left", 0.3),
            parent="finger",
            child="nail",
            placement=Pose.at((0.4, 0.0)),
        ),
    )
    bodies = (
        disk("base", 0.5, 10.0),
        rod("link", 1.0, 2.0),
        rod("finger", 0.4, 0.5),
        rod("thumb", 0.4, 0.5),
        Body.planar("nail", 0.1, 0.01, (0.1, 0.0)),
    )
    frames = (Frame("tool", "nail", Pose.at((0.2, 0.0))),)
    return System("gripper", bodies, joints, frames, gravity=(0.5, -2.0))  # type: ignore[arg-type]


@given(coupled_cases(max_bodies=6))
@settings(max_examples=30)
def test_formulations_agree_with_the_recursion(case: Case) -> None:
    system, q, v = case.system, case.state.q, case.state.v
    M, h = mass_matrix(system, q), bias_forces(system, q, v)
    scale = float(np.linalg.norm(M) * (1 + v @ v) + np.abs(h).max())
    assert_same(homogeneous_mass_matrix(system, q), M, "M = Tr(L J Lᵀ)", TOLERANCE)
    assert_same(homogeneous_bias_forces(system, q, v), h, "Φ ⊗ L", TOLERANCE, scale)
    energy = homogeneous_kinetic_energy(system, q, v)
    assert_same(energy, 0.5 * v @ M @ v, "½ Σ Tr(W J Wᵀ)", TOLERANCE)
    x = true_coordinates(system, q)
    E = rates_map(system, x)
    assume(np.linalg.cond(E) < 1e3)
    assert_same(lecture_mass_matrix(system, x), E.T @ M @ E, "M = Σ Jᵀ M J", TOLERANCE)


def test_closed_forms_are_those_of_lagrange() -> None:
    """As polynomials: for all masses, lengths and angles."""
    symbolic = symbolic_system(gripper(), ["tool"])
    forms = closed_forms(symbolic, ["tool"])
    x, v = (
        [quantity.symbol for quantity in part] for part in (symbolic.coordinates, symbolic.rates)
    )
    assert [str(symbol) for symbol in x] == ["x", "y", "theta0", "q1", "q2"]
    lagrange = lagrange_equations(symbolic.system, x, v)
    M = mass_matrix(symbolic.system, sympy.Matrix(x))
    for i in range(5):
        for j in range(5):
            closed = forms.mass_matrix[i][j].as_expression()
            assert is_identically_zero(closed - lagrange.mass_matrix[i, j]), f"M[{i}, {j}]"
            assert is_identically_zero(closed - M[i, j]), f"recursive M[{i}, {j}]"
        coriolis = forms.coriolis_forces[i].as_expression()
        assert is_identically_zero(coriolis - lagrange.coriolis_forces[i]), f"c[{i}]"
        gravity = forms.gravity_forces[i].as_expression()
        assert is_identically_zero(gravity - lagrange.gravity_forces[i]), f"g[{i}]"
    J = jacobian(symbolic.system, sympy.Matrix(x), "tool")
    for i in range(6):
        for j in range(5):
            assert is_identically_zero(forms.jacobians["tool"][i][j].as_expression() - J[i, j])


def test_lecture_sums_agree_on_a_gripper() -> None:
    system = gripper()
    q, v = np.array([0.1, -0.2, 0.3, 0.4, 0.5]), np.array([0.5, 0.4, -0.3, 0.7, -0.6])
    h = coriolis_forces(system, q, v) + gravity_forces(system, q)
    assert_same(lecture_bias_forces(system, q, v), h, "bias forces", TOLERANCE)


def test_a_rate_that_moves_several_joints_has_no_one_direction() -> None:
    with pytest.raises(ModelError, match="'left' moves joint 'right' too"):
        l_matrices(gripper(), np.zeros(5))
