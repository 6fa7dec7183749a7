"""Whether a case will come to its end: the attempts it needs, foreseen from those it made."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any

FIRST_LOOK = 4096
"""Attempts after which the end is foreseen for the first time, whether the pace changes or not;
then after twice as many each time. What begins suddenly, a contact for example, is over by then."""
FIRST_STEADY = 1024
"""The same for a pace that does not pick up: the steps of the later half of the attempts are not
longer, on average, than those of the quarter before. A motion whose time scale grows as it goes
on, as that of a chemical reaction, is none of these. Most motions that run away have by then."""
FAR = 12.0
"""How many times the attempts that are allowed a steady pace must need to be given up; a pace that
falls as much less as it falls from one look to the next, down to `LEAST_FALL`. A motion that is to
get easier after so many steps would have to by that factor."""
LEAST_FALL = 0.25
"""A pace that falls further may be that of a contact amid a motion, which will be over."""


def foreseen_at_most(most: Array, taken: Array) -> Array:
    """Steps that may be foreseen after n were taken without giving up: most · (most / n)².

    Early on the pace must be far too slow, since a motion may get easier, or be ended by an event.
    """
    ratio = most / taken
    return most * ratio * ratio


def start_state() -> dict[str, Array]:
    """When to look next (attempts), the time (s) that had been reached at the last look, and how
    much had been covered up to there since the look before (s)."""
    return {"look": np.full((), FIRST_STEADY / 4.0), "seen": np.zeros(()), "covered": np.zeros(())}


def looked(
    state: dict[str, Array], t: Array, attempts: Array, finish: Array, most: Array
) -> tuple[dict[str, Array], Array]:
    """The state after an attempt that led to t (s), and whether it is hopeless to go on.

    The later half of the attempts tells the pace.
    """
    look, covered = state["look"], t - state["seen"]
    due = attempts >= look
    # Attempts still needed, (finish - t) / covered · n / 2, against those allowed.
    needed = (finish - t) * (0.5 * attempts)
    allowed = foreseen_at_most(most, np.maximum(attempts, 1.0)) - attempts
    hopeless = (look >= float(FIRST_LOOK)) & (needed > allowed * covered)
    # As many attempts as in this half would have covered before; the ratio tells how the pace goes.
    before = 2.0 * state["covered"]
    steady = (look >= float(FIRST_STEADY)) & (covered <= before)
    falls = np.maximum(covered, LEAST_FALL * before)
    hopeless = hopeless | (steady & (needed * before >= FAR * most * covered * falls))
    noted = {
        "look": np.where(due, 2.0 * look, look),
        "seen": np.where(due, t, state["seen"]),
        "covered": np.where(due, covered, state["covered"]),
    }
    return noted, hopeless & due
