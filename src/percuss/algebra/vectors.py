"""Vectors and matrices of three dimensions over any scalar."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

from percuss.algebra.scalars import (
    Scalar,
    add,
    div,
    dot,
    is_constant,
    is_symbolic_matrix,
    mul,
    neg,
    pack,
    sqrt,
    sub,
    unpack,
)

if TYPE_CHECKING:
    from percuss.algebra.poses import Pose


@dataclass(frozen=True, slots=True)
class Vector3:
    """A vector of three scalars, in a frame that the context names."""

    x: Scalar
    y: Scalar
    z: Scalar

    # NumPy scalars on the left of an operator must leave the operation to us.
    __array_ufunc__ = None

    @staticmethod
    def of(values: Any, what: str = "a vector") -> Vector3:
        """The vector of any sequence of three scalars; a Vector3 passes through."""
        if isinstance(values, Vector3):
            return values
        return Vector3(*unpack(values, 3, what))

    @staticmethod
    def zero() -> Vector3:
        return Vector3(0.0, 0.0, 0.0)

    def __iter__(self) -> Iterator[Scalar]:
        return iter((self.x, self.y, self.z))

    def __add__(self, other: Vector3) -> Vector3:
        return Vector3(add(self.x, other.x), add(self.y, other.y), add(self.z, other.z))

    def __sub__(self, other: Vector3) -> Vector3:
        return Vector3(sub(self.x, other.x), sub(self.y, other.y), sub(self.z, other.z))

    def __neg__(self) -> Vector3:
        return Vector3(neg(self.x), neg(self.y), neg(self.z))

    def __mul__(self, factor: Scalar) -> Vector3:
        return Vector3(mul(self.x, factor), mul(self.y, factor), mul(self.z, factor))

    __rmul__ = __mul__

    def __truediv__(self, divisor: Scalar) -> Vector3:
        return self * div(1.0, divisor)

    def dot(self, other: Vector3) -> Scalar:
        a, b, c, d, e, f = self.x, self.y, self.z, other.x, other.y, other.z
        if type(a) is type(b) is type(c) is type(d) is type(e) is type(f) is float:
            return 0.0 + a * d + b * e + c * f  # what `dot` does, three times as quickly
        return dot((a, b, c), (d, e, f))

    def cross(self, other: Vector3) -> Vector3:
        return Vector3(
            sub(mul(self.y, other.z), mul(self.z, other.y)),
            sub(mul(self.z, other.x), mul(self.x, other.z)),
            sub(mul(self.x, other.y), mul(self.y, other.x)),
        )

    def norm(self) -> Scalar:
        return sqrt(self.dot(self))

    def skew(self) -> Matrix3:
        """The matrix a× with a× b = a × b."""
        return Matrix3(
            Vector3(0.0, neg(self.z), self.y),
            Vector3(self.z, 0.0, neg(self.x)),
            Vector3(neg(self.y), self.x, 0.0),
        )

    def outer(self, other: Vector3) -> Matrix3:
        """a bᵀ."""
        return Matrix3(other * self.x, other * self.y, other * self.z)

    def array(self) -> Any:
        """Shape (3,), of the scalars' own kind."""
        return pack(self)

    # A vector moved by a pose is a *point*: rotated and displaced.
    def moved_by(self, pose: Pose) -> Vector3:
        return pose.rotation @ self + pose.position

    def moved_back_by(self, pose: Pose) -> Vector3:
        return pose.rotation.inverse() @ (self - pose.position)


@dataclass(frozen=True, slots=True)
class Matrix3:
    """A 3×3 matrix of scalars, by rows."""

    row1: Vector3
    row2: Vector3
    row3: Vector3

    @staticmethod
    def of(rows: Any, what: str = "a 3×3 matrix") -> Matrix3:
        """The matrix of a nested sequence or array of shape (3, 3)."""
        # A SymPy matrix iterates over its entries, not its rows.
        rows = rows.tolist() if hasattr(rows, "free_symbols") else list(rows)
        if len(rows) != 3:
            raise ValueError(f"{what} must have 3 rows, got {len(rows)}")
        return Matrix3(*(Vector3.of(row, f"a row of {what}") for row in rows))

    @staticmethod
    def identity() -> Matrix3:
        return Matrix3(Vector3(1.0, 0.0, 0.0), Vector3(0.0, 1.0, 0.0), Vector3(0.0, 0.0, 1.0))

    @property
    def rows(self) -> tuple[Vector3, Vector3, Vector3]:
        return self.row1, self.row2, self.row3

    def transpose(self) -> Matrix3:
        a, b, c = self.rows
        return Matrix3(Vector3(a.x, b.x, c.x), Vector3(a.y, b.y, c.y), Vector3(a.z, b.z, c.z))

    def __add__(self, other: Matrix3) -> Matrix3:
        return Matrix3(self.row1 + other.row1, self.row2 + other.row2, self.row3 + other.row3)

    def __sub__(self, other: Matrix3) -> Matrix3:
        return Matrix3(self.row1 - other.row1, self.row2 - other.row2, self.row3 - other.row3)

    def __neg__(self) -> Matrix3:
        return Matrix3(-self.row1, -self.row2, -self.row3)

    def __mul__(self, factor: Scalar) -> Matrix3:
        return Matrix3(self.row1 * factor, self.row2 * factor, self.row3 * factor)

    @overload
    def __matmul__(self, other: Vector3) -> Vector3: ...
    @overload
    def __matmul__(self, other: Matrix3) -> Matrix3: ...
    def __matmul__(self, other: Vector3 | Matrix3) -> Vector3 | Matrix3:
        if isinstance(other, Vector3):
            return Vector3(self.row1.dot(other), self.row2.dot(other), self.row3.dot(other))
        columns = other.transpose()
        return Matrix3(columns @ self.row1, columns @ self.row2, columns @ self.row3)

    def trace(self) -> Scalar:
        return add(add(self.row1.x, self.row2.y), self.row3.z)

    def array(self) -> Any:
        """Shape (3, 3), of the scalars' own kind."""
        return pack([tuple(row) for row in self.rows])


