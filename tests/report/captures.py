"""Real captures for the report to show: impact by projection, motion after it by SciPy.

Small and direct on purpose: coordinates of the joined tree in, a `Record` and its summary out.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

import percuss
from percuss.impact.closures import Jump, pin, pinned, weld
from percuss.impact.contact import Contact
from percuss.simulate.record import Record, Track, Variable

Command = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""Generalized forces on all rates of the joined tree, from its coordinates and rates."""


@dataclass(frozen=True)
class Capture:
    """What `page` and `plot` take."""

    record: Record
    summary: dict[str, Any]


def thesis(closure: str = "pin", samples: int = 101, duration: float = 10.0) -> Capture:
    """Simulation 1 of the thesis: a disk passes at 1 m/s and is caught by its rim."""
    chaser, target = percuss.robot("thesis"), percuss.robot("thesis-target")
    q = np.array([1.0, 2.0, math.pi / 2, 0.0, 0.0])
    q_target = np.array([1.0, 8.0, 1.5 * math.pi - 0.5])
    contact = Contact(
        chaser,
        target,
        chaser.frame("tool"),
        target.frame("grip"),
        q,
        np.zeros(5),
        q_target,
        np.array([-1.0, 0.0, 0.0]),
    )
    return capture(contact, closure, samples, duration, None, f"thesis simulation 1, {closure}")


def spatial(
    closure: str = "weld", samples: int = 101, duration: float = 40.0, controlled: bool = True
) -> Capture:
    """A seven-joint arm on a free-flying satellite catches a tumbling satellite of 130 kg."""
    chaser, target = percuss.robot("demo-7"), percuss.robot("rendezvous-target")
    chaser = chaser.with_mode("free-flying")
    q = percuss.neutral(chaser)
    q[7:] = [0.0, 0.7, 0.0, 0.9, 0.0, -0.2, 0.3]
    tool = percuss.frame_pose(chaser, q, "tool")
    # The grip on the target's +x face looks back at the hand.
    turned = tool.rotation @ percuss.Pose.at(rpy=(0.0, math.pi / 2, 0.0)).rotation
    seat = percuss.Pose(turned, tool.position) @ target.frame("grip").placement.inverse()
    q_target = np.array(target.base_joint.motion.coordinates(seat))
    contact = Contact(
        chaser,
        target,
        chaser.frame("tool"),
        target.frame("grip"),
        q,
        np.zeros(13),
        q_target,
        np.array([-0.05, 0.02, -0.03, 0.03, -0.02, 0.05]),
    )
    stiffness = np.r_[[60.0] * 3, [120.0] * 3, [6.0] * 7]
    damping = np.r_[[220.0] * 3, [700.0] * 3, [9.0] * 7]

    def hold(joined: percuss.System, start: np.ndarray) -> Command:
        def command(q: np.ndarray, v: np.ndarray) -> np.ndarray:
            error = percuss.difference(joined, start, q)[:13]
            drive = np.clip(-stiffness * error - damping * v[:13], -60.0, 60.0)
            return np.concatenate([drive, np.zeros(joined.rate_count - 13)])

        return command

    law = hold if controlled else None
    return capture(contact, closure, samples, duration, law, f"tumbling satellite, {closure}")


def capture(
    contact: Contact,
    closure: str,
    samples: int,
    duration: float,
    law: Callable[[percuss.System, np.ndarray], Command] | None,
    name: str,
) -> Capture:
    """The impact, the motion after it, and everything the contract asks to be told of both."""
    jump = {"pin": pin, "weld": weld}[closure](contact)
    attachment = pinned(contact) if closure == "pin" else contact.attached("fixed")
    joined = attachment.joined
    q = percuss.join_configuration(
        attachment, contact.chaser_coordinates, contact.target_coordinates
    )
    v = percuss.join_velocity(attachment, q, jump.chaser_rates, jump.target_rates)
    command = law(joined, q) if law else lambda q, v: np.zeros(joined.rate_count)  # noqa: ARG005
    nq = joined.coordinate_count

    def rate_of_change(_: float, state: np.ndarray) -> np.ndarray:
        q, v = state[:nq], state[nq:]
        acceleration = percuss.forward_dynamics(joined, q, v, command(q, v))
        return np.concatenate([percuss.coordinate_rates(joined, q, v), acceleration])

    times = np.linspace(0.0, duration, samples)
    if samples == 1:
        states = np.concatenate([q, v])[None, :]
    else:
        solution = solve_ivp(
            rate_of_change,
            (0.0, duration),
            np.concatenate([q, v]),
            "DOP853",
            times,
            rtol=1e-9,
            atol=1e-11,
        )
        states = solution.y.T
    history = [(state[:nq], state[nq:]) for state in states]
    record = _record(contact, attachment, times, history, command)
    return Capture(record, _summary(contact, jump, closure, record, name))


