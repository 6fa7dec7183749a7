"""Where and how to strike a link so that its joints feel least: linear algebra on one map.

All reactions are linear in the impulsive wrench on a link. Its moment is p × f, so for a given
direction f they are affine in the point p, and the point that the joints feel least is a least
squares problem; for a given point the best direction is an eigenvector.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from percuss.algebra.arrays import Coordinates
from percuss.algebra.motions import Force
from percuss.algebra.vectors import Vector3
from percuss.kinematics.frames import frame_pose
from percuss.model.checks import padded
from percuss.model.errors import ModelError
from percuss.model.systems import System
from percuss.percussion.holding import Holding
from percuss.percussion.multibody import impact_reactions

Array = NDArray[np.float64]

_RANK = 1e-10  # singular values below this share of the largest are zero


@dataclass(frozen=True)
class ReactionMap:
    """Reactions of all joints to a wrench on one link, in one configuration.

    `joints[name]` (6, 6) takes an impulsive wrench (force N s, moment N m s) about the link
    frame's origin, in the link's axes, to the impulse through that joint on its outboard link:
    force, moment about the joint, in the outboard link's axes. `base` (6, 6) takes it to the
    jump of the base's velocity at its frame, world axes (m/s, rad/s).
    """

    link: str
    own_joint: str
    is_planar: bool
    joints: Mapping[str, Array]
    base: Array

    def reactions(self, point: Any, impulse: Any) -> dict[str, Array]:
        """Impulses through the joints (6,) for an impulse (N s) at a point (m), link axes."""
        wrench = _wrench(_three(point, "point"), _three(impulse, "impulse"))
        return {name: matrix @ wrench for name, matrix in self.joints.items()}


@dataclass(frozen=True)
class Strike:
    """A way to strike a link: point (m) and unit direction in its frame, and what joints feel.

    `felt` is the weighted size of the reactions per impulse that was made least; `forces` are
    the sizes of the joints' force impulses per impulse. Moving the point along any of `spanned`
    (k, 3) does not change the cost; the first is the direction itself.
    """

    link: str
    point: Array
    direction: Array
    felt: float
    forces: dict[str, float]
    spanned: Array


Weights = Mapping[str, float] | str | None
"""By joint name; None for the link's own joint only, "all" for every joint alike."""


def reaction_map(
    system: System, q: Coordinates, link: str, holding: Holding | None = None
) -> ReactionMap:
    """The map from wrenches on a link to reactions, in the configuration q (plain numbers)."""
    node = system.node(link)
    turn = np.array(frame_pose(system, q, link).rotation.array(), float)
    world = np.kron(np.eye(2), turn)  # link axes to world axes, for six unit wrenches at once
    push = Force(Vector3(*world[:3]), Vector3(*world[3:]))
    found = impact_reactions(system, q, link, push, holding=holding)
    joints = {name: _six(load.reaction) for name, load in found.joints.items()}
    return ReactionMap(
        link=link,
        own_joint=node.joint.name,
        is_planar=system.is_planar,
        joints=joints,
        base=_six(found.base_motion),
    )


def best_point(
    reactions: ReactionMap,
    direction: Any,
    weights: Weights = None,
    *,
    length: float = math.inf,
    between: tuple[Any, Any] | None = None,
) -> Strike:
    """Where an impulse along a direction (link axes) is felt least.

    Args:
        weights: which joints count, and how much.
        length: by which moments at the joints are divided to count as forces (m); infinite: only
            forces count.
        between: two points of the link (m): search the segment between them. Default everywhere;
            of several best points the one nearest to the link frame's origin.
    """
    f = _direction(direction)
    matrix = _weighted(reactions, weights, length)
    constant = matrix[:, :3] @ f
    slopes = matrix[:, 3:] @ -_skew(f)  # p × f = -f × p
    if between is not None:
        start, end = (_three(point, "between") for point in between)
        along = end - start
        steep, offset = slopes @ along, constant + slopes @ start
        square = float(steep @ steep)
        share = min(max(-float(steep @ offset) / square, 0.0), 1.0) if square > 0 else 0.0
        return _strike(reactions, matrix, start + share * along, f, spanned=f[None, :])
    left, values, right = np.linalg.svd(slopes)
    rank = int(np.sum(values > _RANK * max(float(values[0]), 1e-300)))
    point = -right[:rank].T @ ((left[:, :rank].T @ constant) / values[:rank])
    return _strike(reactions, matrix, point, f, spanned=_spanned(right[rank:], f))


def best_direction(
    reactions: ReactionMap, point: Any, weights: Weights = None, *, length: float = math.inf
) -> Strike:
    """The direction (link axes) in which an impulse at a point (m) is felt least.

    The smallest singular value of reactions by direction; in a planar system within its plane.
    """
    p = _three(point, "point")
    matrix = _weighted(reactions, weights, length)
    by_force = matrix[:, :3] + matrix[:, 3:] @ _skew(p)
    if reactions.is_planar:
        by_force = by_force[:, :2]
    f = np.linalg.svd(by_force)[2][-1]
    f = np.append(f, np.zeros(3 - len(f)))
    f = f * (1.0 if f[np.argmax(np.abs(f))] > 0 else -1.0)  # both signs are felt alike
    return _strike(reactions, matrix, p, f, spanned=f[None, :])


