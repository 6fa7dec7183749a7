"""The joints of a run against their own limits, as plain data."""

from __future__ import annotations

import math
from typing import Any

from percuss.simulate.joint_use import JointUse, Jolt, Use, limit_verdict
from percuss.simulate.simulation import Simulation


def limits_of(simulation: Simulation) -> dict[str, Any] | None:
    """Largest effort and rate and the range used of every joint; None where none is limited."""
    uses = [use for use in simulation.joint_uses if use.is_limited]
    if not uses:
        return None
    return {
        "holds": all(part.holds for use in uses for part in use.uses),
        "verdict": limit_verdict(uses),
        "joints": {use.name: _joint(use) for use in uses},
    }


def _joint(use: JointUse) -> dict[str, Any]:
    effort, rate, position = use.uses
    limits = use.limits
    return {
        "unit": use.unit,
        "effort": _against(effort),
        "rate": _against(rate),
        "position": {
            "lowest": use.lowest,
            "highest": use.highest,
            "lower": _finite(limits.lower),
            "upper": _finite(limits.upper),
            "holds": position.holds,
        },
        "impact": None if use.jolt is None else _jolt(use.jolt),
    }


def _against(use: Use) -> dict[str, Any]:
    limited = math.isfinite(use.limit)
    return {
        "peak": use.value,
        "limit": _finite(use.limit),
        "share": _finite(use.share) if limited else None,
        "holds": use.holds,
    }


def _jolt(jolt: Jolt) -> dict[str, Any]:
    return {
        "rate_before": jolt.before,
        "rate_after": jolt.after,
        "rate_jump": jolt.jump,
        "force": jolt.force,
        "moment": jolt.moment,
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
