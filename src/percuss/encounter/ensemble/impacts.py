"""Impacts of many cases at once: grasps and bounces as compiled functions of the state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

import percuss.kernel as kernel
from percuss.algebra.poses import Pose
from percuss.algebra.rotations import Rotation
from percuss.algebra.scalars import add, neg, pack
from percuss.algebra.vectors import Matrix3, Vector3
from percuss.control.plant import TreePlant
from percuss.dynamics.composite import momentum
from percuss.dynamics.energy import kinetic_energy
from percuss.encounter.ensemble.foresight import Parameters
from percuss.encounter.ensemble.machine import Machine
from percuss.encounter.phases import Hold
from percuss.encounter.stage import Stage
from percuss.encounter.touching import Facing, contact_at
from percuss.impact import Contact, Jump, bounce
from percuss.impact.surfaces import Surface
from percuss.kinematics.attachments import (
    join_configuration,
    join_velocity,
    split_configuration,
    split_velocity,
)
from percuss.model.attach import Attachment, attach


@dataclass(frozen=True)
class Struck:
    """What impacts did to cases; arrays end with the cases, world axes.

    Attributes:
        q, v: coordinates and rates after, of the tree that moves on.
        impulse: on the chaser (3, cases), N s.
        lost: kinetic energy, J.
        speed: of the contact points relative to each other before, m/s.
        closing: the part of it along the normal, m/s (bounce).
        parting_speed, parting: the same after the bounce, m/s.
        change: of momentum, (2, cases): linear (N s) and angular (N m s); zero but for rounding.
        pose: of the target seen from the tool, as numbers (grasp).
    """

    q: np.ndarray
    v: np.ndarray
    impulse: np.ndarray
    lost: np.ndarray
    speed: np.ndarray
    change: np.ndarray
    closing: np.ndarray | None = None
    parting_speed: np.ndarray | None = None
    parting: np.ndarray | None = None
    pose: np.ndarray | None = None

    def only(self, mask: np.ndarray) -> Struck:
        """Some of the cases."""
        if mask.all():
            return self
        parts = {name: value for name, value in vars(self).items() if value is not None}
        return Struck(**{name: value[..., mask] for name, value in parts.items()})


@dataclass(frozen=True)
class Grasp:
    """A closure, pin or weld, of cases in which the target hangs in a place of its own."""

    machine: Machine
    before: Stage
    closure: Hold

    @cached_property
    def _known(self) -> Attachment:
        """That of the encounter's own start: the names, and what is the same in all cases."""
        return self._attached(contact_at(self.before, self.before.coordinates, self.before.rates))

    def _attached(self, contact: Contact) -> Attachment:
        return self.closure.attachment(contact)

    def __call__(self, q: np.ndarray, v: np.ndarray) -> Struck:
        """Close the grasp at states (entries, cases) side by side."""
        found = self._compiled(q, v)
        return Struck(**{name: np.asarray(value) for name, value in found.items()})

    def prepare(self) -> None:
        """Begin to compile the impact and what follows it, and do not wait for it."""
        _ = self._compiled, self.target_state

    @cached_property
    def _compiled(self) -> kernel.Kernel:
        def close(q: Any, v: Any) -> dict[str, Any]:
            contact = contact_at(self.before, q, v)
            jump = self.closure.jump(contact)
            attachment = self._attached(contact)
            joined = join_configuration(
                attachment, contact.chaser_coordinates, contact.target_coordinates
            )
            rates = join_velocity(
                attachment, joined, jump.chaser_rates, jump.target_rates, check=False
            )
            pose = attachment.joined.joint(attachment.joint).child_placement
            return {
                "q": joined,
                "v": rates,
                "pose": pack(_pose_numbers(pose, contact.is_planar)),
                **_account(contact, jump),
            }

        return self.machine.compiled(close, self.before.coordinates, self.before.rates)

    @cached_property
    def like(self) -> Parameters:
        """Parameters of the encounter's own start."""
        attachment, before = self._known, self.before
        own = before.chaser.coordinate_count
        q = join_configuration(attachment, before.coordinates[:own], before.coordinates[own:])
        pose = attachment.joined.joint(attachment.joint).child_placement
        numbers = np.array([float(np.asarray(x)) for x in _pose_numbers(pose, before.is_planar)])
        return {"pose": numbers, "held": np.asarray(q, float)}

    def attachment(self, p: Parameters) -> Attachment:
        """The tree of a case, from its parameters."""
        known, before = self._known, self.before
        kind = self.closure.joint_kind(before.is_planar)
        place = known.joined.joint(known.joint).child_placement
        pose = _pose_from(p["pose"], before.is_planar, place)
        return attach(known.host, known.guest, before.tool, pose, kind, name=known.joint)

    def stage(self, p: Parameters) -> Stage:
        """The stage of the motion after the grasp of a case, from its parameters."""
        attachment, before = self.attachment(p), self.before
        tree = attachment.joined
        return replace(
            before,
            closure=self.closure.name,
            plant=TreePlant(tree, before.chaser.rate_count),
            tree=tree,
            coordinates=p["held"],
            rates=np.zeros(tree.rate_count),
            grasp=attachment.joint,
        )

    @cached_property
    def target_state(self) -> kernel.Kernel:
        """(q, v, p) of the joined trees → coordinates and rates of the targets."""

        def apart(q: Any, v: Any, p: Parameters) -> tuple[Any, Any]:
            attachment = self.attachment(p)
            return split_configuration(attachment, q)[1], split_velocity(attachment, q, v)[1]

        like = self.like
        still = np.zeros(self._known.joined.rate_count)
        return self.machine.compiled(apart, like["held"], still, like)


