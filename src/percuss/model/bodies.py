"""Rigid bodies, what they look like, and simple shapes that make them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from percuss.algebra.inertias import SpatialInertia
from percuss.algebra.poses import Pose
from percuss.algebra.scalars import Scalar, add, is_constant, mul, plain, terms
from percuss.algebra.vectors import Symmetric3, Vector3
from percuss.model.checks import (
    LARGEST_LENGTH,
    as_scalar,
    beyond,
    is_finite,
    is_not_negative,
    is_positive,
    known,
    padded,
    shown,
    values,
    violates,
)
from percuss.model.errors import ModelError

SIZES = {"box": 3, "cylinder": 2, "sphere": 1, "mesh": 3}
"""How many numbers the size of each shape has."""
MOMENT_SLACK = 1e-9
"""Share of the largest principal moment by which moments may miss what a body can have: rounding.
"""


@dataclass(frozen=True, slots=True)
class Visual:
    """How a part of a body looks: a shape at a placement in the body frame.

    `shape` is "box" with `size` (x, y, z), "cylinder" (radius, length along z), "sphere"
    (radius) or "mesh" (scale x, y, z), lengths in m; `color` is (r, g, b, alpha) in 0…1.
    """

    shape: str
    size: tuple[float, ...]
    placement: Pose = field(default_factory=Pose.identity)
    mesh: Path | None = None
    color: tuple[float, float, float, float] | None = None

    def __post_init__(self) -> None:
        sizes = SIZES.get(self.shape)
        if sizes is None:
            raise ModelError(f"a shape must be one of {', '.join(SIZES)}, got {self.shape!r}")
        if len(self.size) != sizes:
            given = list(self.size)
            raise ModelError(f"numbers in the size of a {self.shape} (m): {sizes}, got {given}")


@dataclass(frozen=True, init=False)
class Body:
    """A rigid body: `mass` (kg), `com` in the body frame (m), `inertia` about it (kg m²).

    The inertia tensor has the axes of the body frame. A body of `planar_only` data knows its
    moment about z and nothing else, and is refused where it could leave the plane. A body
    whose mass, centre of mass and inertia are all zero is massless: a place in the tree
    between joints, or a part of a system that has kinematics only.
    """

    name: str
    mass: Scalar
    com: Vector3
    inertia: Symmetric3
    planar_only: bool
    visuals: tuple[Visual, ...]

    def __init__(
        self,
        name: str,
        mass: Scalar,
        com: Any = (0.0, 0.0, 0.0),
        inertia: Any = (0.0, 0.0, 0.0),
        *,
        planar_only: bool = False,
        visuals: Sequence[Visual] = (),
    ) -> None:
        """`com`: two or three scalars; `inertia`: see `Symmetric3.of`."""
        attributes = {"name": name, "planar_only": planar_only, "visuals": tuple(visuals)}
        for attribute, value, convert in (
            ("mass", mass, as_scalar),
            ("com", com, padded),
            ("inertia", inertia, Symmetric3.of),
        ):
            try:
                attributes[attribute] = convert(value, attribute)
            except (TypeError, ValueError) as error:
                raise ModelError(f"body {name!r}: {error}") from error
        for attribute, value in attributes.items():
            object.__setattr__(self, attribute, value)
        check_body(self)

    @staticmethod
    def planar(name: str, mass: Scalar, inertia: Scalar, com: Any = (0.0, 0.0)) -> Body:
        """A body of a planar system, with its one moment about z through the CoM (kg m²)."""
        # A flat plate in the x-y plane is the thinnest body with this moment about z.
        moment = as_scalar(inertia, f"body {name!r}: inertia")
        half = mul(0.5, moment)
        return Body(name, mass, com, Symmetric3(half, half, moment), planar_only=True)

    @staticmethod
    def massless(name: str, visuals: Sequence[Visual] = ()) -> Body:
        """A body without mass and inertia, such as the one between two joints at one place."""
        return Body(name, 0.0, visuals=visuals)

    @property
    def is_massless(self) -> bool:
        """Whether mass, centre of mass and inertia are zero, for certain."""
        entries = (self.mass, *self.com, *self.inertia)
        return all(is_constant(entry) and entry == 0 for entry in entries)

    @property
    def spatial_inertia(self) -> SpatialInertia:
        """The spatial inertia about the origin of the body frame."""
        return SpatialInertia.about_center_of_mass(self.mass, self.com, self.inertia)


def check_body(body: Body) -> None:
    """Refuse what no rigid body can be; symbols and JAX values are trusted."""
    named = f"body {body.name!r}"
    if not isinstance(body.name, str) or not body.name:
        raise ModelError(f"a body needs a name (text), got {body.name!r}")
    if body.is_massless:
        return
    if violates(body.mass, is_positive) or beyond(body.mass):
        raise ModelError(
            f"{named}: mass must be finite and > 0 kg{beyond(body.mass)}, got {shown(body.mass)}. "
            "A body without mass has neither inertia nor centre of mass: Body.massless(...)."
        )
    for axis, value in zip("xyz", body.com, strict=True):
        if violates(value, is_finite) or beyond(value, LARGEST_LENGTH):
            most = beyond(value, LARGEST_LENGTH)
            raise ModelError(
                f"{named}: com {axis} must be a finite length in m{most}, got {shown(value)}"
            )
    if all(known(entry) for entry in body.inertia):
        check_inertia(body.inertia, named)


def check_inertia(inertia: Symmetric3, named: str) -> None:
    """Principal moments must be ≥ 0 and none larger than the sum of the two others."""
    entries = np.stack(np.broadcast_arrays(*(values(entry) for entry in inertia)))
    if not np.all(np.isfinite(entries)) or beyond(entries):
        raise ModelError(
            f"{named}: inertia entries must be finite (kg m²){beyond(entries)}, got "
            f"{entries.tolist()}"
        )
    xx, yy, zz, xy, xz, yz = entries
    matrices = np.stack([xx, xy, xz, xy, yy, yz, xz, yz, zz], axis=-1)
    for moments in np.linalg.eigvalsh(matrices.reshape(-1, 3, 3)).tolist():
        _check_moments(moments, named)


def _check_moments(ascending: Sequence[float], named: str) -> None:
    a, b, c = ascending
    slack = MOMENT_SLACK * max(abs(a), abs(c))
    moments = f"principal moments {a:.6g}, {b:.6g}, {c:.6g} kg m²"
    if a < -slack:
        raise ModelError(
            f"{named}: inertia is not physical: {moments}; {a:.6g} is negative. No mass "
            "distribution has that: check signs and units of the tensor entries."
        )
    if c > a + b + slack:
        raise ModelError(
            f"{named}: inertia is not physical: {moments}; the largest, {c:.6g}, exceeds the sum "
            f"of the others, {a + b:.6g} (triangle inequality). Check that the tensor is about "
            "the centre of mass; a planar body with one known moment is Body.planar(...)."
        )


def rod(name: str, length: Scalar, mass: Scalar) -> Body:
    """A slender rod from the frame origin along x, length in m: I = m l² / 12 about its CoM."""
    length, mass = _size(name, "length", length), _mass(name, mass)
    moment = plain(mass * (terms(length) * length) / 12.0)
    visuals = ()
    if is_constant(length):
        along_x = Pose.at((length / 2, 0.0, 0.0), rpy=(0.0, 1.5707963267948966, 0.0))
        visuals = (Visual("cylinder", (0.03 * length, length), along_x),)
    com = Vector3(mul(0.5, length), 0.0, 0.0)
    return Body(name, mass, com, Symmetric3(0.0, moment, moment), visuals=visuals)


def disk(name: str, radius: Scalar, mass: Scalar) -> Body:
    """A thin disk in the x-y plane about the frame origin: I = m r² / 2 about z."""
    radius, mass = _size(name, "radius", radius), _mass(name, mass)
    quarter = plain(0.25 * (mass * (terms(radius) * radius)))
    visuals = ()
    if is_constant(radius):
        visuals = (Visual("cylinder", (radius, 0.2 * radius)),)
    inertia = Symmetric3(quarter, quarter, mul(2.0, quarter))
    return Body(name, mass, Vector3.zero(), inertia, visuals=visuals)


def box(name: str, size: Any, mass: Scalar) -> Body:
    """A homogeneous box of the given edges (x, y, z in m) centred on the frame origin."""
    try:
        given = Vector3.of(size, "size")
    except (TypeError, ValueError) as error:
        raise ModelError(f"body {name!r}: {error}") from error
    edges = [_size(name, f"size {k}", a, zero=True) for k, a in zip("xyz", given, strict=True)]
    mass = _mass(name, mass)
    x, y, z = (plain(mass * (terms(a) * a) / 12.0) for a in edges)
    visuals = ()
    if all(is_constant(edge) for edge in edges):
        visuals = (Visual("box", tuple(float(edge) for edge in edges)),)  # type: ignore[arg-type]
    inertia = Symmetric3(add(y, z), add(x, z), add(x, y))
    return Body(name, mass, Vector3.zero(), inertia, visuals=visuals)


def cylinder(name: str, radius: Scalar, length: Scalar, mass: Scalar) -> Body:
    """A homogeneous cylinder along z centred on the frame origin, lengths in m."""
    radius = _size(name, "radius", radius, zero=True)
    length, mass = _size(name, "length", length, zero=True), _mass(name, mass)
    axial = plain(0.5 * (mass * (terms(radius) * radius)))
    transverse = plain(0.5 * terms(axial) + mass * (terms(length) * length) / 12.0)
    visuals = ()
    if is_constant(radius) and is_constant(length):
        visuals = (Visual("cylinder", (radius, length)),)
    inertia = Symmetric3(transverse, transverse, axial)
    return Body(name, mass, Vector3.zero(), inertia, visuals=visuals)


def sphere(name: str, radius: Scalar, mass: Scalar) -> Body:
    """A homogeneous ball about the frame origin, radius in m: I = 2/5 m r² about any axis."""
    radius, mass = _size(name, "radius", radius), _mass(name, mass)
    moment = plain(2.0 * (mass * (terms(radius) * radius)) / 5.0)
    visuals = ()
    if is_constant(radius):
        visuals = (Visual("sphere", (radius,)),)
    inertia = Symmetric3.scaled_identity(moment)
    return Body(name, mass, Vector3.zero(), inertia, visuals=visuals)


def _mass(name: str, mass: Any) -> Scalar:
    return as_scalar(mass, f"body {name!r}: mass")


def _size(name: str, what: str, value: Any, *, zero: bool = False) -> Scalar:
    """A length of a shape (m); one that is thin in a direction may be `zero` there."""
    size = as_scalar(value, f"body {name!r}: {what}")
    if violates(size, is_not_negative if zero else is_positive):
        allowed = "≥ 0" if zero else "> 0"
        raise ModelError(f"body {name!r}: {what} must be finite and {allowed} m, got {shown(size)}")
    return size
