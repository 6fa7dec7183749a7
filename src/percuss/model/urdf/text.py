"""Values and elements as URDF text."""

from __future__ import annotations

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
    return tag("origin", xyz=xyz, rpy=numbers(pose.rotation.to_rpy(), what))
