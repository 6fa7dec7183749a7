"""Distances to solids with edges: what a box and a cylinder have in common.

Such a solid has a few limits, and `beyond` says by how much (m) a point is outside each of them:
|x| − x₀, |y| − y₀ and |z| − z₀ of a box, √(x² + y²) − r and |z| − l/2 of a cylinder. Their
gradients are unit vectors across each other, the *directions*. Outside, the distance is the norm of
those that are positive; inside, where none is, the largest, which belongs to the nearest face.
"""

from __future__ import annotations

from collections.abc import Sequence

from percuss.algebra.scalars import (
    Scalar,
    dot,
    formula,
    is_symbolic,
    namespace,
    plain,
    sqrt,
    terms,
    where,
)
from percuss.algebra.vectors import Vector3

_NOTHING = 1e-280
"""Squared lengths (m²) below this count as zero: roots of them would not be exact."""


def edged_distance(beyond: Sequence[Scalar]) -> Scalar:
    """Signed distance (m), negative inside, NaN where an entry of `beyond` is NaN."""
    positive = [_positive(x) for x in beyond]
    squared = dot(positive, positive)
    inside = squared <= _NOTHING
    return where(inside, _largest(beyond), sqrt(where(inside, 1.0, squared)))


def edged_normal(beyond: Sequence[Scalar], directions: Sequence[Vector3]) -> Vector3:
    """Gradient of the distance, of length one.

    Of faces that are equally near, inside or on an edge, the first counts.
    """
    positive = [_positive(x) for x in beyond]
    squared = dot(positive, positive)
    inside = squared <= _NOTHING
    scale = 1.0 / terms(sqrt(where(inside, 1.0, squared)))
    normal = Vector3.zero()
    for face, excess, direction in zip(_nearest(beyond), positive, directions, strict=True):
        normal = normal + direction * where(inside, face, plain(excess * scale))
    return normal


def length_and_direction(vector: Vector3) -> tuple[Scalar, Vector3]:
    """|v| and v / |v|; a vector of length zero points along x."""
    squared = vector.dot(vector)
    none = squared <= _NOTHING
    length = sqrt(where(none, 1.0, squared))
    x, y, z = vector / length
    direction = Vector3(where(none, 1.0, x), where(none, 0.0, y), where(none, 0.0, z))
    return where(none, 0.0, length), direction


def size_and_sign(x: Scalar) -> tuple[Scalar, Scalar]:
    """|x| and its derivative, 1 at zero."""
    negative = x < 0.0
    sign = where(negative, -1.0, 1.0)
    if is_symbolic(x):
        return namespace(x).Abs(x), sign
    return where(negative, -x, x), sign


@formula
def excess(size: Scalar, limit: Scalar) -> Scalar:
    """How far a length is beyond its limit (m)."""
    return size + (-limit)


def _positive(x: Scalar) -> Scalar:
    """max(x, 0), and NaN for NaN."""
    if is_symbolic(x):
        return namespace(x).Max(x, 0)
    return where(x < 0.0, 0.0, x)


def _largest(values: Sequence[Scalar]) -> Scalar:
    # SymPy simplifies a Max, while choices within choices make it run in circles.
    if any(is_symbolic(value) for value in values):
        return namespace(*values).Max(*values)
    largest = values[0]
    for value in values[1:]:
        largest = where(value > largest, value, largest)
    return largest


def _nearest(beyond: Sequence[Scalar]) -> list[Scalar]:
    """1 for the first of the largest, 0 for the others."""
    largest, chosen = beyond[0], [1.0]
    for value in beyond[1:]:
        larger = value > largest
        largest = where(larger, value, largest)
        chosen = [*(where(larger, 0.0, x) for x in chosen), where(larger, 1.0, 0.0)]
    return chosen  # type: ignore[return-value]
