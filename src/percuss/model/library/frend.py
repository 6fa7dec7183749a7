"""The FREND arm on a mission robotic vehicle."""

from __future__ import annotations

from percuss.algebra.poses import Pose
from percuss.algebra.vectors import Symmetric3, Vector3
from percuss.model.bodies import Body, Visual
from percuss.model.library.chains import QUARTER, Link, centre_assumptions, chain, degrees
from percuss.model.library.entry import PUBLISHED, Assumption, library_entry
from percuss.model.library.vehicles import on_vehicle
from percuss.model.systems import Limits, System

_Z = (0.0, 0.0, 1.0)
_UP, _DOWN = (QUARTER, 0.0, 0.0), (-QUARTER, 0.0, 0.0)


def _round(transverse: float, axial: float) -> Symmetric3:
    return Symmetric3(transverse, transverse, axial)


LINKS = (
    Link(
        joint="joint0",
        axis=None,
        body="link0",
        mass=15.8469,
        inertia=_round(0.0890808, 0.0792345),
        end=(0.0, 0.0, 0.178765),
        radius=0.1,
        turn=(0.0, 0.0, 1.047196667),
    ),
    Link(
        joint="joint1",
        axis=_Z,
        body="link1",
        mass=21.4021,
        inertia=_round(0.07836099, 0.02675263),
        end=(0.0, 0.0, 0.178765),
        radius=0.07,
        limits=Limits(-2.792526803, 2.792526803, 0.06981317008, 150.0),
    ),
    Link(
        joint="joint2",
        axis=_Z,
        body="link2",
        mass=16.5794,
        inertia=_round(0.11988023, 0.02072425),
        end=(0.0, 0.0, 0.25908),
        radius=0.07,
        limits=Limits(-1.745329252, 1.745329252, 0.06981317008, 150.0),
        turn=_UP,
    ),
    Link(
        joint="joint3",
        axis=_Z,
        body="link3",
        mass=18.0461,
        inertia=_round(1.43189056, 0.0255763),
        end=(0.0, 0.0, 0.9),
        radius=0.07,
        limits=Limits(-2.967059728, 2.565634, 0.1047197551, 150.0),
        turn=_DOWN,
        spread=0.1,
    ),
    Link(
        joint="joint4",
        axis=_Z,
        body="link4",
        mass=9.7351,
        inertia=_round(0.05850536, 0.01216888),
        end=(0.0, 0.0, -0.22225),
        radius=0.06,
        limits=Limits(-2.967059728, 2.617993878, 0.1047197551, 150.0),
        turn=_UP,
    ),
    Link(
        joint="joint5",
        axis=_Z,
        body="link5",
        mass=7.7539,
        inertia=_round(0.73100869, 0.00969238),
        end=(0.0, 0.0, 0.90017),
        radius=0.06,
        limits=Limits(-4.36332313, 2.617993878, 0.1221730476, 150.0),
        turn=_DOWN,
        spread=0.1,
    ),
    Link(
        joint="joint6",
        axis=_Z,
        body="link6",
        mass=5.582,
        inertia=_round(0.01064042, 0.0069775),
        end=(0.0, 0.0, 0.0),
        radius=0.06,
        limits=Limits(-1.919862177, 1.919862177, 0.1221730476, 150.0),
        turn=_UP,
    ),
    Link(
        joint="joint7",
        axis=_Z,
        body="link7",
        mass=5.2186,
        inertia=_round(0.11721416, 0.00652325),
        end=(0.0, 0.0, 0.2979),
        radius=0.05,
        limits=Limits(-4.310963252, 1.169370599, 0.12217304762, 150.0),
        turn=_DOWN,
    ),
)


@library_entry(
    "frend",
    "robot",
    "FREND arm, 7 joints, on a mission robotic vehicle of 4469 kg",
    "public xacro model of the FREND arm on the Mission Robotic Vehicle by Carnegie Mellon's "
    "Biorobotics Lab, whose comments cite Northrop Grumman documents",
    group=PUBLISHED,
    assumed=(
        *centre_assumptions(LINKS, "left at the joint in the source: midway to the next"),
        *(
            Assumption(
                parameter=f"link6.com.{axis}",
                value=0.0,
                low=-0.05,
                high=0.05,
                reason="left at the joint in the source, where the next axis crosses it",
            )
            for axis in "xyz"
        ),
    ),
    posture=degrees(
        joint1=0.0, joint2=-45.0, joint3=0.0, joint4=90.0, joint5=0.0, joint6=-45.0, joint7=0.0
    ),
    notes=(
        "The inertias are close to those of cylinders about their own centres, so they are read "
        "as about the centres of mass.",
        "The payload on the wrist of the source (421 kg) is left out.",
    ),
)
def frend() -> System:
    inertia = Symmetric3(7979.775268, 7477.102148, 3688.045229)
    look = Visual("box", (2.4, 2.4, 3.9))
    base = Body("vehicle", 4469.0, Vector3.zero(), inertia, visuals=(look,))
    mount = Pose.at((0.3182, -0.3182, 1.9875))
    return on_vehicle("frend", base, chain(LINKS, "vehicle", mount, tool="wrist"))


ENTRIES = (frend,)
