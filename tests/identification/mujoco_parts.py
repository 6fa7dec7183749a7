"""Chaser and target of a scenario as plain numbers, for MuJoCo.

Where the scenario's file has the numbers they are read from there, and moments of inertia follow
from the textbook's formulas. A robot or an object of the library is read by its fields: masses,
inertias, and where the joints are. Nothing is computed with the program's own mechanics.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from percuss.model.systems import System
from percuss.scenario import Scenario

Array = NDArray[np.float64]
Z = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True)
class Link:
    """A body on a hinge: the hinge's place and turn in the body before it, its axis (3,), the
    mass, the centre of mass and the inertia about it in the link's axes (3, 3); SI."""

    position: Array
    turned: Rotation
    axis: Array
    mass: float
    com: Array
    inertia: Array


@dataclass(frozen=True)
class Motor:
    """A spring and a damper on the joint of this name, and the most that it pushes."""

    joint: str
    kp: float
    kd: float
    limit: float


@dataclass(frozen=True)
class Chaser:
    """A base that floats, with an arm, at the impact.

    Attributes:
        planar: whether the base moves in the plane: x, y and an angle instead of x, y, z and a
            quaternion (w, x, y, z).
        mass, com, inertia: of the base, in its own axes.
        links: each on the one before it.
        tool, tool_turned: a point of the last link (3,), and its axes there.
        coordinates, rates: MuJoCo's, of the base and then of the joints.
        motors: of a pd law.
    """

    planar: bool
    mass: float
    com: Array
    inertia: Array
    links: tuple[Link, ...]
    tool: Array
    tool_turned: Rotation
    coordinates: Array
    rates: Array
    motors: tuple[Motor, ...] = ()


@dataclass(frozen=True)
class Target:
    """The body that is captured, at the impact: its frame is at its centre of mass, `contact` (3,)
    in its own axes, velocities in those of the world."""

    mass: float
    inertia: Array
    contact: Array
    turned: Rotation
    linear: Array
    angular: Array


def wxyz(turned: Rotation) -> Array:
    """As a quaternion w, x, y, z."""
    x, y, z, w = turned.as_quat()
    return np.array([w, x, y, z])


def chaser_of(scenario: Scenario) -> Chaser:
    """The chaser's numbers; its base floats."""
    block: Any = scenario.chaser
    base, links, tool, tool_turned, efforts = (
        _written_arm(block) if block.arm is not None else _library_arm(scenario)
    )
    planar = block.arm is not None
    joints = [*(block.joints or [0.0] * len(links))]
    rates = [*(block.velocity.joints or [0.0] * len(links))]
    linear = _three(block.velocity.linear or (0.0,))
    if planar:
        place = [*_three(block.position or (0.0,))[:2], block.angle or 0.0]
        moving = [*linear[:2], float(block.velocity.angular or 0.0)]
    else:
        turned = _turned(block.orientation)
        angular = _three(block.velocity.angular or (0.0,))
        place = [*_three(block.position or (0.0,)), *wxyz(turned)]
        moving = [*linear, *turned.inv().apply(angular)]
    return Chaser(
        planar,
        *base,
        links,
        tool,
        tool_turned,
        np.array([*place, *joints]),
        np.array([*moving, *rates]),
        _motors(scenario, efforts, planar=planar),
    )


def target_of(scenario: Scenario) -> Target:
    """The target's numbers."""
    block: Any = scenario.target
    planar = scenario.chaser.arm is not None
    mass, inertia = _target_body(scenario)
    if block.contact.point is None:
        angle = block.contact.angle
        contact = float(block.radius) * np.array([np.cos(angle), np.sin(angle), 0.0])
    else:
        contact = _three(block.contact.point)
    angular = block.velocity.angular or 0.0
    if planar:
        angle = block.angle
        if angle is None:
            # Of the last link + π − the polar angle of the contact point.
            chaser: Any = scenario.chaser
            last = (chaser.angle or 0.0) + sum(chaser.joints)
            angle = last + np.pi - np.arctan2(contact[1], contact[0])
        turned, spin = Rotation.from_rotvec(angle * Z), float(angular) * Z
    else:
        turned, spin = _turned(block.orientation), _three(angular or (0.0,))
    linear = _three(block.velocity.linear or (0.0,))
    return Target(mass, inertia, contact, turned, linear, spin)


# --- bodies -------------------------------------------------------------------------------------

_Arm = tuple[tuple[float, Array, Array], tuple[Link, ...], Array, Rotation, tuple[float, ...]]
"""The base's mass, centre of mass and inertia, links, tool and its turn, most torques."""


