"""How much the joints of an arm disturb the base that carries it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from percuss.algebra.arrays import Coordinates
from percuss.algebra.scalars import pack
from percuss.dynamics.free_floating import base_motion_map, split_rates
from percuss.dynamics.joint_grids import JointGrid, over_grid
from percuss.kinematics.matrices import Rows, leading_batch, rows_of
from percuss.model.systems import BaseMode, System

Array = NDArray[np.float64]


def attitude_map(system: System, q: Coordinates) -> Any:
    """Angular rate of a free-floating base per joint rate, at zero momentum: world axes.

    Shape (3, joint rates), or (1, joint rates) in the plane; 1 per rad/s, or rad/m.
    """
    return pack(attitude_rows(system, q))


def attitude_rows(system: System, q: Coordinates) -> Rows:
    """The rows of `base_motion_map` that turn the base."""
    split = split_rates(system, BaseMode.FREE_FLOATING)
    rows = rows_of(base_motion_map(system, q, BaseMode.FREE_FLOATING))
    turns = [system.rate_units[k] == "rad/s" for k in split.base]
    return [row for row, turning in zip(rows, turns, strict=True) if turning]


@dataclass(frozen=True)
class BaseDisturbance:
    """What unit joint rates do to the attitude of the base."""

    names: tuple[str, ...]
    """Of the joint rates."""
    map: Array
    """Angular rate of the base per joint rate, shape (3 or 1, joint rates)."""
    largest: float
    """Angular rate for the unit joint rates that disturb most (rad/s per rad/s)."""
    smallest: float
    """The same for those that disturb least; 0 when there are more joints than axes."""
    largest_direction: Array
    """Unit joint rates that turn the base most."""
    smallest_direction: Array
    """Unit joint rates that turn the base least."""

    def __str__(self) -> str:
        def written(direction: Array) -> str:
            parts = zip(self.names, direction, strict=True)
            return ", ".join(f"{name} {x:+.3f}" for name, x in parts if abs(x) > 5e-4)

        return (
            f"most: {self.largest:.4g} rad/s of the base per unit rate along "
            f"({written(self.largest_direction)})\n"
            f"least: {self.smallest:.4g} along ({written(self.smallest_direction)})"
        )


def base_disturbance(system: System, q: Coordinates) -> BaseDisturbance:
    """Directions of joint rates that disturb the base's attitude most and least, for numbers q.

    Rates in rad/s and m/s are compared as they are.
    """
    split = split_rates(system, BaseMode.FREE_FLOATING)
    matrix = np.asarray(attitude_map(system, q), float)
    _, values, right = np.linalg.svd(matrix)
    least = float(values[-1]) if len(values) == matrix.shape[1] else 0.0
    return BaseDisturbance(
        names=tuple(system.rate_names[k] for k in split.joints),
        map=matrix,
        largest=float(values[0]),
        smallest=least,
        largest_direction=_signed(right[0]),
        smallest_direction=_signed(right[-1]),
    )


def base_disturbance_map(system: System, q: Coordinates, grid: Mapping[str, Any]) -> JointGrid:
    """The largest disturbance over a grid of joint coordinates.

    Args:
        q: the other joints, shape (nq,).
        grid: values (rad or m) by joint name; the result has one axis for each, in this order.
    """

    def largest(batch: Array) -> Array:
        matrix = leading_batch(np.asarray(attitude_map(system, batch), float))
        return np.linalg.svd(matrix, compute_uv=False)[..., 0]

    return over_grid(system, q, grid, largest, named="largest base rate per unit joint rate")


def _signed(direction: Array) -> Array:
    """The sign of a singular vector means nothing: its largest part is positive."""
    return direction * np.sign(direction[np.argmax(np.abs(direction))])