def worst_strike(
    reactions: ReactionMap,
    point: Any,
    impulse: Any,
    *,
    point_tolerance: Any = (0.0, 0.0, 0.0),
    impulse_tolerance: Any = (0.0, 0.0, 0.0),
    weights: Weights = None,
    length: float = math.inf,
) -> tuple[float, Array, Array]:
    """The largest weighted reaction (N s) when point and impulse are off by up to ± tolerances.

    Exact: the size of the reaction is convex in the point for each impulse and convex in the
    impulse for each point, so a pair of corners has the largest value.

    Returns:
        The reaction, and the point (m) and the impulse (N s) that cause it, link axes.
    """
    matrix = _weighted(reactions, weights, length)
    best = (-1.0, np.zeros(3), np.zeros(3))
    for p in _corners(point, point_tolerance, "point"):
        for f in _corners(impulse, impulse_tolerance, "impulse"):
            felt = float(np.linalg.norm(matrix @ _wrench(p, f)))
            best = max(best, (felt, p, f), key=lambda found: found[0])
    return best


def _corners(middle: Any, tolerance: Any, what: str) -> list[Array]:
    center, half = _three(middle, what), _three(tolerance, f"tolerance of the {what}")
    if np.any(half < 0.0):
        raise ModelError(f"the tolerance of the {what} must be ≥ 0, got {half.tolist()}")
    steps = [(-h, h) if h > 0.0 else (0.0,) for h in half]
    return [center + np.array(step) for step in itertools.product(*steps)]


def _strike(
    reactions: ReactionMap, matrix: Array, point: Array, f: Array, *, spanned: Array
) -> Strike:
    forces = {
        name: float(np.linalg.norm(reaction[:3]))
        for name, reaction in reactions.reactions(point, f).items()
    }
    felt = float(np.linalg.norm(matrix @ _wrench(point, f)))
    return Strike(
        link=reactions.link, point=point, direction=f, felt=felt, forces=forces, spanned=spanned
    )


def _weighted(reactions: ReactionMap, weights: Weights, length: float) -> Array:
    """Rows of all joints that count, moments divided by the length."""
    if not length > 0.0:
        raise ModelError(f"length must be > 0 m, got {length:g}")
    if isinstance(weights, str) and weights != "all":
        raise ModelError(f"weights are a mapping by joint, 'all' or None, got {weights!r}")
    if weights is None and reactions.own_joint not in reactions.joints:
        raise ModelError(
            f"link {reactions.link!r} floats: nothing passes through its own joint; give weights "
            f"for: {', '.join(reactions.joints)}"
        )
    chosen = (
        {reactions.own_joint: 1.0}
        if weights is None
        else dict.fromkeys(reactions.joints, 1.0)
        if isinstance(weights, str)
        else dict(weights)
    )
    scale = np.array([1.0, 1.0, 1.0, 1.0 / length, 1.0 / length, 1.0 / length])
    rows: list[Array] = []
    for name, weight in chosen.items():
        if name not in reactions.joints:
            raise ModelError(
                f"there is no joint {name!r} to weigh. There are: {', '.join(reactions.joints)}"
            )
        if not (math.isfinite(weight) and weight >= 0.0):
            raise ModelError(f"the weight of {name!r} must be finite and ≥ 0, got {weight:g}")
        rows.append(weight * (scale[:, None] * reactions.joints[name]))
    return np.vstack(rows)


def _spanned(free: Array, f: Array) -> Array:
    """A basis of the free directions that begins with the impulse's own."""
    across = free - np.outer(free @ f, f)
    return np.vstack([f[None, :], np.linalg.svd(across)[2][: max(0, len(free) - 1)]])


def _direction(direction: Any) -> Array:
    f = _three(direction, "direction")
    if not np.any(f):
        raise ModelError("direction must be a vector of length > 0")
    return f / np.linalg.norm(f)


def _three(values: Any, what: str) -> Array:
    try:
        vector = np.array(padded(values, what).array(), float)
    except (TypeError, ValueError) as error:
        raise ModelError(str(error)) from error
    if vector.shape != (3,) or not np.all(np.isfinite(vector)):
        raise ModelError(f"{what} must be two or three finite numbers, got {values!r}")
    return vector


def _wrench(point: Array, force: Array) -> Array:
    return np.concatenate([force, np.cross(point, force)])


def _skew(a: Array) -> Array:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def _six(quantity: Any) -> Array:
    """Shape (6, 6): six components, six cases; constants are the same in every case."""
    return np.array([np.broadcast_to(np.asarray(entry, float), (6,)) for entry in quantity])
