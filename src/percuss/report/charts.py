"""Which curves a reader wants to see of a record, by chart: plain numbers, no drawing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from percuss.encounter.record import Record
from percuss.report.columns import Entry, columns, named, split
from percuss.report.curves import Chart, Series, by_unit
from percuss.report.rotation import turned

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
    "energy_residual",
    "linear_momentum_residual",
    "angular_momentum_residual",
    "gap",
    "distance",
    "contact_force",
    "grip_position",
}
"""Variables with charts of their own, or drawn as motion; others get a plain chart each."""


def charts(record: Record) -> tuple[Chart, ...]:
    """The charts of a record in reading order; those that are zero throughout are left out."""
    return charts_and_zeros(record)[0]


def zero_charts(record: Record) -> tuple[Chart, ...]:
    """The charts that are left out because they are zero throughout."""
    return charts_and_zeros(record)[1]


def charts_and_zeros(record: Record) -> tuple[tuple[Chart, ...], tuple[Chart, ...]]:
    """Both, made together: the charts to be shown, and those that are zero throughout."""
    every = tuple(_all(record))
    return (
        tuple(chart for chart in every if not chart.is_zero),
        tuple(chart for chart in every if chart.is_zero),
    )


def _all(record: Record) -> Iterator[Chart]:
    for part in (_contact, _joints, _base, _control, _reactions, _conserved, _target, _others):
        yield from (chart for chart in part(record) if chart.series)


def _velocity(whose: str) -> Mapping[str, str]:
    return {"": f"{whose} velocity", "rad/s": f"{whose} angular velocity"}


def _effort(whose: str) -> Mapping[str, str]:
    return {"": f"{whose} control", "N": f"{whose} control force", "N m": f"{whose} control torque"}


def _contact(record: Record) -> Iterator[Chart]:
    """How far apart tool and target are, and how they push each other."""
    apart = named(record, "distance", "distance")
    note = "from the tool to the target's contact point"
    yield from by_unit("distance", "Contact", "Distance", apart, note=note)
    note = "of tool and target, negative where they overlap"
    yield from by_unit("gap", "Contact", "Gap", named(record, "gap", "gap"), note=note)
    force = columns(record, "contact_force")
    if force:
        total = np.sqrt(sum(values**2 for _, _, values in force))
        force = [*force, ("size", force[0][1], total)]
    note = "on the chaser at the tool, world axes"
    yield from by_unit("contact_force", "Contact", "Contact force", force, note=note)


def _joints(record: Record) -> Iterator[Chart]:
    yield from by_unit(
        "joint_coordinates", "Joints", "Joint coordinates", split(record, "coordinates")[1]
    )
    yield from by_unit("joint_rates", "Joints", "Joint rates", split(record, "rates")[1])


def _base(record: Record) -> Iterator[Chart]:
    if not base_moves(record):
        return
    entries, _ = split(record, "coordinates")
    quaternion = [values for label, _, values in entries if label in _QUATERNION]
    along = [entry for entry in entries if entry[0] in ("x", "y", "z")]
    yield from by_unit("base_position", "Base", "Base position", along, note="world axes")
    turn = [entry for entry in entries if entry[0] == "angle"]
    yield from by_unit("base_attitude", "Base", "Base angle", turn)
    if len(quaternion) == 4:
        yield _rotation("base_attitude", "Base", np.column_stack(quaternion))
    rates, _ = split(record, "rates")
    yield from by_unit("base_velocity", "Base", _velocity("Base"), rates, note="world axes")


def base_moves(record: Record) -> bool:
    """Whether the base ever has a velocity; a fixed one has entries too, all zero."""
    return any(np.any(values != 0) for _, _, values in split(record, "rates")[0])


def _rotation(key: str, whose: str, quaternions: np.ndarray) -> Chart:
    vector = turned(quaternions)
    series = tuple(Series(f"about {axis}", vector[:, k]) for k, axis in enumerate("xyz"))
    note = "rotation vector from the first attitude, world axes"
    return Chart(
        key=key, group=whose, title=f"{whose} rotation", unit="rad", series=series, note=note
    )


def _control(record: Record) -> Iterator[Chart]:
    """Nothing when no actuator ever acts; the page says so in words."""
    if not is_controlled(record):
        return
    base, joints = split(record, "control")
    yield from by_unit("joint_control", "Control", _effort("Joint"), joints)
    acting = [entry for entry in base if np.any(entry[2] != 0)]
    yield from by_unit("base_control", "Control", _effort("Base"), acting, note="world axes")
    wheels = named(record, "wheel_momentum", "wheels")
    yield from by_unit(
        "wheel_momentum", "Control", "Momentum in the wheels", wheels, note="world axes"
    )


def is_controlled(record: Record) -> bool:
    """Whether any control force is ever other than zero."""
    return any(np.any(values != 0) for _, _, values in columns(record, "control"))


def _reactions(record: Record) -> Iterator[Chart]:
    for name, title in (
        ("joint_reaction_force", "Joint reaction forces"),
        ("joint_reaction_moment", "Joint reaction moments"),
    ):
        entries = [(label, unit, np.abs(values)) for label, unit, values in columns(record, name)]
        yield from by_unit(name, "Loads", title, entries, note="magnitude on the outboard link")
    for name, title in (("grasp_force", "Grasp force"), ("grasp_moment", "Grasp moment")):
        note = "of the tool on the target, target's axes"
        yield from by_unit(name, "Loads", title, named(record, name, title.lower()), note=note)


def _conserved(record: Record) -> Iterator[Chart]:
    yield from by_unit("energy", "Conservation", "Energy", _energies(record))
    for name, title, note in (
        ("linear_momentum", "Linear momentum", "world axes"),
        ("angular_momentum", "Angular momentum", "about the world origin"),
    ):
        yield from by_unit(
            name, "Conservation", title, named(record, name, title.lower()), note=note
        )
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
    """How far the balances of energy and momentum are open: what the integration got wrong.

    Work of actuators and friction, gravity and thrust are accounted for; momentum is absent
    where a fixed base passes it on to the world.
    """
    found = [
        (title, entry)
        for title in ("energy", "linear momentum", "angular momentum")
        for entry in columns(record, f"{title.replace(' ', '_')}_residual")
    ]
    series = tuple(Series(f"{title}, {unit}", values) for title, (_, unit, values) in found)
    whose = "energy and momentum" if len(series) != 1 else found[0][0]
    note = "change minus work and external impulse"
    return Chart(
        key="drift",
        group="Conservation",
        title=f"Drift of {whose}",
        unit="",
        series=series,
        logarithmic=True,
        note=note,
    )


def _target(record: Record) -> Iterator[Chart]:
    entries = columns(record, "target_velocity")
    yield from by_unit(
        "target_velocity",
        "Target",
        _velocity("Target"),
        entries,
        note="of its centre of mass, world axes",
    )
    yield from by_unit(
        "target_position",
        "Target",
        "Target position",
        columns(record, "target_position"),
        note="world axes",
    )
    yield from by_unit(
        "target_attitude", "Target", "Target angle", named(record, "target_angle", "angle")
    )
    if "target_orientation" in record.variables:
        yield _rotation(
            "target_attitude", "Target", np.asarray(record["target_orientation"], dtype=float)
        )


def _others(record: Record) -> Iterator[Chart]:
    for name, variable in record.variables.items():
        if name in _SHOWN or variable.dimensions[:1] != ("time",):
            continue
        title = variable.title or name
        yield from by_unit(name, "More", title, named(record, name, name), note=variable.frame)
