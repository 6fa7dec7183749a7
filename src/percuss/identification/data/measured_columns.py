"""Measurements over time: columns with names, as they stand in `measured.csv`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType

import numpy as np

from percuss.encounter.errors import shown
from percuss.identification.data.channels import AXES, QUATERNION, Channel, channels_of
from percuss.identification.data.left_out import LeftOut, refuse_many
from percuss.identification.data.vectors import VECTORS
from percuss.model.errors import ModelError, closest
from percuss.model.systems import System

UNIT_TOLERANCE = 1e-3
"""By how much the length of a measured quaternion may differ from one: what four digits give."""

_FAMILIES = (
    "time",
    *(f"base.{entry}" for entry in (*AXES, "angle", *QUATERNION)),
    *(f"tool_force.{axis}" for axis in AXES),
)
_NAMED = ("joint", "joint_rate", "joint_torque")


@dataclass(frozen=True)
class Measured:
    """Samples of what was measured after an impact.

    Attributes:
        time: after the impact (n,), s, not negative and strictly increasing.
        columns: by name as in the header of a file, each (n,) in SI units, NaN where there is
            no sample. Quaternions (`base.qw` … `base.qz`, world ← base) have length one.
        notes: what a reader of the file should know.
        left_out: samples that are missing here because they were outliers.
    """

    time: np.ndarray
    columns: Mapping[str, np.ndarray]
    notes: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = ()

    def __post_init__(self) -> None:
        time = np.array(self.time, float)
        columns = {name: np.array(values, float) for name, values in self.columns.items()}
        _check_time(time)
        if not columns:
            raise ModelError("measurements need at least one column besides time")
        for name, values in columns.items():
            _check_column(name, values, time)
        _normalise(columns, time)
        for values in (time, *columns.values()):
            values.flags.writeable = False
        object.__setattr__(self, "time", time)
        object.__setattr__(self, "columns", MappingProxyType(columns))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, without time."""
        return tuple(self.columns)

    @cached_property
    def samples(self) -> int:
        """Entries that are there; the four of a quaternion count as three."""
        total = sum(int(np.isfinite(values).sum()) for values in self.columns.values())
        attitude = self.columns.get("base.qw")
        return total - (0 if attitude is None else int(np.isfinite(attitude).sum()))

    def of(self, chaser: System) -> Measured:
        """The same for this chaser, joints by their own names; ModelError where it has no such
        column."""
        found = channels_of(chaser, self.columns)
        renamed = zip(found, self.columns.values(), strict=True)
        columns = {channel.name: values for channel, values in renamed}
        return replace(self, columns=columns)

    def channels(self, chaser: System) -> tuple[Channel, ...]:
        """What the columns are for this chaser."""
        return channels_of(chaser, self.columns)

    def until(self, time: float) -> Measured:
        """The samples up to a time (s)."""
        kept = self.time <= time
        columns = {name: values[kept] for name, values in self.columns.items()}
        return replace(self, time=self.time[kept], columns=columns)

    def __reduce__(self) -> tuple[object, ...]:
        return Measured, (self.time, dict(self.columns), self.notes, self.left_out)

    def __repr__(self) -> str:
        return (
            f"<Measured {len(self.time)} times to {self.time[-1]:g} s: {', '.join(self.columns)}>"
        )


def measured_of(
    time: np.ndarray,
    columns: Mapping[str, np.ndarray],
    notes: tuple[str, ...] = (),
    *,
    robust: bool = False,
) -> Measured:
    """Measurements of these columns; `robust` leaves out attitudes that are no unit quaternions."""
    names = [f"base.{entry}" for entry in QUATERNION]
    if not robust or not all(name in columns for name in names):
        return Measured(time, columns, notes)
    entries = np.stack([columns[name] for name in names])
    with np.errstate(over="ignore"):
        lengths = np.linalg.norm(entries, axis=0)
    off = np.abs(lengths - 1.0)
    wrong = np.flatnonzero(off > UNIT_TOLERANCE)
    found = [
        LeftOut(
            column="base.orientation",
            sample=int(k) + 1,
            time=float(time[k]),
            value=float(lengths[k]),
            deviations=min(float(off[k]) / UNIT_TOLERANCE, 1e300),
            against="length",
        )
        for k in wrong
    ]
    refuse_many(found, {"base.orientation": int(np.isfinite(off).sum())})
    kept = dict(columns)
    for name, values in zip(names, entries, strict=True):
        kept[name] = np.where(np.isin(np.arange(len(time)), wrong), np.nan, values)
    return Measured(time, kept, notes, tuple(found))


