"""Rodas5P: the conditions of its order, and the order that its steps and its dense output show."""

# ruff: noqa: ARG001 - user functions take (t, x, u, p) whether they use them or not

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from percuss import kernel
from percuss.kernel.rollouts.methods import Rosenbrock
from percuss.kernel.rollouts.methods.linearisation import Linearisation
from percuss.kernel.rollouts.methods.rosenbrock import (
    COUPLINGS,
    GAMMA,
    INCREMENTS,
    INTERPOLATION,
    NODES,
    TIME_WEIGHTS,
)
from percuss.kernel.rollouts.methods.trial import StepEquation

STAGES = len(COUPLINGS)


def lower(rows: Any) -> np.ndarray:
    matrix = np.zeros((STAGES, STAGES))
    for i, row in enumerate(rows):
        matrix[i, : len(row)] = row
    return matrix


_later = [(*INCREMENTS[-1], *(1.0,) * k) for k in (1, 2, 3)]
WEIGHTS = np.array(_later[2])
# Back to the coefficients α, γ, b of the method as it is defined (Hairer and Wanner, (7.4)).
GAMMAS = np.linalg.inv(np.eye(STAGES) / GAMMA - lower(COUPLINGS))
ALPHA = lower([*INCREMENTS, *_later[:2]]) @ GAMMAS
BETA = ALPHA + GAMMAS
A, B = ALPHA.sum(axis=1), BETA.sum(axis=1)


def conditions(weights: np.ndarray, order: int, theta: float = 1.0) -> list[float]:
    """What is left of each condition of order (Hairer and Wanner II, table 7.1), at θ."""
    b, inner = weights, ALPHA @ B
    by_order = {
        1: [b.sum() - theta],
        2: [b @ B - theta**2 / 2],
        3: [b @ A**2 - theta**3 / 3, b @ BETA @ B - theta**3 / 6],
        4: [
            b @ A**3 - theta**4 / 4,
            b @ (A * inner) - theta**4 / 8,
            b @ BETA @ A**2 - theta**4 / 12,
            b @ BETA @ BETA @ B - theta**4 / 24,
        ],
        5: [
            b @ A**4 - theta**5 / 5,
            b @ (A**2 * inner) - theta**5 / 10,
            b @ inner**2 - theta**5 / 20,
            b @ (A * (ALPHA @ A**2)) - theta**5 / 15,
            b @ (A * (ALPHA @ BETA @ B)) - theta**5 / 30,
            b @ BETA @ A**3 - theta**5 / 20,
            b @ BETA @ (A * inner) - theta**5 / 40,
            b @ BETA @ BETA @ A**2 - theta**5 / 60,
            b @ BETA @ BETA @ BETA @ B - theta**5 / 120,
        ],
    }
    return [left for k in range(1, order + 1) for left in by_order[k]]


def test_conditions_of_order() -> None:
    np.testing.assert_allclose(A, [*NODES, 1.0, 1.0, 1.0], atol=2e-14)
    np.testing.assert_allclose(GAMMAS.sum(axis=1), [*TIME_WEIGHTS, 0.0, 0.0, 0.0], atol=2e-14)
    b, embedded = WEIGHTS @ GAMMAS, (WEIGHTS - np.eye(STAGES)[-1]) @ GAMMAS
    np.testing.assert_allclose(conditions(b, 5), 0.0, atol=3e-14)
    np.testing.assert_allclose(conditions(embedded, 4), 0.0, atol=3e-14)
    assert np.abs(conditions(embedded, 5)[8:]).max() > 1e-3, "the estimate would be blind"


@pytest.mark.parametrize("theta", [0.1, 0.35, 0.5, 0.8, 1.0])
def test_conditions_of_dense_output(theta: float) -> None:
    first, second, third = np.array(INTERPOLATION)
    weights = theta * (WEIGHTS + (1 - theta) * (first + theta * (second + theta * third)))
    np.testing.assert_allclose(conditions(weights @ GAMMAS, 4, theta), 0.0, atol=5e-14)


