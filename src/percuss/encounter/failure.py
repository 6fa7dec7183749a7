"""What a caller of a simulation meets: its failure, and its progress."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import percuss.kernel as kernel

Progress = Callable[[float], None]
"""Is told the share of the duration done, 0…1."""


WHY = {
    kernel.Status.STEP_UNDERFLOW: "the step became too small",
    kernel.Status.NOT_FINITE: "the state is no longer finite",
    kernel.Status.ACCUMULATED: "contacts follow one another without time going on",
}
"""Why an integration stopped that had steps left, in words."""


class SimulationError(RuntimeError):
    """A motion that could not be computed; the message says how far it came and what to do."""


@dataclass(frozen=True)
class Halt:
    """Where an integration gave up: what `why` says, at a time (s, of the law's clock).

    `step` (s) is how far it came at a time in the end; `state` is the flat state there. The
    `states` (entries, n) at the `times` (n,) are the way there.
    """

    why: str
    time: float
    end: float
    state: np.ndarray
    step: float
    times: np.ndarray
    states: np.ndarray


class StiffError(Exception):
    """An explicit method would take its short steps for stability alone; says how many."""


class UnfinishedError(SimulationError):
    """A motion that would not come to its end; `halt` says where it stopped, and why."""

    def __init__(self, halt: Halt) -> None:
        super().__init__(f"the motion stopped at {halt.time:.6g} s of {halt.end:.6g} s: {halt.why}")
        self.halt = halt
