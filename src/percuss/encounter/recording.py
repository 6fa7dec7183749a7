"""The record of a run: the phases become the variables of the result file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from percuss.algebra.vectors import Vector3
from percuss.dynamics.orbit import CircularOrbit
from percuss.encounter.balances import residuals_of
from percuss.encounter.chaser import ChaserView
from percuss.encounter.contact_geometry import distance_of, gap_of
from percuss.encounter.observation import Observation
from percuss.encounter.phase import CONTACT, Phase
from percuss.encounter.record import Record, Track, Variable
from percuss.impact.surfaces import Surface
from percuss.kinematics.frames import frame_pose

WORLD = "world"
Table = dict[str, Variable]


def record_of(
    phases: Sequence[Phase],
    view: ChaserView,
    attributes: Mapping[str, str],
    surface: Surface | None = None,
) -> Record:
    """The record of a run; `surface` is what the tool meets, in the target's frame."""
    # A phase that was over at once has nothing to show that the next has not.
    shown = [*(phase for phase in phases[:-1] if phase.end > phase.begin), phases[-1]]
    tables = [_table(phase, view, surface) for phase in shown]
    variables = _joined(tables)
    planar = shown[0].observation.assembly.is_planar
    axes = ("x", "y") if planar else ("x", "y", "z")
    labels = {
        "coordinate": view.coordinate_names,
        "rate": view.rate_names,
        "joint": tuple(joint.name for joint in view.chaser.moving_joints),
        "axis": axes,
    }
    if shown[0].observation.assembly.target is not None:
        turning = ("omega",) if planar else ("wx", "wy", "wz")
        labels["target_rate"] = (*(f"v{axis}" for axis in axes), *turning)
        if not planar:
            labels["quaternion"] = ("w", "x", "y", "z")
    return Record(
        labels=labels,
        variables=variables,
        attributes=attributes,
        tracks=_tracks(shown),
        planar=planar,
    )


def _joined(tables: Sequence[Table]) -> Table:
    """The tables one after the other; what one lacks is NaN there."""
    if len(tables) == 1:
        return tables[0]
    # The last sample of a phase is just before the first one of the next.
    times = [table["time"].values.copy() for table in tables]
    for time in times[:-1]:
        time[-1] = np.nextafter(time[-1], -np.inf)
    joined: Table = {}
    for name in dict.fromkeys(name for table in tables for name in table):
        model = next(table[name] for table in tables if name in table)
        parts = [
            table[name].values
            if name in table
            else np.full((len(time), *model.values.shape[1:]), np.nan)
            for table, time in zip(tables, times, strict=True)
        ]
        values = np.concatenate(times if name == "time" else parts)
        joined[name] = Variable(
            dimensions=model.dimensions,
            values=values,
            units=model.units,
            frame=model.frame,
            title=model.title,
        )
    if "target_orientation" in joined:
        model = joined["target_orientation"]
        turned = continuous(model.values)
        joined["target_orientation"] = Variable(
            dimensions=model.dimensions,
            values=turned,
            units=model.units,
            frame=model.frame,
            title=model.title,
        )
    return joined


def _tracks(phases: Sequence[Phase]) -> tuple[Track, ...]:
    """The bodies over all phases."""
    parts = [phase.observation.tracks(phase.observation.motion.recorded) for phase in phases]
    found: list[Track] = []
    for first in parts[0]:
        same = [next(track for track in part if track.name == first.name) for part in parts]
        found.append(
            Track(
                name=first.name,
                owner=first.owner,
                visuals=first.visuals,
                positions=np.concatenate([track.positions for track in same]),
                quaternions=np.concatenate([track.quaternions for track in same]),
            )
        )
    return tuple(found)


