"""What sensors show in a state, of scalars of any kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from percuss.algebra.arrays import Commands, Coordinates, Rates
from percuss.algebra.scalars import Scalar, unpack
from percuss.algebra.vectors import Vector3
from percuss.control import ControlLaw
from percuss.encounter.equations import Equations
from percuss.identification.data.channels import Channel
from percuss.identification.data.vectors import VECTORS
from percuss.kinematics.frames import frame_acceleration, frame_pose, planar_angle
from percuss.model.errors import ModelError, closest
from percuss.model.joints import Free
from percuss.model.systems import Frame, System

DRIVEN = ("joint_torque", "tool_force")
"""Kinds of measurements that the command of the control law enters."""


def refuse_channels(
    channels: Sequence[Channel], markers: Mapping[str, Vector3], law: ControlLaw | None = None
) -> None:
    """ModelError where a marker has no place, or a command jumps between samples of a law."""
    for channel in channels:
        if channel.kind == "marker" and channel.part not in markers:
            raise ModelError(
                f"{channel.name!r}: there is no marker {channel.part!r}."
                f"{closest(channel.part, markers)} Where it sits on the target is told "
                "by markers"
            )
        if channel.kind in DRIVEN and law is not None and law.period is not None:
            raise ModelError(
                f"{channel.name!r}: commands of a law that is sampled jump between samples; "
                "leave the channel out"
            )


@dataclass(frozen=True)
class Readings:
    """Values of channels in a state of an encounter: see `Observation`.

    `markers` are points of the target by name, in its frame from its centre of mass (m).
    """

    channels: tuple[Channel, ...]
    markers: tuple[tuple[str, Vector3], ...]

    def entries(self, equations: Equations, t: Any, x: Any) -> list[Scalar]:
        """All channels at the time t of the motion (s) in its state x, in their order."""
        refuse_channels(self.channels, dict(self.markers), equations.law)
        q, v = equations.state(x)
        kinds = {channel.kind for channel in self.channels}
        u: Any = None
        if kinds & set(DRIVEN):
            u, _ = equations.command(t, x, equations.law.memory)
        found = chaser_values(self.channels, equations.chaser, equations.system, q=q, v=v, u=u)
        force = held_force(equations, q, v, u) if "tool_force" in kinds else Vector3.zero()
        places: dict[str, Vector3] = {}
        if "marker" in kinds:
            assert equations.assembly.target is not None
            pose = frame_pose(equations.system, q, equations.assembly.target.base.name)
            places = {name: pose.act(point) for name, point in self.markers}
        for k, channel in enumerate(self.channels):
            if channel.kind == "tool_force":
                found[k] = list(force)[channel.index]
            elif channel.kind == "marker":
                found[k] = list(places[channel.part])[channel.index]
        return found


def chaser_values(
    channels: Sequence[Channel],
    chaser: System,
    tree: System,
    *,
    q: Coordinates,
    v: Rates,
    u: Commands | None,
) -> list[Scalar]:
    """Values of the channels of a chaser in the state (q, v) of a tree that begins with it.

    Zero for the other channels, and for torques without the command u.
    """
    kinds = {channel.kind for channel in channels}
    coordinates, rates = unpack(q, len(q), "q"), unpack(v, len(v), "v")
    base = chaser.base.name
    place = frame_pose(tree, q, base) if kinds & {"base.position", "base.orientation"} else None
    vectors = {k: VECTORS[k].value(chaser, tree, q, v) for k in VECTORS if k in kinds}
    found: list[Scalar] = []
    for channel in channels:
        value: Scalar = 0.0
        if channel.kind in ("joint", "joint_rate", "joint_torque"):
            node = chaser.node(chaser.joint(channel.part).child)
            if channel.kind == "joint":
                value = coordinates[node.coordinates.start]
            elif channel.kind == "joint_rate":
                value = rates[node.rates.start]
            elif u is not None:
                value = unpack(u, len(u), "u")[node.rates.start]
        elif channel.kind == "base.position":
            assert place is not None
            value = list(place.position)[channel.index]
        elif channel.kind == "base.angle":
            value = planar_angle(tree, q, base)
        elif channel.kind == "base.orientation":
            assert place is not None
            value = _quaternion(chaser, coordinates, place)[channel.index]
        elif channel.kind in vectors:
            value = list(vectors[channel.kind])[channel.index]
        found.append(value)
    return found


def held_force(equations: Equations, q: Coordinates, v: Rates, u: Commands) -> Vector3:
    """-m (a - g) of the centre of mass of the target in the hand: what it does to the tool (N).

    World axes.
    """
    tree, plant = equations.system, equations.assembly.plant
    assert equations.assembly.target is not None
    body = equations.assembly.target.base
    changes = plant.accelerations(q, v, u)
    point = Frame.point(body.name, body.com)
    acceleration = frame_acceleration(tree, q, v, changes, frame=point).linear
    return (tree.gravity - acceleration) * body.mass


def _quaternion(chaser: System, coordinates: Any, place: Any) -> list[Scalar]:
    """World ← base (w, x, y, z), its own coordinates where the base has them."""
    joint = chaser.base_joint
    plain = joint.placement.is_identity and joint.child_placement.is_identity
    if isinstance(joint.motion, Free) and plain:
        first = chaser.node(joint.child).coordinates.start + 3
        return list(coordinates[first : first + 4])
    return list(place.rotation.to_quaternion())
