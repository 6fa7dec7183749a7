"""Systems as plain dictionaries and YAML files."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import yaml

from percuss.algebra.poses import Pose
from percuss.algebra.scalars import is_constant, to_scalar
from percuss.algebra.vectors import Symmetric3, Vector3
from percuss.io import write_file
from percuss.model.bodies import Body, Visual
from percuss.model.changes import Change
from percuss.model.errors import ModelError, closest
from percuss.model.joints import JOINT_MOTIONS, JointMotion, Mimic, Prismatic, Revolute
from percuss.model.systems import BaseMode, Frame, Friction, Joint, Limits, System
from percuss.model.yaml_text import load_yaml, place

_SYSTEM = ("name", "mode", "gravity", "source", "changes", "bodies", "joints", "frames")
_BODY = ("name", "mass", "com", "inertia", "visuals")
_CHANGE = ("line", "where", "read", "used")
_JOINT = (
    "name",
    "kind",
    "axis",
    "mimic",
    "parent",
    "child",
    "placement",
    "child_placement",
    "limits",
    "friction",
)


def load_system(path: str | Path) -> System:
    """A system from a YAML file; see `system_from_dict` for its keys."""
    document = load_yaml(path)
    if not isinstance(document, Mapping):
        raise ModelError(f"{path}: a system is a mapping with {', '.join(_SYSTEM)}")
    return system_from_dict(document)


def save_system(system: System, path: str | Path) -> None:
    """Write a system as YAML; the file appears whole or not at all."""
    text = yaml.safe_dump(system_to_dict(system), sort_keys=False, allow_unicode=True)
    write_file(path, text)


def system_from_dict(document: Mapping[str, Any]) -> System:
    """A system from plain data.

    Keys: `name`; `bodies`, each with `name`, `mass` (kg), `com` (m), `inertia` about it as
    {xx, yy, zz, xy, xz, yz}, three diagonal entries, or one moment about z for a planar body
    (kg m²); `joints`, each with `name`, `kind`, `parent`, `child` and optionally `axis`,
    `mimic` {joint, multiplier, offset} if it follows another, `placement` and `child_placement`
    as {position, rpy | quaternion}, `limits` {lower, upper, speed, effort}, `friction` {viscous,
    coulomb, smoothing}; and optionally `frames` {name, body, placement}, `mode`, `gravity`
    (m/s², two or three entries), `source`, and `changes` {line, where, read, used} that were made
    to the file it was read from.
    """
    _check_keys(document, _SYSTEM, "system", required=("name", "bodies", "joints"))
    gravity = _numbers(document, "gravity", (2, 3), "system", default=(0.0, 0.0, 0.0))
    return System(
        name=_text(document, "name", "system", empty=True),
        bodies=tuple(_body(entry) for entry in _list(document, "bodies")),
        joints=tuple(_joint(entry) for entry in _list(document, "joints")),
        frames=tuple(_frame(entry) for entry in _list(document, "frames")),
        mode=_mode(document),
        gravity=Vector3.of((*gravity, 0.0)[:3]),
        source=_text(document, "source", "system", empty=True) if "source" in document else "",
        changes=tuple(_change(entry) for entry in _list(document, "changes")),
    )


def system_to_dict(system: System) -> dict[str, Any]:
    """Plain data from which `system_from_dict` builds the system again."""
    document: dict[str, Any] = {"name": system.name, "mode": str(system.mode)}
    if system.source:
        document["source"] = system.source
    if system.changes:
        document["changes"] = [asdict(change) for change in system.changes]
    document["gravity"] = _floats(system.gravity, "gravity")
    document["bodies"] = [_body_to_dict(body) for body in system.bodies]
    document["joints"] = [_joint_to_dict(joint) for joint in system.joints]
    if system.frames:
        document["frames"] = [
            {"name": frame.name, "body": frame.body} | _pose_entry("placement", frame.placement)
            for frame in system.frames
        ]
    return document


# --- reading ------------------------------------------------------------------------------


def _mode(document: Mapping[str, Any]) -> BaseMode | None:
    if document.get("mode") is None:
        return None
    mode = _text(document, "mode", "system")
    try:
        return BaseMode(mode)
    except ValueError as error:
        allowed = ", ".join(BaseMode)
        raise ModelError(
            f"{place(document, 'mode')}system: base mode {mode!r} is not one of {allowed}"
        ) from error


def _body(entry: Any) -> Body:
    _check_keys(entry, _BODY, "body", required=("name", "mass", "inertia"))
    name = _text(entry, "name", "body")
    named = f"body {name!r}"
    mass = _number(entry, "mass", named)
    com = _numbers(entry, "com", (2, 3), named, default=(0.0, 0.0, 0.0))
    try:
        if isinstance(entry["inertia"], (int, float, str)):
            body = Body.planar(name, mass, _number(entry, "inertia", named), com)
        else:
            inertia = entry["inertia"]
            if isinstance(inertia, Mapping):
                _check_keys(inertia, ("xx", "yy", "zz", "xy", "xz", "yz"), f"{named}: inertia")
                inertia = {key: _number(inertia, key, f"{named}: inertia") for key in inertia}
            tensor = Symmetric3.of(inertia, f"{named}: inertia")
            body = Body(name, mass, Vector3.of((*com, 0.0)[:3]), tensor)
    except (TypeError, ValueError, OverflowError) as error:
        raise ModelError(f"{place(entry)}{error}") from error
    visuals = tuple(_visual(visual, named) for visual in _list(entry, "visuals"))
    return Body(
        body.name, body.mass, body.com, body.inertia, planar_only=body.planar_only, visuals=visuals
    )


def _visual(entry: Any, named: str) -> Visual:
    what = f"{named}: visual"
    _check_keys(entry, ("shape", "size", "placement", "mesh", "color"), what, ("shape", "size"))
    shape, size = _text(entry, "shape", what), _numbers(entry, "size", (1, 2, 3), what)
    placement = _pose(entry, "placement", what)
    mesh = Path(_text(entry, "mesh", what)) if entry.get("mesh") else None
    color = _numbers(entry, "color", 4, what) if "color" in entry else None
    try:
        return Visual(shape=shape, size=size, placement=placement, mesh=mesh, color=color)
    except ModelError as error:
        raise ModelError(f"{place(entry)}{what}: {error}") from error


def _joint(entry: Any) -> Joint:
    _check_keys(entry, _JOINT, "joint", required=("name", "kind", "parent", "child"))
    name = _text(entry, "name", "joint")
    named = f"joint {name!r}"
    limits = _floats_of(entry, "limits", named, Limits())
    friction = _floats_of(entry, "friction", named, Friction())
    try:
        return Joint(
            name=name,
            motion=_motion(entry, named),
            parent=_text(entry, "parent", named),
            child=_text(entry, "child", named),
            placement=_pose(entry, "placement", named),
            child_placement=_pose(entry, "child_placement", named),
            limits=Limits(**limits),
            friction=Friction(**friction),
        )
    except ModelError as error:
        raise ModelError(f"{place(entry)}{error}") from error


def _motion(entry: Mapping[str, Any], named: str) -> JointMotion:
    kind = _text(entry, "kind", named)
    if kind not in JOINT_MOTIONS:
        raise ModelError(f"{named}: kind must be one of {', '.join(JOINT_MOTIONS)}, got {kind!r}")
    if kind in ("revolute", "prismatic"):
        axis = _numbers(entry, "axis", 3, named, default=(0.0, 0.0, 1.0))
        motion = Revolute(axis) if kind == "revolute" else Prismatic(axis)
        return _mimic(entry, motion, named) if "mimic" in entry else motion
    if "axis" in entry:
        raise ModelError(f"{named}: a {kind} joint has no axis; turn its placement instead")
    if "mimic" in entry:
        raise ModelError(
            f"{named}: a {kind} joint cannot follow another; revolute and prismatic ones can"
        )
    return JOINT_MOTIONS[kind]()


def _mimic(entry: Mapping[str, Any], motion: Revolute | Prismatic, named: str) -> Mimic:
    coupling, what = entry["mimic"], f"{named}: mimic"
    _check_keys(coupling, ("joint", "multiplier", "offset"), what, required=("joint",))
    numbers = {
        key: _number(coupling, key, what) for key in ("multiplier", "offset") if key in coupling
    }
    return Mimic(motion, _text(coupling, "joint", what), **numbers)


def _change(entry: Any) -> Change:
    _check_keys(
        entry, ("line", "where", "read", "used"), "change", ("line", "where", "read", "used")
    )
    line = _number(entry, "line", "change")
    where, read, used = (_text(entry, key, "change") for key in ("where", "read", "used"))
    return Change(int(line), where, read, used)


def _frame(entry: Any) -> Frame:
    _check_keys(entry, ("name", "body", "placement"), "frame", required=("name", "body"))
    name = _text(entry, "name", "frame")
    named = f"frame {name!r}"
    return Frame(name, _text(entry, "body", named), _pose(entry, "placement", named))


def _pose(entry: Mapping[str, Any], key: str, named: str) -> Pose:
    pose = entry.get(key)
    if pose is None:
        return Pose.identity()
    what = f"{named}: {key}"
    _check_keys(pose, ("position", "rpy", "quaternion"), what)
    if "rpy" in pose and "quaternion" in pose:
        raise ModelError(f"{place(pose)}{what}: give rpy or quaternion, not both")
    quaternion = _numbers(pose, "quaternion", 4, what) if "quaternion" in pose else None
    if quaternion is not None and not math.hypot(*quaternion) > 0:
        raise ModelError(f"{place(pose, 'quaternion')}{what}: quaternion must not be zero")
    return Pose.at(
        _numbers(pose, "position", (2, 3), what, default=(0.0, 0.0, 0.0)),
        rpy=_numbers(pose, "rpy", 3, what) if "rpy" in pose else None,
        quaternion=quaternion,
    )


def _floats_of(entry: Mapping[str, Any], key: str, named: str, default: Any) -> dict[str, float]:
    values = entry.get(key, {})
    known = tuple(asdict(default))
    _check_keys(values, known, f"{named}: {key}")
    return {name: _number(values, name, f"{named}: {key}", finite=False) for name in values}


def _list(entry: Mapping[str, Any], key: str) -> Sequence[Any]:
    values = entry.get(key) or []
    if not isinstance(values, Sequence) or isinstance(values, str):
        raise ModelError(f"{place(entry, key)}{key} must be a list, got {_shown(values)}")
    return values


def _text(entry: Mapping[str, Any], key: str, named: str, empty: bool = False) -> str:
    value = entry[key]
    if not isinstance(value, str) or not (value or empty):
        hint = "; put it in quotes" if isinstance(value, (bool, int, float)) else ""
        raise ModelError(
            f"{place(entry, key)}{named}: {key} must be text, got {_shown(value)}{hint}"
        )
    return value


def _number(entry: Mapping[str, Any], key: str, named: str, finite: bool = True) -> Any:
    value = entry[key]
    if value is None or isinstance(value, (str, bool, Mapping, list, tuple)):
        raise ModelError(f"{place(entry, key)}{named}: {key} must be a number, got {_shown(value)}")
    try:
        scalar = to_scalar(value)
    except OverflowError as error:
        raise ModelError(
            f"{place(entry, key)}{named}: {key} must be finite, got a number too large for a float"
        ) from error
    except (TypeError, ValueError) as error:
        raise ModelError(f"{place(entry, key)}{named}: {key}: {error}") from error
    if is_constant(scalar) and (math.isnan(scalar) or (finite and math.isinf(scalar))):
        raise ModelError(f"{place(entry, key)}{named}: {key} must be finite, got {scalar}")
    return scalar


def _numbers(
    entry: Mapping[str, Any],
    key: str,
    size: int | tuple[int, ...],
    named: str,
    *,
    default: tuple[float, ...] | None = None,
) -> tuple[Any, ...]:
    if key not in entry and default is not None:
        return default
    values, sizes = entry[key], (size,) if isinstance(size, int) else size
    if not isinstance(values, Sequence) or isinstance(values, str) or len(values) not in sizes:
        allowed = " or ".join(str(n) for n in sizes)
        raise ModelError(
            f"{place(entry, key)}{named}: {key} must be a list of {allowed} numbers, "
            f"got {_shown(values)}"
        )
    return tuple(_number({key: value}, key, f"{place(entry, key)}{named}") for value in values)


def _shown(value: Any) -> str:
    """A value for a message, shortened when it is long or deep."""
    return _SHORT.repr(value)


_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 100


def _check_keys(
    entry: Any, known: tuple[str, ...], what: str, required: tuple[str, ...] = ()
) -> None:
    if not isinstance(entry, Mapping):
        raise ModelError(f"{what} must be a mapping with {', '.join(known)}, got {_shown(entry)}")
    for key in entry:
        if key not in known:
            hint = closest(key, known)
            raise ModelError(
                f"{place(entry, key)}{what}: unknown key {key!r}.{hint} Allowed: {', '.join(known)}"
            )
    for key in required:
        if key not in entry:
            raise ModelError(f"{place(entry)}{what}: the key {key!r} is missing")


# --- writing ------------------------------------------------------------------------------


def _body_to_dict(body: Body) -> dict[str, Any]:
    named = f"body {body.name!r}"
    keys = ("xx", "yy", "zz", "xy", "xz", "yz")
    moments = dict(zip(keys, _floats(body.inertia, named), strict=True))
    entry: dict[str, Any] = {
        "name": body.name,
        "mass": _floats([body.mass], named)[0],
        "com": _floats(body.com, named),
        "inertia": moments["zz"] if body.planar_only else moments,
    }
    if body.visuals:
        entry["visuals"] = [_visual_to_dict(visual) for visual in body.visuals]
    return entry


def _visual_to_dict(visual: Visual) -> dict[str, Any]:
    entry: dict[str, Any] = {"shape": visual.shape, "size": list(visual.size)}
    entry |= _pose_entry("placement", visual.placement)
    if visual.mesh is not None:
        entry["mesh"] = str(visual.mesh)
    if visual.color is not None:
        entry["color"] = list(visual.color)
    return entry


def _joint_to_dict(joint: Joint) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": joint.name, "kind": joint.motion.uncoupled.kind}
    axis = getattr(joint.motion, "axis", None)
    if axis is not None:
        entry["axis"] = _floats(axis, f"joint {joint.name!r}")
    if isinstance(joint.motion, Mimic):
        named = f"joint {joint.name!r}: mimic"
        multiplier, offset = _floats([joint.motion.multiplier, joint.motion.offset], named)
        coupling = {"joint": joint.motion.leader, "multiplier": multiplier, "offset": offset}
        entry["mimic"] = coupling
    entry |= {"parent": joint.parent, "child": joint.child}
    entry |= _pose_entry("placement", joint.placement)
    entry |= _pose_entry("child_placement", joint.child_placement)
    for key, value, default in (
        ("limits", joint.limits, Limits()),
        ("friction", joint.friction, Friction()),
    ):
        # Only what is limited: infinity, which stands for no limit, is no number in JSON.
        given = {k: v for k, v in asdict(value).items() if v != getattr(default, k)}
        if given:
            entry[key] = given
    return entry


def _pose_entry(key: str, pose: Pose) -> dict[str, Any]:
    if pose.is_identity:
        return {}
    entry = {"position": _floats(pose.position, key)}
    if not Pose(pose.rotation).is_identity:
        entry["quaternion"] = _floats(pose.rotation.to_quaternion(), key)
    return {key: entry}


def _floats(values: Any, what: str) -> list[float]:
    entries = list(values)
    if not all(is_constant(value) for value in entries):
        raise ModelError(f"{what}: only numbers can be written to a file, got {entries}")
    return [float(value) for value in entries]