def _table(phase: Phase, view: ChaserView, surface: Surface | None) -> Table:
    """The variables of one phase."""
    observation = phase.observation
    recorded = observation.motion.recorded
    assembly = observation.assembly
    planar = assembly.is_planar
    axes = ("x", "y") if planar else ("x", "y", "z")
    joints = tuple(joint.name for joint in view.chaser.moving_joints)
    own_q = len(view.chaser.coordinate_names)
    own_v = len(view.chaser.rate_names)

    variables: dict[str, Variable] = {}

    def keep(
        name: str,
        dimensions: tuple[str, ...],
        values: np.ndarray,
        units: str,
        *,
        frame: str,
        title: str,
    ) -> None:
        variables[name] = Variable(
            dimensions=("time", *dimensions),
            values=np.ascontiguousarray(values[recorded]),
            units=units,
            frame=frame,
            title=title,
        )

    def keep_vector(name: str, values: np.ndarray, units: str, frame: str, *, title: str) -> None:
        """A vector over the axes of the plane or of space."""
        keep(name, ("axis",), values[:, : len(axes)], units, frame=frame, title=title)

    def keep_turning(name: str, values: np.ndarray, units: str, frame: str, *, title: str) -> None:
        """An axial vector: in the plane only its component along z is left."""
        if planar:
            keep(name, (), values[:, 2], units, frame=frame, title=title)
        else:
            keep(name, ("axis",), values, units, frame=frame, title=title)

    keep("time", (), observation.time, "s", frame="since the start of the run", title="time")
    q, v = view.coordinates(observation.q[:own_q]).T, view.rates(observation.v[:own_v]).T
    keep(
        "coordinates",
        ("coordinate",),
        q,
        ",".join(view.coordinate_units),
        frame=WORLD,
        title="coordinates",
    )
    keep("rates", ("rate",), v, ",".join(view.rate_units), frame=WORLD, title="rates")
    control = view.rates(observation.motion.commands).T
    keep(
        "control",
        ("rate",),
        control,
        ",".join(view.force_units),
        frame=WORLD,
        title="control forces",
    )

    loads = [observation.reaction(joint) for joint in joints]
    count = len(observation.motion.time)
    forces = np.stack([f for f, _ in loads], axis=1) if joints else np.zeros((count, 0, 3))
    moments = np.stack([m for _, m in loads], axis=1) if joints else np.zeros((count, 0, 3))
    outboard = "outboard link, about the joint"
    title = "joint reaction on the outboard link"
    keep(
        "joint_reaction_force",
        ("joint", "axis"),
        forces[..., : len(axes)],
        "N",
        frame=outboard,
        title=title,
    )
    if planar:
        keep(
            "joint_reaction_moment", ("joint",), moments[..., 2], "N m", frame=outboard, title=title
        )
    else:
        keep(
            "joint_reaction_moment", ("joint", "axis"), moments, "N m", frame=outboard, title=title
        )
    if observation.assembly.grasp is not None:
        force, moment = observation.reaction(observation.assembly.grasp)
        held = "target's body, about the contact point"
        keep_vector("grasp_force", force, "N", held, title="force of the tool on the target")
        keep_turning("grasp_moment", moment, "N m", held, title="moment of the tool on the target")

    if observation.equations.load is not None or phase.kind == CONTACT:
        acting = "chaser, at the tool, world axes"
        keep_vector(
            "contact_force",
            observation.load_force,
            "N",
            acting,
            title="contact force on the chaser",
        )
    if assembly.target is not None:
        _keep_target(observation, keep, keep_vector, planar)
    if assembly.target is not None and not assembly.holds_target:
        assert assembly.grip is not None
        apart = np.sqrt(
            sum(
                np.asarray(x, float) ** 2
                for x in distance_of(assembly, assembly.grip, observation.poses)
            )
        )
        grip = observation.rows(
            frame_pose(assembly.tree, observation.poses, assembly.grip).position
        )
        keep_vector("grip_position", grip, "m", WORLD, title="contact point on the target")
        along = "from the tool to the target's contact point"
        keep(
            "distance",
            (),
            np.broadcast_to(apart, count),
            "m",
            frame=along,
            title="distance to the contact",
        )
        if surface is not None:
            gap = np.asarray(gap_of(assembly, surface, observation.poses), float)
            keep(
                "gap",
                (),
                np.broadcast_to(gap, count),
                "m",
                frame="from the target's surface",
                title="gap",
            )
    keep_vector(
        "tool_position", observation.tool_position, "m", WORLD, title="contact point on the chaser"
    )

    linear, angular = observation.momentum
    about = "world, about its origin"
    keep(
        "energy",
        (),
        observation.kinetic_energy,
        "J",
        frame=WORLD,
        title="kinetic energy of all bodies",
    )
    keep(
        "potential_energy",
        (),
        observation.potential_energy,
        "J",
        frame=WORLD,
        title="potential energy",
    )
    keep_vector("linear_momentum", linear, "N s", WORLD, title="linear momentum of all bodies")
    keep_turning(
        "angular_momentum", angular, "N m s", about, title="angular momentum of all bodies"
    )
    open_by = residuals_of(observation)
    rest = "change within the phase minus work"
    keep("energy_residual", (), open_by.energy, "J", frame=WORLD, title=f"energy: |{rest}|")
    rest = "change within the phase minus external impulse"
    for name, values, units, frame in (
        ("linear_momentum", open_by.linear_momentum, "N s", WORLD),
        ("angular_momentum", open_by.angular_momentum, "N m s", about),
    ):
        if values is not None:
            title = f"{name.replace('_', ' ')}: |{rest}|"
            keep(f"{name}_residual", (), values, units, frame=frame, title=title)
    if observation.equations.slices["wheels"].start != observation.equations.slices["wheels"].stop:
        wheels = observation.integral("wheels")
        full = np.pad(wheels, ((0, 0), (2, 0))) if planar else wheels
        keep_turning("wheel_momentum", full, "N m s", WORLD, title="momentum stored in wheels")
    if observation.equations.orbit is not None:
        _keep_orbit(observation, observation.equations.orbit, keep, keep_vector)
    kind = np.full(count, phase.kind, np.int8)
    keep(
        "phase",
        (),
        kind,
        "1",
        frame="none",
        title="0 approach, 1 contact, 2 motion after the impact",
    )
    return variables


