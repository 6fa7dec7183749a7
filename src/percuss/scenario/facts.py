"""What a scenario comes to before anything moves: masses, joints, and how far the tool reaches."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from percuss.encounter.reach import tool_chain
from percuss.kinematics.frames import frame_pose
from percuss.kinematics.inverse.chain import Span
from percuss.model.names import BaseMode
from percuss.model.systems import System
from percuss.scenario.model import Scenario


@dataclass(frozen=True)
class Facts:
    """Masses in kg, the number of joints that move, and the reach of the tool if it has one."""

    chaser_mass: float
    target_mass: float | None
    joints: int
    tool: str
    reach: Span | None
    """How far the tool gets from the first joint that moves it: no posture reaches farther than
    the distances between successive joints together, and joint limits may keep it nearer."""
    apart: float | None
    """From the first joint to the target's contact point at the start (m); None without
    `approach`, where the contact point is at the tool."""
    problems: tuple[str, ...]


def facts(scenario: Scenario) -> Facts:
    """What `percuss check` says of a scenario that is valid."""
    start = scenario.start
    chain = tool_chain(start)
    reach = None if chain is None else chain.span(start.chaser_coordinates)
    apart = None
    if reach is not None and scenario.approach is not None and start.target is not None:
        assert start.grip is not None, "a target is held somewhere"
        grip = frame_pose(start.target, start.target_coordinates, start.grip).position
        apart = math.dist(_floats(grip), _floats(reach.origin))
    return Facts(
        chaser_mass=_mass(start.chaser),
        target_mass=None if start.target is None else _mass(start.target),
        joints=len(start.chaser.movable_joints),
        tool=start.tool.name,
        reach=reach,
        apart=apart,
        problems=() if reach is None else tuple(_out_of_reach(scenario, reach)),
    )


def _out_of_reach(scenario: Scenario, reach: Span) -> list[str]:
    """A target that drifts by while nothing drives the base towards it."""
    start, approach = scenario.start, scenario.approach
    if approach is None or start.target is None or start.grip is None:
        return []
    if start.chaser.mode == BaseMode.FREE_FLYING or start.orbit is not None:
        # In orbit the way to the target is no straight line; a run tells.
        return []
    target = start.target
    center = _floats(frame_pose(target, start.target_coordinates, target.base.name).position)
    linear = scenario.target.velocity.linear if scenario.target is not None else None
    between = np.subtract(center, _floats(reach.origin))
    closing = _padded(linear) - _padded(scenario.chaser.velocity.linear)
    speed = float(closing @ closing)
    when = 0.0 if speed == 0 else min(max(-float(between @ closing) / speed, 0.0), approach.timeout)
    nearest = float(np.linalg.norm(between + closing * when))
    gap = nearest - math.hypot(*_floats(start.grip.placement.position))
    if gap <= reach.most:
        return []
    return [
        f"target: its contact point comes no nearer than {gap:.4g} m to joint {reach.joint!r}, and "
        f"the tool reaches {reach.most:.4g} m at most; mode {start.chaser.mode} does not drive the "
        "base towards it"
    ]


def _mass(system: System) -> float:
    return sum(float(body.mass) for body in system.bodies)  # type: ignore[arg-type]


def _floats(vector: object) -> list[float]:
    return [float(x) for x in vector]  # type: ignore[attr-defined]


def _padded(vector: tuple[float, ...] | None) -> np.ndarray:
    return np.array([*(vector or ()), 0.0, 0.0, 0.0][:3])
