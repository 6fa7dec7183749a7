"""Vehicles put together: arms, each a system of its own, mounted on a base."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from percuss.algebra.poses import Pose
from percuss.model.attach import refuse_other_gravity
from percuss.model.bodies import Body
from percuss.model.changes import Change
from percuss.model.checks import shown
from percuss.model.couplings import led_by
from percuss.model.errors import ModelError
from percuss.model.joints import Fixed, Free, Planar
from percuss.model.merge import merge_fixed
from percuss.model.names import BaseMode
from percuss.model.single import free_body
from percuss.model.systems import WORLD, Frame, Joint, System, unknown


@dataclass(frozen=True)
class Mounted:
    """An arm and where it is mounted.

    Attributes:
        system: the arm. What it stands on the world with goes to the mount; a base of its own
            that moves freely is welded there.
        at: the arm's root frame (the world frame of `system`, or the frame of its free base)
            seen from the frame that carries it.
        on: the frame or body that carries the arm, by name; default the base body's own frame.
        start: a joint or a frame of `system` at which the arm begins, instead of its root: what
            is inboard of it is left out, and the joint's frame at zero (or the frame) is put
            where the root frame would be.
    """

    system: System
    at: Pose = field(default_factory=Pose.identity)
    on: str | Frame | None = None
    start: str | None = None


def compose(base: System | Body, arms: Mapping[str, Mounted], *, name: str | None = None) -> System:
    """One system of a base and arms mounted on it.

    Bodies, joints and frames of an arm get its name and an underscore in front, `right_elbow`.
    Its root link is merged into the body that carries it, without losing inertia, and stays as
    a frame. Coordinates are those of the base, then of each arm in the order of the mapping.
    Mode and gravity are the base's. A `Body` as base moves freely (`System.with_mode` holds it).

    Example:
        >>> import percuss
        >>> iiwa = percuss.robot("iiwa-14")
        >>> right = percuss.Mounted(iiwa, percuss.Pose.at((0.8, -0.3, 0.0)), start="a1")
        >>> vehicle = percuss.compose(percuss.box("bus", (1.6, 1.4, 1.8), 500.0), {"right": right})
        >>> vehicle.rate_count, vehicle.movable_joints[0].name, vehicle.frames[-1].name
        (13, 'right_a1', 'right_tool')
    """
    host = free_body(base) if isinstance(base, Body) else base
    welds: list[str] = []
    bodies, joints, frames = [*host.bodies], [*host.joints], [*host.frames]
    changes = [*host.changes]
    for arm_name, arm in arms.items():
        hung = _hung(host, arm_name, arm)
        welds += [joint.name for joint in hung.welds]
        bodies += hung.system.bodies
        joints += hung.joints
        frames += hung.system.frames
        changes += hung.system.changes
    _refuse_clashes(host, [*bodies, *frames], joints, arms)
    whole = replace(
        host,
        name=host.name if name is None else name,
        bodies=tuple(bodies),
        joints=tuple(joints),
        frames=tuple(frames),
        source="" if arms else host.source,
        changes=tuple(changes),
    )
    return merge_fixed(whole, only=welds)


@dataclass(frozen=True)
class _Hung:
    """An arm with its prefix, its root joints moved from the world to what carries it."""

    system: System
    joints: tuple[Joint, ...]
    welds: tuple[Joint, ...]


def _hung(host: System, name: str, arm: Mounted) -> _Hung:
    if not isinstance(name, str) or not name.strip():
        raise ModelError(f"an arm needs a name (text), got {name!r}")
    system = arm.system
    try:
        carried_by = host.frame(host.base.name if arm.on is None else arm.on)
        refuse_other_gravity(host, system)
        system = rooted(system, arm.start)
    except ModelError as error:
        raise ModelError(f"arm {name!r}: {error}") from None
    where = carried_by.placement @ arm.at
    prefixed = system.prefixed(f"{name}_")
    joints = tuple(
        replace(joint, parent=carried_by.body, placement=where @ joint.placement)
        if joint.parent == WORLD
        else joint
        for joint in prefixed.joints
    )
    roots = {joint.name for joint in prefixed.joints if joint.parent == WORLD}
    welds = tuple(j for j in joints if j.name in roots and isinstance(j.motion, Fixed))
    changes = tuple(replace(c, where=f"arm {name!r}: {c.where}") for c in system.changes)
    return _Hung(replace(prefixed, changes=changes), joints, welds)


def rooted(system: System, start: str | None = None) -> System:
    """A system as an arm that can be mounted: it stands on the world by its root or at `start`.

    A base of its own that moves freely is held at the origin, and what is inboard of `start`
    is left out; either is listed in `changes`. See `Mounted`.
    """
    if start is not None:
        return _begun(system, start)
    base = system.base_joint
    if isinstance(base.motion, (Free, Planar)):
        welded = Change(
            0,
            f"base {base.child!r}",
            f"a base of its own that moves freely, {shown(system.base.mass)} kg",
            "the same, welded to the mount; begin at a joint to leave it out",
        )
        system = replace(system.with_mode(BaseMode.FIXED), changes=(*system.changes, welded))
    for joint in system.joints:
        if joint.parent == WORLD and isinstance(joint.motion, (Free, Planar)):
            raise ModelError(
                f"{system.name!r} has several roots, and {joint.child!r} moves freely on a "
                f"{joint.motion.kind} joint; an arm hangs together"
            )
    return system


def _begun(system: System, start: str) -> System:
    """The part of a system that begins at a joint or at a frame, on the world.

    At a joint: the joint, at the world's origin, and what hangs from it. At a frame or body:
    what hangs from the body that holds the frame, without that body, the frame at the origin.
    What is inboard is left out and listed in `changes`.
    """
    by_name = {joint.name: joint for joint in system.joints}
    if start in by_name:
        roots = {start: Pose.identity()}
    else:
        try:
            frame = system.frame(start)
        except ModelError:
            names = [*by_name, *(f.name for f in system.frames), *(b.name for b in system.bodies)]
            raise unknown("joint, frame or body", start, names, system) from None
        back = frame.placement.inverse()
        roots = {j.name: back @ j.placement for j in system.joints if j.parent == frame.body}
    kept = {
        node.body.name
        for node in system.tree
        if any(above.joint.name in roots for above in system.ancestors(node))
    }
    if not kept:
        raise ModelError(f"nothing hangs from {start!r} of {system.name!r}")
    joints = tuple(
        replace(joint, parent=WORLD, placement=roots[joint.name]) if joint.name in roots else joint
        for joint in system.joints
        if joint.child in kept
    )
    dropped = [body for body in system.bodies if body.name not in kept]
    left_out = ", ".join(f"{body.name!r} of {shown(body.mass)} kg" for body in dropped)
    changes = (Change(0, f"from {start!r}", left_out, "left out"),) if dropped else ()
    return replace(
        system,
        bodies=tuple(body for body in system.bodies if body.name in kept),
        joints=joints,
        frames=tuple(frame for frame in system.frames if frame.body in kept),
        mode=BaseMode.FIXED,
        changes=(*system.changes, *changes),
    )


def _refuse_clashes(
    host: System, parts: list[Body | Frame], joints: list[Joint], arms: Mapping[str, Mounted]
) -> None:
    """Names that two parts would share, with the arms whose prefix makes them."""
    for what, found in (("bodies or frames", parts), ("joints", joints)):
        for shared in _twice(part.name for part in found):
            owners = [f"arm {arm!r}" for arm in arms if shared.startswith(f"{arm}_")]
            taken = {b.name for b in host.bodies} | {j.name for j in host.joints}
            taken |= {frame.name for frame in host.frames}
            owners = ["the base", *owners] if shared in taken else owners
            raise ModelError(
                f"two {what} would be called {shared!r}, of {' and '.join(owners)}; "
                "rename an arm: the names of its parts begin with its own"
            )


def _twice(names: Iterator[str]) -> list[str]:
    return [name for name, count in Counter(names).items() if count > 1]


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
        name=f"{chaser.name} and {target.name}",
        bodies=(*chaser.bodies, *target.bodies),
        joints=(*chaser.joints, *joints),
        frames=(*chaser.frames, *target.frames),
        mode=chaser.mode,
        gravity=chaser.gravity,
    )
