"""One attempt of one case to take a step: what its parts share."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from percuss.kernel.rollouts.methods import ErrorControlled
from percuss.kernel.rollouts.methods.linearisation import Linearised
from percuss.kernel.rollouts.problem import RolloutProblem
from percuss.kernel.rollouts.statistics import Quantity

Array = Any
State = dict[str, Any]

RUNNING = -1.0
NO_LANDING = -1.0
SMOOTH_LANDING = -1.0
"""Origin of a landing that needs no further search."""


class Status(enum.IntEnum):
    """How a case ended."""

    DONE = 0
    """Reached the end."""
    EVENT = 1
    """Stopped by a terminal event."""
    MAX_STEPS = 2
    """Cut by its limit of steps, or given up because at its pace it would need far more."""
    STEP_UNDERFLOW = 3
    """Needs steps too small to advance: a pole, or tolerances below rounding."""
    NOT_FINITE = 4
    """The state or its rates became NaN or infinite, or an event's value NaN; the state is the
    last good one."""
    EVENT_LIMIT = 5
    """Stopped by an event that happened as often as it may (`Event.most`), after its action."""
    ACCUMULATED = 6
    """Events pile up at one instant: a bouncing body has come to rest, or is pressed on."""


@dataclass
class Attempt:
    """A case before its step (`state`), and what it becomes (`new`)."""

    problem: RolloutProblem
    state: State
    segment_end: Array
    p: Any

    new: State = field(init=False)
    t: Array = field(init=False)
    z: Array = field(init=False)
    held: Any = field(init=False)
    memory: Any = field(init=False)
    k1: Array = field(init=False)
    """Rates at the beginning."""
    h: Array = field(init=False)
    t1: Array = field(init=False)
    """Time at the end, to the bit of the boundary it reaches."""
    proposal: Array = field(init=False)
    """What the step would be without boundaries."""
    end: Array = field(init=False)
    """Time at which the segment ends for the case."""
    boundary: Array = field(init=False)
    """Time beyond which no step may go: the same, unless the states at chosen times are read off
    dense output."""
    lands: Array = field(init=False)
    """Whether the step goes to an event that was found, or to where its search goes on."""
    arrives: Array = field(init=False)
    """Whether it goes to the event itself."""

    def __post_init__(self) -> None:
        self.eps = float(np.finfo(self.problem.dtype).eps)
        self.new = dict(self.state)
        self.t, self.z = self.state["t"], self.state["x"]
        self.start, self.most = self.state["begin"], self.state["most"]
        self.end = np.minimum(self.segment_end, self.state["finish"])
        self.boundary = self.state["finish"] if "piece" in self.state else self.end
        self.held, self.memory = self.state.get("u"), self.state.get("memory")
        self.first = self.state["attempts"] == 0.0

    def rates(self, t: Array, z: Array) -> Array:
        return self.problem.rates(t, z, self.held, self.memory, self.p)

    def linearised(self, t: Array, z: Array) -> Linearised:
        return self.problem.linearisation.at(t, z, self.held, self.memory, self.p)

    def call(self, quantity: Quantity, t: Array, z: Array) -> Array:
        return self.problem.call(quantity, t, z, self.held, self.memory, self.p)

    def near(self) -> Array:
        """Times closer than this are the same."""
        return rounding_of_time(self.eps, self.t, self.boundary)


def rounding_of_time(eps: float, t: Array, other: Array) -> Array:
    """How close times of this size may be and still be the same; eps is the rounding of 1."""
    return 4.0 * eps * np.maximum(np.abs(t), np.abs(other))


def all_finite(vector: Array) -> Array:
    """Whether all entries are finite numbers.

    Then so is their sum, made so small that it cannot overflow: one look instead of many.
    """
    return np.isfinite(np.sum(vector * 2.0 ** -np.size(vector).bit_length()))


def carries_rates(problem: RolloutProblem) -> bool:
    """Whether the rates at the end of a step are those at the start of the next."""
    adaptive = isinstance(problem.method, ErrorControlled)
    return adaptive and problem.controller is None and not problem.events
