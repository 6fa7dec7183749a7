"""xacro, the macro language of ROS for URDF, expanded where its package is installed."""
