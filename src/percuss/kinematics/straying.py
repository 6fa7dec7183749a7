"""How far a tool strays from its path between the times at which it was solved for."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from percuss.kinematics.inverse.chain import Array, ToolChain
from percuss.kinematics.inverse.chain import distance as distance_between
from percuss.kinematics.inverse.solutions import residual
from percuss.kinematics.inverse.steps import squared_errors, target_entries
from percuss.kinematics.task_paths import TaskState
from percuss.kinematics.trajectories import Trajectory
from percuss.model.errors import ModelError

Path = Callable[[Any], TaskState]
"""t (s) → where the tool should be and how it should move."""

_QUARTERS = np.array([[0.25], [0.5], [0.75]])
"""Halfway alone would not do: passing a singularity there, errors before and after cancel."""
_ROUNDING = 1e-9
"""Part of the reach that no path is too short for."""


def reach_of(chain: ToolChain, q: Array) -> float:
    """What a radian is compared with: how far the arm reaches (m), 1 m where there is no end."""
    most = chain.span(q).most
    return most if 0 < most < np.inf else 1.0


def strayed(
    chain: ToolChain, path: Path, when: Array, q: Array, *, trajectory: Trajectory
) -> tuple[float, float]:
    """Largest errors (m, rad) at the quarters between the times; other joints held as in q."""
    between = _between(when)
    whole = np.repeat(q[:, None], len(between), axis=1)
    whole[[node.coordinates.start for node in chain.nodes]] = trajectory.sample(between)[0]
    targets = np.array([target_entries(chain.task, path(float(t)).pose) for t in between], float).T
    squares = np.broadcast_to(squared_errors(chain, whole, targets), (2, len(between)))
    distance, angle = np.sqrt(squares.max(axis=1))
    return float(distance), float(angle)


def refuse_straying(
    chain: ToolChain,
    path: Path,
    when: Array,
    q: Array,
    *,
    errors: tuple[float, float],
    share: float,
) -> None:
    """Refuses errors (m, rad) of more than a share of the path, its length and turn together."""
    poses = [path(float(t)).pose for t in np.sort([*when, *_between(when)])]
    pairs = list(pairwise(poses))
    length = sum(distance_between(chain.task, a.position, b.position) for a, b in pairs)
    turns = len(chain.task.rows) > chain.task.linear_count
    turn = 0.0
    if turns:
        steps = [(b.rotation @ a.rotation.inverse()).to_rotation_vector().array() for a, b in pairs]
        turn = float(np.linalg.norm(np.array(steps, float), axis=1).sum())
    reach = reach_of(chain, q)
    most = share * (length + reach * turn) + _ROUNDING * reach
    distance, angle = errors
    if max(distance, reach * angle) > most:
        raise ModelError(
            f"the tool strays by {residual(distance, angle, turns)} from its path between the "
            f"times, on a way of {residual(length, turn, turns)}: more than straying = {share:g} "
            "of it. Give more times, keep away from singularities, or allow a larger straying=…"
        )


def _between(when: Array) -> Array:
    return np.ravel(when[:-1] + _QUARTERS * np.diff(when))
