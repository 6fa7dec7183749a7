"""From the state just before the impact to the motion after it: velocities, and the body held.

A target in the hand is described in the axes that the tool has at the impact, its frame's origin
at the contact point. Nothing else of where and how it is held enters the motion: contact point,
centre of mass and attitude meet in one vector, and that is what their gauge is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from percuss.algebra.poses import Pose
from percuss.algebra.rotations import Rotation
from percuss.algebra.scalars import Scalar, pack, unpack
from percuss.algebra.vectors import Symmetric3, Vector3
from percuss.encounter.closures import Bounce
from percuss.encounter.start import Start
from percuss.identification.forward.unknowns import Guess
from percuss.impact import Contact, Jump, bounce, pin, weld
from percuss.kinematics.attachments import join_velocity
from percuss.kinematics.frames import frame_pose
from percuss.model.attach import Attachment, attach
from percuss.model.bodies import Body
from percuss.model.compose import side_by_side
from percuss.model.errors import ModelError
from percuss.model.single import free_body
from percuss.model.systems import Frame, System
from percuss.scenario import Scenario

CLOSURES = ("pin", "weld", "bounce")
"""Impacts that can be identified."""
PLASTIC = ("pin", "weld")
"""Those that hold the target from then on, whose jump of velocities is linear."""


@dataclass(frozen=True)
class ImpactModel:
    """The impact of a scenario as a function of a `Guess`."""

    scenario: Scenario

    def __post_init__(self) -> None:
        if self.scenario.orbit is not None:
            raise ModelError(
                "orbit: an identification does not account for the loads of an orbit, which would "
                "be read as motion of the target; leave orbit out of the scenario"
            )
        if self.closure not in CLOSURES:
            raise ModelError(
                f"impact.closure: an identification needs one of {', '.join(CLOSURES)}, got "
                f"{self.closure!r}"
            )
        closure = self.scenario.encounter.closure
        if isinstance(closure, Bounce) and closure.repeat is not None:
            raise ModelError(
                "impact.repeat: an identification takes one impact; describe the last one"
            )

    @property
    def start(self) -> Start:
        return self.scenario.start

    @property
    def closure(self) -> str:
        return self.scenario.impact.closure

    @property
    def planar(self) -> bool:
        return self.scenario.is_planar

    @property
    def joint(self) -> str:
        """Kind of the joint that holds the target."""
        if self.closure == "weld":
            return "fixed"
        return "pin" if self.planar else "spherical"

    # --- the body in the axes of the tool ------------------------------------------------------

    def axes(self, q: Any) -> Rotation:
        """World ← the axes of the body's description: the tool's, or the world's if not held."""
        if self.closure == "bounce":
            return Rotation.identity()
        return frame_pose(self.start.chaser, q, self.start.tool).rotation

    def numbers(self, guess: Guess) -> list[Scalar]:
        """Mass, centre of mass from the contact point, inertia about it, in `axes`."""
        turn = self.axes(guess.chaser_coordinates).inverse() @ guess.rotation
        com = turn @ (guess.com - guess.contact)
        if self.planar:
            return [guess.mass, com.x, com.y, guess.inertia.zz]
        inertia = Symmetric3.of(turn.conjugate(guess.inertia.matrix()))
        return [guess.mass, *com, *inertia]

    @property
    def count(self) -> int:
        """How many numbers describe the body."""
        return 4 if self.planar else 10

    def target(self, numbers: Any) -> System:
        """The body of these numbers, free, with its contact point at its origin."""
        start = self.start
        assert start.target is not None
        name = start.target.base.name
        values = unpack(numbers, self.count, "numbers")
        if self.planar:
            body = Body.planar(name, values[0], values[3], values[1:3])
        else:
            body = Body(name, values[0], Vector3(*values[1:4]), Symmetric3(*values[4:]))
        system = free_body(body, planar=self.planar)
        return system.with_gravity(start.chaser.gravity)

    def attachment(self, chaser: System, numbers: Any) -> Attachment:
        """The tree with the body of these numbers in the hand."""
        taken = {joint.name for joint in chaser.joints}
        names = ("grasp", *(f"grasp {k}" for k in range(2, len(taken) + 3)))
        name = next(name for name in names if name not in taken)
        target, tool = self.target(numbers), self.start.tool
        return attach(chaser, target, tool, Pose.identity(), joint=self.joint, name=name)

    def tree(self, chaser: System, numbers: Any) -> System:
        """Everything that moves after the impact, the chaser first."""
        if self.closure == "bounce":
            return side_by_side(chaser, self.target(numbers))
        return self.attachment(chaser, numbers).joined

    @cached_property
    def nominal(self) -> np.ndarray:
        """The numbers of the scenario's own target."""
        return self.nominal_of(self.scenario)

    def nominal_of(self, scenario: Scenario) -> np.ndarray:
        """The numbers of a scenario's target as it is held there."""
        start = scenario.start
        assert start.target is not None
        assert start.grip is not None
        body = start.target.base
        pose = frame_pose(start.target, start.target_coordinates, body.name)
        zero = Vector3.zero()
        guess = Guess(
            body.mass,
            body.com,
            body.inertia,
            pose.rotation,
            start.grip.placement.position,
            zero,
            zero,
            0.0,
            0.0,
            start.chaser_coordinates,
            start.chaser_rates,
        )
        return np.array([float(np.asarray(x)) for x in self.numbers(guess)])

    # --- the impact ----------------------------------------------------------------------------

    def jump(self, guess: Guess) -> Jump:
        """Rates after the impact; the target's are of its contact point, world axes."""
        contact = self.contact(guess)
        closure = self.scenario.encounter.closure
        if isinstance(closure, Bounce):
            normal = None if closure.normal is None else list(closure.normal)
            return bounce(contact, guess.restitution, closure.friction, normal)
        return pin(contact) if self.closure == "pin" else weld(contact)

    def contact(self, guess: Guess) -> Contact:
        """Chaser and target as they meet, the target in the world's axes."""
        start = self.start
        q = guess.chaser_coordinates
        com = guess.rotation @ (guess.com - guess.contact)
        # Velocity of the body's point at the contact.
        at_contact = guess.linear - guess.angular.cross(com)
        point = frame_pose(start.chaser, q, start.tool).position
        if self.planar:
            numbers: list[Scalar] = [guess.mass, com.x, com.y, guess.inertia.zz]
            place: list[Scalar] = [point.x, point.y, 0.0]
            rates: list[Scalar] = [at_contact.x, at_contact.y, guess.angular.z]
        else:
            inertia = Symmetric3.of(guess.rotation.conjugate(guess.inertia.matrix()))
            numbers = [guess.mass, *com, *inertia]
            place = [*point, 1.0, 0.0, 0.0, 0.0]
            rates = [*at_contact, *guess.angular]
        target = self.target(numbers)
        grip = Frame(self.grip, target.base.name)
        return Contact(
            start.chaser,
            target,
            start.tool,
            grip,
            q,
            guess.chaser_rates,
            pack(place),
            pack(rates),
        )

    @property
    def grip(self) -> str:
        """Name of the contact point's frame on the target."""
        assert self.start.grip is not None
        return self.start.grip.name

    def after(self, guess: Guess) -> tuple[Any, Any, list[Scalar]]:
        """(q, v, numbers): the state just after the impact, and the body, of the `tree`."""
        numbers = self.numbers(guess)
        jump = self.jump(guess)
        own = list(guess.chaser_coordinates)
        if self.closure == "bounce":
            place = self.contact(guess).target_coordinates
            return (
                pack([*own, *place]),
                pack([*jump.chaser_rates, *jump.target_rates]),
                numbers,
            )
        attachment = self.attachment(self.start.chaser, numbers)
        motion = attachment.joined.joint(attachment.joint).motion
        q = pack([*own, *motion.neutral()])
        v = join_velocity(attachment, q, jump.chaser_rates, jump.target_rates, check=False)
        return q, v, numbers
