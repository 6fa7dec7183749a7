"""The arms of the Space Shuttle and of the International Space Station.

Masses, inertias, lengths and limits are those of Nguyen and Hughes (1994) as transcribed in
public URDF files, which put every centre of mass on the joint and say that the inertias are
about that joint. For the booms that cannot be: m (L/2)² alone exceeds the moments given. So
the inertias are read as about the centres of mass, and these are assumed midway.
"""

from __future__ import annotations

import math

from percuss.algebra.poses import Pose
from percuss.algebra.vectors import Symmetric3
from percuss.model.library.chains import QUARTER, Link, centre_assumptions, chain, degrees
from percuss.model.library.entry import PUBLISHED, library_entry
from percuss.model.library.vehicles import (
    ORBITER_ASSUMED,
    STATION_ASSUMED,
    STATION_NOTE,
    on_vehicle,
    orbiter,
    station,
)
from percuss.model.systems import Limits, System

_SOURCE = (
    "Nguyen & Hughes, Teleoperation: from the space shuttle to the space station, Prog. "
    "Astronaut. Aeronaut. 161 (1994) 353, as transcribed in the public TraceableRobotModels "
    "(the paper itself not seen)"
)
_MIDWAY = "not published: midway between its joint and the next"
_READ = (
    "The source puts every centre of mass on the joint; the booms' inertias cannot be about "
    "that point, so all are read as about the centre of mass."
)

_X, _Y, _Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
_BOOM = 0.1
"""Spread of a boom's centre of mass: Space ROS puts those of the SSRMS at 0.53 and 0.47."""
_HALF_TURN = (math.pi, 0.0, 0.0)

_SSRMS = Limits(-4.71239, 4.71239, 0.0698132, 2332.0)

# The boom diameter of 0.35 m is for drawing.
SSRMS_LINKS = (
    Link(
        "shoulder_grapple", None, "shoulder_end_effector", 243.66,
        Symmetric3(9.336, 44.413, 44.413), (1.3589, 0.0, 0.0), 0.2, turn=_HALF_TURN,
    ),
    Link(
        "shoulder_roll", _X, "shoulder_roll_joint", 105.98,
        Symmetric3(12.19, 12.13, 3.061), (0.0, 0.0, 0.7026), 0.2, _SSRMS,
    ),
    Link(
        "shoulder_yaw", _Z, "shoulder_yaw_joint", 105.98,
        Symmetric3(8.088, 3.061, 8.446), (0.0, -0.5692, 0.0), 0.2, _SSRMS,
    ),
    Link(
        "shoulder_pitch", _Y, "upper_boom", 314.88,
        Symmetric3(15.41, 2094.71, 2103.19, 49.52), (7.11, -0.475, 0.0), 0.175, _SSRMS,
        spread=_BOOM,
    ),
    Link(
        "elbow_pitch", _Y, "lower_boom", 279.2,
        Symmetric3(9.522, 1966.28, 1966.28, -39.95), (7.11, 0.0, 0.0), 0.175, _SSRMS,
        spread=_BOOM,
    ),
    Link(
        "wrist_pitch", _Y, "wrist_pitch_joint", 105.98,
        Symmetric3(8.305, 3.061, 8.0386), (0.0, -0.5692, 0.0), 0.2, _SSRMS,
    ),
    Link(
        "wrist_yaw", _Z, "wrist_yaw_joint", 105.98,
        Symmetric3(12.13, 12.13, 3.061), (0.0, 0.0, -0.7026), 0.2, _SSRMS,
    ),
    Link(
        "wrist_roll", _X, "end_effector", 243.66,
        Symmetric3(9.336, 44.41, 44.41), (1.3589, 0.0, 0.0), 0.2, _SSRMS,
    ),
)  # fmt: skip


