"""Energy and momentum balance, on random trees under torques, wrenches, gravity and friction.

Rates of change are differences of order six along the motion, exact to about 1e-12.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given

from percuss.algebra import Force, Pose, Vector3
from percuss.dynamics import (
    center_of_mass,
    coriolis_forces,
    forward_dynamics,
    gravity_forces,
    joint_friction,
    joint_reactions,
    kinetic_energy,
    mass_matrix,
    momentum,
    momentum_matrix,
    potential_energy,
    total_mass,
)
from percuss.kinematics import (
    coordinate_rates,
    difference,
    frame_pose,
    frame_velocity,
    integrate,
)
from percuss.model import WORLD, System
from tests.strategies import Array, Case, cases, planar_systems, random_state
from tests.truth.compare import assert_same, derivative

RATE = 5e-11
"""Tolerance of rates of change."""


def array(value: Any) -> Array:
    return np.array(value.array(), float)


def moving(case: Case) -> tuple[Array, Any, Any]:
    """Accelerations, and coordinates and rates as functions of time near now."""
    system, state = case.system, case.state
    a = forward_dynamics(system, state.q, state.v, state.tau, wrenches=case.wrenches)
    return a, lambda t: integrate(system, state.q, state.v, t), lambda t: state.v + t * a


def about_origin(case: Case) -> Array:
    """The sum of the wrenches about the world's origin."""
    total = Force.zero()
    for frame, wrench in case.wrenches.items():
        at = frame_pose(case.system, case.state.q, frame)
        total = total + Pose(position=at.position).act(wrench)
    return array(total)


def weight(system: System, q: Array) -> Array:
    """Gravity on the whole system as a wrench about the world's origin."""
    force = array(system.gravity) * float(total_mass(system))  # type: ignore[arg-type]
    return np.concatenate([force, np.cross(array(center_of_mass(system, q)), force)])


@given(cases(max_bodies=6, friction=True))
def test_energy_changes_by_the_power_of_all_loads(case: Case) -> None:
    """dT/dt + dU/dt = τ · v + Σ wrench · velocity + friction · v."""
    system, q, v = case.system, case.state.q, case.state.v
    a, q_at, v_at = moving(case)
    change = derivative(
        lambda t: [kinetic_energy(system, q_at(t), v_at(t)), potential_energy(system, q_at(t))]
    )
    rubbed = float(joint_friction(system, v) @ v)
    pushed = sum(
        float(frame_velocity(system, q, v, frame).dot(wrench))  # type: ignore[arg-type]
        for frame, wrench in case.wrenches.items()
    )
    assert rubbed <= 0, f"friction gives energy to the system: {rubbed} W"
    power = case.state.tau @ v + rubbed + pushed
    size = 1.0 + float(np.linalg.norm(mass_matrix(system, q) @ a) * np.linalg.norm(v))
    assert_same(change.sum(), power, "rate of change of the energy (W)", RATE, scale=size)


@given(cases(max_bodies=6, friction=True))
def test_momentum_changes_by_the_forces_from_outside(case: Case) -> None:
    """dp/dt = gravity + wrenches + what the joints on the world pass on, about the origin."""
    system, q, v = case.system, case.state.q, case.state.v
    a, q_at, v_at = moving(case)
    change = derivative(lambda t: array(momentum(system, q_at(t), v_at(t))))
    reactions = joint_reactions(system, q, v, a, wrenches=case.wrenches)
    held = np.zeros(6)
    for joint in system.joints:
        if joint.parent == WORLD:
            turn = frame_pose(system, q, joint.child).rotation
            origin = frame_pose(system, q, joint.child).act(
                joint.child_placement.act_inverse(Vector3.zero())
            )
            force = reactions[joint.name]
            force = Force(turn @ force.linear, turn @ force.angular)
            held += array(Pose(position=origin).act(force))
    expected = weight(system, q) + about_origin(case) + held
    size = 1.0 + float(np.linalg.norm(held)) + float(np.linalg.norm(a))
    assert_same(change, expected, "rate of change of the momentum (N, N m)", RATE, scale=size)


