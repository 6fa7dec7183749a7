"""Running statistics: what an ensemble returns instead of trajectories.

A quantity is a function (t, x, u, p) → number or small array, in the user's shapes. Each
statistic keeps a few numbers a case inside the time loop.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from percuss.kernel.errors import KernelError

if TYPE_CHECKING:
    from percuss.kernel.rollouts.course import StepPolynomial

Array = Any
Quantity = Callable[[Any, Any, Any, Any], Any]
"""(t, x, u, p) → number or small array."""


@dataclass(frozen=True)
class Maximum:
    """Largest value at the step points, start and end included.

    With adaptive steps, which are long, also within them: on the cubic through the values and
    slopes at both ends; with a method that interpolates (`ErrorControlled.interpolates`) at six
    places between the ends, and on the polynomial of degree 7 through all eight values.
    """

    value: Quantity


@dataclass(frozen=True)
class Minimum:
    """Smallest value, found as `Maximum` finds the largest."""

    value: Quantity


@dataclass(frozen=True)
class Integral:
    """∫ value dt, by the same method as the state; not part of the error control.

    Without a value it is f that tells it, beside the rates: f then returns (rates, integrands by
    name), so that what both need is computed once.
    """

    value: Quantity | None = None


@dataclass(frozen=True)
class Final:
    """The value at the end; costs nothing on the way."""

    value: Quantity


@dataclass(frozen=True)
class InForce:
    """The value at the end with the command that is in force from then on.

    Of a sampled law that is the one that it gives at the end where a sample is due there, and else
    the one that is held. The values at chosen times are kept (`RolloutResult.in_force`).
    """

    value: Quantity


@dataclass(frozen=True)
class FirstCrossing:
    """Time (s) at which the value first changes sign; NaN if it never does.

    The sign change is located on the cubic through values and slopes at both ends of the step,
    so its error is that of a fourth-order interpolation; with a method that interpolates, on the
    polynomial of degree 7 that `Maximum` uses, between the first two of its places at which the
    signs differ. A value that jumps (an event's action, a sampled command) crosses at the time of
    the jump.

    Attributes:
        direction: +1 from below to above, -1 from above to below, 0 either.
    """

    value: Quantity
    direction: int = 0

    def __post_init__(self) -> None:
        check_direction(self.direction, "FirstCrossing")


Statistic = Maximum | Minimum | Integral | Final | InForce | FirstCrossing


def check_direction(direction: int, owner: str) -> None:
    if direction not in (-1, 0, 1):
        raise KernelError(
            f"the direction of {owner} is +1 (rising), -1 (falling) or 0 (either), "
            f"got {direction!r}"
        )


def start_of(statistic: Statistic, shape: tuple[int, ...], slopes: bool) -> dict[str, np.ndarray]:
    """What is kept in the loop, before the first step; slopes where crossings are found by them."""
    match statistic:
        case Maximum():
            return {"best": np.full(shape, -np.inf)}
        case Minimum():
            return {"best": np.full(shape, np.inf)}
        case FirstCrossing():
            unknown = np.full(shape, np.nan)
            return _point(np.full((), np.nan), unknown, unknown if slopes else None, unknown)
        case _:
            return {}


def _point(t: Array, value: Array, slope: Array | None, time: Array) -> dict[str, Array]:
    """What is kept of a crossing: where the value was last looked at, and the time if it crossed.

    The slope (1/s) is None where crossings are found by values alone.
    """
    known = {} if slope is None else {"slope": slope}
    return {"t": t, "value": value, "time": time} | known


def larger(best: Array, value: Array) -> Array:
    """The larger; NaN stays. A select, so that only the chosen branch is differentiated."""
    return np.where((value <= best) | (best != best), best, value)


def smaller(best: Array, value: Array) -> Array:
    return np.where((value >= best) | (best != best), best, value)


def seen(statistic: Statistic, kept: dict[str, Array], value: Array) -> dict[str, Array]:
    """Extremes after one more point."""
    if isinstance(statistic, Maximum):
        return {"best": larger(kept["best"], value)}
    if isinstance(statistic, Minimum):
        return {"best": smaller(kept["best"], value)}
    return kept


def crossed_on_course(
    statistic: FirstCrossing,
    kept: dict[str, Array],
    h: Array,
    course: StepPolynomial,
    t: Array,
) -> dict[str, Array]:
    """A first crossing after a step of length h (s) whose inside is known, from the point kept."""
    crosses, share = course.first_crossing(statistic.direction)
    time = np.where(crosses & np.isnan(kept["time"]), kept["t"] + share * h, kept["time"])
    return _point(t, course.values[-1], None, time)


def crossed_between(
    statistic: FirstCrossing, kept: dict[str, Array], t: Array, value: Array, slope: Array
) -> dict[str, Array]:
    """A first crossing after a smooth stretch from the point kept to this one."""
    from percuss.kernel.rollouts.roots import hermite_crossing, is_crossing

    when = hermite_crossing(kept["t"], t - kept["t"], kept["value"], kept["slope"], value, slope)
    first = is_crossing(kept["value"], value, statistic.direction) & np.isnan(kept["time"])
    return _point(t, value, slope, np.where(first, when, kept["time"]))


def crossed_by_jump(
    statistic: FirstCrossing, kept: dict[str, Array], t: Array, value: Array, slope: Array | None
) -> dict[str, Array]:
    """A first crossing at the very time t, where the value may have jumped."""
    from percuss.kernel.rollouts.roots import is_crossing

    jumped = is_crossing(kept["value"], value, statistic.direction) & np.isnan(kept["time"])
    return _point(t, value, slope, np.where(jumped, t, kept["time"]))