def test_damps_what_is_fast() -> None:
    """Both formulas: |R| ≤ 1 on the imaginary axis, so in all of the left half plane; R(∞) = 0."""
    one = np.ones(STAGES)
    for weights in (WEIGHTS, WEIGHTS - np.eye(STAGES)[-1]):
        b = weights @ GAMMAS
        for y in np.logspace(-3, 6, 400):
            inner = np.linalg.solve(np.eye(STAGES) - 1j * y * BETA, one)
            assert abs(1.0 + 1j * y * (b @ inner)) <= 1.0 + 1e-12
        assert 1.0 - b @ np.linalg.solve(BETA, one) == pytest.approx(0.0, abs=1e-13)


# --- as it runs ----------------------------------------------------------------------------------


def forced(t: Any, x: Any, u: Any, p: Any) -> Any:
    """A damped pendulum whose stiffness varies with time."""
    return np.stack([x[1], -np.sin(x[0]) - 0.1 * x[1] + 0.5 * np.sin(1.3 * t) * x[0]])


def prothero_robinson(t: Any, x: Any, u: Any, p: Any) -> Any:
    """The solution is sin(t + ½), whatever p."""
    return np.stack([p * (x[0] - np.sin(t + 0.5)) + np.cos(t + 0.5)])


def fixed(step: float) -> Rosenbrock:
    """Steps of one length."""
    return Rosenbrock(relative=1e12, absolute=1e12, first_step=step, largest_step=step)


@pytest.fixture(scope="module")
def swung() -> Any:
    """The solution of `forced` by other means."""
    start = (1.0, 0.2)
    return solve_ivp(
        lambda t, x: forced(t, x, None, None),
        (0.0, 4.0),
        start,
        method="DOP853",
        rtol=1e-13,
        atol=1e-15,
        dense_output=True,
    ).sol


def test_order_by_halving(swung: Any) -> None:
    errors = []
    for count in (20, 40, 80, 160):
        run = kernel.rollout(forced, state=np.zeros(2), method=fixed(4.0 / count))
        result = run(swung(0.0), duration=4.0)
        assert result.steps in (count, count + 1)
        errors.append(np.abs(result.state - swung(4.0)).max())
    orders = np.log2(np.divide(errors[:-1], errors[1:]))
    assert (orders > 4.9).all(), orders


@pytest.mark.parametrize("rate", [-1e2, -1e4, -1e6, -1e8])
def test_stiff_rate_towards_a_smooth_solution(rate: float) -> None:
    """No worse than the order without stiffness, and better by 1/|rate| where it is stiff."""
    for count in (10, 20, 40, 80):
        h = 2.0 / count
        run = kernel.rollout(prothero_robinson, state=np.zeros(1), parameters=0.0, method=fixed(h))
        result = run(np.array([np.sin(0.5)]), rate, duration=2.0)
        error = abs(result.state[0] - np.sin(2.5))
        assert error <= min(0.05 * h**3 / abs(rate), 2e-4 * h**4) + 4e-16, (count, error)


def test_dense_output_to_its_order(swung: Any) -> None:
    """Within one step the error falls with the fifth power of its length."""

    def rates(t: Any, z: Any) -> Any:
        return forced(t, z, None, None)

    linearisation = Linearisation(rates, 2)

    def between(t: Any, z: Any, h: Any, theta: Any) -> Any:
        motion = StepEquation(rates, linearisation.at)
        trial = Rosenbrock().trial(motion, t, z, h, k1=rates(t, z))
        return trial.dense(theta), trial.z

    step = kernel.compile(between, 0.0, np.zeros(2), 0.0, 0.0)
    shares = np.linspace(0.0, 1.0, 11)
    worst = []
    for h in (0.2, 0.1, 0.05, 0.025):
        start, count = swung(1.0), len(shares)
        inside, end = step(
            np.full(count, 1.0), np.repeat(start[:, None], count, 1), np.full(count, h), shares
        )
        np.testing.assert_allclose(inside[:, -1], end[:, -1], rtol=1e-14)
        np.testing.assert_array_equal(inside[:, 0], start)
        worst.append(np.abs(inside - swung(1.0 + shares * h)).max())
    orders = np.log2(np.divide(worst[:-1], worst[1:]))
    assert (orders > 4.85).all(), orders
