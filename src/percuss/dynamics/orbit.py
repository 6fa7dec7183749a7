"""Loads of a circular orbit: the tidal field of relative motion, and gravity gradient.

The world frame follows a point on a circular reference orbit of radius R₀ and mean motion
n = √(μ/R₀³). Its axes do not turn: they are those of the local orbital frame at t = 0, x radially
outward, y along the track, z along the orbit's normal. Everything in the frame falls with its
origin, so that only the difference of gravity between a body and the origin is felt. Without
turning axes there are no Coriolis terms: momentum, energy and control mean what they mean far from
any planet, with loads from outside. The direction from the planet turns in these axes,

    R̂(θ) = (cos θ, sin θ, 0),   θ = n t.

A body of mass m and central inertia J (world axes) with its centre of mass at c feels

    clohessy-wiltshire:  f = m n² (3 R̂ (R̂·c) − c)
                         τ = 3 n² R̂ × J R̂
    two-body:            f = −m μ (R + c)/|R + c|³ + m μ R/R₀³
                         τ = 3 μ/|R + c|⁵ (R + c) × J (R + c)

with R = R₀ R̂ and τ about the centre of mass. The first is the field to first order in c/R₀, in
which the motion relative to the orbit is that of Clohessy and Wiltshire, and in which force and
torque on a body of any size are these exactly; the second is exact for points, and for bodies up
to (size/R₀)².
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from percuss.algebra.arrays import Coordinates, Rates
from percuss.algebra.motions import Force
from percuss.algebra.poses import Pose
from percuss.algebra.rotations import Rotation
from percuss.algebra.scalars import Scalar, add, cos, div, dot, mul, plain, sin, sqrt, terms
from percuss.algebra.vectors import Vector3
from percuss.kinematics.trees import tree_poses, tree_velocities
from percuss.model.bodies import Body
from percuss.model.checks import as_scalar, is_positive, shown, violates
from percuss.model.errors import ModelError
from percuss.model.systems import Frame, System

EARTH_GRAVITATIONAL_PARAMETER = 3.986004418e14
"""μ of the Earth with its atmosphere (m³/s²): WGS 84 and IERS Conventions 2010, table 1.1."""
EARTH_RADIUS = 6_378_137.0
"""Equatorial radius of the Earth (m): WGS 84."""
FIELDS = ("clohessy-wiltshire", "two-body")
"""How gravity changes with the place: to first order about the orbit, or as it is."""


@dataclass(frozen=True)
class CircularOrbit:
    """A circular reference orbit, whose moving point is the origin of the world frame.

    Attributes:
        semi_major_axis: radius R₀ of the orbit, from the planet's centre (m), > 0.
        field: "clohessy-wiltshire", the linear tidal field, or "two-body", the exact one.
        gravitational_parameter: μ of the planet (m³/s²), by default the Earth's.

    The numbers may be scalars of any kind.
    """

    semi_major_axis: Scalar
    field: str = FIELDS[0]
    gravitational_parameter: Scalar = EARTH_GRAVITATIONAL_PARAMETER

    def __post_init__(self) -> None:
        for name, unit in (("semi_major_axis", "m"), ("gravitational_parameter", "m³/s²")):
            value = as_scalar(getattr(self, name), name)
            if violates(value, is_positive):
                raise ModelError(f"{name} must be finite and > 0 {unit}, got {shown(value)}")
            object.__setattr__(self, name, value)
        if self.field not in FIELDS:
            raise ModelError(f"field must be one of {', '.join(FIELDS)}, got {self.field!r}")

    @staticmethod
    def at_altitude(altitude: Scalar, field: str = FIELDS[0]) -> CircularOrbit:
        """The orbit about the Earth, `altitude` (m) above its equatorial radius."""
        return CircularOrbit(add(EARTH_RADIUS, as_scalar(altitude, "altitude")), field)

    @cached_property
    def mean_motion(self) -> Scalar:
        """n = √(μ/R₀³), rad/s."""
        radius = terms(self.semi_major_axis)
        return plain(sqrt(self.gravitational_parameter / (radius * (radius * radius))))

    @property
    def period(self) -> Scalar:
        """The time of one revolution, 2 π/n (s)."""
        return div(2.0 * math.pi, self.mean_motion)

    # --- frames -------------------------------------------------------------------------------

    def angle(self, t: Scalar) -> Scalar:
        """θ = n t, by which the local orbital frame has turned about z at the time t (rad)."""
        return mul(self.mean_motion, t)

    def outward(self, angle: Scalar) -> Vector3:
        """R̂, from the planet to the origin of the world frame, world axes."""
        return Vector3(cos(angle), sin(angle), 0.0)

    @property
    def turning(self) -> Vector3:
        """Angular velocity n ẑ of the local orbital frame, world axes (rad/s)."""
        return Vector3(0.0, 0.0, self.mean_motion)

    def from_local(self, t: Scalar, place: Any, velocity: Any) -> tuple[Vector3, Vector3]:
        """Position (m) and velocity (m/s), world axes, of a point seen in the local frame.

        x = C x_L and ẋ = C (ẋ_L + n ẑ × x_L), with C the turn by θ about z: `velocity` is what
        is seen by one who turns with the local orbital frame.
        """
        axes = self._turned(t)
        seen = Vector3.of(place, "place")
        moving = Vector3.of(velocity, "velocity") + self.turning.cross(seen)
        return axes @ seen, axes @ moving

    def to_local(self, t: Scalar, position: Any, velocity: Any) -> tuple[Vector3, Vector3]:
        """Place (m) and velocity (m/s) in the local orbital frame, as one sees who turns with it.

        The inverse of `from_local`.
        """
        back = self._turned(t).inverse()
        there = Vector3.of(position, "position")
        moving = Vector3.of(velocity, "velocity") - self.turning.cross(there)
        return back @ there, back @ moving

    def _turned(self, t: Scalar) -> Rotation:
        """C, world ← local orbital frame at the time t (s)."""
        return Rotation.about(Vector3(0.0, 0.0, 1.0), self.angle(t))

    # --- the field ----------------------------------------------------------------------------

    def acceleration(self, angle: Scalar, place: Vector3) -> Vector3:
        """The acceleration (m/s², world axes) of a free point at `place` (m) from the origin.

        The exact field is written as n² (f R − c)/(1 + ε)^{3/2} with ε = c·(c + 2R)/R₀² and
        f = ((1 + ε)^{3/2} − 1) (Battin), which loses no digits where c is small beside R₀.
        """
        outward, n = self.outward(angle), terms(self.mean_motion)
        squared = n * n
        if self.field == "two-body":
            excess, volume = terms(*self._excess(outward, place))
            series = 3.0 + excess * (3.0 + excess)
            share = excess * series / (1.0 + volume)
            pull = outward * plain(share * self.semi_major_axis) - place
            return pull * plain(squared / volume)
        return (outward * plain(3.0 * terms(outward.dot(place))) - place) * plain(squared)

    def torque(self, angle: Scalar, place: Vector3, body: Body, rotation: Rotation) -> Vector3:
        """Gravity-gradient torque on a body about its centre of mass at `place`, world axes (N m).

        `rotation` is that of the body's frame, world ← body.
        """
        outward, n = self.outward(angle), terms(self.mean_motion)
        factor = 3.0 * (n * n)
        if self.field == "two-body":
            excess, volume = terms(*self._excess(outward, place))
            outward = outward + place / self.semi_major_axis
            factor = factor / (volume * (1.0 + excess))
        seen = rotation.inverse() @ outward
        return rotation @ (seen.cross(body.inertia @ seen) * plain(factor))

    def _excess(self, outward: Vector3, place: Vector3) -> tuple[Scalar, Scalar]:
        """ε with |R + c|² = R₀² (1 + ε), and (1 + ε)^{3/2}."""
        share = place / self.semi_major_axis
        excess = dot(share, share + outward * 2.0)
        squared = 1.0 + terms(excess)
        return excess, plain(squared * sqrt(squared))


@dataclass(frozen=True)
class OrbitalLoads:
    """What an orbit does to the bodies of a system at an instant.

    Attributes:
        wrenches: pairs (frame at a body's centre of mass, wrench), world axes, N and N m about
            that point; as `forward_dynamics` takes them.
        power: on all bodies together (W).
        outside: all of them together, world axes about the world's origin (N, N m).
    """

    wrenches: list[tuple[Frame, Force]]
    power: Scalar
    outside: Force


def orbital_loads(
    orbit: CircularOrbit, system: System, angle: Scalar, q: Coordinates, *, v: Rates
) -> OrbitalLoads:
    """Tidal forces and gravity-gradient torques on every body of a system.

    Args:
        angle: θ = n t, from the x axis of the world to the radial direction (rad).
        q: coordinates, shape (nq,), in a world that follows the orbit.
        v: rates, shape (nv,), m/s and rad/s.
    """
    poses = tree_poses(system, q)
    velocities = tree_velocities(poses, v).bodies
    wrenches: list[tuple[Frame, Force]] = []
    power: Scalar = 0.0
    outside = Force.zero()
    for node, pose, motion in zip(system.tree, poses.world_poses(), velocities, strict=True):
        body = node.body
        if body.is_massless:
            continue
        place = pose.act(body.com)
        force = orbit.acceleration(angle, place) * body.mass
        moment = orbit.torque(angle, place, body, pose.rotation)
        spin = pose.rotation @ motion.angular
        speed = pose.rotation @ (motion.linear + motion.angular.cross(body.com))
        at = Frame(f"centre of mass of {body.name}", body.name, Pose(position=body.com))
        wrenches.append((at, Force(force, moment)))
        power = plain(power + (terms(force.dot(speed)) + moment.dot(spin)))
        outside = outside + Force(force, place.cross(force) + moment)
    return OrbitalLoads(wrenches, power, outside)
