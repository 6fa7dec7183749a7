"""Smooth stretches of a run, and the impacts between them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from percuss.encounter.balances import Balance, balance_of
from percuss.encounter.method import Integration
from percuss.encounter.observation import Observation
from percuss.impact import Contact, Impact

APPROACH, CONTACT, AFTER = 0, 1, 2
"""Phases of a run."""


@dataclass(frozen=True)
class Leg:
    """A stretch in which the equations of motion do not change.

    `name` is observe, approach, contact, flight (between bounces) or after. `before` says
    whether the control of the approach drives the chaser in it.
    """

    name: str
    phase: int
    seen: Observation
    integration: Integration
    before: bool

    @property
    def begin(self) -> float:
        """Time of the run (s)."""
        return float(self.seen.time[0])

    @property
    def end(self) -> float:
        """Time of the run (s)."""
        return float(self.seen.time[-1])

    @property
    def was_ended(self) -> bool:
        """Whether what was watched for ended the stretch."""
        return self.seen.motion.ended is not None

    @cached_property
    def balance(self) -> Balance:
        """Largest residuals within the stretch."""
        return balance_of(self.seen)


@dataclass(frozen=True)
class Hit:
    """An instantaneous impact: when, between which states, and what it did."""

    time: float
    contact: Contact
    impact: Impact
    relative_velocity: np.ndarray
    """Of the target's contact point seen from the tool just before (3,), m/s, world axes."""
