"""How an encounter ends."""

from __future__ import annotations

import enum


class Outcome(enum.IntEnum):
    """How a case ended; the names are those of a single run's status."""

    CAPTURED = 0
    BOUNCED = 1
    MISSED = 2
    """The tool never touched before the timeout."""
    PUSHED = 3
    """By a pulse."""
    ACCUMULATED = 4
    """Bounces pile up before the grasp can close."""
    UNFINISHED = 5
    """Bounced as often as it may."""
    FAILED = 6
    """The motion became no number, took too many steps, or could not be planned."""
    HELD = 7
    """A spring holds the points together."""
    REFUSED = 8
    """Its numbers cannot be: a body that no mass can have, a value out of its bounds."""
