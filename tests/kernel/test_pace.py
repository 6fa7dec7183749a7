"""Cases that will not come to their end are given up, and no others."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from percuss.kernel.rollouts.pace import FIRST_LOOK, looked, start_state


def attempts_until_hopeless(total: float, most: int, reached: float = 1.0) -> int | None:
    """Of a motion of so many even steps to the time `reached`: when it is given up, None if it is
    not."""
    state = {key: float(value) for key, value in start_state().items()}
    for k in range(1, min(most, int(total)) + 1):
        state, hopeless = looked(state, reached * k / total, float(k), 1.0, most=float(most))
        if hopeless:
            return k
    return None


@given(st.integers(1, 20_000), st.integers(20_000, 60_000))
def test_even_motions_within_the_bound_are_never_given_up(total: int, most: int) -> None:
    assert attempts_until_hopeless(total, most) is None


@given(st.floats(20.0, 1e12), st.integers(20_000, 60_000))
def test_hopeless_motions_are_given_up_at_the_first_look(factor: float, most: int) -> None:
    total = factor * most * (most / FIRST_LOOK) ** 2
    assert attempts_until_hopeless(total, most) == FIRST_LOOK


def test_a_motion_that_gets_easier_goes_on() -> None:
    state, most = {key: float(value) for key, value in start_state().items()}, 50_000.0
    # Five thousand steps for the first hundredth, then ten times longer ones.
    times = [*(0.01 * np.arange(1, 5_001) / 5_000), *(0.01 + 0.99 * np.arange(1, 40_001) / 40_000)]
    for k, time in enumerate(times, 1):
        state, hopeless = looked(state, time, float(k), 1.0, most=most)
        assert not hopeless


def test_time_that_stands_still_is_hopeless() -> None:
    assert attempts_until_hopeless(1e9, 50_000, reached=0.0) == FIRST_LOOK
