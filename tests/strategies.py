"""Random systems and states for property tests.

Hypothesis draws a seed and a size; NumPy's generator builds the rest from it, so that examples
are quick to make and well conditioned: masses 0.1 to 10 kg, lengths about 1 m.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from percuss.algebra import Force, Pose, Vector3
from percuss.model import (
    WORLD,
    Body,
    Fixed,
    Frame,
    Free,
    Friction,
    Joint,
    Mimic,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    System,
    disk,
    rod,
)
from percuss.model.joints import JointMotion

Array = NDArray[np.float64]
Generator = np.random.Generator

KINDS = ("revolute", "prismatic", "fixed", "planar", "spherical", "free")
BASES = ("fixed", "planar", "free", "spherical", "revolute", "prismatic")
_UNITS = np.eye(3)


@dataclass(frozen=True)
class State:
    """Coordinates, rates, generalized forces and accelerations of a system."""

    q: Array
    v: Array
    tau: Array
    a: Array


class Case:
    """A system in a state, with wrenches on it; printed by its seed and its tree."""

    def __init__(self, seed: int, system: System, state: State, wrenches: dict[Any, Force]) -> None:
        self.seed = seed
        self.system = system
        self.state = state
        self.wrenches = wrenches

    def __repr__(self) -> str:
        tree = ", ".join(f"{j.parent} –{j.motion.kind}→ {j.child}" for j in self.system.joints)
        return f"Case(seed {self.seed}: {tree})"


_SEEDS = st.integers(0, 2**32 - 1)


@st.composite
def cases(
    draw: st.DrawFn,
    max_bodies: int = 10,
    kinds: Sequence[str] = KINDS,
    base: Sequence[str] = BASES,
    friction: bool = False,
) -> Case:
    """Any system, as `systems` makes them, with a state and wrenches."""
    count, seed = draw(st.integers(1, max_bodies)), draw(_SEEDS)
    rng = np.random.default_rng(seed)
    system = random_system(rng, count, kinds, base, friction)
    return Case(seed, system, random_state(rng, system), random_wrenches(rng, system))


@st.composite
def coupled_cases(
    draw: st.DrawFn,
    max_bodies: int = 10,
    kinds: Sequence[str] = ("revolute", "prismatic", "fixed", "spherical"),
    base: Sequence[str] = BASES,
    friction: bool = False,
) -> Case:
    """Random systems in which at least one joint follows another, with a state and wrenches."""
    count, seed = draw(st.integers(3, max(3, max_bodies))), draw(_SEEDS)
    rng = np.random.default_rng(seed)
    system = coupled(rng, random_system(rng, count, kinds, base, friction))
    return Case(seed, system, random_state(rng, system), random_wrenches(rng, system))


@st.composite
def systems(
    draw: st.DrawFn,
    max_bodies: int = 10,
    kinds: Sequence[str] = KINDS,
    base: Sequence[str] = BASES,
    friction: bool = False,
) -> System:
    """Random trees of 1 to `max_bodies` bodies with at least one degree of freedom.

    The first joint is of a kind in `base`, the others of `kinds`; axes, placements, inertias,
    frames and gravity are random, and a third of the joints have a child placement.
    """
    count = draw(st.integers(1, max_bodies))
    return random_system(np.random.default_rng(draw(_SEEDS)), count, kinds, base, friction)


@st.composite
def states(draw: st.DrawFn, system: System) -> State:
    """A state with unit quaternions and values of about one."""
    return random_state(np.random.default_rng([draw(_SEEDS), 1]), system)


@st.composite
def wrenches(draw: st.DrawFn, system: System) -> dict[Any, Force]:
    """Forces and moments of about one at a body, at a named frame and at a point."""
    return random_wrenches(np.random.default_rng([draw(_SEEDS), 2]), system)


@st.composite
def planar_systems(draw: st.DrawFn, max_bodies: int = 6) -> System:
    """Rods, disks and planar bodies in the x-y plane, on a planar or a fixed base."""
    count = draw(st.integers(2, max(2, max_bodies)))
    return random_planar_system(np.random.default_rng(draw(_SEEDS)), count)


# --- systems ------------------------------------------------------------------------------------


def random_system(
    rng: Generator,
    count: int,
    kinds: Sequence[str] = KINDS,
    base: Sequence[str] = BASES,
    friction: bool = False,
) -> System:
    """A random tree of `count` bodies; the joints are listed in any order."""
    bodies = tuple(random_body(rng, f"body {i}") for i in range(count))
    joints = [
        _joint(rng, i, str(rng.choice(list(kinds if i else base))), friction) for i in range(count)
    ]
    if not any(joint.motion.rate_count for joint in joints):
        joints[-1] = _joint(rng, count - 1, "revolute", friction)
    frames = tuple(
        Frame(f"frame {k}", str(rng.choice([b.name for b in bodies])), random_pose(rng))
        for k in range(int(rng.integers(1, 4)))
    )
    # The base joint stays first; the rest may come before their parents.
    rest = [joints[i] for i in 1 + rng.permutation(count - 1)]
    gravity = tuple(3 * rng.normal(size=3)) if rng.random() < 0.8 else (0.0, 0.0, 0.0)
    return System("random", bodies, (joints[0], *rest), frames, gravity=Vector3.of(gravity))


def coupled(rng: Generator, system: System) -> System:
    """Some joints of one coordinate led by others, also by followers; at least one is.

    Where there are not two such joints, joints of other kinds become revolute.
    """
    joints = list(system.joints)
    single = [k for k, joint in enumerate(joints) if is_single(joint)]
    for k in range(len(joints) - 1, 0, -1):
        if len(single) < 2 and k not in single:
            single.append(k)
            joints[k] = replace(joints[k], motion=random_motion(rng, "revolute"))
    order = [int(k) for k in rng.permutation(single)]
    for at, k in enumerate(order[1:], start=1):
        if at == 1 or rng.random() < 0.5:
            leader = joints[order[int(rng.integers(at))]].name
            motion: Any = joints[k].motion
            multiplier, offset = (float(x) for x in rng.normal(size=2))
            joints[k] = replace(joints[k], motion=Mimic(motion, leader, multiplier, offset))
    return replace(system, joints=tuple(joints))


def is_single(joint: Joint) -> bool:
    """Whether the joint has one coordinate."""
    return isinstance(joint.motion, (Revolute, Prismatic))


def _joint(rng: Generator, index: int, kind: str, friction: bool) -> Joint:
    parent = WORLD
    if index and rng.random() > 0.05:
        # Often the previous body, so that chains are long; else any earlier one.
        parent = f"body {index - 1 if rng.random() < 0.6 else rng.integers(index)}"
    plain = parent == WORLD and rng.random() < 0.5
    placement = Pose.identity() if plain else random_pose(rng)
    child = random_pose(rng) if rng.random() < 1 / 3 else Pose.identity()
    rubs = friction and kind in ("revolute", "prismatic", "spherical")
    rub = Friction(*rng.uniform(0.1, 1.0, 2), smoothing=0.1) if rubs else Friction()
    return Joint(
        name=f"joint {index}",
        motion=random_motion(rng, kind),
        parent=parent,
        child=f"body {index}",
        placement=placement,
        child_placement=child,
        friction=rub,
    )


def random_motion(rng: Generator, kind: str) -> JointMotion:
    """A joint motion of this kind; axes are random or along a coordinate axis, half and half."""
    along = rng.normal(size=3) if rng.random() < 0.5 else _UNITS[rng.integers(3)]
    axis = Vector3.of(along * rng.choice([-1.0, 1.0]))
    return {
        "revolute": Revolute(axis),
        "prismatic": Prismatic(axis),
        "fixed": Fixed(),
        "planar": Planar(),
        "spherical": Spherical(),
        "free": Free(),
    }[kind]


def random_body(rng: Generator, name: str) -> Body:
    """A body made of six point masses, or with random principal moments."""
    mass = float(10 ** rng.uniform(-1, 1))
    com = 0.5 * rng.normal(size=3)
    if rng.random() < 0.5:
        points = 0.5 * rng.normal(size=(6, 3))
        weights = rng.dirichlet(np.ones(6)) * mass
        points = points - weights @ points / mass
        second = np.einsum("k,ki,kj->ij", weights, points, points)
    else:
        axes = rotation(rng)
        second = axes @ np.diag(mass * rng.uniform(0.02, 0.5, 3)) @ axes.T
    inertia = np.trace(second) * np.eye(3) - second
    return Body(name, mass, Vector3.of(com), 0.5 * (inertia + inertia.T))  # type: ignore[arg-type]


def random_pose(rng: Generator) -> Pose:
    """About 1 m away, turned by any angle."""
    return Pose.at(0.6 * rng.normal(size=3), quaternion=unit_quaternion(rng))


def unit_quaternion(rng: Generator) -> Array:
    """Uniform on the sphere."""
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def rotation(rng: Generator) -> Array:
    """A random rotation matrix."""
    return np.array(Pose.at(quaternion=unit_quaternion(rng)).rotation.array(), float)


def random_planar_system(rng: Generator, count: int) -> System:
    """A base and `count` - 1 links in the plane."""
    floats = rng.random() < 0.7
    joints = [Joint("joint 0", Planar() if floats else Fixed(), WORLD, "body 0")]
    bodies = [disk("body 0", rng.uniform(0.5, 1.5), rng.uniform(1.0, 10.0))]
    for i in range(1, count):
        name = f"body {i}"
        lengths = rng.uniform(0.5, 2.0, 2)
        mass = float(rng.uniform(0.1, 10.0))
        if rng.random() < 0.6:
            bodies.append(rod(name, float(lengths[0]), mass))
        else:
            moment = mass * lengths[0] * lengths[1] / 6
            bodies.append(Body.planar(name, mass, moment, tuple(0.5 * rng.normal(size=2))))
        angle = float(rng.uniform(-np.pi, np.pi))
        slide = Prismatic((np.cos(angle), np.sin(angle), 0.0))  # type: ignore[arg-type]
        motion = Revolute() if i == 1 or rng.random() < 0.7 else slide
        turned = float(rng.choice([0.0, rng.uniform(-1.0, 1.0)]))
        placement = Pose.at((*rng.normal(size=2), 0.0), rpy=(0.0, 0.0, turned))
        joints.append(
            Joint(
                name=f"joint {i}",
                motion=motion,
                parent=f"body {rng.integers(i)}",
                child=name,
                placement=placement,
            )
        )
    frames = (Frame("tool", f"body {count - 1}", Pose.at(rng.normal(size=2))),)
    x, y = 3 * rng.normal(size=2)
    gravity = Vector3(x, y, 0.0)
    return System("random planar", tuple(bodies), tuple(joints), frames, gravity=gravity)


# --- states -------------------------------------------------------------------------------------


def random_coordinates(rng: Generator, system: System) -> Array:
    """Angles up to a turn, lengths of about a metre, unit quaternions."""
    q = np.empty(system.coordinate_count)
    for node in system.independent:
        motion = node.joint.motion
        own = rng.normal(size=motion.coordinate_count)
        if isinstance(motion, (Spherical, Free)):
            own[-4:] = unit_quaternion(rng)
        q[node.coordinates] = own
    return q


def random_state(rng: Generator, system: System) -> State:
    """Values of about one."""
    size = system.rate_count
    v, tau, a = rng.normal(size=(3, size))
    return State(random_coordinates(rng, system), v, tau, a)


def random_wrenches(rng: Generator, system: System) -> dict[Any, Force]:
    """At a body, at a named frame and at a point."""
    body = str(rng.choice([b.name for b in system.bodies]))
    targets = [body, system.frames[0].name, Frame.point(system.bodies[-1].name, rng.normal(size=3))]
    return {target: Force.of(rng.normal(size=6)) for target in targets}
