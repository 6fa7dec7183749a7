"""Robots and targets with known numbers, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.resources import files

from percuss.algebra.poses import Pose
from percuss.algebra.vectors import Symmetric3, Vector3
from percuss.model.bodies import Body, Visual, box, cylinder, disk
from percuss.model.errors import ModelError, choices, closest
from percuss.model.joints import Free, Revolute
from percuss.model.names import BaseMode
from percuss.model.planar import PlanarArm, PlanarLink, planar_arm, planar_robot
from percuss.model.single import free_body
from percuss.model.systems import WORLD, Frame, Joint, Limits, System
from percuss.model.urdf import parse_urdf


@dataclass(frozen=True)
class LibraryEntry:
    """A named system: `kind` is "robot" or "target"; `source` says where its numbers are from."""

    name: str
    kind: str
    title: str
    source: str
    build: Callable[[], System]


def robots() -> tuple[LibraryEntry, ...]:
    """Everything in the library."""
    return tuple(_LIBRARY.values())


def robot(name: str) -> System:
    """A robot or target of the library by name; `percuss robots` lists them."""
    if name not in _LIBRARY:
        raise ModelError(
            f"the library has no robot {name!r}.{closest(name, _LIBRARY)} "
            f"There are: {choices(name, _LIBRARY)}"
        )
    entry = _LIBRARY[name]
    return replace(entry.build(), name=name, source=entry.source)


_LIBRARY: dict[str, LibraryEntry] = {}

_Builder = Callable[[], System]


def _entry(name: str, kind: str, title: str, source: str) -> Callable[[_Builder], _Builder]:
    def register(build: _Builder) -> _Builder:
        _LIBRARY[name] = LibraryEntry(name, kind, title, source, build)
        return build

    return register


# --- the documents percuss starts from ----------------------------------------------------


@_entry(
    "thesis",
    "robot",
    "planar two-link arm on a disk-shaped base, free-flying",
    "thesis on the planar vehicle-manipulator system, table 4.1",
)
def _thesis() -> System:
    base = disk("base", radius=1.0, mass=100.0)
    return planar_arm([PlanarLink(2.0, 10.0), PlanarLink(3.0, 10.0)], base=base, mode="free-flying")


@_entry("thesis-target", "target", "disk, 15 kg, gripped on its rim", "the same thesis, table 4.1")
def _thesis_target() -> System:
    # The grip is the rim point at the thesis's angle γ = 0.5 rad in the target frame.
    grip = Frame("grip", "target", Pose.planar(0.8775825618903728, 0.479425538604203, 0.0))
    return free_body(disk("target", radius=1.0, mass=15.0), planar=True, frames=[grip])


@_entry(
    "percussion",
    "robot",
    "planar two-link arm mounted off the base's centre, for centre-of-percussion studies",
    "paper on the centre of percussion and impact compensation, table 1",
)
def _percussion() -> System:
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


@_entry(
    "2r-fixed",
    "robot",
    "planar two-link arm on the ground",
    "paper on fixed-base and free-floating 2R manipulators, table 1",
)
def _two_link_fixed() -> System:
    return planar_arm(_two_link())


@_entry(
    "2r-floating",
    "robot",
    "the same arm on a free base of 100 kg",
    "the same paper; the base, which the paper leaves out, is percuss's own choice",
)
def _two_link_floating() -> System:
    return planar_arm(_two_link(), base=Body.planar("base", 100.0, 20.0), mount=(0.5, 0.0))


@_entry(
    "lecture",
    "robot",
    "two equal rods in the vertical plane, under gravity",
    "lecture on manipulator dynamics (symbols there; here 1 m, 1 kg, 9.81 m/s²)",
)
def _lecture() -> System:
    return planar_arm([PlanarLink(1.0, 1.0), PlanarLink(1.0, 1.0)], gravity=(0.0, -9.81, 0.0))


# --- more planar robots -------------------------------------------------------------------


@_entry(
    "papadopoulos",
    "robot",
    "planar two-link arm with a known dynamic singularity at q = (-65°, -11.41°)",
    "after Papadopoulos & Dubowsky 1993; its generalized Jacobian is singular at the published "
    "q = (-65°, -11.41°)",
)
def _papadopoulos() -> System:
    links = [
        PlanarLink(1.0, 4.0, com=0.5, inertia=0.333),
        PlanarLink(1.0, 3.0, com=0.5, inertia=0.25),
    ]
    return planar_arm(links, base=Body.planar("base", 40.0, 6.667), mount=(0.5, 0.0))


@_entry(
    "air-bearing-3r",
    "robot",
    "planar three-link arm of an air-bearing testbed",
    "CBK PAN testbed, Basmadji et al. 2019",
)
def _air_bearing() -> System:
    links = [
        PlanarLink(0.4488, 2.913, com=0.1805, inertia=0.091391),
        PlanarLink(0.4499, 2.646, com=0.2, inertia=0.081375),
        PlanarLink(0.3545, 1.699, com=0.1029, inertia=0.021904),
    ]
    base = Body.planar("base", 64.859, 2.6952)
    return planar_arm(links, base=base, mount=(0.3696, 0.001279))


@_entry(
    "two-arms",
    "robot",
    "planar base with two arms of two links each",
    "SPART's dual-arm test model, Virgili-Llop et al.",
)
def _two_arms() -> System:
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


# --- spatial ------------------------------------------------------------------------------


@_entry(
    "demo-7",
    "robot",
    "seven-joint arm on a free servicing satellite",
    "made for percuss: round numbers of the size of a small servicing satellite",
)
def _demo_seven() -> System:
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
        joints.append(Joint(name, Revolute(axis), parent, body.name, placement, limits=limits))
        bodies.append(body)
        parent, placement = body.name, Pose.at((0.0, 0.0, length))
    tool = Frame("tool", parent, placement)
    return System("demo-7", tuple(bodies), tuple(joints), (tool,))


@_entry(
    "demo-6",
    "robot",
    "six-joint arm on a free satellite",
    "made for percuss",
)
def _demo_six() -> System:
    return _from_urdf("demo-6")


@_entry(
    "iiwa-14",
    "robot",
    "KUKA LBR iiwa 14, seven joints, on a small free satellite",
    "approximate inertias of the public URDF of Krug and Stoyanov (BSD); the satellite is made up",
)
def _iiwa() -> System:
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


@_entry("cube", "target", "homogeneous cube, 1 m, 100 kg, grip on one face", "made for percuss")
def _cube() -> System:
    grip = Frame("grip", "target", Pose.at((0.5, 0.0, 0.0)))
    return free_body(box("target", (1.0, 1.0, 1.0), 100.0), frames=[grip])


@_entry("disk", "target", "planar disk, 1 m radius, 15 kg, grip on its rim", "made for percuss")
def _disk() -> System:
    grip = Frame("grip", "target", Pose.at((1.0, 0.0, 0.0)))
    return free_body(disk("target", 1.0, 15.0), planar=True, frames=[grip])


@_entry(
    "envisat",
    "target",
    "Envisat, 7.8 t, dead in orbit since 2012 and tumbling",
    "inertia used alike by several public codes, primary document not seen; grip made up",
)
def _envisat() -> System:
    inertia = Symmetric3(17023.3, 124825.7, 129112.2, 397.1, -2171.4, 344.2)
    look = Visual("box", (10.0, 2.75, 2.75))
    body = Body("target", 7827.867, Vector3.zero(), inertia, visuals=(look,))
    return free_body(body, frames=[Frame("grip", "target", Pose.at((5.0, 0.0, 0.0)))])


@_entry(
    "rendezvous-target",
    "target",
    "tumbling satellite of 130 kg",
    "Virgili-Llop & Romano 2019, table 1 (read in notes); grip made up",
)
def _rendezvous_target() -> System:
    inertia = Symmetric3(98.54, 54.84, 72.55)
    look = Visual("box", (1.0, 1.6, 1.3))
    body = Body("target", 130.0, Vector3.zero(), inertia, visuals=(look,))
    return free_body(body, frames=[Frame("grip", "target", Pose.at((0.5, 0.0, 0.0)))])
