"""What is measured: the columns of a table of measurements, by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from percuss.identification.data.vectors import VECTORS
from percuss.model.errors import ModelError, choices, closest
from percuss.model.joints import Revolute
from percuss.model.systems import Joint, System


def all_kinds() -> tuple[str, ...]:
    """Kinds of measurements; sensors are described by kind."""
    joints = ("joint", "joint_rate", "joint_torque")
    base = ("base.position", "base.angle", "base.orientation")
    return (*joints, *base, *VECTORS, "tool_force", "marker")


AXES = ("x", "y", "z")
QUATERNION = ("qw", "qx", "qy", "qz")


@dataclass(frozen=True)
class Channel:
    """One column of measurements.

    Attributes:
        name: as in the header of a file; a joint goes by its own name, not by a number.
        kind: one of `all_kinds()`.
        unit: of the numbers in the column; the four of an orientation are a quaternion world ←
            base (w, x, y, z), whose *noise* is in rad.
        part: the joint, or the marker, that is measured; empty for others.
        index: of the axis (x, y, z) or of the entry of a quaternion.
    """

    name: str
    kind: str
    unit: str
    part: str = ""
    index: int = 0


def channels_of(chaser: System, names: Iterable[str]) -> tuple[Channel, ...]:
    """The channels of these names, in their order; `time` is none and is left out.

    Names: `joint.NAME` (or `joint.1` …, the movable joints in order), `joint_rate.NAME`,
    `joint_torque.NAME`, `base.x` …, `base.angle` (planar) or `base.qw` … `base.qz` (spatial),
    `gyro.x` …, `tool_force.x` …, `marker.NAME.x` ….
    """
    found = tuple(_channel(chaser, name) for name in names if name != "time")
    listed: dict[str, str] = {}
    for channel in found:
        if channel.name in listed:
            raise ModelError(f"{channel.name!r} is measured twice; a channel has one column")
        listed[channel.name] = channel.name
    given = [entry for entry in QUATERNION if f"base.{entry}" in listed]
    if given and len(given) < 4:
        missing = ", ".join(f"base.{e}" for e in QUATERNION if e not in given)
        raise ModelError(
            f"an orientation is a quaternion of four columns, base.qw … base.qz; {missing} missing"
        )
    return found


def all_names(chaser: System, kinds: Iterable[str]) -> tuple[str, ...]:
    """Names of all channels of these kinds that a chaser has; markers have names of their own."""
    names: list[str] = []
    for kind in kinds:
        if kind not in all_kinds():
            raise ModelError(
                f"there is no kind of measurement {kind!r}. {closest(kind, all_kinds())}"
            )
        if kind in ("joint", "joint_rate", "joint_torque"):
            names += [f"{kind}.{joint.name}" for joint in chaser.movable_joints]
        elif kind == "base.angle":
            names.append("base.angle")
        elif kind == "base.orientation":
            names += [f"base.{entry}" for entry in QUATERNION]
        elif kind != "marker":
            stem = "base" if kind == "base.position" else kind
            names += [f"{stem}.{AXES[k]}" for k in _axes(chaser, kind)]
    return tuple(names)


def _channel(chaser: System, name: str) -> Channel:
    stem, _, rest = name.partition(".")
    if stem in ("joint", "joint_rate", "joint_torque"):
        joint = _joint(chaser, name, rest)
        return Channel(f"{stem}.{joint.name}", stem, _joint_unit(stem, joint), joint.name)
    if stem == "base":
        return _base_channel(chaser, name, rest)
    if (stem in VECTORS or stem == "tool_force") and rest in AXES:
        _refuse_axis(chaser, name, stem, rest)
        unit = VECTORS[stem].unit if stem in VECTORS else "N"
        return Channel(name=name, kind=stem, unit=unit, part="", index=AXES.index(rest))
    if stem == "marker":
        marker, _, axis = rest.rpartition(".")
        if marker and axis in AXES:
            _refuse_axis(chaser, name, stem, axis)
            return Channel(name=name, kind=stem, unit="m", part=marker, index=AXES.index(axis))
    known = all_names(chaser, _kinds_of(chaser))
    raise ModelError(
        f"there is no measurement {name!r}.{closest(name, known)} There are: time, "
        f"{', '.join(known)}, and marker.NAME.x …"
    )


def _base_channel(chaser: System, name: str, entry: str) -> Channel:
    planar = chaser.is_planar
    if entry in AXES:
        _refuse_axis(chaser, name, "base.position", entry)
        return Channel(name=name, kind="base.position", unit="m", part="", index=AXES.index(entry))
    if entry == "angle" and planar:
        return Channel(name, "base.angle", "rad")
    if entry in QUATERNION and not planar:
        return Channel(
            name=name, kind="base.orientation", unit="1", part="", index=QUATERNION.index(entry)
        )
    allowed = "base.x, base.y, base.angle" if planar else "base.x … base.z, base.qw … base.qz"
    kind = "planar" if planar else "spatial"
    raise ModelError(f"there is no measurement {name!r} of a {kind} chaser; it has {allowed}")


def _joint(chaser: System, name: str, given: str) -> Joint:
    joints = {joint.name: joint for joint in chaser.movable_joints}
    if given in joints:
        return joints[given]
    if given.isdecimal() and 1 <= int(given) <= len(joints):
        return chaser.movable_joints[int(given) - 1]
    raise ModelError(
        f"{name!r}: there is no joint {given!r}.{closest(given, joints)} There are: "
        f"{choices(given, joints)}, or numbers from 1 to {len(joints)}"
    )


def _joint_unit(kind: str, joint: Joint) -> str:
    turns = isinstance(joint.motion, Revolute)
    units = {
        "joint": ("rad", "m"),
        "joint_rate": ("rad/s", "m/s"),
        "joint_torque": ("N m", "N"),
    }
    if joint.motion.rate_count != 1:
        raise ModelError(
            f"joint {joint.name!r} is {joint.motion.kind}: only joints of one coordinate "
            "(revolute, prismatic) can be measured"
        )
    return units[kind][0 if turns else 1]


def _kinds_of(chaser: System) -> Sequence[str]:
    attitude = "base.angle" if chaser.is_planar else "base.orientation"
    joints = ("joint", "joint_rate", "joint_torque")
    return (*joints, "base.position", attitude, *VECTORS, "tool_force")


def _axes(chaser: System, kind: str) -> tuple[int, ...]:
    if not chaser.is_planar:
        return (0, 1, 2)
    return VECTORS[kind].in_plane if kind in VECTORS else (0, 1)


def _refuse_axis(chaser: System, name: str, kind: str, axis: str) -> None:
    axes = [AXES[k] for k in _axes(chaser, kind)]
    if axis not in axes:
        raise ModelError(
            f"{name!r}: in the plane {kind} has {' and '.join(axes)} only, got {axis!r}"
        )
