"""The orbit in which an encounter happens, and how it reads positions and velocities."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from percuss.algebra.linear import plus
from percuss.algebra.scalars import Scalar, add, is_constant
from percuss.algebra.vectors import Vector3
from percuss.dynamics.orbit import EARTH_RADIUS, FIELDS, CircularOrbit
from percuss.encounter.errors import EncounterError, Path, shown
from percuss.model.checks import violates
from percuss.model.names import BaseMode
from percuss.model.systems import System
from percuss.scenario.block import Block
from percuss.scenario.errors import Problem
from percuss.scenario.fields import Choice, Quantity

if TYPE_CHECKING:
    from percuss.scenario.model import Scenario

LOWEST = 100e3
"""Altitude (m) below which nothing stays in orbit: air would stop it within a revolution."""


class Orbit(Block):
    """A circular orbit about the Earth; its moving point is the origin of the world frame.

    Positions are given in the local orbital frame: x radially outward, y along the track, z along
    the orbit's normal. The world's axes are those of that frame when the run begins, and do not
    turn with it.
    """

    altitude: Annotated[float, Quantity("m", least=LOWEST)] | None = Field(
        default=None,
        description="Above the Earth's equatorial radius of 6378.137 km; or semi-major-axis.",
    )
    semi_major_axis: Annotated[float, Quantity("m", least=EARTH_RADIUS + LOWEST)] | None = Field(
        default=None, description="From the Earth's centre; or altitude."
    )
    field: Annotated[str, Choice(FIELDS)] = Field(
        default=FIELDS[0],
        description="How gravity changes about the origin: `clohessy-wiltshire`, to first order; "
        "`two-body`, exactly.",
    )
    velocities: Annotated[str, Choice(("local", "inertial"))] = Field(
        default="local",
        description="How chaser.velocity and target.velocity are meant: `local`, as seen in the "
        "local orbital frame, which turns; `inertial`, relative to axes that do not. They differ "
        "by n × r and, in angular velocity, by the mean motion n about z.",
    )

    @property
    def circular(self) -> CircularOrbit:
        """The orbit itself; the rules have seen that one of the two lengths is given."""
        if self.semi_major_axis is not None:
            return CircularOrbit(self.semi_major_axis, self.field)
        assert self.altitude is not None
        return CircularOrbit.at_altitude(self.altitude, self.field)

    @property
    def turning(self) -> Scalar:
        """The angular velocity about z (rad/s) by which given velocities are less than inertial."""
        return self.circular.mean_motion if self.velocities == "local" else 0.0


def orbit_rules(scenario: Scenario) -> Iterator[Problem]:
    """One length, no other gravity, and a motion that an orbit can act on."""
    orbit = scenario.orbit
    at: Path = ("orbit",)
    if orbit is None:
        return
    if (orbit.altitude is None) == (orbit.semi_major_axis is None):
        got = "got neither" if orbit.altitude is None else "got both"
        yield Problem(at, f"must have altitude or semi-major-axis, one of them, {got}")
    if scenario.gravity is not None:
        yield Problem(
            ("gravity",),
            "does not go with orbit: in orbit everything falls with the world frame, and gravity "
            "would be a second, uniform field; give gravity or orbit, got gravity "
            f"{shown([float(x) for x in scenario.gravity])}",
        )
    if scenario.impact.closure == "published":
        yield Problem(
            at,
            "does not go with impact.closure published: after it target and chaser are no tree of "
            "bodies on which the loads of an orbit could act; take closure pin or weld",
        )


def check_orbit(scenario: Scenario, chaser: System) -> None:
    """EncounterError where the chaser that was built cannot be in orbit."""
    if scenario.orbit is None:
        return
    if chaser.mode == BaseMode.FIXED:
        raise EncounterError(
            ("orbit",),
            "does not go with chaser.mode fixed: nothing in orbit is held still; let the chaser be "
            "free-floating, attitude-controlled or free-flying",
        )
    if any(violates(x, lambda g: g == 0.0) for x in chaser.gravity):
        own = shown([float(x) for x in chaser.gravity])  # type: ignore[arg-type]
        raise EncounterError(
            ("orbit",),
            f"does not go with gravity, and the model of the chaser brings its own, {own} m/s²: "
            "take it out of the model",
        )


def inertial_velocity(orbit: Orbit | None, position: Vector3, velocity: Any, planar: bool) -> Any:
    """A velocity block relative to axes that do not turn, from what is given at a position.

    With n the mean motion, v = v_local + n ẑ × r and ω = ω_local + n ẑ; a block of inertial
    velocities, and one without an orbit, is as it was.

    Args:
        position: r, of the point whose velocity is given (m), world frame.
        velocity: with `linear` (m/s) and `angular` (rad/s), either may be None.
    """
    n = 0.0 if orbit is None else orbit.turning
    if is_constant(n) and n == 0.0:
        return velocity
    linear = (*(velocity.linear or ()), 0.0, 0.0, 0.0)[:3]
    carried = Vector3(0.0, 0.0, n).cross(position)
    moving = plus(linear, carried)
    if planar:
        turning = 0.0 if velocity.angular is None else velocity.angular
        return velocity.model_copy(update={"linear": moving[:2], "angular": add(turning, n)})
    x, y, z = velocity.angular or (0.0, 0.0, 0.0)
    return velocity.model_copy(update={"linear": moving, "angular": (x, y, add(z, n))})
