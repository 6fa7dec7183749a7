"""MJCF, the model format of MuJoCo, read through MuJoCo's own compiler."""

from percuss.model.mjcf.read import parse_mjcf, read_mjcf

__all__ = ["parse_mjcf", "read_mjcf"]
