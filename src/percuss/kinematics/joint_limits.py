"""Angles within the limits of a joint."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from percuss.algebra.scalars import Scalar, is_constant, is_symbolic, namespace, to_scalar, where
from percuss.model.errors import ModelError
from percuss.model.systems import Joint

_ROUNDING = 1e-12
"""By which an angle may exceed a limit (rad); it is then put on the limit."""


def turned_into_limits(joint: Joint, angle: Scalar) -> Scalar:
    """The angle (rad) moved by the fewest whole turns into the joint's limits.

    NaN where no number of turns does it. Symbols cannot be compared and stay as they are.
    """
    lower, upper = joint.limits.lower, joint.limits.upper
    if not (is_constant(lower) and is_constant(upper)):
        raise ModelError(
            f"joint {joint.name!r}: limits must be numbers to hold, got {lower} and {upper}; "
            "limited=False leaves them out"
        )
    if is_symbolic(angle) or (lower == -math.inf and upper == math.inf):
        return angle
    x: Any = np.float64(angle) if is_constant(angle) else angle
    ceil = namespace(x).ceil
    up, down = (ceil((gap - _ROUNDING) / math.tau) for gap in (lower - x, x - upper))
    turned: Any = x + math.tau * (where(up > 0, up, 0.0) - where(down > 0, down, 0.0))
    inside: Any = where(turned < lower, lower, where(turned > upper, upper, turned))
    return to_scalar(where(abs(inside - turned) <= _ROUNDING, inside, math.nan))
