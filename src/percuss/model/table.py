"""A system as a text table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from percuss.algebra.inertias import principal_moments
from percuss.algebra.scalars import is_constant
from percuss.model.couplings import followed
from percuss.model.joints import Mimic

if TYPE_CHECKING:
    from percuss.algebra.poses import Pose
    from percuss.model.bodies import Body
    from percuss.model.systems import Joint, System


def system_table(system: System) -> str:
    """Bodies, joints and frames with masses, placements and limits, with units."""
    masses = [body.mass for body in system.bodies]
    mass = f"{sum(masses):.6g} kg" if all(is_constant(m) for m in masses) else "mass not constant"
    shape = "planar" if system.is_planar else "spatial"
    count = system.rate_count
    freedom = f"{count} degree{'' if count == 1 else 's'} of freedom"
    title = f"{system.name}: {shape}, base {system.mode}, {freedom}, {mass}"
    parts = [title]
    if system.source:
        parts.append(f"source: {system.source}")
    if not all(_is_zero(g) for g in system.gravity):
        parts.append(f"gravity {_vector(system.gravity)} m/s²")
    parts += ["", _bodies(system.bodies), "", _joints(system.joints)]
    if system.frames:
        parts += ["", _frames(system)]
    return "\n".join(parts)


def text_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns aligned with two spaces between them and a rule below the header."""
    lines = [list(header), *(list(row) for row in rows)]
    widths = [max(len(line[k]) for line in lines) for k in range(len(header))]
    rule = ["─" * width for width in widths]
    lines.insert(1, rule)
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def _bodies(bodies: Sequence[Body]) -> str:
    rows = [[b.name, _number(b.mass), _vector(b.com), _moments(b)] for b in bodies]
    return text_table(["body", "mass kg", "centre of mass m", "principal moments kg m²"], rows)


def _moments(body: Body) -> str:
    if not all(is_constant(entry) for entry in body.inertia):
        return ", ".join(_number(entry) for entry in list(body.inertia)[:3]) + " (xx, yy, zz)"
    if body.planar_only:
        return f"{_number(body.inertia.zz)} about z"
    return ", ".join(_number(moment) for moment in principal_moments(body.inertia))


def _joints(joints: Sequence[Joint]) -> str:
    columns = {
        "joint": [joint.name for joint in joints],
        "kind": [joint.motion.uncoupled.kind for joint in joints],
        "parent → child": [f"{joint.parent} → {joint.child}" for joint in joints],
        "axis": [_axis(joint) for joint in joints],
        "placed at m": [_pose(joint.placement) for joint in joints],
        "child placed at m": [_child_placement(joint) for joint in joints],
        "coupling": [_coupling(joint) for joint in joints],
        "limits": [_limits(joint) for joint in joints],
        "friction": [_friction(joint) for joint in joints],
    }
    for rare in ("child placed at m", "coupling", "friction"):
        if not any(columns[rare]):
            del columns[rare]
    return text_table(list(columns), list(zip(*columns.values(), strict=True)))


def _axis(joint: Joint) -> str:
    axis = getattr(joint.motion, "axis", None)
    return _vector(axis) if axis else ""


def _child_placement(joint: Joint) -> str:
    return "" if joint.child_placement.is_identity else _pose(joint.child_placement)


def _coupling(joint: Joint) -> str:
    return followed(joint.motion) if isinstance(joint.motion, Mimic) else ""


def _friction(joint: Joint) -> str:
    friction = joint.friction
    force, rate = ("N m", "rad/s") if _turns(joint) else ("N", "m/s")
    parts: list[str] = []
    if not _is_zero(friction.viscous):
        parts.append(f"viscous {_number(friction.viscous)} {force} s/{rate.removesuffix('/s')}")
    if not _is_zero(friction.coulomb):
        parts.append(
            f"dry {_number(friction.coulomb)} {force} above {_number(friction.smoothing)} {rate}"
        )
    return ", ".join(parts)


def _limits(joint: Joint) -> str:
    limits = joint.limits
    position, effort = ("rad", "N m") if _turns(joint) else ("m", "N")
    parts: list[str] = []
    if _is_limited(limits.lower) or _is_limited(limits.upper):
        lower, upper = _end(limits.lower, "−∞"), _end(limits.upper, "∞")
        parts.append(f"{lower}…{upper} {position}")
    if _is_limited(limits.speed):
        parts.append(f"{_number(limits.speed, 4)} {position}/s")
    if _is_limited(limits.effort):
        parts.append(f"{_number(limits.effort, 4)} {effort}")
    return ", ".join(parts)


def _end(value: Any, without: str) -> str:
    return _number(value, 4) if _is_limited(value) else without


def _turns(joint: Joint) -> bool:
    return joint.motion.uncoupled.rate_units[:1] == ("rad/s",)


def _is_limited(value: Any) -> bool:
    return not (is_constant(value) and math.isinf(value))


def _is_zero(value: Any) -> bool:
    return is_constant(value) and value == 0


def _frames(system: System) -> str:
    rows = [[frame.name, frame.body, _pose(frame.placement)] for frame in system.frames]
    return text_table(["frame", "on body", "placed at m"], rows)


def _pose(pose: Pose) -> str:
    angles = [_plain_angle(angle) for angle in pose.rotation.to_rpy()]
    turn = "" if all(_is_zero(angle) for angle in angles) else f" rpy {_vector(angles)} rad"
    return _vector(pose.position) + turn


def _plain_angle(angle: Any) -> Any:
    """Without what rounding does: zero for almost zero, half a turn with one sign."""
    if not is_constant(angle):
        return angle
    if abs(angle) < 1e-9:
        return 0.0
    return math.pi if abs(abs(angle) - math.pi) < 1e-9 else angle


def _vector(values: Any) -> str:
    return "(" + ", ".join(_number(value) for value in values) + ")"


def _number(value: Any, digits: int = 6) -> str:
    # Adding zero turns -0.0 into 0.0.
    return f"{value + 0.0:.{digits}g}" if is_constant(value) else str(value)
