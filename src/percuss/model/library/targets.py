"""Targets in orbit: satellites, rocket stages and visiting vehicles.

Each is one body with its frame at the centre of mass, one solid shape (solar panels are drawn
translucent: no obstacle) and a frame "grip" on its surface.
"""

from __future__ import annotations

import math

from percuss.algebra.poses import Pose
from percuss.algebra.vectors import Symmetric3, Vector3
from percuss.model.bodies import Body, Visual, box
from percuss.model.library.entry import Assumption, library_entry
from percuss.model.library.target_parts import caught, moment_assumptions, panel, panels, shell
from percuss.model.systems import System

_GROUP = "targets in orbit"
_GRIP = "The grip is made up."
_ALONG_X = (0.0, math.pi / 2, 0.0)


@library_entry(
    "envisat",
    "target",
    "Envisat, 7.8 t, dead in orbit since 2012 and tumbling",
    "inertia used alike by several public codes, primary document not seen; grip made up",
    group=_GROUP,
    assumed=(
        Assumption(
            parameter="target.mass",
            value=7827.867,
            low=7800.0,
            high=8211.0,
            reason="public codes agree on 7828 kg; 8211 kg at launch",
        ),
    ),
    notes=(
        "Spin: 134.74 s a turn on 2013-09-25 (2.67 deg/s), 226 s in March 2017 (1.59 deg/s), by "
        "laser ranging; e.Deorbit was designed for 5 deg/s.",
        "The sign convention of the products of inertia is not stated in the codes.",
    ),
)
def envisat() -> System:
    inertia = Symmetric3(xx=17023.3, yy=124825.7, zz=129112.2, xy=397.1, xz=-2171.4, yz=344.2)
    look = Visual("box", (10.0, 2.75, 2.75))
    body = Body("target", 7827.867, Vector3.zero(), inertia, visuals=(look,))
    # The one solar array, 14 m × 5 m, at the end away from the grip; for drawing.
    array = panel((5.0, 14.0, 0.05), (-4.5, 8.5, 0.0))
    return caught(body, (5.0, 0.0, 0.0), array)


@library_entry(
    "hubble",
    "target",
    "Hubble Space Telescope, 11.1 t, 13.2 m long",
    "mass and size: NASA's Hubble quick facts; principal moments: a public course code, primary "
    "document not seen",
    group=_GROUP,
    assumed=(
        Assumption(
            parameter="target.mass",
            value=11110.0,
            low=10800.0,
            high=12247.0,
            reason="at launch; 12247 kg after the last servicing",
        ),
        *(
            Assumption(
                parameter=f"target.inertia.{key}",
                value=value,
                low=low * value,
                high=high * value,
                reason="from a course code only",
            )
            for key, value, low, high in (
                ("xx", 28525.53, 0.8, 1.2),
                ("yy", 181630.81, 0.9, 1.1),
                ("zz", 174815.86, 0.9, 1.1),
            )
        ),
    ),
    notes=("The tube lies along x.", _GRIP),
)
def hubble() -> System:
    inertia = Symmetric3(28525.53, 181630.81, 174815.86)
    tube = Visual("cylinder", (2.1, 13.2), Pose.at(rpy=_ALONG_X))
    body = Body("target", 11110.0, Vector3.zero(), inertia, visuals=(tube,))
    # A grapple fixture on the side of the tube.
    return caught(body, (-2.0, 0.0, -2.1), *panels((2.6, 7.1, 0.05), (0.0, 6.0, 0.0)))


_STAGE = "an empty thin shell; tanks and engine shift mass to the ends or the axis"


