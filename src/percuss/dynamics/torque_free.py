"""Rotation of a rigid body on which no torque acts, in closed form.

With the angular momentum L (constant in the world) and principal moments of inertia A, B, C, let m
be the direction of L in the principal axes of the body and a = 1/A, b = 1/B, c = 1/C. Euler's
equations read

    ṁ₁ = L (c − b) m₂ m₃,   ṁ₂ = L (a − c) m₃ m₁,   ṁ₃ = L (b − a) m₁ m₂,

with b between a and c. Axes are numbered so that m keeps circling the third: (b − c) m₃² ≥
(a − b) m₁² up to a common sign, and so that m₁, m₃ ≥ 0 at the start. Then

    m = (α cn, ± β sn, γ dn)(p t + u₀ | μ),   p = L γ √((a − c)(b − c)),

    α² = m₁² + (b − c)/(a − c) m₂²,   γ² = m₃² + (a − b)/(a − c) m₂²,   β² = α² (a − c)/(b − c),

    1 − μ = ((b − c) m₃² − (a − b) m₁²) / ((b − c) γ²).

The attitude is world ← z-frame (L along z) ← turn by χ about z ← shortest turn of z to m: m₃ > 0,
so the latter always exists. What is left of the angular velocity along L gives the rate of χ,

    χ̇ = L (c + (a − c) α² / (1 + m₃)),

and its integral is one of the third kind with the characteristic n = −(a − b)/(b − c),

    χ = L c t ± [√(1 − n)/γ Π(n; am u | μ) − arctan(√(1 − n) tan am u)],   signs as of a − c.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from percuss.algebra.rotations import Quaternion, Rotation
from percuss.algebra.scalars import is_constant
from percuss.algebra.vectors import Matrix3, Symmetric3, Vector3
from percuss.dynamics.elliptic import amplitude, first_kind, third_kind
from percuss.model.errors import ModelError

Array = NDArray[np.float64]

_AT_REST = 1e-150
"""Directions that change by less than this share of a turn a radian do not change: its square
would vanish."""


def torque_free_motion(
    inertia: Any, orientation: Any, angular_velocity: Any, times: Any
) -> tuple[Array, Array]:
    """Attitude and angular velocity of a body on which no torque acts, at any times.

    Exact for every body and every spin: symmetric or not, about a principal axis, near and on the
    separatrix between turning about the axes of least and of greatest inertia. Rounding grows with
    the number of turns and no faster, except close to the separatrix, where the motion itself
    magnifies any change of its start.

    Args:
        inertia: about the centre of mass, body axes (kg m²), positive definite; as a body takes it.
        orientation: quaternion w, x, y, z, world ← body, at time 0; of any length but zero.
        angular_velocity: at time 0, world axes (rad/s).
        times: s, from the start, of either sign; shape (n,) or ().

    Returns:
        Unit quaternions (w, x, y, z), world ← body, shape (4, n), continuous in time, and angular
        velocities in world axes (rad/s), shape (3, n). For a single time (4,) and (3,).
    """
    tensor = _tensor(inertia)
    start = Quaternion(*_numbers(orientation, 4, "orientation (w, x, y, z)").tolist())
    if start.w == start.x == start.y == start.z == 0.0:
        raise ModelError("orientation (w, x, y, z) must not be zero")
    start = start.normalized()
    spin = Vector3(*_numbers(angular_velocity, 3, "angular_velocity (rad/s)").tolist())
    when = np.asarray(times, float)
    if when.ndim > 1 or not np.isfinite(when).all():
        raise ModelError(f"times must be finite (s), one or a row of them, got {times!r}")
    in_body = np.array((start.to_rotation().inverse() @ spin).array(), float)
    momentum = tensor @ in_body
    size = hypot(*momentum.tolist())
    if size == 0.0:
        still = np.array(start.array(), float)
        return _at_all(still, when), _at_all(np.zeros(3), when)
    top = _top(tensor, momentum / size, size)
    m, chi = top.at(np.atleast_1d(when))
    frame = start @ top.axes @ _from_z(*top.direction)  # world ← momentum along z
    half = 0.5 * chi
    axes = frame @ Quaternion(np.cos(half), 0.0, 0.0, np.sin(half)) @ _from_z(*m).conjugate()
    rates = axes.to_rotation() @ Vector3(
        *(size * x * a for x, a in zip(m, top.inverse, strict=True))
    )
    turned = (axes @ top.axes.conjugate()).normalized()
    shape = when.shape
    return (
        np.array(turned.array(), float).reshape(4, *shape),
        np.array(rates.array(), float).reshape(3, *shape),
    )


@dataclass(frozen=True)
class _Top:
    """A spinning body in its principal axes, numbered as the equations above want them.

    `axes`: body ← principal; `inverse`: a, b, c (1/(kg m²)); `direction`: m at the start;
    `size`: L (N m s); `differences`: a − b, b − c, a − c.
    """

    axes: Quaternion
    inverse: tuple[float, float, float]
    direction: tuple[float, float, float]
    size: float
    differences: tuple[float, float, float]

    def at(self, t: Array) -> tuple[tuple[Array, Array, Array], Array]:
        """m and χ at times t, shapes (n,)."""
        m1, m2, m3 = self.direction
        ab, bc, ac = self.differences
        L, c = self.size, self.inverse[2]
        change = max(abs(bc * m2 * m3), abs(ac * m3 * m1), abs(ab * m1 * m2))
        if change <= _AT_REST * max(self.inverse):
            energy = sum(a * m * m for a, m in zip(self.inverse, self.direction, strict=True))
            return tuple(np.full_like(t, m) for m in self.direction), L * energy * t  # type: ignore[return-value]
        alpha = hypot(m1, sqrt(bc / ac) * m2)
        gamma = hypot(m3, sqrt(ab / ac) * m2)
        steep = sqrt(ac / bc)  # √(1 − n)
        beta = np.copysign(alpha * steep, ac)
        complement = (m3 / gamma) ** 2 - (ab / bc) * (m1 / gamma) ** 2
        complement = min(max(complement, 0.0), 1.0)
        sine, cosine = m2 / beta, m1 / alpha
        begin = np.array([first_kind(sine, cosine, complement)])
        rate = L * gamma * sqrt(ac * bc)
        u = np.concatenate([begin, begin + rate * t])
        at = amplitude(u, complement)
        third = third_kind(-ab / bc, complement, at)
        angle = np.pi * at.half_turns + np.arctan2(steep * at.sine, at.cosine)
        turn = steep / gamma * third - angle
        signs = at.signs[1:]
        m = (alpha * signs * at.cosine[1:], beta * signs * at.sine[1:], gamma * at.delta[1:])
        return m, L * c * t + np.copysign(1.0, ac) * (turn[1:] - turn[0])


def _top(tensor: Array, direction: Array, size: float) -> _Top:
    """The principal axes in the order and with the signs that the direction asks for."""
    moments, axes = _principal(tensor)
    A, B, C = moments.tolist()
    m = axes.T @ direction
    # Differences of inverses, formed from differences of moments: they keep their digits.
    ab, bc = (B - A) / (A * B), (C - B) / (B * C)
    order = [2, 1, 0] if ab * m[0] ** 2 > bc * m[2] ** 2 else [0, 1, 2]
    axes, m, moments = axes[:, order], m[order], moments[order]
    first, third = (axes[:, k] * (-1.0 if m[k] < 0 else 1.0) for k in (0, 2))
    second = np.cross(third, first)
    m = np.array([abs(m[0]), second @ direction, abs(m[2])])
    A, B, C = moments.tolist()
    differences = ((B - A) / (A * B), (C - B) / (B * C), (C - A) / (A * C))
    matrix = np.stack([first, second, third], axis=1)
    rotation = Rotation(Matrix3(*(Vector3(*row) for row in matrix.tolist())))
    m = m / hypot(*m.tolist())
    return _Top(
        axes=rotation.to_quaternion(),
        inverse=(1.0 / A, 1.0 / B, 1.0 / C),
        direction=tuple(m.tolist()),
        size=size,
        differences=differences,
    )


def _principal(tensor: Array) -> tuple[Array, Array]:
    """Moments in ascending order and their axes by columns; those of a diagonal tensor exactly."""
    if not np.any(tensor - np.diag(np.diag(tensor))):
        order = np.argsort(np.diag(tensor), kind="stable")
        return np.diag(tensor)[order], np.eye(3)[:, order]
    return np.linalg.eigh(tensor)


def _from_z(x: Any, y: Any, z: Any) -> Quaternion:
    """The shortest turn that takes the z axis to the unit vector (x, y, z), z > −1."""
    return Quaternion(1.0 + z, -y, x, 0.0).normalized()


def _at_all(vector: Array, when: Array) -> Array:
    return vector.copy() if when.ndim == 0 else np.repeat(vector[:, None], len(when), axis=1)


# --- what is given ----------------------------------------------------------------------------


def _tensor(inertia: Any) -> Array:
    try:
        given = Symmetric3.of(inertia, "inertia")
    except (TypeError, ValueError) as error:
        raise ModelError(str(error)) from None
    if not all(is_constant(entry) for entry in given):
        raise ModelError(f"inertia must be six numbers in kg m², got {inertia!r}")
    tensor = np.array(given.array(), float)
    if not np.isfinite(tensor).all():
        raise ModelError(f"inertia must be finite (kg m²), got {tensor.tolist()}")
    moments = np.linalg.eigvalsh(tensor)
    if not moments[0] > 1e-14 * moments[-1]:
        raise ModelError(
            "inertia must be positive about every axis for a motion in space, got principal "
            f"moments {', '.join(f'{x:.6g}' for x in moments)} kg m²"
        )
    return tensor


def _numbers(given: Any, size: int, what: str) -> Array:
    try:
        numbers = np.asarray(given, float)
    except (TypeError, ValueError) as error:
        raise ModelError(f"{what} must be {size} numbers: {error}") from None
    if numbers.shape != (size,) or not np.isfinite(numbers).all():
        raise ModelError(f"{what} must be {size} finite numbers, got {given!r}")
    return numbers
