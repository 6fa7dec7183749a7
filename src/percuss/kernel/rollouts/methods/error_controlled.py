"""What methods with an error estimate have in common: tolerances, limits of the step, control."""

from __future__ import annotations

import abc
import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from percuss.kernel.errors import KernelError
from percuss.kernel.rollouts.methods.control import StepControl
from percuss.kernel.rollouts.methods.trial import StepEquation, Trial

Array = Any


@dataclass(frozen=True)
class ErrorControlled(abc.ABC):
    """A method in which each case chooses its own steps from an error estimate.

    A step is accepted when the root mean square of error / (absolute + relative·|x|) is at
    most 1. A quaternion counts as the three angles (rad) of its error in the tangent space.

    Attributes:
        relative: relative tolerance.
        absolute: absolute tolerance, one number or one per flat entry of the state.
        first_step: s; by default 1 % of the time in which the state changes by itself.
        smallest_step: s; a case that needs less stops with STEP_UNDERFLOW. Steps below a few
            units in the last place of t count as too small in any case.
        largest_step: s; keeps events from being stepped over.
        most_steps: attempts, accepted or not, before a case stops with MAX_STEPS.
    """

    relative: float = 1e-9
    absolute: float | tuple[float, ...] = 1e-12
    first_step: float | None = None
    smallest_step: float = 1e-14
    largest_step: float = math.inf
    most_steps: int = 100_000

    control: ClassVar[StepControl]
    """How the next step follows from the error of this one."""
    degree: ClassVar[int]
    """Degree of the polynomial between the ends of a step: how many `powers` a trial has."""
    interpolates: ClassVar[bool] = True
    """Whether what lies between the ends of a step is read off that polynomial: states at chosen
    times, extremes and crossings of statistics. Otherwise steps end at chosen times, and statistics
    look at the cubic through the values and slopes at both ends."""

    @abc.abstractmethod
    def trial(self, motion: StepEquation, t: Array, z: Array, h: Array, *, k1: Array) -> Trial:
        """The step of length h (s) from z at t, where dz/dt is k1.

        h may be zero (an event at the very beginning, or a step that only fetches the rates):
        a method does not divide by it. What its `powers` need is computed when they are first
        asked for.
        """

    def __post_init__(self) -> None:
        # Arrays and lists are welcome; a tuple keeps the method hashable.
        if not isinstance(self.absolute, (int, float)):
            values = tuple(float(a) for a in np.ravel(np.asarray(self.absolute)))
            object.__setattr__(self, "absolute", values)
        smallest = min(np.ravel(self.absolute), default=0.0)
        if not (self.relative >= 0 and smallest >= 0 and self.relative + smallest > 0):
            raise KernelError(
                "tolerances must be at least 0 and not both 0, got "
                f"relative={self.relative!r}, absolute={self.absolute!r}"
            )
        if self.first_step is not None and not self.first_step > 0:
            raise KernelError(f"first_step must be > 0 s or None, got {self.first_step!r}")
        if not 0 <= self.smallest_step < self.largest_step:
            raise KernelError(
                "steps must satisfy 0 <= smallest_step < largest_step, got "
                f"{self.smallest_step!r} and {self.largest_step!r}"
            )
        if self.most_steps < 1:
            raise KernelError(f"most_steps must be at least 1, got {self.most_steps}")
