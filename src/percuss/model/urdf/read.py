"""A system from a URDF file."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from percuss.model.errors import ModelError, ModelNotice
from percuss.model.joints import Fixed, Free, Planar
from percuss.model.merge import Merged, merge_parts
from percuss.model.rebase import unused
from percuss.model.systems import WORLD, BaseMode, Joint, System
from percuss.model.urdf.joints import read_joint, root_of
from percuss.model.urdf.parts import Findings, read_colors, read_part
from percuss.model.urdf.xml import Element, parse_xml


def read_urdf(
    path: str | Path, *, mode: BaseMode | str | None = None, name: str | None = None
) -> System:
    """A system from a URDF file; see `parse_urdf`."""
    path = Path(path)
    try:
        data = path.read_bytes()
    except IsADirectoryError as error:
        raise ModelError(f"{path}: is a folder; expected a URDF file") from error
    return _read(data, path.name, path.parent, mode, name)


def parse_urdf(
    text: str,
    *,
    mode: BaseMode | str | None = None,
    name: str | None = None,
    folder: str | Path | None = None,
) -> System:
    """A system from the text of a URDF.

    Link frames are body frames and the root link is the base: on a fixed joint on the world
    in the mode "fixed", on a free one in the other modes, called "base" in either case. A
    root link called "world", or one without mass, is the world itself. Links on fixed joints
    are merged into their parents without losing inertia, and stay as named frames. Friction
    is `damping` (viscous) and `friction` (Coulomb). Joints come in the order of the file.

    What changes the dynamics and is not supported is refused, and so are unknown attributes of
    the elements that describe it; other extensions and meshes that are not found are left out
    with one `ModelNotice`.

    Args:
        mode: of the base; by default "fixed", or "free-floating" if the file itself hangs the
            base from the world by a floating or planar joint.
        name: of the system, default that of the robot in the file.
        folder: where meshes with relative names are looked for.
    """
    return _read(text, "URDF", None if folder is None else Path(folder), mode, name)


def _read(
    data: str | bytes,
    source: str,
    folder: Path | None,
    mode: BaseMode | str | None,
    name: str | None,
) -> System:
    mode = _checked_mode(mode)
    robot = parse_xml(data, source)
    if robot.tag != "robot":
        raise robot.error(f"the root element of a URDF is <robot>, got <{robot.tag}>")
    findings = Findings(folder)
    findings.ignore_others(robot, ("link", "joint", "material"))
    name = name or robot.text("name")
    read_colors(robot, findings)
    links, joint_elements = _by_name(robot, "link"), _by_name(robot, "joint")
    if not links:
        raise robot.error("has no <link>; a robot needs at least one")
    parts = [read_part(link, findings) for link in links.values()]
    joints = [read_joint(element, findings) for element in joint_elements.values()]
    root = root_of(links, joint_elements)
    if WORLD in links and root != WORLD:
        raise links[WORLD].error(f"{WORLD!r} is the inertial frame: only the root may be called so")
    free = mode is not None and mode != BaseMode.FIXED
    if root == WORLD:
        ground = next(part for part in parts if part.name == WORLD)
        if ground.body is not None and free:
            raise links[WORLD].error(
                f"has mass, but {WORLD!r} is the inertial frame. Rename the link to make it a "
                f"{mode} base, or read with mode='fixed'"
            )
        # What is fixed to the ground neither moves nor matters.
        parts.remove(ground)
        findings.ignored.update({f"visuals of {WORLD!r}": 1} if ground.visuals else {})
    else:
        base = unused("base", joint_elements)
        joints.insert(0, Joint(base, Fixed(), WORLD, root))
    try:
        merged = merge_parts(parts, joints, ())
    except ModelError as error:
        raise robot.error(str(error)) from error
    _refuse_massless(merged, links, joint_elements)
    for part in merged.grounded:
        if part.name != root:
            findings.ignored[f"frame of {part.name!r}, which is fixed to {WORLD!r}"] += 1
    if free:
        merged = replace(merged, joints=_released(merged.joints, mode, root, links))
    bodies = tuple(part.body for part in merged.parts if part.body is not None)
    if not bodies:
        raise robot.error("no link that can move or be a base has mass: give one an <inertial>")
    notice = findings.notice()
    if notice:
        warnings.warn(f"{source}: ignored: {notice}", ModelNotice, stacklevel=3)
    try:
        return System(name, bodies, merged.joints, merged.frames, mode, source=source)
    except ModelError as error:
        raise robot.error(str(error)) from error


def _checked_mode(mode: BaseMode | str | None) -> BaseMode | None:
    try:
        return None if mode is None else BaseMode(mode)
    except ValueError as error:
        raise ModelError(
            f"base mode {mode!r} is not one of {', '.join(m.value for m in BaseMode)}"
        ) from error


def _by_name(robot: Element, tag: str) -> dict[str, Element]:
    found: dict[str, Element] = {}
    for element in robot.all(tag):
        name = element.text("name")
        if name in found:
            raise element.error(
                f"the name is taken by another {tag} on line {found[name].line}; names must differ"
            )
        found[name] = element
    return found


def _refuse_massless(merged: Merged, links: dict[str, Element], joints: dict[str, Element]) -> None:
    joint_of = {joint.child: joint for joint in merged.joints}
    for part in merged.parts:
        if part.body is None:
            joint = joints[joint_of[part.name].name]
            raise links[part.name].error(
                f"massless moving link: it is on the {joint.text('type')} joint "
                f"{joint.text('name')!r} (line {joint.line}) and neither it nor what is fixed to "
                "it has mass. Give it an <inertial> with mass > 0, or make the joint 'fixed'"
            )


def _released(
    joints: Sequence[Joint], mode: BaseMode | None, root: str, links: dict[str, Element]
) -> tuple[Joint, ...]:
    """The joints with the base on a free joint, unless the file has it on one already."""
    on_world = [joint for joint in joints if joint.parent == WORLD]
    base = on_world[0] if on_world else None
    if base is not None and isinstance(base.motion, (Free, Planar)):
        return tuple(joints)
    if base is None or len(on_world) > 1 or not isinstance(base.motion, Fixed):
        raise links[root].error(
            f"has no mass and no single base fixed to it, so nothing can be a {mode} base: give "
            "the link an <inertial> with mass > 0, or read with mode='fixed'"
        )
    # The pose at which the base was fixed is now a matter of its coordinates.
    others = [joint for joint in joints if joint is not base]
    name = "base" if root == WORLD else base.name
    released = Joint(unused(name, [j.name for j in others]), Free(), WORLD, base.child)
    return (released, *others)
