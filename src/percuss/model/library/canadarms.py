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
        joint="shoulder_grapple",
        axis=None,
        body="shoulder_end_effector",
        mass=243.66,
        inertia=Symmetric3(9.336, 44.413, 44.413),
        end=(1.3589, 0.0, 0.0),
        radius=0.2,
        turn=_HALF_TURN,
    ),
    Link(
        joint="shoulder_roll",
        axis=_X,
        body="shoulder_roll_joint",
        mass=105.98,
        inertia=Symmetric3(12.19, 12.13, 3.061),
        end=(0.0, 0.0, 0.7026),
        radius=0.2,
        limits=_SSRMS,
    ),
    Link(
        joint="shoulder_yaw",
        axis=_Z,
        body="shoulder_yaw_joint",
        mass=105.98,
        inertia=Symmetric3(8.088, 3.061, 8.446),
        end=(0.0, -0.5692, 0.0),
        radius=0.2,
        limits=_SSRMS,
    ),
    Link(
        joint="shoulder_pitch",
        axis=_Y,
        body="upper_boom",
        mass=314.88,
        inertia=Symmetric3(15.41, 2094.71, 2103.19, 49.52),
        end=(7.11, -0.475, 0.0),
        radius=0.175,
        limits=_SSRMS,
        spread=_BOOM,
    ),
    Link(
        joint="elbow_pitch",
        axis=_Y,
        body="lower_boom",
        mass=279.2,
        inertia=Symmetric3(9.522, 1966.28, 1966.28, -39.95),
        end=(7.11, 0.0, 0.0),
        radius=0.175,
        limits=_SSRMS,
        spread=_BOOM,
    ),
    Link(
        joint="wrist_pitch",
        axis=_Y,
        body="wrist_pitch_joint",
        mass=105.98,
        inertia=Symmetric3(8.305, 3.061, 8.0386),
        end=(0.0, -0.5692, 0.0),
        radius=0.2,
        limits=_SSRMS,
    ),
    Link(
        joint="wrist_yaw",
        axis=_Z,
        body="wrist_yaw_joint",
        mass=105.98,
        inertia=Symmetric3(12.13, 12.13, 3.061),
        end=(0.0, 0.0, -0.7026),
        radius=0.2,
        limits=_SSRMS,
    ),
    Link(
        joint="wrist_roll",
        axis=_X,
        body="end_effector",
        mass=243.66,
        inertia=Symmetric3(9.336, 44.41, 44.41),
        end=(1.3589, 0.0, 0.0),
        radius=0.2,
        limits=_SSRMS,
    ),
)


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
        joint="shoulder_mount",
        axis=None,
        body="shoulder_base",
        mass=63.24,
        inertia=Symmetric3(xx=3.664, yy=3.803, zz=0.686, xy=0.0044, xz=0.0047, yz=0.506),
        end=(0.0, 0.0, -0.5172),
        radius=0.19,
        turn=_HALF_TURN,
    ),
    Link(
        joint="shoulder_yaw",
        axis=_Z,
        body="shoulder_yaw_joint",
        mass=32.12,
        inertia=Symmetric3(xx=1.115, yy=1.417, zz=0.595, xy=-0.019, xz=-0.08, yz=-0.037),
        end=(0.0, 0.0, -0.3048),
        radius=0.19,
        limits=Limits(-3.0962, 3.0962, 0.03997, 1570.0),
    ),
    Link(
        joint="shoulder_pitch",
        axis=_Y,
        body="upper_boom",
        mass=139.35,
        inertia=Symmetric3(xx=3.225, yy=998.63, zz=997.18, xy=-1.928, xz=9.185, yz=-0.0302),
        end=(6.377, 0.0, -0.1524),
        radius=0.19,
        limits=Limits(0.0, 2.485, 0.03997, 1570.0),
        spread=_BOOM,
    ),
    Link(
        joint="elbow_pitch",
        axis=_Y,
        body="lower_boom",
        mass=87.42,
        inertia=Symmetric3(xx=1.59, yy=632.9, zz=632.51, xy=0.8021, xz=-3.786, yz=-0.08),
        end=(7.06, 0.0, -0.1524),
        radius=0.19,
        limits=Limits(-2.75064, 0.0, 0.0560, 1074.0),
        spread=_BOOM,
    ),
    Link(
        joint="wrist_pitch",
        axis=_Y,
        body="wrist_pitch_joint",
        mass=8.48,
        inertia=Symmetric3(0.0893, 0.402, 0.402),
        end=(0.4572, 0.0, 0.0),
        radius=0.17,
        limits=Limits(-2.0316, 2.0316, 0.0831, 470.0),
    ),
    Link(
        joint="wrist_yaw",
        axis=_Z,
        body="wrist_yaw_joint",
        mass=45.94,
        inertia=Symmetric3(0.408, 4.68, 4.68),
        end=(0.762, 0.0, 0.0),
        radius=0.17,
        limits=Limits(-2.0316, 2.0316, 0.0831, 470.0),
    ),
    Link(
        joint="wrist_roll",
        axis=_X,
        body="end_effector",
        mass=45.21,
        inertia=Symmetric3(xx=1.903, yy=3.816, zz=2.823, xy=0.385, xz=0.966, yz=0.353),
        end=(0.6604, 0.0, 0.0),
        radius=0.17,
        limits=Limits(-7.714, 7.714, 0.0831, 470.0),
    ),
)


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
