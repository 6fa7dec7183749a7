"""Samples that stand out from their neighbours, found before anything is fitted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from percuss.identification.data.channels import QUATERNION
from percuss.identification.data.left_out import LeftOut, count_words
from percuss.identification.data.measured_columns import Measured
from percuss.identification.data.neighbours import Deviations, deviations
from percuss.identification.data.sensors import Sensors
from percuss.identification.options.records import OutlierOptions
from percuss.model.errors import ModelError
from percuss.model.systems import System

Column = tuple[str, np.ndarray, np.ndarray, Deviations]
"""Name, where samples are (n,), their values (rows, n), and the deviations of the worst row."""


def judged(
    measured: Measured, sensors: Sensors, chaser: System, options: OutlierOptions
) -> list[Column]:
    """Every column against its neighbours; the four of an attitude together."""
    found: list[Column] = []
    for name, values, noise in _series(measured, sensors, chaser):
        there = np.flatnonzero(np.isfinite(values).all(axis=0))
        rows = [deviations(measured.time[there], row[there], noise, options) for row in values]
        known = [row for row in rows if row is not None]
        if known:
            worst = max(known, key=lambda row: float(row.relative.max()))
            found.append((name, there, values[:, there], worst))
    return found


def spikes(measured: Measured, columns: list[Column], far: float) -> list[LeftOut]:
    """Samples that are more than so many spreads from their neighbours, the farthest first."""
    found = [
        LeftOut(
            column=name,
            sample=int(there[k]) + 1,
            time=float(measured.time[there[k]]),
            value=float(values[0, k]) if len(values) == 1 else float("nan"),
            deviations=float(min(worst.relative[k], 1e300)),
            against="neighbours",
        )
        for name, there, values, worst in columns
        for k in np.flatnonzero(worst.beyond(far))
    ]
    return sorted(found, key=lambda item: -item.deviations)


def refuse_spikes(found: list[LeftOut]) -> None:
    """ModelError that names the worst of them."""
    if not found:
        return
    more = ""
    if len(found) > 1:
        others = dict.fromkeys(item.column for item in found[1:])
        more = f", and {len(found) - 1} more stand out (of {', '.join(others)})"
    value = "" if np.isnan(found[0].value) else f", value {found[0].value:.6g}"
    raise ModelError(
        f"{found[0].words}{value}{more}: no such motion. Leave such samples out with --robust "
        "(robust=True), or blank them"
    )


def refuse_leaps(measured: Measured, columns: list[Column], options: OutlierOptions) -> None:
    """ModelError where a place leaps from a sample to the next and stays there: it has mass."""
    usual = float(np.median(np.diff(measured.time))) if len(measured.time) > 1 else 0.0
    for name, there, values, worst in columns:
        if not name.startswith(("joint.", "base.")) or len(values) > 1:
            continue
        times = measured.time[there]
        size = np.minimum(np.abs(worst.before[1:]), np.abs(worst.after[:-1]))
        travel = np.fmax(worst.pace[1:], worst.pace[:-1])
        leaps = (size > options.gross * worst.spread) & (size > options.travel * travel)
        leaps &= np.diff(times) <= 2.0 * usual
        leap = np.diff(values[0])
        turns = np.round(leap / (2.0 * np.pi))
        whole = (turns != 0) & (np.abs(leap - 2.0 * np.pi * turns) < 0.5)
        if name == "base.angle":
            leaps &= ~whole  # an attitude between -π and π leaps, and is unwound
        if not leaps.any():
            continue
        k = int(np.argmax(np.where(leaps, size, 0.0)))
        hint = ""
        if whole[k] and name.startswith("joint."):
            hint = " (whole turns: write the joint without them)"
        raise ModelError(
            f"{name} leaps by {leap[k]:.4g} between samples {there[k] + 1} and {there[k + 1] + 1} "
            f"({times[k]:g} and {times[k + 1]:g} s), {count_words(size[k] / worst.spread)} σ more "
            f"than it moves{hint}: what has mass does not. Was the sensor reset, or are two "
            "records joined? Blank one part, or correct it"
        )


def without(measured: Measured, found: list[LeftOut]) -> Measured:
    """The measurements with these samples missing, and noted as left out."""
    columns = {name: np.array(values) for name, values in measured.columns.items()}
    for item in found:
        names = [item.column]
        if item.column == "base.orientation":
            names = [f"base.{entry}" for entry in QUATERNION]
        for name in names:
            columns[name][item.sample - 1] = np.nan
    return replace(measured, columns=columns, left_out=(*measured.left_out, *found))


def _series(
    measured: Measured, sensors: Sensors, chaser: System
) -> Iterator[tuple[str, np.ndarray, float]]:
    """Name, values (rows, times) and noise of every column; an attitude without leaps of sign."""
    for channel in measured.channels(chaser):
        noise = sensors[channel.kind].noise
        if channel.kind != "base.orientation":
            yield channel.name, measured.columns[channel.name][None], noise
        elif channel.index == 0:
            table = np.stack([measured.columns[f"base.{entry}"] for entry in QUATERNION])
            # An entry of a quaternion changes by half the angle at most.
            yield "base.orientation", _continuous(table), 0.5 * noise


def _continuous(attitude: np.ndarray) -> np.ndarray:
    """Quaternions (4, times), each on the side of the one before it."""
    there = np.flatnonzero(np.isfinite(attitude).all(axis=0))
    near = np.einsum("ij,ij->j", attitude[:, there[1:]], attitude[:, there[:-1]])
    sides = np.cumprod(np.concatenate([[1.0], np.where(near < 0.0, -1.0, 1.0)]))
    found = np.array(attitude)
    found[:, there] = attitude[:, there] * sides[: len(there)]
    return found
