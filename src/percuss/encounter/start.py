"""Chaser and target when an encounter begins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from percuss.dynamics.orbit import CircularOrbit
from percuss.model.systems import Frame, System


@dataclass(frozen=True)
class Start:
    """Chaser and target when a run begins; a pulse may do without a target.

    `tool` is a frame of the chaser, `grip` the target's contact point. Coordinates and rates are
    those of each system on its own.
    """

    chaser: System
    tool: Frame
    chaser_coordinates: Any
    chaser_rates: Any
    target: System | None = None
    grip: Frame | None = None
    target_coordinates: Any = None
    target_rates: Any = None
    orbit: CircularOrbit | None = None
    """In which they are; the world frame follows it, its axes are the local ones at t = 0."""

    def __repr__(self) -> str:
        held = "" if self.grip is None else f", {self.target!r} at {self.grip.name!r}"
        return f"<Start: {self.chaser!r} with {self.tool.name!r}{held}>"
