"""Which curves a reader wants to see of a record, by chart: plain numbers, no drawing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from percuss.report.columns import Entry, columns, named, split
from percuss.report.rotation import turned
from percuss.simulate.record import Record

_QUATERNION = ("qw", "qx", "qy", "qz")
_SHOWN = {
    "time",
    "phase",
    "coordinates",
    "rates",
    "control",
    "joint_reaction_force",
    "joint_reaction_moment",
    "target_position",
    "target_angle",
    "target_orientation",
    "target_velocity",
    "tool_position",
    "energy",
    "potential_energy",
    "linear_momentum",
    "angular_momentum",
    "grasp_force",
    "grasp_moment",
    "wheel_momentum",
}
"""Variables with charts of their own, or drawn as motion; others get a plain chart each."""


@dataclass(frozen=True)
class Series:
    """One curve: `values` of shape (time,)."""

    label: str
    values: np.ndarray


@dataclass(frozen=True)
class Chart:
    """Curves of one unit. `group` gathers charts that belong together; `note` says the frame."""

    group: str
    title: str
    unit: str
    series: tuple[Series, ...]
    logarithmic: bool = False
    note: str = ""


def charts(record: Record) -> tuple[Chart, ...]:
    """The charts of a record in reading order; those without curves are left out."""
    found = [
        *_joints(record),
        *_base(record),
        *_control(record),
        *_reactions(record),
        *_conserved(record),
        *_target(record),
        *_others(record),
    ]
    return tuple(chart for chart in found if chart.series)


def _by_unit(
    group: str, title: str | Mapping[str, str], entries: Sequence[Entry], note: str = ""
) -> Iterator[Chart]:
    """A chart for each unit; a title may differ by unit, with "" for any other."""
    for unit in dict.fromkeys(unit for _, unit, _ in entries):
        series = tuple(Series(label, values) for label, u, values in entries if u == unit)
        words = title if isinstance(title, str) else title.get(unit, title[""])
        yield Chart(group, words, unit, series, note=note)


def _velocity(whose: str) -> Mapping[str, str]:
    return {"": f"{whose} velocity", "rad/s": f"{whose} angular velocity"}


def _effort(whose: str) -> Mapping[str, str]:
    return {"": f"{whose} control", "N": f"{whose} control force", "N m": f"{whose} control torque"}


def _joints(record: Record) -> Iterator[Chart]:
    yield from _by_unit("Joints", "Joint coordinates", split(record, "coordinates")[1])
    yield from _by_unit("Joints", "Joint rates", split(record, "rates")[1])


def _base(record: Record) -> Iterator[Chart]:
    if not base_moves(record):
        return
    entries, _ = split(record, "coordinates")
    quaternion = [values for label, _, values in entries if label in _QUATERNION]
    along = [entry for entry in entries if entry[0] in ("x", "y", "z")]
    yield from _by_unit("Base", "Base position", along, "world axes")
    turn = [entry for entry in entries if entry[0] == "angle"]
    yield from _by_unit("Base", "Base angle", turn)
    if len(quaternion) == 4:
        yield _rotation("Base", np.column_stack(quaternion))
    rates, _ = split(record, "rates")
    yield from _by_unit("Base", _velocity("Base"), rates, "world axes")


def base_moves(record: Record) -> bool:
    """Whether the base ever has a velocity; a fixed one has entries too, all zero."""
    return any(np.any(values != 0) for _, _, values in split(record, "rates")[0])


def _rotation(whose: str, quaternions: np.ndarray) -> Chart:
    vector = turned(quaternions)
    series = tuple(Series(f"about {axis}", vector[:, k]) for k, axis in enumerate("xyz"))
    note = "rotation vector from the attitude at the impact, world axes"
    return Chart(whose, f"{whose} rotation", "rad", series, note=note)


def _control(record: Record) -> Iterator[Chart]:
    """Nothing when no actuator ever acts; the page says so in words."""
    if not is_controlled(record):
        return
    base, joints = split(record, "control")
    yield from _by_unit("Control", _effort("Joint"), joints)
    acting = [entry for entry in base if np.any(entry[2] != 0)]
    yield from _by_unit("Control", _effort("Base"), acting, "world axes")
    wheels = named(record, "wheel_momentum", "wheels")
    yield from _by_unit("Control", "Momentum in the wheels", wheels, "world axes")


def is_controlled(record: Record) -> bool:
    """Whether any control force is ever other than zero."""
    return any(np.any(values != 0) for _, _, values in columns(record, "control"))


def _reactions(record: Record) -> Iterator[Chart]:
    for name, title in (
        ("joint_reaction_force", "Joint reaction forces"),
        ("joint_reaction_moment", "Joint reaction moments"),
    ):
        entries = [(label, unit, np.abs(values)) for label, unit, values in columns(record, name)]
        yield from _by_unit("Loads", title, entries, "magnitude on the outboard link")
    for name, title in (("grasp_force", "Grasp force"), ("grasp_moment", "Grasp moment")):
        note = "of the tool on the target, target's axes"
        yield from _by_unit("Loads", title, named(record, name, title.lower()), note)


def _conserved(record: Record) -> Iterator[Chart]:
    yield from _by_unit("Conservation", "Energy", _energies(record))
    for name, title, note in (
        ("linear_momentum", "Linear momentum", "world axes"),
        ("angular_momentum", "Angular momentum", "about the world origin"),
    ):
        yield from _by_unit("Conservation", title, named(record, name, title.lower()), note)
    yield drift(record)


def _energies(record: Record) -> list[Entry]:
    """Kinetic energy; where gravity acts also potential energy, and their sum last."""
    kinetic = named(record, "energy", "kinetic")
    potential = named(record, "potential_energy", "potential")
    if not kinetic or not any(np.any(values != 0) for _, _, values in potential):
        return kinetic
    total = kinetic[0][2] + potential[0][2]
    return [*kinetic, *potential, ("total", kinetic[0][1], total)]


def drift(record: Record) -> Chart:
    """How far energy and momentum are from their values just after the impact, by size.

    Free of control and gravity that is the error of the integration; under control it is what
    the actuators did.
    """
    series: list[Series] = []
    for name, title in (
        ("energy", "energy"),
        ("linear_momentum", "linear momentum"),
        ("angular_momentum", "angular momentum"),
    ):
        entries = _energies(record)[-1:] if name == "energy" else columns(record, name)
        if entries:
            values = np.column_stack([values for _, _, values in entries])
            change = np.linalg.norm(values - values[0], axis=1)
            series.append(Series(f"{title}, {entries[0][1]}", change))
    driven = is_controlled(record)
    title = "Change of energy and momentum" if driven else "Drift of energy and momentum"
    note = "since the impact" + (", the work of the control included" if driven else "")
    return Chart("Conservation", title, "", tuple(series), True, note)


def _target(record: Record) -> Iterator[Chart]:
    entries = columns(record, "target_velocity")
    yield from _by_unit("Target", _velocity("Target"), entries, "of its centre of mass, world axes")
    yield from _by_unit(
        "Target", "Target position", columns(record, "target_position"), "world axes"
    )
    yield from _by_unit("Target", "Target angle", named(record, "target_angle", "angle"))
    if "target_orientation" in record.variables:
        yield _rotation("Target", np.asarray(record["target_orientation"], dtype=float))


def _others(record: Record) -> Iterator[Chart]:
    for name, variable in record.variables.items():
        if name in _SHOWN or variable.dimensions[:1] != ("time",):
            continue
        title = variable.title or name
        yield from _by_unit("More", title, named(record, name, name), variable.frame)
