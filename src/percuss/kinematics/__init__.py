"""Kinematics of trees: poses, velocities, Jacobians, coordinates and their changes."""

from typing import TYPE_CHECKING

from percuss.exports import on_demand

if TYPE_CHECKING:
    from percuss.kinematics.analytic_jacobians import (
        Representation,
        analytic_jacobian,
        analytic_jacobian_time_derivative,
        orientation_rate_matrix,
    )
    from percuss.kinematics.attachments import (
        join_configuration,
        join_velocity,
        relative_pose,
        reroot_configuration,
        reroot_velocity,
        split_configuration,
        split_velocity,
    )
    from percuss.kinematics.dexterity_measures import (
        Dexterity,
        LostDirection,
        dexterity,
        manipulability,
    )
    from percuss.kinematics.following import FollowedPath, follow, resolved_motion
    from percuss.kinematics.frames import (
        Reference,
        frame_acceleration,
        frame_pose,
        frame_velocity,
        planar_angle,
        poses,
    )
    from percuss.kinematics.held import HeldTrajectory, held_trajectory
    from percuss.kinematics.inverse import (
        InverseKinematics,
        NoSolutionError,
        Objective,
        Solution,
        Solutions,
        avoid_limits,
        inverse_kinematics,
        stay_near,
    )
    from percuss.kinematics.inverses import (
        damped_inverse,
        left_inverse,
        null_space_projector,
        pseudo_inverse,
        right_inverse,
        weighted_inverse,
    )
    from percuss.kinematics.jacobians import jacobian, jacobian_time_derivative
    from percuss.kinematics.manifold import coordinate_rates, difference, integrate, neutral
    from percuss.kinematics.matrices import determinant
    from percuss.kinematics.mobility_count import degrees_of_freedom, mobility
    from percuss.kinematics.polynomials import cubic, quintic, spline, through_states
    from percuss.kinematics.task_paths import CirclePath, LinePath, TaskState, circle, line
    from percuss.kinematics.tasks import Task
    from percuss.kinematics.trajectories import Trajectory
    from percuss.kinematics.trapezoids import trapezoidal
    from percuss.kinematics.two_link import (
        TwoLinkAngles,
        UnreachableError,
        two_link_angles,
        two_link_solutions,
    )

__all__ = [
    "CirclePath",
    "Dexterity",
    "FollowedPath",
    "HeldTrajectory",
    "InverseKinematics",
    "LinePath",
    "LostDirection",
    "NoSolutionError",
    "Objective",
    "Reference",
    "Representation",
    "Solution",
    "Solutions",
    "Task",
    "TaskState",
    "Trajectory",
    "TwoLinkAngles",
    "UnreachableError",
    "analytic_jacobian",
    "analytic_jacobian_time_derivative",
    "avoid_limits",
    "circle",
    "coordinate_rates",
    "cubic",
    "damped_inverse",
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
    "left_inverse",
    "line",
    "manipulability",
    "mobility",
    "neutral",
    "null_space_projector",
    "orientation_rate_matrix",
    "planar_angle",
    "poses",
    "pseudo_inverse",
    "quintic",
    "relative_pose",
    "reroot_configuration",
    "reroot_velocity",
    "resolved_motion",
    "right_inverse",
    "spline",
    "split_configuration",
    "split_velocity",
    "stay_near",
    "through_states",
    "trapezoidal",
    "two_link_angles",
    "two_link_solutions",
    "weighted_inverse",
]

__getattr__, __dir__ = on_demand(
    __name__,
    {
        "analytic_jacobians": (
            "Representation",
            "analytic_jacobian",
            "analytic_jacobian_time_derivative",
            "orientation_rate_matrix",
        ),
        "attachments": (
            "join_configuration",
            "join_velocity",
            "relative_pose",
            "reroot_configuration",
            "reroot_velocity",
            "split_configuration",
            "split_velocity",
        ),
        "dexterity_measures": ("Dexterity", "LostDirection", "dexterity", "manipulability"),
        "following": ("FollowedPath", "follow", "resolved_motion"),
        "frames": (
            "Reference",
            "frame_acceleration",
            "frame_pose",
            "frame_velocity",
            "planar_angle",
            "poses",
        ),
        "held": ("HeldTrajectory", "held_trajectory"),
        "inverse": (
            "InverseKinematics",
            "NoSolutionError",
            "Objective",
            "Solution",
            "Solutions",
            "avoid_limits",
            "inverse_kinematics",
            "stay_near",
        ),
        "inverses": (
            "damped_inverse",
            "left_inverse",
            "null_space_projector",
            "pseudo_inverse",
            "right_inverse",
            "weighted_inverse",
        ),
        "jacobians": ("jacobian", "jacobian_time_derivative"),
        "manifold": ("coordinate_rates", "difference", "integrate", "neutral"),
        "matrices": ("determinant",),
        "mobility_count": ("degrees_of_freedom", "mobility"),
        "polynomials": ("cubic", "quintic", "spline", "through_states"),
        "task_paths": ("CirclePath", "LinePath", "TaskState", "circle", "line"),
        "tasks": ("Task",),
        "trajectories": ("Trajectory",),
        "trapezoids": ("trapezoidal",),
        "two_link": ("TwoLinkAngles", "UnreachableError", "two_link_angles", "two_link_solutions"),
    },
)
