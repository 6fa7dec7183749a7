"""The same system in other libraries: Pinocchio and MuJoCo, which percuss is checked against.

`to_pinocchio` and `to_mujoco` give a *twin*: the library's own model, and the maps between its
coordinates, rates and forces and ours, which may differ in the order of joints and quaternion
entries and in the axes of some rates. `from_pinocchio` and `from_mujoco` read a model of the
library as a system.
"""

from tests.oracles.mujoco import MujocoTwin, from_mujoco, to_mujoco
from tests.oracles.pinocchio import PinocchioTwin, from_pinocchio, to_pinocchio
from tests.oracles.twins import Twin

__all__ = [
    "MujocoTwin",
    "PinocchioTwin",
    "Twin",
    "from_mujoco",
    "from_pinocchio",
    "to_mujoco",
    "to_pinocchio",
]
