"""Real URDF files of public packages, read and compared with Pinocchio: `make zoo`."""
