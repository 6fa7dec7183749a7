"""The record of the orbit in which an encounter happens."""

from __future__ import annotations

from dataclasses import dataclass

from percuss.encounter.records.impact import Axial, Vector


@dataclass(frozen=True)
class LocalTargetState:
    """Where the target is and how it moves in the local orbital frame, which turns."""

    position: Vector
    """The position of the centre of mass, m."""
    linear: Vector
    """The velocity of the centre of mass as seen in that frame, m/s."""
    angular: Axial
    """The angular velocity as seen in that frame, rad/s; one number in the plane."""


@dataclass(frozen=True)
class OrbitRecord:
    """The circular orbit that the world's origin follows."""

    semi_major_axis: float
    """The radius of the orbit from the Earth's centre, m."""
    mean_motion: float
    """The rate at which the local orbital frame turns, rad/s."""
    period: float
    """The time of a revolution, s."""
    field: str
    """The gravity field is clohessy-wiltshire, linear in the distance, or two-body, exact."""
    velocities: str
    """The scenario's velocities are read in the local frame, which turns, or in inertial axes."""
    angle: float
    """The local orbital frame has turned by this angle at the end of the run, rad."""
    target: LocalTargetState | None
    """The target at the end of the run; None without one."""