def refuse_names(names: Sequence[str], where: str) -> None:
    """ModelError where a header holds what no measurement is called, or a name twice."""
    if "time" not in names:
        raise ModelError(
            f"{where}: there is no column 'time' (s after the impact).{closest('time', names)} "
            f"The header has: {shown(', '.join(names))}"
        )
    listed: set[str] = set()
    for name in names:
        if name in listed:
            raise ModelError(f"{where}: there are two columns {name!r}; a measurement has one")
        listed.add(name)
        if not _is_known(name):
            raise ModelError(
                f"{where}: unknown column {shown(name)}.{closest(name, _examples(name))} Columns "
                "are time, joint.NAME, joint_rate.NAME, joint_torque.NAME, base.x base.y "
                "base.angle (spatial: base.x … base.z base.qw … base.qz), gyro.x …, "
                "tool_force.x …, marker.NAME.x …"
            )
    if len(names) == 1:
        raise ModelError(f"{where}: there is no column besides 'time': nothing was measured")


def _is_known(name: str) -> bool:
    stem, _, rest = name.partition(".")
    if stem in _NAMED:
        return bool(rest)
    if stem in VECTORS:
        return rest in AXES
    marker, _, axis = rest.rpartition(".")
    return name in _FAMILIES or (stem == "marker" and bool(marker) and axis in AXES)


def _examples(name: str) -> list[str]:
    """Names that there are, the parts that the user chooses as in the name given."""
    _, _, rest = name.partition(".")
    part = rest.rpartition(".")[0] or "NAME"
    named = [f"{kind}.{rest or 'NAME'}" for kind in _NAMED]
    vectors = [f"{kind}.{axis}" for kind in VECTORS for axis in AXES]
    return [*_FAMILIES, *vectors, *named, *(f"marker.{part}.{axis}" for axis in AXES)]


def _check_time(time: np.ndarray) -> None:
    if time.ndim != 1 or not len(time):
        raise ModelError(f"time must be a row of at least one sample, got shape {time.shape}")
    if not np.isfinite(time).all():
        k = int(np.argmin(np.isfinite(time)))
        raise ModelError(f"time must be finite, got {time[k]} in sample {k + 1}")
    if time[0] < 0:
        raise ModelError(f"time is counted from the impact (s, ≥ 0), got {time[0]:g} s")
    steps = np.diff(time)
    if (steps <= 0).any():
        k = int(np.argmax(steps <= 0))
        raise ModelError(
            f"time must increase, got {time[k + 1]!r} s after {time[k]!r} s in sample {k + 2}"
        )


def _check_column(name: str, values: np.ndarray, time: np.ndarray) -> None:
    if not _is_known(name) or name == "time":
        raise ModelError(f"there is no measurement {name!r}.{closest(name, _examples(name))}")
    if values.shape != time.shape:
        raise ModelError(f"{name} must have {len(time)} samples as time has, got {values.shape}")
    if np.isinf(values).any():
        k = int(np.argmax(np.isinf(values)))
        raise ModelError(f"{name} must be finite, got {values[k]} at {time[k]:g} s")


def _normalise(columns: dict[str, np.ndarray], time: np.ndarray) -> None:
    """Quaternions of length one; ModelError where they are far from it or not whole."""
    names = [f"base.{entry}" for entry in QUATERNION]
    given = [name for name in names if name in columns]
    if not given:
        return
    if len(given) < 4:
        missing = ", ".join(name for name in names if name not in columns)
        raise ModelError(
            f"an orientation is a quaternion of four columns, base.qw … base.qz; {missing} missing"
        )
    entries = np.stack([columns[name] for name in names])
    there = np.isfinite(entries).sum(axis=0)
    if ((there > 0) & (there < 4)).any():
        k = int(np.argmax((there > 0) & (there < 4)))
        raise ModelError(
            f"base.qw … base.qz at {time[k]:g} s: {there[k]} of four entries; a quaternion is "
            "whole or missing"
        )
    lengths = np.linalg.norm(entries, axis=0)
    wrong = np.abs(lengths - 1.0) > UNIT_TOLERANCE
    if wrong.any():
        k = int(np.argmax(wrong))
        raise ModelError(
            f"base.qw … base.qz at {time[k]:g} s: must be a unit quaternion (to "
            f"{UNIT_TOLERANCE:g}), got {shown(entries[:, k].tolist())} of length {lengths[k]:.6g}"
        )
    for name, values in zip(names, entries / lengths, strict=True):
        columns[name] = values
