"""What a plan asks of motors and joints, against what the model allows them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from percuss.control.guidance.arrival import arriving
from percuss.control.guidance.plan import Plan
from percuss.dynamics.inverse import inverse_dynamics
from percuss.model.errors import ModelError
from percuss.model.joints import Free, Planar
from percuss.model.systems import Node, System

Array = NDArray[np.float64]

_ROUNDING = 1e-9
"""How far beyond a limit (rad, m) a joint may be."""


@dataclass(frozen=True)
class Need:
    """The most that a plan asks of one rate, and its limit (infinite where there is none)."""

    name: str
    what: str
    """"rate", "effort" or "position"."""
    most: float
    """Largest magnitude; of a position the one furthest beyond a limit."""
    limit: float
    time: float
    """When it is needed (s)."""
    unit: str

    @property
    def share(self) -> float:
        """The share of the limit that is needed: above 1 it is too much; 0 without a limit."""
        if math.isinf(self.limit):
            return 0.0
        return abs(self.most) / self.limit if self.limit else math.inf

    @property
    def words(self) -> str:
        """Such as "elbow: effort 12 N m of 60 N m (20 %) at 3 s"."""
        amount = f"{self.name}: {self.what} {self.most:.4g} {self.unit}"
        if self.what == "position":
            return f"{amount} at {self.time:.4g} s, beyond its limit {self.limit:.4g} {self.unit}"
        if math.isinf(self.limit):
            return f"{amount} at {self.time:.4g} s, no limit given"
        return (
            f"{amount} of {self.limit:.4g} {self.unit} ({100 * self.share:.3g} %) "
            f"at {self.time:.4g} s"
        )


@dataclass(frozen=True)
class Needs:
    """What a plan needs from the start of its motion to the meeting."""

    rates: tuple[Need, ...]
    """Of the joints."""
    efforts: tuple[Need, ...]
    """Of the joints' motors."""
    outside: tuple[Need, ...]
    """Joints that leave their range on the way."""
    thrust: float
    """Largest force on the base (N); 0 for a fixed one."""
    torque: float
    """Largest torque on the base (N m); 0 for a fixed one."""

    @property
    def too_much(self) -> tuple[Need, ...]:
        """Everything beyond a limit."""
        return (*(n for n in (*self.rates, *self.efforts) if n.share > 1), *self.outside)

    @property
    def is_within(self) -> bool:
        """Whether the model's limits allow the plan."""
        return not self.too_much

    @property
    def hardest_rate(self) -> Need:
        """The joint rate with the largest share of its limit, or simply the largest."""
        return _hardest(self.rates)

    @property
    def hardest_effort(self) -> Need:
        """The motor effort with the largest share of its limit, or simply the largest."""
        return _hardest(self.efforts)

    @property
    def sentences(self) -> tuple[str, ...]:
        """Sentences on the largest rate and effort, and on whatever is too much."""
        said = [
            f"Largest rate, {self.hardest_rate.words}.",
            f"Largest effort, {self.hardest_effort.words}.",
        ]
        if self.thrust or self.torque:
            said.append(f"The base takes up to {self.thrust:.4g} N and {self.torque:.4g} N m.")
        if self.is_within:
            return (*said, "The plan is within the limits of the model.")
        return (*said, *(f"Too much: {need.words}." for need in self.too_much))

    def __str__(self) -> str:
        return "\n".join(self.sentences)


def plan_needs(plan: Plan, samples: int = 201) -> Needs:
    """The largest rates and efforts that following the plan exactly takes, of `samples` times.

    Between `go` and `at`, with the target not yet touched: τ = M(q) v̇ + h(q, v) along the goal.
    What corrects errors comes on top.
    """
    return needs_of_each([plan], samples)[0]


