"""How well a tool can be moved: manipulability, condition, distance from a singularity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from percuss.algebra.scalars import Scalar, sqrt
from percuss.kinematics.matrices import (
    determinant,
    gram,
    is_numeric,
    leading_batch,
    rows_of,
    transposed,
)
from percuss.kinematics.tasks import ROW_NAMES, Task
from percuss.model.errors import ModelError

Array = NDArray[np.float64]


def manipulability(matrix: Any) -> Scalar:
    """Yoshikawa's w = √det(J Jᵀ), or √det(Jᵀ J) with fewer columns than rows; |det J| if square.

    The product of the singular values: how large an ellipsoid of velocities unit rates give. Its
    unit is that of the rows multiplied, and its value says little across robots of other sizes.
    """
    if is_numeric(matrix):
        found = np.prod(np.linalg.svd(leading_batch(matrix), compute_uv=False), axis=-1)
        return found if found.ndim else float(found)
    rows = rows_of(matrix)
    return sqrt(determinant(gram(rows if len(rows) <= len(rows[0]) else transposed(rows))))


@dataclass(frozen=True)
class LostDirection:
    """A direction of the task that no joint rates give, or give only by very large ones."""

    direction: Array
    """Unit vector on the scaled rows, shape (rows,)."""
    gain: float
    """Scaled velocity along it per unit of joint rates: a singular value."""
    words: str

    def __str__(self) -> str:
        return self.words


@dataclass(frozen=True)
class Dexterity:
    """What the singular values of a Jacobian say; all of rows in one unit, 1/s per rad/s.

    Linear rows were divided by `length` (m), so that a radian counts as much as a length.
    """

    rows: tuple[str, ...]
    length: float
    singular_values: Array
    """Largest first, shape (min(rows, columns),)."""
    manipulability: float
    """Their product."""
    condition_number: float
    """Largest over smallest, infinite at a singularity."""
    distance: float
    """The smallest: how large a change of J makes it singular."""
    easiest: Array
    """Direction of the task that unit rates move most, shape (rows,)."""
    hardest: Array
    """Direction of the task that unit rates move least, shape (rows,)."""
    lost: tuple[LostDirection, ...]
    """Directions whose gain is below the tolerance."""

    def __str__(self) -> str:
        head = (
            f"manipulability {self.manipulability:.6g}, condition {self.condition_number:.6g}, "
            f"smallest singular value {self.distance:.6g} (lengths in units of {self.length:g} m)"
        )
        return "\n".join([head, *(str(direction) for direction in self.lost)])


def dexterity(
    matrix: Any,
    rows: Task | str | Sequence[str],
    *,
    length: float | None = None,
    tolerance: float = 1e-6,
) -> Dexterity:
    """Singular values of a Jacobian of numbers, shape (rows, columns), and what is lost with them.

    Args:
        rows: the task that the rows are of, or their names among x, y, z, wx, wy, wz.
        length: what a radian is compared with (m), needed when rows are of both kinds; with rows
            of one kind it only scales, default 1 m.
        tolerance: share of the largest singular value below which a direction counts as lost.

    Directions that the task has beyond the number of columns are lost too.
    """
    names = _names(rows)
    J = np.asarray(matrix, float)
    if J.ndim != 2 or J.shape[0] != len(names) or not np.isfinite(J).all():
        raise ModelError(
            f"the Jacobian must be finite with {len(names)} rows ({', '.join(names)}), "
            f"got shape {J.shape}"
        )
    linear = np.array([name in "xyz" for name in names])
    if length is None:
        if linear.any() and not linear.all():
            raise ModelError(
                "rows in m/s and in rad/s cannot be compared without a length (m): give one that "
                "is typical of the task, as the reach of the arm or the size of the tool"
            )
        length = 1.0
    if not (np.isfinite(length) and length > 0):
        raise ModelError(f"length must be finite and > 0 m, got {length!r}")
    scaled = J / np.where(linear, length, 1.0)[:, None]
    u, values, _ = np.linalg.svd(scaled)
    gains = np.zeros(len(names))
    gains[: len(values)] = values
    largest = float(gains[0])
    smallest = float(values[-1])
    lost = tuple(
        LostDirection(u[:, k], float(gains[k]), _words(u[:, k], names, float(gains[k]), largest))
        for k in range(len(names))
        if gains[k] <= tolerance * largest
    )
    return Dexterity(
        rows=names,
        length=float(length),
        singular_values=values,
        manipulability=float(np.prod(values)),
        condition_number=largest / smallest if smallest > 0 else float("inf"),
        distance=smallest,
        easiest=u[:, 0],
        hardest=u[:, len(names) - 1],
        lost=lost,
    )


def _names(rows: Task | str | Sequence[str]) -> tuple[str, ...]:
    names = Task(rows).row_names if isinstance(rows, str) else tuple(rows)
    for name in names:
        if name not in ROW_NAMES:
            raise ModelError(f"rows are named {', '.join(ROW_NAMES)}, got {name!r}")
    return names


def _words(direction: Array, names: tuple[str, ...], gain: float, largest: float) -> str:
    """`no velocity along 0.71 x + 0.71 y` and the like."""
    # The sign of a singular vector means nothing: the largest part is written positive.
    signed = direction * np.sign(direction[np.argmax(np.abs(direction))])
    parts = [(float(a), name) for a, name in zip(signed, names, strict=True) if abs(a) > 5e-3]
    sliding = _combination([(a, name) for a, name in parts if name in "xyz"])
    turning = _combination([(a, name[1]) for a, name in parts if name not in "xyz"])
    how = "no" if gain <= 1e-12 * largest or gain == 0 else f"hardly any (gain {gain:.2g})"
    if sliding and turning:
        return f"{how} motion along {sliding} combined with a turn about {turning}"
    return f"{how} velocity along {sliding}" if sliding else f"{how} turn about {turning}"


def _combination(parts: list[tuple[float, str]]) -> str:
    if len(parts) == 1 and abs(abs(parts[0][0]) - 1) < 5e-3:
        return parts[0][1]
    text = ""
    for a, name in parts:
        sign = (" - " if a < 0 else " + ") if text else ("-" if a < 0 else "")
        text += f"{sign}{abs(a):.2f} {name}"
    return text
