"""What moves together in a stretch of an encounter: one tree when the target is held, two trees
side by side if not, or the chaser alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from percuss.control.plant import Plant, TreePlant
from percuss.encounter.start import Start
from percuss.impact import Contact, Jump, PublishedPlant
from percuss.kinematics.attachments import join_configuration, join_velocity
from percuss.kinematics.frames import planar_angle
from percuss.model.attach import Attachment
from percuss.model.couplings import led_by
from percuss.model.joints import Free, Spherical
from percuss.model.systems import Frame, System


@dataclass(frozen=True)
class Stage:
    """The bodies of a stretch, and where they start.

    `tree` holds every body that moves: the chaser's coordinates and rates come first. It is
    None after the `published` closure, whose motion is not that of a tree. `closure` says how
    chaser and target hang together: pin, weld, published, or apart.
    """

    chaser: System
    target: System | None
    tool: Frame
    grip: Frame | None
    closure: str
    plant: Plant
    tree: System | None
    coordinates: np.ndarray
    rates: np.ndarray
    grasp: str | None = None
    """Name of the joint that holds the target, if one does."""
    target_angle: float | None = None
    """Of a planar target at the start of the stretch (rad), full turns counted."""

    @cached_property
    def is_planar(self) -> bool:
        """Whether everything stays in the plane."""
        return self.chaser.is_planar and (self.target is None or self.target.is_planar)

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

    @cached_property
    def swings(self) -> bool:
        """Whether the target turns about the tool that holds it."""
        if self.grasp is None or self.tree is None:
            return False
        return self.tree.joint(self.grasp).motion.rate_count > 0

    @classmethod
    def of_contact(
        cls,
        contact: Contact,
        closure: str,
        plant: Plant,
        tree: System | None,
        q: np.ndarray,
        v: np.ndarray,
        grasp: str | None = None,
    ) -> Stage:
        """The bodies of a contact, in a state right after it."""
        angle = None
        if contact.is_planar:
            name = contact.target.base.name
            angle = float(
                np.asarray(planar_angle(contact.target, contact.target_coordinates, name))
            )
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

    def starting_at(self, q: np.ndarray, v: np.ndarray) -> Stage:
        """The same bodies in another state."""
        return replace(self, coordinates=q, rates=v)


def stage_apart(contact: Contact, jump: Jump) -> Stage:
    """Chaser and target side by side, as an impact leaves them."""
    tree = side_by_side(contact.chaser, contact.target)
    q = np.concatenate([contact.chaser_coordinates, contact.target_coordinates])
    v = np.concatenate([jump.chaser_rates, jump.target_rates])
    return Stage.of_contact(contact, "apart", _plant(tree, contact.chaser), tree, q, v)


def stage_held(contact: Contact, jump: Jump, closure: str, attachment: Attachment) -> Stage:
    """Chaser and target as one tree, as an impact leaves them."""
    q = join_configuration(attachment, contact.chaser_coordinates, contact.target_coordinates)
    v = join_velocity(attachment, q, jump.chaser_rates, jump.target_rates)
    tree = attachment.joined
    return Stage.of_contact(
        contact,
        closure,
        _plant(tree, contact.chaser),
        tree,
        _floats(q),
        _floats(v),
        attachment.joint,
    )


def stage_before(start: Start) -> Stage:
    """Chaser and target as they are before any contact; the chaser alone where there is none."""
    chaser = start.chaser
    if start.target is None:
        q, v = _floats(start.chaser_coordinates), _floats(start.chaser_rates)
        plant = TreePlant(chaser)
        return Stage(chaser, None, start.tool, None, "apart", plant, chaser, q, v)
    tree = side_by_side(chaser, start.target)
    q = np.concatenate([start.chaser_coordinates, start.target_coordinates])
    v = np.concatenate([start.chaser_rates, start.target_rates])
    angle = float(start.target_coordinates[2]) if start.target.is_planar else None
    plant = _plant(tree, chaser)
    return Stage(
        chaser, start.target, start.tool, start.grip, "apart", plant, tree, q, v, None, angle
    )


def plant_like(stage: Stage, chaser: System, target: System | None) -> Plant:
    """The plant of a stage with other bodies in the same places: what a controller believes."""
    if isinstance(stage.plant, PublishedPlant):
        contact = stage.plant.contact
        return PublishedPlant(replace(contact, chaser=chaser, target=target or contact.target))
    if target is None:
        return TreePlant(chaser)
    if stage.grasp is None:
        return _plant(side_by_side(chaser, target), chaser)
    assert stage.tree is not None
    # The same tree, grasp included, with the believed masses.
    believed = {body.name: body for body in (*chaser.bodies, *target.bodies)}
    bodies = tuple(
        replace(body, mass=b.mass, com=b.com, inertia=b.inertia)
        for body, b in ((body, believed[body.name]) for body in stage.tree.bodies)
    )
    return _plant(replace(stage.tree, bodies=bodies), chaser)


def side_by_side(chaser: System, target: System) -> System:
    """Two systems that do not touch as one forest, the chaser's coordinates first.

    The target's joints are renamed where the chaser has joints of their names.
    """
    taken = {joint.name for joint in chaser.joints}
    rename = lambda name: f"target {name}" if name in taken else name  # noqa: E731
    joints = tuple(
        replace(joint, name=rename(joint.name), motion=led_by(joint.motion, rename))
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


def _plant(tree: System, chaser: System) -> TreePlant:
    return TreePlant(tree, chaser.rate_count)


def _floats(values: Any) -> np.ndarray:
    return np.asarray(values, float)
