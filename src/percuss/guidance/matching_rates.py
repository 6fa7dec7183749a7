"""Rates of joints and base with which the tool moves as a grip does."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from percuss.algebra.motions import Motion
from percuss.dynamics.composite import mass_matrix
from percuss.kinematics.inverse.chain import chain_to
from percuss.kinematics.inverses import weighted_inverse
from percuss.kinematics.jacobians import jacobian
from percuss.kinematics.matrices import leading_batch
from percuss.kinematics.tasks import Task
from percuss.model.errors import ModelError
from percuss.model.systems import Frame, System

Array = NDArray[np.float64]

_SINGULAR = 1e-6
"""Share of the largest singular value below which a direction counts as lost."""


def matching_rates(
    chaser: System, q: Any, tool: Frame, velocity: Motion, base_too: bool
) -> tuple[Array, Task]:
    """Rates of the chaser that give the tool a velocity, and how much of it they give.

    The whole velocity if there are rates enough, else its linear part. Of all rates that do the
    ones with the least kinetic energy: a heavy base moves little. Without `base_too` only the
    joints between base and tool move. ModelError where the chaser is singular.
    """
    rates, task, lost = _matching(chaser, np.asarray(q, float)[:, None], tool, velocity, base_too)
    if lost[0]:
        raise _singular(chaser, q, tool, velocity, base_too)
    return rates[:, 0], task


def matching_rates_of_each(
    chaser: System, q: Array, tool: Frame, velocity: Motion, base_too: bool
) -> tuple[Array, NDArray[np.bool_]]:
    """As `matching_rates` for many cases: rates (nv, cases), and in which the chaser has them.

    Coordinates (nq, cases), velocities of batches; rates are NaN where the chaser is singular.
    """
    rates, _, lost = _matching(chaser, q, tool, velocity, base_too)
    return rates, ~lost


def matched_task(chaser: System, tool: Frame, base_too: bool) -> Task:
    """How much of a velocity of the tool the rates can give: all of it, or its linear part."""
    return _moving(chaser, tool, base_too)[1]


def _moving(chaser: System, tool: Frame, base_too: bool) -> tuple[list[int], Task]:
    """Places of the rates that move the tool, and how much of a velocity they can give."""
    place = Task.PLANAR_POSITION if chaser.is_planar else Task.POSITION
    whole = Task.PLANAR_POSE if chaser.is_planar else Task.POSE
    moving = list(chain_to(chaser, tool, place).rates)
    if base_too:
        base = chaser.node(chaser.base_joint.child).rates
        moving = [*range(base.start, base.stop), *moving]
    return moving, whole if len(moving) >= len(whole.rows) else place


def _matching(
    chaser: System, q: Array, tool: Frame, velocity: Motion, base_too: bool
) -> tuple[Array, Task, NDArray[np.bool_]]:
    """Rates (nv, cases), what they match, and in which cases the chaser is singular."""
    count = q.shape[1]
    moving, task = _moving(chaser, tool, base_too)
    J = _task_jacobian(chaser, q, tool, moving, task)
    values = np.linalg.svd(leading_batch(J), compute_uv=False)
    lost = ~((len(J) <= J.shape[1]) & (values[:, -1] > _SINGULAR * values[:, 0]))
    M = np.broadcast_to(
        np.asarray(mass_matrix(chaser, q), float).reshape(chaser.rate_count, chaser.rate_count, -1),
        (chaser.rate_count, chaser.rate_count, count),
    )[np.ix_(moving, moving)]
    M = 0.5 * (M + np.swapaxes(M, 0, 1))  # symmetric to the last digit
    wanted = _rows_of(velocity, task, count)
    rates = np.zeros((chaser.rate_count, count))
    rates[:, lost] = np.nan
    if not lost.all():
        inverse = np.asarray(weighted_inverse(J[..., ~lost], M[..., ~lost]), float)
        rates[np.ix_(moving, ~lost)] = np.einsum("ijn,jn->in", inverse, wanted[:, ~lost])
    return rates, task, lost


def _task_jacobian(chaser: System, q: Array, tool: Frame, moving: list[int], task: Task) -> Array:
    """(rows of the task, moving rates, cases)."""
    J = np.asarray(jacobian(chaser, q, tool), float).reshape(6, chaser.rate_count, -1)
    whole = np.broadcast_to(J, (6, chaser.rate_count, q.shape[1]))
    return whole[np.ix_(list(task.rows), moving)]


def _rows_of(velocity: Motion, task: Task, count: int) -> Array:
    """What the task has of a velocity, (rows, cases)."""
    whole = np.asarray(velocity.array(), float).reshape(6, -1)
    return np.broadcast_to(whole, (6, count))[list(task.rows)]


def _singular(chaser: System, q: Any, tool: Frame, velocity: Motion, base_too: bool) -> ModelError:
    """A singular arm cannot follow the grip, whatever its rates."""
    moving, task = _moving(chaser, tool, base_too)
    J = _task_jacobian(chaser, np.asarray(q, float)[:, None], tool, moving, task)[..., 0]
    values = np.linalg.svd(J, compute_uv=False)
    wanted = ", ".join(f"{x:.4g}" for x in _rows_of(velocity, task, 1)[:, 0])
    return ModelError(
        f"{chaser.name!r} is singular where {tool.name!r} meets the grip: its {J.shape[1]} rates "
        f"give {int((values > _SINGULAR * values[0]).sum())} of the {len(J)} directions "
        f"({', '.join(task.row_names)}) of the velocity wanted, ({wanted}). "
        "Meet at another time, or let the base move"
    )