def needs_of_each(plans: Sequence[Plan], samples: int = 201) -> list[Needs]:
    """What several plans of one chaser need that leaves from one place, all found together."""
    if isinstance(samples, bool) or not isinstance(samples, int) or samples < 2:
        raise ModelError(f"samples must be a whole number ≥ 2, got {samples!r}")
    if not plans:
        return []
    chaser, start = plans[0].chaser, plans[0].start
    times = np.linspace([plan.go for plan in plans], [plan.at for plan in plans], samples)

    def at_all(parts: Iterable[Any]) -> Array:
        """What each plan has, at all of its times: (entries, samples · plans)."""
        return np.tile(np.stack([np.asarray(part, float) for part in parts], axis=-1), samples)

    go, at = (at_all(part) for part in ([p.go for p in plans], [p.at for p in plans]))
    ends = at_all(plan.coordinates for plan in plans), at_all(plan.rates for plan in plans)
    found = arriving(chaser, start, *ends, go=go, at=at)(times.ravel())
    count = samples * len(plans)
    q, v, a = (np.broadcast_to(np.asarray(x, float).T, (count, len(x))).T for x in found)
    tau = np.asarray(inverse_dynamics(chaser, q, v, a), float)
    q, v, tau = (x.reshape(len(x), samples, len(plans)) for x in (q, v, tau))
    return [
        _needs(chaser, q[..., k], v[..., k], tau[..., k], times=times[:, k])
        for k in range(len(plans))
    ]


def _needs(chaser: System, q: Array, v: Array, tau: Array, *, times: Array) -> Needs:
    """What a motion needs, from coordinates, rates and forces, each (entries, times)."""
    base = _base_rates(chaser)
    rates: list[Need] = []
    efforts: list[Need] = []
    outside: list[Need] = []
    for node in chaser.independent:
        limits = node.limits
        for k in range(node.rates.start, node.rates.stop):
            if k in base:
                continue
            name, unit = chaser.rate_names[k], chaser.rate_units[k]
            rates.append(_need(name, "rate", v[k], limits.speed, times=times, unit=unit))
            effort = "N" if unit == "m/s" else "N m"
            efforts.append(_need(name, "effort", tau[k], limits.effort, times=times, unit=effort))
        if node.joint.motion.coordinate_count == 1:
            outside += _outside(node, q[node.coordinates.start], times)
    pushes = [k for k in base if chaser.rate_units[k] == "m/s"]
    turns = [k for k in base if chaser.rate_units[k] != "m/s"]
    thrust, torque = (float(np.linalg.norm(tau[part], axis=0).max()) for part in (pushes, turns))
    return Needs(
        rates=tuple(rates),
        efforts=tuple(efforts),
        outside=tuple(outside),
        thrust=thrust,
        torque=torque,
    )


def _base_rates(chaser: System) -> range:
    joint = chaser.base_joint
    if not isinstance(joint.motion, (Free, Planar)):
        return range(0)
    rates = chaser.node(joint.child).rates
    return range(rates.start, rates.stop)


def _need(name: str, what: str, values: Array, limit: float, *, times: Array, unit: str) -> Need:
    at = int(np.argmax(np.abs(values)))
    return Need(
        name=name,
        what=what,
        most=float(abs(values[at])),
        limit=float(limit),
        time=float(times[at]),
        unit=unit,
    )


def _outside(node: Node, values: Array, times: Array) -> list[Need]:
    limits = node.limits
    unit = "rad" if node.joint.motion.rate_units == ("rad/s",) else "m"
    beyond = np.maximum(values - limits.upper, limits.lower - values)
    at = int(np.argmax(beyond))
    if beyond[at] <= _ROUNDING:
        return []
    limit = limits.upper if values[at] > limits.upper else limits.lower
    most, time = float(values[at]), float(times[at])
    return [
        Need(
            name=node.joint.name,
            what="position",
            most=most,
            limit=float(limit),
            time=time,
            unit=unit,
        )
    ]


def _hardest(needs: tuple[Need, ...]) -> Need:
    return max(needs, key=lambda need: (need.share, need.most))
