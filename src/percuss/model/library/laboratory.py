"""A laboratory arm that floats on an air bearing."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from percuss.algebra.poses import Pose
from percuss.algebra.vectors import Symmetric3, Vector3
from percuss.model.bodies import Visual, cylinder
from percuss.model.dh import DHLink, dh_arm
from percuss.model.joints import Planar
from percuss.model.library.chains import QUARTER, Triple, degrees, strut
from percuss.model.library.entry import Assumption, library_entry
from percuss.model.systems import Limits, System

_PLATFORM = 80.0
_RADIUS = 0.06
"""m: of the arm's tubes, for their unpublished inertias."""
_STRONG, _WEAK = 150.0, 28.0
"""N m: largest torques of the larger and the smaller joints; the manufacturer's, remembered."""


@dataclass(frozen=True)
class _Row:
    """A row of the manufacturer's table: standard DH, mass (kg), centre of mass (m, DH frame)."""

    a: float
    d: float
    alpha: float
    mass: float
    com: Triple
    torque: float


_ROWS = (
    _Row(a=0.0, d=0.1625, alpha=QUARTER, mass=3.761, com=(0.0, -0.02561, 0.00193), torque=_STRONG),
    _Row(a=-0.425, d=0.0, alpha=0.0, mass=8.058, com=(0.2125, 0.0, 0.11336), torque=_STRONG),
    _Row(a=-0.3922, d=0.0, alpha=0.0, mass=2.846, com=(0.15, 0.0, 0.0265), torque=_STRONG),
    _Row(a=0.0, d=0.1333, alpha=QUARTER, mass=1.37, com=(0.0, -0.0018, 0.01634), torque=_WEAK),
    _Row(a=0.0, d=0.0997, alpha=-QUARTER, mass=1.3, com=(0.0, 0.0018, 0.01634), torque=_WEAK),
    _Row(a=0.0, d=0.0996, alpha=0.0, mass=0.365, com=(0.0, 0.0, -0.001159), torque=_WEAK),
)


def _tube_inertia(row: _Row) -> Symmetric3:
    """A thin tube as long as the link: along x where it has a length a, along the old z else."""
    length = abs(row.a) or row.d
    axial = row.mass * _RADIUS**2
    across = axial / 2.0 + row.mass * length**2 / 12.0
    if row.a:
        return Symmetric3(axial, across, across)
    # The offset d is along the joint's axis: y of the DH frame where α is a quarter turn.
    return Symmetric3(across, axial, across) if row.alpha else Symmetric3(across, across, axial)


_JOINTS = ("shoulder_pan", "shoulder_lift", "elbow", "wrist1", "wrist2", "wrist3")
_UNPUBLISHED = "the manufacturer's table has none: that of a thin tube of 6 cm radius"


def _inertia_assumptions() -> tuple[Assumption, ...]:
    """The links' moments about their own axes, each within what the two others allow."""
    found: list[Assumption] = []
    for k, row in enumerate(_ROWS, start=1):
        axis = "xx" if row.a else "yy" if row.alpha else "zz"
        value = float(getattr(_tube_inertia(row), axis))
        found.append(
            Assumption(
                parameter=f"link{k}.inertia.{axis}",
                value=value,
                low=0.6 * value,
                high=1.4 * value,
                reason=_UNPUBLISHED,
            )
        )
    return tuple(found)


@library_entry(
    "air-bearing-ur",
    "robot",
    "UR5e laboratory arm, 6 joints, on an air-bearing platform under gravity",
    "Universal Robots, parameters for calculations of kinematics and dynamics (DH table, masses "
    "and centres of mass of the UR5e); the platform is made up",
    group="laboratory arms",
    assumed=(
        Assumption(
            parameter="platform.mass",
            value=_PLATFORM,
            low=40.0,
            high=200.0,
            reason="made up: the size of laboratory platforms",
        ),
        *_inertia_assumptions(),
    ),
    posture=degrees(
        shoulder_pan=180.0,
        shoulder_lift=-60.0,
        elbow=90.0,
        wrist1=-30.0,
        wrist2=90.0,
        wrist3=0.0,
    ),
    notes=(
        "The platform glides on a level floor: its base moves in x and y and turns about z. "
        "Gravity is on, as in a laboratory.",
        "Joint ranges of ±360°, 180°/s and torques of 150 and 28 N m are the manufacturer's, "
        "remembered.",
    ),
)
def air_bearing_ur() -> System:
    platform = cylinder("platform", 0.3, 0.5, _PLATFORM)
    links = [
        DHLink(
            a=row.a,
            alpha=row.alpha,
            d=row.d,
            theta=0.0,
            mass=row.mass,
            com=row.com,
            inertia=_tube_inertia(row),
            limits=Limits(-2.0 * math.pi, 2.0 * math.pi, math.pi, row.torque),
        )
        for row in _ROWS
    ]
    arm = dh_arm(links, base=platform, mount=Pose.at((0.15, 0.0, 0.25)), gravity=(0, 0, -9.81))
    names = {f"joint{k}": name for k, name in enumerate(_JOINTS, start=1)}
    looks = {f"link{k}": _look(row) for k, row in enumerate(_ROWS, start=1)}
    return replace(
        arm,
        bodies=tuple(
            replace(body, visuals=(looks[body.name],)) if body.name in looks else body
            for body in arm.bodies
        ),
        joints=tuple(
            replace(joint, motion=Planar())
            if joint is arm.base_joint
            else replace(joint, name=names[joint.name])
            for joint in arm.joints
        ),
    )


def _look(row: _Row) -> Visual:
    """A tube from the link's joint to its DH frame."""
    if row.a:
        return strut((-row.a, 0.0, 0.0), _RADIUS)
    back = Pose.at(rpy=(row.alpha, 0.0, 0.0)).rotation.inverse() @ Vector3(0.0, 0.0, -row.d)
    return strut((float(back.x), float(back.y), float(back.z)), 0.75 * _RADIUS)  # type: ignore[arg-type]


ENTRIES = (air_bearing_ur,)
