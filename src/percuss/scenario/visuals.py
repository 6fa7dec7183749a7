"""How bodies look that nobody has described: as large as their inertia says."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from percuss.algebra.poses import Pose
from percuss.algebra.rotations import Rotation
from percuss.algebra.scalars import is_constant, mul, total
from percuss.algebra.vectors import Matrix3, Vector3
from percuss.model.bodies import Body, Visual
from percuss.model.planar import PlanarArm

GUESSED = (0.6, 0.62, 0.66, 0.5)
"""Colour of a guess: one can see through it, and it counts as no obstacle."""

GROUND = (0.5, 0.52, 0.56, 0.8)
"""Colour of the mark where an arm is bolted to the world; no obstacle either."""


def ground_mark(arm: PlanarArm) -> Visual:
    """A small plate where an arm is bolted to the world, a tenth as wide as the arm is long."""
    edge: Any = mul(0.1, total(link.length for link in arm.links))
    return Visual("box", (edge, edge, 0.2 * edge), Pose.at(arm.mount), color=GROUND)


def guessed(body: Body) -> Body:
    """The body, with a translucent shape of its inertia's size if it has none.

    In the plane a disk, I = m r²/2; in space the homogeneous box with the same principal
    moments, x² = 6 (b + c − a) / m for the moments a, b, c. A body whose numbers are not known
    gets none.
    """
    numbers = (body.mass, *body.com, *body.inertia)
    if body.visuals or not all(is_constant(number) for number in numbers):
        return body
    mass = float(body.mass)  # type: ignore[arg-type]
    if body.planar_only:
        radius = math.sqrt(2.0 * float(body.inertia.zz) / mass)  # type: ignore[arg-type]
        look = Visual("cylinder", (radius, 0.2 * radius), Pose(position=body.com), color=GUESSED)
        return replace(body, visuals=(look,))
    xx, yy, zz, xy, xz, yz = (float(x) for x in body.inertia)  # type: ignore[arg-type]
    moments, axes = np.linalg.eigh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if np.linalg.det(axes) < 0:
        axes[:, 2] *= -1
    edges = np.sqrt(np.maximum(6.0 * (moments.sum() - 2.0 * moments) / mass, 1e-6))
    rotation = Rotation(Matrix3(*(Vector3(*row) for row in axes.tolist())))
    look = Visual("box", tuple(edges.tolist()), Pose(rotation, body.com), color=GUESSED)
    return replace(body, visuals=(look,))
