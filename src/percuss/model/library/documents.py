"""Robots and targets of the documents percuss starts from."""

from __future__ import annotations

from percuss.algebra.poses import Pose
from percuss.model.bodies import Body, disk
from percuss.model.library.entry import library_entry
from percuss.model.planar import PlanarLink, planar_arm
from percuss.model.single import free_body
from percuss.model.systems import Frame, System

_GROUP = "in the documents percuss starts from"


@library_entry(
    "thesis",
    "robot",
    "planar two-link arm on a disk-shaped base, free-flying",
    "thesis on the planar vehicle-manipulator system, table 4.1",
    group=_GROUP,
)
def thesis() -> System:
    base = disk("base", radius=1.0, mass=100.0)
    return planar_arm([PlanarLink(2.0, 10.0), PlanarLink(3.0, 10.0)], base=base, mode="free-flying")


@library_entry(
    "thesis-target",
    "target",
    "disk, 15 kg, gripped on its rim",
    "the same thesis, table 4.1",
    group=_GROUP,
)
def thesis_target() -> System:
    # The grip is the rim point at the thesis's angle γ = 0.5 rad in the target frame.
    grip = Frame("grip", "target", Pose.planar(0.8775825618903728, 0.479425538604203, 0.0))
    return free_body(disk("target", radius=1.0, mass=15.0), planar=True, frames=[grip])


@library_entry(
    "percussion",
    "robot",
    "planar two-link arm mounted off the base's centre, for centre-of-percussion studies",
    "paper on the centre of percussion and impact compensation, table 1",
    group=_GROUP,
)
def percussion() -> System:
    links = [
        PlanarLink(1.0, 30.0, com=0.3, inertia=3.33),
        PlanarLink(1.0, 20.0, com=0.3, inertia=2.5),
    ]
    return planar_arm(links, base=Body.planar("base", 300.0, 50.0), mount=(0.5, 0.5))


def _two_link() -> list[PlanarLink]:
    return [
        PlanarLink(1.0, 12.456, com=0.773, inertia=1.042),
        PlanarLink(1.0, 12.456, com=0.583, inertia=1.042),
    ]


@library_entry(
    "2r-fixed",
    "robot",
    "planar two-link arm on the ground",
    "paper on fixed-base and free-floating 2R manipulators, table 1",
    group=_GROUP,
)
def two_link_fixed() -> System:
    return planar_arm(_two_link())


@library_entry(
    "2r-floating",
    "robot",
    "the same arm on a free base of 100 kg",
    "the same paper; the base, which the paper leaves out, is percuss's own choice",
    group=_GROUP,
)
def two_link_floating() -> System:
    return planar_arm(_two_link(), base=Body.planar("base", 100.0, 20.0), mount=(0.5, 0.0))


@library_entry(
    "lecture",
    "robot",
    "two equal rods in the vertical plane, under gravity",
    "lecture on manipulator dynamics (symbols there; here 1 m, 1 kg, 9.81 m/s²)",
    group=_GROUP,
)
def lecture() -> System:
    return planar_arm([PlanarLink(1.0, 1.0), PlanarLink(1.0, 1.0)], gravity=(0.0, -9.81, 0.0))


ENTRIES = (
    thesis,
    thesis_target,
    percussion,
    two_link_fixed,
    two_link_floating,
    lecture,
)
