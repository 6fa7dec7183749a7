"""The side of zero on which an event's value is, and whether a step takes it to the other one.

Over one step, θ from 0 to 1, a value g is seen as g ≈ start + slope θ + ½ curvature θ² and by what
it is at the end. A value within ± `zero` has no side of its own: the side on which it leaves that
band counts, whether by its slope, by its curvature or later.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from percuss.kernel.rollouts.event import MANY_ROUNDINGS

Array = Any

JUST_CROSSED = 2.0
"""Side of an event's value right after the event: rounding hides its sign, its slope tells."""
DUE = 3.0
"""Side of the value of an event that happens at this instant, after another one."""
THROWN = 4.0
"""The same, of a value that the action of another event has moved off its zero."""
TOUCHED = 5.0
"""Side of a value right after its event, when the action of another one may have set it going."""
UNKNOWN = 0.0
ROUNDINGS = 256.0
"""A slope this many roundings of the fastest crossing is one that an action has taken away."""


@dataclass(frozen=True)
class Look:
    """A value over one step; slope and curvature in units of the value, per step and step²."""

    start: Array
    slope: Array
    curvature: Array
    end: Array
    end_slope: Array
    """Per second: known in a step of no length, too."""
    blur: Array
    """Change of the value within the rounding of the time."""
    brief: Array
    """Whether the step is no longer than that rounding."""


@dataclass(frozen=True)
class Reading:
    """What a look says.

    Attributes:
        side: ±1, from which a crossing would come; 0 while the value rests on zero.
        crossing: whether the step crosses, to the side that the event watches.
        at_once: whether it does so at its very beginning.
        late: whether it rests on zero first and leaves only later in the step.
        on_zero: whether the step begins on a zero that is not the one looked for.
        shallow: whether it leaves that zero on an arc too low to be seen in the value; `back` is
            the share of the step at which such an arc ends, from slope and curvature.
        rests: whether an action has stopped the value on zero, and the motion presses on: the
            event would happen again and again at this instant.
        after: the side known when the step has been taken as it is.
    """

    side: Array
    crossing: Array
    at_once: Array
    late: Array
    on_zero: Array
    shallow: Array
    back: Array
    rests: Array
    after: Array


@dataclass(frozen=True)
class EventSides:
    """What an event looks for, known before any step.

    Attributes:
        direction: +1 from below to above, -1 from above to below, 0 either.
        acts: whether it has an action.
        beside: whether there are other events.
        disturbed: whether one of those has an action.
        zero: how far from zero a value may be and still be on zero.
        eps: rounding of 1.
    """

    direction: int
    acts: bool
    beside: bool
    disturbed: bool
    zero: float
    eps: float


