"""Effective inertias: what an actuator feels while what nothing drives gives way."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

import percuss
from percuss import kernel
from percuss.dynamics import effective_inertias, mass_matrix
from percuss.dynamics.hybrid import hybrid_forces
from percuss.model import ModelError, System
from tests.dynamics.test_hybrid import Mask, random_mask
from tests.strategies import Array, Case, cases, coupled_cases

THESIS = percuss.robot("thesis")
POSE = [1.0, 2.0, 0.3, 0.4, -0.9]
JOINTS = [False] * 3 + [True] * 2


def dense(system: System, q: Any, driven: Mask) -> Array:
    """The diagonal of M_dd - M_df M_ff⁻¹ M_fd, zeros elsewhere."""
    M = np.asarray(mass_matrix(system, q), float)
    d, f = np.flatnonzero(driven), np.flatnonzero(~driven)
    reduced = M[np.ix_(d, d)] - M[np.ix_(d, f)] @ np.linalg.solve(M[np.ix_(f, f)], M[np.ix_(f, d)])
    found = np.zeros(len(M))
    found[d] = np.diag(reduced)
    return found


@given(cases(), st.integers(0, 2**32 - 1))
def test_it_is_the_schur_complement(case: Case, seed: int) -> None:
    driven = np.random.default_rng(seed).random(case.system.rate_count) < 0.5
    found = effective_inertias(case.system, case.state.q, driven)
    np.testing.assert_allclose(found, dense(case.system, case.state.q, driven), rtol=1e-9)


@given(coupled_cases(max_bodies=6), st.integers(0, 2**32 - 1))
def test_joints_that_follow_others_count(case: Case, seed: int) -> None:
    driven = np.random.default_rng(seed).random(case.system.rate_count) < 0.5
    found = effective_inertias(case.system, case.state.q, driven)
    np.testing.assert_allclose(found, dense(case.system, case.state.q, driven), rtol=1e-8)


@given(cases(max_bodies=6))
def test_it_is_the_force_that_a_unit_acceleration_takes(case: Case) -> None:
    """Newton's second law, by hybrid dynamics: the recursion that carries free rates along."""
    system = case.system.with_gravity((0.0, 0.0, 0.0))
    q, rest = case.state.q, np.zeros(system.rate_count)
    driven = random_mask(np.random.default_rng(case.seed), system)
    found = effective_inertias(system, q, driven)
    for k in np.flatnonzero(driven):
        unit = np.eye(system.rate_count)[k]
        force = np.asarray(hybrid_forces(system, q, rest, rest, a=unit, prescribed=driven), float)[
            k
        ]
        assert found[k] == pytest.approx(force, rel=1e-9)


@given(cases(), st.integers(0, 2**32 - 1))
def test_what_gives_way_only_takes_inertia_away(case: Case, seed: int) -> None:
    driven = np.random.default_rng(seed).random(case.system.rate_count) < 0.5
    felt = effective_inertias(case.system, case.state.q, driven)[driven]
    whole = np.diag(np.asarray(mass_matrix(case.system, case.state.q), float))[driven]
    assert (felt > 0).all()
    assert (felt <= whole * (1 + 1e-12)).all()


def test_two_disks_on_one_axle_feel_each_other() -> None:
    """A motor between inertias I₁ and I₂ that float feels I₁ I₂ / (I₁ + I₂)."""
    wheel = percuss.PlanarLink(length=1.0, mass=2.0, inertia=3.0, com=0.0)
    robot = percuss.planar_arm([wheel], base=percuss.disk("base", mass=8.0, radius=1.0))
    I1, I2 = 4.0, 3.0
    felt = effective_inertias(robot, [0.0, 0.0, 0.0, 0.7], [False] * 3 + [True])
    assert felt[3] == pytest.approx(I1 * I2 / (I1 + I2), rel=1e-14)


def test_compiled_symbolic_and_batched_agree() -> None:
    numbers = effective_inertias(THESIS, POSE, JOINTS)[3:]
    compiled = kernel.compile(lambda q: effective_inertias(THESIS, q, JOINTS)[3:], np.zeros(5))
    np.testing.assert_allclose(compiled(np.array(POSE)), numbers, rtol=1e-13)
    batch = effective_inertias(THESIS, np.array([POSE, POSE]).T, JOINTS)[3:]
    np.testing.assert_allclose(batch.T, [numbers, numbers], rtol=1e-14)
    symbols = sympy.symbols("x y theta q1 q2")
    closed = effective_inertias(THESIS, list(symbols), JOINTS)[3:]
    at = dict(zip(symbols, POSE, strict=True))
    np.testing.assert_allclose([float(x.subs(at)) for x in closed], numbers, rtol=1e-12)


def test_nothing_driven_feels_nothing() -> None:
    assert (effective_inertias(THESIS, POSE, [False] * 5) == np.zeros(5)).all()


@pytest.mark.parametrize("count", [0, 4, 6])
def test_every_rate_must_be_spoken_of(count: int) -> None:
    with pytest.raises(ModelError, match=f"each of the 5 rates of .* got {count} values"):
        effective_inertias(THESIS, POSE, [True] * count)
