"""A state of VMS and object in which printed and right formulas are compared."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np

from percuss.impact import Contact
from percuss.scenario import build, loads
from percuss.sources.thesis.cases import Case, scenario_text
from percuss.sources.thesis.tables import POSITIONS, VELOCITIES, VMS

Array = np.ndarray


@dataclass(frozen=True)
class ThesisSample:
    """Contact point on end-effector, everything moving, forces on.

    `p` and `rates` are (2.19), world frame; `object_angle` is θ_O and `object_rates` ψ̇;
    `forces` are (F_x, F_y, τ0, τ1, τ2) of Figure 3.1, F in the axes of the base. SI.
    """

    p: tuple[float, ...]
    rates: tuple[float, ...]
    object_angle: float
    object_rates: tuple[float, ...]
    forces: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0, 0.0)

    @cached_property
    def tool(self) -> Array:
        """The end-effector p_EE by (2.23), shape (2,), m."""
        x, y, first, q1, q2 = self.p
        a, b = first + q1, first + q1 + q2
        return np.array(
            [
                x + VMS.l1 * np.cos(a) + VMS.l2 * np.cos(b),
                y + VMS.l1 * np.sin(a) + VMS.l2 * np.sin(b),
            ]
        )

    @cached_property
    def object_center(self) -> Array:
        """Where the object has to be for its contact point (2.32) to be at the tool, (2,), m."""
        angle = self.object_angle + VMS.gamma
        return self.tool - VMS.r * np.array([np.cos(angle), np.sin(angle)])

    @property
    def psi(self) -> Array:
        """ψ of (2.20), m and rad."""
        return np.array([*self.object_center, self.object_angle])

    @cached_property
    def contact(self) -> Contact:
        """This state for percuss's general functions."""
        return self.contact_in(1.0)

    def contact_in(self, metre: float) -> Contact:
        """The state with lengths in another unit, of which a metre has `metre`."""
        size = np.array([metre, metre, 1.0])
        wide = np.array([*size, 1.0, 1.0])
        return replace(
            _systems(metre),
            chaser_coordinates=np.array(self.p) * wide,
            chaser_rates=np.array(self.rates) * wide,
            target_coordinates=self.psi * size,
            target_rates=np.array(self.object_rates) * size,
        )


@lru_cache(maxsize=4)
def _systems(metre: float) -> Contact:
    return build(loads(scenario_text(Case(), metre)))


MOVING = ThesisSample(
    p=POSITIONS.coordinates,
    rates=(0.1, -0.2, 0.3, -0.4, 0.5),
    object_angle=POSITIONS.object_angle(VMS.gamma),
    object_rates=(-1.0, 0.0, 0.2),
    forces=(2.0, -1.0, 0.5, -0.3, 0.7),
)
"""Table 4.2 with rates and forces chosen so that nothing vanishes by chance."""

SIMULATION_1 = ThesisSample(
    POSITIONS.coordinates,
    VELOCITIES[1].chaser,
    POSITIONS.object_angle(VMS.gamma),
    VELOCITIES[1].target,
)
"""Tables 4.2 and 4.3: the moment of the first impact."""
