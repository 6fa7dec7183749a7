"""Kinematics of trees: poses, velocities, Jacobians, coordinates and their changes."""

from typing import TYPE_CHECKING

from percuss.exports import on_demand as _on_demand

if TYPE_CHECKING:
    from percuss.kinematics.analytic_jacobians import analytic_jacobian
    from percuss.kinematics.attachments import (
        join_configuration,
        join_velocity,
        relative_pose,
        reroot_configuration,
        reroot_velocity,
        split_configuration,
        split_velocity,
    )
    from percuss.kinematics.dexterity_measures import dexterity
    from percuss.kinematics.following import follow, resolved_motion
    from percuss.kinematics.frames import (
        Reference,
        frame_acceleration,
        frame_pose,
        frame_velocity,
        planar_angle,
        poses,
    )
    from percuss.kinematics.held import held_trajectory
    from percuss.kinematics.inverse.objectives import avoid_limits, stay_near
    from percuss.kinematics.inverse.solutions import NoSolutionError
    from percuss.kinematics.inverse.solver import InverseKinematics, inverse_kinematics
    from percuss.kinematics.jacobians import jacobian, jacobian_time_derivative
    from percuss.kinematics.manifold import coordinate_rates, difference, integrate, neutral
    from percuss.kinematics.matrices import determinant
    from percuss.kinematics.mobility_count import degrees_of_freedom, mobility
    from percuss.kinematics.polynomials import cubic, quintic
    from percuss.kinematics.task_paths import circle, line
    from percuss.kinematics.tasks import Task
    from percuss.kinematics.two_link import UnreachableError, two_link_angles

__all__ = [
    "InverseKinematics",
    "NoSolutionError",
    "Reference",
    "Task",
    "UnreachableError",
    "analytic_jacobian",
    "avoid_limits",
    "circle",
    "coordinate_rates",
    "cubic",
    "degrees_of_freedom",
    "determinant",
    "dexterity",
    "difference",
    "follow",
    "frame_acceleration",
    "frame_pose",
    "frame_velocity",
    "held_trajectory",
    "integrate",
    "inverse_kinematics",
    "jacobian",
    "jacobian_time_derivative",
    "join_configuration",
    "join_velocity",
    "line",
    "mobility",
    "neutral",
    "planar_angle",
    "poses",
    "quintic",
    "relative_pose",
    "reroot_configuration",
    "reroot_velocity",
    "resolved_motion",
    "split_configuration",
    "split_velocity",
    "stay_near",
    "two_link_angles",
]

__getattr__, __dir__ = _on_demand(
    __name__,
    {
        "analytic_jacobians": ("analytic_jacobian",),
        "attachments": (
            "join_configuration",
            "join_velocity",
            "relative_pose",
            "reroot_configuration",
            "reroot_velocity",
            "split_configuration",
            "split_velocity",
        ),
        "dexterity_measures": ("dexterity",),
        "following": ("follow", "resolved_motion"),
        "frames": (
            "Reference",
            "frame_acceleration",
            "frame_pose",
            "frame_velocity",
            "planar_angle",
            "poses",
        ),
        "held": ("held_trajectory",),
        "inverse.objectives": ("avoid_limits", "stay_near"),
        "inverse.solutions": ("NoSolutionError",),
        "inverse.solver": ("InverseKinematics", "inverse_kinematics"),
        "jacobians": ("jacobian", "jacobian_time_derivative"),
        "manifold": ("coordinate_rates", "difference", "integrate", "neutral"),
        "matrices": ("determinant",),
        "mobility_count": ("degrees_of_freedom", "mobility"),
        "polynomials": ("cubic", "quintic"),
        "task_paths": ("circle", "line"),
        "tasks": ("Task",),
        "two_link": ("UnreachableError", "two_link_angles"),
    },
)
