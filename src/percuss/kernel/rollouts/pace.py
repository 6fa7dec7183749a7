"""Whether a case will come to its end: the attempts it needs, foreseen from those it made."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any

FIRST_LOOK = 4096
"""Attempts after which the end is foreseen for the first time; then after twice as many each time.
What begins suddenly, a contact for example, is over by then."""


def foreseen_at_most(most: Array, taken: Array) -> Array:
    """Steps that may be foreseen after n were taken without giving up: most · (most / n)².

    Early on the pace must be far too slow, since a motion may get easier, or be ended by an event.
    """
    ratio = most / taken
    return most * ratio * ratio


def start_state() -> dict[str, Array]:
    """When to look next (attempts), and the time (s) that had been reached at the last look."""
    return {"look": np.full((), FIRST_LOOK / 2.0), "seen": np.zeros(())}


def looked(
    state: dict[str, Array], t: Array, attempts: Array, finish: Array, *, most: Array
) -> tuple[dict[str, Array], Array]:
    """The state after an attempt that led to t (s), and whether it is hopeless to go on.

    The later half of the attempts tells the pace.
    """
    due = attempts >= state["look"]
    # Attempts still needed, (finish - t) / (t - seen) · n / 2, against those allowed.
    allowed = foreseen_at_most(most, np.maximum(attempts, 1.0)) - attempts
    hopeless = (finish - t) * (0.5 * attempts) > allowed * (t - state["seen"])
    hopeless = hopeless & due & (state["look"] >= float(FIRST_LOOK))
    look = np.where(due, 2.0 * state["look"], state["look"])
    return {"look": look, "seen": np.where(due, t, state["seen"])}, hopeless
