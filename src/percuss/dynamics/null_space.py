"""Joint motions to which the base does not react (Nenchev, Umetani & Yoshida 1992)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from percuss.algebra.arrays import Coordinates, Rates
from percuss.algebra.scalars import pack, unpack
from percuss.dynamics.disturbance_maps import attitude_rows
from percuss.dynamics.free_floating import base_motion_map, split_rates
from percuss.kinematics.inverses import null_space_projector, pseudo_inverse, right_inverse
from percuss.kinematics.matrices import Rows, is_numeric, rows_of, times
from percuss.model.errors import ModelError
from percuss.model.systems import BaseMode, System

Array = NDArray[np.float64]


def reaction_null_space(
    system: System, q: Coordinates, *, still: str = "attitude", tolerance: float = 1e-10
) -> Array:
    """A basis of the joint rates that leave a free-floating base at rest, for numbers q.

    Shape (joint rates, k), orthonormal columns; k may be 0. Momentum is zero.

    Args:
        still: "attitude", the base does not turn, or "base", it does not move at all.
        tolerance: share of the largest singular value that counts as zero.
    """
    matrix = np.array(pack(_rows(system, q, still)), float)
    _, values, right = np.linalg.svd(matrix)
    rank = int(np.sum(values > tolerance * max(float(values[0]), np.finfo(float).tiny)))
    return right[rank:].T


def reactionless(
    system: System, q: Coordinates, joint_rates: Rates, *, still: str = "attitude"
) -> Any:
    """The joint rates nearest to the given ones to which the base does not react.

    (1 - B⁺ B) q̇ with B the angular rate of the base per joint rate; any scalar. Other scalars
    than numbers need B of full rank.
    """
    count = len(split_rates(system, BaseMode.FREE_FLOATING).joints)
    moving = unpack(joint_rates, count, "joint_rates")
    matrix = pack(_rows(system, q, still))
    inverse = pseudo_inverse(matrix) if is_numeric(matrix) else right_inverse(matrix)
    return pack(times(rows_of(null_space_projector(matrix, inverse)), moving))


def _rows(system: System, q: Coordinates, still: str) -> Rows:
    if still == "attitude":
        return attitude_rows(system, q)
    if still == "base":
        return rows_of(base_motion_map(system, q, BaseMode.FREE_FLOATING))
    raise ModelError(f"still must be 'attitude' or 'base', got {still!r}")
