"""Derivatives of mechanics and of control laws: JAX's values, with no more operations."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import percuss
from percuss.kernel.calculus import jacobian, orthogonal_groups, sparsity, tangent
from percuss.kernel.calculus.reverse import adjoint
from percuss.kernel.program import Program
from percuss.kernel.rollouts.methods import RK4
from percuss.kernel.rollouts.rollout import rollout
from percuss.kernel.tracing.function import trace
from tests.impact.captures import random_contact, thesis
from tests.impact.test_scalars import at, jump_as_arrays, state
from tests.kernel.calculus.oracle import assert_close, evaluated, function_of
from tests.oracles import to_pinocchio
from tests.strategies import random_state, random_system
from tests.tracers import jax, jnp, needs_jax

Function = Callable[[Any], Any]
TOLERANCE = 1e-13
"""Of the largest number of a case; each is a sum of some thousand terms that partly cancel."""


def accelerations(system: percuss.System) -> tuple[Function, np.ndarray]:
    """Forward dynamics of x = (q, v, τ), with random states (inputs, 7)."""
    nq, nv = system.coordinate_count, system.rate_count
    rng = np.random.default_rng(2)
    states = [random_state(rng, system) for _ in range(7)]
    cases = np.stack([np.concatenate([s.q, s.v, s.tau]) for s in states], -1)
    return (
        lambda x: percuss.forward_dynamics(system, x[:nq], x[nq : nq + nv], x[nq + nv :]),
        cases,
    )


def jump(closure: str, contact: Any) -> tuple[Function, np.ndarray]:
    """An impact as a function of all coordinates and rates."""
    start = np.concatenate(state(contact))
    ends = np.cumsum([len(part) for part in state(contact)])[:-1]

    def after(x: Any) -> Any:
        return jnp.concatenate(jump_as_arrays(closure, at(contact, *jnp.split(x, ends))))

    moved = start[:, None] + 0.1 * np.random.default_rng(3).normal(size=(len(start), 7))
    return after, moved


def law(x: Any) -> Any:
    """What a control law may say: gains, limits, tables, dead zones, angles, norms."""
    gains = jnp.array([[1.0, 0.2, 0.0, -0.5], [0.0, 2.0, -1.0, 0.1]])
    held = jnp.clip(gains @ x, -1.0, 1.0)
    table = jnp.interp(x[0], jnp.array([-1.0, 0.5, 2.0]), jnp.array([1.0, 3.0, -1.0]))
    dead = jnp.where(jnp.abs(x) > 0.3, x - 0.3 * jnp.sign(x), 0.0)
    root = jnp.where(x > 0, jnp.sqrt(jnp.where(x > 0, x, 1.0)), 0.0)
    angle = jnp.mod(jnp.arctan2(x[0], x[1]) + jnp.pi, 2 * jnp.pi) - jnp.pi
    size = jnp.linalg.norm(x)
    powers = x**3 + jnp.abs(x) ** 0.3 + 2.0**x + 1 / (1 + x**2) + jax.nn.sigmoid(x)
    largest = jnp.max(x[:3]) + x[jnp.argmin(x)]
    steps, _ = jax.lax.scan(lambda c, row: (jnp.tanh(c) * 0.5 + row, None), 0.0, x)
    outer = jnp.outer(x, held).ravel() + jnp.cumsum(jnp.exp(-x))[0]
    return jnp.concatenate(
        [held, dead, root, powers, outer, jnp.stack([table, angle, size, largest, steps])]
    )


def backward_of(function: Function) -> Callable[[Any, Any], Any]:
    def backward(x: Any, w: Any) -> Any:
        value, pull = jax.vjp(function, x)
        return value, pull(w)

    return backward


def compare(function: Function, cases: np.ndarray, primal: Program | None = None) -> None:
    """Values at the cases (inputs, batch) and operation counts, forward and backward."""
    x = np.zeros(len(cases))
    program = trace(function, x).program if primal is None else primal
    w = np.zeros(len(program.outputs))
    rng = np.random.default_rng(5)
    theirs_forward = trace(lambda x, dx: jax.jvp(function, (x,), (dx,)), x, x).program
    theirs_backward = trace(backward_of(function), x, w).program
    for ours, theirs, directions in (
        (tangent(program), theirs_forward, len(x)),
        (adjoint(program), theirs_backward, len(w)),
    ):
        assert ours.operation_count <= theirs.operation_count
        inputs = np.concatenate([cases, rng.normal(size=(directions, cases.shape[1]))])
        expected = evaluated(theirs, inputs)
        assert_close(evaluated(ours, inputs), expected, TOLERANCE, 1 + np.abs(expected).max(0))


@needs_jax
@pytest.mark.parametrize("name", ["thesis", "demo-7", "two-arms"])
def test_forward_dynamics(name: str) -> None:
    compare(*accelerations(percuss.robot(name)))


def test_the_seven_joint_arm_takes_less_than_jax_writes() -> None:
    """JAX's Jacobian-vector product has 5,623 operations, its transpose 5,821."""
    function, cases = accelerations(percuss.robot("demo-7"))
    program = trace(function, np.zeros(len(cases))).program
    assert tangent(program).operation_count <= 5490
    assert adjoint(program).operation_count <= 5460


