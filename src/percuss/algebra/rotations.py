"""Rotations: matrices and unit quaternions, from axis-angle, roll-pitch-yaw and back.

A rotation ``A_R_B`` maps the components of a vector in frame B to its components in A.
Quaternions are (w, x, y, z).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, overload

from percuss.algebra.scalars import (
    Scalar,
    add,
    atan2,
    cos,
    cos_sqrt,
    div,
    dot,
    is_constant,
    mul,
    neg,
    pack,
    sin,
    sinc_sqrt,
    sqrt,
    sub,
    unpack,
    where,
)
from percuss.algebra.vectors import Matrix3, Vector3

_Axes = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Rotation:
    """A rotation matrix ``A_R_B``: components in B to components in A."""

    matrix: Matrix3

    @staticmethod
    def identity() -> Rotation:
        return Rotation(Matrix3.identity())

    @staticmethod
    def about(axis: Vector3, angle: Scalar) -> Rotation:
        """The rotation by `angle` (rad) about a *unit* axis: c 1 + s a× + (1 - c) a aᵀ.

        This is the formula of Rodrigues.
        """
        length = axis.dot(axis)
        if is_constant(length) and not abs(length - 1) < 1e-9:
            raise ValueError(f"the axis of a rotation must have length 1, got {axis}")
        c, s = _cos(angle), _sin(angle)
        one_minus_c = sub(1.0, c)
        n = axis

        def diagonal(a: Scalar) -> Scalar:
            # A coordinate axis gives exactly 1 or c, with no arithmetic left over.
            if is_constant(a) and a in (0.0, 1.0, -1.0):
                return 1.0 if a else c
            if not is_constant(a) and sum(is_constant(b) and b == 0 for b in n) == 2:
                return 1.0
            return add(c, mul(one_minus_c, mul(a, a)))

        def product(a: Scalar, b: Scalar) -> Scalar:
            return mul(one_minus_c, mul(a, b))

        return Rotation(
            Matrix3(
                Vector3(
                    diagonal(n.x),
                    sub(product(n.x, n.y), mul(s, n.z)),
                    add(product(n.x, n.z), mul(s, n.y)),
                ),
                Vector3(
                    add(product(n.x, n.y), mul(s, n.z)),
                    diagonal(n.y),
                    sub(product(n.y, n.z), mul(s, n.x)),
                ),
                Vector3(
                    sub(product(n.x, n.z), mul(s, n.y)),
                    add(product(n.y, n.z), mul(s, n.x)),
                    diagonal(n.z),
                ),
            )
        )

    @staticmethod
    def from_rpy(roll: Scalar, pitch: Scalar, yaw: Scalar) -> Rotation:
        """Rz(yaw) Ry(pitch) Rx(roll), angles in rad, about fixed axes x, y, z in that order."""
        return (
            Rotation.about(Vector3(0.0, 0.0, 1.0), yaw)
            @ Rotation.about(Vector3(0.0, 1.0, 0.0), pitch)
            @ Rotation.about(Vector3(1.0, 0.0, 0.0), roll)
        )

    @staticmethod
    def taking_z_to(axis: Vector3) -> Rotation:
        """A rotation whose third column is the given *unit* vector of constants.

        The other columns are the turned x and y axes: the shortest turn from z, and a half
        turn about x when the axis is -z.
        """
        x, y, z = (float(a) for a in axis)  # type: ignore[arg-type]
        if x * x + y * y < 1e-290:  # its reciprocal, and its last digits, are lost below
            return Rotation.identity() if z > 0 else Rotation.about(Vector3(1.0, 0.0, 0.0), _PI)
        k = 1 / (1 + z) if z > -0.5 else (1 - z) / (x * x + y * y)
        return Rotation(
            Matrix3(
                Vector3(1 - k * x * x, -k * x * y, x),
                Vector3(-k * x * y, 1 - k * y * y, y),
                Vector3(-x, -y, z),
            )
        )

    @overload
    def __matmul__(self, other: Vector3) -> Vector3: ...
    @overload
    def __matmul__(self, other: Rotation) -> Rotation: ...
    def __matmul__(self, other: Vector3 | Rotation) -> Vector3 | Rotation:
        if isinstance(other, Vector3):
            return self.matrix @ other
        return Rotation(self.matrix @ other.matrix)

    def inverse(self) -> Rotation:
        return Rotation(self.matrix.transpose())

    def conjugate(self, tensor: Matrix3) -> Matrix3:
        """R A Rᵀ: the tensor in other axes."""
        turn = self._turn_in_plane()
        if turn is None:
            return self.matrix @ tensor @ self.matrix.transpose()
        # The axis is kept and the plane across it turns: of the 2×2 block [a b; c d] only its
        # symmetric traceless part changes, by twice the angle.
        (k, i, j), (n, l, m), c, s = turn
        old = [tuple(row) for row in tensor.rows]
        new: list[list[Scalar]] = [[0.0] * 3 for _ in range(3)]
        g = add(mul(s, sub(old[l][l], old[m][m])), mul(c, add(old[l][m], old[m][l])))
        sg, cg = mul(s, g), mul(c, g)
        new[i][i], new[j][j] = sub(old[l][l], sg), add(old[m][m], sg)
        new[i][j], new[j][i] = sub(cg, old[m][l]), sub(cg, old[l][m])
        new[k][k] = old[n][n]
        new[i][k] = sub(mul(c, old[l][n]), mul(s, old[m][n]))
        new[j][k] = add(mul(s, old[l][n]), mul(c, old[m][n]))
        new[k][i] = sub(mul(c, old[n][l]), mul(s, old[n][m]))
        new[k][j] = add(mul(s, old[n][l]), mul(c, old[n][m]))
        return Matrix3(*(Vector3(*row) for row in new))

    def _turn_in_plane(self) -> tuple[_Axes, _Axes, Scalar, Scalar] | None:
        """Axis k of A, axis n of B it coincides with, cosine and sine of the turn about it.

        Each axis comes with the two that follow it cyclically. None unless some entry is the
        constant 1 and the rest of its row and column the constant 0: a cosine that rounds to 1
        does not make an axis.
        """
        rows = [tuple(row) for row in self.matrix.rows]
        for k, row in enumerate(rows):
            for n, entry in enumerate(row):
                i, j, l = (k + 1) % 3, (k + 2) % 3, (n + 1) % 3
                rest = (row[l], row[(n + 2) % 3], rows[i][n], rows[j][n])
                if _is(entry, 1.0) and all(_is(x, 0.0) for x in rest):
                    return (k, i, j), (n, l, (n + 2) % 3), rows[i][l], rows[j][l]
        return None

    def to_quaternion(self) -> Quaternion:
        """The unit quaternion with w ≥ 0 where w ≠ 0, by the best conditioned of four formulas."""
        a, b, c = self.matrix.rows
        trace = self.matrix.trace()
        # Each candidate is a multiple of the quaternion; `weight` is 4 times the square of
        # the entry it divides by, so the largest weight is at least 1.
        candidates: list[tuple[Scalar, tuple[Scalar, ...]]] = [
            (add(1.0, trace), (add(1.0, trace), sub(c.y, b.z), sub(a.z, c.x), sub(b.x, a.y))),
        ]
        for i, (w, off) in enumerate(
            [
                (sub(c.y, b.z), (add(a.y, b.x), add(a.z, c.x))),
                (sub(a.z, c.x), (add(a.y, b.x), add(b.z, c.y))),
                (sub(b.x, a.y), (add(a.z, c.x), add(b.z, c.y))),
            ]
        ):
            diagonal = (a.x, b.y, c.z)[i]
            weight = add(1.0, sub(mul(2.0, diagonal), trace))
            vector = list(off)
            vector.insert(i, weight)
            candidates.append((weight, (w, *vector)))
        weight, entries = candidates[0]
        for other_weight, other in candidates[1:]:
            better = other_weight > weight
            weight = where(better, other_weight, weight)
            entries = tuple(where(better, o, e) for o, e in zip(other, entries, strict=True))
        sign = where(entries[0] < 0, -1.0, 1.0)
        factor = div(sign, sqrt(dot(entries, entries)))
        return Quaternion(*(mul(factor, e) for e in entries))

    def to_rpy(self) -> tuple[Scalar, Scalar, Scalar]:
        """(roll, pitch, yaw) in rad; at pitch ±90° only their combination is determined."""
        a, b, c = self.matrix.rows
        # The roll that is left once the yaw is undone, whatever yaw was found: near pitch ±90°
        # the yaw alone is poorly determined, but both together give the rotation back.
        yaw = atan2(b.x, a.x)
        sine, cosine = sin(yaw), cos(yaw)
        pitch = atan2(neg(c.x), add(mul(cosine, a.x), mul(sine, b.x)))
        roll = atan2(sub(mul(sine, a.z), mul(cosine, b.z)), sub(mul(cosine, b.y), mul(sine, a.y)))
        return roll, pitch, yaw

    def angle_about_z(self) -> Scalar:
        """Where the x axis points, as an angle in the x-y plane, in (-π, π] (rad)."""
        return atan2(self.matrix.row2.x, self.matrix.row1.x)

    def to_rotation_vector(self) -> Vector3:
        """Unit axis times angle in [0, π] (rad)."""
        return self.to_quaternion().to_rotation_vector()

    def array(self) -> Any:
        """Shape (3, 3)."""
        return self.matrix.array()


@dataclass(frozen=True, slots=True)
class Quaternion:
    """w + x i + y j + z k. As a rotation it stands for its normalised value."""

    w: Scalar
    x: Scalar
    y: Scalar
    z: Scalar

    @staticmethod
    def of(values: Any, what: str = "a quaternion (w, x, y, z)") -> Quaternion:
        if isinstance(values, Quaternion):
            return values
        return Quaternion(*unpack(values, 4, what))

    @staticmethod
    def identity() -> Quaternion:
        return Quaternion(1.0, 0.0, 0.0, 0.0)

    @staticmethod
    def from_rotation_vector(v: Vector3) -> Quaternion:
        """exp(v / 2): the rotation by |v| rad about v."""
        s = mul(0.25, v.dot(v))
        half_sinc = mul(0.5, sinc_sqrt(s))
        return Quaternion(cos_sqrt(s), *(v * half_sinc))

    @property
    def vector(self) -> Vector3:
        return Vector3(self.x, self.y, self.z)

    def __iter__(self) -> Iterator[Scalar]:
        return iter((self.w, self.x, self.y, self.z))

    def __matmul__(self, other: Quaternion) -> Quaternion:
        """Quaternion product: the rotation `other` first, then `self`."""
        a, b = self.vector, other.vector
        w = sub(mul(self.w, other.w), a.dot(b))
        return Quaternion(w, *(b * self.w + a * other.w + a.cross(b)))

    def conjugate(self) -> Quaternion:
        return Quaternion(self.w, *(-self.vector))

    def normalized(self) -> Quaternion:
        factor = div(1.0, sqrt(self._squared_norm()))
        return Quaternion(*(mul(factor, a) for a in self))

    def _squared_norm(self) -> Scalar:
        norm = dot(self, self)
        if is_constant(norm) and norm == 0:
            raise ValueError(
                "the quaternion (w, x, y, z) is zero and stands for no rotation; "
                "percuss.neutral(system) gives coordinates to start from"
            )
        return norm

    def to_rotation(self) -> Rotation:
        """The matrix of the normalised quaternion, without a square root.

        R = 1 + s (w v× + v× v×) with s = 2 / |q|².
        """
        w, v = self.w, self.vector
        u = v * div(2.0, self._squared_norm())
        xx, yy, zz = mul(u.x, v.x), mul(u.y, v.y), mul(u.z, v.z)
        xy, xz, yz = mul(u.x, v.y), mul(u.x, v.z), mul(u.y, v.z)
        wx, wy, wz = mul(u.x, w), mul(u.y, w), mul(u.z, w)
        return Rotation(
            Matrix3(
                Vector3(sub(1.0, add(yy, zz)), sub(xy, wz), add(xz, wy)),
                Vector3(add(xy, wz), sub(1.0, add(xx, zz)), sub(yz, wx)),
                Vector3(sub(xz, wy), add(yz, wx), sub(1.0, add(xx, yy))),
            )
        )

    def to_rotation_vector(self) -> Vector3:
        """Axis times angle in [0, π] (rad): the logarithm, smooth at the identity."""
        sign = where(self.w < 0, -1.0, 1.0)
        w, v = mul(sign, self.w), self.vector * sign
        s = v.dot(v)
        small = s < 1e-12 * (w * w)
        sine = sqrt(where(small, 1.0, s))
        # Near the identity: 2 atan(|v|/w)/|v| = 2/w (1 - |v|²/(3 w²) + …).
        near_w = where(small, w, 1.0)  # w is zero at a half turn
        near = div(mul(2.0, sub(1.0, div(s, mul(3.0, mul(near_w, near_w))))), near_w)
        far = div(mul(2.0, atan2(sine, w)), sine)
        return v * where(small, near, far)

    def array(self) -> Any:
        """Shape (4,): w, x, y, z."""
        return pack(self)


_PI = 3.141592653589793


def _is(x: Scalar, value: float) -> bool:
    return is_constant(x) and x == value


def _sin(angle: Scalar) -> Scalar:
    return _snapped(sin(angle)) if is_constant(angle) else sin(angle)


def _cos(angle: Scalar) -> Scalar:
    return _snapped(cos(angle)) if is_constant(angle) else cos(angle)


def _snapped(x: Scalar) -> Scalar:
    """cos(π/2) as 0 and sin(π/2) as 1: rounding of π must not make aligned axes oblique."""
    assert is_constant(x)
    nearest = round(x) if abs(x) <= 1 else x
    return float(nearest) if abs(x - nearest) < 4e-16 else x
