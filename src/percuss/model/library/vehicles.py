"""What the arms stand on: stand-ins of the right mass and size where no model is published."""

from __future__ import annotations

from percuss.algebra.poses import Pose
from percuss.algebra.vectors import Symmetric3, Vector3
from percuss.model.bodies import Body, Visual
from percuss.model.joints import Free
from percuss.model.library.chains import Chain
from percuss.model.library.entry import Assumption
from percuss.model.systems import WORLD, Joint, System

_STATION_MASS = 419_725.0
"""kg: NASA, International Space Station facts and figures (925,335 lb), remembered."""
_STATION_INERTIA = (1.28e8, 1.07e8, 2.01e8)
"""kg m²: order of size of the assembled station, about its x (forward), y (truss) and z axes."""
_ORBITER_MASS = 94_000.0
"""kg: an orbiter of 78 t (empty, with engines) with crew, propellant and cargo."""
_ORBITER_INERTIA = (1.2e6, 9.3e6, 9.7e6)
"""kg m²: order of size of an orbiter with a light cargo, about its x, y and z axes."""

TRANSLUCENT = (0.75, 0.77, 0.8, 0.9)
"""Colour of drawn parts that are no obstacle: a body has one solid shape."""


def station() -> Body:
    """The International Space Station, its frame at its centre of mass."""
    truss = Visual("box", (4.0, 94.0, 4.0), color=TRANSLUCENT)
    modules = Visual("box", (50.0, 4.5, 4.5), Pose.at((0.0, 0.0, 4.0)), color=TRANSLUCENT)
    inertia = Symmetric3(*_STATION_INERTIA)
    visuals = (truss, modules)
    return Body("station", _STATION_MASS, Vector3.zero(), inertia, visuals=visuals)


STATION_ASSUMED = (
    Assumption(
        parameter="station.mass",
        value=_STATION_MASS,
        low=360_000.0,
        high=460_000.0,
        reason="NASA's figure for the assembled station, remembered; it varies with what is docked",
    ),
    *(
        Assumption(
            parameter=f"station.inertia.{axis}",
            value=moment,
            low=0.85 * moment,
            high=1.15 * moment,
            reason="order of size of the assembled station; no document read",
        )
        for axis, moment in zip(("xx", "yy", "zz"), _STATION_INERTIA, strict=True)
    ),
)

STATION_NOTE = (
    "The station is rigid, its frame is at its centre of mass, and where the arm stands on it "
    "is made up."
)


def orbiter() -> Body:
    """A Space Shuttle orbiter, its frame at its centre of mass: x forward, z up."""
    hull = Visual("box", (32.0, 5.2, 5.0), color=TRANSLUCENT)
    wings = Visual("box", (12.0, 23.8, 0.6), Pose.at((-9.0, 0.0, -1.8)), color=TRANSLUCENT)
    inertia = Symmetric3(*_ORBITER_INERTIA)
    visuals = (hull, wings)
    return Body("orbiter", _ORBITER_MASS, Vector3.zero(), inertia, visuals=visuals)


ORBITER_ASSUMED = (
    Assumption(
        parameter="orbiter.mass",
        value=_ORBITER_MASS,
        low=80_000.0,
        high=115_000.0,
        reason="an orbiter in orbit with a light cargo; no document read",
    ),
    *(
        Assumption(
            parameter=f"orbiter.inertia.{axis}",
            value=moment,
            low=0.93 * moment,
            high=1.07 * moment,
            reason="order of size of an orbiter with a light cargo; no document read",
        )
        for axis, moment in zip(("xx", "yy", "zz"), _ORBITER_INERTIA, strict=True)
    ),
)


def on_vehicle(name: str, vehicle: Body, *arms: Chain) -> System:
    """Arms on a vehicle that floats freely."""
    bodies = (vehicle, *(body for arm in arms for body in arm.bodies))
    base = Joint("base", Free(), WORLD, vehicle.name)
    joints = (base, *(joint for arm in arms for joint in arm.joints))
    return System(name, bodies, joints, tuple(arm.tool for arm in arms))
