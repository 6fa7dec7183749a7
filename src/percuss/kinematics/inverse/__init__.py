"""Inverse kinematics: joint coordinates for a pose of the tool."""