@needs_jax
@settings(max_examples=6)
@given(st.integers(0, 2**32 - 1))
def test_random_trees(seed: int) -> None:
    rng = np.random.default_rng(seed)
    compare(*accelerations(random_system(rng, int(rng.integers(1, 6)))))


@needs_jax
@pytest.mark.parametrize("closure", ["pin", "weld", "bounce"])
def test_closures(closure: str) -> None:
    compare(*jump(closure, thesis()))
    compare(*jump(closure, random_contact(np.random.default_rng(8), 3, planar=False)))


@needs_jax
def test_control_laws() -> None:
    compare(law, np.random.default_rng(4).normal(size=(4, 200)))


@needs_jax
def test_steps_of_a_rollout() -> None:
    """The program of a step as it runs, by JAX operation by operation."""
    system = percuss.robot("thesis")
    count = system.coordinate_count

    def motion(t: Any, x: Any, u: Any, p: Any) -> Any:
        del t, u, p
        q, v = x[:count], x[count:]
        rates = percuss.coordinate_rates(system, q, v)
        return jnp.concatenate([rates, percuss.forward_dynamics(system, q, v)])

    run = rollout(motion, state=np.zeros(count + system.rate_count), method=RK4(1e-3))
    step = run.iteration.step
    cases = np.random.default_rng(6).normal(size=(step.input_count, 5))
    compare(function_of(step), cases, step)


def test_the_structure_of_forward_dynamics_is_known() -> None:
    """Accelerations in free space do not depend on where the base is; on all else they do."""
    system = percuss.robot("demo-7")
    function, cases = accelerations(system)
    program = trace(function, np.zeros(len(cases))).program
    pattern = sparsity(program)
    assert {column for _, column in pattern.entries} == set(range(3, len(cases)))
    assert len(orthogonal_groups(pattern)) == len(cases) - 3
    by_force = range(len(cases) - system.rate_count, len(cases))
    whole, forces = jacobian(program, by_force)
    # One evaluation for all thirteen columns costs little more than a single direction.
    assert whole.operation_count < 1.2 * tangent(program).operation_count
    found = forces.dense(evaluated(whole, cases)[system.rate_count :])
    for case in range(cases.shape[1]):
        mass = percuss.mass_matrix(system, cases[: system.coordinate_count, case])
        product = np.asarray(mass, float) @ found[..., case]
        np.testing.assert_allclose(product, np.eye(system.rate_count), rtol=0, atol=1e-12)


@settings(max_examples=10)
@given(st.integers(0, 2**32 - 1))
def test_derivatives_of_forward_dynamics_agree_with_pinocchio(seed: int) -> None:
    """Joints of one coordinate on a fixed base: there coordinates and rates need no chart."""
    pinocchio: Any = importlib.import_module("pinocchio")
    rng = np.random.default_rng(seed)
    system = random_system(rng, int(rng.integers(2, 7)), ("revolute", "prismatic"), ("fixed",))
    size, s = system.rate_count, random_state(rng, system)
    function, _ = accelerations(system)
    whole, pattern = jacobian(trace(function, np.zeros(3 * size)).program)
    point = np.concatenate([s.q, s.v, s.tau])[:, None]
    found = pattern.dense(evaluated(whole, point)[size:])[..., 0]
    twin = to_pinocchio(system)
    order = np.stack([twin.rates(s.q, unit) for unit in np.eye(size)], -1)
    pin_q, pin_v = twin.coordinates(s.q), twin.rates(s.q, s.v)
    data = twin.model.createData()
    pinocchio.computeABADerivatives(twin.model, data, pin_q, pin_v, twin.forces(s.q, s.tau))
    inverse = np.triu(data.Minv) + np.triu(data.Minv, 1).T
    parts = [order.T @ part @ order for part in (data.ddq_dq, data.ddq_dv, inverse)]
    expected = np.concatenate(parts, axis=1)
    scale = 1 + np.abs(expected).max()
    np.testing.assert_allclose(found / scale, expected / scale, rtol=0, atol=1e-12)
