"""Surfaces of bodies: which solid a body is, from how it is drawn."""

from __future__ import annotations

import numpy as np

from percuss.algebra.poses import Pose
from percuss.algebra.vectors import Vector3
from percuss.impact.shapes import Box, Cylinder, Disk, HalfSpace, Sphere, Surface
from percuss.model.bodies import Body, Visual
from percuss.model.errors import ModelError

__all__ = ["Box", "Cylinder", "Disk", "HalfSpace", "Sphere", "Surface", "is_solid", "surface_of"]


def is_solid(visual: Visual) -> bool:
    """Whether a shape is the body's own: no mesh, and not translucent as a guess is."""
    return visual.shape != "mesh" and (visual.color is None or visual.color[3] >= 1.0)


def surface_of(body: Body, planar: bool = False) -> Surface:
    """The surface of a body (body frame, m), from the one solid shape that it is drawn with.

    With `planar` its outline in the x-y plane: a disk or a rectangle. ModelError where the body
    has no solid shape, or several, or one that has no such outline.
    """
    named = f"body {body.name!r}"
    solid = [visual for visual in body.visuals if is_solid(visual)]
    if len(solid) != 1:
        drawn = ", ".join(visual.shape for visual in body.visuals) or "nothing"
        raise ModelError(
            f"{named}: a surface needs one solid shape (sphere, box or cylinder; meshes and "
            f"translucent shapes do not count), got {len(solid)}; it is drawn with: {drawn}"
        )
    try:
        return _outline(solid[0]) if planar else _solid(solid[0])
    except ModelError as error:
        raise ModelError(f"{named}: {error}") from None


def _solid(visual: Visual) -> Surface:
    if visual.shape == "sphere":
        return Sphere(visual.size[0], visual.placement.position)
    if visual.shape == "box":
        return Box(visual.size, visual.placement)
    return Cylinder(visual.size[0], visual.size[1], visual.placement)


def _outline(visual: Visual) -> Surface:
    """In the x-y plane: the shape seen along z, which one of its axes must be parallel to."""
    center = visual.placement.position
    flat = Vector3(center.x, center.y, 0.0)
    if visual.shape == "sphere":
        return Disk(visual.size[0], flat)
    columns = np.array(visual.placement.rotation.array(), float).T
    upright = int(np.argmax(np.abs(columns[:, 2])))
    if visual.shape == "cylinder":
        radius, length = visual.size
        if abs(columns[2, 2]) > 1.0 - 1e-12:
            return Disk(radius, flat)
        # A cylinder is round about z: seen from the side it is a rectangle.
        along, width, leans = columns[2], (length, 2.0 * radius), abs(columns[2, 2]) > 1e-6
    else:
        first, second = (k for k in range(3) if k != upright)
        along, width = columns[first], (visual.size[first], visual.size[second])
        leans = abs(columns[upright, 2]) < 1.0 - 1e-12
    if leans:
        raise ModelError(
            f"a {visual.shape} of a planar body must have an axis along z to have an outline in "
            f"the plane, got the axes {np.round(columns, 6).tolist()} in the body frame"
        )
    angle = float(np.arctan2(along[1], along[0]))
    return Box(width, Pose.planar(center.x, center.y, angle))