@given(cases(max_bodies=6, base=("free",), friction=True))
def test_what_floats_freely_keeps_its_momentum(case: Case) -> None:
    """Whatever the motors and the friction inside do."""
    system = case.system.with_gravity((0.0, 0.0, 0.0))
    roots = [joint for joint in system.joints if joint.parent == WORLD]
    if len(roots) > 1:
        return
    tau = case.state.tau.copy()
    tau[system.node(roots[0].child).rates] = 0.0
    q, v = case.state.q, case.state.v
    a = forward_dynamics(system, q, v, tau)
    change = derivative(lambda t: array(momentum(system, integrate(system, q, v, t), v + t * a)))
    size = 1.0 + float(np.linalg.norm(mass_matrix(system, q) @ a))
    assert_same(change, np.zeros(6), "momentum of a floating system", RATE, scale=size)


@given(cases(max_bodies=6))
def test_momentum_is_its_matrix_times_the_rates(case: Case) -> None:
    system, q, v = case.system, case.state.q, case.state.v
    for about in ((0.0, 0.0, 0.0), (1.0, -2.0, 3.0), "com"):
        p = array(momentum(system, q, v, about))
        A = momentum_matrix(system, q, about)
        assert_same(A @ v, p, f"momentum about {about}", scale=float(np.linalg.norm(A)))
    M = mass_matrix(system, q)
    assert_same(M, M.T, "mass matrix is symmetric", 1e-15)
    assert np.linalg.eigvalsh(M)[0] > 0, "mass matrix is positive definite"
    assert_same(0.5 * v @ M @ v, kinetic_energy(system, q, v), "½ vᵀ M v is the kinetic energy")


@given(cases(max_bodies=6))
def test_total_momentum_is_mass_times_velocity_of_its_centre(case: Case) -> None:
    system, q, v = case.system, case.state.q, case.state.v
    speed = derivative(lambda t: array(center_of_mass(system, integrate(system, q, v, t))))
    expected = float(total_mass(system)) * speed  # type: ignore[arg-type]
    found = array(momentum(system, q, v).linear)
    assert_same(found, expected, "linear momentum", RATE, scale=1.0)


@given(cases(max_bodies=6))
def test_gravity_forces_are_the_slope_of_the_potential_energy(case: Case) -> None:
    """dU/dt = g(q) · v for any rates v; Coriolis forces do the power ½ vᵀ Ṁ v."""
    system, q, v = case.system, case.state.q, case.state.v
    slope = derivative(lambda t: potential_energy(system, integrate(system, q, v, t)))
    found = gravity_forces(system, q) @ v
    assert_same(found, slope, "power against gravity (W)", RATE, scale=10.0)
    swelling = derivative(
        lambda t: kinetic_energy(system, integrate(system, q, v, t), v), step=1e-3
    )
    coriolis = coriolis_forces(system, q, v)
    size = 1.0 + float(np.linalg.norm(coriolis) * np.linalg.norm(v))
    assert_same(coriolis @ v, swelling, "½ vᵀ Ṁ v = vᵀ h (W)", RATE, scale=size)


@given(cases())
def test_coordinates_follow_the_rates(case: Case) -> None:
    system, q, v = case.system, case.state.q, case.state.v
    found = coordinate_rates(system, q, v)
    expected = derivative(lambda t: integrate(system, q, v, t))
    assert_same(found, expected, "dq/dt", RATE)
    end = integrate(system, q, v, 0.3)
    assert_same(difference(system, q, end), 0.3 * v, "difference undoes integrate")
    back = integrate(system, end, difference(system, end, q))
    apart = difference(system, q, back)
    assert_same(apart, np.zeros_like(v), "integrate undoes difference", scale=1.0)


@given(system=planar_systems())
@pytest.mark.parametrize("seed", [0, 1])
def test_planar_systems_stay_in_their_plane(seed: int, system: System) -> None:
    assert system.is_planar
    state = random_state(np.random.default_rng(seed), system)
    a = forward_dynamics(system, state.q, state.v, state.tau)
    assert np.all(np.isfinite(a))
    p = array(momentum(system, state.q, state.v))
    assert_same(p[2:5], np.zeros(3), "momentum out of the plane", scale=1.0)
    for reaction in joint_reactions(system, state.q, state.v, a).values():
        out = float(reaction.linear.z)  # type: ignore[arg-type]
        assert abs(out) < 1e-12, f"force out of the plane {out} N"
