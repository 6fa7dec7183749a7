"""Arms and reachable targets for the tests of inverse kinematics."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import percuss
from percuss.algebra import Pose
from percuss.kinematics import Task, frame_pose, planar_angle
from percuss.model import DHLink, Limits, System, dh_arm
from tests.strategies import Array


def six_joints() -> System:
    """An industrial arm of six joints with a spherical wrist, by standard DH parameters."""
    quarter = math.pi / 2
    table = [
        (0.10, -quarter, 0.45, 2.8),
        (0.60, 0.0, 0.0, 2.0),
        (0.12, -quarter, 0.0, 2.5),
        (0.0, quarter, 0.62, 3.0),
        (0.0, -quarter, 0.0, 2.2),
        (0.0, 0.0, 0.10, 3.1),
    ]
    links = [
        DHLink(
            a=a,
            alpha=alpha,
            d=d,
            theta=0.0,
            mass=5.0,
            inertia=(0.1, 0.1, 0.1),
            limits=Limits(-limit, limit),
        )
        for a, alpha, d, limit in table
    ]
    return dh_arm(links, name="six joints")


def arms() -> dict[str, tuple[System, Task]]:
    """By name: an arm on the ground, and the task with as many rows as it can do."""
    return {
        "2r": (percuss.robot("2r-fixed"), Task.PLANAR_POSITION),
        "3r": (percuss.robot("air-bearing-3r").with_mode("fixed"), Task.PLANAR_POSE),
        "6": (six_joints(), Task.POSE),
        "7": (percuss.robot("demo-7").with_mode("fixed"), Task.POSE),
    }


def within_limits(system: System, count: int, seed: int) -> Array:
    """Random coordinates (nq, count); joints without limits anywhere within half a turn."""
    rng = np.random.default_rng(seed)
    lower = np.array([max(joint.limits.lower, -math.pi) for joint in _moving(system)])
    upper = np.array([min(joint.limits.upper, math.pi) for joint in _moving(system)])
    return rng.uniform(lower[:, None], upper[:, None], (len(lower), count))


def reachable(system: System, task: Task, count: int, seed: int) -> Any:
    """Targets that the tool reaches for certain: where random coordinates bring it."""
    return targets_at(system, task, within_limits(system, count, seed))


def targets_at(system: System, task: Task, q: Array) -> Any:
    """Where coordinates (nq, n) bring the tool, as `solve_many` wants it."""
    pose: Pose = frame_pose(system, q, "tool")
    if task == Task.POSE:
        return pose
    rows: list[Any] = [pose.position.x, pose.position.y]
    if task == Task.POSITION:
        rows.append(pose.position.z)
    if task == Task.PLANAR_POSE:
        rows.append(planar_angle(system, q, "tool"))
    return np.array([np.broadcast_to(row, q.shape[1]) for row in rows])


def _moving(system: System) -> list[Any]:
    return [joint for joint in system.joints if joint.motion.rate_count]