@library_entry(
    "zenit-2-stage",
    "target",
    "second stage of Zenit-2 (SL-16), 8.3 t, 11.5 m: the heaviest class of debris",
    "dry mass and size from public catalogues, read in notes; inertia of a thin shell",
    group=_GROUP,
    assumed=(
        Assumption(
            parameter="target.mass",
            value=8300.0,
            low=8300.0,
            high=9000.0,
            reason="catalogues give 8300 to 9000 kg",
        ),
        *moment_assumptions(shell(1.95, 11.5, 8300.0), 0.9, 1.1, _STAGE),
    ),
    notes=(
        "Spin: abandoned stages tumble; no figure of one was read.",
        "The grip is on the rim of its forward end, made up.",
    ),
)
def zenit_two_stage() -> System:
    return caught(shell(1.95, 11.5, 8300.0), (1.95, 0.0, 5.75))


@library_entry(
    "kosmos-3m-stage",
    "target",
    "second stage of Kosmos-3M (SL-8), 1.4 t, 6 m",
    "dry mass and size from public catalogues, read in notes; inertia of a thin shell",
    group=_GROUP,
    assumed=(
        Assumption(
            parameter="target.mass",
            value=1435.0,
            low=1400.0,
            high=1500.0,
            reason="catalogues give about 1.4 t",
        ),
        *moment_assumptions(shell(1.2, 6.0, 1435.0), 0.9, 1.1, _STAGE),
    ),
    notes=("The grip is on the rim of its forward end, made up.",),
)
def kosmos_three_m_stage() -> System:
    return caught(shell(1.2, 6.0, 1435.0), (1.2, 0.0, 3.0))


_HTV_RADIUS, _HTV_LENGTH, _HTV_MASS = 2.2, 9.8, 16_500.0


def _htv() -> Body:
    """Between a homogeneous cylinder and a shell: full of racks, with a wall that weighs."""
    axial = 0.75 * _HTV_MASS * _HTV_RADIUS**2
    across = axial / 2.0 + _HTV_MASS * _HTV_LENGTH**2 / 12.0
    look = Visual("cylinder", (_HTV_RADIUS, _HTV_LENGTH))
    return Body(
        "target",
        _HTV_MASS,
        Vector3.zero(),
        Symmetric3(across, across, axial),
        planar_only=False,
        visuals=(look,),
    )


@library_entry(
    "htv-like",
    "target",
    "a free flyer like HTV (Kounotori): 16.5 t, 4.4 m × 9.8 m",
    "size: public descriptions of HTV (4.4 m across, 9.8 m long); mass: the largest at launch, "
    "remembered; inertia between a homogeneous cylinder and a shell",
    group=_GROUP,
    assumed=(
        Assumption(
            parameter="target.mass",
            value=_HTV_MASS,
            low=10_500.0,
            high=16_500.0,
            reason="empty 10.5 t, at most 16.5 t at launch",
        ),
        *moment_assumptions(
            _htv(), 0.8, 1.2, "no inertia published; from a homogeneous cylinder to a shell"
        ),
    ),
    notes=("Captured in free drift, 10 m below the station.", "The grip is on its side, made up."),
)
def htv_like() -> System:
    return caught(_htv(), (_HTV_RADIUS, 0.0, 1.0))


_BOX = "a homogeneous box of the satellite's size"


@library_entry(
    "ets-vii-target",
    "target",
    "target satellite of ETS-VII (Orihime), 410 kg",
    "mass: an encyclopedia page on ETS-VII; size 0.65 × 1.7 × 1.5 m remembered; inertia that of a "
    "box",
    group=_GROUP,
    assumed=moment_assumptions(box("target", (0.65, 1.7, 1.5), 410.0), 0.9, 1.1, _BOX),
    notes=(_GRIP,),
)
def ets_vii_target() -> System:
    return caught(box("target", (0.65, 1.7, 1.5), 410.0), (-0.325, 0.0, 0.0))


@library_entry(
    "nextsat",
    "target",
    "NextSat, the client of Orbital Express, 224 kg",
    "mass: eoPortal's figures on Orbital Express, read in notes; size 1 × 1 × 1.2 m assumed; "
    "inertia that of a box",
    group=_GROUP,
    assumed=moment_assumptions(box("target", (1.0, 1.0, 1.2), 224.0), 0.8, 1.2, _BOX),
    notes=(_GRIP,),
)
def nextsat() -> System:
    array = panel((1.0, 2.5, 0.05), (0.0, -1.75, 0.3))
    return caught(box("target", (1.0, 1.0, 1.2), 224.0), (0.0, 0.0, 0.6), array)


