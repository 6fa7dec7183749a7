"""Dry friction during an instantaneous impact, in impulse space (Routh, Stronge, Batlle).

The normal impulse p grows from zero; nothing moves meanwhile, only velocities change. With the
slip s (tangential) and the normal velocity v of the target's contact point relative to the
chaser's, and the tangential force f per normal force,

    ds/dp = b + T f,    dv/dp = c + b · f,    |f| ≤ μ,

where T, b and c are the blocks of W = J M⁻¹ Jᵀ of both systems together. While the points slide
f = -μ s/|s|. Where slip ends they stick if f = -T⁻¹ b is within the cone, and slide again along
the one direction that leads away from rest otherwise. The impact is over when the work that the
normal impulse gives back is e² times the work that it took in.

Every kind of scalar goes through the same formulas; batches and traced values with both branches
of every choice.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from percuss.algebra.scalars import (
    Scalar,
    is_constant,
    pack,
    plain,
    terms,
)
from percuss.impact.choices import largest, size_of
from percuss.impact.friction_law import SlidingLaw, Tangent
from percuss.impact.sliding import Progress, straight, straight_slide


def frictional_impulse(law: SlidingLaw, slip: Tangent, velocity: Scalar) -> tuple[Scalar, Any]:
    """Normal and tangential impulse on the target (N s) that end an approach, velocity < 0.

    Exact to rounding in the plane and wherever slip does not turn, else as `turning_slip` says.
    """
    # A case that is not a number stays one without a word.
    with np.errstate(invalid="ignore"):
        return _in_units(law, slip, velocity)


def _in_units(law: SlidingLaw, slip: Tangent, velocity: Scalar) -> tuple[Scalar, Any]:
    # In units of the speed and of the normal mobility every number is about one: work is a
    # square, which might vanish or overflow.
    speed, unit = terms(_unit(largest(-velocity, size_of(slip))), _unit(law.normal))
    scaled = replace(
        law,
        tangential=plain([[x / unit for x in row] for row in law.tangential]),
        coupling=plain([x / unit for x in law.coupling]),
        normal=plain(law.normal / unit),
    )
    slip = plain([x / speed for x in slip])
    state = _slide(scaled, Progress(slip, plain(velocity / speed), 0.0, [0.0 for _ in slip]))
    state = straight(scaled, state, scaled.force_at_rest(), math.inf)
    back = speed / unit
    return plain(state.impulse * back), pack(x * back for x in state.tangential_impulse)


def _unit(size: Scalar) -> Scalar:
    """The size itself; of a number a power of two, so that nothing is rounded."""
    return math.ldexp(1.0, math.frexp(size)[1]) if is_constant(size) else size


def _slide(law: SlidingLaw, state: Progress) -> Progress:
    """Until slip has ended or the impact is over."""
    if len(state.slip) == 1:
        return straight_slide(law, state)
    # Imported where slip turns: in the plane it does not, and an impact takes less time.
    from percuss.impact.turning_slip import turned

    return straight_slide(law, turned(law, state))
