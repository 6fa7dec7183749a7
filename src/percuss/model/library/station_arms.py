"""Arms of the space station whose links are not published, made from length and mass."""

from __future__ import annotations

from percuss.algebra.poses import Pose
from percuss.model.bodies import box
from percuss.model.library.chains import QUARTER, Chain, Link, chain, degrees
from percuss.model.library.entry import GENERATED, Assumption, library_entry
from percuss.model.library.generated import (
    Segment,
    SlenderArm,
    share_assumptions,
    slender_arm,
    tip_limits,
)
from percuss.model.library.vehicles import STATION_ASSUMED, STATION_NOTE, on_vehicle, station
from percuss.model.systems import System

SEVEN = (
    Segment("shoulder_roll", "z", 1.228),
    Segment("shoulder_yaw", "y", 0.340),
    Segment("shoulder_pitch", "x", 4.072),
    Segment("elbow_pitch", "x", 4.072),
    Segment("wrist_pitch", "x", 0.340),
    # Of 1.228 m from the yaw joint to the tip: where the roll joint sits on that way is made up.
    Segment("wrist_yaw", "y", 0.614),
    Segment("wrist_roll", "z", 0.614),
)
"""Lengths as in the ReaK model of ERA, which is the same seen from either end."""

SIX = (
    Segment("shoulder_yaw", "z", 0.3048),
    Segment("shoulder_pitch", "y", 6.377),
    Segment("elbow_pitch", "y", 7.06),
    Segment("wrist_pitch", "y", 0.4572),
    Segment("wrist_yaw", "x", 0.762),
    Segment("wrist_roll", "z", 0.6604),
)
"""Lengths as on the SRMS; other arms of six joints take its proportions."""


def _tip_note(speed: float, speed_from: str, force: float, force_from: str) -> str:
    return (
        f"Limits follow from the tip of the straight arm: {speed:g} m/s ({speed_from}) and "
        f"{force:g} N ({force_from}); joints turn by half a turn each way."
    )


_FACING = Pose.at((20.0, 0.0, 6.25))
"""On the side of the modules that faces the Earth; made up."""

_ERA = SlenderArm(tip_limits(SEVEN, 0.1, 100.0), 630.0)


@library_entry(
    "era-like",
    "robot",
    "European Robotic Arm: 7 joints, 11.3 m, 630 kg, on the station",
    "ESA's page on the European Robotic Arm (length, mass, tip speed); joint spacing from the "
    "public ReaK model; links made by percuss",
    group=GENERATED,
    assumed=(*STATION_ASSUMED, *share_assumptions(_ERA)),
    posture=degrees(
        shoulder_roll=0.0,
        shoulder_yaw=0.0,
        shoulder_pitch=40.0,
        elbow_pitch=-80.0,
        wrist_pitch=40.0,
        wrist_yaw=0.0,
        wrist_roll=0.0,
    ),
    notes=(_tip_note(0.1, "ESA", 100.0, "assumed"), STATION_NOTE),
)
def era_like() -> System:
    return on_vehicle("era-like", station(), slender_arm(_ERA, "station", _FACING))


_MAIN = SlenderArm(tip_limits(SlenderArm(SIX, 780.0).scaled(10.0).segments, 0.06, 30.0), 780.0)
_FINE = SlenderArm(tip_limits(SlenderArm(SIX, 190.0).scaled(2.2).segments, 0.05, 30.0), 190.0)
_BENT_SIX = degrees(
    shoulder_yaw=0.0,
    shoulder_pitch=-40.0,
    elbow_pitch=90.0,
    wrist_pitch=-50.0,
    wrist_yaw=0.0,
    wrist_roll=0.0,
)


@library_entry(
    "jemrms-main-like",
    "robot",
    "main arm of Kibo (JEMRMS): 6 joints, 10 m, 780 kg, on the station",
    "JAXA's glossary entry on JEMRMS (length, mass); proportions of the SRMS; links made by "
    "percuss",
    group=GENERATED,
    assumed=(*STATION_ASSUMED, *share_assumptions(_MAIN)),
    posture=_BENT_SIX,
    notes=(_tip_note(0.06, "unloaded, remembered", 30.0, "remembered"), STATION_NOTE),
)
def jemrms_main_like() -> System:
    return on_vehicle("jemrms-main-like", station(), slender_arm(_MAIN, "station", _FACING))


