"""Impacts of many cases at once: grasps and bounces as compiled functions of the state."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

import percuss.kernel as kernel
from percuss.algebra.arrays import Coordinates, Rates
from percuss.algebra.linear import minus
from percuss.algebra.motions import Force
from percuss.algebra.poses import Pose
from percuss.algebra.rotations import Rotation
from percuss.algebra.scalars import add, pack, unpack
from percuss.algebra.vectors import Matrix3, Vector3
from percuss.control.plant import TreePlant
from percuss.dynamics.composite import momentum
from percuss.dynamics.energy import kinetic_energy
from percuss.dynamics.inverse import joint_reactions
from percuss.encounter.assembly import Assembly
from percuss.encounter.contact_geometry import ContactSurface, contact_at
from percuss.encounter.ensemble.machine import Machine
from percuss.encounter.ensemble.parametrised import Parametrised
from percuss.encounter.ensemble.template import Parameters, Template
from percuss.encounter.phase_machine import Hold
from percuss.impact import Contact, Jump, bounce
from percuss.impact.contact import about, weightless
from percuss.impact.outcome import center_velocity, passed_on
from percuss.impact.surfaces import Surface
from percuss.kernel.duals import array_of
from percuss.kinematics.attachments import (
    join_configuration,
    join_velocity,
    split_configuration,
    split_velocity,
)
from percuss.kinematics.frames import frame_pose
from percuss.kinematics.manifold import neutral
from percuss.model.attach import Attachment, attach
from percuss.model.joints import Free, Planar
from percuss.model.systems import Joint, System


@dataclass(frozen=True)
class ImpactOfCases:
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
        more: everything else about the impact, where it is asked for, see `everything`.
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
    more: Mapping[str, np.ndarray] = field(default_factory=dict[str, np.ndarray])

    @staticmethod
    def of(found: Mapping[str, Any]) -> ImpactOfCases:
        """The impact of what a program of an impact returns."""
        parts = {name: array_of(x) for name, x in found.items() if name != "more"}
        more = {name: array_of(x) for name, x in found.get("more", {}).items()}
        return ImpactOfCases(**parts, more=more)

    def only(self, mask: np.ndarray) -> ImpactOfCases:
        """Some of the cases."""
        if mask.all():
            return self
        parts = {name: x for name, x in vars(self).items() if x is not None and name != "more"}
        more = {name: x[..., mask] for name, x in self.more.items()}
        return ImpactOfCases(**{name: x[..., mask] for name, x in parts.items()}, more=more)


@dataclass(frozen=True)
class GraspOfCases:
    """A closure, pin or weld, of cases in which the target hangs in a place of its own."""

    machine: Machine
    template: Template
    closure: Hold

    @property
    def before(self) -> Assembly:
        """Chaser and target side by side, as the encounter itself has them."""
        return self.template.before

    @cached_property
    def _known(self) -> Attachment:
        """The attachment at the encounter's own start: names, and what is the same in all cases."""
        return self._attached(contact_at(self.before, self.before.coordinates, self.before.rates))

    def _attached(self, contact: Contact) -> Attachment:
        return self.closure.attachment(contact)

    def __call__(self, q: np.ndarray, v: np.ndarray, p: Parameters) -> ImpactOfCases:
        """Close the grasp at states (entries, cases) side by side, of cases with inputs p."""
        found = self._compiled(q, v, {name: p[name] for name in self.template.like})
        return ImpactOfCases.of(found)

    def held_after(self, contact: Contact, jump: Jump) -> dict[str, Any]:
        """`q` and `v` of the tree with the target in the hand just after a jump, of any scalars.

        `pose` is that of the target seen from the tool, as numbers.
        """
        attachment = self._attached(contact)
        joined = join_configuration(
            attachment, contact.chaser_coordinates, contact.target_coordinates
        )
        rates = join_velocity(attachment, joined, jump.chaser_rates, jump.target_rates, check=False)
        pose = attachment.joined.joint(attachment.joint).child_placement
        return {"q": joined, "v": rates, "pose": pack(_pose_numbers(pose, contact.is_planar))}

    def prepare(self, *, slopes: bool) -> None:
        """Begin to compile the impact and what follows it, and do not wait for it.

        With `slopes` that of cases that carry derivatives along.
        """
        both = self._compiled, self.target_state
        _ = [one.derivative for one in both if slopes]

    @cached_property
    def _compiled(self) -> kernel.Kernel:
        def close(q: Coordinates, v: Rates, p: Parameters) -> dict[str, Any]:
            contact = contact_at(self.template.assembly(p), q, v)
            jump = self.closure.jump(contact)
            return {
                **self.held_after(contact, jump),
                **_account(contact, jump, whole=self.machine.keeps_impacts),
            }

        like = self.before.coordinates, self.before.rates, self.template.like
        return self.machine.compiled(close, *like)

    @cached_property
    def like(self) -> Parameters:
        """Parameters of the encounter's own start."""
        attachment, before = self._known, self.before
        own = before.chaser.coordinate_count
        q = join_configuration(attachment, before.coordinates[:own], before.coordinates[own:])
        pose = attachment.joined.joint(attachment.joint).child_placement
        numbers = np.array([float(np.asarray(x)) for x in _pose_numbers(pose, before.is_planar)])
        return {"pose": numbers, "held": np.asarray(q, float)} | self.template.like

    def attachment(self, p: Parameters) -> Attachment:
        """The tree of a case, from its parameters."""
        return self._attachment_of(self.template.assembly(p), p)

    def _attachment_of(self, before: Assembly, p: Parameters) -> Attachment:
        """Chaser and target, side by side before, as one tree."""
        known = self._known
        kind = self.closure.joint_kind(before.is_planar)
        pose = self.pose(p["pose"])
        assert before.target is not None
        return attach(before.chaser, before.target, before.tool, pose, joint=kind, name=known.joint)

    def pose(self, numbers: Any) -> Pose:
        """The pose of the target seen from the tool, from its numbers."""
        place = self._known.joined.joint(self._known.joint).child_placement
        return _pose_from(numbers, self.before.is_planar, place)

    def assembly(self, p: Parameters) -> Assembly:
        """The assembly of the motion after the grasp of a case, from its parameters."""
        return self.assembly_of(self.template.assembly(p), p)

    def believed_assembly(self, p: Parameters) -> Assembly:
        """The bodies that move together as the law knows them."""
        return self.assembly_of(self.template.believed_assembly(p), p)

    def assembly_of(self, before: Assembly, p: Parameters) -> Assembly:
        """Chaser and target, side by side before, with the target in the hand as in a case."""
        attachment = self._attachment_of(before, p)
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

    @property
    def rest(self) -> np.ndarray:
        """Coordinates of the joint between tool and target as the grasp closes."""
        tree = self._known.joined
        return np.asarray(neutral(tree), float)[self.before.chaser.coordinate_count :]

    @cached_property
    def target_state(self) -> kernel.Kernel:
        """(q, v, p) of the joined trees → coordinates and rates of the targets."""

        def apart(q: Coordinates, v: Rates, p: Parameters) -> tuple[Any, Any]:
            attachment = self.attachment(p)
            return split_configuration(attachment, q)[1], split_velocity(attachment, q, v)[1]

        like = self.like
        still = np.zeros(self._known.joined.rate_count)
        return self.machine.compiled(apart, like["held"], still, like)


