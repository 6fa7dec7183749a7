"""Where a body on a joint can be struck so that the joint feels nothing.

The joint feels nothing exactly when the impulse is a momentum that the free motions can have,
F = 𝓘 S x. For an impulse along a given direction f at an unknown point p that is linear in
(x, p),

    (𝓘 S x)_force = f,    (𝓘 S x)_moment = p × f,

so the points of zero reaction form a line along f, a plane, all of space, or nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from percuss.model.checks import padded
from percuss.model.errors import ModelError
from percuss.model.joints import Revolute
from percuss.percussion.spatial import JointedBody, body_reaction

Array = NDArray[np.float64]

_KINDS = {1: "line", 2: "plane", 3: "space"}
_TOLERANCE = 1e-9
"""Relative to the lengths and masses of the body: below it an equation counts as solved."""


@dataclass(frozen=True)
class ZeroReaction:
    """All points where an impulse along `direction` leaves the joint without reaction.

    `kind` is "none", "line", "plane" or "space"; `point` (m, body frame) is the one nearest to
    the joint, `spanned` (k, 3) unit vectors along the set, the first along the direction. With
    "none" the reaction cannot vanish: `point` is where the least reaction is, `remaining` how
    much of it is left per impulse (see `zero_reaction`).
    """

    kind: str
    direction: Array
    point: Array
    spanned: Array
    remaining: float

    @property
    def exists(self) -> bool:
        return self.kind != "none"


def zero_reaction(
    jointed: JointedBody, direction: Any, *, moment: bool = True, length: float | None = None
) -> ZeroReaction:
    """Points at which an impulse along a direction (body axes) leaves no reaction at the joint.

    Args:
        moment: whether the reaction moment has to vanish too, or the force only.
        length: by which moments are divided to be compared with forces (m); default the distance
            of the centre of mass from the joint, or the body's radius of gyration.

    Where it cannot vanish, the point of least √(|force|² + |moment|²/length²) is given instead
    (of least |force| without `moment`).
    """
    f = _unit(direction, "direction")
    scale = _length(jointed) if length is None else length
    if not (math.isfinite(scale) and scale > 0.0):
        raise ModelError(f"length must be finite and > 0 m, got {scale:g}")
    origin = _array(jointed.origin)

    def felt(point: Array) -> Array:
        found = body_reaction(jointed, point * scale + origin, f).reaction
        parts = [_array(found.linear)]
        if moment:
            parts.append(_array(found.angular) / scale)
        return np.concatenate(parts)

    # The reaction is affine in the point: constant + slopes · point, with lengths in `scale`.
    constant = felt(np.zeros(3))
    slopes = np.stack([felt(axis) - constant for axis in np.eye(3)], axis=1)
    left, values, right = np.linalg.svd(slopes)
    rank = int(np.sum(values > _TOLERANCE * max(1.0, float(values[0]))))
    nearest = -right[:rank].T @ ((left[:, :rank].T @ constant) / values[:rank])
    remaining = float(np.linalg.norm(constant + slopes @ nearest))
    free = right[rank:]
    # Along the impulse itself nothing changes: put that direction first.
    across = free - np.outer(free @ f, f)
    basis = np.linalg.svd(across)[2][: max(0, len(free) - 1)]
    spanned = np.vstack([f[None, :], basis])
    solved = remaining <= _TOLERANCE * (1.0 + float(np.abs(slopes).max()))
    kind = _KINDS[len(spanned)] if solved else "none"
    return ZeroReaction(
        kind=kind,
        direction=f,
        point=nearest * scale + origin,
        spanned=spanned,
        remaining=0.0 if solved else remaining,
    )


def percussion_direction(jointed: JointedBody) -> Array:
    """The direction a × r, body axes, of the only impulses a revolute joint may not feel.

    They push the centre of mass where the joint lets it go. Refused for other joints, and for a
    body that is balanced about its axis: its joint feels every impulse.
    """
    axis = jointed.freedoms
    if not isinstance(axis, Revolute):
        raise ModelError(
            f"body {jointed.body.name!r}: only a revolute joint has one percussion direction; for "
            "others give zero_reaction a direction"
        )
    direction = np.cross(_array(axis.axis), _array(jointed.com))
    if float(np.linalg.norm(direction)) <= _TOLERANCE * _length(jointed):
        raise ModelError(
            f"body {jointed.body.name!r}: its centre of mass is on the axis of its joint, so there "
            "is no centre of percussion: the joint feels every impulse"
        )
    return _unit(direction, "direction")


def _length(jointed: JointedBody) -> float:
    """Distance of the CoM from the joint, or where it is there the radius of gyration (m)."""
    away = float(np.linalg.norm(_array(jointed.com)))
    trace, mass = float(jointed.body.inertia.trace()), float(jointed.body.mass)  # type: ignore[arg-type]
    gyration = math.sqrt(max(trace, 0.0) / (2.0 * mass))
    return max(away, gyration)


def _unit(direction: Any, what: str) -> Array:
    vector = _array(padded(direction, what))
    size = float(np.linalg.norm(vector))
    if not (math.isfinite(size) and size > 0.0):
        raise ModelError(f"{what} must be a finite vector of length > 0, got {vector.tolist()}")
    return vector / size


def _array(vector: Any) -> Array:
    return np.array(vector.array(), float)
