"""Random reachable choices: where descents start, and what the plan is compared with."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from percuss.model.joints import Revolute
from percuss.percussion.planner.cost import Cost
from percuss.percussion.planner.evaluation import Evaluation, Sizes
from percuss.percussion.planner.problem import Array, ImpactProblem

Flags = NDArray[np.bool_]
CLOSER = 0.999
"""Share of its closing speed that a bounce must keep: else a plan would avoid the impact."""
LEAST_ROOM = 1e-6
"""By which bodies may be too close (m): rounding of a descent."""
_REACHED = 1e-9
"""Distance (m) at which the tool is where it is to stay."""
_STEPS = 60
_TRIES = 12
"""Times that as many choices as wanted are drawn, where most are not allowed."""


@dataclass(frozen=True)
class Feasible:
    """Which choices are allowed: limits of joints, the contact kept, a bounce that closes."""

    problem: ImpactProblem
    evaluation: Evaluation
    kept: bool
    apart: bool = False
    """Whether bodies must not be inside each other."""

    @cached_property
    def bounds(self) -> tuple[Array, Array]:
        """Least and largest value of each entry of a choice."""
        e = self.problem
        lower, upper = (np.full(len(e.initial), sign * math.inf) for sign in (-1.0, 1.0))
        for k, joint in enumerate(e.joints):
            lower[k], upper[k] = float(joint.limits.lower), float(joint.limits.upper)
        lower[e.parts["contact"]], upper[e.parts["contact"]] = -self.extent, self.extent
        return lower, upper

    @cached_property
    def extent(self) -> float:
        """A length (m) that holds the target."""
        shapes = self.problem.contact.target.base.visuals
        sizes = [float(size) for visual in shapes for size in visual.size]
        grip = [float(x) for x in self.problem.contact.grip.placement.position]  # type: ignore[arg-type]
        return 1.5 * max([1e-3, *sizes, math.hypot(*grip)])

    @cached_property
    def goal(self) -> Array:
        """Where the tool is in the scenario (m, world)."""
        return self.evaluation.reach(self.problem.initial[:, None])[0][:, 0]

    @cached_property
    def least_closing(self) -> float | None:
        """The least closing speed of a bounce (m/s); None for other closures."""
        if self.problem.scenario.impact.closure != "bounce":
            return None
        e = self.problem
        own = self.evaluation.sizes(e.initial[:, None], e.no_errors[:, None]).closing[0]
        return CLOSER * float(own)

    def clipped(self, x: Array) -> Array:
        lower, upper = self.bounds
        return np.clip(x, lower[:, None], upper[:, None])

    def projected(self, x: Array) -> tuple[Array, Flags]:
        """Choices (entries, n) moved until the tool is where it is to be, and which got there."""
        x = self.clipped(x)
        if not self.kept:
            return x, np.ones(x.shape[1], bool)
        x = x.copy()
        going = np.arange(x.shape[1])
        for _ in range(_STEPS):
            place, by = self.evaluation.reach(x[:, going])
            miss = place - self.goal[:, None]
            far = np.linalg.norm(miss, axis=0) > 0.01 * _REACHED
            going, miss, by = going[far], miss[:, far], by[:, :, far]
            if not going.size:
                break
            rows = np.moveaxis(by, -1, 0)
            # Strong far away, vanishing at the goal, so that singular arms do not leap.
            soft = 1e-12 + 0.01 * np.sum(miss**2, axis=0)
            gram = rows @ np.swapaxes(rows, 1, 2) + soft[:, None, None] * np.eye(len(miss))
            step = np.swapaxes(rows, 1, 2) @ np.linalg.solve(gram, miss.T[..., None])
            length = np.maximum(1.0, np.linalg.norm(step[..., 0], axis=1))
            x[:, going] = self.clipped(x[:, going] - (step[..., 0] / length[:, None]).T)
        place, _ = self.evaluation.reach(x)
        return x, np.linalg.norm(place - self.goal[:, None], axis=0) < _REACHED

    def closes(self, sizes: Sizes) -> Flags:
        """Which choices lead to an impact."""
        if self.least_closing is None:
            return np.ones(sizes.closing.shape, bool)
        return sizes.closing >= self.least_closing

    def clear(self, x: Array) -> Flags:
        """Which choices (entries, n) keep the bodies apart."""
        if not self.apart or not x.shape[1]:
            return np.ones(x.shape[1], bool)
        return self.evaluation.rooms(x).min(axis=0) >= -LEAST_ROOM

    def drawn(self, count: int, rng: np.random.Generator) -> Array:
        """Choices (entries, n ≤ count) anywhere within the limits that are reachable."""
        e = self.problem
        x = np.repeat(e.initial[:, None], count, axis=1)
        lower, upper = self.bounds
        for k, joint in enumerate(e.joints):
            low, high = lower[k], upper[k]
            if isinstance(joint.motion, Revolute) and not math.isfinite(high - low):
                middle = min(max(e.initial[k], low + math.pi), high - math.pi)
                low, high = middle - math.pi, middle + math.pi
            x[k] = rng.uniform(low, high, count)
        if "contact" in e.free:
            ray = rng.normal(size=(e.size, count))
            x[e.parts["contact"]] = 0.9 * self.extent * ray / np.linalg.norm(ray, axis=0)
        if "approach" in e.free:
            turn = rng.normal(size=(e.turns, count))
            # Of a ball of radius π: every attitude, though not all equally often.
            size = math.pi * rng.uniform(0.0, 1.0, count) ** (1.0 / e.turns)
            x[e.parts["approach"]] = turn / np.linalg.norm(turn, axis=0) * size
        x, reached = self.projected(x)
        return x[:, reached]


@dataclass(frozen=True)
class PostureSample:
    """Random reachable choices (entries, n) and their costs (n,) in N s."""

    x: Array
    costs: Array

    def __repr__(self) -> str:
        return f"<Sample of {self.costs.size} configurations>"

    def share_below(self, cost: float) -> float:
        """The share of random reachable choices that are better."""
        return float(np.mean(self.costs < cost)) if self.costs.size else math.nan

    def starts(self, count: int, scale: Array) -> Array:
        """Choices to start from (entries, ≤ count): good ones that are apart from each other."""
        order = np.argsort(self.costs, kind="stable")[: 50 * count]
        if not order.size:
            return self.x[:, :0]
        points = (self.x / scale[:, None])[:, order]
        chosen = [0]
        apart = np.linalg.norm(points - points[:, :1], axis=0)
        while len(chosen) < min(count, order.size):
            # Half of them the best that are not yet near to a chosen one, half the loneliest.
            lonely = apart > 0.5
            best = int(np.argmax(lonely)) if lonely.any() and len(chosen) % 2 else -1
            best = best if best >= 0 else int(np.argmax(apart))
            if apart[best] <= 1e-9:
                break
            chosen.append(best)
            apart = np.minimum(apart, np.linalg.norm(points - points[:, best : best + 1], axis=0))
        return self.x[:, order[chosen]]


def sample(
    feasible: Feasible, cost: Cost, errors: Array, count: int, *, seed: int
) -> PostureSample:
    """Random reachable choices with their costs."""
    rng = np.random.default_rng([seed, 0])
    choices, costs, found = [], [], 0
    for _ in range(_TRIES):
        x = feasible.drawn(count, rng)
        x = x[:, feasible.clear(x)]
        if not x.size:
            continue
        sizes = feasible.evaluation.sizes(x, errors)
        good = feasible.closes(sizes)
        choices.append(x[:, good])
        costs.append(cost.of(sizes.squares[..., good]))
        found += int(good.sum())
        if found >= count:
            break
    if not choices:
        return PostureSample(np.zeros((len(feasible.problem.initial), 0)), np.zeros(0))
    x, each = np.concatenate(choices, axis=1), np.concatenate(costs)
    return PostureSample(x[:, :count], each[:count])
