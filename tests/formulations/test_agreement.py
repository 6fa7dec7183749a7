"""Lagrange, homogeneous matrices, the lecture's sums and the recursion are one mechanics."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import assume, given, settings

from percuss.algebra import Force
from percuss.dynamics import (
    bias_forces,
    gravity_forces,
    inverse_dynamics,
    kinetic_energy,
    mass_matrix,
    potential_energy,
)
from percuss.dynamics.formulations import (
    action_matrix,
    congruent,
    homogeneous_kinetic_energy,
    lagrange_equations,
    velocity_matrix,
)
from percuss.dynamics.formulations.charts import (
    chart_coordinates,
    chart_names,
    chart_poses,
    rates_map,
    rates_map_derivative,
    true_coordinates,
)
from percuss.dynamics.formulations.homogeneous_equations import (
    generalized_forces,
    homogeneous_bias_forces,
    homogeneous_mass_matrix,
    pose_matrices,
    velocity_matrices,
)
from percuss.dynamics.formulations.lecture import (
    lecture_bias_forces,
    lecture_mass_matrix,
    lecture_mass_matrix_derivatives,
)
from percuss.kinematics import difference, frame_velocity, poses
from percuss.model import ModelError, System
from tests.strategies import Array, Case, cases, random_state, random_system
from tests.tracers import traced
from tests.truth.compare import assert_same, derivative
from tests.truth.symbols import evaluate

TOLERANCE = 1e-12


def in_chart(system: System, q: Array, v: Array) -> tuple[Array, Array, Array, Array]:
    """x, ẋ, E and Ė of a state."""
    x = true_coordinates(system, q)
    E = rates_map(system, x)
    x_dot = np.linalg.solve(E, v)
    parts = [rates_map_derivative(system, x, k) * x_dot[k] for k in range(len(x))]
    return x, x_dot, E, np.sum(parts, axis=0)


def steep(E: Array) -> bool:
    """Whether the chart is near its end, where angles say little."""
    return bool(np.linalg.cond(E) > 1e3)


def size_of_forces(case: Case) -> float:
    """What the parts of the bias forces add up to before they cancel."""
    system, state = case.system, case.state
    weights = sum(float(body.mass) for body in system.bodies) * 10.0  # type: ignore[arg-type]
    return weights + float(np.linalg.norm(mass_matrix(system, state.q)) * (1 + state.v @ state.v))


@given(cases(max_bodies=6))
@settings(max_examples=40, deadline=None)
def test_homogeneous_matrices_agree_with_the_recursion(case: Case) -> None:
    system, q, v = case.system, case.state.q, case.state.v
    M = mass_matrix(system, q)
    assert_same(homogeneous_mass_matrix(system, q), M, "M = Tr(L J Lᵀ)", TOLERANCE)
    h, scale = bias_forces(system, q, v), size_of_forces(case)
    assert_same(homogeneous_bias_forces(system, q, v), h, "Φ ⊗ L", TOLERANCE, scale)
    T = kinetic_energy(system, q, v)
    assert_same(homogeneous_kinetic_energy(system, q, v), T, "½ Tr(W J Wᵀ)", TOLERANCE)


@given(cases(max_bodies=5))
@settings(max_examples=20, deadline=None)
def test_velocity_matrices_are_those_of_the_bodies(case: Case) -> None:
    system, q, v = case.system, case.state.q, case.state.v
    matrices, places = velocity_matrices(system, q, v), pose_matrices(system, q)
    for body in system.bodies:
        truth = velocity_matrix(frame_velocity(system, q, v, body.name, reference="world-origin"))
        assert_same(matrices[body.name], truth, f"W of {body.name}", TOLERANCE, 10.0)
        assert_same(places[body.name], poses(system, q)[body.name].matrix(), "pose", TOLERANCE)


@given(cases(max_bodies=5))
@settings(max_examples=20, deadline=None)
def test_generalized_forces_come_from_the_actions_downstream(case: Case) -> None:
    system, q = case.system, case.state.q
    zero, body = np.zeros(system.rate_count), system.bodies[-1].name
    wrench = Force.of((1.0, -2.0, 0.5, 0.3, 0.7, -1.1))
    # Forces that act on a body are missing from what the joints have to give.
    weightless = system.with_gravity((0.0, 0.0, 0.0))
    truth = -inverse_dynamics(weightless, q, zero, zero, wrenches={body: wrench})
    place = np.eye(4)
    place[:3, 3] = pose_matrices(system, q)[body][:3, 3]
    phi = congruent(place, action_matrix(wrench))
    assert_same(generalized_forces(system, q, {body: phi}), truth, "Σ Φ ⊗ L", TOLERANCE, 10.0)


@given(cases(max_bodies=4))
@settings(max_examples=25, deadline=None)
def test_the_lecture_agrees_with_the_recursion(case: Case) -> None:
    system, q, v = case.system, case.state.q, case.state.v
    x, x_dot, E, E_dot = in_chart(system, q, v)
    assume(not steep(E))
    M, h = mass_matrix(system, q), bias_forces(system, q, v)
    scale = size_of_forces(case) * (1 + float(np.linalg.norm(x_dot) ** 2))
    assert_same(lecture_mass_matrix(system, x), E.T @ M @ E, "Σ Jᵀ M J", TOLERANCE)
    truth = E.T @ (h + M @ E_dot @ x_dot)
    assert_same(lecture_bias_forces(system, x, x_dot), truth, "h from Ṁ, ∂M/∂q", TOLERANCE, scale)


@pytest.mark.parametrize("kind", ["revolute", "planar", "spherical", "free"])
def test_mass_matrix_derivatives_of_the_lecture(kind: str) -> None:
    rng = np.random.default_rng(4)
    system = random_system(rng, 2, (kind,), (kind,))
    x = true_coordinates(system, random_state(rng, system).q)
    for k, change in enumerate(lecture_mass_matrix_derivatives(system, x)):
        unit = np.eye(len(x))[k]
        truth = derivative(lambda t, e=unit: lecture_mass_matrix(system, x + t * e))
        assert_same(change, truth, f"∂M/∂x_{k}", 1e-10, float(np.linalg.norm(truth)) + 1.0)


@pytest.mark.parametrize(
    "kinds",
    [
        ("revolute", "prismatic", "revolute"),
        ("prismatic", "revolute", "prismatic"),
        ("planar", "revolute"),
        ("planar", "planar"),
        ("fixed", "revolute", "revolute"),
        ("spherical", "revolute"),
        ("revolute", "spherical"),
        ("free", "prismatic"),
        ("free", "revolute"),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("seed", [2])
def test_classic_lagrange_agrees_with_the_recursion(kinds: tuple[str, ...], seed: int) -> None:
    rng = np.random.default_rng(seed)
    system = random_system(rng, len(kinds), kinds[1:], kinds[:1])
    state = random_state(rng, system)
    x, x_dot, E, E_dot = in_chart(system, state.q, state.v)
    wrench = Force.of(rng.normal(size=6))
    frame = system.frames[0].name
    derived = lagrange_equations(system, wrenches={frame: wrench})
    numbers = dict(zip((*derived.coordinates, *derived.rates), (*x, *x_dot), strict=True))

    def value(expression: Any) -> Array:
        return evaluate(expression, numbers)

    M, h = mass_matrix(system, state.q), bias_forces(system, state.q, state.v)
    size = system.rate_count
    assert_same(value(derived.mass_matrix).reshape(size, size), E.T @ M @ E, "M", TOLERANCE)
    truth = E.T @ (h + M @ E_dot @ x_dot)
    scale = float(np.linalg.norm(M)) * (1 + float(x_dot @ x_dot))
    assert_same(value(derived.bias_forces), truth, "c + g", TOLERANCE, scale)
    g = E.T @ gravity_forces(system, state.q)
    assert_same(value(derived.gravity_forces), g, "∂U/∂x", TOLERANCE, scale)
    assert_same(value(derived.rates_map).reshape(size, size), E, "E", TOLERANCE)
    T, U = kinetic_energy(system, state.q, state.v), potential_energy(system, state.q)
    assert_same(value(derived.kinetic_energy), [T], "T", TOLERANCE)
    assert_same(value(derived.potential_energy), [U], "U", TOLERANCE, scale)
    zero = np.zeros(size)
    weightless = system.with_gravity((0.0, 0.0, 0.0))
    work = -inverse_dynamics(weightless, state.q, zero, zero, wrenches={frame: wrench})
    assert_same(value(derived.generalized_forces), E.T @ work, "Q", TOLERANCE, 10.0)


@given(cases(max_bodies=4))
@settings(max_examples=20, deadline=None)
def test_chart_gives_the_same_pose_and_rates(case: Case) -> None:
    system, q, v = case.system, case.state.q, case.state.v
    x, x_dot, E, _E_dot = in_chart(system, q, v)
    assume(not steep(E))
    back = chart_coordinates(system, x)
    assert np.max(np.abs(difference(system, q, back))) < 1e-11, "the chart leads elsewhere"
    for pose, body in zip(chart_poses(system, x), system.tree, strict=True):
        assert_same(pose.matrix(), poses(system, q)[body.body.name].matrix(), "pose", 1e-11)
    assert len(chart_names(system)) == system.rate_count
    moved = derivative(lambda t: difference(system, back, chart_coordinates(system, x + t * x_dot)))
    assert_same(moved, v, "v = E ẋ", 1e-8, 1.0)


def test_the_formulations_run_on_jax_and_on_batches() -> None:
    rng = np.random.default_rng(8)
    system = random_system(rng, 3, ("revolute", "prismatic"), ("planar",))
    states = [random_state(rng, system) for _ in range(3)]
    q, v = (np.stack([getattr(s, key) for s in states], axis=-1) for key in "qv")
    batch_M, batch_h = homogeneous_mass_matrix(system, q), homogeneous_bias_forces(system, q, v)
    lecture = lecture_bias_forces(system, q, v)
    for k, state in enumerate(states):
        truth = bias_forces(system, state.q, state.v)
        assert_same(batch_M[..., k], mass_matrix(system, state.q), "batch of M", TOLERANCE)
        assert_same(batch_h[..., k], truth, "batch of h", TOLERANCE, 10.0)
        assert_same(lecture[..., k], truth, "batch of the lecture's h", TOLERANCE, 10.0)
    truth = bias_forces(system, states[0].q, states[0].v)
    found = traced(lambda q, v: homogeneous_bias_forces(system, q, v), states[0].q, states[0].v)
    for tracer, values in found.items():
        assert_same(values, truth, tracer, TOLERANCE, 10.0)


def test_hostile_input_is_refused() -> None:
    rng = np.random.default_rng(1)
    system = random_system(rng, 2, ("revolute",), ("revolute",))
    a = sympy.Symbol("a")
    with pytest.raises(ModelError, match="must be 2 SymPy symbols"):
        lagrange_equations(system, [a])
    with pytest.raises(ModelError, match="2 different symbols"):
        lagrange_equations(system, [a, a])
    with pytest.raises(ValueError, match="v must have 2 entries"):
        homogeneous_bias_forces(system, [0.0, 0.0], [1.0])
    with pytest.raises(ValueError, match="4×4"):
        generalized_forces(system, [0.0, 0.0], {"body 1": np.eye(3)})
    with pytest.raises(ModelError, match="body 7"):
        generalized_forces(system, [0.0, 0.0], {"body 7": np.eye(4)})
