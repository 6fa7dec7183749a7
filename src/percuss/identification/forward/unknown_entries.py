"""The quantities that may be asked for: names, units, starts and plausible ranges."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from percuss.encounter.closures import Bounce
from percuss.identification.data.robot_errors import RobotErrors
from percuss.identification.forward.known import KnownEncounter
from percuss.identification.forward.numbers import (
    PLAIN,
    is_number,
    number_entries,
    refuse_unknown_name,
)
from percuss.model.errors import ModelError, closest

GROUPS = (
    "velocity",
    "attitude",
    "mass",
    "com",
    "inertia",
    "contact",
    "restitution",
    "time",
    "robot",
)
"""What may be unknown, in the order of the numbers."""

_AXES = ("x", "y", "z")
_MOMENTS = ("xx", "yy", "zz", "xy", "xz", "yz")


@dataclass(frozen=True)
class Unknown:
    """One quantity that is asked for.

    `start` is where the search begins and `range` how far from it the truth may plausibly be,
    both in `unit`; `prior` is a standard deviation that is known beforehand, for errors of the
    robot's state at the impact. `form` says what θ of a number is; its `group` is
    that number.
    """

    name: str
    unit: str
    group: str
    start: float
    range: float
    prior: float | None = None
    form: str = PLAIN


def ordered(groups: Iterable[str], encounter: KnownEncounter) -> tuple[str, ...]:
    """The groups in the order of their numbers, each once, then numbers of the encounter."""
    given = [groups] if isinstance(groups, str) else list(groups)
    for group in given:
        if group not in GROUPS and not is_number(group):
            refuse_unknown_name(encounter, group, GROUPS)
    own = dict.fromkeys(name for name in given if name not in GROUPS)
    return (*(group for group in GROUPS if group in given), *own)


def entries_of(
    encounter: KnownEncounter,
    groups: tuple[str, ...],
    errors: RobotErrors,
    ranges: Mapping[str, float],
) -> tuple[Unknown, ...]:
    """The quantities of these groups, with the usual ranges but for those given."""
    _refuse_restitution(encounter, groups)
    _refuse_twice(groups)
    own = [group for group in groups if group in GROUPS]
    entries = [entry for group in own for entry in _entries(encounter, group, errors)]
    entries += [
        Unknown(
            name=e.name,
            unit=e.unit,
            group=name,
            start=e.value,
            range=e.range,
            prior=None,
            form=e.form,
        )
        for name in groups
        if name not in GROUPS
        for e in number_entries(encounter, name)
    ]
    if not entries:
        raise ModelError(f"nothing is unknown; choose some of {', '.join(GROUPS)}")
    return _with_ranges(entries, ranges, groups)


def _entries(encounter: KnownEncounter, group: str, errors: RobotErrors) -> list[Unknown]:
    """The quantities of a group with their usual ranges."""
    start, target, planar = encounter.start, encounter.start.target, encounter.is_planar
    assert target is not None
    assert start.grip is not None
    axes = _AXES[:2] if planar else _AXES
    tensor = np.array(target.base.inertia.array(), float)
    mass = float(np.asarray(target.base.mass))
    moment = float(tensor[2, 2] if planar else np.trace(tensor) / 3.0)
    contact = np.array([float(np.asarray(x)) for x in start.grip.placement.position])
    size = max(float(np.linalg.norm(contact)), math.sqrt(moment / mass))
    if group == "velocity":
        names = ("vx", "vy", "omega") if planar else ("vx", "vy", "vz", "wx", "wy", "wz")
        units = ["m/s" if name[0] == "v" else "rad/s" for name in names]
        rates = [float(x) for x in start.target_rates]
        both = zip(names, units, rates, strict=True)
        return [
            Unknown(name=name, unit=unit, group=group, start=value, range=1.0)
            for name, unit, value in both
        ]
    if group == "attitude":
        if planar:
            return [
                Unknown(
                    name="angle",
                    unit="rad",
                    group=group,
                    start=float(start.target_coordinates[2]),
                    range=1.0,
                )
            ]
        return [
            Unknown(name=f"attitude.{axis}", unit="rad", group=group, start=0.0, range=1.0)
            for axis in axes
        ]
    if group == "mass":
        return [Unknown(name="mass", unit="kg", group=group, start=mass, range=mass)]
    if group == "com":
        return [
            Unknown(name=f"com.{axis}", unit="m", group=group, start=0.0, range=size)
            for axis in axes
        ]
    if group == "inertia":
        if planar:
            return [Unknown(name="inertia", unit="kg m²", group=group, start=moment, range=moment)]
        values = (float(np.asarray(x)) for x in target.base.inertia)
        both = zip(_MOMENTS, values, strict=True)
        return [
            Unknown(name=f"inertia.{k}", unit="kg m²", group=group, start=x, range=moment)
            for k, x in both
        ]
    if group == "contact":
        both = zip(axes, contact, strict=False)
        return [
            Unknown(name=f"contact.{k}", unit="m", group=group, start=float(x), range=size)
            for k, x in both
        ]
    if group == "restitution":
        return [
            Unknown(
                name="restitution",
                unit="1",
                group=group,
                start=restitution_of(encounter),
                range=0.5,
            )
        ]
    if group == "time":
        return [Unknown(name="time", unit="s", group=group, start=0.0, range=0.05)]
    return [
        Unknown(
            name=f"robot.{error.name}",
            unit=error.unit,
            group=group,
            start=0.0,
            range=10.0 * error.sigma,
            prior=error.sigma,
        )
        for error in errors.entries
    ]


def restitution_of(encounter: KnownEncounter) -> float:
    """The restitution of a bounce; 0 of what does not bounce."""
    closure = encounter.closure
    return closure.restitution if isinstance(closure, Bounce) else 0.0


def _refuse_restitution(encounter: KnownEncounter, groups: tuple[str, ...]) -> None:
    closure = encounter.closure.name
    if "restitution" in groups and closure != "bounce":
        raise ModelError(
            f"restitution: a {closure} has none; only impact.closure 'bounce' has, so it cannot "
            "be unknown here"
        )


def _refuse_twice(groups: tuple[str, ...]) -> None:
    """ModelError where a number is asked for, and a part of it or the same by another name."""
    if "restitution" in groups and "impact.restitution" in groups:
        raise ModelError("impact.restitution: restitution is the same: ask for one of them")
    for name in groups:
        for other in groups:
            if name.startswith((f"{other}.", f"{other}[")):
                raise ModelError(f"{name}: is part of {other}, which is asked for too: ask for one")


def _with_ranges(
    entries: list[Unknown], ranges: Mapping[str, float], groups: tuple[str, ...]
) -> tuple[Unknown, ...]:
    names = [entry.name for entry in entries]
    for name, value in ranges.items():
        if name not in names and name not in groups:
            raise ModelError(
                f"ranges: {name!r} is not unknown here.{closest(name, [*names, *groups])}"
            )
        if not (value > 0 and math.isfinite(value)):
            raise ModelError(f"ranges: {name} must be finite and > 0, got {value!r}")
    return tuple(
        replace(e, range=float(ranges.get(e.name, ranges.get(e.group, e.range)))) for e in entries
    )
