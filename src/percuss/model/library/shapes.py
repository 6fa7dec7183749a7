"""Targets to try things with."""

from __future__ import annotations

from percuss.algebra.poses import Pose
from percuss.model.bodies import box, disk
from percuss.model.library.entry import library_entry
from percuss.model.single import free_body
from percuss.model.systems import Frame, System

_GROUP = "targets to try things with"


@library_entry(
    "cube",
    "target",
    "homogeneous cube, 1 m, 100 kg, grip on one face",
    "made for percuss",
    group=_GROUP,
)
def cube() -> System:
    grip = Frame("grip", "target", Pose.at((0.5, 0.0, 0.0)))
    return free_body(box("target", (1.0, 1.0, 1.0), 100.0), frames=[grip])


@library_entry(
    "disk",
    "target",
    "planar disk, 1 m radius, 15 kg, grip on its rim",
    "made for percuss",
    group=_GROUP,
)
def rim_disk() -> System:
    grip = Frame("grip", "target", Pose.at((1.0, 0.0, 0.0)))
    return free_body(disk("target", 1.0, 15.0), planar=True, frames=[grip])


ENTRIES = (cube, rim_disk)
