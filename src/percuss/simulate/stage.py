"""What moves after the impact: one tree when the target is held, two trees side by side if not."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from percuss.control.plant import Plant, TreePlant
from percuss.impact import Contact, Jump, PublishedPlant, pinned
from percuss.kinematics.attachments import join_configuration, join_velocity
from percuss.model.attach import Attachment
from percuss.model.joints import Free, Spherical
from percuss.model.systems import System


@dataclass(frozen=True)
class Stage:
    """The bodies after the impact, and where they start.

    `tree` holds every body that moves: the chaser's coordinates and rates come first. It is
    None after the `published` closure, whose motion is not that of a tree.
    """

    contact: Contact
    closure: str
    plant: Plant
    tree: System | None
    coordinates: np.ndarray
    rates: np.ndarray
    grasp: str | None = None
    """Name of the joint that holds the target, if one does."""

    @property
    def chaser(self) -> System:
        return self.contact.chaser

    @cached_property
    def quaternions(self) -> tuple[int, ...]:
        """Where unit quaternions begin in the coordinates."""
        if self.tree is None:
            return ()
        offsets = []
        for node in self.tree.tree:
            if isinstance(node.joint.motion, Free):
                offsets.append(node.coordinates.start + 3)
            elif isinstance(node.joint.motion, Spherical):
                offsets.append(node.coordinates.start)
        return tuple(offsets)


def stage_after(contact: Contact, jump: Jump, closure: str) -> Stage:
    """The stage on which the motion after an impact takes place."""
    if closure == "published":
        plant = PublishedPlant(contact)
        q = np.array(contact.chaser_coordinates, float)
        return Stage(contact, closure, plant, None, q, np.array(jump.chaser_rates, float))
    if closure in ("pin", "weld"):
        return _held(contact, jump, closure, _attachment(contact, closure))
    tree = side_by_side(contact.chaser, contact.target)
    q = np.concatenate([contact.chaser_coordinates, contact.target_coordinates])
    v = np.concatenate([jump.chaser_rates, jump.target_rates])
    return Stage(contact, closure, _plant(tree, contact.chaser), tree, q, v)


def plant_like(stage: Stage, contact: Contact) -> Plant:
    """The plant of a stage with the bodies of another contact: what a controller believes."""
    if stage.closure == "published":
        return PublishedPlant(contact)
    if stage.closure in ("pin", "weld"):
        return _plant(_attachment(contact, stage.closure).joined, contact.chaser)
    return _plant(side_by_side(contact.chaser, contact.target), contact.chaser)


def side_by_side(chaser: System, target: System) -> System:
    """Two systems that do not touch as one forest, the chaser's coordinates first.

    The target's base joint is renamed where the chaser has a joint of that name.
    """
    taken = {joint.name for joint in chaser.joints}
    joints = tuple(
        replace(joint, name=f"target {joint.name}") if joint.name in taken else joint
        for joint in target.joints
    )
    return System(
        f"{chaser.name} and {target.name}",
        (*chaser.bodies, *target.bodies),
        (*chaser.joints, *joints),
        (*chaser.frames, *target.frames),
        chaser.mode,
        chaser.gravity,
    )


def _held(contact: Contact, jump: Jump, closure: str, attachment: Attachment) -> Stage:
    q = join_configuration(attachment, contact.chaser_coordinates, contact.target_coordinates)
    v = join_velocity(attachment, q, jump.chaser_rates, jump.target_rates)
    tree = attachment.joined
    plant = _plant(tree, contact.chaser)
    return Stage(contact, closure, plant, tree, _floats(q), _floats(v), attachment.joint)


def _attachment(contact: Contact, closure: str) -> Attachment:
    return pinned(contact) if closure == "pin" else contact.attached("fixed")


def _plant(tree: System, chaser: System) -> TreePlant:
    return TreePlant(tree, chaser.rate_count)


def _floats(values: Any) -> np.ndarray:
    return np.asarray(values, float)
