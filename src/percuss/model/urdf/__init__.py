"""URDF, the robot description format of ROS, read and written."""

from percuss.model.urdf.read import parse_urdf, read_urdf
from percuss.model.urdf.write import write_urdf

__all__ = ["parse_urdf", "read_urdf", "write_urdf"]
