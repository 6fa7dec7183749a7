"""What the chaser does besides its task: hold a posture, or follow one that moves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from percuss.control.gains import gains, spread
from percuss.control.goals import Goal, hold
from percuss.control.guidance.tool_space import ToolSpace
from percuss.control.laws import tracking
from percuss.control.plant import Plant
from percuss.model.joints import Scalars


@dataclass(frozen=True)
class Posture:
    """A goal for the chaser's coordinates, and the gains with which it is followed."""

    goal: Goal
    kp: Scalars
    kd: Scalars

    @staticmethod
    def of(plant: Plant, posture: Any, frequency: Any, ratio: Any) -> Posture:
        """The posture of coordinates of the chaser or a goal for them.

        The natural frequency ωn (rad/s) is for all rates or for each.
        """
        goal = posture if isinstance(posture, Goal) else hold(plant, posture)
        own = plant.own_rates
        kp, kd = gains(frequency, ratio, own)
        return Posture(goal, spread(kp, own, "kp"), spread(kd, own, "kd"))

    def accelerations(self, space: ToolSpace, t: Any, q: Scalars, v: Scalars) -> Scalars:
        """ë = -Kd ė - Kp e on each of the chaser's rates (m/s², rad/s²)."""
        layout = space.layout
        q_d, v_d, a_d = self.goal(t)
        start = layout.coordinates(q_d, "posture")
        e = layout.difference(start, q[: layout.coordinate_count])
        wanted, change = layout.rates(v_d, "posture"), layout.rates(a_d, "posture")
        return tracking(layout, e, v[: space.own_rates], wanted, a_d=change, kp=self.kp, kd=self.kd)
