"""Steps recorded with their dense output, and steps short enough for an event's value to show."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

import percuss.kernel as kernel
from percuss.kernel import KernelError, Status
from percuss.kernel.rollouts.methods import Method
from percuss.kernel.rollouts.pieces import Pieces

BACKENDS = ("llvm", "numpy")


def oscillator(_: Any, x: Any, u: Any, p: Any) -> Any:  # noqa: ARG001
    return np.stack([x[1], -p * x[0]])


def gathered(run: kernel.Rollout, *arguments: Any, **clock: float) -> list[Pieces]:
    return list(run.pieces(*arguments, **clock))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("relative", [1e-6, 1e-9, 1e-12])
def test_an_oscillator_between_its_steps(relative: float, backend: str) -> None:
    run = kernel.rollout(
        oscillator,
        state=np.zeros(2),
        parameters=0.0,
        method=kernel.Dop853(relative, 1e-2 * relative),
        backend=backend,
        single=True,
    )
    found = gathered(run, np.array([1.0, 0.0]), 25.0, start=1.0, end=4.0)
    assert found[-1].status == Status.DONE
    assert found[-1].time[-1] == 4.0
    begin = 1.0
    for pieces in found:
        for k in range(len(pieces)):
            assert pieces.begin[k] == begin, "steps follow one another"
            begin = float(pieces.time[k])
        times = np.linspace(pieces.begin[0], pieces.time[-1], 201)
        exact = np.cos(5.0 * (times - 1.0)), -5.0 * np.sin(5.0 * (times - 1.0))
        off = np.abs(pieces.at(times) - exact).max()
        assert off < 1e2 * relative, f"between the steps it is off by {off:.1e}"
    assert sum(map(len, found)) == int(
        run(np.array([1.0, 0.0]), 25.0, start=1.0, times=[4.0]).steps
    )


@given(st.integers(0, 2**32 - 1), st.floats(-3.0, 3.0), st.floats(0.5, 20.0))
def test_pieces_against_scipy(seed: int, begin: float, lasting: float) -> None:
    random = np.random.default_rng(seed)
    matrix, x = random.normal(size=(3, 3)) - 1.5 * np.eye(3), random.normal(size=3)
    end = begin + lasting
    oracle = solve_ivp(
        lambda t, y: matrix @ np.sin(y) + np.cos(t),
        (begin, end),
        x,
        "DOP853",
        rtol=1e-12,
        atol=1e-13,
        dense_output=True,
    )
    found = gathered(FORCED, x, matrix, start=begin, end=end)
    times = np.concatenate([np.linspace(p.begin[0], p.time[-1], 50) for p in found if len(p)])
    states = np.concatenate(
        [p.at(np.linspace(p.begin[0], p.time[-1], 50)) for p in found if len(p)], axis=1
    )
    np.testing.assert_allclose(states, oracle.sol(times), rtol=0, atol=2e-8)


FORCED = kernel.rollout(
    lambda t, x, u, p: p @ np.sin(x) + np.cos(t),  # noqa: ARG005
    state=np.zeros(3),
    parameters=np.zeros((3, 3)),
    method=kernel.Dop853(1e-12, 1e-13),
    single=True,
)


def test_an_event_ends_the_last_piece() -> None:
    run = kernel.rollout(
        oscillator,
        state=np.zeros(2),
        parameters=0.0,
        method=kernel.Dop853(1e-12, 1e-14),
        events=[kernel.Event(lambda t, x, u, p: x[0], terminal=True)],  # noqa: ARG005
        single=True,
    )
    last = gathered(run, np.array([1.0, 0.0]), 1.0, end=9.0)[-1]
    assert (last.status, last.event) == (Status.EVENT, 0)
    assert last.time[-1] == pytest.approx(np.pi / 2, abs=1e-11)
    assert last.at(last.time[-1:])[0] == pytest.approx(0.0, abs=1e-14)


@pytest.mark.parametrize(
    ("rates", "limit", "status"),
    [
        (lambda t, x: x * x, 50_000, Status.STEP_UNDERFLOW),  # noqa: ARG005
        (lambda t, x: 1.0 / (t - 0.5 + 0.0 * x), 50_000, Status.STEP_UNDERFLOW),
        (lambda t, x: np.cos(1e4 * t) + 0.0 * x, 500, Status.MAX_STEPS),
    ],
)
def test_what_stops_a_case_is_told(rates: Any, limit: int, status: Status) -> None:
    run = kernel.rollout(
        lambda t, x, u, p: rates(t, x),  # noqa: ARG005
        state=np.zeros(()),
        method=kernel.Dop853(1e-10, 1e-12, most_steps=limit),
        single=True,
    )
    last = gathered(run, 1.0, end=2.0)[-1]
    assert last.status == status
    assert last.attempts <= limit
    assert np.isfinite(last.reached[1]).all(), "the last good state is told"


def test_who_reads_may_stop_at_any_time() -> None:
    run = kernel.rollout(
        oscillator, state=np.zeros(2), parameters=0.0, method=kernel.Dop853(1e-10, 1e-12)
    )
    first = next(run.pieces(np.array([1.0, 0.0]), 1.0, end=1e4))
    assert first.status is None
    assert 0 < len(first) <= 32


def test_what_cannot_be_recorded_is_refused() -> None:
    for method in (kernel.RK4(0.1), kernel.Adaptive()):
        run = kernel.rollout(oscillator, state=np.zeros(2), parameters=0.0, method=method)
        with pytest.raises(KernelError, match="no dense output as good as its steps"):
            run.pieces(np.zeros(2), 1.0, end=1.0)
    run = kernel.rollout(oscillator, state=np.zeros(2), parameters=0.0, method=kernel.Dop853())
    with pytest.raises(KernelError, match="give no batch"):
        next(run.pieces(np.zeros((2, 3)), 1.0, end=1.0))


# --- values that show ---------------------------------------------------------------------------


def passing(resolved: bool, method: Method) -> kernel.Rollout:
    """A point that drifts evenly past another: steps as long as they like. p is the distance."""

    def gap(t: Any, x: Any, u: Any, p: Any) -> Any:
        del t, u
        return np.sqrt(x * x + 1e-6) - p

    return kernel.rollout(
        lambda t, x, u, p: 1.0 + 0.0 * x,  # noqa: ARG005
        state=np.zeros(()),
        parameters=0.0,
        method=method,
        events=[kernel.Event(gap, direction=-1, terminal=True, resolved=resolved)],
    )


@pytest.mark.parametrize("method", [kernel.Dop853(1e-10, 1e-12), kernel.Adaptive(1e-9, 1e-12)])
def test_an_even_drift_does_not_step_over_a_contact(method: Method) -> None:
    start = -np.linspace(10.0, 31.0, 300)
    reach = np.full(300, 0.01)
    found = passing(True, method)(start, reach, duration=100.0)
    assert (np.asarray(found.status) == Status.EVENT).all()
    when = -np.sqrt(0.01**2 - 1e-6) - start
    np.testing.assert_allclose(found.time, when, rtol=0, atol=1e-10)
    blind = passing(False, method)(start, reach, duration=100.0)
    assert (np.asarray(blind.status) == Status.DONE).any(), "steps are short without it, too"


@given(
    st.floats(1.0, 300.0),
    st.floats(0.0, 6.28),
    st.floats(1e-4, 0.3),
    st.sampled_from(["llvm", "numpy"]),
)
def test_a_point_of_a_turning_body_is_seen_to_come(
    rate: float, phase: float, depth: float, backend: str
) -> None:
    """The body turns evenly, which its equations hardly notice; the point comes within 1 - depth
    of a wall once a turn. The first time it does so is found."""
    run = TURNING[backend]
    found = run(np.array([phase, rate]), 1.0 - depth, duration=20.0)
    first = np.arccos(1.0 - depth)
    ahead = (2.0 * np.pi - first - phase) % (2.0 * np.pi)
    if np.cos(phase) > 1.0 - depth:
        return  # it is there already
    assert int(found.status) == Status.EVENT
    assert float(found.time) * rate == pytest.approx(ahead, abs=1e-9)


def _turning(backend: str) -> kernel.Rollout:
    return kernel.rollout(
        lambda t, x, u, p: np.stack([x[1], 0.0 * x[1]]),  # noqa: ARG005
        state=np.zeros(2),
        parameters=0.0,
        method=kernel.Dop853(1e-10, 1e-12),
        events=[
            kernel.Event(
                lambda t, x, u, p: p - np.cos(x[0]),  # noqa: ARG005
                direction=-1,
                terminal=True,
                resolved=True,
            )
        ],
        backend=backend,
        single=True,
    )


TURNING = {backend: _turning(backend) for backend in BACKENDS}


def test_a_value_that_jumps_does_not_stop_the_case() -> None:
    """No cubic is near a jump: below a millionth of the time a step is taken nevertheless."""
    run = kernel.rollout(
        lambda t, x, u, p: 1.0 + 0.0 * x,  # noqa: ARG005
        state=np.zeros(()),
        method=kernel.Dop853(1e-10, 1e-12),
        events=[
            kernel.Event(
                lambda t, x, u, p: np.where(x > 1.0, 5.0, np.where(x > 0.4, 1.0, 3.0)),  # noqa: ARG005
                direction=-1,
                resolved=True,
            )
        ],
    )
    found = run(0.0, duration=2.0)
    assert int(found.status) == Status.DONE
    assert float(found.state) == pytest.approx(2.0, abs=1e-12)
    assert int(found.attempts) < 500
