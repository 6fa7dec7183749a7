"""Events at the same instant that leave one another alone: each happens once."""

# ruff: noqa: ARG001, ARG005 - user functions take (t, x, u, p) whether they use them or not

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from percuss.kernel.rollouts import arrival
from percuss.kernel.rollouts.attempt import Status
from percuss.kernel.rollouts.methods import RK4, Adaptive, Method
from percuss.kernel.rollouts.problem import Event
from percuss.kernel.rollouts.rollout import Rollout, rollout
from tests.kernel.entries import replaced

METHODS: list[Method] = [RK4(0.05), Adaptive(1e-10, 1e-12)]
NAMES = ["RK4", "Adaptive"]
COARSE: list[Method] = [RK4(0.5), Adaptive(1e-6, 1e-9)]
START = np.array([1.0, 3.0, 0.7])
"""States that decay alike, as exp(-t/2): all reach the same share of themselves at once."""


def decay(t: Any, x: Any, u: Any, p: Any) -> Any:
    return -x / 2


def falls(k: int, direction: int = -1, **options: Any) -> Event:
    """State k falls to the size p[k]."""
    return Event(lambda t, x, u, p: x[k] ** 2 - p[k] ** 2, direction, **options)


def together(method: Method, *events: Event, **options: Any) -> Rollout:
    return rollout(
        decay,
        state=np.zeros(3),
        parameters=np.zeros(3),
        method=method,
        events=events,
        **options,
    )


def when(share: float) -> float:
    return -2.0 * np.log(share)


@pytest.mark.parametrize("backend", ["llvm", "numpy"])
@pytest.mark.parametrize("method", METHODS + COARSE, ids=[*NAMES, "coarse RK4", "coarse Adaptive"])
@pytest.mark.parametrize("direction", [-1, 0])
@pytest.mark.parametrize("count", [2, 3])
def test_without_an_action_each_happens_once(
    method: Method, direction: int, count: int, backend: str
) -> None:
    run = together(method, *(falls(k, direction) for k in range(count)), backend=backend)
    result = run(START, 0.02 * START, duration=20.0)
    assert result.status == Status.DONE
    np.testing.assert_array_equal(result.event_count, 1)
    # Coarse steps are coarse, but all events of the instant see the same step.
    np.testing.assert_allclose(result.event_time, result.event_time[0], rtol=0, atol=3e-7)
    np.testing.assert_allclose(result.event_time, when(0.02), rtol=0, atol=1e-3)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.floats(-1.0, 5.0), min_size=3, max_size=3),
    st.floats(0.1, 8.0),
    st.floats(0.0, 1000.0),
)
def test_of_whatever_size(exponents: list[float], time: float, start: float) -> None:
    """Values from 0.01 to 1e10: rounding of the largest is far above that of the smallest."""
    x = 10.0 ** np.array(exponents)
    for run in SIZES:
        result = run(x, np.exp(-time / 2) * x, start=start, duration=10.0)
        assert result.status == Status.DONE
        np.testing.assert_array_equal(result.event_count, 1)


SIZES = [
    together(method, *(falls(k, direction) for k in range(3)))
    for method in (METHODS[0], METHODS[1], COARSE[0])
    for direction in (-1, 0)
]


