"""Rates of joints and base with which the tool moves as a grip does."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from percuss.algebra.arrays import Coordinates
from percuss.algebra.linear import minus, solve_symmetric
from percuss.algebra.motions import Motion
from percuss.algebra.scalars import Scalar, add, plain, terms, total
from percuss.dynamics.composite import mass_matrix
from percuss.kinematics.inverse.chain import chain_to
from percuss.kinematics.inverses import weighted_inverse
from percuss.kinematics.jacobians import jacobian
from percuss.kinematics.matrices import (
    Rows,
    gram,
    identity,
    leading_batch,
    product,
    rows_of,
    solve_columns,
    times,
    transposed,
)
from percuss.kinematics.tasks import Task
from percuss.model.errors import ModelError
from percuss.model.systems import Frame, System

Array = NDArray[np.float64]

_SINGULAR = 1e-6
"""Share of the largest singular value below which a direction counts as lost."""


def matching_rates(
    chaser: System, q: Coordinates, tool: Frame, velocity: Motion, *, base_too: bool
) -> tuple[Array, Task]:
    """Rates of the chaser that give the tool a velocity, and how much of it they give.

    The whole velocity if there are rates enough, else its linear part. Of all rates that do the
    ones with the least kinetic energy: a heavy base moves little. Without `base_too` only the
    joints between base and tool move. ModelError where the chaser is singular.
    """
    rates, task, lost = _matching(
        chaser, np.asarray(q, float)[:, None], tool, velocity, base_too=base_too
    )
    if lost[0]:
        raise _singular(chaser, q, tool, velocity, base_too=base_too)
    return rates[:, 0], task


def matching_rates_of_each(
    chaser: System, q: Array, tool: Frame, velocity: Motion, *, base_too: bool
) -> tuple[Array, NDArray[np.bool_]]:
    """Rates (nv, cases) that match velocities, and in which cases the chaser has them.

    Coordinates (nq, cases), velocities of batches; rates are NaN where the chaser is singular.
    """
    rates, _, lost = _matching(chaser, q, tool, velocity, base_too=base_too)
    return rates, ~lost


def matched_task(chaser: System, tool: Frame, base_too: bool) -> Task:
    """How much of a velocity of the tool the rates can give: all of it, or its linear part."""
    return moving_rates(chaser, tool, base_too)[1]


def moving_rates(chaser: System, tool: Frame, base_too: bool) -> tuple[list[int], Task]:
    """Places of the rates that move the tool, and how much of a velocity they can give."""
    place = Task.PLANAR_POSITION if chaser.is_planar else Task.POSITION
    whole = Task.PLANAR_POSE if chaser.is_planar else Task.POSE
    moving = list(chain_to(chaser, tool, place).rates)
    if base_too:
        base = chaser.node(chaser.base_joint.child).rates
        moving = [*range(base.start, base.stop), *moving]
    return moving, whole if len(moving) >= len(whole.rows) else place


def task_matrices(chaser: System, q: Coordinates, tool: Frame, base_too: bool) -> tuple[Rows, Rows]:
    """J and M: the moving rates → the velocity that is matched, and their inertia. Any scalar."""
    moving, task = moving_rates(chaser, tool, base_too)
    J, M = rows_of(jacobian(chaser, q, tool)), rows_of(mass_matrix(chaser, q))
    return [[J[k][j] for j in moving] for k in task.rows], [
        [M[i][j] for j in moving] for i in moving
    ]


def rates_between(
    chaser: System, q: Coordinates, tool: Frame, velocity: Motion, *, base_too: bool
) -> tuple[list[Scalar], Scalar]:
    """The rates of `matching_rates` by normal equations, any scalar, and how sound they are.

    The second is at most (σ_min / σ_max)² of the Jacobian, and not a number or less than 0 where
    rounding has taken over: rates with a small one are not to be used.
    """
    moving, task = moving_rates(chaser, tool, base_too)
    J, M = task_matrices(chaser, q, tool, base_too)
    rates: list[Scalar] = [0.0] * chaser.rate_count
    if len(J) > len(moving):
        return rates, 0.0
    spread = solve_columns(M, transposed(J))
    mobility = product(J, spread)
    whole = velocity.linear, velocity.angular
    wanted = [[*whole[0], *whole[1]][k] for k in task.rows]
    found = times(spread, solve_symmetric(mobility, wanted))
    # What the normal equations lose in digits is made good by a second solution for the rest.
    rest = list(minus(wanted, times(J, found)))
    more = times(spread, solve_symmetric(mobility, rest))
    for k, x, dx in zip(moving, found, more, strict=True):
        rates[k] = add(x, dx)
    return rates, _soundness(J)


def _soundness(J: Rows) -> Scalar:
    """1 / (|J|² |J⁺|²), Frobenius norms, at most (σ_min / σ_max)²."""
    squares = gram(J)
    inverse = solve_columns(squares, identity(len(squares)))
    size = total(squares[k][k] for k in range(len(squares)))
    return plain(1.0 / (terms(size) * total(inverse[k][k] for k in range(len(squares)))))


def _matching(
    chaser: System, q: Array, tool: Frame, velocity: Motion, *, base_too: bool
) -> tuple[Array, Task, NDArray[np.bool_]]:
    """Rates (nv, cases), what they match, and in which cases the chaser is singular."""
    count = q.shape[1]
    moving, task = moving_rates(chaser, tool, base_too)
    J = _task_jacobian(chaser, q, tool, moving, task=task)
    M = np.broadcast_to(
        np.asarray(mass_matrix(chaser, q), float).reshape(chaser.rate_count, chaser.rate_count, -1),
        (chaser.rate_count, chaser.rate_count, count),
    )[np.ix_(moving, moving)]
    rates = np.zeros((chaser.rate_count, count))
    rates[moving], lost = rates_by_singular_values(J, M, _rows_of(velocity, task, count))
    rates[:, lost] = np.nan
    return rates, task, lost


def rates_by_singular_values(J: Array, M: Array, wanted: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Rates x (n, cases) with J x = wanted (m, cases) and the least ½ xᵀ M x, by singular values.

    J (m, n, cases), M (n, n, cases). Also the cases where J is singular or no matrix of numbers,
    whose rates are NaN.
    """
    rates = np.full((J.shape[1], J.shape[2]), np.nan)
    unknown = ~np.isfinite(J).all(axis=(0, 1)) | ~np.isfinite(M).all(axis=(0, 1))
    lost: NDArray[np.bool_] = np.array(unknown, bool)
    if len(J) > J.shape[1]:
        return rates, np.ones_like(lost)
    values = np.linalg.svd(leading_batch(J[..., ~lost]), compute_uv=False)
    lost[~lost] = ~(values[:, -1] > _SINGULAR * values[:, 0])
    if not lost.all():
        some = M[..., ~lost]
        symmetric = 0.5 * (some + np.swapaxes(some, 0, 1))  # to the last digit
        inverse = np.asarray(weighted_inverse(J[..., ~lost], symmetric), float)
        rates[:, ~lost] = np.einsum("ijn,jn->in", inverse, wanted[:, ~lost])
    return rates, lost


