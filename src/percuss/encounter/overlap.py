"""Bodies that are inside each other when chaser and target touch.

Two convex shapes A and B are apart if some direction d has max_A a·d < min_B b·d. The smallest
h_A(d) + h_B(−d) over unit d, with the support h(d) = max x·d, is the depth of their overlap, or
minus their distance. It is sought over directions spread evenly, then refined.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from percuss.algebra.arrays import Coordinates
from percuss.algebra.poses import Pose
from percuss.encounter.start import Start
from percuss.impact.contact import Contact
from percuss.impact.surfaces import is_solid
from percuss.kinematics.frames import poses
from percuss.model.bodies import Visual
from percuss.model.systems import System

TOUCHING = 0.01
"""Overlap (m) that counts as touching."""
_MOST_TRIES = 400
"""Of directions around one: along an edge, where all of them lead up but for a hair, the search
would creep on for ever shorter gains."""
_RING = np.linspace(0.0, 2.0 * math.pi, 24, endpoint=False)


@dataclass(frozen=True)
class Shape:
    """The convex hull of `points` (n, 3), world, in m, grown by `radius`."""

    points: np.ndarray
    radius: float

    def support(self, directions: np.ndarray) -> np.ndarray:
        """The largest x·d for each unit direction, shape (k,)."""
        return (self.points @ directions.T).max(axis=0) + self.radius


def overlaps(pair: Contact | Start, when: str = "at contact") -> tuple[str, ...]:
    """A warning for each pair of bodies of chaser and target that are inside each other.

    Shapes are the visuals of the bodies; meshes and translucent shapes, whose size is a guess,
    do not count, and the slender links of a planar arm, or of the touching body, count as
    lines. `when` tells the reader about which moment this is.
    """
    if pair.target is None or pair.grip is None:
        return ()
    found = []
    planar = pair.chaser.is_planar and pair.target.is_planar
    chaser = _shapes(pair.chaser, pair.chaser_coordinates, planar, pair.tool.body)
    target = _shapes(pair.target, pair.target_coordinates, planar, pair.grip.body)
    for chaser_body, chaser_shapes in chaser.items():
        for target_body, target_shapes in target.items():
            pairs = ((a, b) for a in chaser_shapes for b in target_shapes)
            depth = max((penetration(a, b, planar, TOUCHING) for a, b in pairs), default=0.0)
            if depth > TOUCHING:
                found.append(
                    f"{chaser_body!r} of the chaser and {target_body!r} of the target overlap by "
                    f"{depth:.3g} m {when}: check position, joints and the contact point"
                )
    return tuple(found)


def penetration(a: Shape, b: Shape, planar: bool = False, enough: float = -math.inf) -> float:
    """How deep two shapes are in each other (m); negative: how far apart they are.

    A depth known to be at most `enough` (m) is not sought any closer.
    """
    directions = _circle(180) if planar else _sphere(400)

    def depths(tried: np.ndarray) -> np.ndarray:
        return a.support(tried) + b.support(-tried)

    values = depths(directions)
    if values.min() <= enough:
        return float(values.min())
    starts = directions[np.argsort(values)[:4]]
    return min(_refined(depths, start, planar) for start in starts)


def _refined(depths: Any, direction: np.ndarray, planar: bool) -> float:
    """The least depth near a direction, by trying directions around it ever closer."""
    best = float(depths(direction[None])[0])
    step = 0.05 if planar else 0.15
    for _ in range(_MOST_TRIES):
        if step <= 1e-7:
            break
        tried = direction + step * _around(direction, planar)
        tried /= np.linalg.norm(tried, axis=1)[:, None]
        values = depths(tried)
        k = int(np.argmin(values))
        if values[k] < best:
            best, direction = float(values[k]), tried[k]
        else:
            step /= 2.0
    return best


def _around(direction: np.ndarray, planar: bool) -> np.ndarray:
    if planar:
        side = np.array([-direction[1], direction[0], 0.0])
        return np.array([side, -side])
    other = np.eye(3)[int(np.argmin(np.abs(direction)))]
    u = np.cross(direction, other)
    u /= np.linalg.norm(u)
    w = np.cross(direction, u)
    return np.cos(_RING)[:, None] * u + np.sin(_RING)[:, None] * w


def _circle(count: int) -> np.ndarray:
    angles = np.linspace(0.0, 2.0 * math.pi, count, endpoint=False)
    return np.stack([np.cos(angles), np.sin(angles), 0.0 * angles], axis=1)


def _sphere(count: int) -> np.ndarray:
    """Directions of a spiral that covers the sphere evenly."""
    z = 1.0 - (2.0 * np.arange(count) + 1.0) / count
    turn = np.arange(count) * math.pi * (3.0 - math.sqrt(5.0))
    wide = np.sqrt(1.0 - z * z)
    return np.stack([wide * np.cos(turn), wide * np.sin(turn), z], axis=1)


def _shapes(system: System, q: Coordinates, planar: bool, touching: str) -> dict[str, list[Shape]]:
    world = poses(system, q)
    return {
        body.name: [
            _shape(visual, world[body.name], planar, planar or body.name == touching)
            for visual in body.visuals
            if is_solid(visual)
        ]
        for body in system.bodies
    }


def _shape(visual: Visual, pose: Pose, planar: bool, slim: bool) -> Shape:
    placed = pose @ visual.placement
    matrix = np.asarray(placed.matrix(), float)
    local, radius = _outline(visual, planar and abs(matrix[2, 2]) > 0.5, slim)
    points = local @ matrix[:3, :3].T + matrix[:3, 3]
    if planar:
        points[:, 2] = 0.0
    return Shape(points, radius)


def _outline(visual: Visual, upright: bool, slim: bool) -> tuple[np.ndarray, float]:
    """Points and radius of a shape in its own frame; `upright`: seen along its z in the plane."""
    if visual.shape == "sphere":
        return np.zeros((1, 3)), visual.size[0]
    if visual.shape == "cylinder":
        radius, length = visual.size
        ends = np.array([[0.0, 0.0, -length / 2], [0.0, 0.0, length / 2]])
        if upright:
            return np.zeros((1, 3)), radius
        if slim and length > radius:
            return ends, 0.0
        ring = np.stack([radius * np.cos(_RING), radius * np.sin(_RING), 0.0 * _RING], axis=1)
        return np.concatenate([ring + end for end in ends]), 0.0
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    return corners * np.asarray(visual.size) / 2.0, 0.0


__all__ = ["Shape", "overlaps", "penetration"]
