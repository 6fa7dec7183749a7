"""What a caller of a simulation meets: its failure, and its progress."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[float], None]
"""Is told the share of the duration done, 0…1."""


class SimulationError(RuntimeError):
    """A motion that could not be computed; the message says how far it came and what to do."""