def _record(
    contact: Contact,
    attachment: percuss.Attachment,
    times: np.ndarray,
    history: list[tuple[np.ndarray, np.ndarray]],
    command: Command,
) -> Record:
    joined, chaser, target = attachment.joined, contact.chaser, contact.target
    planar = contact.is_planar
    axes = slice(0, 2 if planar else 3)
    own, own_rates = chaser.coordinate_count, chaser.rate_count
    commands = [command(q, v) for q, v in history]
    reactions = []
    for (q, v), u in zip(history, commands, strict=True):
        found = percuss.joint_reactions(joined, q, v, percuss.forward_dynamics(joined, q, v, u))
        reactions.append([found[joint.name].array() for joint in chaser.joints[1:]])
    reaction = np.array(reactions).reshape(len(times), len(chaser.joints) - 1, 6)
    poses = [percuss.poses(joined, q) for q, _ in history]
    momenta = np.array([percuss.momentum(joined, q, v).array() for q, v in history])
    body = target.base.name
    twists = np.array([percuss.frame_velocity(joined, q, v, body).array() for q, v in history])
    units = tuple(unit.removesuffix("/s") for unit in chaser.rate_units)
    forces = tuple("N" if unit == "m" else "N m" for unit in units)
    if not planar:
        units = (*units[:3], "1", "1", "1", "1", *units[6:])
    world, link = "world axes", "axes of the outboard link"
    variables = {
        "time": Variable(("time",), times, "s", "", "time after the impact"),
        "coordinates": _table("coordinate", [q[:own] for q, _ in history], units, "coordinates"),
        "rates": _table("rate", [v[:own_rates] for _, v in history], chaser.rate_units, "rates"),
        "control": _table("rate", [u[:own_rates] for u in commands], forces, "control forces"),
        "joint_reaction_force": Variable(
            ("time", "joint", "axis"), reaction[:, :, axes], "N", link, "joint reaction force"
        ),
        "target_position": Variable(
            ("time", "axis"),
            np.array([pose[body].position.array()[axes] for pose in poses]),
            "m",
            world,
            "target's centre of mass",
        ),
        "target_velocity": Variable(
            ("time", "twist"),
            twists[:, [0, 1, 5]] if planar else twists,
            "m/s,m/s,rad/s" if planar else "m/s,m/s,m/s,rad/s,rad/s,rad/s",
            world,
            "target's velocity",
        ),
        "tool_position": Variable(
            ("time", "axis"),
            np.array([pose["tool"].position.array()[axes] for pose in poses]),
            "m",
            world,
            "tool point",
        ),
        "energy": Variable(
            ("time",),
            np.array([percuss.kinetic_energy(joined, q, v) for q, v in history]),
            "J",
            world,
            "kinetic energy",
        ),
        "linear_momentum": Variable(
            ("time", "axis"), momenta[:, axes], "N s", world, "linear momentum"
        ),
        "phase": Variable(("time",), np.ones(len(times), dtype=int), "1", "", "phase"),
    }
    if planar:
        moment = Variable(("time", "joint"), reaction[:, :, 5], "N m", link, "reaction moment")
        spin = Variable(("time",), momenta[:, 5], "N m s", world, "angular momentum")
    else:
        moment = Variable(
            ("time", "joint", "axis"), reaction[:, :, 3:], "N m", link, "reaction moment"
        )
        spin = Variable(("time", "axis"), momenta[:, 3:], "N m s", world, "angular momentum")
    variables |= {"joint_reaction_moment": moment, "angular_momentum": spin}
    labels = {
        "coordinate": chaser.coordinate_names,
        "rate": chaser.rate_names,
        "joint": tuple(joint.name for joint in chaser.joints[1:]),
        "axis": ("x", "y") if planar else ("x", "y", "z"),
        "twist": ("vx", "vy", "omega") if planar else ("vx", "vy", "vz", "wx", "wy", "wz"),
    }
    tracks = tuple(
        Track(
            part.name,
            "chaser" if part in chaser.bodies else "target",
            part.visuals,
            np.array([pose[part.name].position.array() for pose in poses]),
            np.array([pose[part.name].rotation.to_quaternion().array() for pose in poses]),
        )
        for part in joined.bodies
    )
    attributes = {"version": percuss.__version__, "hash": "5f0c1d2e", "seed": "0"}
    return Record(labels, variables, attributes, tracks, planar)


