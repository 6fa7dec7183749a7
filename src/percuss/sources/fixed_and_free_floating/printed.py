"""The paper's formulas as printed, and as they should be.

Angles θ, rates and accelerations are shape (2,) or (2, n), in rad and seconds; torques in N m.
"""

from __future__ import annotations

import numpy as np

from percuss.sources.fixed_and_free_floating.paper import TwoLinks

Array = np.ndarray


def numeric_torques(q: Array, v: Array, a: Array, gravity: bool) -> Array:
    """τ1 and τ2 by the paper's equations with numbers put in, as printed."""
    (q1, q2), (v1, v2), (a1, a2) = q, v, a
    c2, s2, c12 = np.cos(q2), np.sin(q2), np.cos(q1 + q2)
    first = (26.2128 + 14.52 * c2) * a1 + (5.275 + 7.26 * c2) * a2
    first = first - 7.26 * s2 * v1 * v2 - 7.26 * s2 * v2**2
    second = (5.275 + 7.26 * c2) * a1 + 5.275 * a2 - 7.26 * s2 * v1**2
    if gravity:
        first = first + 9.81 * (22.084 - np.cos(q1) + 7.26 * c12)
        second = second + 71.238 * c12
    return np.array([first, second])


def torques(p: TwoLinks, q: Array, v: Array, a: Array, *, gravity: bool) -> Array:
    """(23) made right: with g where it belongs, and the centres of mass where they are."""
    (_, q2), (v1, v2), (a1, a2) = q, v, a
    A, B, D = coefficients(p)
    c2, s2 = np.cos(q2), np.sin(q2)
    first = (A + 2 * B * c2) * a1 + (D + B * c2) * a2 - 2 * B * s2 * v1 * v2 - B * s2 * v2**2
    second = (D + B * c2) * a1 + D * a2 + B * s2 * v1**2
    if gravity:
        G1, G2 = gravity_terms(p, q)
        first, second = first + G1, second + G2
    return np.array([first, second])


def coefficients(p: TwoLinks) -> tuple[float, float, float]:
    """A, B, D of H11 = A + 2 B cos θ2, H12 = D + B cos θ2, H22 = D (kg m²)."""
    D = p.I2 + p.m2 * p.c2**2
    return p.I1 + p.m1 * p.c1**2 + p.m2 * p.L1**2 + D, p.m2 * p.L1 * p.c2, D


def gravity_terms(p: TwoLinks, q: Array) -> tuple[Array, Array]:
    """G1 and G2 (N m)."""
    q1, q2 = q
    second = p.m2 * p.c2 * p.g * np.cos(q1 + q2)
    return (p.m1 * p.c1 + p.m2 * p.L1) * p.g * np.cos(q1) + second, second


def printed_gravity_terms(p: TwoLinks, q: Array) -> tuple[Array, Array]:
    """G1 and G2 of (23): g is missing on the first term, and G2 has L1 for L2."""
    q1, q2 = q
    c12 = np.cos(q1 + q2)
    first = (p.m1 / 2 + p.m2) * p.L1 * np.cos(q1) + p.m2 * p.L2 * c12 * p.g / 2
    return first, p.m2 * p.L1 * c12 * p.g / 2


def printed_appendix_torque(p: TwoLinks, q: Array, v: Array, a: Array) -> Array:
    """τ1 of (A4): the coupling inertia without θ̈2, and Ṡ2 = cos θ2 θ̇2 for S2."""
    (_, q2), (v1, v2), (a1, _) = q, v, a
    c2, s2, coupled = np.cos(q2), np.sin(q2), p.m2 * p.L1 * p.L2
    H11 = (p.m1 / 3 + p.m2) * p.L1**2 + p.m2 * p.L2**2 / 3 + coupled * c2
    H12 = p.m2 * p.L2**2 / 3 + coupled * c2 / 2
    return H11 * a1 + H12 - coupled * (c2 * v2) * v1 * v2 - coupled * s2 * v2**2 / 2


def angles_by_atan(L1: float, L2: float, x: float, y: float) -> tuple[float, float]:
    """(1)–(4) with atan as printed and the lower sign; wrong quadrant where cos θ2 < 0."""
    D = (x**2 + y**2 - L1**2 - L2**2) / (2 * L1 * L2)
    q2 = np.arctan(-np.sqrt(1 - D**2) / D)
    q1 = np.arctan(y / x) - np.arctan(L2 * np.sin(q2) / (L1 + L2 * np.cos(q2)))
    return float(q1), float(q2)
