"""Contacts to test with: the thesis's two, and random ones in the plane and in space."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

import percuss
from percuss.algebra import Force, Pose, Vector3
from percuss.dynamics import kinetic_energy, momentum
from percuss.impact import Contact, Jump, bounce, pin, weld
from percuss.kinematics import frame_pose, planar_angle
from percuss.kinematics.trees import tree_poses, tree_velocities
from percuss.model import WORLD, Body, Frame, System, free_body
from tests.strategies import (
    Array,
    Generator,
    coupled,
    random_body,
    random_planar_system,
    random_pose,
    random_state,
    random_system,
    unit_quaternion,
)

POSE = (1.0, 2.0, math.pi / 2, 0.0, 0.0)
TARGET_POSE = (1.0, 8.0, math.pi / 2 + math.pi - 0.5)
SIMULATIONS = {1: (-1.0, 0.0, 0.0), 2: (0.0, -1.0, 0.0)}


def thesis(simulation: int = 1, rates: Any = (0.0,) * 5) -> Contact:
    """Tables 4.1 to 4.3."""
    chaser, target = percuss.robot("thesis"), percuss.robot("thesis-target")
    tool, grip = chaser.frame("tool"), target.frame("grip")
    return Contact(
        chaser=chaser,
        target=target,
        tool=tool,
        grip=grip,
        chaser_coordinates=POSE,
        chaser_rates=rates,
        target_coordinates=TARGET_POSE,
        target_rates=SIMULATIONS[simulation],
    )


class Capture:
    """A random contact, printed by its seed and its tree."""

    def __init__(self, seed: int, contact: Contact) -> None:
        self.seed, self.contact = seed, contact

    def __repr__(self) -> str:
        joints = self.contact.chaser.joints
        tree = ", ".join(f"{j.parent} –{j.motion.kind}→ {j.child}" for j in joints)
        return f"Capture(seed {self.seed}: {tree}; tool on {self.contact.tool.body})"


@st.composite
def captures(
    draw: st.DrawFn,
    space: str = "both",
    fixed: bool = False,
    max_joints: int = 10,
    follows: bool = False,
) -> Capture:
    """A chaser of 1 to `max_joints` joints besides its base, moving, and a tumbling target.

    With `follows`, some of its joints follow others.
    """
    seed = draw(st.integers(0, 2**32 - 1))
    joints = draw(st.integers(1, max_joints))
    planar = {"plane": True, "space": False}.get(space)
    if planar is None:
        planar = draw(st.booleans())
    rng = np.random.default_rng(seed)
    return Capture(seed, random_contact(rng, joints, planar, fixed, follows))


def random_contact(
    rng: Generator, joints: int, planar: bool, fixed: bool = False, follows: bool = False
) -> Contact:
    """Contact anywhere on the chaser and anywhere on the target."""
    chaser = _chaser(rng, max(2, joints) if follows else joints, planar, fixed)
    if follows:
        chaser = coupled(rng, chaser)
    state = random_state(rng, chaser)
    body = str(rng.choice([b.name for b in chaser.bodies[1:]] or [chaser.bodies[0].name]))
    placement = Pose.at(rng.normal(size=2)) if planar else random_pose(rng)
    tool = Frame("touching", body, placement)
    target = random_target(rng, planar, chaser.gravity)
    grip = Frame("touched", "target", Pose.at(rng.normal(size=2 if planar else 3)))
    q = placed(target, grip, frame_pose(chaser, state.q, tool).position, rng)
    return Contact(
        chaser=chaser,
        target=target,
        tool=tool,
        grip=grip,
        chaser_coordinates=state.q,
        chaser_rates=state.v,
        target_coordinates=q,
        target_rates=rng.normal(size=len(q[:6])),
    )


def _chaser(rng: Generator, joints: int, planar: bool, fixed: bool) -> System:
    """With one root on the world, which holds the base or leaves it free."""
    while True:
        if planar:
            system = random_planar_system(rng, joints + 1)
        else:
            system = random_system(rng, joints + 1, base=("fixed",) if fixed else ("free",))
        roots = [joint for joint in system.joints if joint.parent == WORLD]
        if len(roots) == 1 and (roots[0].motion.rate_count == 0) == fixed:
            return system


def random_target(rng: Generator, planar: bool, gravity: Vector3) -> System:
    body = random_body(rng, "target")
    if planar:
        mass = float(rng.uniform(0.1, 10.0))
        body = Body.planar("target", mass, mass * rng.uniform(0.05, 1.0), 0.5 * rng.normal(size=2))
    return free_body(body, planar=planar).with_gravity(gravity)


def placed(target: System, grip: Frame, point: Vector3, rng: Generator) -> Array:
    """Coordinates at which the grip is at the point, in a random attitude."""
    turn = [float(rng.normal())] if target.is_planar else list(unit_quaternion(rng))
    size = 2 if target.is_planar else 3
    q = np.array([0.0] * size + turn)
    reach = frame_pose(target, q, grip).position
    q[:size] = np.array((point - reach).array(), float)[:size]
    return q


# --- what is measured ---------------------------------------------------------------------------


def random_bounce(rng: Generator, contact: Contact, friction: float | None = None) -> Jump:
    """With a random normal, coefficients 0 to 1 and 0 to 2."""
    direction = rng.normal(size=2 if contact.is_planar else 3)
    rub = float(rng.uniform(0.0, 2.0)) if friction is None else friction
    e = float(rng.choice([0.0, 1.0, rng.uniform()]))
    return bounce(contact, e, rub, approaching(contact, direction))


def approaching(contact: Contact, direction: Array) -> Array:
    """The direction, or its opposite, along which the contact points approach."""
    relative = contact.grip_velocity.linear - contact.tool_velocity.linear
    inwards = float(np.array(relative.array(), float)[: len(direction)] @ direction) < 0
    return direction if inwards else -direction


CLOSURES = ("pin", "weld", "frictionless bounce", "bounce")


def closed(name: str, contact: Contact, rng: Generator) -> Jump:
    """The jump of a closure; a bounce has a random normal and random coefficients."""
    if name in ("pin", "weld"):
        return pin(contact) if name == "pin" else weld(contact)
    return random_bounce(rng, contact, 0.0 if name == "frictionless bounce" else None)


@dataclass(frozen=True)
class Totals:
    """Momentum (6,) about the world's origin, sizes of the bodies' momenta (2,), energy."""

    momentum: Array
    sizes: Array
    energy: float


def totals(contact: Contact, chaser_rates: Any, target_rates: Any) -> Totals:
    total, sizes, energy = np.zeros(6), np.zeros(2), 0.0
    for system, q, v in (
        (contact.chaser, contact.chaser_coordinates, chaser_rates),
        (contact.target, contact.target_coordinates, target_rates),
    ):
        total = total + six(momentum(system, q, v))
        energy += float(kinetic_energy(system, q, v))  # type: ignore[arg-type]
        tree = tree_poses(system, q)
        bodies = tree_velocities(tree, v).bodies
        for node, pose, velocity in zip(system.tree, tree.world_poses(), bodies, strict=True):
            own = six(pose.act(node.body.spatial_inertia @ velocity))
            sizes += np.array([np.linalg.norm(own[:3]), np.linalg.norm(own[3:])])
    return Totals(total, sizes, energy)


def before(contact: Contact) -> Totals:
    return totals(contact, contact.chaser_rates, contact.target_rates)


def after(contact: Contact, jump: Jump) -> Totals:
    return totals(contact, jump.chaser_rates, jump.target_rates)


def following(contact: Contact, jump: Jump) -> Contact:
    """The same contact with the velocities after the jump."""
    return replace(contact, chaser_rates=jump.chaser_rates, target_rates=jump.target_rates)


def target_angle(contact: Contact) -> float:
    angle = planar_angle(contact.target, contact.target_coordinates, contact.target.base.name)
    return float(angle)  # type: ignore[arg-type]


def three(vector: Vector3) -> Array:
    return np.array(vector.array(), float)


def six(force: Force) -> Array:
    return np.array(force.array(), float)
