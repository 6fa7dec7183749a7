"""Whether a motion is stiff: eigenvalues, stability of explicit methods, what they then need."""

# ruff: noqa: ARG001, ARG005 - user functions take (t, x, u, p) whether they use them or not

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from percuss.kernel.errors import KernelError
from percuss.kernel.rollouts.attempt import Status
from percuss.kernel.rollouts.methods import Adaptive, Dop853, Rosenbrock, dop853_tableau
from percuss.kernel.rollouts.methods.dormand_prince import COEFFICIENTS, WEIGHTS
from percuss.kernel.rollouts.problem import Controller
from percuss.kernel.rollouts.rollout import rollout
from percuss.kernel.rollouts.stiffness import REACH, Stiffness, stiffness

MATRIX = rollout(lambda t, x, u, p: p @ x, state=np.zeros(4), parameters=np.zeros((4, 4)))


@settings(deadline=None, max_examples=25)
@given(
    st.lists(st.floats(-1e6, -1.0), min_size=2, max_size=2),
    st.floats(-1e6, 1e6),
    st.integers(0, 2**32 - 1),
)
def test_fastest_decay(decays: list[float], turns: float, seed: int) -> None:
    """Eigenvalues are given; a pair that turns without decay does not count."""
    rng = np.random.default_rng(seed)
    basis = np.linalg.qr(rng.normal(size=(4, 4)))[0]
    core = np.zeros((4, 4))
    core[:2, :2] = np.diag(decays)
    core[2:, 2:] = [[0.0, turns], [-turns, 0.0]]
    found = stiffness(MATRIX, rng.normal(size=4), basis @ core @ basis.T)
    assert found.decay == pytest.approx(-min(decays), rel=1e-9, abs=1e-8 * abs(turns))


def stability(rows: np.ndarray, weights: np.ndarray, z: float) -> float:
    """|R(z)| of an explicit method."""
    inner = np.linalg.solve(np.eye(len(weights)) - z * rows, np.ones(len(weights)))
    return float(abs(1.0 + z * (weights @ inner)))


def test_reach_of_explicit_methods() -> None:
    """The stability functions themselves, from the coefficients."""
    rows = np.zeros((6, 6))
    for i, row in enumerate(COEFFICIENTS):
        rows[i, : len(row)] = row
    count = dop853_tableau.STAGES
    table = np.asarray(dop853_tableau.COEFFICIENTS)
    tables = {
        Adaptive: (rows, np.array(WEIGHTS)),
        Dop853: (table[:count, :count], table[count, :count]),
    }
    for method, (a, b) in tables.items():
        inside = np.linspace(0.05, 0.99 * REACH[method], 200)
        assert all(stability(a, b, -z) <= 1.0 for z in inside)
        assert stability(a, b, -1.02 * REACH[method]) > 1.0


def rubbed(t: Any, x: Any, u: Any, p: Any) -> Any:
    """A body with dry friction, smoothed over 1e-4 m/s, drawn along by a slow spring."""
    return np.stack([x[1], np.sin(t) - x[0] - 2.0 * x[1] / np.sqrt(x[1] ** 2 + 1e-8)])


def test_where_an_explicit_method_gives_up() -> None:
    """Not stiff while it slides; stiff where it sticks: from there on a stiff method goes on."""
    explicit = rollout(rubbed, state=np.zeros(2), method=Dop853(1e-9, 1e-12, most_steps=1500))
    start = np.array([0.0, 3.0])
    assert not stiffness(explicit, start).is_stiff(20.0)
    stalled = explicit(start, duration=20.0)
    assert stalled.status == Status.MAX_STEPS
    reached, left = float(stalled.time), 20.0 - float(stalled.time)
    found = stiffness(explicit, stalled.state, time=reached)
    assert found.is_stiff(left)
    # At rest 2/1e-4 1/s; it creeps, as friction without a true standstill does.
    assert 1e4 < found.decay < 2e4
    assert found.sentence(left).startswith("Rosenbrock: motions decay at up to 1.")
    stiff = rollout(rubbed, state=np.zeros(2), method=Rosenbrock(1e-9, 1e-12))
    result = stiff(stalled.state, start=reached, duration=left)
    assert result.status == Status.DONE
    assert result.steps < 3000
    through = stiff(start, duration=20.0)
    np.testing.assert_allclose(result.state, through.state, atol=1e-8)


def test_steps_and_words() -> None:
    found = Stiffness(decay=640.0)
    assert found.steps(10.0, Dop853) == pytest.approx(1000.0)
    assert not found.is_stiff(10.0)
    assert found.is_stiff(100.0)
    assert found.sentence(10.0) == (
        "Dop853: motions decay at up to 640 1/s, which asks for 1e+03 steps at least in 10 s"
    )
    with pytest.raises(KernelError, match="Adaptive, Dop853; got Rosenbrock"):
        found.steps(1.0, Rosenbrock)


@pytest.mark.parametrize("period", [None, 0.1])
def test_through_a_control_law(period: float | None) -> None:
    """Gains of a law that follows the state count; those of a sampled one act between samples."""
    run = rollout(
        lambda t, x, u, p: u,
        state=0.0,
        controller=Controller(lambda t, x, m, p: (-1e5 * x, m), memory=0.0, period=period),
    )
    assert stiffness(run, 1.0).decay == pytest.approx(0.0 if period else 1e5)


def test_refuses() -> None:
    with pytest.raises(KernelError, match=r"one state of one case.*got \[\(4, 2\)\]"):
        stiffness(MATRIX, np.zeros((4, 2)), np.eye(4))
    root = rollout(lambda t, x, u, p: np.sqrt(x), state=0.0)
    with pytest.raises(KernelError, match=r"not finite at t = 0\.0 s, at the state 0\.0"):
        stiffness(root, 0.0)
