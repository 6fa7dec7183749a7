"""Records of the joints against their own limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class QuantityUse:
    """The largest size of a joint's effort (N m or N) or rate (rad/s or m/s) beside its limit."""

    peak: float
    limit: float | None
    """The limit in the same unit; None where there is none."""
    share: float | None
    """The peak as a share of the limit; None where there is no limit, or where it is zero."""
    holds: bool
    """Whether the limit is kept."""


@dataclass(frozen=True)
class RangeUse:
    """The positions that a joint took, rad or m, beside the ends of its range."""

    lowest: float
    highest: float
    lower: float | None
    """The lower end of the range; None where it is open."""
    upper: float | None
    """The upper end of the range; None where it is open."""
    holds: bool
    """Whether the joint stayed in its range."""


@dataclass(frozen=True)
class JointJolt:
    """What the impact that changes a joint's rate most does to the joint."""

    rate_before: float
    """The rate just before the impact, rad/s or m/s."""
    rate_after: float
    """The rate just after the impact, rad/s or m/s."""
    rate_jump: float
    """The size of the change of the rate, rad/s or m/s."""
    force: float
    """The size of the impulse on the outboard link, N s."""
    moment: float
    """The size of the angular impulse on the outboard link, N m s."""


@dataclass(frozen=True)
class JointLimits:
    """One joint over a whole run against its limits."""

    unit: str
    """The unit of the joint's position is rad or m."""
    effort: QuantityUse
    rate: QuantityUse
    position: RangeUse
    impact: JointJolt | None
    """What an impact did to the joint; None without an instantaneous impact."""


@dataclass(frozen=True)
class LimitsRecord:
    """All joints that have a limit, by name, and whether the limits hold."""

    holds: bool
    verdict: str
    """Whether the limits hold, in words."""
    joints: Mapping[str, JointLimits]
