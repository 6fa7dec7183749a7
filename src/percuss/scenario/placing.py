"""A chaser's model in its base mode, and a fixed one where the scenario puts it."""

from __future__ import annotations

from dataclasses import replace

from percuss.algebra.poses import Pose
from percuss.encounter.errors import EncounterError, shown
from percuss.model.bodies import Body
from percuss.model.errors import ModelError
from percuss.model.joints import Fixed, Free, Planar
from percuss.model.names import WORLD, BaseMode
from percuss.model.rebase import unused
from percuss.model.systems import Joint, System

NEXT_TO_NOTHING = 1e-9
"""Mass (kg) and inertia (kg m²) of a body that stands for the ground and never moves."""


def placed(system: System, mode: str, pose: Pose) -> System:
    """The system in a base mode; a fixed one with its root frame at `pose` (world ← root).

    Whatever stands on the world keeps its offset from the root frame. Where that is no body but
    joints that move, a body next to nothing stands for the root; at the identity it is not
    needed.
    """
    is_free = isinstance(system.base_joint.motion, (Free, Planar))
    try:
        changed = system.with_mode(mode, pose)
    except ModelError as error:
        reason = str(error).rstrip(".")
        raise EncounterError(("chaser", "mode"), f"{reason}, got {shown(mode)}") from None
    if is_free or BaseMode(mode) != BaseMode.FIXED or pose.is_identity:
        return changed
    if isinstance(changed.base_joint.motion, Fixed):
        return _shifted(changed, pose)
    return _shifted(_grounded(changed), pose)


def _shifted(system: System, pose: Pose) -> System:
    """Everything that stands on the world, moved by a pose."""
    joints = tuple(
        replace(joint, placement=pose @ joint.placement) if joint.parent == WORLD else joint
        for joint in system.joints
    )
    return replace(system, joints=joints)


def _grounded(system: System) -> System:
    """The system with a body at the world's origin under the joints that stand on the world."""
    name = unused("base", [part.name for part in (*system.bodies, *system.frames)])
    ground = Body(name, NEXT_TO_NOTHING, inertia=(NEXT_TO_NOTHING,) * 3)
    if system.is_planar:
        ground = Body.planar(name, NEXT_TO_NOTHING, NEXT_TO_NOTHING)
    joint = Joint(unused("base", [j.name for j in system.joints]), Fixed(), WORLD, name)
    carried = tuple(replace(j, parent=name) if j.parent == WORLD else j for j in system.joints)
    return replace(system, bodies=(ground, *system.bodies), joints=(joint, *carried))