@library_entry(
    "tiangong-1",
    "target",
    "Tiangong-1 before its re-entry in 2018, 8.5 t, 10.4 m",
    "mass, size and principal moments: Earth, Planets and Space (2019), figure caption, article "
    "s40623-019-0996-8",
    group=_GROUP,
    notes=("The long axis is x. Two panels of 7 × 3 m are drawn.", _GRIP),
)
def tiangong_one() -> System:
    inertia = Symmetric3(16403.01, 70915.56, 76392.38)
    hull = Visual("cylinder", (1.675, 10.4), Pose.at(rpy=_ALONG_X))
    body = Body("target", 8500.0, Vector3.zero(), inertia, visuals=(hull,))
    return caught(body, (5.2, 0.0, 0.0), *panels((3.0, 7.0, 0.05), (-2.0, 5.2, 0.0)))


_CUBESAT = "CubeSats are not homogeneous"


@library_entry(
    "cubesat-1u",
    "target",
    "CubeSat of one unit, 1.33 kg",
    "CubeSat Design Specification, remembered: 0.1 m cube, at most 1.33 kg; homogeneous",
    group=_GROUP,
    assumed=moment_assumptions(box("target", (0.1, 0.1, 0.1), 1.33), 0.7, 1.9, _CUBESAT),
    notes=("A public code uses 0.0042 kg m², nearly twice the homogeneous cube's.", _GRIP),
)
def cubesat_one() -> System:
    return caught(box("target", (0.1, 0.1, 0.1), 1.33), (0.05, 0.0, 0.0))


@library_entry(
    "cubesat-3u",
    "target",
    "CubeSat of three units, 4 kg",
    "CubeSat Design Specification, remembered: 0.1 × 0.1 × 0.3405 m, at most 4 kg; homogeneous",
    group=_GROUP,
    assumed=moment_assumptions(box("target", (0.1, 0.1, 0.3405), 4.0), 0.9, 1.1, _CUBESAT),
    notes=(_GRIP,),
)
def cubesat_three() -> System:
    return caught(box("target", (0.1, 0.1, 0.3405), 4.0), (0.0, 0.0, 0.17025))


@library_entry(
    "cubesat-6u",
    "target",
    "CubeSat of six units, 6 kg",
    "inertia: CAD of a 6U CubeSat by AFRL, August 2015; mass from an older script of the same",
    group=_GROUP,
    assumed=(
        Assumption(
            parameter="target.mass",
            value=6.0,
            low=6.0,
            high=12.0,
            reason="mass of that CAD not read",
        ),
    ),
    notes=(_GRIP,),
)
def cubesat_six() -> System:
    inertia = Symmetric3(0.0218750459, 0.0443656803, 0.0559267451)
    look = Visual("box", (0.366, 0.2263, 0.1))
    body = Body("target", 6.0, Vector3.zero(), inertia, visuals=(look,))
    return caught(body, (0.183, 0.0, 0.0))


@library_entry(
    "rendezvous-target",
    "target",
    "tumbling satellite of 130 kg",
    "Virgili-Llop & Romano 2019, table 1 (read in notes); grip made up",
    group=_GROUP,
    notes=("Caught in that study at 0 to 10 deg/s.",),
)
def rendezvous_target() -> System:
    inertia = Symmetric3(98.54, 54.84, 72.55)
    look = Visual("box", (1.0, 1.6, 1.3))
    body = Body("target", 130.0, Vector3.zero(), inertia, visuals=(look,))
    return caught(body, (0.5, 0.0, 0.0))


ENTRIES = (
    envisat,
    hubble,
    zenit_two_stage,
    kosmos_three_m_stage,
    htv_like,
    ets_vii_target,
    nextsat,
    tiangong_one,
    cubesat_one,
    cubesat_three,
    cubesat_six,
    rendezvous_target,
)
