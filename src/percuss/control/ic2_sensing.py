"""What real drives and sensors add to a law: torque rates, and a force that is known late.

Both look back, so the law has to be sampled.
"""

from __future__ import annotations

import math
from collections.abc import Sized
from dataclasses import replace
from typing import Any

import numpy as np

from percuss.algebra.arrays import Coordinates, Rates
from percuss.algebra.linear import multiple
from percuss.algebra.scalars import add, is_constant, pack, sub, unpack, where
from percuss.algebra.vectors import Vector3
from percuss.control.laws import ControlLaw, Felt
from percuss.model.checks import shown, violates
from percuss.model.errors import ModelError
from percuss.model.joints import Scalars


def rate_limited(law: ControlLaw, rates: Any, count: int) -> ControlLaw:
    """The law with each command changing at most at a rate (N/s, N m/s), from zero at the start.

    Args:
        law: sampled; within a period a command changes by at most rate · period.
        rates: > 0, one for all or one for each of the chaser's `count` rates; infinite: no limit.
    """
    period = _period(law, "torque rates")
    many = isinstance(rates, Sized) and bool(getattr(rates, "ndim", 1))
    limits = unpack(rates if many else [rates] * count, count, "rates")
    for k, limit in enumerate(limits):
        if violates(limit, lambda x: x > 0):
            raise ModelError(f"rates: entry {k} must be > 0 N/s or N m/s, got {shown(limit)}")
    steps: Scalars = multiple(period, limits)

    def command(t: Any, q: Coordinates, v: Rates, memory: Any, *felt: Any) -> tuple[Any, Any]:
        kept, last = memory
        u, kept = law.command(t, q, v, kept, *felt)
        wanted, before = unpack(u, count, "the command"), unpack(last, count, "last")
        reached = pack(
            _towards(a, b, step) for a, b, step in zip(before, wanted, steps, strict=True)
        )
        return reached, (kept, reached)

    return replace(law, command=command, memory=(law.memory, np.zeros(count)))


def force_delayed(law: ControlLaw, delay: float) -> ControlLaw:
    """The law with the force at the tool as it was `delay` (s) ago, zero before the start.

    The delay is a whole number of the law's periods, one or more: a sensor's, and the time that
    finding the impact point takes.
    """
    period = _period(law, "a delay of the force")
    if not law.feels:
        raise ModelError("a delay of the force is for a law that feels, such as ic2")
    if not (isinstance(delay, (int, float)) and math.isfinite(delay) and delay > 0):
        raise ModelError(f"delay must be finite and > 0 s, got {delay!r}")
    count = round(delay / period)
    if count < 1 or abs(count * period - delay) > 1e-9 * delay:
        raise ModelError(
            f"delay must be a whole number of periods of {period:g} s, got {delay:g} s"
        )

    def command(t: Any, q: Coordinates, v: Rates, memory: Any, felt: Felt) -> tuple[Any, Any]:
        kept, line = memory
        forces = unpack(line, 3 * count, "the forces on their way")
        u, kept = law.command(t, q, v, kept, Felt(Vector3(*forces[:3])))
        return u, (kept, pack((*forces[3:], *felt.force)))

    return replace(law, command=command, memory=(law.memory, np.zeros(3 * count)))


def _period(law: ControlLaw, what: str) -> float:
    if law.period is None:
        raise ModelError(f"{what} need a law that is sampled: give it a period in s, such as 1e-3")
    return law.period


def _towards(before: Any, wanted: Any, step: Any) -> Any:
    """`wanted`, or as near to it as a step from `before` leads."""
    if is_constant(step) and step == math.inf:
        return wanted
    change = sub(wanted, before)
    change = where(change > step, step, change)
    change = where(change < sub(0.0, step), sub(0.0, step), change)
    return add(before, change)
