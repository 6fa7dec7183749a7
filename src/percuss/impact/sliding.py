"""Slip that keeps its direction during an impact, and rest: the parts that are exact.

`friction` says what the symbols are. With a constant force f per normal force, velocities are
linear and work is quadratic in the normal impulse p, so that the ends of compression, of
restitution and of slip have closed forms.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from percuss.algebra.scalars import (
    Scalar,
    formula,
    is_constant,
    plain,
    sqrt,
    terms,
    where,
)
from percuss.impact.choices import Condition, not_, size_of
from percuss.impact.friction_law import SlidingLaw, Tangent


@dataclass(frozen=True)
class Progress:
    """How far an impact has come: impulse (N s), velocities (m/s).

    `owed` is the work (J) that the normal impulse still has to give back: e² times what
    compression took less what restitution has given.
    """

    slip: Tangent
    velocity: Scalar
    impulse: Scalar
    tangential_impulse: Tangent
    owed: Scalar = 0.0
    over: Condition = False


@formula
def direction_of(slip: Tangent) -> tuple[Tangent, Scalar]:
    """The unit vector along slip, any for none, and the speed."""
    speed = size_of(slip)
    moves = speed > 0.0
    safe = where(moves, speed, 1.0)
    first = where(moves, slip[0] / safe, 1.0)
    return [first, *(x / safe for x in slip[1:])], speed


def straight_slide(law: SlidingLaw, state: Progress) -> Progress:
    """Slip along a direction that stays: until it has ended or the impact is over."""
    direction, speed = direction_of(state.slip)
    grows, _ = law.along(direction)
    lasts = grows >= 0.0
    # Not a number is not hidden: it is no reason to slide on.
    ends = plain(speed / -terms(where(lasts, -1.0, grows)))
    span = where(speed == 0.0, 0.0, where(lasts, math.inf, ends))
    after = straight(law, state, law.sliding_force(direction), span)
    return replace(after, slip=[where(after.over, x, 0.0) for x in after.slip])


def straight(law: SlidingLaw, state: Progress, force: Tangent, span: Scalar) -> Progress:
    """A constant force per normal force over `span` of normal impulse, or to the end: exact."""
    stiffness = law.stiffness(force)
    at, done = state, terms(0.0)
    # Compression and restitution, or, where friction presses the points together again,
    # restitution and compression: with a constant stiffness there is no third part.
    for _ in range(2):
        at, step = _part(law, at, stiffness, plain(span - done))
        done = done + step
    if is_constant(done.value) and math.isinf(done.value):
        raise ArithmeticError(
            "the contact points never separate: the mobility of the contact is not positive "
            f"definite (normal {law.normal!r}, coupling {[*law.coupling]!r} 1/kg)"
        )
    change = law.change_of_slip(force)
    return replace(
        at,
        slip=plain([s + x * done for s, x in zip(state.slip, change, strict=True)]),
        impulse=plain(state.impulse + done),
        tangential_impulse=plain(
            [old + f * done for old, f in zip(state.tangential_impulse, force, strict=True)]
        ),
    )


def _part(
    law: SlidingLaw, at: Progress, stiffness: Scalar, left: Scalar
) -> tuple[Progress, Scalar]:
    """Compression or restitution to its end, or over what is `left`; and how far that is."""
    v, k, e = terms(at.velocity, stiffness, law.restitution)
    presses = is_compressing(at.velocity, stiffness)
    returned = _span_of_work(at.velocity, stiffness, at.owed)
    # To zero velocity, where compression ends or, after a while of release, begins.
    turns_round = v * k < 0.0
    rest = where(turns_round, plain(-(v / where(turns_round, stiffness, 1.0))), math.inf)
    gives_all = not_(presses) & (returned < math.inf)
    wanted = where(gives_all, returned, rest)
    reached = wanted <= left
    over = at.over | (reached & gives_all)
    step = where(at.over, 0.0, where(reached, wanted, left))
    work = step * (v + 0.5 * k * step)
    rests = reached & not_(gives_all) & not_(at.over)
    paid = where(presses, plain(e * e * work), plain(work))
    after = replace(
        at,
        velocity=where(rests, 0.0, plain(v + k * step)),
        owed=where(over, 0.0, plain(at.owed - terms(paid))),
        over=over,
    )
    return after, step


def is_compressing(velocity: Scalar, stiffness: Scalar) -> Condition:
    """Whether the points press together, or are about to."""
    about_to = (velocity == 0.0) & (stiffness < 0.0)
    return (velocity < 0.0) | about_to


@formula
def _span_of_work(velocity: Scalar, stiffness: Scalar, work: Scalar) -> Scalar:
    """The impulse p > 0 with v p + ½ k p² = work ≥ 0, for v ≥ 0; infinite if there is none."""
    square = velocity * velocity + 2.0 * stiffness * work
    nothing = work <= 0.0
    possible = (velocity >= 0.0) & (square > 0.0) & not_(nothing)
    size = velocity + sqrt(where(possible, square, 1.0))
    found = 2.0 * work / where(possible, size, 1.0)
    return where(nothing, 0.0, where(possible, found, math.inf))
