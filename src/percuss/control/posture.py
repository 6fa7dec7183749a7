"""The posture in which a captured system turns slowest: momentum spread over more inertia."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from percuss.algebra.arrays import Coordinates
from percuss.control.momentum import vector_of
from percuss.control.plant import TreePlant
from percuss.dynamics.composite import total_inertia
from percuss.model.errors import ModelError
from percuss.model.joints import Prismatic, Revolute
from percuss.model.systems import Joint


@dataclass(frozen=True)
class CalmestPosture:
    """The posture found in which the whole can turn slowest with the angular momentum it has."""

    q: np.ndarray
    """Coordinates of the whole, shape (nq,): those given, but for the joints that moved."""
    joints: dict[str, float]
    """Angle (rad) or displacement (m) of each joint that was free to move."""
    spin: float
    """|H| / I_max there, rad/s."""
    spin_before: float
    """|H| / I_max at the posture given, rad/s."""

    @property
    def slower(self) -> float:
        """Spin there over spin before: below 1 it is calmer."""
        return self.spin / self.spin_before if self.spin_before else 1.0

    @property
    def sentence(self) -> str:
        """A sentence on the posture and how slowly the whole turns in it."""
        places = ", ".join(f"{name} {value:.3g}" for name, value in self.joints.items())
        return (
            f"Spread out ({places}) the whole can turn as slowly as {self.spin:.4g} rad/s, "
            f"{self.slower:.3g} of the {self.spin_before:.4g} rad/s at the present posture; "
            "collisions between its bodies are not looked at."
        )


def calmest_posture(
    plant: TreePlant,
    q: Coordinates,
    angular_momentum: Any,
    bounds: dict[str, tuple[float, float]] | None = None,
    *,
    starts: int = 8,
    seed: int = 0,
) -> CalmestPosture:
    """The posture of the driven joints in which the whole can turn slowest with H.

    Compared is |H| / I_max with I_max the largest principal inertia about the common centre of
    mass. In the plane that is the spin. In space the joints do not choose the attitude at which
    they come to rest, and |I⁻¹ H| ≥ |H| / I_max for every attitude: equality is the turn about
    the axis of most inertia, to which anything that dissipates energy leads. Found by a search
    from the posture given and the best of many drawn at random: the best found, not proven so.

    Args:
        q: coordinates of the whole, shape (nq,).
        angular_momentum: H about the centre of mass, N m s; 3 entries, or 1 in the plane.
        bounds: (lower, upper) in rad or m by joint, where other than the joint's limits; a
            revolute joint without limits is searched over one turn.
        starts: searches, the posture given included.
    """
    from scipy.optimize import minimize

    start = np.asarray(q, float)
    places, box = _free_joints(plant, start, dict(bounds or {}))
    turn = float(np.linalg.norm(vector_of(angular_momentum, "angular_momentum (N m s)", (2,))))
    if starts < 1:
        raise ModelError(f"starts must be ≥ 1, got {starts!r}")
    lower, upper = np.array(list(box.values())).reshape(-1, 2).T

    def most(x: np.ndarray) -> np.ndarray:
        """I_max at joint positions x, shape (joints, any number of postures)."""
        whole = np.repeat(start[:, None], x.shape[1], axis=1)
        whole[places] = x
        central = total_inertia(plant.system, whole).central_inertia
        entries = [np.broadcast_to(np.asarray(e, float), x.shape[1:]) for e in central]
        xx, yy, zz, xy, xz, yz = entries
        rows = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        return rows[2, 2] if plant.system.is_planar else np.linalg.eigvalsh(rows.T)[:, -1]

    here = start[places]
    now = float(most(here[:, None])[0])
    best, most_now = here, now
    if len(places) and starts > 1:
        rng = np.random.default_rng(seed)
        drawn = rng.uniform(lower[:, None], upper[:, None], (len(places), 32 * starts))
        drawn = drawn[:, np.argsort(-most(drawn))[: starts - 1]]
    else:
        drawn = np.empty((len(places), 0))
    for first in [np.clip(here, lower, upper), *drawn.T] if len(places) else []:
        found = minimize(
            _with_slope(most, now), first, jac=True, method="L-BFGS-B", bounds=list(box.values())
        )
        if -found.fun * now > most_now:
            best, most_now = found.x, -found.fun * now
    whole = start.copy()
    whole[places] = best
    joints = dict(zip(box, best.tolist(), strict=True))
    return CalmestPosture(whole, joints, turn / most_now, turn / now)


def _with_slope(most: Any, scale: float) -> Any:
    """-I_max / scale and its slope by central differences, all of them in one evaluation."""

    def value(x: np.ndarray) -> tuple[float, np.ndarray]:
        steps = 1e-6 * np.eye(len(x))
        found = -most(np.column_stack([x, x[:, None] + steps, x[:, None] - steps])) / scale
        return float(found[0]), (found[1 : len(x) + 1] - found[len(x) + 1 :]) / 2e-6

    return value


def _free_joints(
    plant: TreePlant, q: np.ndarray, bounds: dict[str, tuple[float, float]]
) -> tuple[list[int], dict[str, tuple[float, float]]]:
    """Coordinates of the driven joints of one freedom, and where they may be, by joint."""
    system = plant.system
    places: list[int] = []
    box: dict[str, tuple[float, float]] = {}
    for joint in system.joints:
        node = system.node(joint.child)
        if not isinstance(joint.motion, (Revolute, Prismatic)) or joint is system.base_joint:
            continue
        if node.rates.start >= plant.own_rates or not plant.actuated[node.rates.start]:
            continue
        places.append(node.coordinates.start)
        given = bounds.pop(joint.name, (node.limits.lower, node.limits.upper))
        box[joint.name] = _range(joint, given, float(q[node.coordinates.start]))
    if bounds:
        raise ModelError(
            f"bounds: {', '.join(map(repr, bounds))} is no driven joint of one freedom; "
            f"those are {', '.join(map(repr, box)) or 'none'}"
        )
    return places, box


def _range(joint: Joint, given: tuple[float, float], now: float) -> tuple[float, float]:
    lower, upper = (float(x) for x in given)
    if isinstance(joint.motion, Revolute):
        # One turn shows every posture: around the present angle, or next to the only limit.
        if math.isinf(lower) and math.isinf(upper):
            lower, upper = now - math.pi, now + math.pi
        lower = upper - math.tau if math.isinf(lower) else lower
        upper = lower + math.tau if math.isinf(upper) else upper
    if not (math.isfinite(lower) and math.isfinite(upper) and lower <= upper):
        raise ModelError(
            f"bounds of joint {joint.name!r} must be two finite numbers in order, got {given}"
        )
    return lower, upper