def _written_arm(block: Any) -> _Arm:
    """A planar arm of slender rods as the scenario's file describes it."""
    base = block.base
    assert base.shape == "disk"
    inertia = base.mass * base.radius**2 * np.diag([0.25, 0.25, 0.5])
    links, place = [], _three(block.mount or (0.0,))
    for link in block.arm:
        assert link.joint in (None, "revolute")
        assert link.com is None
        assert link.inertia is None
        moment = link.mass * link.length**2 / 12.0
        com = np.array([link.length / 2.0, 0.0, 0.0])
        # In the plane a rod may have some thickness.
        rod = moment * np.diag([1.0, 1.0, 1.0])
        links.append(Link(place, Rotation.identity(), Z, link.mass, com, rod))
        place = np.array([link.length, 0.0, 0.0])
    if block.tool is not None:
        assert block.tool.link == len(links)
        place = np.array([block.tool.at, 0.0, 0.0])
    efforts = tuple(np.inf if x.torque is None else float(x.torque) for x in block.arm)
    return (base.mass, np.zeros(3), inertia), tuple(links), place, Rotation.identity(), efforts


def _library_arm(scenario: Scenario) -> _Arm:
    """A chain of hinges of the library, read by its fields."""
    system: System = scenario.start.chaser
    bodies = {body.name: body for body in system.bodies}
    base, *joints = system.joints
    before, links, efforts = base.child, [], []
    for joint in joints:
        assert joint.parent == before, "a chain"
        assert joint.motion.kind == "revolute"
        for pose in (base.placement, base.child_placement, joint.child_placement):
            assert np.array_equal(_matrix(pose.rotation), np.eye(3))
            assert not np.any(_entries(pose.position))
        body, before = bodies[joint.child], joint.child
        links.append(
            Link(
                _entries(joint.placement.position),
                Rotation.from_matrix(_matrix(joint.placement.rotation)),
                _entries(joint.motion.axis),  # type: ignore[attr-defined]
                *_body(body),
            )
        )
        efforts.append(float(joint.limits.effort))  # type: ignore[arg-type]
    named: Any = scenario.chaser.tool
    (tool,) = (frame for frame in system.frames if frame.name == named.frame)
    assert tool.body == before, "on the last link"
    at, turned = tool.placement.position, Rotation.from_matrix(_matrix(tool.placement.rotation))
    return _body(bodies[base.child]), tuple(links), _entries(at), turned, tuple(efforts)


def _target_body(scenario: Scenario) -> tuple[float, Array]:
    """Mass and inertia about the centre of mass."""
    block: Any = scenario.target
    if block.object is not None:
        target = scenario.start.target
        assert target is not None
        mass, com, inertia = _body(target.bodies[0])
        assert not np.any(com), "the contact point is from the centre of mass"
        return mass, inertia
    if block.inertia is not None and block.inertia.moment is not None:
        return block.mass, block.inertia.moment * np.eye(3)
    if block.inertia is not None:
        return block.mass, _tensor(block.inertia)
    if block.shape == "disk":
        return block.mass, block.mass * block.radius**2 * np.diag([0.25, 0.25, 0.5])
    assert block.shape == "box"
    x, y, z = _three(block.size) ** 2
    inertia = block.mass / 12.0 * np.diag([y + z, x + z, x + y])
    return block.mass, inertia if z else inertia[2, 2] * np.diag([1.0, 1.0, 1.0])


def _motors(scenario: Scenario, efforts: tuple[float, ...], *, planar: bool) -> tuple[Motor, ...]:
    """One on every joint that the scenario's pd law drives, on the base too if that flies."""
    control: Any = scenario.control
    if control.law == "none":
        return ()
    assert control.law == "pd", f"no law {control.law} in MuJoCo"
    assert control.limits is None
    base = 3 if planar else 6
    names = [f"joint.{k}" for k in range(1, 1 + len(efforts))]
    limits, skipped = [*efforts], base
    if scenario.chaser.mode == "free-flying":
        assert planar, "a free base has no motors in MuJoCo"
        names = ["base.x", "base.y", "base.angle", *names]
        limits, skipped = [np.inf] * base + limits, 0
    gains = zip(names, control.kp[skipped:], control.kd[skipped:], limits, strict=True)
    return tuple(Motor(name, float(kp), float(kd), limit) for name, kp, kd, limit in gains)


# --- numbers ------------------------------------------------------------------------------------


def _three(values: Any) -> Array:
    """Three numbers from one to three, the others 0."""
    found = np.zeros(3)
    found[: len(values)] = [float(x) for x in values]
    return found


def _turned(orientation: Any) -> Rotation:
    """A quaternion w, x, y, z, or roll, pitch and yaw about the axes of the world in turn."""
    if orientation is None:
        return Rotation.identity()
    if orientation.quaternion is not None:
        w, x, y, z = orientation.quaternion
        return Rotation.from_quat([x, y, z, w])
    return Rotation.from_euler("xyz", orientation.rpy)


def _body(body: Any) -> tuple[float, Array, Array]:
    """Mass, centre of mass, inertia."""
    return float(body.mass), _entries(body.com), _tensor(body.inertia)


def _tensor(entries: Any) -> Array:
    xx, yy, zz, xy, xz, yz = (
        float(getattr(entries, name)) for name in ("xx", "yy", "zz", "xy", "xz", "yz")
    )
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _entries(vector: Any) -> Array:
    return np.array([float(vector.x), float(vector.y), float(vector.z)])


def _matrix(rotation: Any) -> Array:
    matrix = rotation.matrix
    rows: Iterable[Any] = (matrix.row1, matrix.row2, matrix.row3)
    return np.stack([_entries(row) for row in rows])
