"""Bodies on fixed joints merged into what carries them: fewer bodies, the same dynamics."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from percuss.algebra.inertias import SpatialInertia
from percuss.algebra.poses import Pose
from percuss.algebra.scalars import total
from percuss.algebra.vectors import Symmetric3, Vector3
from percuss.model.bodies import Body, Visual
from percuss.model.joints import Fixed
from percuss.model.systems import WORLD, Frame, Joint, System


@dataclass(frozen=True, slots=True)
class RigidPart:
    """A rigid part before merging: a body, or with `body` None a part without mass.

    `visuals` are placed in the part's own frame and replace those of the body.
    """

    name: str
    body: Body | None = None
    visuals: tuple[Visual, ...] = ()


@dataclass(frozen=True, slots=True)
class Merged:
    """What is left when every part on a fixed joint has become a piece of its carrier."""

    parts: tuple[RigidPart, ...]
    joints: tuple[Joint, ...]
    frames: tuple[Frame, ...]
    grounded: tuple[RigidPart, ...]
    """Parts without mass that are fixed to the world; nothing moves them, so they are gone."""


def merge_fixed(system: System, only: Collection[str] | None = None) -> System:
    """The same system with the bodies on fixed joints merged into their parents.

    No inertia is lost. The frame of a merged body becomes a named frame on its parent, so its
    name stays usable; its named frames, visuals and child joints move along. A body fixed to
    the world is the base and stays. Fixed joints have no coordinates, so q and v keep their
    meaning and their order.

    Args:
        only: names of the fixed joints to merge across; default all.
    """
    parts = [RigidPart(body.name, body, body.visuals) for body in system.bodies]
    merged = merge_parts(parts, system.joints, system.frames, only=only)
    bodies = tuple(part.body for part in merged.parts if part.body is not None)
    return replace(system, bodies=bodies, joints=merged.joints, frames=merged.frames)


def merge_parts(
    parts: Sequence[RigidPart],
    joints: Sequence[Joint],
    frames: Sequence[Frame],
    *,
    keep_massless_base: bool = False,
    only: Collection[str] | None = None,
) -> Merged:
    """Merge across fixed joints, parts without mass included; the joints must form a forest.

    A group of parts fixed to the world stays, on its fixed joint, unless none has mass: then
    its child joints hang from the world, if it is not to be kept all the same. `only` names the
    fixed joints to merge across, default all.
    """
    crossed = [j for j in joints if _is_fixed(j) and (only is None or j.name in only)]
    carriers = _carriers([part.name for part in parts], crossed)
    massive = {carriers[part.name][0] for part in parts if part.body is not None}
    for joint in [] if keep_massless_base else joints:
        if _is_fixed(joint) and joint.parent == WORLD and joint.child not in massive:
            there = joint.placement @ joint.child_placement
            for name, (carrier, pose) in carriers.items():
                if carrier == joint.child:
                    carriers[name] = (WORLD, there @ pose)

    groups: dict[str, list[tuple[Pose, RigidPart]]] = defaultdict(list)
    for part in parts:
        carrier, pose = carriers[part.name]
        groups[carrier].append((pose, part))
    new_frames = [_carried_frame(frame, carriers) for frame in frames]
    new_frames += [
        Frame(part.name, carrier, pose)
        for carrier, group in groups.items()
        for pose, part in group
        if part.name != carrier
    ]
    return Merged(
        parts=tuple(
            _merged_part(part.name, groups[part.name])
            for part in parts
            if carriers[part.name][0] == part.name
        ),
        joints=tuple(
            _carried_joint(joint, carriers)
            for joint in joints
            if carriers[joint.child][0] == joint.child
        ),
        frames=tuple(frame for frame in new_frames if frame.body != WORLD),
        grounded=tuple(part for _, part in groups[WORLD]),
    )


def combined(name: str, pieces: Sequence[tuple[Pose, Body]], visuals: Iterable[Visual]) -> Body:
    """One body made of several, each at its pose in the frame of the new one.

    m = Σ mᵢ, m c = Σ mᵢ cᵢ and I = Σ (Rᵢ Iᵢ Rᵢᵀ + mᵢ (dᵢ·dᵢ 1 - dᵢ dᵢᵀ)) with dᵢ = cᵢ - c.
    """
    planar_only = any(body.planar_only for _, body in pieces)
    pieces = [(pose, body) for pose, body in pieces if not body.is_massless]
    if not pieces:
        return Body.massless(name, tuple(visuals))
    masses = [body.mass for _, body in pieces]
    centers = [pose.act(body.com) for pose, body in pieces]
    mass, center = total(masses), centers[0]
    if len(pieces) > 1:
        moment = Vector3.zero()
        for m, c in zip(masses, centers, strict=True):
            moment = moment + c * m
        center = moment / mass
    # Summed about the common centre of mass: about the frame's origin, a part far from it
    # would lose its own inertia in rounding.
    inertia = Symmetric3.zero()
    for c, (pose, body) in zip(centers, pieces, strict=True):
        turned = Symmetric3.of(pose.rotation.conjugate(body.inertia.matrix()))
        about = SpatialInertia.about_center_of_mass(body.mass, c - center, turned)
        inertia = inertia + about.second_moment
    return Body(name, mass, center, inertia, planar_only=planar_only, visuals=tuple(visuals))


def _merged_part(name: str, group: Sequence[tuple[Pose, RigidPart]]) -> RigidPart:
    visuals = tuple(
        replace(visual, placement=pose @ visual.placement)
        for pose, part in group
        for visual in part.visuals
    )
    pieces = [(pose, part.body) for pose, part in group if part.body is not None]
    if not pieces:
        return RigidPart(name, None, visuals)
    if len(pieces) == 1 and pieces[0][0].is_identity:
        # Nothing was added: the numbers stay as they are, to the last digit.
        return RigidPart(name, replace(pieces[0][1], name=name, visuals=visuals), visuals)
    return RigidPart(name, combined(name, pieces, visuals), visuals)


def _carriers(names: Sequence[str], joints: Sequence[Joint]) -> dict[str, tuple[str, Pose]]:
    """Where each part ends up across these fixed joints, and its pose there."""
    fixed = {joint.child: joint for joint in joints if joint.parent != WORLD}
    carriers: dict[str, tuple[str, Pose]] = {}
    for name in names:
        path = [name]
        while path[-1] in fixed and path[-1] not in carriers:
            path.append(fixed[path[-1]].parent)
        carriers.setdefault(path[-1], (path[-1], Pose.identity()))
        for child in reversed(path[:-1]):
            joint = fixed[child]
            carrier, pose = carriers[joint.parent]
            carriers[child] = (carrier, pose @ joint.placement @ joint.child_placement)
    return carriers


def _carried_joint(joint: Joint, carriers: dict[str, tuple[str, Pose]]) -> Joint:
    if joint.parent == WORLD or carriers[joint.parent][0] == joint.parent:
        return joint
    carrier, pose = carriers[joint.parent]
    return replace(joint, parent=carrier, placement=pose @ joint.placement)


def _carried_frame(frame: Frame, carriers: dict[str, tuple[str, Pose]]) -> Frame:
    carrier, pose = carriers[frame.body]
    return frame if carrier == frame.body else Frame(frame.name, carrier, pose @ frame.placement)


def _is_fixed(joint: Joint) -> bool:
    return isinstance(joint.motion, Fixed)
