"""Kinematics of trees: poses, velocities, Jacobians, coordinates and their changes."""

from percuss.kinematics.attachments import (
    join_configuration,
    join_velocity,
    relative_pose,
    reroot_configuration,
    reroot_velocity,
    split_configuration,
    split_velocity,
)
from percuss.kinematics.frames import (
    Reference,
    frame_acceleration,
    frame_pose,
    frame_velocity,
    planar_angle,
    poses,
)
from percuss.kinematics.jacobians import jacobian, jacobian_time_derivative
from percuss.kinematics.manifold import coordinate_rates, difference, integrate, neutral

__all__ = [
    "Reference",
    "coordinate_rates",
    "difference",
    "frame_acceleration",
    "frame_pose",
    "frame_velocity",
    "integrate",
    "jacobian",
    "jacobian_time_derivative",
    "join_configuration",
    "join_velocity",
    "neutral",
    "planar_angle",
    "poses",
    "relative_pose",
    "reroot_configuration",
    "reroot_velocity",
    "split_configuration",
    "split_velocity",
]
