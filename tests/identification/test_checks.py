"""Tests of residuals raise as many false alarms as stated, and catch what is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binomtest, kstest

from percuss.identification.estimate.checks import Checks, check_residuals
from percuss.identification.estimate.fit import Fit, fit
from percuss.identification.forward.model import ForwardModel
from percuss.identification.forward.unknowns import Unknowns
from percuss.model.errors import ModelError
from percuss.scenario import Scenario, load
from tests.identification.cases import NOISE, SCENARIOS

Array = NDArray[np.float64]
CHANNELS = ["joint.1", "joint.2", "base.x", "base.y", "base.angle"]
SIGMAS = np.array([1e-4, 1e-4, 1e-3, 1e-3, 1e-3])[:, None]


class Linear:
    """A linear model of channels that vary smoothly, with unknowns of which some have priors."""

    def __init__(self, times: int, channels: int, unknowns: int, prior: bool, seed: int) -> None:
        random = np.random.default_rng(seed)
        t = np.linspace(0.0, 5.0, times + 1)[1:]
        columns = [
            np.concatenate(
                [random.normal() * np.cos(random.uniform(0, 2) * t + k) for _ in range(channels)]
            )
            for k in range(unknowns)
        ]
        self.slopes = 10.0 * np.stack(columns, axis=1)
        self.prior = np.eye(unknowns) if prior else np.zeros((unknowns, unknowns))
        self.information = self.slopes.T @ self.slopes + self.prior
        self.names = [f"joint.{c}" for c in range(channels) for _ in t]
        self.times = np.tile(t, channels)

    def left(self, noise: Array, truth: Array | None = None) -> Array:
        """What a fit leaves of noise (m,), the unknowns being `truth`."""
        theta = np.zeros(self.slopes.shape[1]) if truth is None else truth
        y = self.slopes @ theta + noise
        return y - self.slopes @ np.linalg.solve(self.information, self.slopes.T @ y)

    def checked(self, residuals: Array, **options: Any) -> Checks:
        return check_residuals(
            residuals, self.times, self.names, self.slopes, information=self.information, **options
        )


@pytest.mark.parametrize(
    ("times", "channels", "unknowns", "prior"), [(100, 3, 6, False), (30, 2, 5, True)]
)
def test_a_right_model_is_called_wrong_as_often_as_stated(
    times: int, channels: int, unknowns: int, prior: bool
) -> None:
    model = Linear(times, channels, unknowns, prior, seed=times)
    random = np.random.default_rng(1)
    cases = 1000
    least, by_name = np.empty(cases), {}
    for k in range(cases):
        truth = random.normal(size=unknowns) if prior else None
        found = model.checked(model.left(random.normal(size=times * channels), truth))
        least[k] = min(test.p / test.threshold for test in found.tests) * found.false_alarm
        for test in found.tests:
            by_name.setdefault(test.name, []).append(test.p)
        assert found.passed == (least[k] >= found.false_alarm)
    for rate in (0.01, 0.05, 0.2):
        alarms = int(np.sum(least < rate))
        excess = binomtest(alarms, cases, rate, alternative="greater").pvalue
        assert excess > 1e-3, f"{alarms} of {cases} right models refused at a stated rate of {rate}"
        # Shared tests overlap, so the rate is below what is stated, but not idly so.
        assert alarms > 0.3 * rate * cases, f"{alarms} of {cases} at {rate}: the tests are blunt"
    for name in ("size", "mean", "neighbours", "correlation", "outliers"):
        assert kstest(by_name[name], "uniform").pvalue > 1e-4, f"p of {name} is not uniform"


def test_a_fit_with_many_unknowns_is_no_excuse_for_alarms() -> None:
    """Half of the noise is fitted away; tests that ignore it would refuse each case."""
    model = Linear(30, 1, 15, prior=False, seed=3)
    random = np.random.default_rng(2)
    refused = sum(not model.checked(model.left(random.normal(size=30))).passed for _ in range(300))
    assert binomtest(refused, 300, 0.01, alternative="greater").pvalue > 1e-3


def _defects() -> list[tuple[str, Any, str]]:
    random = np.random.default_rng(5)
    noise = random.normal(size=400)
    walk = np.convolve(noise, [1.0, 0.5], mode="full")[:400] / np.hypot(1.0, 0.5)
    zigzag = np.convolve(noise, [1.0, -0.6], mode="full")[:400] / np.hypot(1.0, 0.6)
    spike = noise.copy()
    spike[123] += 8.0
    return [
        ("louder", 1.3 * noise, "times as large as the stated noise"),
        ("quieter", 0.6 * noise, "of the stated noise"),
        ("shifted", noise + 0.5, "on average"),
        ("correlated", walk, "correlated in time"),
        ("alternating", zigzag, "correlated in time"),
        ("spiked", spike, "joint.0 at 1.55 s"),
        ("drifting", noise + np.linspace(-1.5, 1.5, 400), "correlated in time"),
    ]


@pytest.mark.parametrize(("defect", "noise", "said"), _defects(), ids=lambda x: str(x)[:12])
def test_defects_are_named(defect: str, noise: Array, said: str) -> None:
    model = Linear(400, 1, 1, prior=False, seed=4)
    warnings = model.checked(model.left(noise)).warnings
    assert any(said in line for line in warnings), f"{defect}: {warnings}"


def test_missing_samples_are_left_out() -> None:
    model = Linear(100, 2, 3, prior=False, seed=6)
    residuals = model.left(np.random.default_rng(7).normal(size=200))
    there = np.ones(200, bool)
    there[20:60] = False
    with_gaps = model.checked(np.where(there, residuals, np.nan))
    names = [name for name, ok in zip(model.names, there, strict=True) if ok]
    shorter = check_residuals(
        residuals[there],
        model.times[there],
        names,
        model.slopes[there],
        information=model.information,
    )
    assert [test.p for test in with_gaps.tests] == pytest.approx([t.p for t in shorter.tests])


def test_residuals_of_rounding_size_are_not_called_correlated() -> None:
    model = Linear(100, 1, 2, prior=False, seed=8)
    warnings = model.checked(1e-9 * np.sin(model.times)).warnings
    assert warnings
    assert all("only" in line for line in warnings), warnings


# --- motions -------------------------------------------------------------------------------------


def _scenario(closure: str) -> Scenario:
    return load(SCENARIOS / "thesis-1.yaml", {"impact.closure": closure})


def _checked(model: ForwardModel, found: Fit) -> Checks:
    names = [c.name for c in found.components for _ in model.times]
    times = np.tile(model.times, len(found.components))
    information = found.slopes.T @ found.slopes
    residuals = found.residuals.ravel()
    return check_residuals(residuals, times, names, found.slopes, information=information)


def _fitted(closure: str, measured: Array, times: Array, groups: list[str]) -> Checks:
    scenario = _scenario(closure)
    model = ForwardModel(scenario, Unknowns(scenario, groups), CHANNELS, times)
    return _checked(model, fit(model, measured, NOISE, starts=3))


def _made(closure: str, times: Array, seed: int) -> Array:
    scenario = _scenario(closure)
    unknowns = Unknowns(scenario, ["velocity"])
    shown = ForwardModel(scenario, unknowns, CHANNELS, times)(unknowns.start).reshape(5, -1)
    return shown + SIGMAS * np.random.default_rng(seed).normal(size=shown.shape)


@pytest.mark.parametrize(("true", "assumed"), [("weld", "pin"), ("pin", "weld")])
def test_a_wrong_closure_is_detected(true: str, assumed: str) -> None:
    """With everything of the target free to make up for it."""
    times = np.arange(1, 251) / 50
    measured = _made(true, times, seed=1)
    groups = ["velocity", "mass", "inertia", "com"]
    assert _fitted(true, measured, times, groups).passed
    warnings = _fitted(assumed, measured, times, groups).warnings
    assert any("correlated in time" in w and "closure?" in w for w in warnings), warnings


# --- hostile input -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"residuals": np.full(20, np.nan)}, "no measurement to test"),
        ({"residuals": np.full(20, np.inf)}, "residuals must be finite"),
        ({"times": np.zeros(3)}, "same samples"),
        ({"channels": ["joint.1"]}, "same samples"),
        ({"information": np.eye(3)}, r"information must have the shape \(2, 2\)"),
        ({"slopes": np.full((20, 2), np.nan)}, "slopes must be finite"),
    ],
)
def test_bad_input_is_refused(change: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {
        "residuals": np.ones(20),
        "times": np.arange(20.0),
        "channels": ["joint.1"] * 20,
        "slopes": np.ones((20, 2)),
        "information": np.eye(2),
    }
    with pytest.raises(ModelError, match=message):
        check_residuals(**(given | change))


def test_one_sample_and_unknowns_that_take_everything_pass() -> None:
    assert check_residuals([0.3], [1.0], ["gyro.z"], [[0.0]], information=[[0.0]]).passed
    assert check_residuals([0.0], [1.0], ["gyro.z"], [[2.0]], information=[[4.0]]).passed
