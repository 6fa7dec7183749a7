"""Cases that will not come to their end are given up, and no others."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from percuss.kernel.rollouts.pace import FAR, FIRST_LOOK, FIRST_STEADY, looked, start_state


def attempts_until_hopeless(total: float, most: int, reached: float = 1.0) -> int | None:
    """Of a motion of so many even steps to the time `reached`: when it is given up, None if it is
    not."""
    state = {key: float(value) for key, value in start_state().items()}
    for k in range(1, min(most, int(total)) + 1):
        state, hopeless = looked(state, reached * k / total, float(k), 1.0, float(most))
        if hopeless:
            return k
    return None


@given(st.integers(1, 20_000), st.integers(20_000, 60_000))
def test_even_motions_within_the_bound_are_never_given_up(total: int, most: int) -> None:
    assert attempts_until_hopeless(total, most) is None


@given(st.floats(1.1, 1e12), st.integers(20_000, 60_000))
def test_hopeless_motions_are_given_up_at_the_first_look(factor: float, most: int) -> None:
    assert attempts_until_hopeless(factor * FAR * most, most) == FIRST_STEADY


@given(st.floats(1.0005, 1.02), st.integers(20_000, 60_000))
def test_motions_whose_steps_grow_go_on(growth: float, most: int) -> None:
    """The time scale grows, as in a reaction over many powers of ten: what is left is done soon,
    however much that is."""
    steps = 30.0 / np.log10(growth)
    state = {key: float(value) for key, value in start_state().items()}
    for k in range(1, min(FIRST_LOOK, int(steps))):
        state, hopeless = looked(state, 1e-30 * growth**k, float(k), 1.0, float(most))
        assert not hopeless, f"given up after {k} of {int(steps)} steps"


def test_a_motion_that_gets_easier_goes_on() -> None:
    state, most = {key: float(value) for key, value in start_state().items()}, 50_000.0
    # Five thousand steps for the first hundredth, then ten times longer ones.
    times = [*(0.01 * np.arange(1, 5_001) / 5_000), *(0.01 + 0.99 * np.arange(1, 40_001) / 40_000)]
    for k, time in enumerate(times, 1):
        state, hopeless = looked(state, time, float(k), 1.0, most)
        assert not hopeless


def test_a_pace_that_falls_is_given_up_sooner() -> None:
    """Steps half as long after each look: what they need at present is the least of it."""
    state, most, time = {key: float(value) for key, value in start_state().items()}, 50_000.0, 0.0
    step = 0.5 / most  # twice as many as are allowed, at first
    for k in range(1, 20_000):
        time += step * FIRST_STEADY / max(k, FIRST_STEADY / 8)
        state, hopeless = looked(state, time, float(k), 1.0, most)
        if hopeless:
            assert k < most / 4
            return
    raise AssertionError("a motion that comes to a halt goes on")


def test_time_that_stands_still_is_hopeless() -> None:
    assert attempts_until_hopeless(1e9, 50_000, reached=0.0) == FIRST_STEADY
