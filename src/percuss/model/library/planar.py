"""Planar robots of the literature."""

from __future__ import annotations

from percuss.model.bodies import Body
from percuss.model.library.entry import library_entry
from percuss.model.planar import PlanarArm, PlanarLink, planar_arm, planar_robot
from percuss.model.systems import System

_GROUP = "planar robots"


@library_entry(
    "papadopoulos",
    "robot",
    "planar two-link arm with a known dynamic singularity at q = (-65°, -11.41°)",
    "after Papadopoulos & Dubowsky 1993; its generalized Jacobian is singular at the published "
    "q = (-65°, -11.41°)",
    group=_GROUP,
)
def papadopoulos() -> System:
    links = [
        PlanarLink(1.0, 4.0, com=0.5, inertia=0.333),
        PlanarLink(1.0, 3.0, com=0.5, inertia=0.25),
    ]
    return planar_arm(links, base=Body.planar("base", 40.0, 6.667), mount=(0.5, 0.0))


@library_entry(
    "air-bearing-3r",
    "robot",
    "planar three-link arm of an air-bearing testbed",
    "CBK PAN testbed, Basmadji et al. 2019",
    group=_GROUP,
)
def air_bearing() -> System:
    links = [
        PlanarLink(0.4488, 2.913, com=0.1805, inertia=0.091391),
        PlanarLink(0.4499, 2.646, com=0.2, inertia=0.081375),
        PlanarLink(0.3545, 1.699, com=0.1029, inertia=0.021904),
    ]
    base = Body.planar("base", 64.859, 2.6952)
    return planar_arm(links, base=base, mount=(0.3696, 0.001279))


@library_entry(
    "two-arms",
    "robot",
    "planar base with two arms of two links each",
    "SPART's dual-arm test model, Virgili-Llop et al.",
    group=_GROUP,
)
def two_arms() -> System:
    links = [
        PlanarLink(0.3852, 2.9, com=0.1926, inertia=0.1245),
        PlanarLink(0.3852, 2.9, com=0.1635, inertia=0.1245),
    ]
    quarter = 1.5707963267948966
    arms = {
        "left": PlanarArm(links, (0.0, 0.2), quarter),
        "right": PlanarArm(links, (0.0, -0.2), -quarter),
    }
    return planar_robot(arms, base=Body.planar("base", 13.3, 0.285))


ENTRIES = (
    papadopoulos,
    air_bearing,
    two_arms,
)