@dataclass(frozen=True, slots=True)
class Symmetric3:
    """A symmetric 3×3 matrix, by its six entries."""

    xx: Scalar
    yy: Scalar
    zz: Scalar
    xy: Scalar = 0.0
    xz: Scalar = 0.0
    yz: Scalar = 0.0

    @staticmethod
    def of(values: Any, what: str = "a symmetric matrix") -> Symmetric3:
        """The matrix of a mapping with keys xx…yz, three diagonal entries, or a (3, 3) array.

        Numbers in an array must be symmetric; of a Matrix3 the upper triangle is taken. A
        Symmetric3 passes through.
        """
        if isinstance(values, Symmetric3):
            return values
        if isinstance(values, dict):
            unknown = set(values) - {"xx", "yy", "zz", "xy", "xz", "yz"}
            if unknown or not {"xx", "yy", "zz"} <= set(values):
                raise ValueError(
                    f"{what} needs xx, yy, zz and may have xy, xz, yz; got {sorted(values)}"
                )
            entries = unpack([values.get(k, 0.0) for k in _ENTRIES], 6, what)
            return Symmetric3(*entries)
        if isinstance(values, Sequence) and len(values) == 3 and not hasattr(values[0], "__len__"):
            return Symmetric3(*unpack(values, 3, what))
        if getattr(values, "ndim", 2) == 1:
            return Symmetric3(*unpack(values, 3, what))
        if not isinstance(values, Matrix3):
            if not (hasattr(values, "__iter__") or is_symbolic_matrix(values)):
                raise TypeError(
                    f"{what} must be a mapping with xx, yy, zz, xy, xz, yz, three diagonal entries "
                    f"or a 3×3 matrix, got {values!r}"
                )
            values = Matrix3.of(values, what)
            _refuse_asymmetry(values, what)
        a, b, c = values.rows
        return Symmetric3(xx=a.x, yy=b.y, zz=c.z, xy=a.y, xz=a.z, yz=b.z)

    @staticmethod
    def scaled_identity(factor: Scalar) -> Symmetric3:
        return Symmetric3(factor, factor, factor)

    @staticmethod
    def zero() -> Symmetric3:
        return Symmetric3(0.0, 0.0, 0.0)

    def __iter__(self) -> Iterator[Scalar]:
        return iter((self.xx, self.yy, self.zz, self.xy, self.xz, self.yz))

    def __add__(self, other: Symmetric3) -> Symmetric3:
        return Symmetric3(*(add(a, b) for a, b in zip(self, other, strict=True)))

    def __sub__(self, other: Symmetric3) -> Symmetric3:
        return Symmetric3(*(sub(a, b) for a, b in zip(self, other, strict=True)))

    def __mul__(self, factor: Scalar) -> Symmetric3:
        return Symmetric3(*(mul(a, factor) for a in self))

    def __matmul__(self, vector: Vector3) -> Vector3:
        return self.matrix() @ vector

    def trace(self) -> Scalar:
        return add(add(self.xx, self.yy), self.zz)

    def matrix(self) -> Matrix3:
        return Matrix3(
            Vector3(self.xx, self.xy, self.xz),
            Vector3(self.xy, self.yy, self.yz),
            Vector3(self.xz, self.yz, self.zz),
        )

    def array(self) -> Any:
        """Shape (3, 3), of the scalars' own kind."""
        return self.matrix().array()


def _refuse_asymmetry(matrix: Matrix3, what: str) -> None:
    entries = [x for row in matrix.rows for x in row if is_constant(x)]
    slack = 1e-9 * max((abs(x) for x in entries), default=0.0)
    a, b, c = matrix.rows
    for names, upper, lower in (("xy yx", a.y, b.x), ("xz zx", a.z, c.x), ("yz zy", b.z, c.y)):
        if is_constant(upper) and is_constant(lower) and abs(upper - lower) > slack:
            first, second = names.split()
            raise ValueError(
                f"{what} must be symmetric, but {first} = {upper!r} and {second} = {lower!r}"
            )


_ENTRIES = ("xx", "yy", "zz", "xy", "xz", "yz")
