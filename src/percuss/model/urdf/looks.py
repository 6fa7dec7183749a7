"""How the links of a URDF look; nothing of it matters to the motion, so nothing is refused."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import unquote

from percuss.model.bodies import Visual
from percuss.model.errors import ModelError
from percuss.model.urdf.elements import look_inside, read_origin
from percuss.model.urdf.xml import Element

Color = tuple[float, float, float, float]

_SHAPES = ("box", "cylinder", "sphere", "mesh")


def read_colors(robot: Element) -> dict[str, Color]:
    """Every material that is given a colour anywhere, by name; links refer to them so."""
    colors: dict[str, Color] = {}
    for element in (robot, *(v for link in robot.all("link") for v in link.all("visual"))):
        for material in element.all("material"):
            color = _own_color(material)
            if color is not None and "name" in material.attributes:
                colors.setdefault(material.attributes["name"], color)
    return colors


def read_visuals(
    link: Element, colors: dict[str, Color], folder: Path | None
) -> tuple[Visual, ...]:
    """The shapes of a link in its own frame; one that makes no sense is left out and noted."""
    visuals: list[Visual] = []
    for element in link.all("visual"):
        try:
            visual = _visual(element, colors, folder)
        except ModelError as error:
            _, _, reason = str(error).rpartition(": ")
            link.log.change(element, error, f"a shape that cannot be read ({reason})", "no shape")
            continue
        if visual is not None:
            visuals.append(visual)
    return tuple(visuals)


def _visual(element: Element, colors: dict[str, Color], folder: Path | None) -> Visual | None:
    look_inside(element, ("origin", "geometry", "material"))
    geometry = element.needed("geometry")
    look_inside(geometry, _SHAPES)
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
        mesh = _mesh(shape, folder)
    material = element.only("material")
    color = None
    if material is not None:
        name = material.attributes.get("name", "")
        color = _own_color(material) or colors.get(name)
    return Visual(
        shape=shape.tag, size=size, placement=read_origin(element), mesh=mesh, color=color
    )


def _own_color(material: Element) -> Color | None:
    color = material.only("color")
    if color is None:
        return None
    try:
        r, g, b, alpha = color.numbers("rgba", 4, "red green blue alpha in 0…1")
    except ModelError as error:
        read = f"rgba={color.attributes.get('rgba')!r}"
        material.log.change(color, error, read, "no colour")
        return None
    return r, g, b, alpha


def _mesh(shape: Element, folder: Path | None) -> Path:
    """Where the mesh is, or would be: beside the URDF or, for a package, in a folder above."""
    filename = shape.text("filename")
    scheme, separator, rest = filename.partition("://")
    name = unquote(rest) if separator else filename
    if folder is None:
        return Path(name)
    folder = folder.absolute()
    candidates = [folder / name]
    if separator and scheme != "file":
        inside = name.partition("/")[2] or name
        places = (folder, *folder.parents)
        candidates = [place / path for place in places for path in (inside, name)]
    for candidate in candidates:
        # os.path answers False where pathlib would raise, as for a name that is too long.
        if os.path.isfile(candidate):
            return candidate
    shape.log.missing_mesh(shape, filename)
    return candidates[0]
