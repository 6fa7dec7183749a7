"""Dynamic singularities: where a free-floating arm loses a direction (Papadopoulos & Dubowsky).

The generalized Jacobian depends on masses as well as on lengths, so it is singular in other
configurations than the arm's own. Its singular values depend on the joints alone: where the base
is, and how it is turned, does not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from percuss.algebra.arrays import Coordinates
from percuss.algebra.scalars import pack
from percuss.dynamics.free_floating import generalized_jacobian, split_rates
from percuss.dynamics.joint_grids import JointGrid, coordinate_of, over_grid
from percuss.dynamics.sampled_zeros import crossings, touchings
from percuss.kinematics.matrices import leading_batch, rows_of
from percuss.kinematics.tasks import Task, check_task
from percuss.model.errors import ModelError
from percuss.model.systems import BaseMode, Frame, System

Array = NDArray[np.float64]

_ZERO = 1e-12
"""A determinant or singular value below this part of what it could be is rounding."""
_ROUNDING = 1e-15
_FEWEST = 10
"""Samples without which an interval has not been looked at."""


def generalized_task_jacobian(
    system: System,
    q: Coordinates,
    frame: str | Frame,
    task: Task | str,
    *,
    mode: BaseMode | str | None = None,
) -> Any:
    """The task's rows of the generalized Jacobian, world-aligned, shape (rows, joint rates)."""
    rows = rows_of(generalized_jacobian(system, q, frame, mode=mode))
    return pack([rows[k] for k in check_task(system, task).rows])


def singularity_map(
    system: System,
    q: Coordinates,
    frame: str | Frame,
    grid: Mapping[str, Any],
    *,
    task: Task | str,
    measure: str = "determinant",
    length: float = 1.0,
    mode: BaseMode | str | None = None,
) -> JointGrid:
    """How singular the generalized Jacobian is over a grid of joint coordinates.

    Args:
        q: the other coordinates, shape (nq,).
        grid: values (rad or m) by joint name.
        task: whose rows count, as "planar position" for a planar arm of two joints.
        measure: "determinant", which changes its sign at a singularity and needs as many joints
            as rows, or "smallest singular value", with linear rows divided by `length` (m).
        mode: base mode, default the system's; "fixed" maps the arm on a base at rest.
    """
    function = _measure(system, frame, task, measure, length=length, mode=mode)
    return over_grid(system, q, grid, function, named=f"{measure} of the generalized Jacobian")


def singularities_along(
    system: System,
    q: Coordinates,
    frame: str | Frame,
    joint: str,
    *,
    task: Task | str,
    between: tuple[float, float] = (-np.pi, np.pi),
    samples: int = 721,
    length: float = 1.0,
    mode: BaseMode | str | None = None,
) -> Array:
    """Coordinates of one joint (rad or m) at which the generalized Jacobian is singular, sorted.

    The other coordinates are those of q. With as many joints as rows these are the zeros of the
    determinant, found between `samples` points and refined to rounding; otherwise minima of the
    smallest singular value that vanish. Both ends of the interval belong to it: what is singular
    at a whole turn is found at -π and at π. Roots closer together than the samples may be missed.

    Raises:
        ModelError: where all of the interval is singular.
    """
    low, high = between
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        raise ModelError(f"between must be two finite values, the smaller first, got {between!r}")
    if isinstance(samples, bool) or not isinstance(samples, int) or samples < _FEWEST:
        raise ModelError(f"samples must be a whole number ≥ {_FEWEST}, got {samples!r}")
    rows = len(check_task(system, task).rows)
    square = rows == len(split_rates(system, mode).joints)
    kind = "determinant" if square else "smallest singular value"
    function = _measure(system, frame, task, kind, length=length, mode=mode)
    place = coordinate_of(system, joint)
    start = np.array(q, float)

    def value(x: float) -> float:
        return float(function(_moved(start, place, np.array([x])))[0])

    points = np.linspace(low, high, samples)
    values = over_grid(system, start, {joint: points}, function, named=kind).values
    matrices = _matrices(system, _moved(start, place, points), frame, task, mode=mode)
    # What the value could be: by Hadamard the product of the rows' lengths, or the norm.
    if square:
        size = float(np.prod(np.linalg.norm(matrices, axis=-1), axis=-1).max())
    else:
        size = float(np.linalg.norm(matrices * _scales(task, length), axis=(-2, -1)).max())
    largest = float(np.abs(values).max())
    if largest <= _ZERO * size:
        raise ModelError(
            f"singular everywhere along {joint!r} between {low:g} and {high:g}: the {kind} of the "
            "generalized Jacobian is zero to rounding whatever this joint does. The other "
            "coordinates in q make it so, or the task asks for what no joint moves"
        )
    zero = max(_ZERO * largest, _ROUNDING * size)
    search = crossings if square else touchings
    return search(points, values, value, zero)


