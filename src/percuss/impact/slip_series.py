"""Taylor series of sliding in space, by the recurrence of its equations, for any scalar.

In τ with dτ = dp/|s|:

    ds/dτ = r b - μ T s,    dp/dτ = r,    dv/dτ = c r - μ b · s,    r² = s · s.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from percuss.algebra.scalars import (
    Scalar,
    dot,
    formula,
    namespace,
    plain,
    sqrt,
    terms,
    total,
    where,
)
from percuss.impact.choices import largest, size_of
from percuss.impact.friction_law import SlidingLaw

ORDER = 18
TOLERANCE = 1e-12
"""Of the last terms of a series, speeds being about one."""
_LEAST = 1e-4
"""Slower slip than this is as accurate as slip of this speed, or its direction would be lost."""
_ROUNDS = 6
_TINY = 1e-100

Series = list[Any]
"""Coefficients, from the constant one on."""


@dataclass(frozen=True)
class Terms:
    """Taylor coefficients in τ."""

    slip: tuple[Series, Series]
    impulse: Series
    velocity: Series
    owed: Series


def series_of(
    law: SlidingLaw, slip: Sequence[Scalar], velocity: Scalar, owed: Scalar, *, share: Scalar
) -> Terms:
    """The recurrence: each line an equation of motion, r² = s · s and d(owed)/dτ = -share r v."""
    (t11, t12), (t21, t22) = law.tangential
    b1, b2 = terms(*law.coupling)
    mu, normal, share = terms(law.friction, law.normal, share)
    k11, k12, k21, k22 = (mu * t for t in (t11, t12, t21, t22))
    d1, d2 = mu * b1, mu * b2
    x, y, v, o = ([value] for value in terms(*slip, velocity, owed))
    r: Series = [terms(size_of(slip))]
    half = 0.5 / r[0]
    p: Series = [0.0]
    for k in range(ORDER):
        if k:
            squares = terms(_square(x, k)) + _square(y, k)
            r.append(half * (squares - _square(r, k)))
        n = 1.0 / (k + 1)
        x.append(n * (b1 * r[k] - (k11 * x[k] + k12 * y[k])))
        y.append(n * (b2 * r[k] - (k21 * x[k] + k22 * y[k])))
        p.append(n * r[k])
        power = dot(r, v[k::-1])
        v.append(n * (normal * r[k] - (d1 * x[k] + d2 * y[k])))
        o.append(-n * (share * power))
    return Terms(*plain(((x, y), p, v, o)))


@formula
def _square(series: Series, k: int) -> Scalar:
    """The k-th coefficient of a series' square, as far as its coefficients are known."""
    inner = range(k - len(series) + 1, (k + 1) // 2)
    found = 2.0 * terms(total(series[j] * series[k - j] for j in inner))
    return found if k % 2 else found + series[k // 2] * series[k // 2]


def reach(series: Terms, longest: Any) -> Any:
    """How far the series reach: their last two terms are at most the tolerance there."""
    allowed = TOLERANCE * terms(largest(size_of([x[0] for x in series.slip]), _LEAST))
    span: Any = longest
    for k in (ORDER - 1, ORDER):
        last = [
            largest(x, -x) for x in (s[k] for s in (*series.slip, series.velocity, series.owed))
        ]
        size = largest(largest(last[0], last[1]), largest(last[2], last[3]))
        size = terms(largest(size, _TINY))
        module = namespace(size)
        far = plain(module.exp(1.0 / k * module.log(allowed / size)))
        span = where(far < span, far, span)
    return span


@formula
def value(series: Series, at: Any) -> Any:
    found = series[-1]
    for coefficient in series[-2::-1]:
        found = coefficient + at * found
    return found


@formula
def integral(series: Series, at: Scalar) -> Scalar:
    """The integral of a series from 0 to `at`; the last coefficient of the integral is left out."""
    return at * value([1.0 / (k + 1) * x for k, x in enumerate(series[:-1])], at)


@formula
def falls_to_zero(series: Series, span: Any) -> Any:
    """Where a series that falls from ≥ 0 to ≤ 0 within the span is zero."""
    slopes = [float(k) * x for k, x in enumerate(series)][1:]
    low: Any = 0.0
    high: Any = span
    # The parabola at the start, whose zero is close where it is early.
    a, b, c = 2.0 * -series[2], -series[1], series[0]
    square: Any = b * b + 2.0 * a * c
    real = square > 0.0
    bottom: Any = b + sqrt(where(real, square, 1.0))
    fine = real & (bottom > 0.0)
    at: Any = where(fine, 2.0 * c / where(fine, bottom, 1.0), 0.5 * span)
    at = where((at > 0.0) & (at < span), at, 0.5 * span)
    for _ in range(_ROUNDS):
        height, slope = terms(value(series, at), value(slopes, at))
        low, high = where(height > 0.0, at, low), where(height > 0.0, high, at)
        falls = slope < 0.0
        newton: Any = at - height / where(falls, slope, -1.0)
        inside = falls & (newton >= low) & (newton <= high)
        at = where(inside, newton, 0.5 * (low + high))
    return at
