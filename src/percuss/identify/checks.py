"""Is the model right? Tests of what a fit has left over, and what to suspect when they fail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from percuss.identify import residual_tests
from percuss.identify.residual_tests import Array, Series, standardised, taken_by_fit
from percuss.model.errors import ModelError

FALSE_ALARM = 0.01
"""How often, at most, a right model is called wrong."""

_TESTS = {
    "size": residual_tests.chi_square,
    "mean": residual_tests.mean,
    "neighbours": residual_tests.lag_one,
    "correlation": residual_tests.ljung_box,
    "runs": residual_tests.runs,
    "outliers": residual_tests.outliers,
}
"""Of a channel, by name: each Series → (statistic, p)."""

_SUSPECTS = {
    "joint": "closure? sensor delay? unmodelled torque or friction?",
    "joint_rate": "closure? sensor delay? unmodelled torque or friction?",
    "joint_torque": "another control law? torque limits? friction?",
    "base": "closure? thrust or wheels not in the scenario? sensor delay?",
    "gyro": "closure? a bias of the gyro? wheels not in the scenario?",
    "tool_force": "closure? a contact that yields? sensor delay?",
    "marker": "wrong places of the markers on the target? closure? sensor delay?",
}


@dataclass(frozen=True)
class Check:
    """One test of one channel, or of all of them (`channel` None).

    `p` is how often a right model gives a statistic at least as strange; the test has failed if it
    is below `threshold`, the false-alarm rate shared among all tests.
    """

    name: str
    channel: str | None
    statistic: float
    p: float
    threshold: float

    @property
    def failed(self) -> bool:
        return self.p < self.threshold


@dataclass(frozen=True)
class Checks:
    """All tests of a fit; `warnings` are sentences, none if the model passes.

    At most the share `false_alarm` of right models has any warning.
    """

    tests: tuple[Check, ...]
    warnings: tuple[str, ...]
    false_alarm: float

    @property
    def passed(self) -> bool:
        return not self.warnings


def check_residuals(
    residuals: Any,
    times: Any,
    channels: Sequence[str],
    slopes: Any,
    information: Any,
    *,
    false_alarm: float = FALSE_ALARM,
) -> Checks:
    """Test residuals against noise that is normal, of the stated size and independent.

    Args:
        residuals: (measured - fitted) / σ, shape (m,); NaN where there is no measurement.
        times: of the samples (s), shape (m,).
        channels: the name of each sample's channel, m of them.
        slopes: derivatives of the predictions by the unknowns, each divided by σ, shape (m, n).
        information: of the unknowns with what is known beforehand of them, shape (n, n).
        false_alarm: how often at most a right model is called wrong, shared equally among all
            tests (Bonferroni).
    """
    series, sampled = _series(residuals, times, channels, slopes, information)
    if not 0.0 < false_alarm < 1.0:
        raise ModelError(f"false_alarm must be between 0 and 1, got {false_alarm!r}")
    threshold = false_alarm / (1 + len(_TESTS) * len(series))
    everything = residual_tests.stacked(list(series.values()))
    tests = [Check("size", None, *residual_tests.chi_square(everything), threshold)]
    for name, test in _TESTS.items():
        tests += [Check(name, channel, *test(own), threshold) for channel, own in series.items()]
    warnings = _warnings(tests, series, sampled)
    return Checks(tuple(tests), tuple(warnings), false_alarm)


def _series(
    residuals: Any, times: Any, channels: Sequence[str], slopes: Any, information: Any
) -> tuple[dict[str, Series], dict[str, Array]]:
    """Residuals by channel in the order of time, and the times."""
    r, t = np.asarray(residuals, float), np.asarray(times, float)
    J, F, names = np.asarray(slopes, float), np.asarray(information, float), np.array(channels)
    count = len(r)
    if r.ndim != 1 or t.shape != (count,) or names.shape != (count,) or J.shape[:1] != (count,):
        raise ModelError(
            "residuals, times, channels and slopes must be of the same samples; got shapes "
            f"{r.shape}, {t.shape}, {names.shape} and {J.shape}"
        )
    if F.shape != (J.shape[1], J.shape[1]):
        raise ModelError(
            f"information must have the shape ({J.shape[1]}, {J.shape[1]}), got {F.shape}"
        )
    there = ~np.isnan(r)
    if not there.any():
        raise ModelError("residuals: there is no measurement to test")
    for what, values in (("residuals", r[there]), ("slopes", J[there]), ("information", F)):
        if not np.isfinite(values).all():
            raise ModelError(f"{what} must be finite where there is a measurement")
    W = taken_by_fit(J, F)
    series: dict[str, Series] = {}
    sampled: dict[str, Array] = {}
    for name in dict.fromkeys(names[there].tolist()):
        own = np.flatnonzero(there & (names == name))
        own = own[np.argsort(t[own], kind="stable")]
        series[name] = Series(r[own], W[own])
        sampled[name] = t[own]
    return series, sampled


# --- sentences ---------------------------------------------------------------------------------


def _warnings(
    tests: Sequence[Check], series: dict[str, Series], sampled: dict[str, Array]
) -> list[str]:
    """One sentence for each kind of channel and each way of being wrong."""
    failed = [test for test in tests if test.failed]
    spoiled = _spoiled(failed, series, sampled)
    # A few spoiled samples explain size and the rest; say the rest only if it is there without.
    lines: list[str] = []
    total = next((test for test in failed if test.channel is None), None)
    if total is not None:
        lines.append(_size(total, "the residuals of all channels"))
    for kind in dict.fromkeys(_kind(test.channel) for test in failed if test.channel):
        own = [test for test in failed if test.channel and _kind(test.channel) == kind]
        lines += _of_kind(kind, own)
    return lines + spoiled


def _of_kind(kind: str, failed: Sequence[Check]) -> list[str]:
    suspects = _SUSPECTS.get(kind, "closure? sensor delay? unmodelled torque?")
    lines: list[str] = []
    in_time = [test for test in failed if test.name in ("neighbours", "correlation", "runs")]
    if in_time:
        worst = min(in_time, key=lambda test: test.p)
        lines.append(
            f"the {kind} residuals are correlated in time ({_p(worst)}, {worst.channel} most): the "
            f"model is wrong: {suspects}"
        )
    sizes = [test for test in failed if test.name == "size"]
    if sizes:
        worst = max(sizes, key=lambda test: abs(np.log(max(test.statistic, 1e-300))))
        lines.append(_size(worst, f"the residuals of {worst.channel}"))
    means = [test for test in failed if test.name == "mean"]
    if means:
        worst = min(means, key=lambda test: test.p)
        lines.append(
            f"the residuals of {worst.channel} are {worst.statistic:+.2g} σ on average "
            f"({_p(worst)}): a bias of the sensor, or {suspects}"
        )
    return lines


def _size(test: Check, subject: str) -> str:
    rms = float(np.sqrt(test.statistic))
    if test.statistic > 1.0:
        return (
            f"{subject} are {rms:.3g} times as large as the stated noise ({_p(test)}): the model "
            "is wrong, or the sensors are noisier than stated"
        )
    return (
        f"{subject} are only {rms:.3g} of the stated noise ({_p(test)}): the sensors are better "
        "than stated, or the measurements were smoothed; the uncertainties below are not right"
    )


def _spoiled(
    failed: Sequence[Check], series: dict[str, Series], sampled: dict[str, Array]
) -> list[str]:
    lines: list[str] = []
    for test in failed:
        if test.name != "outliers" or test.channel is None:
            continue
        own = np.abs(standardised(series[test.channel]))
        worst = int(np.argmax(own))
        # As many as lie beyond what one in the whole record would.
        beyond = int(np.sum(own > np.sqrt(2.0 * np.log(len(own) / test.threshold))))
        more = f" and {beyond - 1} more samples" if beyond > 1 else ""
        lines.append(
            f"{test.channel} at {sampled[test.channel][worst]:g} s{more} off by up to "
            f"{test.statistic:.3g} σ ({_p(test)}): spoiled samples, or a wrong model"
        )
    return lines


def _p(test: Check) -> str:
    return f"p = {test.p:.1g}" if test.p > 1e-300 else "p < 1e-300"


def _kind(channel: str) -> str:
    return channel.partition(".")[0]
