"""The phases of a run, and the impacts between them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from percuss.encounter.balances import Balance, balance_of
from percuss.encounter.method import Integration
from percuss.encounter.observation import Observation
from percuss.impact import Contact
from percuss.impact.outcome import Impact

APPROACH, CONTACT, AFTER = 0, 1, 2
"""When a phase is, before the first contact, while a force acts in it, or after it."""


@dataclass(frozen=True)
class Phase:
    """A stretch of motion under one set of equations.

    `name` is observe, approach, contact, flight (between bounces) or after. `before` says
    whether the control of the approach drives the chaser in it.
    """

    name: str
    kind: int
    observation: Observation
    integration: Integration
    before: bool

    @property
    def begin(self) -> float:
        """Time of the run (s)."""
        return float(self.observation.time[0])

    @property
    def end(self) -> float:
        """Time of the run (s)."""
        return float(self.observation.time[-1])

    @property
    def was_ended(self) -> bool:
        """Whether what was watched for ended the phase."""
        return self.observation.motion.ended is not None

    @cached_property
    def balance(self) -> Balance:
        """Largest residuals within the phase."""
        return balance_of(self.observation)


@dataclass(frozen=True)
class ImpactEvent:
    """An instantaneous impact: when, between which states, and what it did."""

    time: float
    contact: Contact
    impact: Impact
    relative_velocity: np.ndarray
    """Of the target's contact point seen from the tool just before (3,), m/s, world axes."""
