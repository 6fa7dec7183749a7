"""What moves together in a phase of an encounter: one tree when the target is held, two trees
side by side if not, or the chaser alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from percuss.algebra.scalars import Scalar, as_array, to_scalar
from percuss.control.plant import TreePlant
from percuss.encounter.mechanics import Mechanics
from percuss.encounter.start import Start
from percuss.impact import Contact, Jump
from percuss.kinematics.attachments import join_configuration, join_velocity
from percuss.kinematics.frames import planar_angle
from percuss.model.attach import Attachment
from percuss.model.compose import side_by_side
from percuss.model.joints import Free, Spherical
from percuss.model.systems import Frame, System


@dataclass(frozen=True)
class Assembly:
    """The bodies of a phase, and where they start.

    The state is that of `tree`, in which the chaser's coordinates and rates come first. It holds
    every body that moves but for the passengers of `plant`, which is how they move. `closure` says
    how chaser and target hang together: apart, or the name of the closure that grasped.
    """

    chaser: System
    target: System | None
    tool: Frame
    grip: Frame | None
    closure: str
    plant: Mechanics
    tree: System
    coordinates: np.ndarray
    rates: np.ndarray
    grasp: str | None = None
    """Name of the joint that holds the target, if one does."""
    target_angle: Scalar | None = None
    """Of a planar target at the start of the phase (rad), full turns counted."""

    @cached_property
    def is_planar(self) -> bool:
        """Whether everything stays in the plane."""
        return self.chaser.is_planar and (self.target is None or self.target.is_planar)

    @cached_property
    def quaternions(self) -> tuple[int, ...]:
        """Where unit quaternions begin in the coordinates."""
        offsets = []
        for node in self.tree.tree:
            if isinstance(node.joint.motion, Free):
                offsets.append(node.coordinates.start + 3)
            elif isinstance(node.joint.motion, Spherical):
                offsets.append(node.coordinates.start)
        return tuple(offsets)

    @cached_property
    def swings(self) -> bool:
        """Whether the target turns about the tool that holds it."""
        if self.grasp is None:
            return False
        return self.tree.joint(self.grasp).motion.rate_count > 0

    @property
    def holds_target(self) -> bool:
        """Whether the target moves with the tool: by a joint of the tree, or as a passenger."""
        return self.grasp is not None or bool(self.plant.passengers)

    @classmethod
    def of_contact(
        cls,
        contact: Contact,
        closure: str,
        plant: Mechanics,
        tree: System,
        *,
        q: np.ndarray,
        v: np.ndarray,
        grasp: str | None = None,
    ) -> Assembly:
        """The bodies of a contact, in a state right after it."""
        angle = None
        if contact.is_planar:
            name = contact.target.base.name
            angle = to_scalar(planar_angle(contact.target, contact.target_coordinates, name))
        return cls(
            contact.chaser,
            contact.target,
            contact.tool,
            contact.grip,
            closure,
            plant,
            tree,
            q,
            v,
            grasp,
            angle,
        )

    def starting_at(self, q: np.ndarray, v: np.ndarray) -> Assembly:
        """The same bodies in another state."""
        return replace(self, coordinates=q, rates=v)

    def with_systems(self, change: Callable[[System], System]) -> Assembly:
        """The same assembly, its motion with each system changed; coordinates and rates stay."""
        return replace(self, tree=change(self.tree), plant=self.plant.with_systems(change))


def assembly_apart(contact: Contact, jump: Jump) -> Assembly:
    """Chaser and target side by side, as an impact leaves them."""
    tree = side_by_side(contact.chaser, contact.target)
    q = np.concatenate([contact.chaser_coordinates, contact.target_coordinates])
    v = np.concatenate([jump.chaser_rates, jump.target_rates])
    return Assembly.of_contact(contact, "apart", _plant(tree, contact.chaser), tree, q=q, v=v)


def assembly_held(contact: Contact, jump: Jump, closure: str, attachment: Attachment) -> Assembly:
    """Chaser and target as one tree, as an impact leaves them."""
    q = join_configuration(attachment, contact.chaser_coordinates, contact.target_coordinates)
    v = join_velocity(attachment, q, jump.chaser_rates, jump.target_rates)
    tree = attachment.joined
    return Assembly.of_contact(
        contact,
        closure,
        _plant(tree, contact.chaser),
        tree,
        q=as_array(q),
        v=as_array(v),
        grasp=attachment.joint,
    )


def assembly_before(start: Start) -> Assembly:
    """Chaser and target as they are before any contact; the chaser alone where there is none."""
    chaser = start.chaser
    if start.target is None:
        q, v = as_array(start.chaser_coordinates), as_array(start.chaser_rates)
        plant = TreePlant(chaser)
        return Assembly(
            chaser=chaser,
            target=None,
            tool=start.tool,
            grip=None,
            closure="apart",
            plant=plant,
            tree=chaser,
            coordinates=q,
            rates=v,
        )
    tree = side_by_side(chaser, start.target)
    q = np.concatenate([start.chaser_coordinates, start.target_coordinates])
    v = np.concatenate([start.chaser_rates, start.target_rates])
    angle = to_scalar(start.target_coordinates[2]) if start.target.is_planar else None
    plant = _plant(tree, chaser)
    return Assembly(
        chaser=chaser,
        target=start.target,
        tool=start.tool,
        grip=start.grip,
        closure="apart",
        plant=plant,
        tree=tree,
        coordinates=q,
        rates=v,
        grasp=None,
        target_angle=angle,
    )


def _plant(tree: System, chaser: System) -> TreePlant:
    return TreePlant(tree, chaser.rate_count)