def _keep_target(observation: Observation, keep: Any, keep_vector: Any, planar: bool) -> None:
    """Where the target is and how it moves."""
    keep_vector(
        "target_position", observation.target_center, "m", WORLD, title="target's centre of mass"
    )
    if planar:
        keep(
            "target_angle",
            (),
            observation.target_angle,
            "rad",
            frame=WORLD,
            title="target's angle, unwrapped",
        )
        velocity, units = observation.target_velocity[:, [0, 1, 5]], "m/s,m/s,rad/s"
    else:
        count = len(observation.motion.time)
        turn = np.stack(
            [
                np.broadcast_to(np.asarray(x, float), count)
                for x in observation.target_pose.rotation.to_quaternion()
            ],
            axis=-1,
        )
        keep(
            "target_orientation",
            ("quaternion",),
            continuous(turn),
            "1",
            frame="world <- target",
            title="target's orientation",
        )
        velocity, units = observation.target_velocity, "m/s,m/s,m/s,rad/s,rad/s,rad/s"
    keep(
        "target_velocity", ("target_rate",), velocity, units, frame=WORLD, title="target's velocity"
    )


def _keep_orbit(
    observation: Observation, orbit: CircularOrbit, keep: Any, keep_vector: Any
) -> None:
    """How far the local orbital frame has turned, and where the target is in it."""
    turned = observation.integral("orbit")[:, 0]
    keep("orbit_angle", (), turned, "rad", frame="about z", title="turn of the local orbital frame")
    if observation.assembly.target is None:
        return
    state = (
        Vector3(*part.T) for part in (observation.target_center, observation.target_velocity[:, :3])
    )
    place, velocity = (observation.rows(part) for part in orbit.to_local(observation.time, *state))
    local = "local orbital frame"
    keep_vector("target_local_position", place, "m", local, title="target's centre of mass")
    keep_vector("target_local_velocity", velocity, "m/s", local, title="target's centre of mass")


def continuous(quaternions: np.ndarray) -> np.ndarray:
    """Unit quaternions (time, 4), each with the sign that is near its predecessor."""
    flips = np.sign(np.einsum("ij,ij->i", quaternions[1:], quaternions[:-1]))
    flips[flips == 0] = 1.0
    return quaternions * np.concatenate([[1.0], np.cumprod(flips)])[:, None]