def _task_jacobian(
    chaser: System, q: Array, tool: Frame, moving: list[int], *, task: Task
) -> Array:
    """(rows of the task, moving rates, cases)."""
    J = np.asarray(jacobian(chaser, q, tool), float).reshape(6, chaser.rate_count, -1)
    whole = np.broadcast_to(J, (6, chaser.rate_count, q.shape[1]))
    return whole[np.ix_(list(task.rows), moving)]


def _rows_of(velocity: Motion, task: Task, count: int) -> Array:
    """What the task has of a velocity, (rows, cases)."""
    whole = np.asarray(velocity.array(), float).reshape(6, -1)
    return np.broadcast_to(whole, (6, count))[list(task.rows)]


def _singular(
    chaser: System, q: Coordinates, tool: Frame, velocity: Motion, *, base_too: bool
) -> ModelError:
    """A singular arm cannot follow the grip, whatever its rates."""
    moving, task = moving_rates(chaser, tool, base_too)
    J = _task_jacobian(chaser, np.asarray(q, float)[:, None], tool, moving, task=task)[..., 0]
    values = np.linalg.svd(J, compute_uv=False)
    wanted = ", ".join(f"{x:.4g}" for x in _rows_of(velocity, task, 1)[:, 0])
    return ModelError(
        f"{chaser.name!r} is singular where {tool.name!r} meets the grip: its {J.shape[1]} rates "
        f"give {int((values > _SINGULAR * values[0]).sum())} of the {len(J)} directions "
        f"({', '.join(task.row_names)}) of the velocity wanted, ({wanted}). "
        "Meet at another time, or let the base move"
    )
