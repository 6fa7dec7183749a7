"""Arrays that carry derivatives along: NumPy's functions, kernels and integrations of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import percuss
from percuss import kernel
from percuss.kernel import Dual, KernelError
from percuss.kernel.duals import same_in_all, slope_of, value_of, with_differences
from percuss.kernel.rollouts.result import RolloutResult

Array = Any
STEP = 1e-5


def along(function: Callable[..., Array], *pairs: tuple[Array, Array]) -> Array:
    """The derivative of a function along a direction, by differences of fourth order."""

    def at(steps: float) -> Array:
        return function(*(value + steps * STEP * slope for value, slope in pairs))

    return (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / (12.0 * STEP)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "arithmetic": lambda a, b: (a + 2.0 * b - a * b) / (1.0 + b * b),
    "plain numbers": lambda a, b: 1.0 - a**3 + (2.0 - b) / 3.0,
    "roots and turns": lambda a, b: np.sqrt(a * a + b * b) + np.arctan2(b, a) + np.cos(np.sin(a)),
    "extremes": lambda a, b: np.maximum(a, b) - np.fmin(a, 2.0 * b) + np.abs(a),
    "choices": lambda a, b: np.where(a > b, a * b, b - a),
    "vectors": lambda a, b: np.cross(np.stack([a, b, a]), np.stack([b, a, -b]), axis=0).sum(axis=0),
    "lengths": lambda a, b: np.linalg.norm(np.stack([a, b, a + b]), axis=0),
    "arrangement": lambda a, b: np.moveaxis(np.concatenate([a[None], b[None]]), 0, 1).reshape(-1),
    "parts": lambda a, b: np.split(np.repeat(np.stack([a, b]), 2, axis=0), 2)[1][0],
}

numbers = st.lists(st.floats(0.2, 3.0), min_size=4, max_size=4)


@pytest.mark.parametrize("name", FUNCTIONS)
@given(a=numbers, b=numbers, da=numbers)
def test_functions_of_numpy(name: str, a: list[float], b: list[float], da: list[float]) -> None:
    """The derivative of what NumPy computes, against differences."""
    first, second = np.array(a), np.array(b)
    second = second + np.where(np.abs(first - second) < 0.01, 0.05, 0.0)
    second = second + np.where(np.abs(first - 2.0 * second) < 0.01, 0.05, 0.0)
    pairs = (first, np.array(da)), (second, 1.0 - np.array(da))
    found = FUNCTIONS[name](*(Dual(*pair) for pair in pairs))
    np.testing.assert_array_equal(found.value, FUNCTIONS[name](first, second))
    np.testing.assert_allclose(found.slope, along(FUNCTIONS[name], *pairs), rtol=1e-8, atol=1e-9)


def test_entries_are_set_and_added_in_place() -> None:
    room: Any = np.full((2, 3), np.nan, like=Dual(np.zeros(1)))
    room[0] = Dual([1.0, 2.0, 3.0], [0.1, 0.2, 0.3])
    room[1, 1:] = 5.0
    room[0] += Dual(np.ones(3), np.ones(3))
    np.testing.assert_array_equal(room.value, [[2.0, 3.0, 4.0], [np.nan, 5.0, 5.0]])
    np.testing.assert_array_equal(room.slope, [[1.1, 1.2, 1.3], [np.nan, 0.0, 0.0]])


def test_decisions_are_plain() -> None:
    value = Dual([1.0, -2.0], [1.0, 1.0])
    assert (value > 0.0).tolist() == [True, False]
    assert np.sign(value).tolist() == [1.0, -1.0]
    assert np.ndim(value) == 1
    assert same_in_all(Dual(np.ones(3)))
    assert not same_in_all(Dual(np.ones(3), np.arange(3.0)))


@pytest.mark.parametrize("function", [np.asarray, np.array, float])
def test_derivatives_are_not_lost_without_a_word(function: Callable[..., Any]) -> None:
    with pytest.raises(TypeError):
        function(Dual(np.ones(2), np.ones(2)))


@pytest.mark.parametrize("function", [np.exp, np.argsort])
def test_functions_without_a_rule_are_refused(function: Callable[..., Any]) -> None:
    with pytest.raises(KernelError, match="no rule"):
        function(Dual(np.ones(2), np.ones(2)))


def test_shapes_must_fit() -> None:
    with pytest.raises(KernelError, match="shape"):
        Dual(np.ones(2), np.ones(3))


def test_physics_takes_them_as_scalars() -> None:
    """The energy of an arm of which all rates grow together: dT = 2 T along them."""
    robot = percuss.robot("thesis")
    q = [np.full(3, x) for x in (1.0, 2.0, 0.3, 0.5, -0.4)]
    v = np.random.default_rng(1).normal(size=(5, 3))
    energy: Any = percuss.kinetic_energy(robot, q, [Dual(one, one) for one in v])
    np.testing.assert_allclose(energy.slope, 2.0 * energy.value, rtol=1e-14)


@pytest.mark.parametrize("backend", ["llvm", "numpy"])
def test_a_kernel_gives_its_derivative(backend: str) -> None:
    """Along a direction it is the product of the Jacobian with it; truth values stay."""

    def function(x: Any, p: Any) -> dict[str, Any]:
        return {"bent": np.sin(x[0]) * p + x[1] ** 2, "above": x[0] > p}

    made = kernel.compile(function, np.zeros(2), 0.0, backend=backend)
    jacobian = kernel.jacobian(lambda x, p: function(x, p)["bent"], np.zeros(2), 0.0)
    x, p, dx = np.array([[0.3, 1.2], [2.0, -1.0]]), np.array([0.5, 0.7]), np.ones((2, 2))
    found = made(Dual(x, dx), p)
    by_x, _ = jacobian(x, p)
    np.testing.assert_allclose(found["bent"].slope, (by_x * dx).sum(axis=0), rtol=1e-14)
    np.testing.assert_array_equal(found["bent"].value, made(x, p)["bent"])
    assert found["above"].tolist() == [False, True]


METHODS = {
    "rk4": kernel.RK4(step=0.02),
    "adaptive": kernel.Adaptive(1e-11, 1e-12),
    "dop853": kernel.Dop853(1e-11, 1e-12),
    "rosenbrock": kernel.Rosenbrock(1e-9, 1e-10),
}
VALUES = {
    "x": np.array([[0.1, 0.2, 0.25], [1.0, 1.1, 1.2]]),
    "p": np.array([1.0, 2.0, 3.0]),
    "start": np.array([0.0, 0.5, 1.0]),
    "duration": np.array([2.0, 2.0, 1.7]),
}
SLOPES = {
    "x": np.array([[0.1, 0.2, 0.3], [1.0, -1.0, 0.5]]),
    "p": np.array([0.3, 0.2, 0.1]),
    "start": np.array([0.7, 0.1, -0.4]),
    "duration": np.array([-0.3, 0.5, 0.9]),
}


def driven(method: Any, *, watched: bool) -> kernel.Rollout:
    """An oscillator under a force that depends on time, perhaps with an impact."""
    events = [
        kernel.Event(
            lambda t, x, u, p: x[0] - 0.6,  # noqa: ARG005
            direction=1,
            action=lambda t, x, u, p: np.stack([x[0], -0.5 * x[1]]),  # noqa: ARG005
        )
    ]
    return kernel.rollout(
        lambda t, x, u, p: np.stack([x[1], np.sin(3.0 * t) - p * x[0]]),  # noqa: ARG005
        state=np.zeros(2),
        parameters=0.0,
        method=method,
        statistics={
            "largest": kernel.Maximum(lambda t, x, u, p: x[0]),  # noqa: ARG005
            "area": kernel.Integral(lambda t, x, u, p: x[0] * t),  # noqa: ARG005
        },
        events=events if watched else (),
    )


@pytest.mark.parametrize("watched", [False, True], ids=["free", "with impacts"])
@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("clocks", [(), ("start",), ("duration",), ("start", "duration")])
def test_a_motion_gives_its_derivative(name: str, watched: bool, clocks: tuple[str, ...]) -> None:
    """State, time, statistics and events, by start, parameters and the clock, by differences."""
    run = driven(METHODS[name], watched=watched)

    def moved(given: dict[str, Any]) -> RolloutResult:
        times = {"start": 0.0, "duration": 2.0} | {key: given[key] for key in clocks}
        return run(given["x"], given["p"], **times)

    found = moved({key: Dual(VALUES[key], SLOPES[key]) for key in VALUES})
    smooth = {
        "state": lambda one: one.state,
        "time": lambda one: one.time,
        "largest": lambda one: one.statistics["largest"],
        "area": lambda one: one.statistics["area"],
        "event_time": lambda one: one.event_time,
    }
    plain = moved(VALUES)
    keys = list(VALUES)
    # The error of a step is not differentiated: what a tolerance leaves is.
    allowed = {"rk4": 1e-8, "rosenbrock": 2e-6}.get(name, 1e-7)
    if name == "rk4" and "duration" in clocks:
        allowed = 1e-6  # the last step is shorter, and so is its error
    for what, pick in smooth.items():
        wanted = along(
            lambda *values, pick=pick: np.asarray(
                pick(moved(dict(zip(keys, values, strict=True))))
            ),
            *((VALUES[key], SLOPES[key]) for key in keys),
        )
        got = pick(found)
        np.testing.assert_allclose(value_of(got), pick(plain), rtol=1e-12, atol=1e-12, err_msg=what)
        np.testing.assert_allclose(slope_of(got), wanted, atol=allowed, err_msg=what)
    assert found.status.dtype.kind == "i"


def test_states_at_chosen_times() -> None:
    run = driven(METHODS["dop853"], watched=False)
    times = np.array([0.3, 1.0, 2.0])
    found = run(Dual(VALUES["x"], SLOPES["x"]), VALUES["p"], times=times).trajectory
    wanted = along(
        lambda x: run(x, VALUES["p"], times=times).trajectory, (VALUES["x"], SLOPES["x"])
    )
    np.testing.assert_allclose(found.slope, wanted, atol=1e-8)


def test_clocks_of_the_lean_loop() -> None:
    """x' = -x for a time T, and from a time on: dx = -e⁻ᵀ dT, and what was not is made up for."""
    for method in (kernel.RK4(step=0.01), METHODS["dop853"]):
        run = kernel.rollout(lambda t, x, u, p: -x, state=0.0, method=method)  # noqa: ARG005
        longer = run(np.ones(2), duration=Dual(1.0, 1.0))
        np.testing.assert_allclose(longer.state.slope, -np.exp(-1.0), rtol=1e-8)
        np.testing.assert_allclose(longer.time.slope, 1.0)
        later = run(np.ones(2), times=[0.5, 1.0], start=Dual(0.0, 1.0))
        np.testing.assert_allclose(later.state.slope, np.exp(-1.0), rtol=1e-8)
        np.testing.assert_allclose(later.time.slope, 0.0)


