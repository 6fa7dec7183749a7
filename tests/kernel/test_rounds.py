"""Cases that take much longer than others, and cases that would never end."""

from __future__ import annotations

import numpy as np

from percuss import kernel


def spins(_: object, x: np.ndarray, __: object, p: float) -> np.ndarray:
    """A point that goes round at p rad/s."""
    return np.stack([-p * x[1], p * x[0]])


def test_what_a_case_computes_does_not_depend_on_those_beside_it() -> None:
    """Slow and fast motions mixed give the same bits as each by itself, at chosen times too."""
    run = kernel.rollout(spins, state=np.zeros(2), parameters=0.0)
    rng = np.random.default_rng(0)
    rates = np.where(rng.random(200) < 0.05, 400.0, 1.0) * rng.uniform(0.5, 1.0, 200)
    state = np.stack([np.ones(200), np.zeros(200)])
    times = [0.1, 0.7, 2.0]
    together = run(state, rates, times=times)
    for k in (0, int(np.argmax(rates)), 199):
        alone = run(state[:, k], rates[k], times=times)
        np.testing.assert_array_equal(together.state[:, k], alone.state)
        np.testing.assert_array_equal(together.trajectory[..., k], alone.trajectory)
        assert together.steps[k] == alone.steps
    assert together.steps.max() > 20 * np.median(together.steps)
    exact = np.stack([np.cos(2.0 * rates), np.sin(2.0 * rates)])
    np.testing.assert_allclose(together.state, exact, atol=1e-5)


def test_a_case_that_would_never_end_is_given_up_early() -> None:
    """At the pace of its later half it would need a thousand times the steps it may take."""
    run = kernel.rollout(spins, state=np.zeros(2), parameters=0.0)
    rates = np.array([1.0, 1e8, 2.0])
    state = np.stack([np.ones(3), np.zeros(3)])
    found = run(state, rates, duration=50.0)
    expected = [kernel.Status.DONE, kernel.Status.MAX_STEPS, kernel.Status.DONE]
    assert found.status.tolist() == expected
    assert found.attempts[1] == 4096


def test_a_case_that_begins_slowly_is_carried_on() -> None:
    """Fast at first and easy later: far more steps are foreseen early on than are needed."""

    def settles(t: float, x: np.ndarray, _: object, p: float) -> np.ndarray:
        rate = 1.0 + p * np.exp(-10.0 * t)
        return np.stack([-rate * x[1], rate * x[0]])

    run = kernel.rollout(settles, state=np.zeros(2), parameters=0.0)
    found = run(np.array([1.0, 0.0]), 8e3, duration=20.0)
    assert found.attempts > 4096
    assert found.status == kernel.Status.DONE
