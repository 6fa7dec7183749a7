"""xacro, the macro language of ROS for URDF, expanded where its package is installed."""

from percuss.model.xacro.expand import expand

__all__ = ["expand"]
