"""Is the model right? Tests of what a fit has left over, and what to suspect when they fail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from percuss.identification.estimate import residual_tests
from percuss.identification.estimate.held_properties import ScoreTest
from percuss.identification.estimate.residual_tests import (
    Array,
    Check,
    ResidualSeries,
    taken_by_fit,
)
from percuss.identification.estimate.suspicions import against_held, suspicions
from percuss.identification.options import DEFAULT
from percuss.identification.options.judging import ResidualTestOptions
from percuss.model.errors import ModelError

_TESTS = {
    "size": residual_tests.chi_square,
    "onset": residual_tests.early,
    "mean": residual_tests.mean,
    "neighbours": residual_tests.lag_one,
    "correlation": residual_tests.ljung_box,
    "runs": residual_tests.runs,
    "outliers": residual_tests.outliers,
}
"""Of a channel, by name: each Series → (statistic, p)."""


@dataclass(frozen=True)
class Checks:
    """All tests of a fit; `warnings` are sentences, none if the model passes.

    At most the share `false_alarm` of right models has any warning.
    """

    tests: tuple[Check, ...]
    warnings: tuple[str, ...]
    false_alarm: float

    def __repr__(self) -> str:
        return f"<Checks: {len(self.tests)} tests, {len(self.warnings)} warnings>"

    @property
    def passed(self) -> bool:
        return not self.warnings


def check_residuals(
    residuals: Any,
    times: Any,
    channels: Sequence[str],
    slopes: Any,
    *,
    information: Any,
    held: Sequence[ScoreTest] = (),
    options: ResidualTestOptions = DEFAULT.residual_tests,
) -> Checks:
    """Test residuals against noise that is normal, of the stated size and independent.

    Args:
        residuals: (measured - fitted) / σ, shape (m,); NaN where there is no measurement.
        times: of the samples (s), shape (m,).
        channels: the name of each sample's channel, m of them.
        slopes: derivatives of the predictions by the unknowns, each divided by σ, shape (m, n).
        information: of the unknowns with what is known beforehand of them, shape (n, n).
        held: score tests of what is held, see `held_properties`.
        options: of the tests; their false alarms are shared equally among all (Bonferroni).
    """
    series, sampled = _series(
        residuals, times, channels, slopes, information=information, options=options
    )
    threshold = options.false_alarm / (1 + len(_TESTS) * len(series) + len(held))
    everything = residual_tests.stacked(list(series.values()))
    tests = [Check("size", None, *residual_tests.chi_square(everything), threshold)]
    for name, test in _TESTS.items():
        tests += [Check(name, channel, *test(own), threshold) for channel, own in series.items()]
    warnings = suspicions(tests, series, sampled)
    scores = [
        Check(
            name=f"held {', '.join(score.properties)}",
            channel=None,
            statistic=score.statistic,
            p=score.p,
            threshold=threshold,
        )
        for score in held
    ]
    warnings += against_held(held, threshold)
    return Checks((*tests, *scores), tuple(warnings), options.false_alarm)


def _series(
    residuals: Any,
    times: Any,
    channels: Sequence[str],
    slopes: Any,
    *,
    information: Any,
    options: ResidualTestOptions,
) -> tuple[dict[str, ResidualSeries], dict[str, Array]]:
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
    series: dict[str, ResidualSeries] = {}
    sampled: dict[str, Array] = {}
    for name in dict.fromkeys(names[there].tolist()):
        own = np.flatnonzero(there & (names == name))
        own = own[np.argsort(t[own], kind="stable")]
        series[name] = ResidualSeries(r[own], W[own], options)
        sampled[name] = t[own]
    return series, sampled


__all__ = ["Check", "Checks", "check_residuals"]
