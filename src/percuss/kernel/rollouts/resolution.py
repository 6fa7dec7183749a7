"""How long a step may be for an event's value to show in what is looked at.

Error control judges the motion, not the value of an event: a body that turns evenly takes long
steps, while the distance of one of its points to another body comes and goes within each. The
values and slopes at both ends of a step show where that distance is smallest only if the cubic
through them is near the value between them. Where it is not, the step is refused.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from percuss.kernel.rollouts.sides import Look, Reading

Array = Any

PLACES = (0.2929, 0.7071)
"""Shares of the step at which the value is looked at again. Two, since a value that falls and rises
evenly, as the distance of bodies that pass each other, may meet the cubic at one."""
OPEN = 0.1
"""Share of the smallest value seen that the cubic may be off: a dip to zero between looks is then
seen as a dip."""
SAFETY = 0.9
LONGER = 10.0
"""The most by which a step may be longer than the one before, as of the methods."""
SHORTEST = 2.0**-20
"""Share of the time of a case below which no step is refused for a value: one that jumps has no
cubic that is near."""
ROUNDINGS = 512.0
"""Roundings of the values at both ends that the cubic may always be off."""


def step_factor(
    look: Look, reading: Reading, h: Array, between: Sequence[Array], eps: float
) -> Array:
    """By how much the step may be longer for the value to show; it does not where that is below 1.

    `between` are the values at `PLACES`, h the step (s), eps the rounding of 1. The cubic's error
    grows with the fourth power of the step.
    """
    start, end, side = look.start, look.end, reading.side
    slopes = look.slope, look.end_slope * h
    off = functools.reduce(
        np.maximum,
        (
            np.abs(value - _cubic(place, start, end, *slopes))
            for place, value in zip(PLACES, between, strict=True)
        ),
    )
    inner = functools.reduce(np.minimum, (side * value for value in between))
    # A zero at the beginning is known, and not what is looked for.
    first = np.where(reading.on_zero, np.inf, side * start)
    least = np.minimum(np.minimum(first, inner), side * end)
    sizes = np.abs(start) + np.abs(end)
    sided = side != 0.0
    # Once the value has another sign at the end it is found; that it shows at all is enough.
    scale = np.where((least > 0.0) & sided, least, np.maximum(sizes, np.abs(inner)))
    allowed = np.maximum(OPEN * scale, ROUNDINGS * eps * sizes)
    # A value that is infinite somewhere is far away.
    known = (off > 0.0) & np.isfinite(off)
    most = np.where(known, allowed / np.where(known, off, 1.0), np.inf)
    factor = np.clip(SAFETY * np.sqrt(np.sqrt(most)), PLACES[0], LONGER)
    factor = np.where((most >= 1.0) & (factor < 1.0), 1.0, factor)
    hidden = (inner <= 0.0) & (side * end > 0.0) & ~reading.crossing & sided
    return np.where(hidden, PLACES[0], factor)


def _cubic(s: float, start: Array, end: Array, slope: Array, end_slope: Array) -> Array:
    """At the share s of a step, of the cubic through values and slopes (per step) at both ends."""
    r = 1.0 - s
    ends = (1.0 + 2.0 * s) * r * r * start + s * s * (3.0 - 2.0 * s) * end
    return ends + s * r * (r * slope - s * end_slope)
