"""Sliding in space, where the direction of slip turns while the impulse grows, for any scalar.

With dτ = dp/|s| the equations have no singularity where slip ends, which moves to τ → ∞:

    ds/dτ = r b - μ T s,    dp/dτ = r,    dv/dτ = c r - μ b · s,    dF/dτ = -μ s,    r² = s · s.

Each step takes the Taylor series of everything about its start, by the recurrence of the
equations themselves, and is as long as the last terms allow. A step ends early where the series
say that the normal velocity or the work that is owed passes zero.

Impulses are good to 1e-10 of their size, mostly to 1e-12: tests compare them with an adaptive
integration of order 8.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from percuss.algebra.scalars import (
    Scalar,
    dot,
    is_constant,
    is_jax,
    is_traced,
    plain,
    terms,
    where,
)
from percuss.impact.choices import Condition, everywhere, not_
from percuss.impact.friction_law import SlidingLaw
from percuss.impact.sliding import Progress, direction_of, is_compressing
from percuss.impact.slip_series import falls_to_zero, integral, reach, series_of, value

_TRACED_STEPS = 36
"""Of a traced impact, which cannot ask whether it is over: the most that 20 000 random ones took,
with masses from 1 to 10 000, slip of any size and friction up to 2, was 35; 99 % took 22."""
_MOST_STEPS = 2000
"""Of numbers and batches; what is not over then is not a number, or refused."""
_SMALLEST_SLIP = 1e-12
"""Slip that is as good as none; also slip aside of a direction in which it no longer turns."""
_SMALL_ANGLE = 3e-6
"""Within which one step of Newton's leads to that direction."""
_LONGEST = 1000.0
"""Step in τ times the fastest rate of change."""


def turned(law: SlidingLaw, state: Progress) -> Progress:
    """The progress of an impact until it is over, or slip has ended or no longer turns.

    In the last case the rest is straight.

    Not a number where a traced impact or one of a batch takes more steps than there are; an
    `ArithmeticError` for plain numbers.
    """
    path = _followed(law, _start(law, state))
    direction, speed = direction_of([path.slip, path.slip_too])
    direction = _straightened(law, direction)[0]
    grows, _ = law.along(direction)
    # What is left ends along its direction, unless that is one in which slip would last.
    speed = where((speed < _SMALLEST_SLIP) & (grows >= 0.0), 0.0, speed)
    slip = [plain(terms(speed) * x) for x in direction]
    # Better no answer than a wrong one.
    impulse = where(path.ended, path.impulse, math.nan)
    return Progress(
        slip=slip,
        velocity=path.velocity,
        impulse=impulse,
        tangential_impulse=[path.pushed, path.pushed_too],
        owed=path.owed,
    )


def _followed(law: SlidingLaw, start: _Path) -> _Path:
    """Step by step to the end, or as often as the kind of scalar can have it."""
    given = (*start, *_numbers(law))
    if any(is_jax(x) for x in given):
        import jax

        path = _broadcast(jax.numpy, start, law)
        return _Path(*jax.lax.fori_loop(0, _TRACED_STEPS, lambda _, x: _step(law, _Path(*x)), path))
    if any(is_traced(x) for x in given):
        path = start
        for _ in range(_TRACED_STEPS):
            path = _step(law, path)
        return path
    numbers = all(isinstance(x, (bool, np.bool_)) or is_constant(x) for x in given)
    path = start if numbers else _broadcast(np, start, law)
    for _ in range(_MOST_STEPS):
        if everywhere(path.ended):
            return path
        path = _step(law, path)
    if numbers:
        raise ArithmeticError(
            f"sliding was not over after {_MOST_STEPS} steps: friction {law.friction!r}, mobility "
            f"{law.tangential!r}, {law.coupling!r}, {law.normal!r} (scaled)"
        )
    return path


class _Path(NamedTuple):
    """Where sliding has come to; scalars and conditions."""

    slip: Any
    slip_too: Any
    velocity: Any
    impulse: Any
    pushed: Any
    pushed_too: Any
    owed: Any
    limit: Any
    """Of the next step, in τ."""
    presses: Condition
    ended: Condition


def _start(law: SlidingLaw, state: Progress) -> _Path:
    direction, _ = direction_of(state.slip)
    stiffness = law.stiffness(law.sliding_force(direction))
    presses = is_compressing(state.velocity, stiffness)
    slip, slip_too = state.slip
    pushed, pushed_too = state.tangential_impulse
    return _Path(
        slip=slip,
        slip_too=slip_too,
        velocity=state.velocity,
        impulse=state.impulse,
        pushed=pushed,
        pushed_too=pushed_too,
        owed=state.owed,
        limit=math.inf,
        presses=presses,
        ended=_has_ended(law, state.slip),
    )


