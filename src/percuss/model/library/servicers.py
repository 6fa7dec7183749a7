"""Servicing satellites whose arms are not published link by link."""

from __future__ import annotations

import math

from percuss.algebra.poses import Pose
from percuss.model.bodies import box
from percuss.model.library.chains import degrees
from percuss.model.library.entry import GENERATED, Assumption, library_entry
from percuss.model.library.generated import (
    Segment,
    SlenderArm,
    share_assumptions,
    slender_arm,
    tip_limits,
)
from percuss.model.library.station_arms import SIX
from percuss.model.library.vehicles import on_vehicle
from percuss.model.systems import Limits, System

_ASTRO = 900.0 + 135.0
"""kg: dry, and its hydrazine."""
_ASTRO_ARM = SlenderArm(tip_limits(SlenderArm(SIX, 71.0).scaled(3.3).segments, 0.1, 50.0), 71.0)
_ASTRO_SIZE = (1.75, 1.75, 1.8)
"""m: assumed."""


@library_entry(
    "orbital-express-like",
    "robot",
    "Orbital Express ASTRO: 1035 kg with an arm of 6 joints, 3.3 m, 71 kg",
    "eoPortal's figures on Orbital Express (masses, reach), read in notes; proportions of the "
    "SRMS; links made by percuss",
    group=GENERATED,
    assumed=(
        Assumption(
            parameter="satellite.mass",
            value=_ASTRO - 71.0,
            low=829.0,
            high=_ASTRO,
            reason="dry mass and all of the hydrazine, the arm counted in; from an empty tank to "
            "the arm not counted in",
        ),
        *share_assumptions(_ASTRO_ARM),
    ),
    posture=degrees(
        shoulder_yaw=0.0,
        shoulder_pitch=-40.0,
        elbow_pitch=90.0,
        wrist_pitch=-50.0,
        wrist_yaw=0.0,
        wrist_roll=0.0,
    ),
    notes=(
        "Limits follow from the tip of the straight arm, 0.1 m/s and 50 N, both assumed.",
        "The satellite is a homogeneous box of 1.75 × 1.75 × 1.8 m, assumed.",
    ),
)
def orbital_express_like() -> System:
    base = box("satellite", _ASTRO_SIZE, _ASTRO - 71.0)
    mount = Pose.at((0.5, 0.0, _ASTRO_SIZE[2] / 2.0))
    return on_vehicle("orbital-express-like", base, slender_arm(_ASTRO_ARM, "satellite", mount))


_DEORBIT = 1380.0
"""kg: chaser with its arm."""
_DEORBIT_LIMITS = Limits(-math.pi, math.pi, math.radians(10.0), 176.0)
_DEORBIT_ARM = SlenderArm(
    tuple(
        Segment(joint, axis, length, _DEORBIT_LIMITS)
        for joint, axis, length in (
            ("shoulder_roll", "z", 0.256),
            ("shoulder_pitch", "y", 1.774),
            ("upper_arm_roll", "z", 0.126),
            ("elbow_pitch", "y", 1.604),
            ("forearm_roll", "z", 0.126),
            ("wrist_pitch", "y", 0.126),
            ("wrist_roll", "z", 0.294),
        )
    ),
    82.0,
).scaled(4.3)
_DEORBIT_SIZE = (1.6, 1.6, 2.0)
"""m: assumed."""


@library_entry(
    "e-deorbit-like",
    "robot",
    "e.Deorbit chaser: 1380 kg with an arm of 7 joints, 4.3 m",
    "Jaekel et al. 2018 (mass, reach, joint torque and rate), read in notes; arm mass and "
    "proportions of the public seven-joint sample of SPART 2.0, which is as long; links made by "
    "percuss",
    group=GENERATED,
    assumed=(
        Assumption(
            parameter="satellite.mass",
            value=_DEORBIT - 82.0,
            low=1200.0,
            high=_DEORBIT,
            reason="1380 kg taken to count the arm in, whose mass is not published",
        ),
        *share_assumptions(_DEORBIT_ARM),
    ),
    posture=degrees(
        shoulder_roll=0.0,
        shoulder_pitch=-50.0,
        upper_arm_roll=0.0,
        elbow_pitch=100.0,
        forearm_roll=0.0,
        wrist_pitch=-50.0,
        wrist_roll=0.0,
    ),
    notes=(
        "Joint torque 176 N m is the peak; the nominal one is 80 N m. Joints turn by half a turn "
        "each way, which is assumed.",
        "The satellite is a homogeneous box of 1.6 × 1.6 × 2.0 m, assumed.",
    ),
)
def e_deorbit_like() -> System:
    base = box("satellite", _DEORBIT_SIZE, _DEORBIT - 82.0)
    mount = Pose.at((0.5, 0.0, _DEORBIT_SIZE[2] / 2.0))
    return on_vehicle("e-deorbit-like", base, slender_arm(_DEORBIT_ARM, "satellite", mount))


ENTRIES = (orbital_express_like, e_deorbit_like)
