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
    joints between base and tool move.
    """
    place = Task.PLANAR_POSITION if chaser.is_planar else Task.POSITION
    whole = Task.PLANAR_POSE if chaser.is_planar else Task.POSE
    moving = list(chain_to(chaser, tool, place).rates)
    if base_too:
        base = chaser.node(chaser.base_joint.child).rates
        moving = [*range(base.start, base.stop), *moving]
    task = whole if len(moving) >= len(whole.rows) else place
    rows = list(task.rows)
    J = np.asarray(jacobian(chaser, q, tool), float)[np.ix_(rows, moving)]
    wanted = np.asarray(velocity.array(), float)[rows]
    _refuse_lost(chaser, tool, J, task, wanted)
    M = np.asarray(mass_matrix(chaser, q), float)[np.ix_(moving, moving)]
    M = 0.5 * (M + M.T)  # symmetric to the last digit
    rates = np.zeros(chaser.rate_count)
    rates[moving] = np.asarray(weighted_inverse(J, M), float) @ wanted
    return rates, task


def _refuse_lost(chaser: System, tool: Frame, J: Array, task: Task, wanted: Array) -> None:
    """A singular arm cannot follow the grip, whatever its rates."""
    values = np.linalg.svd(J, compute_uv=False)
    if len(J) <= J.shape[1] and values[-1] > _SINGULAR * values[0]:
        return
    velocity = ", ".join(f"{x:.4g}" for x in wanted)
    raise ModelError(
        f"{chaser.name!r} is singular where {tool.name!r} meets the grip: its {J.shape[1]} rates "
        f"give {int((values > _SINGULAR * values[0]).sum())} of the {len(J)} directions "
        f"({', '.join(task.row_names)}) of the velocity wanted, ({velocity}). "
        "Meet at another time, or let the base move"
    )