@library_entry(
    "ssrms",
    "robot",
    "Canadarm2 (SSRMS): 7 joints, 17 m, on the International Space Station",
    _SOURCE,
    group=PUBLISHED,
    assumed=(*STATION_ASSUMED, *centre_assumptions(SSRMS_LINKS, _MIDWAY)),
    posture=degrees(
        shoulder_roll=0.0,
        shoulder_yaw=0.0,
        shoulder_pitch=-60.0,
        elbow_pitch=120.0,
        wrist_pitch=-60.0,
        wrist_yaw=0.0,
        wrist_roll=0.0,
    ),
    notes=(
        "Its links weigh 1505.32 kg together; the Canadian Space Agency gives 1641 kg.",
        _READ,
        STATION_NOTE,
    ),
)
def ssrms() -> System:
    # Upright on the side of the modules that faces the Earth, where free flyers come (made up);
    # 0.75 m of grapple fixture as in the source.
    upright = Pose.at((20.0, 0.0, 6.25), rpy=(0.0, -QUARTER, 0.0))
    mount = upright @ Pose.at((0.75, 0.0, 0.0))
    return on_vehicle("ssrms", station(), chain(SSRMS_LINKS, "station", mount))


SRMS_LINKS = (
    Link(
        "shoulder_mount", None, "shoulder_base", 63.24,
        Symmetric3(3.664, 3.803, 0.686, 0.0044, 0.0047, 0.506), (0.0, 0.0, -0.5172), 0.19,
        turn=_HALF_TURN,
    ),
    Link(
        "shoulder_yaw", _Z, "shoulder_yaw_joint", 32.12,
        Symmetric3(1.115, 1.417, 0.595, -0.019, -0.08, -0.037), (0.0, 0.0, -0.3048), 0.19,
        Limits(-3.0962, 3.0962, 0.03997, 1570.0),
    ),
    Link(
        "shoulder_pitch", _Y, "upper_boom", 139.35,
        Symmetric3(3.225, 998.63, 997.18, -1.928, 9.185, -0.0302), (6.377, 0.0, -0.1524), 0.19,
        Limits(0.0, 2.485, 0.03997, 1570.0), spread=_BOOM,
    ),
    Link(
        "elbow_pitch", _Y, "lower_boom", 87.42,
        Symmetric3(1.59, 632.9, 632.51, 0.8021, -3.786, -0.08), (7.06, 0.0, -0.1524), 0.19,
        Limits(-2.75064, 0.0, 0.0560, 1074.0), spread=_BOOM,
    ),
    Link(
        "wrist_pitch", _Y, "wrist_pitch_joint", 8.48,
        Symmetric3(0.0893, 0.402, 0.402), (0.4572, 0.0, 0.0), 0.17,
        Limits(-2.0316, 2.0316, 0.0831, 470.0),
    ),
    Link(
        "wrist_yaw", _Z, "wrist_yaw_joint", 45.94,
        Symmetric3(0.408, 4.68, 4.68), (0.762, 0.0, 0.0), 0.17,
        Limits(-2.0316, 2.0316, 0.0831, 470.0),
    ),
    Link(
        "wrist_roll", _X, "end_effector", 45.21,
        Symmetric3(1.903, 3.816, 2.823, 0.385, 0.966, 0.353), (0.6604, 0.0, 0.0), 0.17,
        Limits(-7.714, 7.714, 0.0831, 470.0),
    ),
)  # fmt: skip


@library_entry(
    "srms",
    "robot",
    "Canadarm (SRMS): 6 joints, 15.2 m, on a Space Shuttle orbiter",
    _SOURCE,
    group=PUBLISHED,
    assumed=(*ORBITER_ASSUMED, *centre_assumptions(SRMS_LINKS, _MIDWAY)),
    posture=degrees(
        shoulder_yaw=0.0,
        shoulder_pitch=110.0,
        elbow_pitch=-130.0,
        wrist_pitch=110.0,
        wrist_yaw=0.0,
        wrist_roll=0.0,
    ),
    notes=(
        "Its links weigh 421.76 kg together; encyclopedias give 410 kg.",
        _READ,
        "The orbiter is a stand-in; where the arm stands on its longeron is made up.",
    ),
)
def srms() -> System:
    # On the port longeron at the forward end of the payload bay, straight aft at zero joints
    # (made up); 0.5 m as in the source.
    mount = Pose.at((8.0, 2.7, 2.0 + 0.5), rpy=(0.0, 0.0, math.pi))
    return on_vehicle("srms", orbiter(), chain(SRMS_LINKS, "orbiter", mount))


ENTRIES = (ssrms, srms)
