"""Inverse kinematics of 10,000 random reachable poses, against a Pinocchio-based solver.

Both solve the same problems within the same limits to the same tolerance, from up to as many
starts, on one core. The peer is the usual loop around Pinocchio's C++ kinematics: the frame's pose
and Jacobian, a damped least-squares step (Levenberg-Marquardt), joints clipped to their limits,
random restarts.
"""

from __future__ import annotations

import importlib
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from tests.kinematics.arms import six_joints
from tests.oracles import PinocchioTwin, to_pinocchio

import percuss
from benchmarks.table import Row
from percuss.kinematics import InverseKinematics, Task, frame_pose, planar_angle
from percuss.model import System

# The library ships no types that a checker can read.
pin: Any = importlib.import_module("pinocchio")

CASES = 10_000
PEER_CASES = 500
"""Targets that the peer solves; its time is scaled to CASES."""
STARTS = 48
TOLERANCE = 1e-9
"""m and rad."""


def problems() -> dict[str, tuple[System, Task]]:
    """Arms on the ground with the task that they can do fully."""
    return {
        "planar 2R, position": (percuss.robot("2r-fixed"), Task.PLANAR_POSITION),
        "planar 3R, pose": (percuss.robot("air-bearing-3r").with_mode("fixed"), Task.PLANAR_POSE),
        "6 joints (DH), pose": (six_joints(), Task.POSE),
        "7 joints, pose": (percuss.robot("demo-7").with_mode("fixed"), Task.POSE),
    }


def inverse_kinematics() -> list[Row]:
    """Success rate and time of each arm."""
    return [_row(name, *problem) for name, problem in problems().items()]


def _row(name: str, system: System, task: Task) -> Row:
    rng = np.random.default_rng(2024)
    lower, upper = _limits(system)
    q = rng.uniform(lower[:, None], upper[:, None], (len(lower), CASES))
    targets = _targets(system, task, q)
    solver = InverseKinematics(
        system,
        "tool",
        task,
        starts=STARTS,
        tolerance=(TOLERANCE, TOLERANCE),
        compiled=True,
        threads=1,
    )
    solver.solve_many(_first(targets, 100))  # compiles
    started = time.perf_counter()
    found = solver.solve_many(targets)
    ours = time.perf_counter() - started
    peer = _Peer(task, to_pinocchio(system), lower, upper)
    started = time.perf_counter()
    solved = sum(peer.solve(q[:, k], rng) for k in range(PEER_CASES))
    theirs = (time.perf_counter() - started) * CASES / PEER_CASES
    return Row(
        f"inverse kinematics, {CASES:,} random reachable poses, {name}, one core; a Pinocchio loop "
        f"({PEER_CASES} of them, time scaled)",
        f"{100 * found.success_rate:.2f} % in {ours:.2f} s ({1e6 * ours / CASES:.0f} µs each)",
        f"{100 * solved / PEER_CASES:.1f} % in {theirs:.1f} s",
        f"{theirs / ours:.0f}×",
        "100 %, ≥ 1×",
    )


@dataclass(frozen=True)
class _Peer:
    """Damped least squares with restarts on Pinocchio's kinematics."""

    task: Task
    twin: PinocchioTwin
    lower: np.ndarray
    """Of the starts; angles without limits are not clipped."""
    upper: np.ndarray

    def solve(self, wanted: np.ndarray, rng: np.random.Generator) -> bool:
        """Whether the pose of the coordinates `wanted` is found from up to STARTS starts."""
        model = self.twin.model
        data = model.createData()
        frame = self.twin.frame_ids["tool"]
        world = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        pin.framesForwardKinematics(model, data, wanted)
        goal = data.oMf[frame].copy()
        rows = list(self.task.rows)
        least, most = model.lowerPositionLimit, model.upperPositionLimit
        for _ in range(STARTS):
            q = rng.uniform(self.lower, self.upper)
            damping, last = 1e-2, math.inf
            for _ in range(100):
                pin.computeJointJacobians(model, data, q)
                here = pin.updateFramePlacement(model, data, frame)
                turn = pin.log3(here.rotation @ goal.rotation.T)
                error = np.concatenate([here.translation - goal.translation, turn])[rows]
                size = float(error @ error)
                if np.abs(error).max() < TOLERANCE:
                    return True
                damping = max(1e-12, damping * 0.3) if size < last else min(1e3, damping * 4)
                last = size
                J = pin.getFrameJacobian(model, data, frame, world)[rows]
                square = J @ J.T + damping * min(size, 1.0) * np.eye(len(rows))
                q = np.clip(q - J.T @ np.linalg.solve(square, error), least, most)
        return False


def _limits(system: System) -> tuple[np.ndarray, np.ndarray]:
    joints = [joint for joint in system.joints if joint.motion.rate_count]
    lower = np.array([max(joint.limits.lower, -math.pi) for joint in joints])
    upper = np.array([min(joint.limits.upper, math.pi) for joint in joints])
    return lower, upper


def _targets(system: System, task: Task, q: np.ndarray) -> Any:
    pose = frame_pose(system, q, "tool")
    if task == Task.POSE:
        return pose
    rows = [pose.position.x, pose.position.y]
    if task == Task.PLANAR_POSE:
        rows.append(planar_angle(system, q, "tool"))
    return np.array(rows, float)


def _first(targets: Any, count: int) -> Any:
    """The first targets; entries of a pose that are the same for all stay as they are."""
    if isinstance(targets, np.ndarray):
        return targets[:, :count]
    import jax

    return jax.tree.map(lambda x: x[:count] if np.ndim(x) else x, targets)


def jobs() -> list[tuple[str, Callable[[], list[Row]]]]:
    """What is measured here, with titles."""
    return [("inverse kinematics against Pinocchio", inverse_kinematics)]


if __name__ == "__main__":
    for row in inverse_kinematics():
        print(row.work, row.ours, row.peer, row.figure, sep=" | ")