@library_entry(
    "jemrms-small-fine-like",
    "robot",
    "small fine arm of Kibo (JEMRMS): 6 joints, 2.2 m, 190 kg, on the station",
    "JAXA's glossary entry on JEMRMS (length, mass); proportions of the SRMS; links made by "
    "percuss",
    group=GENERATED,
    assumed=(*STATION_ASSUMED, *share_assumptions(_FINE)),
    posture=_BENT_SIX,
    notes=(
        _tip_note(0.05, "remembered", 30.0, "remembered"),
        "In orbit the main arm holds it; here it stands on the station itself.",
        STATION_NOTE,
    ),
)
def jemrms_small_fine_like() -> System:
    return on_vehicle("jemrms-small-fine-like", station(), slender_arm(_FINE, "station", _FACING))


_DEXTRE = 1662.0
"""kg, all of it."""
_DEXTRE_ARM = 300.0
"""kg: each arm; assumed."""
_DEXTRE_SIZE = (0.9, 1.6, 3.5)
"""m: its body, with the arms folded away; for drawing and for its inertia."""
_SIDES = ("left", "right")


def _dextre_arm(side: str) -> SlenderArm:
    segments = SlenderArm(SEVEN, _DEXTRE_ARM).scaled(3.5).segments
    return SlenderArm(tip_limits(segments, 0.075, 111.0), _DEXTRE_ARM, f"{side}_")


def _dextre_body() -> Link:
    shape = box("trunk", _DEXTRE_SIZE, _DEXTRE - 2.0 * _DEXTRE_ARM)
    return Link(
        joint="grapple_fixture",
        axis=None,
        body="trunk",
        mass=_DEXTRE - 2.0 * _DEXTRE_ARM,
        inertia=shape.inertia,
        end=(0.0, 0.0, _DEXTRE_SIZE[2]),
        radius=_DEXTRE_SIZE[0] / 2.0,
    )


@library_entry(
    "spdm-like",
    "robot",
    "Dextre (SPDM): two arms of 7 joints and 3.5 m on one body, on the station",
    "encyclopedia pages on Dextre (arm length, total mass 1662 kg); proportions of ERA; links "
    "made by percuss",
    group=GENERATED,
    assumed=(
        *STATION_ASSUMED,
        Assumption(
            parameter="trunk.mass",
            value=_DEXTRE - 2.0 * _DEXTRE_ARM,
            low=700.0,
            high=1300.0,
            reason="the total less two arms of 300 kg, which is assumed",
        ),
        *(assumed for side in _SIDES for assumed in share_assumptions(_dextre_arm(side))),
    ),
    posture={
        f"{side}_{joint}": angle
        for side in _SIDES
        for joint, angle in degrees(
            shoulder_roll=0.0,
            shoulder_yaw=0.0,
            shoulder_pitch=50.0,
            elbow_pitch=-100.0,
            wrist_pitch=50.0,
            wrist_yaw=0.0,
            wrist_roll=0.0,
        ).items()
    },
    notes=(
        _tip_note(0.075, "assumed", 111.0, "assumed"),
        "The roll of its body is locked.",
        STATION_NOTE,
    ),
)
def spdm_like() -> System:
    trunk = chain([_dextre_body()], "station", _FACING, tool="trunk_top")
    half = _DEXTRE_SIZE[1] / 2.0
    arms: list[Chain] = []
    for side, y, roll in (("left", half, -QUARTER), ("right", -half, QUARTER)):
        mount = Pose.at((0.0, y, 0.8 * _DEXTRE_SIZE[2]), rpy=(roll, 0.0, 0.0))
        arms.append(slender_arm(_dextre_arm(side), "trunk", mount))
    return on_vehicle("spdm-like", station(), trunk, *arms)


ENTRIES = (era_like, jemrms_main_like, jemrms_small_fine_like, spdm_like)
