"""Jacobi's elliptic functions and the integral of the third kind, exact up to the separatrix.

All take the *complementary* parameter m₁ = 1 − m. A pendulum or a tumbling body near its separatrix
has m → 1, where m itself no longer says how near: the period grows as ½ ln(16 / m₁). At m₁ = 0 the
functions are tanh and sech, and the period is infinite.
"""

from __future__ import annotations

from dataclasses import dataclass

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
        """With which sn u = sign · sine and cn u = sign · cosine; dn u = delta."""
        return np.where(self.half_turns % 2 == 0, 1.0, -1.0)


def quarter_period(complement: float) -> float:
    """K(m), infinite for m₁ = 0."""
    from scipy.special import ellipkm1

    return float(ellipkm1(complement))


def amplitude(u: Array, complement: float) -> Amplitude:
    """The amplitude at u, for 0 ≤ m₁ ≤ 1."""
    K = quarter_period(complement)
    if np.isinf(K):
        zero, sech = np.zeros_like(u), _sech(u)
        return Amplitude(zero, u, np.tanh(u), sech, sech)
    half_turns = np.round(u / (2.0 * K))
    rest = np.clip(u - 2.0 * K * half_turns, -K, K)
    # The second half of a quarter period mirrors the first, so that cn keeps its digits near zero.
    mirrored = np.abs(rest) > 0.5 * K
    near = np.where(mirrored, K - np.abs(rest), rest)
    sn, cn, dn = _near_zero(near, complement, K)
    k1 = np.sqrt(complement)
    return Amplitude(
        half_turns,
        rest,
        np.where(mirrored, np.sign(rest) * cn / dn, sn),
        np.where(mirrored, k1 * sn / dn, cn),
        np.where(mirrored, k1 / dn, dn),
    )


def _near_zero(u: Array, complement: float, K: float) -> tuple[Array, Array, Array]:
    """sn, cn, dn for |u| ≤ K/2, where none of cn and dn is small by cancellation."""
    from scipy.special import ellipj, ellipk

    if complement > 0.5:
        return ellipj(u, 1.0 - complement)[:3]
    # Partial fractions over the imaginary period: with x = π u / 2K', y = π K / K',
    # dn = π/2K' Σ sech(x − j y), cn and sn the same with (−1)ʲ, sn with tanh.
    scale = 0.5 * np.pi / float(ellipk(complement))
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


def _sech(x: Array) -> Array:
    small = np.exp(-np.abs(x))
    return 2.0 * small / (1.0 + small * small)


def first_kind(sine: float, cosine: float, complement: float) -> float:
    """F(φ) for φ in [−π/2, π/2], given by sin φ and cos φ ≥ 0; u = F(am u)."""
    from scipy.special import elliprf

    delta = cosine * cosine + complement * sine * sine
    return float(sine * elliprf(cosine * cosine, delta, 1.0))


def third_kind(characteristic: float, complement: float, at: Amplitude) -> Array:
    """Π(n; am u | m) = ∫ du / (1 − n sn² u) from 0, for a characteristic n ≤ 0; shape (n,).

    By Carlson's integral R_J, Π = u + n/3 sn³ R_J(cn², dn², 1, 1 − n sn²) in a quarter period.
    """
    from scipy.special import elliprj

    n = characteristic
    if n == 0.0:
        K = quarter_period(complement)
        return at.rest + (0.0 if np.isinf(K) else 2.0 * K * at.half_turns)
    if np.isinf(quarter_period(complement)):
        root = np.sqrt(-n)
        return (at.rest + root * np.arctan(root * at.sine)) / (1.0 - n)
    K = quarter_period(complement)
    complete = K + n / 3.0 * float(elliprj(0.0, complement, 1.0, 1.0 - n))
    squared = at.sine * at.sine
    joint = elliprj(at.cosine * at.cosine, at.delta * at.delta, 1.0, 1.0 - n * squared)
    part = at.rest + n / 3.0 * at.sine * squared * joint
    return 2.0 * at.half_turns * complete + part
