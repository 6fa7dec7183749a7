"""What failed tests of residuals mean, in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from percuss.identification.data.vectors import VECTORS
from percuss.identification.estimate.held_properties import ScoreTest, chance_of
from percuss.identification.estimate.residual_tests import (
    Array,
    Check,
    ResidualSeries,
    lag_one,
    ljung_box,
    runs,
    standardised,
)

_SUSPECTS = {
    "joint": "closure? sensor delay? unmodelled torque or friction?",
    "joint_rate": "closure? sensor delay? unmodelled torque or friction?",
    "joint_torque": "another control law? torque limits? friction?",
    "base": "closure? thrust or wheels not in the scenario? sensor delay?",
    "tool_force": "closure? a contact that yields? sensor delay?",
    "marker": "wrong places of the markers on the target? closure? sensor delay?",
}

_IN_TIME = {"neighbours": lag_one, "correlation": ljung_box, "runs": runs}


def suspicions(
    tests: Sequence[Check], series: Mapping[str, ResidualSeries], times: Mapping[str, Array]
) -> list[str]:
    """One sentence for each kind of channel and each way of being wrong; none if all passed."""
    failed = [test for test in tests if test.failed]
    lines: list[str] = []
    total = next((test for test in failed if test.channel is None), None)
    if total is not None:
        lines.append(_size(total, "the residuals of all channels"))
    for kind in dict.fromkeys(_kind(test.channel) for test in failed if test.channel):
        own = [test for test in failed if test.channel and _kind(test.channel) == kind]
        lines += _of_kind(kind, own, series, times)
    return lines


def against_held(scores: Sequence[ScoreTest], threshold: float) -> list[str]:
    """One sentence where another value of what is held would fit better; none if all passed.

    Properties are named apart, the likeliest first, if each by itself would leave nothing that
    speaks against another; else all of them are named.
    """
    failed = [score for score in scores if score.p < threshold]
    if not failed:
        return []
    everything = scores[-1]
    alone = [
        one for one in scores if len(one.properties) == 1 and _explains(one, everything, threshold)
    ]
    alone.sort(key=lambda score: (score.p, -score.statistic))
    named = [one.properties[0] for one in alone] or list(everything.properties)
    ask = f"one of {', '.join(named)}" if len(alone) > 1 else ", ".join(named)
    chance = min(score.p for score in failed)
    return [
        f"another {' or '.join(named)} of the target than stated would fit better "
        f"({_p(chance)}): add {ask} to the unknowns; if it still does not fit, the model is wrong "
        "elsewhere: closure? sensor delay?"
    ]


def _explains(one: ScoreTest, everything: ScoreTest, threshold: float) -> bool:
    freedom = everything.freedom - one.freedom
    left = everything.statistic - one.statistic
    return freedom <= 0 or chance_of(left, freedom) >= threshold


def _of_kind(
    kind: str,
    failed: Sequence[Check],
    series: Mapping[str, ResidualSeries],
    times: Mapping[str, Array],
) -> list[str]:
    suspects = _SUSPECTS.get(kind, "closure? sensor delay? unmodelled torque?")
    if kind in VECTORS:
        suspects = VECTORS[kind].suspects
    lines: list[str] = []
    shifted = [test for test in failed if test.name == "mean"]
    biased = {test.channel for test in shifted}
    in_time = [
        test
        for test in failed
        if test.name in _IN_TIME and (test.channel not in biased or _varies(test, series))
    ]
    if in_time:
        worst = min(in_time, key=lambda test: test.p)
        lines.append(
            f"the {kind} residuals are correlated in time ({_p(worst.p)}, {worst.channel} most"
            f"{_when(failed, series, times)}): the model is wrong: {suspects}"
        )
    sizes = [test for test in failed if test.name == "size"]
    if sizes:
        worst = max(sizes, key=lambda test: abs(np.log(max(test.statistic, 1e-300))))
        lines.append(_size(worst, f"the residuals of {worst.channel}"))
    early = [test for test in failed if test.name == "onset" and test.statistic > 1.0]
    if early and not in_time and not sizes:
        worst = min(early, key=lambda test: test.p)
        lines.append(
            f"the first residuals of {worst.channel} are {np.sqrt(worst.statistic):.3g} times as "
            f"large as the stated noise ({_p(worst.p)}), as if the contact took time: {suspects}"
        )
    # What is wrong all the time is off on average and has far samples too. These are worth a word
    # when they are the clearer sign: a bias, or a bad sample that drew the fit towards it.
    clear = min((test.p for test in in_time), default=1.0)
    means = [test for test in shifted if not in_time or test.p < clear]
    if means:
        worst = min(means, key=lambda test: test.p)
        lines.append(
            f"the residuals of {worst.channel} are {worst.statistic:+.2g} σ on average "
            f"({_p(worst.p)}): a bias of the sensor, or {suspects}"
        )
    return lines + [
        _spoiled(test, series[test.channel], times[test.channel])
        for test in failed
        if test.name == "outliers" and test.channel is not None and test.p < clear
    ]


def _varies(test: Check, series: Mapping[str, ResidualSeries]) -> bool:
    """Whether a test of correlations fails without the mean too: a bias alone is another fault."""
    assert test.channel is not None
    own = series[test.channel]
    level = replace(own, values=own.values - np.mean(own.values))
    return _IN_TIME[test.name](level)[1] < test.threshold


def _when(
    failed: Sequence[Check], series: Mapping[str, ResidualSeries], times: Mapping[str, Array]
) -> str:
    """Where far samples are, if they are just after the impact: a contact that takes time."""
    far = [test for test in failed if test.name == "outliers"]
    if not far:
        return ""
    channel = max(far, key=lambda test: test.statistic).channel
    assert channel is not None
    at, own = times[channel], series[channel]
    worst = float(at[int(np.argmax(np.abs(standardised(own))))])
    if worst > own.options.early_share * float(at[-1]):
        return ""
    return f", largest {worst:.2g} s after the impact, as if the contact took time"


def _size(test: Check, subject: str) -> str:
    rms = float(np.sqrt(test.statistic))
    if test.statistic > 1.0:
        return (
            f"{subject} are {rms:.3g} times as large as the stated noise ({_p(test.p)}): the model "
            "is wrong, or the sensors are noisier than stated"
        )
    return (
        f"{subject} are only {rms:.3g} of the stated noise ({_p(test.p)}): the sensors are better "
        "than stated, or the measurements were smoothed; the uncertainties are not right then"
    )


def _spoiled(test: Check, series: ResidualSeries, times: Array) -> str:
    own = np.abs(standardised(series))
    worst = int(np.argmax(own))
    # As many as lie beyond what one in the whole record would.
    beyond = int(np.sum(own > np.sqrt(2.0 * np.log(len(own) / test.threshold))))
    more = f" and {beyond - 1} more samples" if beyond > 1 else ""
    return (
        f"{test.channel} at {times[worst]:g} s{more} off by up to {test.statistic:.3g} σ "
        f"({_p(test.p)}): spoiled samples (--robust leaves them out), or a wrong model"
    )


def _p(p: float) -> str:
    return f"p = {p:.1g}" if p > 1e-300 else "p < 1e-300"


def _kind(channel: str) -> str:
    return channel.partition(".")[0]
