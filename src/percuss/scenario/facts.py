"""What a scenario comes to before anything moves: masses, joints, and how far the tool reaches."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from percuss.algebra.poses import Pose
from percuss.kinematics.frames import frame_pose
from percuss.model.joints import Fixed, Free, Planar, Prismatic
from percuss.model.names import WORLD, BaseMode
from percuss.model.systems import Frame, Joint, System
from percuss.scenario.model import Scenario


@dataclass(frozen=True)
class Reach:
    """How far a tool can get from the first joint that moves it.

    `most` (m) is the sum of the distances between successive joints along the arm, from the
    first to the tool, and of the longest strokes of the sliding ones: no posture reaches
    farther, and joint limits may keep it nearer.
    """

    joint: str
    most: float


@dataclass(frozen=True)
class Facts:
    """Masses in kg, the number of joints that move, and the reach of the tool if it has one."""

    chaser_mass: float
    target_mass: float | None
    joints: int
    tool: str
    reach: Reach | None
    apart: float | None
    """From the first joint to the target's contact point at the start (m); None without
    `approach`, where the contact point is at the tool."""
    problems: tuple[str, ...]


def facts(scenario: Scenario) -> Facts:
    """What `percuss check` says of a scenario that is valid."""
    start = scenario.start
    reach = reach_of(start.chaser, start.tool)
    apart = None
    if reach is not None and scenario.approach is not None and start.target is not None:
        assert start.grip is not None, "a target is held somewhere"
        grip = frame_pose(start.target, start.target_coordinates, start.grip).position
        apart = math.dist(_floats(grip), _first_joint(scenario, reach.joint))
    return Facts(
        _mass(start.chaser),
        None if start.target is None else _mass(start.target),
        len(start.chaser.movable_joints),
        start.tool.name,
        reach,
        apart,
        () if reach is None else tuple(_out_of_reach(scenario, reach)),
    )


def reach_of(system: System, tool: Frame) -> Reach | None:
    """The reach of a tool; None where it is on a body that no joint of an arm moves."""
    first, most, pose = None, 0.0, Pose.identity()
    for node in reversed(list(system.ancestors(system.node(tool.body)))):
        joint = node.joint
        if isinstance(joint.motion, (Free, Planar)):
            continue
        pose = pose @ joint.placement
        if not isinstance(joint.motion, Fixed):
            most += 0.0 if first is None else _length(pose)
            most += _stroke(joint)
            first = first or joint.name
            pose = Pose.identity()
        pose = pose @ joint.child_placement
    return None if first is None else Reach(first, most + _length(pose @ tool.placement))


def _stroke(joint: Joint) -> float:
    if not isinstance(joint.motion, Prismatic):
        return 0.0
    return max(abs(float(joint.limits.lower)), abs(float(joint.limits.upper)))


def _out_of_reach(scenario: Scenario, reach: Reach) -> list[str]:
    """A target that drifts by while nothing drives the base towards it."""
    start, approach = scenario.start, scenario.approach
    if approach is None or start.target is None or start.grip is None:
        return []
    if start.chaser.mode == BaseMode.FREE_FLYING:
        return []
    target = start.target
    center = _floats(frame_pose(target, start.target_coordinates, target.base.name).position)
    linear = scenario.target.velocity.linear if scenario.target is not None else None
    between = np.subtract(center, _first_joint(scenario, reach.joint))
    closing = _padded(linear) - _padded(scenario.chaser.velocity.linear)
    speed = float(closing @ closing)
    when = 0.0 if speed == 0 else min(max(-float(between @ closing) / speed, 0.0), approach.timeout)
    nearest = float(np.linalg.norm(between + closing * when))
    gap = nearest - _length(start.grip.placement)
    if gap <= reach.most:
        return []
    return [
        f"target: its contact point comes no nearer than {gap:.4g} m to joint {reach.joint!r}, and "
        f"the tool reaches {reach.most:.4g} m at most; mode {start.chaser.mode} does not drive the "
        "base towards it"
    ]


def _first_joint(scenario: Scenario, name: str) -> list[float]:
    """Where a joint is at the start (m, world)."""
    start = scenario.start
    joint = start.chaser.joint(name)
    if joint.parent == WORLD:
        return _floats(joint.placement.position)
    frame = Frame("joint", joint.parent, joint.placement)
    return _floats(frame_pose(start.chaser, start.chaser_coordinates, frame).position)


def _mass(system: System) -> float:
    return sum(float(body.mass) for body in system.bodies)  # type: ignore[arg-type]


def _length(pose: Pose) -> float:
    return math.hypot(*_floats(pose.position))


def _floats(vector: object) -> list[float]:
    return [float(x) for x in vector]  # type: ignore[attr-defined]


def _padded(vector: tuple[float, ...] | None) -> np.ndarray:
    return np.array([*(vector or ()), 0.0, 0.0, 0.0][:3])
