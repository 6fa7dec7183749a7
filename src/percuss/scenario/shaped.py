"""Bodies of a scenario: of a shape, or of mass and inertia."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from percuss.algebra.poses import Pose
from percuss.algebra.scalars import mul, where
from percuss.algebra.vectors import Symmetric3
from percuss.encounter.errors import EncounterError, Path
from percuss.model.bodies import Body, Visual, box, cylinder, disk, sphere
from percuss.model.errors import ModelError
from percuss.scenario.block import Inertia


def planar_body(name: str, given: Any, at: Path) -> Body:
    """A planar body of a shape, or of mass and inertia; `given` has those fields."""
    visuals: tuple[Visual, ...] = ()
    try:
        if given.radius is not None:
            thickness: Any = mul(0.2, given.radius)
            look = Visual("cylinder", (given.radius, thickness))
            shape = _drawn(disk(name, given.radius, given.mass), look)
        elif given.size is not None:
            x, y = given.size
            edges: tuple[Any, ...] = (x, y, mul(0.2, where(y < x, y, x)))
            shape = _drawn(box(name, edges, given.mass), Visual("box", edges))
        else:
            shape = None
        com = getattr(given, "com", None) or (0.0, 0.0)
        if shape is not None:
            visuals = tuple(replace(v, placement=Pose.at(com)) for v in shape.visuals)
        inertia: Any = given.inertia
        if inertia is not None:
            return replace(Body.planar(name, given.mass, inertia.moment, com), visuals=visuals)
        assert shape is not None, "the rules ask for a shape or an inertia"
        return replace(shape, com=Pose.at(com).position, visuals=visuals)
    except ModelError as error:
        raise EncounterError(at, str(error)) from None


def solid_body(name: str, given: Any, mass: float) -> Body:
    """A spatial body of a shape, or of mass and inertia; `given` has those fields.

    Its frame is at its centre of mass.
    """
    if given.shape == "box":
        shape = _drawn(box(name, given.size, mass), Visual("box", tuple(given.size)))
    elif given.shape == "cylinder":
        look = Visual("cylinder", (given.radius, given.length))
        shape = _drawn(cylinder(name, given.radius, given.length, mass), look)
    elif given.shape == "sphere":
        shape = _drawn(sphere(name, given.radius, mass), Visual("sphere", (given.radius,)))
    else:
        looks = () if given.size is None else (Visual("box", tuple(given.size)),)
        return Body(name, mass, inertia=tensor(given.inertia, name), visuals=looks)
    return shape if given.inertia is None else replace(shape, inertia=tensor(given.inertia, name))


def _drawn(body: Body, look: Visual) -> Body:
    """The body with its look, which it has already where its sizes are plain numbers.

    What touches the body's shape needs the shape, whatever kind of scalars its sizes are.
    """
    return body if body.visuals else replace(body, visuals=(look,))


def tensor(inertia: Inertia, name: str) -> Symmetric3:
    """The inertia about the centre of mass.

    Of a planar body it is that of a thin plate with the one moment.
    """
    if inertia.moment is not None:
        return Body.planar(name, 1.0, inertia.moment).inertia
    entries = [getattr(inertia, key) for key in ("xx", "yy", "zz", "xy", "xz", "yz")]
    return Symmetric3(*entries)
