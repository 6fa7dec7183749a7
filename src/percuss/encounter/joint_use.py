"""How far each joint was used: motor effort, rate and position against its limits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from percuss.model.systems import Limits

if TYPE_CHECKING:
    from percuss.algebra.motions import Force
    from percuss.encounter.phase import ImpactEvent, Phase

_ROUNDING = 1e-9
"""Share of a limit by which a value may exceed it and still count as at the limit."""


@dataclass(frozen=True)
class Use:
    """A quantity of a joint beside its limit, both sizes in `unit`."""

    quantity: str
    value: float
    limit: float
    unit: str

    @property
    def share(self) -> float:
        """The share of the limit that is used, 1 at the limit; 0 where there is none."""
        if math.isinf(self.limit):
            return 0.0
        return self.value / self.limit if self.limit else math.inf if self.value else 0.0

    @property
    def holds(self) -> bool:
        """Whether the limit is kept."""
        return self.share <= 1.0 + _ROUNDING


@dataclass(frozen=True)
class Jolt:
    """What an impact does to a joint: its rate before and after, and the reaction through it.

    Rates in rad/s or m/s; `force` (N s) and `moment` (N m s) are the sizes of the impulse on
    the outboard link. A free joint passes on no moment about its own axis.
    """

    before: float
    after: float
    force: float
    moment: float

    @property
    def jump(self) -> float:
        """Size of the change of the rate."""
        return abs(self.after - self.before)


@dataclass(frozen=True)
class JointUse:
    """A joint over a whole run: extreme positions, fastest rate, largest motor effort.

    `limits` are those of the joint and of what follows it; `unit` is that of its position, rad
    or m. `jolt` is of the impact that changes its rate
    most, None without an impact.
    """

    name: str
    limits: Limits
    unit: str
    lowest: float
    highest: float
    fastest: float
    effort: float
    jolt: Jolt | None

    @property
    def is_limited(self) -> bool:
        """Whether any limit of the joint is finite; an undriven joint's effort does not count."""
        limits = self.limits
        bounds = (limits.lower, limits.upper, limits.speed, limits.effort or math.inf)
        return any(math.isfinite(bound) for bound in bounds)

    @property
    def effort_unit(self) -> str:
        """N m or N."""
        return "N m" if self.unit == "rad" else "N"

    @cached_property
    def uses(self) -> tuple[Use, ...]:
        """Effort, rate and position, each against its limit."""
        limits = self.limits
        effort = limits.effort if limits.effort else math.inf
        return (
            Use("torque" if self.unit == "rad" else "force", self.effort, effort, self.effort_unit),
            Use("rate", self.fastest, limits.speed, f"{self.unit}/s"),
            self._position,
        )

    @property
    def _position(self) -> Use:
        """The end of the range that is used most, counted from the middle of the range.

        A range with one end counts from zero.
        """
        limits = self.limits
        if math.isfinite(limits.lower) and math.isfinite(limits.upper):
            middle, half = (limits.lower + limits.upper) / 2, (limits.upper - limits.lower) / 2
            return Use(
                "position", max(self.highest - middle, middle - self.lowest), half, self.unit
            )
        beyond = max(self.highest - limits.upper, limits.lower - self.lowest)
        limit = 0.0 if beyond > 0.0 else math.inf
        return Use("position", max(beyond, 0.0), limit, self.unit)

    @property
    def is_outside(self) -> bool:
        """Whether the joint left its range."""
        limits = self.limits
        return self.lowest < limits.lower or self.highest > limits.upper

    @property
    def worst_position(self) -> float:
        """The extreme position that lies closest to an end of the range, or farthest beyond."""
        limits = self.limits
        below, above = limits.lower - self.lowest, self.highest - limits.upper
        return self.lowest if below > above else self.highest


def joint_uses(
    phases: Sequence[Phase], impacts: Sequence[ImpactEvent] = ()
) -> tuple[JointUse, ...]:
    """Every joint of the chaser that turns or slides about one axis, over all phases."""
    chaser = phases[0].observation.assembly.chaser
    found: list[JointUse] = []
    for joint in chaser.movable_joints:
        if joint.motion.rate_count != 1:
            continue
        node = chaser.node(joint.child)
        coordinate, rate = node.coordinates.start, node.rates.start
        positions = np.concatenate([phase.observation.q[coordinate] for phase in phases])
        rates = np.concatenate([phase.observation.v[rate] for phase in phases])
        efforts = np.concatenate([phase.observation.motion.commands[rate] for phase in phases])
        found.append(
            JointUse(
                name=joint.name,
                limits=node.limits,
                unit=joint.motion.rate_units[0].removesuffix("/s"),
                lowest=float(positions.min()),
                highest=float(positions.max()),
                fastest=float(np.abs(rates).max()),
                effort=float(np.abs(efforts).max()),
                jolt=_jolt(joint.name, rate, impacts),
            )
        )
    return tuple(found)


def _jolt(joint: str, rate: int, impacts: Sequence[ImpactEvent]) -> Jolt | None:
    jolts = [
        Jolt(
            float(np.asarray(event.contact.chaser_rates, float)[rate]),
            float(np.asarray(event.impact.chaser_rates, float)[rate]),
            _size(event.impact.joint_reactions[joint], "linear"),
            _size(event.impact.joint_reactions[joint], "angular"),
        )
        for event in impacts
    ]
    return max(jolts, key=lambda jolt: jolt.jump, default=None)


def _size(load: Force, part: str) -> float:
    return float(np.linalg.norm(np.asarray(getattr(load, part).array(), float)))


def limit_verdict(uses: Sequence[JointUse]) -> str:
    """Whether the limits hold, in words: "holds …" or "exceeds: …", the worst three first."""
    beyond: list[tuple[float, str]] = []
    closest: tuple[float, str] = (0.0, "")
    for joint in uses:
        for use in joint.uses:
            if not use.holds:
                beyond.append((use.share, f"{joint.name} {_against(joint, use)}"))
            elif use.quantity != "position" and use.share > closest[0]:
                closest = (use.share, f"{joint.name} {use.quantity}")
    if not beyond:
        share, name = closest
        if not name:
            return "holds"
        at = "at its limit" if share >= 1.0 - _ROUNDING else f"at {100 * share:.3g} % of its limit"
        return f"holds; closest is {name}, {at}"
    beyond.sort(key=lambda pair: -pair[0])
    more = f"; and {len(beyond) - 3} more" if len(beyond) > 3 else ""
    return f"exceeds: {'; '.join(text for _, text in beyond[:3])}{more}"


def _against(joint: JointUse, use: Use) -> str:
    """The value of a limit that does not hold, and the limit."""
    if use.quantity != "position":
        return f"{use.quantity} {use.value:.3g} {use.unit} of {use.limit:.3g} {use.unit}"
    limits = joint.limits
    allowed = f"{limits.lower:.4g} to {limits.upper:.4g} {joint.unit}"
    return f"position {joint.worst_position:.4g} {joint.unit} ({allowed})"