@dataclass(frozen=True)
class BounceOfCases:
    """Bounces of cases off a surface that their parameters tell.

    `parametrised` is the `Rebound`, of which some numbers may be inputs.
    """

    machine: Machine
    template: Template
    parametrised: Parametrised
    surface: Callable[[Parameters], Surface]
    surface_like: Parameters

    @property
    def like(self) -> Parameters:
        """Parameters of one case."""
        return self.surface_like | self.parametrised.like | self.template.like

    def __call__(self, q: np.ndarray, v: np.ndarray, p: Parameters) -> ImpactOfCases:
        """Bounce at states (entries, cases) side by side."""
        found = self._compiled(q, v, {name: p[name] for name in self.like})
        return ImpactOfCases.of(found | {"q": q})

    @cached_property
    def _compiled(self) -> kernel.Kernel:
        def meet(q: Coordinates, v: Rates, p: Parameters) -> dict[str, Any]:
            contact, rebound = contact_at(self.template.assembly(p), q, v), self.parametrised.at(p)
            normal = ContactSurface(self.surface(p)).normal(contact)
            jump = bounce(contact, rebound.restitution, rebound.friction, normal.array())
            parting = replace(
                contact, chaser_rates=jump.chaser_rates, target_rates=jump.target_rates
            )
            after = relative_velocity_of(parting)
            return {
                "v": pack([*jump.chaser_rates, *jump.target_rates]),
                "closing": -normal.dot(relative_velocity_of(contact)),
                "parting_speed": after.norm(),
                "parting": -normal.dot(after),
                **_account(contact, jump, whole=self.machine.keeps_impacts),
            }

        before = self.template.before
        return self.machine.compiled(meet, before.coordinates, before.rates, self.like)


