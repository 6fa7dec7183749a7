"""URDF, the robot description format of ROS, read and written."""
