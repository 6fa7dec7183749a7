"""Bodies that are a shape: whose inertia is that of the solid they are drawn with."""

from __future__ import annotations

import numpy as np

from percuss.algebra.rotations import Rotation
from percuss.algebra.vectors import Symmetric3
from percuss.impact.surfaces import is_solid
from percuss.model.bodies import Body, Visual, box, cylinder, disk, sphere
from percuss.model.checks import known

SAME = 1e-9
"""Share of its size by which an inertia may differ from a shape's and still be the shape's."""


def is_shape(body: Body) -> bool:
    """Whether a body's inertia (kg m²) is that of its one solid shape, filled with its mass (kg).

    Then it follows the mass; an inertia that was given does not.
    """
    solid = [visual for visual in body.visuals if is_solid(visual)]
    if len(solid) != 1 or not all(known(x) for x in (body.mass, *body.com, *body.inertia)):
        return False
    shape = solid[0]
    own = _matrix(body.inertia)
    size = SAME * float(np.abs(own).max())
    centre = np.array([float(x) for x in shape.placement.position])  # type: ignore[arg-type]
    com = np.array([float(x) for x in body.com])  # type: ignore[arg-type]
    if np.abs(centre - com).max() > SAME * (1.0 + max(shape.size)):
        return False
    turn = _array(shape.placement.rotation)
    for filled in _filled(shape, float(body.mass)):  # type: ignore[arg-type]
        apart = np.abs(turn @ _matrix(filled.inertia) @ turn.T - own)
        if (apart[2, 2] if body.planar_only else apart.max()) <= size:
            return True
    return False


def _filled(shape: Visual, mass: float) -> list[Body]:
    """The bodies that are drawn like this: a thin disk has a fifth of its radius in a picture."""
    if shape.shape == "sphere":
        return [sphere("shape", shape.size[0], mass)]
    if shape.shape == "box":
        return [box("shape", shape.size, mass)]
    radius, length = shape.size
    thin = [disk("shape", radius, mass)]
    is_thin = abs(length - 0.2 * radius) <= SAME * radius
    return [cylinder("shape", radius, length, mass), *(thin if is_thin else [])]


def _array(rotation: Rotation) -> np.ndarray:
    return np.array(rotation.array(), float)


def _matrix(inertia: Symmetric3) -> np.ndarray:
    return np.array(inertia.array(), float)
