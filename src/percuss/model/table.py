"""A system as a text table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from percuss.algebra.inertias import principal_moments
from percuss.algebra.scalars import is_constant

if TYPE_CHECKING:
    from percuss.algebra.poses import Pose
    from percuss.model.bodies import Body
    from percuss.model.systems import Joint, System


def system_table(system: System) -> str:
    """Bodies, joints and frames with masses, placements and limits, with units."""
    masses = [body.mass for body in system.bodies]
    mass = f"{sum(masses):.6g} kg" if all(is_constant(m) for m in masses) else "symbolic mass"  # type: ignore[arg-type]
    shape = "planar" if system.is_planar else "spatial"
    freedom = f"{system.rate_count} degrees of freedom"
    title = f"{system.name}: {shape}, base {system.mode}, {freedom}, {mass}"
    parts = [title]
    if system.source:
        parts.append(f"source: {system.source}")
    if any(not (is_constant(g) and g == 0) for g in system.gravity):
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
    rows = [
        [
            joint.name,
            joint.motion.kind,
            f"{joint.parent} → {joint.child}",
            _vector(axis) if (axis := getattr(joint.motion, "axis", None)) else "",
            _pose(joint.placement),
            _limits(joint),
        ]
        for joint in joints
    ]
    return text_table(["joint", "kind", "parent → child", "axis", "placed at m", "limits"], rows)


def _limits(joint: Joint) -> str:
    limits = joint.limits
    angular = joint.motion.rate_units[:1] == ("rad/s",)
    position, effort = ("rad", "N m") if angular else ("m", "N")
    parts: list[str] = []
    if math.isfinite(limits.lower) or math.isfinite(limits.upper):
        parts.append(f"{limits.lower:.4g}…{limits.upper:.4g} {position}")
    if math.isfinite(limits.speed):
        parts.append(f"{limits.speed:.4g} {position}/s")
    if math.isfinite(limits.effort):
        parts.append(f"{limits.effort:.4g} {effort}")
    return ", ".join(parts)


def _frames(system: System) -> str:
    rows = [[frame.name, frame.body, _pose(frame.placement)] for frame in system.frames]
    return text_table(["frame", "on body", "placed at m"], rows)


def _pose(pose: Pose) -> str:
    angles = [*pose.rotation.to_rpy()]
    turned = any(not (is_constant(angle) and angle == 0) for angle in angles)
    turn = f" rpy {_vector(angles)} rad" if turned else ""
    return _vector(pose.position) + turn


def _vector(values: Any) -> str:
    return "(" + ", ".join(_number(value) for value in values) + ")"


def _number(value: Any) -> str:
    # Adding zero turns -0.0 into 0.0.
    return f"{value + 0.0:.6g}" if is_constant(value) else str(value)
