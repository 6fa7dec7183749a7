"""What inverse kinematics finds, and why it sometimes does not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from percuss.kinematics.inverse.chain import Array
from percuss.model.errors import ModelError


@dataclass(frozen=True)
class Solution:
    """Coordinates that bring the tool to its target, verified by forward kinematics."""

    q: Array
    """All coordinates, shape (nq,)."""
    distance: float
    """Between tool and target (m)."""
    angle: float
    """Between the orientations of tool and target (rad); 0 where the task has none."""
    objective: float | None
    """What is left of the null-space objective."""
    starts: int
    """Starting points that were tried."""
    solved: int
    """How many of them led to the target."""


@dataclass(frozen=True)
class Solutions:
    """Many targets at once: arrays with the targets as last axis."""

    q: Array
    """Coordinates, shape (nq, n); the nearest found where there is no solution."""
    success: NDArray[np.bool_]
    """Shape (n,): within the tolerance by forward kinematics, and within the limits."""
    distance: Array
    """Between tool and target (m), shape (n,)."""
    angle: Array
    """Between their orientations (rad), shape (n,)."""
    starts: NDArray[np.int64]
    """Starting points used for each target, shape (n,)."""

    @property
    def success_rate(self) -> float:
        """Share of the targets that were reached."""
        return float(self.success.mean())


class NoSolutionError(ModelError):
    """No configuration was found: the message says why.

    `distance` (m) and `angle` (rad) are the errors at `q`, the nearest that was found. `missing`
    is how far the target is beyond the reach of the chain (m), where that is certain, else None;
    `limits` names the joints whose limits stand in the way.
    """

    def __init__(
        self,
        message: str,
        *,
        q: Array,
        distance: float,
        angle: float,
        missing: float | None = None,
        limits: tuple[str, ...] = (),
    ) -> None:
        super().__init__(message)
        self.q, self.distance, self.angle = q, distance, angle
        self.missing, self.limits = missing, limits


def residual(distance: float, angle: float, has_angle: bool) -> str:
    """`0.02 m and 0.3 rad` for a message."""
    return f"{distance:.3g} m" + (f" and {angle:.3g} rad" if has_angle else "")


def as_batch(values: Any, size: int, what: str) -> Array:
    """Numbers of shape (size, n)."""
    array = np.asarray(values, float)
    if array.ndim != 2 or array.shape[0] != size or not np.isfinite(array).all():
        raise ModelError(
            f"{what} must be finite numbers of shape ({size}, n), the targets as last axis, "
            f"got shape {array.shape}"
        )
    return array
