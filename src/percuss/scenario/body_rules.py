"""What the descriptions of bodies ask of their keys."""

from __future__ import annotations

from collections.abc import Iterator

from percuss.encounter.errors import Path, shown
from percuss.scenario.block import Inertia, Orientation
from percuss.scenario.errors import Problem
from percuss.scenario.target import Target
from percuss.scenario.vehicle import Base


def body_rules(body: Base | Target, at: Path, shapes: tuple[str, ...]) -> Iterator[Problem]:
    """A shape with its sizes, or mass and inertia."""
    if body.mass is None:
        what = "a mass in kg > 0" + ("" if isinstance(body, Base) else ", or an object")
        yield Problem((*at, "mass"), f"is missing. Give mass: {what}")
    shape = body.shape
    if shape is not None and shape not in shapes:
        yield Problem((*at, "shape"), f"must be one of {', '.join(shapes)}, got {shown(shape)}")
        return
    if shape is None and body.inertia is None:
        allowed = ", ".join(shapes)
        yield Problem(
            (*at, "inertia"),
            f"is missing. Give inertia in kg m^2 about the centre of mass, or a shape ({allowed})",
        )
    needs = {
        "disk": ("radius",),
        "box": ("size",),
        "cylinder": ("radius", "length"),
        "sphere": ("radius",),
        None: (),
    }
    for key in needs[shape]:
        if not body.given(key):
            yield Problem((*at, key), f"is missing: shape {shape} needs {key} in m")
    for key in ("radius", "length", "size"):
        if shape is not None and key in body.keys() and body.given(key) and key not in needs[shape]:  # noqa: SIM118
            value = shown(getattr(body, key))
            yield Problem((*at, key), f"does not belong to shape {shape}, got {value}")
    if body.inertia is not None:
        yield from inertia_rules(body.inertia, (*at, "inertia"))


def inertia_rules(inertia: Inertia, at: Path) -> Iterator[Problem]:
    given = [key for key in ("xx", "yy", "zz") if inertia.given(key)]
    others = [key for key in ("xy", "xz", "yz") if inertia.given(key)]
    if inertia.moment is not None and given + others:
        yield Problem(at, f"must be one number or a tensor, got both: {', '.join(given + others)}")
    if inertia.moment is None and len(given) < 3:
        missing = [key for key in ("xx", "yy", "zz") if key not in given]
        got = ", ".join(given + others) or "nothing"
        yield Problem(
            at,
            f"must be a number (planar) or a mapping with xx, yy, zz in kg m^2 (spatial): "
            f"{', '.join(missing)} missing, got {got}",
        )


def orientation_rules(orientation: Orientation, at: Path) -> Iterator[Problem]:
    """A quaternion that is not zero, or roll, pitch and yaw."""
    quaternion = orientation.quaternion
    if (quaternion is None) == (orientation.rpy is None):
        got = "both" if quaternion is not None else "neither"
        yield Problem(at, f"must be a quaternion [w, x, y, z] or have rpy: […] in rad, got {got}")
    if quaternion is not None and sum(x * x for x in quaternion) < 1e-12:
        yield Problem(at, f"the quaternion must not be zero, got {shown(list(quaternion))}")
