"""Spatial robots to try things with: made up, or laboratory arms on a made-up satellite."""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import files

from percuss.algebra.poses import Pose
from percuss.algebra.vectors import Vector3
from percuss.model.bodies import Body, Visual, box, cylinder
from percuss.model.joints import Free, Revolute
from percuss.model.library.entry import library_entry
from percuss.model.names import BaseMode
from percuss.model.systems import WORLD, Frame, Joint, Limits, System
from percuss.model.urdf.read import parse_urdf

_GROUP = "spatial robots to try things with"


@library_entry(
    "demo-7",
    "robot",
    "seven-joint arm on a free servicing satellite",
    "made for percuss: round numbers of the size of a small servicing satellite",
    group=_GROUP,
)
def demo_seven() -> System:
    y, z = Vector3(0.0, 1.0, 0.0), Vector3(0.0, 0.0, 1.0)
    base = box("satellite", (1.0, 1.0, 1.2), 400.0)
    # name, axis, length along z (m), mass (kg), motor effort (N m)
    table = [
        ("shoulder_yaw", z, 0.25, 8.0, 80.0),
        ("shoulder_pitch", y, 0.45, 9.0, 80.0),
        ("upper_arm_roll", z, 0.45, 7.0, 80.0),
        ("elbow_pitch", y, 0.45, 6.0, 60.0),
        ("forearm_roll", z, 0.40, 5.0, 60.0),
        ("wrist_pitch", y, 0.20, 3.0, 30.0),
        ("wrist_roll", z, 0.15, 2.0, 30.0),
    ]
    bodies, parent = [base], base.name
    joints = [Joint("base", Free(), WORLD, base.name)]
    placement = Pose.at((0.3, 0.0, 0.6))
    for k, (name, axis, length, mass, effort) in enumerate(table, start=1):
        body = _tube(f"link{k}", length, mass)
        limits = Limits(-3.1, 3.1, 0.2, effort)
        joints.append(
            Joint(
                name=name,
                motion=Revolute(axis),
                parent=parent,
                child=body.name,
                placement=placement,
                limits=limits,
            )
        )
        bodies.append(body)
        parent, placement = body.name, Pose.at((0.0, 0.0, length))
    tool = Frame("tool", parent, placement)
    return System("demo-7", tuple(bodies), tuple(joints), (tool,))


@library_entry(
    "demo-6",
    "robot",
    "six-joint arm on a free satellite",
    "made for percuss",
    group=_GROUP,
)
def demo_six() -> System:
    return _from_urdf("demo-6")


@library_entry(
    "iiwa-14",
    "robot",
    "KUKA LBR iiwa 14, seven joints, on a small free satellite",
    "approximate inertias of the public URDF of Krug and Stoyanov (BSD); the satellite is made up",
    group=_GROUP,
)
def iiwa() -> System:
    return _from_urdf("iiwa-14")


def _from_urdf(name: str) -> System:
    """A robot whose URDF comes with the package, on a free-floating base."""
    place = files("percuss.model") / "robots" / f"{name}.urdf"
    text = place.read_text(encoding="utf-8")
    return parse_urdf(text, mode=BaseMode.FREE_FLOATING, name=name)


def _tube(name: str, length: float, mass: float) -> Body:
    """A cylinder from the frame origin along z, radius 6 cm."""
    centred = cylinder(name, 0.06, length, mass)
    middle = Pose.at((0.0, 0.0, length / 2))
    visual = Visual("cylinder", (0.06, length), middle)
    return replace(centred, com=middle.position, visuals=(visual,))


ENTRIES = (
    demo_seven,
    demo_six,
    iiwa,
)
