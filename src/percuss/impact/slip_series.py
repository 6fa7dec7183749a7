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
    add,
    div,
    dot,
    mul,
    namespace,
    neg,
    sqrt,
    sub,
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
    law: SlidingLaw, slip: Sequence[Scalar], velocity: Scalar, owed: Scalar, share: Scalar
) -> Terms:
    """The recurrence: each line an equation of motion, r² = s · s and d(owed)/dτ = -share r v."""
    (t11, t12), (t21, t22) = law.tangential
    b1, b2 = law.coupling
    mu = law.friction
    k11, k12, k21, k22 = (mul(mu, t) for t in (t11, t12, t21, t22))
    d1, d2 = mul(mu, b1), mul(mu, b2)
    x, y, v, o = [slip[0]], [slip[1]], [velocity], [owed]
    r: Series = [size_of(slip)]
    half = div(0.5, r[0])
    p: Series = [0.0]
    for k in range(ORDER):
        if k:
            squares = add(_square(x, k), _square(y, k))
            r.append(mul(half, sub(squares, _square(r, k))))
        n = 1.0 / (k + 1)
        x.append(mul(n, sub(mul(b1, r[k]), add(mul(k11, x[k]), mul(k12, y[k])))))
        y.append(mul(n, sub(mul(b2, r[k]), add(mul(k21, x[k]), mul(k22, y[k])))))
        p.append(mul(n, r[k]))
        power = dot(r, v[k::-1])
        v.append(mul(n, sub(mul(law.normal, r[k]), add(mul(d1, x[k]), mul(d2, y[k])))))
        o.append(mul(-n, mul(share, power)))
    return Terms((x, y), p, v, o)


def _square(series: Series, k: int) -> Scalar:
    """The k-th coefficient of a series' square, as far as its coefficients are known."""
    inner = range(k - len(series) + 1, (k + 1) // 2)
    found = mul(2.0, total(mul(series[j], series[k - j]) for j in inner))
    return found if k % 2 else add(found, mul(series[k // 2], series[k // 2]))


def reach(terms: Terms, longest: Any) -> Any:
    """How far the series reach: their last two terms are at most the tolerance there."""
    allowed = mul(TOLERANCE, largest(size_of([x[0] for x in terms.slip]), _LEAST))
    span: Any = longest
    for k in (ORDER - 1, ORDER):
        last = [
            largest(x, neg(x)) for x in (s[k] for s in (*terms.slip, terms.velocity, terms.owed))
        ]
        size = largest(largest(last[0], last[1]), largest(last[2], last[3]))
        size = largest(size, _TINY)
        module = namespace(size)
        far = module.exp(mul(1.0 / k, module.log(div(allowed, size))))
        span = where(far < span, far, span)
    return span


def value(series: Series, at: Any) -> Any:
    found = series[-1]
    for coefficient in series[-2::-1]:
        found = add(coefficient, mul(at, found))
    return found


def integral(series: Series, at: Scalar) -> Scalar:
    """From 0; the last coefficient of the integral is left out."""
    return mul(at, value([mul(1.0 / (k + 1), x) for k, x in enumerate(series[:-1])], at))


def falls_to_zero(series: Series, span: Any) -> Any:
    """Where a series that falls from ≥ 0 to ≤ 0 within the span is zero."""
    slopes = [mul(float(k), x) for k, x in enumerate(series)][1:]
    low: Any = 0.0
    high: Any = span
    # The parabola at the start, whose zero is close where it is early.
    a, b, c = mul(2.0, neg(series[2])), neg(series[1]), series[0]
    square: Any = add(mul(b, b), mul(mul(2.0, a), c))
    real = square > 0.0
    bottom: Any = add(b, sqrt(where(real, square, 1.0)))
    fine = real & (bottom > 0.0)
    at: Any = where(fine, div(mul(2.0, c), where(fine, bottom, 1.0)), mul(0.5, span))
    at = where((at > 0.0) & (at < span), at, mul(0.5, span))
    for _ in range(_ROUNDS):
        height, slope = value(series, at), value(slopes, at)
        low, high = where(height > 0.0, at, low), where(height > 0.0, high, at)
        falls = slope < 0.0
        newton: Any = sub(at, div(height, where(falls, slope, -1.0)))
        inside = falls & (newton >= low) & (newton <= high)
        at = where(inside, newton, mul(0.5, add(low, high)))
    return at