def read(look: Look, known: Array, speed: Array, watch: EventSides) -> Reading:
    """Judges a step from the side known before it.

    `speed` is the slope per step with which the event was crossed: its sign the last time, its
    size the largest so far.
    """
    direction, zero = watch.direction, watch.zero
    own, unknown = known == JUST_CROSSED, known == UNKNOWN
    if watch.disturbed:
        touched = known == TOUCHED
        stopped = touched & (np.abs(look.slope) <= ROUNDINGS * watch.eps * np.abs(speed))
        own, unknown = own | stopped, unknown | (touched & ~stopped)
    sided = np.abs(known) == 1.0
    near = np.abs(look.start) <= zero
    on_zero = unknown & near
    later = np.where(np.abs(look.end) > zero, np.sign(look.end), 0.0)
    heading, rests = _after_event(look, own, speed, watch, later=later)
    leaving, slow = _off_the_band(look, watch, later)
    # A command that is sampled anew may carry the value across between two steps.
    flipped = sided & ~near & (known * look.start < 0.0)
    ordinary = np.where(unknown | flipped, np.sign(look.start), known)
    side = np.where(own, heading, np.where(on_zero, leaving, ordinary))
    at_once = flipped & _watched(known, direction)
    late = np.zeros_like(own)
    if direction:
        goes = on_zero & (leaving == float(direction))
        at_once, late = at_once | (goes & ~slow), goes & slow
        side = np.where(goes, -float(direction), side)
    side = np.where(flipped & at_once, known, side)
    if watch.beside:
        due = is_due(known)
        side, at_once = np.where(due, -float(direction or 1), side), at_once | due
    # Rounding may still show a value that has just left its zero on the other side of it.
    shown_behind = sided & near & (known * look.start <= 0.0) & (known * look.slope > 0.0)
    divides = own | (on_zero & ~late) | shown_behind
    shallow, back = _arc(look, side, divides, zero)
    across = np.where(shallow, back <= 1.0, side * look.end <= 0.0)
    # Still on its way off a zero that it passed: rounding may show it on the side it came from.
    leaves = own & (side * look.end_slope > 0.0) & (np.abs(look.end) <= zero + look.blur)
    if not watch.acts:
        # So may a value that jumps, over a step that leads to another event at this instant.
        leaves = leaves | (own & look.brief)
    plain = (side != 0.0) & _watched(side, direction) & across & ~leaves
    crossing = at_once | late | plain
    in_band = np.abs(look.end) <= zero
    if not watch.acts:
        # Nothing but its own motion has brought it to zero: while it stays there, it stays so.
        leaves = leaves | (own & in_band & (side == 0.0))
    after = np.where(leaves, JUST_CROSSED, np.where(in_band, side, np.sign(look.end)))
    return Reading(
        side=side,
        crossing=crossing,
        at_once=at_once,
        late=late,
        on_zero=divides,
        shallow=shallow,
        back=back,
        rests=rests,
        after=after,
    )


def is_due(known: Array) -> Array:
    """Whether an event is to happen at this instant, whatever its value does now."""
    return (known == DUE) | (known == THROWN)


def _arc(look: Look, side: Array, divides: Array, zero: float) -> tuple[Array, Array]:
    """Whether slope s and curvature c make an arc lower than `zero`, and where it ends: -2 s/c."""
    s, c = look.slope, look.curvature
    shallow = divides & (side * s > 0.0) & (s * c < 0.0) & (s * s <= 2.0 * zero * np.abs(c))
    return shallow, -2.0 * s / np.where(c == 0.0, 1.0, c)


def _watched(side: Array, direction: int) -> Array:
    """Whether leaving this side is what the event looks for."""
    return side == -float(direction) if direction else side != 0.0


def _after_event(
    look: Look, own: Array, speed: Array, watch: EventSides, *, later: Array
) -> tuple[Array, Array]:
    """Side of a value that the event itself has left on zero, and whether it rests there.

    However small a slope that leads away, it is believed: the arcs of a bouncing ball have no
    smallest one.
    """
    slope, zero = look.slope, watch.zero
    came = -float(watch.direction) if watch.direction else -np.sign(speed)
    if watch.acts:
        gone = (slope * came <= 0.0) & (np.abs(slope) <= ROUNDINGS * watch.eps * np.abs(speed))
        slope = np.where(gone, 0.0, slope)
    curved = np.where(np.abs(look.curvature) > 2.0 * zero, np.sign(look.curvature), later)
    heading = np.where(slope != 0.0, np.sign(slope), curved)
    rests = own & (slope == 0.0) & (heading != 0.0) & (heading == -came)
    return heading, rests if watch.acts else np.zeros_like(own)


def _off_the_band(look: Look, watch: EventSides, later: Array) -> tuple[Array, Array]:
    """Side on which a value on zero leaves ± `zero`, 0 when it does not, and whether slowly.

    With slope s against curvature c the parabola turns back at s²/2c: within the band that is
    no event. A slope away from the side that is watched is believed in any case, since the arc
    that it begins ends with the event.
    """
    s, c, zero = look.slope, look.curvature, watch.zero
    noise = min(zero, MANY_ROUNDINGS * watch.eps)
    slow = (np.abs(s) <= noise) & (np.abs(c) <= 2.0 * noise)
    by_slope = (
        (s * c >= 0.0) | (s * s > 2.0 * zero * np.abs(c)) | (s * float(watch.direction) < 0.0)
    )
    quick = np.where((s != 0.0) & by_slope, np.sign(s), np.sign(c))
    return np.where(slow, later, quick), slow
