"""A quantity over a grid of joint coordinates, evaluated as one batch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from percuss.algebra.arrays import Coordinates
from percuss.model.errors import ModelError
from percuss.model.systems import System

Array = NDArray[np.float64]


@dataclass(frozen=True)
class JointGrid:
    """Values over joint coordinates: one axis for each joint, in the order of `joints`."""

    quantity: str
    joints: tuple[str, ...]
    axes: tuple[Array, ...]
    """Coordinates along each axis (rad or m)."""
    values: Array

    def least(self) -> tuple[Array, float]:
        """Where the value is least in size, and what it is there."""
        place = np.unravel_index(int(np.argmin(np.abs(self.values))), self.values.shape)
        point = [axis[k] for axis, k in zip(self.axes, place, strict=True)]
        return np.array(point), float(self.values[place])


def over_grid(
    system: System,
    q: Coordinates,
    grid: Mapping[str, Any],
    quantity: Callable[[Array], Array],
    *,
    named: str,
) -> JointGrid:
    """The quantity, a function of coordinates (nq, n), at every point of the grid."""
    start = np.array(q, float)
    if start.shape != (system.coordinate_count,) or not np.isfinite(start).all():
        raise ModelError(f"q must be {system.coordinate_count} finite numbers, got {q!r}")
    if not grid:
        raise ModelError("the grid is empty: give values for one joint or more, by name")
    axes = {name: _axis(system, name, values) for name, values in grid.items()}
    meshes = np.meshgrid(*axes.values(), indexing="ij")
    batch = np.repeat(start[:, None], meshes[0].size, axis=1)
    for name, mesh in zip(axes, meshes, strict=True):
        batch[coordinate_of(system, name)] = mesh.ravel()
    values = np.asarray(quantity(batch), float).reshape(meshes[0].shape)
    return JointGrid(named, tuple(axes), tuple(axes.values()), values)


def coordinate_of(system: System, joint: str) -> int:
    """The place of the coordinate of a joint that has one."""
    found = system.joint(joint)
    if found.motion.coordinate_count != 1:
        raise ModelError(
            f"joint {joint!r} has {found.motion.coordinate_count} coordinates; joints of one are "
            "meant here"
        )
    return system.node(found.child).coordinates.start


def _axis(system: System, name: str, values: Any) -> Array:
    coordinate_of(system, name)
    axis = np.asarray(values, float)
    if axis.ndim != 1 or not axis.size or not np.isfinite(axis).all():
        raise ModelError(f"grid: the values of {name!r} must be finite, shape (n,), got {values!r}")
    return axis
