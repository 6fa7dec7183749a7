"""Sensors that show a vector of the chaser's motion: one class each, by name in `VECTORS`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from percuss.algebra.arrays import Coordinates, Rates
from percuss.algebra.vectors import Vector3
from percuss.kinematics.frames import frame_velocity
from percuss.model.systems import System


class VectorSensor(ABC):
    """A sensor with columns `KIND.x`, `KIND.y`, `KIND.z`, a function of the state.

    Attributes:
        unit: SI unit of the columns.
        in_plane: axes that it has in the plane (0 for x, 1 for y, 2 for z).
        suspects: what may be wrong where its residuals are no noise, as questions.
    """

    unit: ClassVar[str]
    in_plane: ClassVar[tuple[int, ...]] = (0, 1)
    suspects: ClassVar[str] = "closure? sensor delay? unmodelled torque?"

    @abstractmethod
    def value(self, chaser: System, system: System, q: Coordinates, v: Rates) -> Vector3:
        """What it shows at coordinates q and rates v of a system that has the chaser's bodies.

        It is computed for any scalar: numbers, many at once, or values that are being compiled.
        """


class Gyro(VectorSensor):
    """Angular velocity of the base along its own axes (rad/s)."""

    unit = "rad/s"
    in_plane = (2,)
    suspects = "closure? a bias of the gyro? wheels not in the scenario?"

    def value(self, chaser: System, system: System, q: Coordinates, v: Rates) -> Vector3:
        return frame_velocity(system, q, v, chaser.base.name, reference="body").angular


VECTORS: dict[str, VectorSensor] = {"gyro": Gyro()}
"""By the kind that files name."""
