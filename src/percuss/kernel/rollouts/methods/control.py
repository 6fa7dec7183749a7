"""Control of the step: how long the first one is, and how the next follows from an error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from percuss.kernel.rollouts.methods.error_norm import ErrorNorm

Array = Any


@dataclass(frozen=True)
class StepControl:
    """Proportional and integral control of the error of a step.

    After a step with the error e (1 is just within tolerance) that followed one with the error
    e', the next is 0.9·e^-proportional·e'^integral times as long; after one that was refused,
    0.9·e^-proportional; and no longer than the step itself where that had been refused at first,
    since what made it so is near: a kink, or a pole (E. Hairer, G. Wanner, Solving Ordinary
    Differential Equations II, section IV.2, and I, section II.4).

    Attributes:
        proportional: 1/k - ¾·integral for an estimate that grows with the k-th power of the step.
        integral: Hairer's β; it damps steps that would alternate in length.
        longest: how many times longer the next step is at most.
    """

    proportional: float
    integral: float
    longest: float

    def factor(self, error: Array, previous: Array, accepted: Array) -> Array:
        """How much longer the next step may be, from what was `noted` of the previous attempt."""
        known = np.isfinite(error)
        bounded = np.where(known, np.maximum(error, 1e-8), 1.0)
        change = 0.9 * bounded**-self.proportional
        before = np.maximum(np.abs(previous), 1e-4) ** self.integral if self.integral else 1.0
        good = np.clip(change * before, 0.2, np.where(previous < 0.0, 1.0, self.longest))
        bad = np.where(known, np.clip(change, 0.1, 0.9), 0.1)
        return np.where(accepted, good, bad)

    def noted(self, error: Array, previous: Array, accepted: Array) -> Array:
        """The error of the last step that was accepted, negative where one was refused since."""
        return np.where(accepted, np.maximum(error, 1e-4), -np.abs(previous))


def first_step(norm: ErrorNorm, z: Array, k: Array) -> Array:
    """1 % of the time in which the state would change by its own size; 1e-6 s when it is zero."""
    scale = norm.scale(z)
    size, speed = norm([z, k], np.zeros_like(z), scale)
    usable = (size > 1e-5) & (speed > 1e-5)
    return np.where(usable, 0.01 * size / np.where(usable, speed, 1.0), 1e-6)
