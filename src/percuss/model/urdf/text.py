"""Values and elements as URDF text."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from xml.sax.saxutils import quoteattr

from percuss.algebra.poses import Pose
from percuss.algebra.rotations import Rotation
from percuss.algebra.scalars import Scalar, is_constant
from percuss.model.errors import ModelError


def tag(name: str, inside: Sequence[str] = (), /, **attributes: str) -> list[str]:
    """An element as lines: `<name a="…"/>`, or with lines inside, indented."""
    opening = name
    for key, value in attributes.items():
        # XML has no way to write the other control characters.
        if any(ord(c) < 32 and c not in "\t\n\r" for c in value):
            raise ModelError(f"{value!r} has a control character, which XML cannot hold")
        opening += f" {key}={quoteattr(value)}"
    if not inside:
        return [f"<{opening}/>"]
    return [f"<{opening}>", *(f"  {line}" for line in inside), f"</{name}>"]


def number(value: Scalar, what: str) -> str:
    """All the digits of a plain number."""
    if not is_constant(value):
        raise ModelError(
            f"{what} is {value}, not a plain number, and URDF holds nothing else. Put numbers in "
            "with system.with_parameters({...}) first"
        )
    return repr(float(value))


def numbers(values: Iterable[Scalar], what: str) -> str:
    """Plain numbers with blanks between them."""
    return " ".join(number(value, what) for value in values)


def origin(pose: Pose, what: str) -> list[str]:
    """<origin xyz rpy> in m and rad; nothing for the identity."""
    if pose.is_identity:
        return []
    entries = numbers((x for row in pose.rotation.matrix.rows for x in row), what)
    xyz = numbers(pose.position, what)
    if entries == numbers((x for row in Rotation.identity().matrix.rows for x in row), what):
        return tag("origin", xyz=xyz)
    return tag("origin", xyz=xyz, rpy=numbers(roll_pitch_yaw(pose.rotation), what))


def roll_pitch_yaw(rotation: Rotation) -> tuple[float, float, float]:
    """(roll, pitch, yaw) in rad, of constants, that give the rotation back to rounding.

    Near pitch ±90° roll and yaw are each poorly determined by rounded entries, but together
    they are not: roll is taken from what is left once the yaw that was found is undone.
    """
    rows = [[float(x) for x in row] for row in rotation.matrix.rows]  # type: ignore[arg-type]
    (xx, xy, xz), (yx, yy, yz), (zx, _, _) = rows
    yaw = math.atan2(yx, xx)
    c, s = math.cos(yaw), math.sin(yaw)
    pitch = math.atan2(-zx, c * xx + s * yx)
    roll = math.atan2(s * xz - c * yz, c * yy - s * xy)
    return roll, pitch, yaw
