"""Links of a URDF: mass, inertia and looks."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from percuss.algebra.poses import Pose
from percuss.algebra.vectors import Symmetric3
from percuss.model.bodies import Body, Visual
from percuss.model.errors import ModelError
from percuss.model.merge import Part
from percuss.model.urdf.xml import Element

Color = tuple[float, float, float, float]


@dataclass
class Findings:
    """What the whole file shares: colours by material name, and what will be in the notice."""

    folder: Path | None
    colors: dict[str, Color] = field(default_factory=dict)
    ignored: Counter[str] = field(default_factory=Counter)
    missing_meshes: dict[str, None] = field(default_factory=dict)

    def ignore_others(self, element: Element, known: tuple[str, ...]) -> None:
        """Count the elements inside that are not known; refuse those that are dynamics.

        Of those that are known the attributes are checked.
        """
        for child in element.children:
            if child.tag in known:
                if child.tag in _ATTRIBUTES:
                    child.check_attributes(_ATTRIBUTES[child.tag])
                continue
            if child.tag.startswith("xacro:"):
                raise child.error("is a macro, not URDF. Expand the file with xacro first")
            _refuse_dynamics(child)
            self.ignored[f"<{child.tag}>"] += 1

    def notice(self) -> str:
        """What was left out, on one line; empty when nothing was."""
        items = [f"{n} × {what}" if n > 1 else what for what, n in self.ignored.items()]
        if self.missing_meshes:
            items.append(f"meshes that were not found: {', '.join(self.missing_meshes)}")
        return "; ".join(items)


_ATTRIBUTES = {
    "link": ("name", "type"),
    "joint": ("name", "type"),
    "parent": ("link",),
    "child": ("link",),
    "origin": ("xyz", "rpy"),
    "axis": ("xyz",),
    "limit": ("lower", "upper", "effort", "velocity"),
    "dynamics": ("damping", "friction"),
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


def _refuse_dynamics(element: Element) -> None:
    """An element is left out only if nothing in it, as in <gazebo>, changes the dynamics."""
    rest = [element]
    while rest:
        inner = rest.pop()
        if inner.tag.split(":")[-1].lower() in _DYNAMIC:
            raise inner.error(
                "changes the dynamics and is not supported; a tree of rigid bodies with "
                "independent joints is. Remove the element to read the rest"
            )
        rest += reversed(inner.children)


def read_part(link: Element, findings: Findings) -> Part:
    """A link as a body in its own frame, or as a part without mass."""
    findings.ignore_others(link, ("inertial", "visual", "collision"))
    visuals = [_visual(element, findings) for element in link.all("visual")]
    seen = tuple(visual for visual in visuals if visual is not None)
    return Part(link.text("name"), _body(link, findings), seen)


def read_origin(element: Element) -> Pose:
    """<origin xyz rpy>: m and rad, Rz(yaw) Ry(pitch) Rx(roll); the identity without it."""
    origin = element.only("origin")
    if origin is None:
        return Pose.identity()
    xyz = origin.numbers("xyz", 3, "x y z in m", (0.0, 0.0, 0.0))
    rpy = origin.numbers("rpy", 3, "roll pitch yaw in rad", (0.0, 0.0, 0.0))
    return Pose.at(xyz, rpy=rpy)


def read_colors(robot: Element, findings: Findings) -> None:
    """Every material that is given a colour anywhere; links refer to them by name."""
    for element in (robot, *(v for link in robot.all("link") for v in link.all("visual"))):
        for material in element.all("material"):
            color = _own_color(material)
            if color is not None and "name" in material.attributes:
                findings.colors.setdefault(material.attributes["name"], color)


def _body(link: Element, findings: Findings) -> Body | None:
    inertial = link.only("inertial")
    if inertial is None:
        return None
    findings.ignore_others(inertial, ("origin", "mass", "inertia"))
    placement = read_origin(inertial)
    mass = inertial.needed("mass").number("value", "kg")
    inertia = inertial.only("inertia")
    if inertia is None:
        if mass == 0:
            return None
        raise inertial.error(
            "has no <inertia>; it must have ixx, iyy, izz (kg m², about the centre of mass)"
        )
    unit = "kg m², about the centre of mass"
    diagonal = [inertia.number(name, unit) for name in ("ixx", "iyy", "izz")]
    products = [inertia.number(name, unit, 0.0) for name in ("ixy", "ixz", "iyz")]
    if mass == 0:
        if any(diagonal) or any(products):
            raise inertial.error("mass is 0 kg but the inertia is not; no body has that")
        return None
    tensor = placement.rotation.conjugate(Symmetric3(*diagonal, *products).matrix())
    try:
        return Body(link.text("name"), mass, placement.position, Symmetric3.of(tensor))
    except ModelError as error:
        raise ModelError(f"{inertial.place}: link {link.text('name')!r}: {error}") from error


def _visual(element: Element, findings: Findings) -> Visual | None:
    findings.ignore_others(element, ("origin", "geometry", "material"))
    geometry = element.needed("geometry")
    findings.ignore_others(geometry, _SHAPES)
    shapes = [child for child in geometry.children if child.tag in _SHAPES]
    if not shapes:
        return None
    shape, mesh = shapes[0], None
    if shape.tag == "box":
        size = shape.numbers("size", 3, "x y z in m")
    elif shape.tag == "cylinder":
        size = (shape.number("radius", "m"), shape.number("length", "m"))
    elif shape.tag == "sphere":
        size = (shape.number("radius", "m"),)
    else:
        size = shape.numbers("scale", 3, "x y z", (1.0, 1.0, 1.0))
        mesh = _mesh(shape.text("filename"), findings)
    material = element.only("material")
    color = None
    if material is not None:
        name = material.attributes.get("name", "")
        color = _own_color(material) or findings.colors.get(name)
    return Visual(shape.tag, size, read_origin(element), mesh, color)


_SHAPES = ("box", "cylinder", "sphere", "mesh")


def _own_color(material: Element) -> Color | None:
    color = material.only("color")
    if color is None:
        return None
    r, g, b, alpha = color.numbers("rgba", 4, "red green blue alpha in 0…1")
    return r, g, b, alpha


def _mesh(filename: str, findings: Findings) -> Path:
    """Where the mesh is, or would be: beside the URDF or, for a package, in a folder above."""
    scheme, separator, rest = filename.partition("://")
    name = unquote(rest) if separator else filename
    if findings.folder is None:
        return Path(name)
    folder = findings.folder.absolute()
    candidates = [folder / name]
    if separator and scheme != "file":
        inside = name.partition("/")[2] or name
        places = (folder, *folder.parents)
        candidates = [place / path for place in places for path in (inside, name)]
    for candidate in candidates:
        # os.path answers False where pathlib would raise, as for a name that is too long.
        if os.path.isfile(candidate):
            return candidate
    findings.missing_meshes[filename] = None
    return candidates[0]