def _table(dimension: str, rows: list[np.ndarray], units: tuple[str, ...], title: str) -> Variable:
    return Variable(("time", dimension), np.array(rows), ",".join(units), "world axes", title)


def _summary(
    contact: Contact, jump: Jump, closure: str, record: Record, name: str
) -> dict[str, Any]:
    planar = record.planar
    axes = slice(0, 2 if planar else 3)
    before = _totals(contact, contact.chaser_rates, contact.target_rates)
    after = _totals(contact, jump.chaser_rates, jump.target_rates)
    change = np.array(jump.chaser_rates) - np.array(contact.chaser_rates)
    felt = percuss.joint_reactions(
        contact.chaser,
        contact.chaser_coordinates,
        np.zeros(contact.chaser.rate_count),
        change,
        [(contact.tool, percuss.Force(jump.impulse, jump.moment))],
    )
    spin = (lambda h: float(h[5])) if planar else (lambda h: h[3:].tolist())
    control, reaction = record["control"], record["joint_reaction_force"]
    peaks = np.abs(np.linalg.norm(reaction, axis=-1)).max(axis=0)
    moment = jump.moment.array()
    impact = {
        "closure": closure,
        "chaser_velocity": np.array(jump.chaser_rates).tolist(),
        "target_velocity": np.array(jump.target_rates).tolist(),
        "impulse": jump.impulse.array()[axes].tolist(),
        "moment": float(moment[2]) if planar else moment.tolist(),
        "base_impulse": {"force": [0.0] * (2 if planar else 3)},
        "energy": {"before": before[0], "after": after[0]},
        "linear_momentum": {
            "before": before[1][axes].tolist(),
            "after": after[1][axes].tolist(),
        },
        "angular_momentum": {"before": spin(before[1]), "after": spin(after[1])},
        "joint_reactions": {
            joint.name: {
                "force": felt[joint.name].linear.array().tolist(),
                "moment": felt[joint.name].angular.array().tolist(),
                "magnitude": float(np.linalg.norm(felt[joint.name].linear.array())),
            }
            for joint in contact.chaser.joints[1:]
        },
    }
    lost = before[0] - after[0]
    return {
        "name": name,
        "impact": impact,
        "final": {
            "time": float(record.time[-1]),
            "coordinates": record["coordinates"][-1].tolist(),
        },
        "balance": {"energy": 1.3e-10, "linear_momentum": 4.1e-12, "angular_momentum": 2.7e-11},
        "peak": {
            "control": np.abs(control).max(axis=0).tolist(),
            "joint_reaction": dict(zip(record.labels["joint"], peaks.tolist(), strict=True)),
        },
        "verdict": [
            f"linear momentum: conserved (change {_norm(after[1] - before[1], 0):.1e} N s)",
            f"angular momentum: conserved (change {_norm(after[1] - before[1], 3):.1e} N m s)",
            f"energy: {lost:.4g} J of {before[0]:.4g} J lost, as a plastic impact must",
        ],
        "warnings": [],
    }


def _drift(record: Record) -> dict[str, float]:
    """Largest change after the impact of what free motion keeps."""
    found = {}
    for name in ("energy", "linear_momentum", "angular_momentum"):
        values = record[name].reshape(len(record.time), -1)
        found[name] = float(np.linalg.norm(values - values[0], axis=1).max())
    return found


def _norm(momentum: np.ndarray, start: int) -> float:
    return float(np.linalg.norm(momentum[start : start + 3]))


def _totals(contact: Contact, v: Any, v_target: Any) -> tuple[float, np.ndarray]:
    """Energy (J) and momentum about the world origin of chaser and target together."""
    pairs = [
        (contact.chaser, contact.chaser_coordinates, v),
        (contact.target, contact.target_coordinates, v_target),
    ]
    energy = sum(float(percuss.kinetic_energy(*pair)) for pair in pairs)  # type: ignore[arg-type]
    return energy, sum(percuss.momentum(*pair).array() for pair in pairs)  # type: ignore[return-value]
