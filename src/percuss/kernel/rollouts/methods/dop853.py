"""Dormand–Prince 8(5,3), known as DOP853: order 8 with dense output of order 7.

E. Hairer, S. P. Nørsett, G. Wanner, Solving Ordinary Differential Equations I, 2nd edition,
sections II.5, II.6 and II.10. The same method as `scipy.integrate.DOP853`.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from percuss.kernel.rollouts.methods.control import StepControl
from percuss.kernel.rollouts.methods.dense import Powers, advanced, expanded, weighted
from percuss.kernel.rollouts.methods.dop853_tableau import (
    ALL_STAGES,
    COEFFICIENTS,
    FIFTH_ORDER_ERROR,
    INTERPOLATION,
    NODES,
    STAGES,
    THIRD_ORDER_ERROR,
)
from percuss.kernel.rollouts.methods.error_controlled import ErrorControlled
from percuss.kernel.rollouts.methods.trial import StepEquation, Trial
from percuss.kernel.tracing.elementwise import elementwise

Array = Any


@dataclass(frozen=True)
class Dop853(ErrorControlled):
    """Dormand–Prince 8(5,3): twelve evaluations a step, dense output of order 7 for three more.

    For tight tolerances: its steps are several times longer than those of `Adaptive` for the same
    error. The fields are those of every method with error control: `ErrorControlled`.
    """

    control: ClassVar[StepControl] = StepControl(proportional=1 / 8, integral=0.0, longest=10.0)
    degree: ClassVar[int] = 7

    def trial(self, motion: StepEquation, t: Array, z: Array, h: Array, *, k1: Array) -> Trial:
        """One step with its error estimate; twelve evaluations after k1."""
        stages = [k1]

        def evaluate(s: int) -> None:
            """Stage s, which those before it lead to."""
            reached = advanced(z, h, COEFFICIENTS[s, :s].tolist(), stages)
            stages.append(motion.rates(t + NODES[s] * h, reached))

        for s in range(1, STAGES):
            evaluate(s)
        after = advanced(z, h, COEFFICIENTS[STAGES, :STAGES].tolist(), stages)
        last = motion.rates(t + h, after)
        stages.append(last)
        estimates = elementwise(_estimates, *stages, shared=(h,))

        @functools.cache
        def powers() -> Powers:
            for s in range(STAGES + 1, ALL_STAGES):
                evaluate(s)
            return elementwise(_powers, z, after, *stages, shared=(h,))

        return Trial(
            start=z,
            z=after,
            rates=last,
            error=lambda sizes: _error(*sizes(*estimates)),
            powers=powers,
        )


def _estimates(*given: Array) -> list[Array]:
    """The errors of orders 5 and 3 from the stages up to the end, and the step."""
    *stages, h = given
    tables = FIFTH_ORDER_ERROR, THIRD_ORDER_ERROR
    return [h * weighted(weights.tolist(), stages) for weights in tables]


def _powers(z: Array, after: Array, *given: Array) -> Powers:
    """The dense output from both ends of the step, all stages, and the step."""
    *stages, h = given
    change, first, last = after - z, stages[0], stages[STAGES]
    ends = [change, h * first - change, 2.0 * change - h * (last + first)]
    inner = [h * weighted(row, stages) for row in INTERPOLATION.tolist()]
    return expanded([*ends, *inner], ("θ", "1-θ", "θ", "1-θ", "θ", "1-θ", "θ"))


def _error(five: Array, three: Array) -> Array:
    """The estimates of orders 5 and 3 together, from their norms: an error that grows with h⁸.

    e₅·e₅/√(e₅² + e₃²/100): the better one, made smaller where it is much the smaller of the two.
    """
    both = np.sqrt(five * five + 0.01 * three * three)
    return five * five / np.where(both > 0.0, both, 1.0)