@dataclass(frozen=True)
class Bounce:
    """Bounces of cases off a surface that their parameters tell."""

    machine: Machine
    before: Stage
    restitution: float
    friction: float
    surface: Callable[[Parameters], Surface]
    like: Parameters

    def __call__(self, q: np.ndarray, v: np.ndarray, p: Parameters) -> Struck:
        """Bounce at states (entries, cases) side by side."""
        found = self._compiled(q, v, {name: p[name] for name in self.like})
        return Struck(q, **{name: np.asarray(value) for name, value in found.items()})

    @cached_property
    def _compiled(self) -> kernel.Kernel:
        def meet(q: Any, v: Any, p: Parameters) -> dict[str, Any]:
            contact = contact_at(self.before, q, v)
            normal = Facing(self.surface(p)).normal(contact)
            jump = bounce(contact, self.restitution, self.friction, normal.array())
            parting = replace(
                contact, chaser_rates=jump.chaser_rates, target_rates=jump.target_rates
            )
            after = relative_velocity_of(parting)
            return {
                "v": pack([*jump.chaser_rates, *jump.target_rates]),
                "closing": neg(normal.dot(relative_velocity_of(contact))),
                "parting_speed": after.norm(),
                "parting": neg(normal.dot(after)),
                **_account(contact, jump),
            }

        return self.machine.compiled(meet, self.before.coordinates, self.before.rates, self.like)


def relative_velocity_of(contact: Contact) -> Vector3:
    """Velocity of the target's contact point seen from the tool, world axes (m/s)."""
    return contact.grip_velocity.linear - contact.tool_velocity.linear


def _account(contact: Contact, jump: Jump) -> dict[str, Any]:
    """Impulse, energy, speed and momentum of an impact."""

    def energy(own: Any, other: Any) -> Any:
        first = kinetic_energy(contact.chaser, contact.chaser_coordinates, own)
        return add(first, kinetic_energy(contact.target, contact.target_coordinates, other))

    def whole(own: Any, other: Any) -> Any:
        first = momentum(contact.chaser, contact.chaser_coordinates, own)
        return first + momentum(contact.target, contact.target_coordinates, other)

    before, after = (
        (contact.chaser_rates, contact.target_rates),
        (jump.chaser_rates, jump.target_rates),
    )
    change = whole(*after) - whole(*before)
    return {
        "impulse": pack(list(jump.impulse)),
        "lost": energy(*before) - energy(*after),
        "speed": relative_velocity_of(contact).norm(),
        "change": pack([change.linear.norm(), change.angular.norm()]),
    }


def _pose_numbers(pose: Pose, planar: bool) -> list[Any]:
    rows = pose.rotation.matrix.rows
    if planar:
        return [pose.position.x, pose.position.y, rows[0].x, rows[1].x]
    return [*pose.position, *(x for row in rows for x in row)]


def _pose_from(numbers: Any, planar: bool, known: Pose) -> Pose:
    """The pose of `_pose_numbers`; what keeps a plane keeps its constants."""
    if not planar:
        rows = (Vector3(*numbers[3 * k : 3 * k + 3]) for k in (1, 2, 3))
        return Pose(Rotation(Matrix3(*rows)), Vector3(*numbers[:3]))
    x, y, c, s = (numbers[k] for k in range(4))
    turn = Matrix3(Vector3(c, -s, 0.0), Vector3(s, c, 0.0), Vector3(0.0, 0.0, 1.0))
    return Pose(Rotation(turn), Vector3(x, y, known.position.z))
