"""Dormand–Prince 5(4).

J. R. Dormand, P. J. Prince, "A family of embedded Runge-Kutta formulae", J. Comput. Appl. Math.
6 (1980) 19–26; the continuous extension of order 4 is L. F. Shampine, Math. Comp. 46 (1986).
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, ClassVar

from percuss.kernel.rollouts.methods.control import StepControl
from percuss.kernel.rollouts.methods.dense import Powers, advanced, weighted
from percuss.kernel.rollouts.methods.error_controlled import ErrorControlled
from percuss.kernel.rollouts.methods.trial import StepEquation, Trial
from percuss.kernel.tracing.elementwise import elementwise

Array = Any

NODES = (0.0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0)
COEFFICIENTS: tuple[tuple[float, ...], ...] = (
    (),
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
)
WEIGHTS = (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84)
ERROR_WEIGHTS = (71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40)
"""Fifth-order minus fourth-order weights."""
INTERPOLATION = (
    (1.0, -8048581381 / 2820520608, 8663915743 / 2820520608, -12715105075 / 11282082432),
    (0.0, 0.0, 0.0, 0.0),
    (0.0, 131558114200 / 32700410799, -68118460800 / 10900136933, 87487479700 / 32700410799),
    (0.0, -1754552775 / 470086768, 14199869525 / 1410260304, -10690763975 / 1880347072),
    (0.0, 127303824393 / 49829197408, -318862633887 / 49829197408, 701980252875 / 199316789632),
    (0.0, -282668133 / 205662961, 2019193451 / 616988883, -1453857185 / 822651844),
    (0.0, 40617522 / 29380423, -110615467 / 29380423, 69997945 / 29380423),
)
"""Weights of θ, θ², θ³, θ⁴ in the continuous extension, one row a stage."""


@dataclass(frozen=True)
class Adaptive(ErrorControlled):
    """Dormand–Prince 5(4): six evaluations a step, dense output of order 4.

    The fields are those of every method with error control: `ErrorControlled`.
    """

    control: ClassVar[StepControl] = StepControl(proportional=0.17, integral=0.04, longest=5.0)
    degree: ClassVar[int] = 4
    # Its steps are short: cutting them costs little, and keeps the states of order 5 to the last
    # bit independent of what is asked for later.
    interpolates: ClassVar[bool] = False

    def trial(self, motion: StepEquation, t: Array, z: Array, h: Array, *, k1: Array) -> Trial:
        """One step with its error estimate; six evaluations after k1."""
        stages = [k1]
        for c, row in zip(NODES[1:], COEFFICIENTS[1:], strict=True):
            stages.append(motion.rates(t + c * h, advanced(z, h, row, stages)))
        after = advanced(z, h, WEIGHTS, stages)
        last = motion.rates(t + h, after)
        stages.append(last)

        @functools.cache
        def powers() -> Powers:
            return elementwise(_powers, *stages, shared=(h,))

        return Trial(
            start=z,
            z=after,
            rates=last,
            error=lambda sizes: sizes(elementwise(_error, *stages, shared=(h,)))[0],
            powers=powers,
        )


def _error(*given: Array) -> Array:
    """The estimated error from the stages and the step."""
    *stages, h = given
    return h * weighted(ERROR_WEIGHTS, stages)


def _powers(*given: Array) -> Powers:
    """The dense output from the stages and the step."""
    *stages, h = given
    return tuple(h * weighted(column, stages) for column in zip(*INTERPOLATION, strict=True))