def nearest_singularity(
    system: System,
    q: Coordinates,
    frame: str | Frame,
    *,
    task: Task | str,
    mode: BaseMode | str | None = None,
    iterations: int = 50,
) -> Array:
    """Coordinates near q, the base's unchanged, at which the determinant vanishes, shape (nq,).

    Newton's steps along the gradient, q ← q - f ∇f / |∇f|², from q: a singular configuration
    close by, not always the closest. Needs as many joints as rows, of one coordinate each.
    """
    rows = len(check_task(system, task).rows)
    split = split_rates(system, mode)
    if rows != len(split.joints):
        raise ModelError(
            f"the generalized Jacobian is {rows}×{len(split.joints)}: only a square one has a "
            "determinant. singularity_map takes any, with measure='smallest singular value'"
        )
    function = _measure(system, frame, task, "determinant", length=1.0, mode=mode)
    places = [coordinate_of(system, joint.name) for joint in system.movable_joints]
    x = np.array(q, float)
    step = 1e-5
    scale = max(abs(float(function(x[:, None])[0])), 1e-12)
    for _ in range(iterations):
        around = np.repeat(x[:, None], 2 * len(places) + 1, axis=1)
        for k, place in enumerate(places):
            around[place, 2 * k + 1] += step
            around[place, 2 * k + 2] -= step
        values = function(around)
        slopes = (values[1::2] - values[2::2]) / (2 * step)
        steepness = float(slopes @ slopes)
        if steepness == 0:
            raise ModelError(
                "the determinant does not change with the joints here: move q a little"
            )
        x[places] -= values[0] * slopes / steepness
        if abs(values[0]) <= 1e-14 * scale:
            return x
    if abs(float(function(x[:, None])[0])) <= 1e-12 * scale:
        return x
    raise ModelError(f"no singular configuration found near q within {iterations} steps")


def _measure(
    system: System,
    frame: str | Frame,
    task: Task | str,
    measure: str,
    *,
    length: float,
    mode: BaseMode | str | None,
) -> Callable[[Array], Array]:
    """A function of coordinates (nq, n)."""
    task = check_task(system, task)
    count = len(split_rates(system, mode).joints)
    if measure not in ("determinant", "smallest singular value"):
        raise ModelError(
            f"measure must be 'determinant' or 'smallest singular value', got {measure!r}"
        )
    if measure == "determinant" and count != len(task.rows):
        raise ModelError(
            f"the generalized Jacobian of {count} joints has {len(task.rows)} rows for task "
            f"{task.value!r} and no determinant; use measure='smallest singular value'"
        )
    if not (np.isfinite(length) and length > 0):
        raise ModelError(f"length must be finite and > 0 m, got {length!r}")

    def evaluated(q: Array) -> Array:
        matrices = _matrices(system, q, frame, task, mode=mode)
        if measure == "determinant":
            return np.linalg.det(matrices)
        values = np.linalg.svd(matrices * _scales(task, length), compute_uv=False)
        return np.asarray(values[..., -1], float)

    return evaluated


def _matrices(
    system: System, q: Array, frame: str | Frame, task: Task | str, *, mode: BaseMode | str | None
) -> Array:
    """Generalized Jacobians at coordinates (nq, n), shape (n, rows, joint rates)."""
    matrix = np.asarray(generalized_task_jacobian(system, q, frame, task, mode=mode), float)
    full = matrix if matrix.ndim == 3 else matrix[..., None]
    return leading_batch(np.broadcast_to(full, (*matrix.shape[:2], q.shape[1])))


def _scales(task: Task | str, length: float) -> Array:
    """Factors of the rows with which a radian counts as much as the length, shape (rows, 1)."""
    return np.array([[1 / length if k < 3 else 1.0] for k in Task(task).rows])


def _moved(q: Array, place: int, values: Array) -> Array:
    """Coordinates (nq, n) with one of them taking these values."""
    batch = np.repeat(q[:, None], len(values), axis=1)
    batch[place] = values
    return batch
