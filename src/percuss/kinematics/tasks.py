"""What a tool is asked to do: be somewhere, or be somewhere turned in some way."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from percuss.algebra.arrays import Coordinates, Rates
from percuss.algebra.linear import minus
from percuss.algebra.poses import Pose
from percuss.algebra.scalars import Scalar, atan2, cos, sin, unpack
from percuss.algebra.vectors import Vector3
from percuss.kinematics.frames import frame_pose, planar_angle
from percuss.kinematics.jacobians import jacobian, jacobian_time_derivative
from percuss.kinematics.matrices import Rows, rows_of
from percuss.model.errors import ModelError
from percuss.model.joints import Scalars
from percuss.model.systems import Frame, System


class Task(StrEnum):
    """Which of the tool's freedoms matter; world frame."""

    POSITION = "position"
    """(x, y, z): the origin of the frame, m."""
    POSE = "pose"
    """Position and orientation, a `Pose`."""
    PLANAR_POSITION = "planar position"
    """(x, y) of a planar system, m."""
    PLANAR_POSE = "planar pose"
    """(x, y, angle about z) of a planar system, m and rad; full turns do not matter."""

    @classmethod
    def _missing_(cls, value: object) -> Task:
        allowed = ", ".join(repr(member.value) for member in cls)
        raise ModelError(f"task must be one of {allowed}, got {value!r}")

    @property
    def rows(self) -> tuple[int, ...]:
        """The rows of the task among (x, y, z, wx, wy, wz)."""
        return {
            Task.POSITION: (0, 1, 2),
            Task.POSE: (0, 1, 2, 3, 4, 5),
            Task.PLANAR_POSITION: (0, 1),
            Task.PLANAR_POSE: (0, 1, 5),
        }[self]

    @property
    def row_names(self) -> tuple[str, ...]:
        """x … for velocities in m/s, wx … for angular velocities in rad/s."""
        return tuple(ROW_NAMES[k] for k in self.rows)

    @property
    def linear_count(self) -> int:
        """How many of its rows are in m; they come first."""
        return sum(k < 3 for k in self.rows)

    @property
    def is_planar(self) -> bool:
        return self in (Task.PLANAR_POSITION, Task.PLANAR_POSE)


ROW_NAMES = ("x", "y", "z", "wx", "wy", "wz")


def usual_task(system: System) -> Task:
    """The whole pose, in the plane or in space."""
    return Task.PLANAR_POSE if system.is_planar else Task.POSE


def check_task(system: System, task: Task | str) -> Task:
    """The task, refused when the system cannot be asked for it."""
    task = Task(task)
    if task.is_planar and not system.is_planar:
        raise ModelError(
            f"task {task.value!r} needs a planar system, and {system.name!r} is not: "
            "use 'position' or 'pose'"
        )
    return task


def task_jacobian(system: System, q: Coordinates, frame: str | Frame, task: Task | str) -> Rows:
    """The task's rows of the geometric Jacobian, world-aligned; (rows, nv) as rows of scalars."""
    rows = rows_of(jacobian(system, q, frame))
    return [rows[k] for k in check_task(system, task).rows]


def task_jacobian_time_derivative(
    system: System, q: Coordinates, v: Rates, frame: str | Frame, *, task: Task | str
) -> Rows:
    """The task's rows of dJ/dt along the motion with rates v."""
    rows = rows_of(jacobian_time_derivative(system, q, v, frame))
    return [rows[k] for k in check_task(system, task).rows]


def task_value(system: System, q: Coordinates, frame: str | Frame, task: Task | str) -> Any:
    """Where the frame is, as the task counts it: a `Pose`, or a tuple of scalars (m, rad)."""
    task = check_task(system, task)
    pose = frame_pose(system, q, frame)
    if task == Task.POSE:
        return pose
    if task == Task.POSITION:
        return tuple(pose.position)
    if task == Task.PLANAR_POSITION:
        return pose.position.x, pose.position.y
    return pose.position.x, pose.position.y, planar_angle(system, q, frame)


def task_target(task: Task, target: Any) -> Any:
    """A target in the form of `task_value`; refused with what is wanted when it is another."""
    if task == Task.POSE:
        if not isinstance(target, Pose):
            raise ModelError(
                f"a target of task 'pose' must be a Pose (percuss.Pose.at(position, rpy=…)), "
                f"got {target!r}"
            )
        return target
    if isinstance(target, Pose):
        x, y, z = target.position
        angle = target.rotation.angle_about_z()
        return {
            Task.POSITION: (x, y, z),
            Task.PLANAR_POSITION: (x, y),
            Task.PLANAR_POSE: (x, y, angle),
        }[task]
    names = {
        Task.POSITION: ("x (m)", "y (m)", "z (m)"),
        Task.PLANAR_POSITION: ("x (m)", "y (m)"),
        Task.PLANAR_POSE: ("x (m)", "y (m)", "angle (rad)"),
    }[task]
    try:
        return unpack(target, len(names), f"a target of task {task.value!r}", names)
    except (TypeError, ValueError) as error:
        raise ModelError(str(error)) from error


def task_error(
    system: System, q: Coordinates, frame: str | Frame, task: Task | str, *, target: Any
) -> Scalars:
    """Where the frame is minus where it should be, on the task's rows (m, rad).

    Orientations differ by the rotation vector φ of R R_dᵀ = exp(φ×), world axes. The gradient of
    ½ |error|² on the rates is exactly Jᵀ error, because φ is an eigenvector of dφ/dω.
    """
    task = check_task(system, task)
    here, there = task_value(system, q, frame, task), task_target(task, target)
    if isinstance(here, Pose):
        turn = here.rotation @ there.rotation.inverse()
        return (*(here.position - there.position), *turn.to_rotation_vector())
    error: list[Scalar] = list(minus(here, there))
    if task == Task.PLANAR_POSE:
        error[2] = atan2(sin(error[2]), cos(error[2]))
    return tuple(error)


def position_of(task: Task, target: Any) -> Vector3:
    """The target's position in the world (m)."""
    if isinstance(target, Pose):
        return target.position
    x, y, *rest = target
    return Vector3(x, y, rest[0] if task == Task.POSITION else 0.0)
