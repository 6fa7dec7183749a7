"""Cases that take much longer than others, and cases that would never end."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from percuss import kernel
from percuss.kernel.backends.llvm_iteration import compiled_iteration
from percuss.kernel.iteration import Iteration
from percuss.kernel.rollouts.attempt import RUNNING
from percuss.kernel.rollouts.plan import SegmentPlan
from percuss.kernel.rollouts.rounds import Clock, in_rounds
from percuss.kernel.tracing.function import trace


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


def test_single_precision_comes_to_an_end_at_its_own_rounding_of_a_time() -> None:
    method = kernel.Adaptive(1e-4, 1e-5)
    run = kernel.rollout(spins, state=np.zeros(2), parameters=0.0, method=method, dtype=np.float32)
    rates = np.linspace(1.0, 300.0, 100)
    found = run(np.array([1.0, 0.0]), rates, times=[0.1, 0.7, 1.3])
    assert (found.status == kernel.Status.DONE).all()
    np.testing.assert_array_equal(found.time, np.float32(1.3))


def test_a_case_that_would_never_end_is_given_up_early() -> None:
    """At the pace of its later half it would need a thousand times the steps it may take."""
    run = kernel.rollout(spins, state=np.zeros(2), parameters=0.0)
    rates = np.array([1.0, 1e8, 2.0])
    state = np.stack([np.ones(3), np.zeros(3)])
    found = run(state, rates, duration=50.0)
    expected = [kernel.Status.DONE, kernel.Status.MAX_STEPS, kernel.Status.DONE]
    assert found.status.tolist() == expected
    assert found.attempts[1] == 4096


def test_a_case_that_is_slow_for_a_while_is_carried_on() -> None:
    """A burst amid a long motion takes thousands of steps in a second, and is over."""

    def bursts(t: float, x: np.ndarray, _: object, p: float) -> np.ndarray:
        return 100.0 * np.exp(-(((t - 5.0) / 0.3) ** 2)) * np.cos(p * t) + 0.0 * x

    method = kernel.Dop853(1e-10, 1e-12)
    run = kernel.rollout(bursts, state=np.zeros(1), parameters=0.0, method=method)
    found = run(np.zeros(1), 1e3, duration=600.0)
    assert found.attempts > 4096
    assert found.status == kernel.Status.DONE


def test_a_case_that_begins_slowly_is_carried_on() -> None:
    """Fast at first and easy later: far more steps are foreseen early on than are needed."""

    def settles(t: float, x: np.ndarray, _: object, p: float) -> np.ndarray:
        rate = 1.0 + p * np.exp(-10.0 * t)
        return np.stack([-rate * x[1], rate * x[0]])

    run = kernel.rollout(settles, state=np.zeros(2), parameters=0.0)
    found = run(np.array([1.0, 0.0]), 8e3, duration=20.0)
    assert found.attempts > 4096
    assert found.status == kernel.Status.DONE


WIDTH = 8
"""Cases in a vector of the machine that is played here."""


class Played:
    """Cases that need a number of attempts each, in vectors, as machine code would run them."""

    def __init__(self) -> None:
        self.attempts = 0
        """Of whole vectors."""

    def __call__(
        self,
        state: np.ndarray,
        parameters: np.ndarray,
        targets: np.ndarray,
        iterations: np.ndarray,
        patience: int,
    ) -> tuple[np.ndarray, np.ndarray]:
        needed, after = parameters[0], state.copy()
        for first in range(0, state.shape[1], WIDTH):
            group = slice(first, first + WIDTH)
            made, need, idle = after[3, group], needed[group], 0
            bearable = patience * WIDTH if state.shape[1] > WIDTH else np.inf
            for _ in range(int(iterations[0])):
                made += made < need
                self.attempts += 1
                idle += int(np.sum(made >= need))
                if np.all(made >= need) or idle >= bearable:
                    break
        after[0] = targets[0, 0] * after[3] / needed
        return after[3:][None].copy(), after


def attempts_together(needed: np.ndarray) -> float:
    """Attempts of vectors for cases that need so many each; all of them must have made theirs."""
    count = len(needed)
    state = np.stack([np.zeros(count), np.full(count, RUNNING), np.ones(count), np.zeros(count)])
    one = np.ones(())
    plan = SegmentPlan(
        targets=np.ones((1, 1)),
        iterations=np.array([10**6]),
        ends=np.array([0]),
        times=None,
        begin=0 * one,
        finish=one,
        most=one,
    )
    played = Played()
    made = in_rounds(
        played, state, needed[None].astype(float), plan, clock=Clock(0, 1, 2), library=np
    )
    np.testing.assert_array_equal(made[0, 0], needed)
    return played.attempts


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(1, 3000), min_size=1, max_size=200))
def test_every_case_makes_its_attempts_and_no_more(needed: list[int]) -> None:
    attempts_together(np.array(needed))


def test_vectors_are_full_though_some_cases_take_much_longer() -> None:
    """One case in 25 takes 19 to 38 times as long: all of them cost little more than they must."""
    rng = np.random.default_rng(0)
    usual = rng.integers(38, 46, 4096)
    needed = usual.copy()
    slow = rng.choice(4096, 164, replace=False)
    needed[slow] = 800 * 2 ** rng.uniform(0.0, 1.0, 164)
    assert attempts_together(needed) < 1.08 * needed.sum() / WIDTH
    assert attempts_together(usual) <= usual.reshape(-1, WIDTH).max(axis=1).sum()


def test_a_few_that_go_on_for_ever_are_not_gathered_for_ever() -> None:
    """Each round takes a quarter of the cases away, or is twice as patient."""
    rounds = 0

    class Counted(Played):
        def __call__(self, *arguments: Any) -> tuple[np.ndarray, np.ndarray]:
            nonlocal rounds
            rounds += 1
            return super().__call__(*arguments)

    needed = np.full((1, 20), 20_000.0)
    needed[0, :3] = 10.0
    state = np.stack([np.zeros(20), np.full(20, RUNNING), np.ones(20), np.zeros(20)])
    one = np.ones(())
    plan = SegmentPlan(
        targets=np.ones((1, 1)),
        iterations=np.array([10**6]),
        ends=np.array([0]),
        times=None,
        begin=0 * one,
        finish=one,
        most=one,
    )
    in_rounds(Counted(), state, needed, plan, clock=Clock(0, 1, 2), library=np)
    assert rounds < 12


def counting() -> Iteration:
    """A case counts from zero to its parameter."""
    step = trace(lambda n, _, p: (np.where(n < p, n + 1.0, n), n + 1.0 < p), 0.0, 0.0, 0.0)
    return Iteration(
        step=step.program,
        observe=trace(lambda n, _, __: n, 0.0, 0.0, 0.0).program,
        state_count=1,
        target_count=1,
        parameter_count=1,
        votes=True,
    )


def test_a_vector_leaves_when_its_finished_cases_have_idled_long_enough() -> None:
    run = compiled_iteration(counting(), np.dtype(float))
    lanes = run.target.lanes
    needed = np.full((1, 2 * lanes), 10.0)
    needed[0, 0] = 1000.0
    schedule = np.zeros_like(needed), needed, np.zeros((1, 1)), np.array([10**6])
    patient, _ = run(*schedule)
    np.testing.assert_array_equal(patient[0], needed)
    records, ends = run(*schedule, 4)
    np.testing.assert_array_equal(records[0], ends)
    np.testing.assert_array_equal(records[0, 0, 1:], 10.0)
    # From the tenth step on all lanes but one idle.
    assert records[0, 0, 0] == 9 + -(-4 * lanes // (lanes - 1))
    alone, _ = run(schedule[0][:, :lanes], needed[:, :lanes], *schedule[2:], 4)
    np.testing.assert_array_equal(alone[0], needed[:, :lanes])


def test_a_case_that_was_refused_a_step_does_not_lengthen_the_next() -> None:
    control = kernel.Dop853.control
    easy = np.array(1e-6)
    noted = control.noted(easy, np.array(0.5), np.array(True))
    assert control.factor(easy, noted, np.array(True)) == pytest.approx(0.9 * 1e-6 ** (-1 / 8))
    refused = control.noted(np.array(3.0), noted, np.array(False))
    assert control.factor(easy, refused, np.array(True)) == 1.0
    assert control.factor(np.array(0.9), refused, np.array(True)) < 1.0
    again = control.noted(easy, refused, np.array(True))
    assert control.factor(easy, again, np.array(True)) > 1.0


def test_corners_cost_few_refused_steps() -> None:
    """A push that switches twice in each turn, as an actuator at its limits does."""

    def switched(t: float, x: np.ndarray, _: object, p: float) -> np.ndarray:
        push = np.clip(1e3 * np.sin(p * t), -1.0, 1.0)
        return np.stack([x[1], push - x[0]])

    method = kernel.Dop853(1e-10, 1e-12)
    run = kernel.rollout(switched, state=np.zeros(2), parameters=0.0, method=method)
    found = run(np.zeros(2), 20.0, duration=10.0)
    assert found.status == kernel.Status.DONE
    assert found.attempts < 2 * found.steps
