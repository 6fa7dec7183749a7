"""Kinematics of trees: poses, velocities, Jacobians, coordinates and their changes."""

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
from percuss.kinematics.manipulability import Dexterity, LostDirection, dexterity, manipulability
from percuss.kinematics.matrices import determinant
from percuss.kinematics.mobility_count import degrees_of_freedom, mobility
from percuss.kinematics.polynomials import cubic, quintic, spline, through_states
from percuss.kinematics.task_paths import CirclePath, LinePath, TaskState, circle, line
from percuss.kinematics.tasks import Task
from percuss.kinematics.trajectories import Trajectory
from percuss.kinematics.trapezoidal import trapezoidal
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
