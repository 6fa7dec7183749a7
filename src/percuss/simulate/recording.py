"""From a motion to its record: the variables of the result file."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from percuss.simulate.balances import residuals_of
from percuss.simulate.chaser import ChaserView
from percuss.simulate.observation import Observation
from percuss.simulate.record import Record, Variable

WORLD = "world"
AFTER_IMPACT = 2
"""The phase in which a closed or broken contact moves on; 0 and 1 are approach and contact."""


def record_of(
    seen: Observation, view: ChaserView, recorded: np.ndarray, attributes: Mapping[str, str]
) -> Record:
    """The record of a motion at some of its times, given by their indices."""
    contact = seen.stage.contact
    planar = contact.is_planar
    axes = ("x", "y") if planar else ("x", "y", "z")
    joints = tuple(joint.name for joint in contact.chaser.movable_joints)
    own_q = len(contact.chaser.coordinate_names)
    own_v = len(contact.chaser.rate_names)

    variables: dict[str, Variable] = {}

    def keep(
        name: str,
        dimensions: tuple[str, ...],
        values: np.ndarray,
        units: str,
        frame: str,
        title: str,
    ) -> None:
        variables[name] = Variable(
            ("time", *dimensions), np.ascontiguousarray(values[recorded]), units, frame, title
        )

    def keep_vector(name: str, values: np.ndarray, units: str, frame: str, title: str) -> None:
        """A vector over the axes of the plane or of space."""
        keep(name, ("axis",), values[:, : len(axes)], units, frame, title)

    def keep_turning(name: str, values: np.ndarray, units: str, frame: str, title: str) -> None:
        """An axial vector: in the plane only its component along z is left."""
        if planar:
            keep(name, (), values[:, 2], units, frame, title)
        else:
            keep(name, ("axis",), values, units, frame, title)

    keep("time", (), seen.motion.time, "s", "since the impact", "time")
    q, v = view.coordinates(seen.q[:own_q]).T, view.rates(seen.v[:own_v]).T
    keep("coordinates", ("coordinate",), q, ",".join(view.coordinate_units), WORLD, "coordinates")
    keep("rates", ("rate",), v, ",".join(view.rate_units), WORLD, "rates")
    control = view.rates(seen.motion.commands).T
    keep("control", ("rate",), control, ",".join(view.force_units), WORLD, "control forces")

    loads = [seen.reaction(joint) for joint in joints]
    count = len(seen.motion.time)
    forces = np.stack([f for f, _ in loads], axis=1) if joints else np.zeros((count, 0, 3))
    moments = np.stack([m for _, m in loads], axis=1) if joints else np.zeros((count, 0, 3))
    outboard = "outboard link, about the joint"
    title = "joint reaction on the outboard link"
    keep("joint_reaction_force", ("joint", "axis"), forces[..., : len(axes)], "N", outboard, title)
    if planar:
        keep("joint_reaction_moment", ("joint",), moments[..., 2], "N m", outboard, title)
    else:
        keep("joint_reaction_moment", ("joint", "axis"), moments, "N m", outboard, title)
    if seen.stage.grasp is not None:
        force, moment = seen.reaction(seen.stage.grasp)
        held = "target's body, about the contact point"
        keep_vector("grasp_force", force, "N", held, "force of the tool on the target")
        keep_turning("grasp_moment", moment, "N m", held, "moment of the tool on the target")

    keep_vector("target_position", seen.target_center, "m", WORLD, "target's centre of mass")
    if planar:
        keep("target_angle", (), seen.target_angle, "rad", WORLD, "target's angle, unwrapped")
        velocity = seen.target_velocity[:, [0, 1, 5]]
        units = "m/s,m/s,rad/s"
    else:
        pose = seen.target_pose
        turn = np.stack(
            [np.broadcast_to(np.asarray(x, float), count) for x in pose.rotation.to_quaternion()],
            axis=-1,
        )
        keep(
            "target_orientation",
            ("quaternion",),
            continuous(turn),
            "1",
            "world <- target",
            "target's orientation",
        )
        velocity, units = seen.target_velocity, "m/s,m/s,m/s,rad/s,rad/s,rad/s"
    keep("target_velocity", ("target_rate",), velocity, units, WORLD, "target's velocity")
    keep_vector("tool_position", seen.tool_position, "m", WORLD, "contact point on the chaser")

    linear, angular = seen.momentum
    about = "world, about its origin"
    keep("energy", (), seen.kinetic_energy, "J", WORLD, "kinetic energy of all bodies")
    keep("potential_energy", (), seen.potential_energy, "J", WORLD, "potential energy")
    keep_vector("linear_momentum", linear, "N s", WORLD, "linear momentum of all bodies")
    keep_turning("angular_momentum", angular, "N m s", about, "angular momentum of all bodies")
    open_by = residuals_of(seen)
    rest = "change since the impact minus work"
    keep("energy_residual", (), open_by.energy, "J", WORLD, f"energy: |{rest}|")
    rest = "change since the impact minus external impulse"
    for name, values, units, frame in (
        ("linear_momentum", open_by.linear_momentum, "N s", WORLD),
        ("angular_momentum", open_by.angular_momentum, "N m s", about),
    ):
        if values is not None:
            title = f"{name.replace('_', ' ')}: |{rest}|"
            keep(f"{name}_residual", (), values, units, frame, title)
    if seen.equations.slices["wheels"].start != seen.equations.slices["wheels"].stop:
        wheels = seen.integral("wheels")
        full = np.pad(wheels, ((0, 0), (2, 0))) if planar else wheels
        keep_turning("wheel_momentum", full, "N m s", WORLD, "momentum stored in wheels")
    phase = np.full(count, AFTER_IMPACT, np.int8)
    keep("phase", (), phase, "1", "none", "0 approach, 1 contact, 2 motion after the impact")

    labels = {
        "coordinate": view.coordinate_names,
        "rate": view.rate_names,
        "joint": joints,
        "axis": axes,
        "target_rate": ("vx", "vy", "omega") if planar else ("vx", "vy", "vz", "wx", "wy", "wz"),
    }
    if not planar:
        labels["quaternion"] = ("w", "x", "y", "z")
    return Record(labels, variables, attributes, seen.tracks(recorded), planar)


def continuous(quaternions: np.ndarray) -> np.ndarray:
    """Of the two signs of each unit quaternion the one near its predecessor, (time, 4)."""
    flips = np.sign(np.einsum("ij,ij->i", quaternions[1:], quaternions[:-1]))
    flips[flips == 0] = 1.0
    return quaternions * np.concatenate([[1.0], np.cumprod(flips)])[:, None]
