"""Targets: what is caught."""

from __future__ import annotations

from percuss.algebra.poses import Pose
from percuss.algebra.vectors import Symmetric3, Vector3
from percuss.model.bodies import Body, Visual, box, disk
from percuss.model.library.entry import library_entry
from percuss.model.single import free_body
from percuss.model.systems import Frame, System

_GROUP = "targets"


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


@library_entry(
    "envisat",
    "target",
    "Envisat, 7.8 t, dead in orbit since 2012 and tumbling",
    "inertia used alike by several public codes, primary document not seen; grip made up",
    group=_GROUP,
)
def envisat() -> System:
    inertia = Symmetric3(17023.3, 124825.7, 129112.2, 397.1, -2171.4, 344.2)
    look = Visual("box", (10.0, 2.75, 2.75))
    body = Body("target", 7827.867, Vector3.zero(), inertia, visuals=(look,))
    return free_body(body, frames=[Frame("grip", "target", Pose.at((5.0, 0.0, 0.0)))])


@library_entry(
    "rendezvous-target",
    "target",
    "tumbling satellite of 130 kg",
    "Virgili-Llop & Romano 2019, table 1 (read in notes); grip made up",
    group=_GROUP,
)
def rendezvous_target() -> System:
    inertia = Symmetric3(98.54, 54.84, 72.55)
    look = Visual("box", (1.0, 1.6, 1.3))
    body = Body("target", 130.0, Vector3.zero(), inertia, visuals=(look,))
    return free_body(body, frames=[Frame("grip", "target", Pose.at((0.5, 0.0, 0.0)))])


ENTRIES = (
    cube,
    rim_disk,
    envisat,
    rendezvous_target,
)
