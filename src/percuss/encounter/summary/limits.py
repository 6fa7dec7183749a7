"""The joints of a run against their own limits, as records."""

from __future__ import annotations

import math

from percuss.encounter.joint_use import JointUse, Jolt, Use, limit_verdict
from percuss.encounter.records.limits import (
    JointJolt,
    JointLimits,
    LimitsRecord,
    QuantityUse,
    RangeUse,
)
from percuss.encounter.simulation import Simulation


def limits_of(simulation: Simulation) -> LimitsRecord | None:
    """Largest effort and rate and the range used of every joint; None where none is limited."""
    uses = [use for use in simulation.joint_uses if use.is_limited]
    if not uses:
        return None
    return LimitsRecord(
        holds=all(part.holds for use in uses for part in use.uses),
        verdict=limit_verdict(uses),
        joints={use.name: _joint(use) for use in uses},
    )


def _joint(use: JointUse) -> JointLimits:
    effort, rate, position = use.uses
    return JointLimits(
        unit=use.unit,
        effort=_against(effort),
        rate=_against(rate),
        position=RangeUse(
            lowest=use.lowest,
            highest=use.highest,
            lower=_finite(use.limits.lower),
            upper=_finite(use.limits.upper),
            holds=position.holds,
        ),
        impact=None if use.jolt is None else _jolt(use.jolt),
    )


def _against(use: Use) -> QuantityUse:
    limited = math.isfinite(use.limit)
    return QuantityUse(
        peak=use.value,
        limit=_finite(use.limit),
        share=_finite(use.share) if limited else None,
        holds=use.holds,
    )


def _jolt(jolt: Jolt) -> JointJolt:
    return JointJolt(
        rate_before=jolt.before,
        rate_after=jolt.after,
        rate_jump=jolt.jump,
        force=jolt.force,
        moment=jolt.moment,
    )


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
