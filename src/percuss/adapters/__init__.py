"""The same system in other libraries: Pinocchio and MuJoCo, both optional.

They are the reference that percuss is checked against, and a way out to what they do better.
Install them with ``pip install 'percuss[check]'``.
"""

from percuss.adapters.mujoco import MujocoTwin, from_mujoco, to_mujoco
from percuss.adapters.pinocchio import PinocchioTwin, from_pinocchio, to_pinocchio
from percuss.adapters.twins import Twin

__all__ = [
    "MujocoTwin",
    "PinocchioTwin",
    "Twin",
    "from_mujoco",
    "from_pinocchio",
    "to_mujoco",
    "to_pinocchio",
]