def relative_velocity_of(contact: Contact) -> Vector3:
    """Velocity of the target's contact point seen from the tool, world axes (m/s)."""
    return contact.grip_velocity.linear - contact.tool_velocity.linear


def _account(contact: Contact, jump: Jump, *, whole: bool) -> dict[str, Any]:
    """Impulse, energy, speed and momentum of an impact; the `whole` of it as `more`."""

    def energy(own: Any, other: Any) -> Any:
        first = kinetic_energy(contact.chaser, contact.chaser_coordinates, own)
        return add(first, kinetic_energy(contact.target, contact.target_coordinates, other))

    def total(own: Any, other: Any) -> Force:
        first = momentum(contact.chaser, contact.chaser_coordinates, own)
        return first + momentum(contact.target, contact.target_coordinates, other)

    rates = (contact.chaser_rates, contact.target_rates), (jump.chaser_rates, jump.target_rates)
    energies = [energy(*both) for both in rates]
    momenta = [total(*both) for both in rates]
    change = momenta[1] - momenta[0]
    found = {
        "impulse": pack(list(jump.impulse)),
        "lost": energies[0] - energies[1],
        "speed": relative_velocity_of(contact).norm(),
        "change": pack([change.linear.norm(), change.angular.norm()]),
    }
    if whole:
        found["more"] = everything(contact, jump, energies, momenta)
    return found


def everything(
    contact: Contact, jump: Jump, energies: Sequence[Any], momenta: Sequence[Force]
) -> dict[str, Any]:
    """What a record of an impact has of numbers, any scalar; vectors in world axes.

    Energies (J) and momenta (N s, N m s about the world's origin) before and after are given.
    `reactions` are force and moment of the impulse at each joint of the chaser that moves, in the
    axes of the outboard link (N s, N m s), one after the other, and `mounts` those at joints that
    are fixed; `passed_on` is what the chaser's base passes on to the world, force and moment about
    the origin of the base frame. There is a `moment` where the closure can pass one on.
    """
    chaser, q = contact.chaser, contact.chaser_coordinates
    change = list(
        minus(
            unpack(jump.chaser_rates, chaser.rate_count, "rates"),
            unpack(contact.chaser_rates, chaser.rate_count, "rates"),
        )
    )
    push = [(contact.tool, Force(jump.impulse, jump.moment))]
    at_rest = np.zeros(chaser.rate_count)
    loads = joint_reactions(weightless(chaser), q, at_rest, pack(change), wrenches=push)
    base_at = frame_pose(chaser, q, chaser.base.name).position
    base = about(base_at, passed_on(contact, loads))
    numbers = {
        "chaser_rates": list(jump.chaser_rates),
        "target_velocity": list(center_velocity(contact, jump.target_rates).array()),
        "relative_velocity": list(relative_velocity_of(contact)),
        "moment": list(jump.moment) if jump.passes_moment else [],
        "passed_on": [*base.linear, *base.angular],
        "energy": list(energies),
        "linear_momentum": [x for one in momenta for x in one.linear],
        "angular_momentum": [x for one in momenta for x in one.angular],
        "reactions": [
            x
            for joint in chaser.moving_joints
            for part in (loads[joint.name].linear, loads[joint.name].angular)
            for x in part
        ],
        "mounts": [
            x
            for joint in mounts(chaser)
            for part in (loads[joint.name].linear, loads[joint.name].angular)
            for x in part
        ],
    }
    if jump.effective_mass is not None:
        numbers["effective_mass"] = [jump.effective_mass]
    if jump.normal is not None:
        numbers["normal"] = list(jump.normal)
    return {name: pack(entries) for name, entries in numbers.items() if entries}


def mounts(chaser: System) -> tuple[Joint, ...]:
    """Joints of the chaser that are fixed, through which an impact passes all the same."""
    moving = {joint.name for joint in chaser.moving_joints}
    return tuple(
        joint
        for joint in chaser.joints
        if joint.name not in moving and not isinstance(joint.motion, (Free, Planar))
    )


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
