"""The point of the chaser that touches."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path as FilePath
from typing import Any

from percuss.algebra.poses import Pose
from percuss.algebra.scalars import is_constant
from percuss.encounter.errors import EncounterError, Path, shown
from percuss.io.reading import file_bytes
from percuss.model.errors import ModelError, choices, closest
from percuss.model.files import is_xacro
from percuss.model.systems import Frame, System
from percuss.model.urdf.log import Log
from percuss.model.urdf.read import MOST_BYTES
from percuss.model.urdf.xml import parse_xml
from percuss.scenario.chaser import Chaser, Tool
from percuss.scenario.chaser_rules import is_composed
from percuss.scenario.links import LinkBlock
from percuss.scenario.models import Models
from percuss.scenario.vehicle import ModelSource

_AT: Path = ("chaser", "tool")


def tool_frame(system: System, chaser: Chaser, models: Models, folder: FilePath) -> Frame:
    """The tool as a frame of the chaser; only its origin matters."""
    composed = is_composed(chaser)
    tool = chaser.tool or Tool()
    if chaser.tool is not None:
        _check_form(tool, composed)
    if composed:
        return _on_vehicle(system, chaser, tool, models, folder=folder)
    if chaser.arm is not None or chaser.arms is not None:
        if tool.frame is not None:
            return _named(system, tool.frame)
        return _on_planar_arm(system, chaser, tool)
    if tool.arm is not None:
        raise EncounterError((*_AT, "arm"), f"goes with chaser.arms, got {shown(tool.arm)}")
    if tool.frame is not None:
        return _named(system, tool.frame)
    if chaser.tool is not None:
        return _on_link(system, tool)
    assert models.whole is not None, "a chaser without arms is one model"
    return _named(system, _only(_ends(chaser, models.whole, folder)))


def _check_form(tool: Tool, composed: bool) -> None:
    """A frame, or a point on a link; only of models on a base, a frame of an arm."""
    on_link = [key for key in ("arm", "link", "at") if tool.given(key)]
    if tool.frame is not None and composed:
        on_link = [key for key in on_link if key != "arm"]
    if (tool.frame is None) == (not on_link):
        got = f"got frame and {on_link[0]}" if on_link else "got neither"
        raise EncounterError(_AT, f"must be the name of a frame, or have link and at, {got}")


def _on_vehicle(
    system: System, chaser: Chaser, tool: Tool, models: Models, *, folder: FilePath
) -> Frame:
    """The tool of a chaser whose arms are models; names of an arm are its model's own."""
    arms = dict(chaser.arms or {})
    if tool.arm is None:
        if tool.frame is not None:
            return _named(system, tool.frame)
        if tool.link is not None or tool.at is not None:
            return _on_link(system, tool)
    elif tool.arm not in arms:
        raise _no_arm(tool.arm, arms)
    chosen = arms if tool.arm is None else {tool.arm: arms[tool.arm]}
    if tool.frame is not None:
        return _named(system, f"{tool.arm}_{tool.frame}")
    if tool.link is not None:
        return _on_link(system, tool, prefix=f"{tool.arm}_")
    there = {frame.name for frame in system.frames} | {body.name for body in system.bodies}
    ends = [
        f"{name}_{end}"
        for name, arm in chosen.items()
        for end in _ends(arm, models.arms[name], folder)
        if f"{name}_{end}" in there  # and was not left out by `from`
    ]
    return _named(system, _only(ends))


def _named(system: System, name: str) -> Frame:
    try:
        return system.frame(name)
    except ModelError as error:
        raise EncounterError(_AT, str(error)) from None


def _on_link(system: System, tool: Tool, prefix: str = "") -> Frame:
    """A point in the frame of a link by name; links on fixed joints are known by theirs."""
    if not isinstance(tool.link, str):
        what = "must be the name of a link of the robot"
        raise EncounterError((*_AT, "link"), f"{what}, got {shown(tool.link)}")
    held = _named(system, prefix + tool.link)
    at: Any = tool.at if tool.at is not None else (0.0, 0.0, 0.0)
    if not isinstance(at, tuple):
        if not system.is_planar:
            message = "must be a point [x, y, z] in m in the link frame"
            raise EncounterError((*_AT, "at"), f"{message}, got {at:g}")
        at = (at, 0.0)
    return Frame("contact", held.body, held.placement @ Pose.at(at))


def _on_planar_arm(system: System, chaser: Chaser, tool: Tool) -> Frame:
    links, prefix = _arm(chaser, tool)
    number = tool.link if tool.link is not None else len(links)
    if isinstance(number, str):
        return _on_link(system, tool)
    if number > len(links):
        allowed = f"must be from 1 to {len(links)}, the links of the arm"
        raise EncounterError((*_AT, "link"), f"{allowed}, got {number}")
    at: Any = tool.at if tool.at is not None else links[number - 1].length
    point = at if isinstance(at, tuple) else (at, 0.0)
    body = f"{prefix}link{number}"
    placement = Pose.at(point)
    for frame in system.frames:
        if frame.body == body and is_same(frame.placement, placement):
            return frame
    return Frame("contact", body, placement)


def is_same(one: Pose, other: Pose) -> bool:
    """Whether two poses are the same for certain: equal numbers, or the very same scalars."""
    pairs = zip(_pose_entries(one), _pose_entries(other), strict=True)
    return all(a is b or (is_constant(a) and is_constant(b) and a == b) for a, b in pairs)


def _pose_entries(pose: Pose) -> list[Any]:
    return [*(x for row in pose.rotation.matrix.rows for x in row), *pose.position]


def _arm(chaser: Chaser, tool: Tool) -> tuple[tuple[LinkBlock, ...], str]:
    if chaser.arms is None:
        if tool.arm is not None:
            raise EncounterError((*_AT, "arm"), f"goes with chaser.arms, got {shown(tool.arm)}")
        return chaser.arm or (), ""
    name = tool.arm if tool.arm is not None else next(iter(chaser.arms))
    if name not in chaser.arms:
        raise _no_arm(name, chaser.arms)
    return chaser.arms[name].links or (), f"{name}_"


def _no_arm(name: str, arms: Mapping[str, object]) -> EncounterError:
    there = f"{closest(name, arms)} There are: {choices(name, arms)}"
    return EncounterError((*_AT, "arm"), f"there is no arm {name!r}.{there}")


def _only(ends: list[str]) -> str:
    if len(ends) == 1:
        return ends[0]
    named = ", ".join(ends[:8]) + (" …" if len(ends) > 8 else "")
    raise EncounterError(
        _AT,
        f"is missing: the robot has {len(ends)} ends ({named}). Give tool: the name of a frame, "
        "or {link: NAME, at: [x, y, z]}",
    )


def _ends(source: ModelSource, system: System, folder: FilePath) -> list[str]:
    """Where a tool may be: the last links of a URDF; else a frame `tool`, or the last bodies."""
    if source.urdf is not None and not is_xacro(folder / source.urdf):
        return _last_links(folder / source.urdf)
    for frame in system.frames:
        if frame.name == "tool" or frame.name.endswith("_tool"):
            return [frame.name]
    parents = {joint.parent for joint in system.joints}
    return [body.name for body in system.bodies if body.name not in parents]


def _last_links(path: FilePath) -> list[str]:
    """The links of a URDF that carry no other."""
    root = parse_xml(file_bytes(path, "a URDF file", MOST_BYTES), Log(path.name))
    joints = [child for child in root.children if child.tag == "joint"]
    parents = {joint.needed("parent").text("link") for joint in joints}
    links = [child.text("name") for child in root.children if child.tag == "link"]
    return [link for link in links if link not in parents]