def _numbers(law: SlidingLaw) -> list[Any]:
    entries = [x for row in law.tangential for x in row]
    return [*entries, *law.coupling, law.normal, law.friction, law.restitution]


def _broadcast(module: Any, path: _Path, law: SlidingLaw) -> _Path:
    """Every entry with the shape of the batch, as a loop needs it."""
    shape = np.broadcast_shapes(*(np.shape(x) for x in (*path, *_numbers(law))))
    kinds = [bool if name in ("presses", "ended") else float for name in _Path._fields]
    return _Path(
        *(
            module.broadcast_to(module.asarray(x, k), shape)
            for x, k in zip(path, kinds, strict=True)
        )
    )


def _has_ended(law: SlidingLaw, slip: Sequence[Scalar]) -> Condition:
    """Whether what is left of slip is as good as none, or straight."""
    direction, speed = direction_of(slip)
    stopped = speed < _SMALLEST_SLIP
    _, small, angle = _straightened(law, direction)
    aside = terms(speed) * angle
    settled = small & (aside < _SMALLEST_SLIP) & (aside > -_SMALLEST_SLIP)
    return settled | stopped | not_(law.is_turning(direction))


def _straightened(
    law: SlidingLaw, direction: Sequence[Scalar]
) -> tuple[list[Scalar], Condition, Scalar]:
    """A direction turned to the one close by that attracts it, where there is one: by how much.

    dφ/dτ = h(φ) with h' = -g - μ nᵀ T n, n across the direction: one step of Newton's. Slip across
    the attracting direction, r times the angle, only falls from there.
    """
    grows, turns = terms(*law.along(direction))
    across = [-direction[1], direction[0]]
    resists = dot(across, [dot(row, across) for row in law.tangential])
    attracts = grows + law.friction * terms(resists)
    some = attracts > 0.0
    angle = turns / where(some, attracts, 1.0)
    small = some & (angle < _SMALL_ANGLE) & (angle > -_SMALL_ANGLE)
    angle = where(small, angle, 0.0)
    turned = [x + angle * n for x, n in zip(direction, across, strict=True)]
    return plain((turned, small, angle))


def _step(law: SlidingLaw, at: _Path) -> _Path:
    # What has ended stays as it is; its slip may be zero, of which there is no series.
    slip = [where(at.ended, 1.0, at.slip), where(at.ended, 0.0, at.slip_too)]
    e, mu = terms(law.restitution, law.friction)
    share = where(at.presses, plain(e * e), 1.0)
    series = series_of(law, slip, at.velocity, at.owed, share=share)
    span = reach(series, plain(_LONGEST / terms(law.rate())))
    span = where(at.limit < span, at.limit, span)

    # Compression ends where the velocity rises through zero. Restitution ends where nothing is
    # owed any more, unless the velocity falls through zero before.
    velocity, owed = value(series.velocity, span), value(series.owed, span)
    released = at.presses & (velocity >= 0.0)
    returned = not_(at.presses) & (owed <= 0.0)
    pressed = not_(at.presses) & not_(returned) & (velocity < 0.0)
    watched = [where(returned, o, v) for o, v in zip(series.owed, series.velocity, strict=True)]
    watched = [where(at.presses, -x, x) for x in watched]
    span = where(released | returned | pressed, falls_to_zero(watched, span), span)

    velocity, owed = value(series.velocity, span), value(series.owed, span)
    # Where the velocity fell to zero after all had been returned, the step is too long.
    fails = pressed & (owed < 0.0)
    limit = where(fails, plain(0.5 * terms(span)), math.inf)
    presses = (at.presses & not_(released)) | pressed
    ahead = _Path(
        slip=value(series.slip[0], span),
        slip_too=value(series.slip[1], span),
        velocity=velocity,
        impulse=plain(terms(at.impulse) + value(series.impulse, span)),
        pushed=plain(at.pushed - mu * integral(series.slip[0], span)),
        pushed_too=plain(at.pushed_too - mu * integral(series.slip[1], span)),
        owed=owed,
        limit=math.inf,
        presses=presses,
        ended=returned,
    )
    ended = returned | _has_ended(law, ahead[:2]) | (released & (owed <= 0.0))
    ahead = ahead._replace(ended=ended)
    kept = at._replace(limit=limit)
    stays = at.ended | fails
    return _Path(*(where(stays, old, new) for old, new in zip(kept, ahead, strict=True)))
