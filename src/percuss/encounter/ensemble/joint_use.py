"""How far the joints of many cases are used, beside their limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from percuss.encounter.encounter import Encounter
from percuss.model.systems import Joint, Limits, System

ROUNDING = 1e-9
"""Share of a limit by which a value may exceed it and still count as at the limit."""
JOLT = ("rate_before", "rate_after", "rate_jump", "force", "moment")
"""What is kept of the impact that changes the rate of a joint most."""


@dataclass(frozen=True)
class SingleJoint:
    """A joint of the chaser that turns or slides about one axis, and where its numbers are.

    `coordinate` and `rate` are its places among the chaser's, `place` that among the joints that
    move.
    """

    name: str
    coordinate: int
    rate: int
    place: int
    unit: str
    """Of its position, rad or m."""


def single_joints(chaser: System) -> tuple[SingleJoint, ...]:
    """The joints whose use is looked at, in order."""
    places = {joint.name: place for place, joint in enumerate(chaser.moving_joints)}
    return tuple(
        _single(chaser, joint, places[joint.name])
        for joint in chaser.movable_joints
        if joint.motion.rate_count == 1
    )


def _single(chaser: System, joint: Joint, place: int) -> SingleJoint:
    node = chaser.node(joint.child)
    unit = joint.motion.rate_units[0].removesuffix("/s")
    return SingleJoint(
        name=joint.name,
        coordinate=node.coordinates.start,
        rate=node.rates.start,
        place=place,
        unit=unit,
    )


def limits_of(chaser: System) -> tuple[Limits, ...]:
    """The limits of each of these joints, and of what follows it."""
    nodes = (chaser.node(chaser.joint(one.name).child) for one in single_joints(chaser))
    return tuple(node.limits for node in nodes)


def is_limited(chaser: System) -> bool:
    """Whether any of them has a limit that is finite; an undriven joint's effort does not count."""
    bounds = [
        bound
        for limits in limits_of(chaser)
        for bound in (limits.lower, limits.upper, limits.speed, limits.effort or np.inf)
    ]
    return bool(np.isfinite(np.array(bounds, float)).any())


def limit_numbers(encounter: Encounter) -> list[Any]:
    """Lower, upper, speed and effort of each of these joints, one after the other."""
    return [
        bound
        for limits in limits_of(encounter.chaser)
        for bound in (limits.lower, limits.upper, limits.speed, limits.effort)
    ]


def jolts_of(
    joints: Sequence[SingleJoint],
    known: np.ndarray,
    before: np.ndarray,
    after: np.ndarray,
    *,
    reactions: np.ndarray,
) -> np.ndarray:
    """What the impact that changes a joint's rate most did to it, as `JOLT`, (5, joints, cases).

    Args:
        known: the same before this impact, NaN where there was none.
        before, after: rates of the chaser (rates, cases), rad/s and m/s.
        reactions: impulses through the joints that move (N s, N m s), as records of impacts have
            them one after the other, (6 · joints that move, cases).
    """
    loads = reactions.reshape(len(reactions) // 6, 2, 3, reactions.shape[-1])
    rates, places = [one.rate for one in joints], [one.place for one in joints]
    jump = np.abs(after[rates] - before[rates])
    sizes = np.sqrt((loads[places] ** 2).sum(axis=2))
    found = np.stack([before[rates], after[rates], jump, sizes[:, 0], sizes[:, 1]])
    return np.where(jump <= known[2], known, found)


@dataclass(frozen=True)
class JointUses:
    """Joints beside their limits; arrays (joints, cases), NaN for what is not limited.

    Attributes:
        peaks: largest effort (N m or N) and rate, lowest and highest position, by name.
        limits: lower, upper, speed and effort of each, see `limit_numbers`, (4 · joints, cases).
    """

    peaks: Mapping[str, np.ndarray]
    limits: np.ndarray

    @property
    def _bounds(self) -> np.ndarray:
        return self.limits.reshape(len(self.limits) // 4, 4, self.limits.shape[-1])

    def limit(self, name: str) -> np.ndarray:
        """A limit by name: lower, upper, rate or effort; infinite where there is none."""
        bound = self._bounds[:, ("lower", "upper", "rate", "effort").index(name)]
        # A motor without an effort drives nothing, and is none that could be overloaded.
        return np.where(bound == 0.0, np.inf, bound) if name == "effort" else bound

    def share(self, name: str) -> np.ndarray:
        """The share of the limit of effort or rate that is used; NaN where there is none."""
        peak, limit = self.peaks[name], self.limit(name)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where((limit == 0.0) & (peak == 0.0), 0.0, peak / limit)
        return np.where(np.isfinite(limit), share, np.nan)

    @property
    def holds(self) -> np.ndarray:
        """Whether all limits are kept, (cases,): 1 or 0, NaN where a case has no numbers."""
        kept = [~(self.share(name) > 1.0 + ROUNDING) for name in ("effort", "rate")]
        lower, upper = self.limit("lower"), self.limit("upper")
        lowest, highest = self.peaks["lowest"], self.peaks["highest"]
        open_ended = ~(np.isfinite(lower) & np.isfinite(upper))
        with np.errstate(invalid="ignore"):
            half, middle = (upper - lower) / 2, (upper + lower) / 2
            used = np.maximum(highest - middle, middle - lowest)
            within = used <= (1.0 + ROUNDING) * half
            beyond = np.maximum(highest - upper, lower - lowest)
            kept.append(np.where(open_ended, ~(beyond > 0.0), within))
        whole = np.stack(kept).all(axis=(0, 1)).astype(float)
        return np.where(np.isnan(highest).any(axis=0), np.nan, whole)
