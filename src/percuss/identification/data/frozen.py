"""Sensors that stand still, and rates that are not those of the places beside them."""

from __future__ import annotations

import math

import numpy as np

from percuss.identification.data.measured_columns import Measured
from percuss.identification.data.sensors import Sensors
from percuss.identification.data.spikes import GROSS, Column
from percuss.model.errors import ModelError
from percuss.model.systems import System

_EQUAL = 10
"""Samples in a row with the same digits that no noisy sensor gives."""
_BESIDE = 5
"""Samples beside such a run that tell how fast the column moves."""
_CORRELATED = 0.95
"""Least correlation of a place with the integral of its rate for their ratio to mean something."""
_AGREE = 0.5
"""By how much the ratio of a place to the integral of its rate may differ from one."""
_MOVES = 10.0
"""Standard deviations, root mean square, that a place must move for its rate to be compared."""
_NOISY = 0.3
"""Share of its stated noise above which a column has noise at all."""


def refuse_frozen(measured: Measured, columns: list[Column]) -> None:
    """ModelError where a column moves and then shows the same digits for a while."""
    for name, there, values, worst in columns:
        times = measured.time[there]
        begin, end = _longest_run(values)
        if end - begin < _EQUAL or end - begin == len(there):
            continue
        aside = slice(max(begin - _BESIDE, 0), begin) if begin else slice(end, end + _BESIDE)
        pace = float(np.median(worst.pace[aside]))
        if not pace * (end - begin) > GROSS * worst.spread:
            continue
        raise ModelError(
            f"{name} shows {values[0, begin]:.6g} in all samples from {there[begin] + 1} to "
            f"{there[end - 1] + 1} ({times[begin]:g} to {times[end - 1]:g} s), though it moves "
            f"{'before' if begin else 'afterwards'}: the sensor looks frozen; blank these samples"
        )


def constant_notes(columns: list[Column], sensors: Sensors, kinds: dict[str, str]) -> list[str]:
    """A note on each column that never changes beside others that are as noisy as stated."""
    noises = {name: sensors[kinds[name]].noise for name, *_ in columns}
    noisy = any(
        float(np.median(worst.size)) > _NOISY * noises[name] for name, _, _, worst in columns
    )
    return [
        f"{name} shows {values[0, 0]:.6g} in all {len(there)} samples: other columns have noise, "
        "so this sensor may be frozen."
        for name, there, values, _ in columns
        if noisy and len(there) >= _EQUAL and (values == values[:, :1]).all()
    ]


def refuse_rates(measured: Measured, sensors: Sensors, chaser: System) -> None:
    """ModelError where a place moves otherwise than its measured rate says, such as deg/s."""
    pairs = [(f"joint.{j.name}", f"joint_rate.{j.name}") for j in chaser.movable_joints]
    if chaser.is_planar:
        pairs.append(("base.angle", "gyro.z"))
    channels = {channel.name: channel for channel in measured.channels(chaser)}
    for place, rate in pairs:
        if place not in channels or rate not in channels:
            continue
        x, v = measured.columns[place], measured.columns[rate]
        there = np.isfinite(x) & np.isfinite(v)
        t, x, v = measured.time[there], x[there], v[there]
        if len(t) < _EQUAL:
            continue
        if place == "base.angle":
            x = np.unwrap(x)
        noise = sensors[channels[place].kind].noise
        ratio = _ratio(t, x, v, noise)
        if ratio is None or abs(ratio - 1.0) <= _AGREE:
            continue
        raise ModelError(_disagreement(place, rate, ratio, channels[place].unit))


def _ratio(t: np.ndarray, x: np.ndarray, v: np.ndarray, noise: float) -> float | None:
    """How often as far a place (n,) moves as its rate (n,) tells; None where noise hides it."""
    whole = np.concatenate([[0.0], np.cumsum(0.5 * (v[1:] + v[:-1]) * np.diff(t))])
    told, moved = whole - whole.mean(), x - x.mean()
    sizes = float(np.linalg.norm(told)), float(np.linalg.norm(moved))
    if min(sizes) == 0.0 or sizes[1] < _MOVES * noise * math.sqrt(len(t)):
        return None
    product = float(told @ moved)
    if abs(product) < _CORRELATED * sizes[0] * sizes[1]:
        return None
    return product / sizes[0] ** 2


def _disagreement(place: str, rate: str, ratio: float, unit: str) -> str:
    degree = math.pi / 180.0
    why = f"{place} moves {ratio:.4g} times as far as {rate} says"
    if unit == "rad" and abs(ratio / degree - 1.0) < 0.2:
        return f"{rate} looks like deg/s: {why}; rates are in rad/s"
    if unit == "rad" and abs(ratio * degree - 1.0) < 0.2:
        return (
            f"{place} looks like degrees: it moves {ratio:.4g} times as far as {rate} says; "
            "angles are in rad"
        )
    if abs(ratio + 1.0) < _AGREE:
        return f"{place} and {rate} have opposite signs: one of them is reversed"
    return f"{why}: are both in {unit} and {unit}/s, of the same joint, and the times in seconds?"


def _longest_run(values: np.ndarray) -> tuple[int, int]:
    """Where the longest run of equal samples (rows, n) begins and ends."""
    same = (values[:, 1:] == values[:, :-1]).all(axis=0)
    breaks = np.concatenate([[0], np.flatnonzero(~same) + 1, [values.shape[1]]])
    longest = int(np.argmax(np.diff(breaks)))
    return int(breaks[longest]), int(breaks[longest + 1])
