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

from percuss.kernel.rollouts.roots import hermite_value
from percuss.kernel.rollouts.sides import Look, Reading

Array = Any

LOOKS = (0.2929, 0.7071)
"""Shares of the step at which the value is looked at again. Two, since a value that falls and rises
evenly, as the distance of bodies that pass each other, may meet the cubic at one."""
OPEN = 0.1
"""Share of the smallest value seen that the cubic may be off: a dip to zero between looks is then
seen as a dip."""
SAFETY = 0.9
"""Share of the step that would just show the value, as that of `StepControl` for its error."""
LONGER = 10.0
"""The most by which this asks for a longer step; what the method allows may be less."""
SHORTEST = 2.0**-20
"""Share of the time of a case below which no step is refused for a value: one that jumps has no
cubic that is near."""
NOISE = 512.0
"""Roundings of the values at both ends that the cubic may always be off."""


def step_factor(
    look: Look, reading: Reading, h: Array, between: Sequence[Array], *, eps: float
) -> Array:
    """The factor by which the step may be longer for the value to show; below 1 it does not.

    `between` are the values at `LOOKS`, h the step (s), eps the rounding of 1. The cubic's error
    grows with the fourth power of the step.
    """
    start, end, side = look.start, look.end, reading.side
    last = look.end_slope * h
    off = functools.reduce(
        np.maximum,
        (
            np.abs(value - hermite_value(share, np.ones(()), start, look.slope, end, last))
            for share, value in zip(LOOKS, between, strict=True)
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
    allowed = np.maximum(OPEN * scale, NOISE * eps * sizes)
    # A value that is infinite somewhere is far away.
    known = (off > 0.0) & np.isfinite(off)
    most = np.where(known, allowed / np.where(known, off, 1.0), np.inf)
    factor = np.clip(SAFETY * np.sqrt(np.sqrt(most)), LOOKS[0], LONGER)
    factor = np.where((most >= 1.0) & (factor < 1.0), 1.0, factor)
    hidden = (inner <= 0.0) & (side * end > 0.0) & ~reading.crossing & sided
    return np.where(hidden, LOOKS[0], factor)
