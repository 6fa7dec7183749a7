"""Records of how a captured target was brought to rest."""

from __future__ import annotations

from dataclasses import dataclass

from percuss.control.settling import ThrusterUse, WheelHistory
from percuss.encounter.records.impact import Axial, Vector


@dataclass(frozen=True)
class RemainingMotion:
    """The motion that chaser and target have left at the end, if all joints were held then."""

    linear_momentum: Vector
    """The linear momentum, N s, world axes."""
    angular_momentum: Axial
    """The angular momentum about the common centre of mass, N m s, world axes."""
    spin: float
    """The angular speed of everything held together, rad/s."""
    drift: float
    """The speed of the common centre of mass, m/s."""


@dataclass(frozen=True)
class DumpRecord:
    """Thrusters that empty the wheels: as planned for what these held when it began, and real."""

    momentum: float
    """The momentum to dump, N m s."""
    torque: float
    """The torque of the thrusters, N m."""
    duration: float
    """The planned duration, s."""
    impulse: float | None
    """The planned impulse of the propellant, N s; None where no lever arm is given."""
    end: float | None
    """The wheels are empty from this time of the run on, s; None where they are not in the run."""
    begin: float
    """The dump begins at this time of the run, s."""
    used: float
    """The angular impulse that the thrusters gave after the grasp, N m s."""
    propellant: float | None
    """The impulse of the propellant for that, N s; None where no lever arm is given."""


@dataclass(frozen=True)
class StabilisationRecord:
    """How the motion after a grasp came to rest, and what it took."""

    settling_time: float | None
    """All driven rates stay within 2 % of their peaks from so long after the grasp on, s; None
    where they do not in the run."""
    wheels: WheelHistory | None
    thrusters: ThrusterUse | None
    remaining: RemainingMotion | None
    """The momentum that remains; None on a base that passes it on to the world."""
    dump: DumpRecord | None
    sentences: tuple[str, ...]
    """All of it in words."""
