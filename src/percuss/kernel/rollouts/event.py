"""`Event`: a sign change that stops a case or restarts it from another state."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from percuss.kernel.errors import KernelError
from percuss.kernel.rollouts.statistics import Quantity, check_direction

MANY_ROUNDINGS = 1000.0
"""Roundings of 1 within which an event's value is zero, unless its `zero` says otherwise."""

Condition = Callable[[Any, Any, Any, Any], Any]
"""(t, x, u, p) → truth value."""


@dataclass(frozen=True)
class Event:
    """A sign change of `value`(t, x, u, p), located on the dense output of the step.

    The case then steps once more, exactly to the sign change, and a Newton correction along the
    motion removes what is left, so that the time is as accurate as the integration itself. Where
    the value jumps, a few more steps close in on the jump by bisection, to rounding.

    **Within one step.** Found are a value of another sign at the end of the step than at its
    start, and one dip: across zero, to the side that `direction` watches for, and back. Where the
    value heads for zero at the start and away from it at the end, the cubic through both ends
    tells where the dip is deepest, and the value there decides. After a start on zero the way out
    and back within the step is found too. Not found are a dip whose slopes at the ends do not
    show it or that has not crossed at the bottom of the cubic, several dips with both ends on the
    same side, and, by an event of one direction, a value that comes over from the other side and
    goes back within the step. Of three crossings one is found, not always the first; what follows
    it is looked for anew from there. RK4 takes its steps as given, and error control judges the
    motion, not the value: nothing is missed where steps (`step`, `largest_step`) are shorter than
    the value's shortest stay on either side of zero. With `resolved`, error control refuses steps
    over which a smooth value does not show: the cubic through both ends must be within a tenth of
    the smallest value seen, which leaves no room for a dip that it does not have.

    **On zero.** A value within ± `zero` at the start, or after the action of another event, has
    no side yet. When it leaves to the side that `direction` watches for, by its slope or from
    rest by its curvature, the event happens at once; when it leaves to the other side nothing
    happens until it comes back, be it within the same step. An event of either direction never
    happens at once: leaving zero is no change of sign. A value that stays within ± `zero` is at
    rest, and no event. One that has come to zero by its motion alone, and stays, has had its event:
    leaving to the other side later is the same change of sign.

    **Together.** Events at the very same instant all happen, in the order of the list, each
    action seeing the state that the one before has left, until one of them ends the case. An
    event without action leaves the others as they are: each counts once.

    **Again and again.** Where events follow one another without time going on, or an action
    leaves the value on zero while the motion presses on, the case ends with status ACCUMULATED:
    a ball that has bounced its last. With `most` it ends earlier, with EVENT_LIMIT.

    A value that is NaN ends the case with NOT_FINITE; an infinite one is an event far away.

    Attributes:
        value: (t, x, u, p) → number.
        direction: +1 from below to above, -1 from above to below, 0 either.
        action: (t, x, u, p) → x, the state to go on with; None leaves it unchanged.
        terminal: whether the case stops here with status EVENT, after the action if there is
            one. A condition (t, x, u, p) → truth value is asked before the action: where it is
            true the case stops with the state as it is, where it is false the action follows.
        rounds: of the search for the sign change.
        zero: in the unit of the value, how far from zero it may be and still be on zero at the
            start; by default 1000 roundings of 1 (2e-13 in double precision).
        resolved: whether steps with error control are kept short enough for the value to show in
            them; to no less than 2⁻²⁰ of the time of the case. RK4 has no choice.
        most: how often the event may happen: the case stops after the action of this one, with
            status EVENT_LIMIT. None: no limit.
    """

    value: Quantity
    direction: int = 0
    action: Callable[[Any, Any, Any, Any], Any] | None = None
    terminal: bool | Condition = False
    rounds: int = 12
    zero: float | None = None
    most: int | None = None
    resolved: bool = False

    def __post_init__(self) -> None:
        check_direction(self.direction, "an Event")
        if self.rounds < 1:
            raise KernelError(f"an Event needs at least 1 round, got {self.rounds}")
        if self.zero is not None and not (self.zero >= 0 and math.isfinite(self.zero)):
            raise KernelError(
                f"`zero` of an Event must be finite and at least 0, in the unit of its value, "
                f"or None; got {self.zero!r}"
            )
        if self.most is not None and not (self.most >= 1 and self.most == int(self.most)):
            raise KernelError(
                f"`most` of an Event must be a whole number of at least 1, or None; "
                f"got {self.most!r}"
            )
        if not (self.terminal in (True, False) or callable(self.terminal)):
            raise KernelError(
                "`terminal` of an Event must be True, False or a condition (t, x, u, p), "
                f"got {self.terminal!r}"
            )

    def band(self, dtype: np.dtype[Any]) -> float:
        """What counts as zero, in this precision."""
        return MANY_ROUNDINGS * float(np.finfo(dtype).eps) if self.zero is None else self.zero
