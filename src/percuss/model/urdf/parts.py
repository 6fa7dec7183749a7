"""Links of a URDF: mass, inertia and looks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from percuss.algebra.poses import Pose
from percuss.algebra.scalars import Scalar
from percuss.algebra.vectors import Symmetric3, Vector3
from percuss.model.bodies import Body
from percuss.model.checks import beyond
from percuss.model.errors import ModelError
from percuss.model.merge import RigidPart
from percuss.model.repair import nearest_physical_inertia, principal_moments, relative_change
from percuss.model.urdf.elements import look_inside, read_origin
from percuss.model.urdf.looks import Color, read_visuals
from percuss.model.urdf.xml import Element

_UNIT = "kg m², about the centre of mass"
_ENTRIES = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")


def read_part(link: Element, colors: dict[str, Color], folder: Path | None) -> RigidPart:
    """A link as a body in its own frame, or as a part without mass."""
    look_inside(link, ("inertial", "visual", "collision"))
    body = None
    with link.log.going_on():
        body = _body(link)
    return RigidPart(link.text("name"), body, read_visuals(link, colors, folder))


def _body(link: Element) -> Body | None:
    inertial = link.only("inertial")
    if inertial is None:
        return None
    look_inside(inertial, ("origin", "mass", "inertia"))
    log, mass, tensor = link.log, 0.0, Symmetric3.zero()
    placement = Pose.identity()
    with log.going_on():
        placement = read_origin(inertial)
    with log.going_on():
        mass = inertial.needed("mass").number("value", "kg")
    with log.going_on():
        tensor = _tensor(inertial, mass)
    if mass == 0:
        if any(tensor):
            problem = "mass is 0 kg but the inertia is not; no body has that"
            log.change(inertial, problem, f"mass 0 kg, inertia {_moments(tensor)}", "no mass")
        return None
    turned = Symmetric3.of(placement.rotation.conjugate(tensor.matrix()))
    if _is_flat(turned):
        return Body.planar(link.text("name"), mass, turned.zz, placement.position)
    return _physical(link, inertial, mass, placement.position, tensor=turned)


def _tensor(inertial: Element, mass: float) -> Symmetric3:
    inertia = inertial.only("inertia")
    if inertia is None:
        if mass != 0:
            problem = (
                "has no <inertia>; it must have ixx, iyy, izz (kg m², about the centre of mass)"
            )
            used = "a point mass, with no inertia about its centre"
            inertial.log.change(inertial, problem, "a mass and no <inertia>", used)
        return Symmetric3.zero()
    diagonal = [inertia.number(name, _UNIT) for name in _ENTRIES[:3]]
    products = [inertia.number(name, _UNIT, 0.0) for name in _ENTRIES[3:]]
    # Too large a number is a slip, not an inertia to mend; turned about, it would overflow.
    for name, entry in zip(_ENTRIES, (*diagonal, *products), strict=True):
        if too_large := beyond(entry):
            raise ModelError(f"{inertia.place}: {name} must be finite{too_large}, got {entry!r}")
    return Symmetric3(*diagonal, *products)


def _physical(
    link: Element, inertial: Element, mass: Scalar, com: Vector3, *, tensor: Symmetric3
) -> Body:
    """The body, with the nearest physical inertia if no mass can have the one that was read."""
    name = link.text("name")
    # With its mass in order, what is wrong can only be the inertia.
    try:
        body = Body(name, mass, com)
    except ModelError as error:
        raise ModelError(f"{inertial.place}: link {name!r}: {error}") from error
    try:
        return replace(body, inertia=tensor)
    except ModelError as error:
        problem = ModelError(f"{inertial.place}: link {name!r}: {error}")
        nearest = nearest_physical_inertia(tensor)
        used = f"the nearest that is physical, {_moments(nearest)}, {_distance(tensor, nearest)}"
        inertial.log.change(inertial, problem, _moments(tensor), used)
        return replace(body, inertia=nearest)


def out_of_plane(part: RigidPart, link: Element) -> RigidPart:
    """A part that knows its moment about z alone, as a body that may leave the plane."""
    assert part.body is not None, "only a body knows a moment"
    moment = part.body.inertia.zz
    given = Symmetric3(0.0, 0.0, moment)
    body = _physical(link, link.needed("inertial"), part.body.mass, part.body.com, tensor=given)
    return replace(part, body=body)


def _is_flat(tensor: Symmetric3) -> bool:
    """Whether only the moment about z is given, as files of planar testbeds do."""
    others = (tensor.xx, tensor.yy, tensor.xy, tensor.xz, tensor.yz)
    return tensor.zz > 0 and all(entry == 0 for entry in others)


def _moments(tensor: Symmetric3) -> str:
    return "principal moments {:.6g}, {:.6g}, {:.6g} kg m²".format(*principal_moments(tensor))


def _distance(before: Symmetric3, after: Symmetric3) -> str:
    return f"{100 * relative_change(before, after):.3g} % away"