def test_more_at_an_instant_than_stalls_are_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each event may take its turn at the instant: waiting for others is no accumulation."""
    monkeypatch.setattr(arrival, "MOST_STALLS", 1.0)
    run = together(RK4(0.05), *(falls(k) for k in range(3)))
    result = run(START, 0.5 * START, duration=2.0)
    assert result.status == Status.DONE
    np.testing.assert_array_equal(result.event_count, 1)


# --- beside one with an action ------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS + COARSE, ids=[*NAMES, "coarse RK4", "coarse Adaptive"])
@pytest.mark.parametrize("direction", [-1, 0])
@pytest.mark.parametrize("actor", [0, 1, 2])
def test_mixed_with_one_that_acts(method: Method, direction: int, actor: int) -> None:
    """Whichever of three acts, on a state that none of them watches: each still counts once."""
    events = [
        Event(
            lambda t, x, u, p, k=k: x["r"][k] ** 2 - p[k] ** 2,
            direction,
            (lambda t, x, u, p: x | {"n": x["n"] + 1.0}) if k == actor else None,
        )
        for k in range(3)
    ]
    run = rollout(
        lambda t, x, u, p: {"r": -x["r"] / 2, "n": 0.0},
        state={"r": np.zeros(3), "n": 0.0},
        parameters=np.zeros(3),
        method=method,
        events=events,
    )
    result = run({"r": START, "n": 0.0}, 0.3 * START, duration=5.0)
    assert result.status == Status.DONE
    np.testing.assert_array_equal(result.event_count, 1)
    assert result.state["n"] == 1.0


@pytest.mark.parametrize("method", METHODS, ids=NAMES)
@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_an_action_throws_another_off_its_zero(method: Method, order: tuple[int, int]) -> None:
    """State 1 grows fourfold when both have halved: it falls there again, and counts again."""
    events = [falls(0, action=lambda t, x, u, p: replaced(x, 1, 4.0 * x[1])), falls(1)]
    run = together(method, *(events[k] for k in order))
    result = run(START, 0.5 * START, duration=6.0)
    assert result.status == Status.DONE
    count = dict(zip(order, result.event_count, strict=True))
    time = dict(zip(order, result.event_time, strict=True))
    assert count == {0: 1, 1: 2}
    assert time[0] == pytest.approx(when(0.5), abs=1e-7)
    assert time[1] == pytest.approx(when(0.5) + when(0.25), abs=1e-7)


@pytest.mark.parametrize("method", METHODS, ids=NAMES)
@pytest.mark.parametrize("e", [(0.0, 0.0), (0.0, 0.5), (0.5, 0.0)])
def test_all_that_are_due_happen_before_one_rests(method: Method, e: tuple[float, float]) -> None:
    """Two balls land together, one of them for good: the other has its impact as well."""

    def hit(k: int) -> Any:
        return lambda t, x, u, p: {"h": x["h"], "v": replaced(x["v"], k, -p[k] * x["v"][k])}

    run = rollout(
        lambda t, x, u, p: {"h": x["v"], "v": np.full(2, -9.81)},
        state={"h": np.zeros(2), "v": np.zeros(2)},
        parameters=np.zeros(2),
        method=method,
        events=[Event(lambda t, x, u, p, k=k: x["h"][k], -1, hit(k)) for k in range(2)],
    )
    result = run({"h": np.ones(2), "v": np.zeros(2)}, np.array(e), duration=0.6)
    assert result.status == Status.ACCUMULATED
    assert e[int(result.event)] == 0.0
    np.testing.assert_array_equal(result.event_count, 1)
    first = np.sqrt(2 / 9.81)
    np.testing.assert_allclose(result.event_time, first, rtol=1e-12)
    np.testing.assert_allclose(result.state["v"], np.array(e) * 9.81 * first, atol=1e-12)


# --- the end of a case --------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS, ids=NAMES)
@pytest.mark.parametrize("last", [0, 1, 2])
def test_up_to_the_one_that_ends_the_case(method: Method, last: int) -> None:
    run = together(method, *(falls(k, terminal=k == last) for k in range(3)))
    result = run(START, 0.2 * START, duration=9.0)
    assert (int(result.status), int(result.event)) == (Status.EVENT, last)
    np.testing.assert_array_equal(result.event_count, np.arange(3) <= last)
    assert result.time == pytest.approx(when(0.2), abs=1e-6)


@pytest.mark.parametrize("method", METHODS, ids=NAMES)
def test_a_limit_counts_real_events_only(method: Method) -> None:
    run = together(method, falls(0, most=2), falls(1, most=2))
    result = run(START, 0.2 * START, duration=9.0)
    assert result.status == Status.DONE
    np.testing.assert_array_equal(result.event_count, 1)


@pytest.mark.parametrize("method", METHODS, ids=NAMES)
@pytest.mark.parametrize("direction", [-1, 0])
def test_derivative_of_the_end_is_that_of_the_event_that_ends(
    method: Method, direction: int
) -> None:
    """t = 2 ln(x/p) of the terminal one; the others may be moved without moving it."""
    run = together(method, falls(0, direction), falls(1, direction, terminal=True), falls(2))
    p = 0.2 * START
    found = run.sensitivity(START, p, duration=9.0)
    assert found.by_state is not None
    assert found.by_parameters is not None
    assert int(found.result.event) == 1
    expected = [0, 2 / START[1], 0]
    np.testing.assert_allclose(found.by_state.time, expected, rtol=2e-8, atol=1e-8)
    expected = [0, -2 / p[1], 0]
    np.testing.assert_allclose(found.by_parameters.time, expected, rtol=2e-8, atol=1e-8)


@pytest.mark.parametrize("method", METHODS, ids=NAMES)
def test_derivative_of_the_motion_is_not_touched(method: Method) -> None:
    """Events that do nothing, all at once: x(t) = x0 exp(-t/2) as without them."""
    run = together(method, *(falls(k) for k in range(3)))
    found = run.sensitivity(START, 0.2 * START, duration=5.0)
    assert found.by_state is not None
    assert found.by_parameters is not None
    # Between the events the sensitivity holds the lengths of steps, so it is that of the method.
    np.testing.assert_allclose(found.by_state.state, np.exp(-2.5) * np.eye(3), atol=1e-7)
    np.testing.assert_allclose(found.by_parameters.state, 0.0, atol=1e-7)


# --- a value that stays on zero -----------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS, ids=NAMES)
@pytest.mark.parametrize("direction", [-1, 0])
def test_zero_for_a_while_is_one_change_of_sign(method: Method, direction: int) -> None:
    """Down to zero at p0, on it until p1, then below or above again."""
    event = Event(
        lambda t, x, u, p: np.maximum(p[0] - t, 0.0) - p[2] * np.maximum(t - p[1], 0.0),
        direction,
    )
    run = rollout(
        lambda t, x, u, p: -x, state=0.0, parameters=np.zeros(3), method=method, events=[event]
    )
    p = np.array([[0.3, 0.31, 0.3], [0.7, 1.8, 0.7], [1.0, 1.0, -1.0]])
    result = run(1.0, p, duration=2.0)
    np.testing.assert_array_equal(result.event_count, 1)
    np.testing.assert_allclose(result.event_time[0], p[0], rtol=0, atol=1e-12)


# --- within one step ----------------------------------------------------------------------------


def wave(step: float, direction: int) -> Rollout:
    """cos 2π(p0 t + p1) + p2 over 1 s, whatever the motion."""
    event = Event(
        lambda t, x, u, p: np.cos(2 * np.pi * (p[0] * t + p[1])) + p[2] + 0.0 * x, direction
    )
    return rollout(
        lambda t, x, u, p: 0.0 * x,
        state=0.0,
        parameters=np.zeros(3),
        method=RK4(step),
        events=[event],
    )


def test_what_is_found_within_one_step_and_what_is_not() -> None:
    """As the docstring of `Event` has it: swings in the step, phase, offset and what is found."""
    cases = {
        "a dip": (0.4, 0.3, 0.9, 1, 2),
        "a visit from beyond": (0.4, -0.2, -0.9, 0, 2),
        "level at both ends": (1.0, 0.0, -0.2, 0, 0),
        "two dips": (2.0, 0.0, -0.2, 0, 0),
        "three crossings": (1.5, 0.0, -0.2, 1, 1),
    }
    swings, phase, offset, falling, either = np.array(list(cases.values())).T
    p = np.stack([swings, phase, offset])
    for direction, expected in ((-1, falling), (0, either)):
        found = wave(1.0, direction)(1.0, p, duration=1.0).event_count[0]
        assert ((found >= 1) == (expected >= 1)).all(), dict(zip(cases, found, strict=True))
        np.testing.assert_array_equal(found[:2], expected[:2])


@settings(deadline=None, max_examples=60)
@given(st.floats(0.0, 1.0), st.floats(-0.99, 0.99), st.floats(0.2, 3.0))
def test_nothing_is_missed_by_steps_shorter_than_a_stay(
    phase: float, offset: float, swings: float
) -> None:
    """Against the closed form: cos falls through -offset at the phase arccos(-offset) / 2π."""
    stay = np.arccos(abs(offset)) / np.pi / swings
    falls_at = (np.arccos(-offset) / (2 * np.pi) - phase + np.arange(-1, 5)) / swings
    ends = np.abs(np.concatenate([falls_at, falls_at - 1.0])).min()
    assume(stay > FINE and ends > 1e-9 and abs(np.cos(2 * np.pi * phase) + offset) > 1e-9)
    result = SHORT(1.0, np.array([swings, phase, offset]), duration=1.0)
    assert result.event_count[0] == ((falls_at > 0.0) & (falls_at < 1.0)).sum()


FINE = 0.02
SHORT = wave(FINE, -1)
