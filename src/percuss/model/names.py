"""Names with a meaning of their own: the world, and what a base can do."""

from __future__ import annotations

from enum import StrEnum

from percuss.model.errors import ModelError

WORLD = "world"
"""Name of the inertial frame, parent of every root."""


class BaseMode(StrEnum):
    """What the base can do. Only a `fixed` one takes momentum out of the system."""

    FIXED = "fixed"
    FREE_FLOATING = "free-floating"
    """Unactuated: momentum is conserved."""
    ATTITUDE_CONTROLLED = "attitude-controlled"
    """Reaction wheels turn the base; nothing pushes it."""
    FREE_FLYING = "free-flying"
    """Thrusters and wheels: every base motion is actuated."""

    @classmethod
    def _missing_(cls, value: object) -> BaseMode:
        raise ModelError(f"base mode {value!r} is not one of {', '.join(cls)}")