def test_what_never_happens_has_no_derivative() -> None:
    run = kernel.rollout(
        lambda t, x, u, p: -x,  # noqa: ARG005
        state=0.0,
        statistics={"crossed": kernel.FirstCrossing(lambda t, x, u, p: x - 0.5)},  # noqa: ARG005
        events=[kernel.Event(lambda t, x, u, p: x - 0.6)],  # noqa: ARG005
    )
    found = run(Dual([1.0, 0.4], [1.0, 1.0]), duration=2.0)
    for what in (found.statistics["crossed"], found.event_time[0]):
        assert np.isnan(what.value).tolist() == np.isnan(what.slope).tolist() == [False, True]


def test_entries_that_do_not_move_do_not_matter_to_differences() -> None:
    """A large number beside the one that moves, and another solution to one side of a case."""
    beside = Dual([[1e4, 1e4], [1.0, 2.0]], [[0.0, 0.0], [1.0, 1.0]])
    found = with_differences(lambda a: np.sin(a[1]), beside)
    np.testing.assert_allclose(found.slope, np.cos([1.0, 2.0]), rtol=1e-9)
    jumps = with_differences(lambda a: np.where(a > 1.0005, a + 1.0, a), Dual([1.0], [1.0]))
    assert np.isnan(jumps.slope).all()


def test_one_side_of_a_bound_is_enough() -> None:
    def bounded(a: Any) -> np.ndarray:
        plain = np.asarray(a, float)
        assert (plain <= 1.0).all(), "beyond its bound"
        return np.sqrt(2.0 - plain)

    found = with_differences(
        bounded, Dual([0.5, 1.0], [1.0, 1.0]), side=lambda steps: -(np.arange(2) + 0.0 * steps)
    )
    np.testing.assert_allclose(found.slope, -0.5 / np.sqrt([1.5, 1.0]), rtol=1e-8)


def test_searches_are_differentiated_by_differences() -> None:
    """A function that knows no Duals: its own derivative to many digits, NaN at its edge."""

    def root(a: Any, b: Any) -> np.ndarray:
        plain = np.asarray(a, float), np.asarray(b, float)
        with np.errstate(invalid="ignore"):
            return np.sqrt(plain[0]) * plain[1]

    a, b = Dual(np.array([4.0, 1e-9]), np.array([1.0, 1.0])), np.array([3.0, 1.0])
    found = with_differences(root, a, b)
    assert found.slope[0] == pytest.approx(0.75, rel=1e-10)
    assert np.isnan(found.slope[1])
    assert isinstance(with_differences(root, a.value, b), np.ndarray)
