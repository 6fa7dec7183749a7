"""What sensors without errors would show: true values of channels along a motion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from percuss.algebra.vectors import Vector3
from percuss.encounter.chaser import ChaserView
from percuss.encounter.observation import Observation
from percuss.encounter.phase import Phase
from percuss.encounter.recording import continuous
from percuss.encounter.simulation import Simulation
from percuss.identification.data.channels import Channel
from percuss.identification.data.vectors import VECTORS
from percuss.model.errors import ModelError


def after_impact(simulation: Simulation) -> tuple[Phase, ...]:
    """The phases of motion from the first contact on, one after the other."""
    impacts, phases = simulation.sequence.impacts, simulation.phases
    touching = [phase.begin for phase in phases if phase.name == "contact"]
    if not impacts and not touching:
        raise ModelError(
            f"there is nothing to measure after an impact: the run ended {simulation.status!r} "
            f"(closure {simulation.closure}), without one"
        )
    begin = min([*(impact.time for impact in impacts), *touching])
    found = tuple(phase for phase in phases if phase.begin >= begin and phase.end > phase.begin)
    if not found:
        raise ModelError(
            f"there is no motion after the impact: the run ended {simulation.status!r}"
        )
    return found


@dataclass(frozen=True)
class ShownMotion:
    """True values over `times`, s after the impact.

    The times are at the indices `at` of `observation`.
    """

    observation: Observation
    times: np.ndarray
    at: np.ndarray

    def values(self, channel: Channel, markers: Mapping[str, Sequence[float]]) -> np.ndarray:
        """The true values of a channel, (times,)."""
        return self._all(channel, markers)[self.at]

    def attitude(self) -> np.ndarray:
        """World ← base (times, 4), unit quaternions without jumps of sign."""
        pose = self.observation.base_pose().rotation.to_quaternion()
        count = len(self.observation.motion.time)
        rows = [np.broadcast_to(np.asarray(x, float), count) for x in pose]
        return continuous(np.stack(rows, axis=-1))[self.at]

    def _all(self, channel: Channel, markers: Mapping[str, Sequence[float]]) -> np.ndarray:
        observation, assembly = self.observation, self.observation.assembly
        if channel.kind in ("joint", "joint_rate", "joint_torque"):
            node = assembly.chaser.node(assembly.chaser.joint(channel.part).child)
            if channel.kind == "joint":
                return observation.q[node.coordinates.start]
            table = observation.v if channel.kind == "joint_rate" else observation.motion.commands
            return table[node.rates.start]
        if channel.kind == "base.position":
            return observation.rows(observation.base_pose().position)[:, channel.index]
        if channel.kind == "base.angle":
            return self._view.coordinates(observation.q[: assembly.chaser.coordinate_count])[2]
        if channel.kind in VECTORS:
            sensor, system = VECTORS[channel.kind], observation.equations.system
            value = sensor.value(assembly.chaser, system, observation.q, observation.v)
            return observation.rows(value)[:, channel.index]
        if channel.kind == "tool_force":
            return observation.held_force[:, channel.index]
        point = Vector3(*markers[channel.part], *(0.0,) * (3 - len(markers[channel.part])))
        return observation.rows(observation.target_pose.act(point))[:, channel.index]

    @cached_property
    def _view(self) -> ChaserView:
        assembly = self.observation.assembly
        return ChaserView(assembly.chaser, assembly.is_planar)
