"""Jacobi's elliptic functions and the integral of the third kind, exact up to the separatrix.

All take the *complementary* parameter m₁ = 1 − m. A pendulum or a tumbling body near its separatrix
has m → 1, where m itself no longer says how near: the period grows as ½ ln(16 / m₁). At m₁ = 0 the
functions are tanh and sech, and the period is infinite.

Integrals are Carlson's symmetric ones, by duplication of the argument; the functions are quotients
of theta functions, or partial fractions over the imaginary period, whichever falls off faster. To
rounding, in a handful of terms each.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, inf, pi, sqrt

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Amplitude:
    """am(u), by the half turns it has made and what is left: u = 2 K half_turns + rest.

    `sine`, `cosine` and `delta` are sn, cn and dn of the rest, which is in [−K, K]; each is good
    to rounding relative to itself. Shapes (n,).
    """

    half_turns: Array
    rest: Array
    sine: Array
    cosine: Array
    delta: Array

    @property
    def signs(self) -> Array:
        """The signs of sn u = sign · sine and cn u = sign · cosine; dn u = delta has none."""
        return np.where(self.half_turns % 2 == 0, 1.0, -1.0)


def quarter_period(complement: float) -> float:
    """K(m), infinite for m₁ = 0."""
    if complement == 0.0:
        return inf
    # The arithmetic-geometric mean: digits double in every round.
    a, b = 1.0, sqrt(complement)
    while abs(a - b) > 1e-8 * a:
        a, b = 0.5 * (a + b), sqrt(a * b)
    return pi / (a + b)


def amplitude(u: Array, complement: float) -> Amplitude:
    """The amplitude at u, for 0 ≤ m₁ ≤ 1."""
    K = quarter_period(complement)
    if np.isinf(K):
        zero, sech = np.zeros_like(u), _sech(u)
        return Amplitude(half_turns=zero, rest=u, sine=np.tanh(u), cosine=sech, delta=sech)
    half_turns = np.round(u / (2.0 * K))
    rest = np.clip(u - 2.0 * K * half_turns, -K, K)
    # The second half of a quarter period mirrors the first, so that cn keeps its digits near zero.
    mirrored = np.abs(rest) > 0.5 * K
    near = np.where(mirrored, K - np.abs(rest), rest)
    sn, cn, dn = _near_zero(near, complement, K)
    k1 = np.sqrt(complement)
    return Amplitude(
        half_turns=half_turns,
        rest=rest,
        sine=np.where(mirrored, np.sign(rest) * cn / dn, sn),
        cosine=np.where(mirrored, k1 * sn / dn, cn),
        delta=np.where(mirrored, k1 / dn, dn),
    )


def _near_zero(u: Array, complement: float, K: float) -> tuple[Array, Array, Array]:
    """sn, cn, dn for |u| ≤ K/2, where none of cn and dn is small by cancellation."""
    if complement > 0.5:
        return _by_thetas(u, complement, K)
    # Partial fractions over the imaginary period: with x = π u / 2K', y = π K / K',
    # dn = π/2K' Σ sech(x − j y), cn and sn the same with (−1)ʲ, sn with tanh.
    scale = 0.5 * np.pi / quarter_period(1.0 - complement)
    x, y = scale * u, 2.0 * scale * K
    sn, cn, dn = np.tanh(x), _sech(x), _sech(x)
    # Terms fall off as exp(−j y) with y ≥ π: nothing is left below rounding after these.
    for j in range(1, int(np.ceil(40.0 / y)) + 1):
        pair = _sech(x - j * y) + _sech(x + j * y)
        dn = dn + pair
        cn = cn + (-1) ** j * pair
        # tanh(x − jy) + tanh(x + jy), without the cancellation.
        far = np.exp(-2.0 * j * y)
        sn = sn + (-1) ** j * 4.0 * np.sinh(2.0 * x) * far / (
            1.0 + 2.0 * np.cosh(2.0 * x) * far + far * far
        )
    k = np.sqrt(1.0 - complement)
    return scale / k * sn, scale / k * cn, scale * dn


def _by_thetas(u: Array, complement: float, K: float) -> tuple[Array, Array, Array]:
    """sn, cn, dn as quotients of theta functions, for m < ½.

    Their series run in powers of the nome q = exp(−π K'/K) < 0.0433, of which the squares of whole
    and of half numbers are taken; those of halves have the common factor q^¼, which cancels.
    """
    q = exp(-pi * quarter_period(1.0 - complement) / K)
    z = 0.5 * pi / K * u
    # θ₁(z)/q^¼, θ₂(z)/q^¼, θ₃(z), θ₄(z); at 0 the last three. q²⁰ is below rounding of 1.
    sine, cosine, even, odd = np.sin(z), np.cos(z), np.ones_like(z), np.ones_like(z)
    cosine0, even0, odd0 = 1.0, 1.0, 1.0
    for n in range(1, 4):
        half, whole, sign = q ** (n * (n + 1)), 2.0 * q ** (n * n), (-1) ** n
        sine = sine + sign * half * np.sin((2 * n + 1) * z)
        cosine = cosine + half * np.cos((2 * n + 1) * z)
        even = even + whole * np.cos(2 * n * z)
        odd = odd + sign * whole * np.cos(2 * n * z)
        cosine0, even0, odd0 = cosine0 + half, even0 + whole, odd0 + sign * whole
    return (
        even0 / cosine0 * sine / odd,
        odd0 / cosine0 * cosine / odd,
        odd0 / even0 * even / odd,
    )


def _sech(x: Array) -> Array:
    small = np.exp(-np.abs(x))
    return 2.0 * small / (1.0 + small * small)


def first_kind(sine: float, cosine: float, complement: float) -> float:
    """F(φ) for φ in [−π/2, π/2], given by sin φ and cos φ ≥ 0; u = F(am u)."""
    delta = cosine * cosine + complement * sine * sine
    return sine * _carlson_first(cosine * cosine, delta, 1.0)


def third_kind(characteristic: float, complement: float, at: Amplitude) -> Array:
    """Π(n; am u | m) = ∫ du / (1 − n sn² u) from 0, for a characteristic n ≤ 0; shape (n,).

    By Carlson's integral R_J, Π = u + n/3 sn³ R_J(cn², dn², 1, 1 − n sn²) in a quarter period.
    """
    n = characteristic
    if n == 0.0:
        K = quarter_period(complement)
        return at.rest + (0.0 if np.isinf(K) else 2.0 * K * at.half_turns)
    if np.isinf(quarter_period(complement)):
        root = np.sqrt(-n)
        return (at.rest + root * np.arctan(root * at.sine)) / (1.0 - n)
    K = quarter_period(complement)
    complete = K + n / 3.0 * float(_carlson_third(0.0, complement, 1.0, 1.0 - n))
    squared = at.sine * at.sine
    joint = _carlson_third(at.cosine * at.cosine, at.delta * at.delta, 1.0, 1.0 - n * squared)
    part = at.rest + n / 3.0 * at.sine * squared * joint
    return 2.0 * at.half_turns * complete + part


# --- Carlson's symmetric integrals ----------------------------------------------------------------

_CLOSE = 2e-3
"""Share of their mean within which arguments lie when the series takes over: what it leaves out is
of the sixth power, with a factor below one."""


def _carlson_first(x: float, y: float, z: float) -> float:
    """R_F = ½ ∫ dt / √((t + x)(t + y)(t + z)) over t ≥ 0; none negative, at most one zero."""
    mean = (x + y + z) / 3.0
    while max(abs(mean - x), abs(mean - y), abs(mean - z)) > _CLOSE * mean:
        shift = sqrt(x * y) + sqrt(x * z) + sqrt(y * z)
        x, y, z, mean = (0.25 * (value + shift) for value in (x, y, z, mean))
    X, Y = (mean - x) / mean, (mean - y) / mean
    Z = -(X + Y)
    second, third = X * Y - Z * Z, X * Y * Z
    series = 1.0 - second / 10.0 + third / 14.0 + second**2 / 24.0 - 3.0 * second * third / 44.0
    return series / sqrt(mean)


def _carlson_third(x: Array | float, y: Array | float, z: Array | float, p: Array | float) -> Array:
    """R_J = 3/2 ∫ dt / (√((t + x)(t + y)(t + z)) (t + p)) over t ≥ 0; of any shapes that agree.

    For p above the others, none of which is negative and at most one zero.
    """
    x, y, z, p = np.broadcast_arrays(*(np.asarray(value, float) for value in (x, y, z, p)))
    mean = (x + y + z + 2.0 * p) / 5.0
    apart = (p - x) * (p - y) * (p - z)
    total, scale = np.zeros_like(mean), 1.0
    while np.any(np.maximum(p - mean, mean - np.minimum(np.minimum(x, y), z)) > _CLOSE * mean):
        a, b, c, d = np.sqrt(x), np.sqrt(y), np.sqrt(z), np.sqrt(p)
        product = (d + a) * (d + b) * (d + c)
        root = np.sqrt(apart) * scale**1.5 / product
        # arctan r / r is the elementary integral R_C(1, 1 + r²).
        quotient = np.arctan(root) / np.where(root > 0.0, root, 1.0)
        total += scale / product * np.where(root > 0.0, quotient, 1.0)
        shift = a * b + a * c + b * c
        x, y, z, p, mean = (0.25 * (value + shift) for value in (x, y, z, p, mean))
        scale *= 0.25
    X, Y, Z = (mean - x) / mean, (mean - y) / mean, (mean - z) / mean
    P = -0.5 * (X + Y + Z)
    second, third = X * Y + X * Z + Y * Z - 3.0 * P**2, X * Y * Z
    cubic = third + 2.0 * second * P + 4.0 * P**3
    quartic = (2.0 * third + second * P + 3.0 * P**3) * P
    series = (
        1.0
        - 3.0 * second / 14.0
        + cubic / 6.0
        + 9.0 * second**2 / 88.0
        - 3.0 * quartic / 22.0
        - 9.0 * second * cubic / 52.0
        + 3.0 * third * P**2 / 26.0
    )
    return scale * series / (mean * np.sqrt(mean)) + 6.0 * total
