"""Forces at the tool while a contact lasts: a given pulse, or a compliant contact."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from percuss.algebra.arrays import Coordinates, Rates
from percuss.algebra.motions import Force
from percuss.algebra.scalars import Scalar
from percuss.algebra.vectors import Vector3
from percuss.impact.compliance import Compliance
from percuss.impact.compliant_loads import (
    CompliantContact,
    CompliantLoads,
    Surface,
    compliant_loads,
)
from percuss.kinematics.frames import frame_pose, frame_velocity
from percuss.model.systems import Frame, System


@dataclass(frozen=True)
class Applied:
    """A load at an instant, world axes.

    `wrenches` act at the origins of frames; `force` (N) is what the chaser feels at the tool;
    `power` (W) is what they do on all bodies together; `outside` is the part that comes from
    outside the bodies, about the world's origin.
    """

    wrenches: list[tuple[Frame, Force]]
    force: Vector3
    power: Scalar
    outside: Force


class Load(Protocol):
    """What acts at the tool besides motors and thrusters."""

    @property
    def made(self) -> bool | None:
        """Whether it acts for all of a phase of motion (True), or for none of it (False)."""
        ...

    def __call__(self, t: Any, q: Coordinates, v: Rates) -> Applied:
        """The load at a state of the bodies, scalars of any kind."""
        ...


@dataclass(frozen=True)
class Push:
    """A constant force (N) on the chaser at the tool, in world axes or in those of its link."""

    system: System
    tool: Frame
    force: Vector3
    in_link: bool

    @property
    def made(self) -> bool:
        return True

    def __call__(self, t: Any, q: Coordinates, v: Rates) -> Applied:
        del t
        place = frame_pose(self.system, q, self.tool)
        force = self.force
        if self.in_link:
            # The axes of the link, whatever those of the tool's frame.
            link = place.rotation @ self.tool.placement.rotation.inverse()
            force = link @ force
        velocity = frame_velocity(self.system, q, v, self.tool).linear
        push = Force(force, Vector3.zero())
        outside = Force(force, place.position.cross(force))
        return Applied([(self.tool, push)], force, force.dot(velocity), outside)


@dataclass(frozen=True)
class Touch:
    """A compliant contact between the tool and the target's surface: nothing from outside.

    A contact that is `made` follows its law through where it begins and ends, so that nothing
    jumps while it lasts, and one that is not (False) exerts no force; what changes that is
    watched for. None: there is a force wherever the points are in contact.
    """

    system: System
    tool: Frame
    grip: Frame
    surface: Surface | None
    compliance: Compliance
    made: bool | None = None

    def __call__(self, t: Any, q: Coordinates, v: Rates) -> Applied:
        del t
        if self.made is False:
            return Applied([], Vector3.zero(), 0.0, Force.zero())
        found = self._loads(q, v)
        contact = found.contact
        return Applied(found.pairs, contact.on_chaser, contact.power, Force.zero())

    def contact(self, q: Coordinates, v: Rates) -> CompliantContact:
        """Depth, speed, force and energy of the contact at a state."""
        return self._loads(q, v).contact

    def _loads(self, q: Coordinates, v: Rates) -> CompliantLoads:
        return compliant_loads(
            self.system,
            q,
            v,
            self.tool,
            grip=self.grip,
            surface=self.surface,
            compliance=self.compliance,
            made=self.made is True,
        )
