"""Files of planar testbeds, which give one moment of inertia for each link."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from percuss.model.merge import RigidPart
from percuss.model.systems import Joint
from percuss.model.urdf.parts import out_of_plane
from percuss.model.urdf.xml import Element
from percuss.model.validation import leaves_plane


def settle_planes(
    parts: Sequence[RigidPart], joints: Sequence[Joint], links: Mapping[str, Element]
) -> tuple[list[RigidPart], bool]:
    """The parts, and whether they make a system that moves in the x-y plane.

    Links whose only moment is about z make a planar system if every joint keeps the plane.
    Otherwise each of them gets the nearest inertia that a body in space can have.
    """
    flat = [part for part in parts if part.body is not None and part.body.planar_only]
    if not flat:
        return list(parts), False
    if any(leaves_plane(joint) for joint in joints):
        return [out_of_plane(part, links[part.name]) if part in flat else part for part in parts], (
            False
        )
    first = links[flat[0].name].needed("inertial")
    named = ", ".join(repr(part.name) for part in flat)
    read = f"no moment of inertia but izz, of {named}"
    problem = f"gives {read}: that is a body in the plane, not one in space"
    first.log.change(first, problem, read, "a planar system, in the x-y plane of the root link")
    return list(parts), True
