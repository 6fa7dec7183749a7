"""Hybrid dynamics: accelerations prescribed on some rates, forces on the others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from numpy.typing import NDArray

import percuss
from percuss.dynamics import (
    bias_forces,
    forward_dynamics,
    hybrid_dynamics,
    inverse_dynamics,
    joint_friction,
    mass_matrix,
)
from percuss.dynamics.hybrid import hybrid_forces
from percuss.model import WORLD, Free, Joint, ModelError, Planar, Spherical, System
from tests.kernel.tracing.running import run_traced
from tests.strategies import Array, Case, cases
from tests.tracers import jax, jnp
from tests.truth.compare import assert_same

Mask = NDArray[np.bool_]

TOLERANCE = 1e-11


def random_mask(rng: np.random.Generator, system: System) -> Mask:
    """True or false for each block of rates that can be prescribed on its own."""
    mask = np.zeros(system.rate_count, bool)
    for node in system.tree:
        motion = node.joint.motion
        units = np.array(motion.rate_units)
        own = rng.random(motion.rate_count) < 0.5
        if isinstance(motion, (Free, Planar, Spherical)):
            for unit in ("m/s", "rad/s"):
                own[units == unit] = rng.random() < 0.5
        mask[node.rates] = own
    return mask


def jacobian_forces(case: Case) -> Array:
    """Σ Jᵀ f of the wrenches, from what inverse dynamics needs less with them."""
    system, state = case.system, case.state
    without = inverse_dynamics(system, state.q, state.v, state.a)
    return without - inverse_dynamics(system, state.q, state.v, state.a, wrenches=case.wrenches)


def partitioned(case: Case, mask: Mask) -> Array:
    """v̇ by the dense equations: M_ff v̇_f = τ_f - h_f - M_fp a_p."""
    system, state = case.system, case.state
    M = mass_matrix(system, state.q)
    load = (
        jacobian_forces(case)
        + joint_friction(system, state.v)
        - bias_forces(system, state.q, state.v)
    )
    free = ~mask
    found = state.a.copy()
    right = (state.tau + load)[free] - M[np.ix_(free, mask)] @ state.a[mask]
    found[free] = np.linalg.solve(M[np.ix_(free, free)], right)
    return found


@given(cases(max_bodies=6, friction=True))
def test_agrees_with_the_partitioned_mass_matrix(case: Case) -> None:
    system, state = case.system, case.state
    mask = random_mask(np.random.default_rng(case.seed), system)
    found = hybrid_dynamics(
        system, state.q, state.v, state.tau, a=state.a, prescribed=mask, wrenches=case.wrenches
    )
    expected = partitioned(case, mask)
    M = mass_matrix(system, state.q)[np.ix_(~mask, ~mask)]
    condition = np.linalg.cond(M) if len(M) else 1.0
    assert_same(found, expected, "v̇", max(TOLERANCE, 1e-15 * float(condition)))
    assert (found[mask] == state.a[mask]).all(), "a prescribed acceleration is returned as it is"


@given(cases(max_bodies=6, friction=True))
def test_forces_are_those_of_inverse_dynamics(case: Case) -> None:
    system, state = case.system, case.state
    mask = random_mask(np.random.default_rng(case.seed), system)
    driven = (system, state.q, state.v, state.tau)
    a = hybrid_dynamics(*driven, a=state.a, prescribed=mask, wrenches=case.wrenches)
    found = hybrid_forces(*driven, a=state.a, prescribed=mask, wrenches=case.wrenches)
    expected = inverse_dynamics(system, state.q, state.v, a, wrenches=case.wrenches)
    size = float(np.linalg.norm(mass_matrix(system, state.q)) * np.linalg.norm(a))
    assert_same(found, expected, "τ", TOLERANCE, scale=size)
    assert (found[~mask] == state.tau[~mask]).all(), "a given force is returned as it is"


@given(cases(max_bodies=8, friction=True))
def test_limits(case: Case) -> None:
    system, state = case.system, case.state
    none, every = np.zeros(system.rate_count, bool), np.ones(system.rate_count, bool)
    arguments = (system, state.q, state.v, state.tau)
    known: dict[str, Any] = {"a": state.a, "wrenches": case.wrenches}
    np.testing.assert_array_equal(
        hybrid_dynamics(*arguments, prescribed=none, **known),
        forward_dynamics(system, state.q, state.v, state.tau, wrenches=case.wrenches),
    )
    np.testing.assert_array_equal(hybrid_dynamics(*arguments, prescribed=every, **known), state.a)
    assert_same(
        hybrid_forces(*arguments, prescribed=every, **known),
        inverse_dynamics(system, state.q, state.v, state.a, wrenches=case.wrenches),
        "τ with everything prescribed",
        1e-12,
    )


@settings(max_examples=10)
@given(cases(max_bodies=4))
def test_batches_and_jax_values(case: Case) -> None:
    system, state = case.system, case.state
    mask = random_mask(np.random.default_rng(case.seed), system)
    expected = hybrid_dynamics(system, state.q, state.v, state.tau, a=state.a, prescribed=mask)
    values = (state.q, state.v, state.tau, state.a)
    q, v, tau, a = (np.stack([x, x], axis=-1) for x in values)
    batch = hybrid_dynamics(system, q, v, tau, a=a, prescribed=mask)
    np.testing.assert_allclose(batch[:, 1], expected, rtol=1e-12, atol=1e-12)
    found = run_traced(
        lambda q, v, tau, a: hybrid_dynamics(system, q, v, tau, a=a, prescribed=mask), *values
    )
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)
    if jax is not None:
        with jax.enable_x64(True):
            q, v, tau, a = map(jnp.asarray, values)
            found = hybrid_dynamics(system, q, v, tau, a=a, prescribed=mask)
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)


def test_symbols() -> None:
    """A rod about its end: I = m l² / 3 = 1 kg m²."""
    arm = percuss.planar_arm([percuss.PlanarLink(length=1.0, mass=3.0)], name="pendulum")
    speed, push = sympy.symbols("a t")
    found = hybrid_dynamics(arm, [0.0], [0.0], [push], a=[speed], prescribed=[False])
    assert sympy.simplify(found[0] - push) == 0
    assert hybrid_forces(arm, [0.0], [0.0], [push], a=[speed], prescribed=[True])[0] - speed == 0


def test_what_is_not_asked_for_does_not_leak_in() -> None:
    system = percuss.robot("demo-7")
    rng = np.random.default_rng(0)
    q, v = percuss.neutral(system), rng.normal(size=13)
    mask = np.array([False] * 3 + [True] * 3 + [False] * 7)
    tau, a = rng.normal(size=(2, 13))
    clean = hybrid_dynamics(system, q, v, tau, a=a, prescribed=mask)
    forces, rates = np.where(mask, np.nan, tau), np.where(mask, a, np.nan)
    found = hybrid_dynamics(system, q, v, forces, a=rates, prescribed=mask)
    np.testing.assert_array_equal(found, clean)


def test_a_prescribed_axis_needs_no_inertia() -> None:
    """A thin rod cannot be accelerated about its own axis by a torque, but can be told to."""
    rod = percuss.free_body(percuss.rod("needle", 1.0, 1.0))
    a = np.arange(6.0)
    mask = [False] * 3 + [True] * 3
    found = hybrid_dynamics(rod, percuss.neutral(rod), np.zeros(6), None, a=a, prescribed=mask)
    assert np.isfinite(found).all()
    with pytest.raises(ModelError, match="nothing resists"):
        hybrid_dynamics(rod, percuss.neutral(rod), np.zeros(6), None, a=a, prescribed=[False] * 6)


@pytest.mark.parametrize(
    ("mask", "complaint"),
    [
        ([True, False, True, True, True], "linear rates are prescribed together"),
        ([True] * 4, r"prescribed must have 5 entries \(base.x"),
    ],
)
def test_masks_that_are_refused(mask: list[bool], complaint: str) -> None:
    with pytest.raises(ModelError, match=complaint):
        hybrid_dynamics(
            percuss.robot("thesis"), [0.0] * 5, [0.0] * 5, None, a=[0.0] * 5, prescribed=mask
        )


def test_joints_that_turn_are_prescribed_block_by_block() -> None:
    cube = percuss.robot("cube")
    for mask in ([True, True, False] + [False] * 3, [True] * 3 + [False, True, True]):
        with pytest.raises(ModelError, match=r"is free: its (linear|angular) rates"):
            hybrid_dynamics(
                cube, percuss.neutral(cube), [0.0] * 6, None, a=[0.0] * 6, prescribed=mask
            )
    ball = Joint("ball", Spherical(), WORLD, cube.base.name)
    held = System("held", cube.bodies, (ball,))
    with pytest.raises(ModelError, match="'ball' is spherical: its angular rates"):
        hybrid_dynamics(
            held, [1.0, 0, 0, 0], [0.0] * 3, None, a=[0.0] * 3, prescribed=[True, True, False]
        )
