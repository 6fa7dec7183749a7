"""Surfaces that a point can touch: signed distance and outward normal, for any scalar.

A surface belongs to a body, and its points are given in the frame of that body. `distance` is
Euclidean outside and on the surface, and negative inside; `normal` is its gradient. Where several
points of the surface are equally near (at the centre of a sphere, on the axis of a cylinder, on an
edge), one direction is chosen, always the same. In the plane a disk or a box of two sizes stands
for all heights z.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from percuss.algebra.poses import Pose
from percuss.algebra.scalars import Scalar, plain, sub, terms
from percuss.algebra.vectors import Vector3
from percuss.impact.edged import (
    edged_distance,
    edged_normal,
    excess,
    length_and_direction,
    size_and_sign,
)
from percuss.model.checks import (
    as_scalar,
    is_finite,
    is_positive,
    known,
    padded,
    shown,
    values,
    violates,
)
from percuss.model.errors import ModelError

_AXES = (Vector3(1.0, 0.0, 0.0), Vector3(0.0, 1.0, 0.0), Vector3(0.0, 0.0, 1.0))


class Surface(ABC):
    """The boundary of a solid; points and directions are in the frame of its body (m)."""

    @abstractmethod
    def distance(self, point: Vector3) -> Scalar:
        """The distance from the surface to the point (m), negative inside."""

    @abstractmethod
    def normal(self, point: Vector3) -> Vector3:
        """Unit vector away from the surface, the gradient of the distance."""

    @abstractmethod
    def describe(self) -> str:
        """A few words on the shape, with its sizes."""

    def nearest(self, point: Vector3) -> Vector3:
        """The point of the surface that is nearest (m): x − d n."""
        return point - self.normal(point) * self.distance(point)


@dataclass(frozen=True)
class Sphere(Surface):
    """A ball of this radius (m) about `center` (m, body frame): d = |x − c| − r."""

    radius: Scalar
    center: Vector3 = field(default_factory=Vector3.zero)

    def __post_init__(self) -> None:
        _set(self, radius=_length("sphere: radius", self.radius))
        _set(self, center=_point("sphere: center", self.center))

    def distance(self, point: Vector3) -> Scalar:
        return excess(length_and_direction(point - self.center)[0], self.radius)

    def normal(self, point: Vector3) -> Vector3:
        return length_and_direction(point - self.center)[1]

    def describe(self) -> str:
        return f"sphere of radius {shown(self.radius)} m"


@dataclass(frozen=True)
class Disk(Surface):
    """A disk in the plane of this radius (m) about `center` (m, body frame), at any height."""

    radius: Scalar
    center: Vector3 = field(default_factory=Vector3.zero)

    def __post_init__(self) -> None:
        _set(self, radius=_length("disk: radius", self.radius))
        _set(self, center=_point("disk: center", self.center))

    def distance(self, point: Vector3) -> Scalar:
        return excess(length_and_direction(self._from_center(point))[0], self.radius)

    def normal(self, point: Vector3) -> Vector3:
        return length_and_direction(self._from_center(point))[1]

    def _from_center(self, point: Vector3) -> Vector3:
        return Vector3(sub(point.x, self.center.x), sub(point.y, self.center.y), 0.0)

    def describe(self) -> str:
        return f"disk of radius {shown(self.radius)} m"


@dataclass(frozen=True)
class Box(Surface):
    """A box with edges `size` (m) along the axes of `placement` (body ← box), about its origin.

    With two sizes a rectangle in the plane, at any height.
    """

    size: tuple[Scalar, ...]
    placement: Pose = field(default_factory=Pose.identity)

    def __post_init__(self) -> None:
        edges = tuple(self.size) if hasattr(self.size, "__iter__") else ()
        if len(edges) not in (2, 3):
            raise ModelError(f"box: size must be two or three lengths in m, got {self.size!r}")
        names = zip("xyz", edges, strict=False)
        _set(self, size=tuple(_length(f"box: size {axis}", edge) for axis, edge in names))
        _placement("box", self.placement)

    def distance(self, point: Vector3) -> Scalar:
        return edged_distance(self._beyond(point)[0])

    def normal(self, point: Vector3) -> Vector3:
        beyond, signs = self._beyond(point)
        faces = [axis * sign for axis, sign in zip(_AXES, signs, strict=False)]
        return self.placement.rotation @ edged_normal(beyond, faces)

    def _beyond(self, point: Vector3) -> tuple[list[Scalar], list[Scalar]]:
        own = tuple(self.placement.act_inverse(point))[: len(self.size)]
        sizes, signs = zip(*(size_and_sign(x) for x in own), strict=True)
        beyond = [
            excess(x, plain(0.5 * terms(edge))) for x, edge in zip(sizes, self.size, strict=True)
        ]
        return beyond, list(signs)

    def describe(self) -> str:
        word = "rectangle" if len(self.size) == 2 else "box"
        return f"{word} of {' × '.join(shown(edge) for edge in self.size)} m"


@dataclass(frozen=True)
class Cylinder(Surface):
    """Radius and length (m) along z of `placement` (body ← cylinder), about its origin."""

    radius: Scalar
    length: Scalar
    placement: Pose = field(default_factory=Pose.identity)

    def __post_init__(self) -> None:
        _set(self, radius=_length("cylinder: radius", self.radius))
        _set(self, length=_length("cylinder: length", self.length))
        _placement("cylinder", self.placement)

    def distance(self, point: Vector3) -> Scalar:
        return edged_distance(self._beyond(point)[0])

    def normal(self, point: Vector3) -> Vector3:
        return self.placement.rotation @ edged_normal(*self._beyond(point))

    def _beyond(self, point: Vector3) -> tuple[list[Scalar], list[Vector3]]:
        own = self.placement.act_inverse(point)
        across, outwards = length_and_direction(Vector3(own.x, own.y, 0.0))
        along, sign = size_and_sign(own.z)
        beyond = [excess(across, self.radius), excess(along, plain(0.5 * terms(self.length)))]
        return beyond, [outwards, _AXES[2] * sign]

    def describe(self) -> str:
        return f"cylinder of radius {shown(self.radius)} m and length {shown(self.length)} m"


@dataclass(frozen=True, init=False)
class HalfSpace(Surface):
    """Everything behind a plane: d = (x − p)·n.

    `point` is on the plane (m); `outwards`, of length one, points away from the matter.
    """

    point: Vector3
    outwards: Vector3

    def __init__(self, point: Any, normal: Any) -> None:
        """`point` (m) and outward `normal` (of any length) in the body frame."""
        at = _point("half-space: point", point)
        direction = _point("half-space: normal", normal)
        sizes = [values(x) for x in direction if known(x)]
        largest = max((float(np.max(np.abs(x))) for x in sizes), default=1.0)
        # Very short and very long ones alike: their squares may not overflow or vanish.
        scaled = direction * (1.0 / largest) if largest > 0 else direction
        length = scaled.norm()
        if known(length) and not np.all(values(length) > 0):
            entries = ", ".join(shown(x) for x in direction)
            raise ModelError(f"half-space: normal must not be zero, got ({entries})")
        _set(self, point=at, outwards=scaled / length)

    def distance(self, point: Vector3) -> Scalar:
        return (point - self.point).dot(self.outwards)

    def normal(self, point: Vector3) -> Vector3:  # noqa: ARG002 - the same everywhere
        return self.outwards

    def describe(self) -> str:
        return f"plane with outward normal ({', '.join(shown(x) for x in self.outwards)})"


# --- what the surfaces ask of their values ----------------------------------------------------


def _set(surface: Surface, **attributes: Any) -> None:
    for name, value in attributes.items():
        object.__setattr__(surface, name, value)


def _length(what: str, given: Any) -> Scalar:
    length = as_scalar(given, what)
    if violates(length, is_positive):
        raise ModelError(f"{what} must be finite and > 0 m, got {shown(length)}")
    return length


def _point(what: str, given: Any) -> Vector3:
    try:
        point = padded(given, what)
    except (TypeError, ValueError) as error:
        raise ModelError(str(error)) from None
    for axis, value in zip("xyz", point, strict=True):
        if violates(value, is_finite):
            raise ModelError(f"{what} {axis} must be finite, got {shown(value)}")
    return point


def _placement(named: str, given: Any) -> Pose:
    if not isinstance(given, Pose):
        raise ModelError(f"{named}: placement must be a Pose, got {given!r}")
    _point(f"{named}: placement, position", given.position)
    for row in given.rotation.matrix.rows:
        _point(f"{named}: placement, a row of the rotation", row)
    return given
