"""Which elements and attributes of a URDF are read, and what becomes of the others."""

from __future__ import annotations

from percuss.algebra.poses import Pose
from percuss.model.urdf.xml import Element

_ATTRIBUTES = {
    "link": ("name", "type"),
    "joint": ("name", "type"),
    "parent": ("link",),
    "child": ("link",),
    "origin": ("xyz", "rpy"),
    "axis": ("xyz",),
    "limit": ("lower", "upper", "effort", "velocity"),
    "dynamics": ("damping", "friction"),
    "mimic": ("joint", "multiplier", "offset"),
    "mass": ("value",),
    "inertia": ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"),
}
"""What the elements that matter to the dynamics may have."""

_DYNAMIC = {
    # loops and couplings
    "mimic",
    "loop_joint",
    "ball_constraint",
    # springs
    "force_element",
    "linear_spring_damper",
    "linear_bushing_rpy",
    "springstiffness",
    "spring_stiffness",
    "springreference",
    "spring_reference",
    # inertia of motors
    "armature",
    "rotorinertia",
    "rotor_inertia",
}
"""Elements of the usual dialects that a tree of rigid bodies cannot stand for, in lower case."""


def look_inside(element: Element, known: tuple[str, ...]) -> None:
    """Note what is inside an element and not known, and attributes that are not known."""
    log = element.log
    for child in element.children:
        if child.tag in known:
            if child.tag in _ATTRIBUTES:
                log.unknown_attributes(child, _ATTRIBUTES[child.tag])
        elif child.tag.startswith("xacro:"):
            raise child.error("is a macro, not URDF. Expand the file with xacro first")
        elif not _note_dynamics(child):
            log.leave_out(child)


def _note_dynamics(element: Element) -> bool:
    """Note the elements in this one, itself included, that would change the dynamics."""
    rest, found = [element], False
    while rest:
        inner = rest.pop()
        if inner.tag.split(":")[-1].lower() in _DYNAMIC:
            found = True
            problem = (
                "changes the dynamics and is not supported; a tree of rigid bodies whose joints "
                "are independent or follow another is"
            )
            values = "".join(f" {key}={value!r}" for key, value in inner.attributes.items())
            element.log.change(
                inner, problem, f"<{inner.tag}{values}>", "nothing: it has no effect"
            )
        rest += reversed(inner.children)
    return found


def read_origin(element: Element) -> Pose:
    """<origin xyz rpy>: m and rad, Rz(yaw) Ry(pitch) Rx(roll); the identity without it."""
    origin = element.only("origin")
    if origin is None:
        return Pose.identity()
    xyz = origin.numbers("xyz", 3, "x y z in m", (0.0, 0.0, 0.0))
    rpy = origin.numbers("rpy", 3, "roll pitch yaw in rad", (0.0, 0.0, 0.0))
    return Pose.at(xyz, rpy=rpy)
