"""Room between bodies, as functions of a choice: the target, the base and the arm stay apart.

Bodies are covered with points that carry a radius; their distance from a surface is exact, that
of two links is the least between their points. Spacing makes it a little optimistic, which is
why a plan is checked by `percuss.scenario.overlaps` in the end.
"""

from __future__ import annotations

import contextlib
import itertools
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from percuss.algebra.poses import Pose
from percuss.algebra.scalars import Scalar, add, pack, sub, where
from percuss.algebra.vectors import Vector3
from percuss.encounter.overlap import TOUCHING
from percuss.impact import surface_of
from percuss.impact.surfaces import Surface, is_solid
from percuss.kinematics.frames import poses
from percuss.model.bodies import Visual
from percuss.model.errors import ModelError
from percuss.percussion.planner.problem import ImpactProblem

_ALONG = 5
"""Points along a cylinder."""


@dataclass(frozen=True)
class Cover:
    """Points of a body (body frame, m), each with a radius."""

    points: tuple[tuple[Vector3, float], ...]


@dataclass(frozen=True)
class Clearance:
    """What must stay apart: names of the pairs, and their room as a function of a choice."""

    problem: ImpactProblem

    @cached_property
    def names(self) -> tuple[tuple[str, str], ...]:
        """Pairs of bodies that can be kept apart; one's own pairs only if they start apart."""
        return (*self._from_target, *(pair for pair in self._own if pair not in self._touching))

    def room(self, x: Any) -> Any:
        """How far the bodies of each pair are apart (m), touching allowed for; (pairs,)."""
        return pack(self._rooms(x, self.names) or [1.0])

    @cached_property
    def _touching(self) -> set[tuple[str, str]]:
        rooms = np.array(pack(self._rooms(self.problem.initial, self._own) or [1.0]), float)
        return {pair for pair, room in zip(self._own, rooms, strict=False) if not room > 0.0}

    def _rooms(self, x: Any, pairs: tuple[tuple[str, str], ...]) -> list[Scalar]:
        contact = self.problem.meeting(x)
        world = poses(contact.chaser, contact.chaser_coordinates)
        world |= poses(contact.target, contact.target_coordinates)
        return [add(self._apart(world, *pair), TOUCHING) for pair in pairs]

    def _apart(self, world: dict[str, Pose], a: str, b: str) -> Scalar:
        found: list[Scalar] = []
        for name, other in ((a, b), (b, a)):
            surface = self._surfaces.get(other)
            if surface is not None:
                relative = world[other].inverse() @ world[name]
                found += [
                    sub(surface.distance(relative.act(p)), r) for p, r in self._covers[name].points
                ]
        if not found:
            relative = world[b].inverse() @ world[a]
            found = [
                sub((relative.act(p) - s).norm(), r + t)
                for p, r in self._covers[a].points
                for s, t in self._covers[b].points
            ]
        return _least(found)

    # --- which pairs --------------------------------------------------------------------------

    @cached_property
    def _from_target(self) -> tuple[tuple[str, str], ...]:
        target = self.problem.contact.target.base.name
        if target not in self._surfaces:
            return ()
        return tuple((body, target) for body in self._bodies if body in self._covers)

    @cached_property
    def _own(self) -> tuple[tuple[str, str], ...]:
        """Bodies of the chaser that are not joined to each other; planar links pass by freely."""
        chaser = self.problem.contact.chaser
        if chaser.is_planar:
            return ()
        joined = {frozenset((joint.parent, joint.child)) for joint in chaser.joints}
        pairs = itertools.combinations((b for b in self._bodies if b in self._covers), 2)
        return tuple(pair for pair in pairs if frozenset(pair) not in joined)

    @cached_property
    def _bodies(self) -> tuple[str, ...]:
        return tuple(body.name for body in self.problem.contact.chaser.bodies)

    @cached_property
    def _covers(self) -> dict[str, Cover]:
        contact = self.problem.contact
        found = {}
        for system in (contact.chaser, contact.target):
            for body in system.bodies:
                slim = body.name == contact.tool.body
                solid = [visual for visual in body.visuals if is_solid(visual)]
                points = [p for v in solid for p in _points(v, contact.is_planar, slim)]
                if points:
                    found[body.name] = Cover(tuple(points))
        return found

    @cached_property
    def _surfaces(self) -> dict[str, Surface]:
        """The surfaces of the target and of the chaser's base, where they have a shape."""
        contact = self.problem.contact
        found = {}
        for body in (contact.target.base, contact.chaser.base):
            # A body without a solid shape takes no room.
            with contextlib.suppress(ModelError):
                found[body.name] = surface_of(body, contact.is_planar)
        return found


def _points(visual: Visual, planar: bool, slim: bool) -> list[tuple[Vector3, float]]:
    """Points that cover a shape, in the body's frame; links in the plane are slim, lines."""
    upright = visual.shape == "cylinder" and abs(float(visual.placement.matrix()[2][2])) > 0.5
    if visual.shape == "sphere" or (planar and upright):
        return [(visual.placement.position, float(visual.size[0]))]
    if visual.shape == "cylinder":
        radius, length = (float(size) for size in visual.size)
        flat = radius > length
        if flat:
            ring = np.linspace(0.0, 2.0 * np.pi, 12, endpoint=False)
            spots = [
                (0.0, 0.0, 0.0),
                *((radius * np.cos(a), radius * np.sin(a), 0.0) for a in ring),
            ]
            return [(visual.placement.act(Vector3(*map(float, spot))), 0.0) for spot in spots]
        heights = np.linspace(-length / 2, length / 2, _ALONG)
        thick = 0.0 if slim or planar else radius
        return [(visual.placement.act(Vector3(0.0, 0.0, float(z))), thick) for z in heights]
    edges = [float(size) for size in visual.size]
    grid = itertools.product((-0.5, 0.0, 0.5), repeat=3)
    return [
        (visual.placement.act(Vector3(*(s * e for s, e in zip(spot, edges, strict=True)))), 0.0)
        for spot in grid
    ]


def _least(entries: list[Scalar]) -> Scalar:
    found = entries[0]
    for entry in entries[1:]:
        found = where(entry < found, entry, found)
    return found
