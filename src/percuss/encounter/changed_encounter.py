"""An encounter with some of its leaves replaced by other scalars."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from percuss.algebra.poses import Pose
from percuss.algebra.rotations import Quaternion
from percuss.algebra.scalars import Scalar, add, pack, to_scalar
from percuss.algebra.vectors import Vector3
from percuss.encounter.encounter import Encounter
from percuss.encounter.entries import Key, updated
from percuss.kinematics.frames import frame_pose
from percuss.model.systems import Frame, System

_PLAIN = ("closure", "control", "approach", "orbit", "duration")
"""Fields of an encounter whose leaves are those of its own data."""
_SHAPING = ("placement", "axis", "mimic")
"""Parts of a system's parameters on which it depends where its points are."""


def changed_encounter(encounter: Encounter, leaves: Mapping[Key, Scalar]) -> Encounter:
    """The encounter with these leaves; what they do not touch is the same object.

    Leaves are ("chaser" or "target", "parameter", NAME), (…, "q" or "v", k), for a chaser that is
    held ("chaser", "base", "position" or "turn", k), ("grip", k), and the way to a leaf in one of
    the fields of the encounter.
    """
    if not leaves:
        return encounter
    new: dict[str, Any] = {}
    for name in _PLAIN:
        changes = _below(leaves, name)
        if changes:
            new[name] = updated(getattr(encounter, name), changes)
    chaser = _system(encounter.chaser, leaves, "chaser")
    tool = _frame(encounter.tool, encounter.chaser, chaser)
    new |= {"chaser": chaser, "tool": tool} | _state(encounter, leaves, "chaser")
    if encounter.target is not None and encounter.grip is not None:
        target = _system(encounter.target, leaves, "target")
        grip = _frame(encounter.grip, encounter.target, target)
        target, grip = _touched(target, grip, _below(leaves, "grip"))
        new |= {"target": target, "grip": grip} | _state(encounter, leaves, "target")
        if encounter.contact is not None and any(_moves(key) for key in leaves):
            new["target_coordinates"] = _at_tool(new)
    return replace(encounter, **new)


def _below(leaves: Mapping[Key, Scalar], *first: str) -> dict[Key, Scalar]:
    """The leaves of a part, by what follows its own key."""
    count = len(first)
    return {key[count:]: value for key, value in leaves.items() if key[:count] == first}


def _system(system: System, leaves: Mapping[Key, Scalar], owner: str) -> System:
    """The system with its parameters, and a base that is held where it is put."""
    given = {str(key[0]): value for key, value in _below(leaves, owner, "parameter").items()}
    changed = system.with_parameters(given) if given else system
    position = _below(leaves, owner, "base", "position")
    turn = _below(leaves, owner, "base", "turn")
    if not position and not turn:
        return changed
    held = changed.base_joint
    rotation = held.placement.rotation
    if len(turn) == 1:
        rotation = Pose.planar(0.0, 0.0, turn[(0,)]).rotation
    elif turn:
        rotation = Quaternion(*(turn[(k,)] for k in range(4))).to_rotation()
    place = Vector3(*updated(tuple(held.placement.position), position))
    placed = replace(held, placement=Pose(rotation, place))
    joints = tuple(placed if joint is held else joint for joint in changed.joints)
    return replace(changed, joints=joints)


def _frame(frame: Frame, before: System, after: System) -> Frame:
    """A frame of a system after its parameters have changed; one of its own stays."""
    return after.frame(frame.name) if frame in before.frames else frame


def _touched(target: System, grip: Frame, point: Mapping[Key, Scalar]) -> tuple[System, Frame]:
    """The target and its contact point, where that is given by entries (m, frame of its body)."""
    if not point:
        return target, grip
    place = Vector3(*updated(tuple(grip.placement.position), point))
    placed = replace(grip, placement=Pose(grip.placement.rotation, place))
    if grip in target.frames:
        frames = tuple(placed if frame == grip else frame for frame in target.frames)
        target = replace(target, frames=frames)
    return target, placed


def _state(encounter: Encounter, leaves: Mapping[Key, Scalar], owner: str) -> dict[str, Any]:
    """Coordinates and rates of a system, where some of them are replaced."""
    found: dict[str, Any] = {}
    for what, name in (("q", f"{owner}_coordinates"), ("v", f"{owner}_rates")):
        own = getattr(encounter, name)
        changes = _below(leaves, owner, what)
        found[name] = pack(updated(tuple(map(to_scalar, own)), changes)) if changes else own
    return found


def _moves(key: Key) -> bool:
    """Whether the contact points are elsewhere with another value of a leaf."""
    if key[0] == "grip" or key[1:2] in (("q",), ("base",)):
        return True
    parts = str(key[2]).split(".") if key[1:2] == ("parameter",) else []
    return any(part.endswith(_SHAPING) for part in parts)


def _at_tool(new: Mapping[str, Any]) -> Any:
    """Coordinates of the target, moved without turning so that its contact point is at the tool."""
    target: System = new["target"]
    q: list[Scalar] = [to_scalar(x) for x in new["target_coordinates"]]
    tool = frame_pose(new["chaser"], new["chaser_coordinates"], new["tool"]).position
    away = tool - frame_pose(target, q, new["grip"]).position
    step = target.base_joint.placement.rotation.inverse() @ away
    first = target.node(target.base.name).coordinates.start
    for k, x in enumerate(list(step)[: 2 if target.is_planar else 3]):
        q[first + k] = add(q[first + k], x)
    return pack(q)
