"""Sensors that stand still, and rates that are not those of the places beside them."""

from __future__ import annotations

import math

import numpy as np

from percuss.identification.data.measured_columns import Measured
from percuss.identification.data.sensors import Sensors
from percuss.identification.data.spikes import Column
from percuss.identification.options import SearchOptions
from percuss.identification.options.records import FrozenOptions
from percuss.model.errors import ModelError
from percuss.model.systems import System


def refuse_frozen(measured: Measured, columns: list[Column], options: SearchOptions) -> None:
    """ModelError where a column moves and then shows the same digits for a while."""
    equal, beside = options.frozen.equal, options.frozen.beside
    for name, there, values, worst in columns:
        times = measured.time[there]
        begin, end = _longest_run(values)
        if end - begin < equal or end - begin == len(there):
            continue
        aside = slice(max(begin - beside, 0), begin) if begin else slice(end, end + beside)
        pace = float(np.median(worst.pace[aside]))
        if not pace * (end - begin) > options.outliers.gross * worst.spread:
            continue
        raise ModelError(
            f"{name} shows {values[0, begin]:.6g} in all samples from {there[begin] + 1} to "
            f"{there[end - 1] + 1} ({times[begin]:g} to {times[end - 1]:g} s), though it moves "
            f"{'before' if begin else 'afterwards'}: the sensor looks frozen; blank these samples"
        )


def constant_notes(
    columns: list[Column], sensors: Sensors, kinds: dict[str, str], options: FrozenOptions
) -> list[str]:
    """A note on each column that never changes beside others that are as noisy as stated."""
    noises = {name: sensors[kinds[name]].noise for name, *_ in columns}
    noisy = any(
        float(np.median(worst.size)) > options.noisy * noises[name] for name, _, _, worst in columns
    )
    return [
        f"{name} shows {values[0, 0]:.6g} in all {len(there)} samples: other columns have noise, "
        "so this sensor may be frozen."
        for name, there, values, _ in columns
        if noisy and len(there) >= options.equal and (values == values[:, :1]).all()
    ]


def refuse_rates(
    measured: Measured, sensors: Sensors, chaser: System, options: FrozenOptions
) -> None:
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
        if len(t) < options.equal:
            continue
        if place == "base.angle":
            x = np.unwrap(x)
        noise = sensors[channels[place].kind].noise
        ratio = _ratio(t, x, v, noise, options=options)
        if ratio is None or abs(ratio - 1.0) <= options.agree:
            continue
        unit = channels[place].unit
        raise ModelError(_disagreement(place, rate, ratio, unit, agree=options.agree))


def _ratio(
    t: np.ndarray, x: np.ndarray, v: np.ndarray, noise: float, *, options: FrozenOptions
) -> float | None:
    """How often as far a place (n,) moves as its rate (n,) tells; None where noise hides it."""
    whole = np.concatenate([[0.0], np.cumsum(0.5 * (v[1:] + v[:-1]) * np.diff(t))])
    expected, measured = whole - whole.mean(), x - x.mean()
    sizes = float(np.linalg.norm(expected)), float(np.linalg.norm(measured))
    if min(sizes) == 0.0 or sizes[1] < options.moves * noise * math.sqrt(len(t)):
        return None
    product = float(expected @ measured)
    if abs(product) < options.correlated * sizes[0] * sizes[1]:
        return None
    return product / sizes[0] ** 2


def _disagreement(place: str, rate: str, ratio: float, unit: str, *, agree: float) -> str:
    degree = math.pi / 180.0
    why = f"{place} moves {ratio:.4g} times as far as {rate} says"
    if unit == "rad" and abs(ratio / degree - 1.0) < 0.2:
        return f"{rate} looks like deg/s: {why}; rates are in rad/s"
    if unit == "rad" and abs(ratio * degree - 1.0) < 0.2:
        return (
            f"{place} looks like degrees: it moves {ratio:.4g} times as far as {rate} says; "
            "angles are in rad"
        )
    if abs(ratio + 1.0) < agree:
        return f"{place} and {rate} have opposite signs: one of them is reversed"
    return f"{why}: are both in {unit} and {unit}/s, of the same joint, and the times in seconds?"


def _longest_run(values: np.ndarray) -> tuple[int, int]:
    """Where the longest run of equal samples (rows, n) begins and ends."""
    same = (values[:, 1:] == values[:, :-1]).all(axis=0)
    breaks = np.concatenate([[0], np.flatnonzero(~same) + 1, [values.shape[1]]])
    longest = int(np.argmax(np.diff(breaks)))
    return int(breaks[longest]), int(breaks[longest + 1])
