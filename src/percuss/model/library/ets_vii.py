"""The chaser of Engineering Test Satellite VII with its arm."""

from __future__ import annotations

import math

from percuss.algebra.poses import Pose
from percuss.algebra.vectors import Symmetric3, Vector3
from percuss.model.bodies import Body, Visual
from percuss.model.library.chains import QUARTER, Link, centre_assumptions, chain, degrees
from percuss.model.library.entry import PUBLISHED, Assumption, library_entry
from percuss.model.library.vehicles import on_vehicle
from percuss.model.systems import Limits, System

_Z = (0.0, 0.0, 1.0)
_LIMITS = Limits(-3.0, 3.0, 0.5, 1000.0)
"""Those of the OnOrbitROS model (Ramón, Pomares & Felicetti 2023): wide."""


def _physical(xx: float, yy: float, zz: float) -> Symmetric3:
    """The moments with the least change that some mass distribution has.

    In terms of the second moments of mass, s = (xx + yy + zz) / 2 − moment, a tensor is
    physical when none is negative; a negative one becomes zero.
    """
    half = (xx + yy + zz) / 2.0
    seconds = [max(half - moment, 0.0) for moment in (xx, yy, zz)]
    return Symmetric3(*(sum(seconds) - second for second in seconds))


LINKS = (
    Link(
        joint="joint1",
        axis=_Z,
        body="link1",
        mass=35.0,
        inertia=_physical(0.25, 0.25, 1.69),
        end=(0.0, -0.275, 0.35),
        radius=0.1,
        limits=_LIMITS,
        turn=(0.0, 0.0, math.pi),
    ),
    Link(
        joint="joint2",
        axis=_Z,
        body="link2",
        mass=22.5,
        inertia=_physical(0.1, 1.31, 3.75),
        end=(0.0, -0.87, 0.0),
        radius=0.08,
        limits=_LIMITS,
        turn=(-QUARTER, 0.0, 0.0),
    ),
    Link(
        joint="joint3",
        axis=_Z,
        body="link3",
        mass=21.9,
        inertia=_physical(0.1, 0.71, 2.53),
        end=(-0.63, 0.0, 0.0),
        radius=0.08,
        limits=_LIMITS,
    ),
    Link(
        joint="joint4",
        axis=_Z,
        body="link4",
        mass=16.5,
        inertia=_physical(0.15, 0.15, 0.072),
        end=(0.0, 0.0, 0.26),
        radius=0.08,
        limits=_LIMITS,
    ),
    Link(
        joint="joint5",
        axis=_Z,
        body="link5",
        mass=26.0,
        inertia=_physical(0.15, 0.15, 0.13),
        end=(0.0, 0.0, 0.28),
        radius=0.08,
        limits=_LIMITS,
        turn=(QUARTER, 0.0, 0.0),
    ),
    Link(
        joint="joint6",
        axis=_Z,
        body="link6",
        mass=18.5,
        inertia=_physical(0.97, 0.97, 0.26),
        end=(0.0, 0.0, 0.53),
        radius=0.08,
        limits=_LIMITS,
        turn=(0.0, -QUARTER, 0.0),
    ),
)

# Link, moment and its value after the repair; its range ends where a slender link would be.
_REPAIRED = tuple(
    Assumption(
        parameter=f"{link.body}.inertia.{axis}",
        value=value,
        low=value,
        high=float(link.inertia.zz),  # type: ignore[arg-type]
        reason="the transcribed moments break the triangle inequality; raised as little as "
        "possible, at most to that of a slender link",
    )
    for link in LINKS[:3]
    for axis, value in (("xx", float(link.inertia.xx)), ("yy", float(link.inertia.yy)))  # type: ignore[arg-type]
)


@library_entry(
    "ets-vii",
    "robot",
    "ETS-VII chaser, 2550 kg, with its 6-joint arm",
    "Yoshida, Engineering Test Satellite VII flight experiments, Int. J. Robotics Research 22(5) "
    "(2003) 321, table 1 (read as an image) and figure 5; kinematics and transverse moments from "
    "the public TraceableRobotModels, after Yoshida & Abiko 2002",
    group=PUBLISHED,
    assumed=(
        *centre_assumptions(LINKS, "not published: midway between its joint and the next"),
        *_REPAIRED,
    ),
    posture=degrees(joint1=0.0, joint2=-30.0, joint3=60.0, joint4=60.0, joint5=0.0, joint6=0.0),
    notes=(
        "Table 1 gives masses and the moments about the joint axes; the transverse moments of "
        "links 1 to 3 in the transcription, (0.25, 0.25), (0.1, 1.31) and (0.1, 0.71) kg m², "
        "break the triangle inequality and are raised to (0.845, 0.845), (1.27, 2.48) and "
        "(0.96, 1.57); the published moments about the joint axes stay.",
        "The reference point of the inertias is not published; read as the centre of mass.",
        "Limits are those of the OnOrbitROS model of Ramón, Pomares & Felicetti (2023), and wide: "
        "±3 rad, 0.5 rad/s, 1000 N m.",
    ),
)
def ets_vii() -> System:
    # As written in table 1; the sign convention of the products is not stated there.
    inertia = Symmetric3(xx=6200.0, yy=3540.0, zz=7090.0, xy=48.2, xz=78.5, yz=-29.2)
    look = Visual("box", (2.6, 2.3, 2.0))
    base = Body("satellite", 2550.0, Vector3.zero(), inertia, visuals=(look,))
    mount = Pose.at((-0.79, -0.29, 1.0))
    return on_vehicle("ets-vii", base, chain(LINKS, "satellite", mount))


ENTRIES = (ets_vii,)
