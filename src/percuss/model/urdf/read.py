"""A system from a URDF file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from percuss.io.reading import file_bytes
from percuss.model.bodies import Body
from percuss.model.errors import ModelError
from percuss.model.joints import Fixed, Free, Planar
from percuss.model.merge import Merged, RigidPart, merge_parts
from percuss.model.names import WORLD, BaseMode
from percuss.model.rebase import unused
from percuss.model.systems import Joint, System
from percuss.model.urdf.elements import look_inside
from percuss.model.urdf.followers import settle_followers
from percuss.model.urdf.idle import hold_idle
from percuss.model.urdf.joints import read_joint
from percuss.model.urdf.log import Log
from percuss.model.urdf.looks import read_colors
from percuss.model.urdf.parts import read_part
from percuss.model.urdf.planes import settle_planes
from percuss.model.urdf.tree import by_name, root_of
from percuss.model.urdf.xml import Element, parse_xml
from percuss.model.xacro.expand import expand

MOST_BYTES = 20_000_000
"""Of a URDF file; large ones of real robots, meshes apart, have 200 kB."""


def read_urdf(
    path: str | Path,
    *,
    mode: BaseMode | str | None = None,
    name: str | None = None,
    strict: bool = False,
) -> System:
    """A system from a URDF file; see `parse_urdf`.

    A xacro file is expanded first (see `percuss.model.xacro.expand.expand`); lines in messages
    are then those of the expanded text.
    """
    path = Path(path)
    data: str | bytes = file_bytes(path, "a URDF file", MOST_BYTES)
    source = path.name
    if path.suffix == ".xacro" or b"<xacro:" in data:
        data, source = expand(path), f"{path.name}, expanded"
    return _read(
        data, Log(source, strict), path.parent, mode, name=name or None, default_name=path.stem
    )


def parse_urdf(
    text: str,
    *,
    mode: BaseMode | str | None = None,
    name: str | None = None,
    folder: str | Path | None = None,
    strict: bool = False,
) -> System:
    """A system from the text of a URDF.

    Link frames are body frames and the root link is the base: on a fixed joint on the world
    in the mode "fixed", on a free one in the other modes, called "base" in either case. In the
    mode "fixed" a root link called "world", or one without mass, is the world itself, and what
    is fixed to it keeps its offset. Links on fixed joints are merged into their parents without
    losing inertia, and stay as named frames. Friction is `damping` (viscous) and `friction`
    (Coulomb). A joint with <mimic> follows another (`Mimic`). Joints come in the order of the
    file. Links that give no moment of inertia but izz make a planar system where every joint
    keeps the x-y plane. A file without any mass gives a system for kinematics.

    Files are read as they are found: what makes no sense as it stands (an inertia that no mass
    can have, an unknown attribute, a joint that moves nothing with mass) is read in the nearest
    way that does, and listed in `System.changes` and in one `ModelNotice`, with what is left
    out, such as extensions and meshes that are not found. What cannot be understood is refused,
    all of it in one ModelError.

    Args:
        mode: of the base; by default "fixed", or "free-floating" if the file itself hangs the
            base from the world by a floating or planar joint.
        name: of the system, default that of the robot in the file.
        folder: where meshes with relative names are looked for.
        strict: refuse what would be changed.
    """
    place = None if folder is None else Path(folder)
    return _read(text, Log("URDF", strict), place, mode, name=name, default_name="robot")


def _read(
    data: str | bytes,
    log: Log,
    folder: Path | None,
    mode: BaseMode | str | None,
    *,
    name: str | None,
    default_name: str,
) -> System:
    base_mode = _checked_mode(mode)
    robot = parse_xml(data, log)
    if robot.tag != "robot":
        raise robot.error(f"the root element of a URDF is <robot>, got <{robot.tag}>")
    look_inside(robot, ("link", "joint", "material"))
    name = name or _name(robot, default_name)
    file = _file(robot, folder)
    free = base_mode is not None and base_mode != BaseMode.FIXED
    root = file.root
    if root == WORLD and free and not file.floats:
        root, file = _base_called_root(file, base_mode)
    parts, planar = settle_planes(file.parts, file.joints, file.links)
    massive = any(part.body is not None for part in parts)
    joints = hold_idle(parts, file.joints, file.joint_elements) if massive else list(file.joints)
    if root == WORLD:
        ground = next(part for part in parts if part.name == WORLD)
        # What is fixed to the ground neither moves nor matters.
        parts.remove(ground)
    else:
        joints.insert(0, Joint(unused("base", file.joint_elements), Fixed(), WORLD, root))
    try:
        merged = merge_parts(parts, joints, (), keep_massless_base=not massive)
    except ModelError as error:
        raise robot.error(str(error)) from error
    for part in merged.grounded:
        if part.name != root:
            log.leave_out(file.links[part.name], f"the frame of a link fixed to {WORLD!r}")
    if free:
        merged = replace(merged, joints=_released(merged, base_mode, file.links[file.root], planar))
    bodies = tuple(part.body or Body.massless(part.name, part.visuals) for part in merged.parts)
    if not bodies:
        raise robot.error("no link can move or be a base: there is nothing to compute")
    log.check()
    try:
        system = System(
            name=name,
            bodies=bodies,
            joints=merged.joints,
            frames=merged.frames,
            mode=base_mode,
            source=log.source,
            changes=log.changes,
        )
    except ModelError as error:
        raise robot.error(str(error)) from error
    log.notify(stacklevel=3)
    return system


@dataclass(frozen=True)
class _File:
    """What stands in a file: links and joints, read, with their elements by name."""

    links: dict[str, Element]
    joint_elements: dict[str, Element]
    parts: list[RigidPart]
    joints: list[Joint]
    root: str

    @property
    def floats(self) -> bool:
        """Whether the file itself hangs something from the world by a floating joint."""
        return any(j.parent == WORLD and isinstance(j.motion, (Free, Planar)) for j in self.joints)


def _file(robot: Element, folder: Path | None) -> _File:
    log = robot.log
    links, elements = by_name(robot, "link"), by_name(robot, "joint")
    if not links:
        raise robot.error("has no <link>; a robot needs at least one")
    colors = read_colors(robot)
    parts = [read_part(link, colors, folder) for link in links.values()]
    joints: list[Joint] = []
    for element in elements.values():
        with log.going_on():
            joints.append(read_joint(element))
    log.check_errors()
    root = root_of(links, elements)
    try:
        joints = settle_followers(joints, elements)
    except ModelError as error:
        raise robot.error(str(error)) from error
    if WORLD in links and root != WORLD:
        raise links[WORLD].error(f"{WORLD!r} is the inertial frame: only the root may be called so")
    return _File(links=links, joint_elements=elements, parts=parts, joints=joints, root=root)


def _name(robot: Element, default: str) -> str:
    name = robot.attributes.get("name", "").strip()
    if not name:
        problem = "'name' is missing or empty; it must be text"
        robot.log.change(robot, problem, "a robot without a name", f"the name {default!r}")
    return name or default


def _base_called_root(file: _File, mode: BaseMode | None) -> tuple[str, _File]:
    """The file with its root, the world, as a base that moves; its frame is the base frame."""
    name = unused("root", file.links)
    element = file.links[WORLD]
    read = f"the world as the root of a {mode} base"
    problem = f"{WORLD!r} is the inertial frame, which is no {mode} base"
    element.log.change(
        element, problem, read, f"a base called {name!r}, its frame that of the link"
    )
    parts = [replace(part, name=name) if part.name == WORLD else part for part in file.parts]
    parts = [_renamed_body(part) for part in parts]
    joints = [replace(j, parent=name) if j.parent == WORLD else j for j in file.joints]
    links = {name if link == WORLD else link: e for link, e in file.links.items()}
    return name, _File(
        links=links, joint_elements=file.joint_elements, parts=parts, joints=joints, root=name
    )


def _renamed_body(part: RigidPart) -> RigidPart:
    return part if part.body is None else replace(part, body=replace(part.body, name=part.name))


def _checked_mode(mode: BaseMode | str | None) -> BaseMode | None:
    try:
        return None if mode is None else BaseMode(mode)
    except ValueError as error:
        raise ModelError(
            f"base mode {mode!r} is not one of {', '.join(m.value for m in BaseMode)}"
        ) from error


def _released(
    merged: Merged, mode: BaseMode | None, root: Element, planar: bool
) -> tuple[Joint, ...]:
    """The joints with the base on a free joint, unless the file has it on one already."""
    joints: Sequence[Joint] = merged.joints
    on_world = [joint for joint in joints if joint.parent == WORLD]
    base = on_world[0] if on_world else None
    if base is not None and isinstance(base.motion, (Free, Planar)):
        return tuple(joints)
    if base is None or len(on_world) > 1 or not isinstance(base.motion, Fixed):
        raise root.error(
            f"has no mass and nothing with mass is fixed to it, so nothing can be a {mode} base: "
            "give the link an <inertial> with mass > 0, mount the arm on a base, or read with "
            "mode='fixed'"
        )
    released = Joint(base.name, Planar() if planar else Free(), WORLD, base.child)
    return tuple(released if joint is base else joint for joint in joints)
