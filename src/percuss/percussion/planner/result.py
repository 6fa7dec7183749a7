"""What a plan found: numbers before and after, its place, its proof."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from percuss.encounter.errors import shown
from percuss.percussion.planner.felt import FeltImpact
from percuss.percussion.planner.planned import scenario_text, settings_of
from percuss.percussion.planner.problem import Array, ImpactProblem
from percuss.percussion.planner.screening import PostureSample
from percuss.percussion.planner.settings import PlannerSettings
from percuss.percussion.planner.uncertainty import MANY
from percuss.percussion.planner.worse import Worse, worse, worse_in_words
from percuss.scenario import Scenario

QUANTILES = (0.0, 0.001, 0.01, 0.1, 0.5, 0.9, 1.0)


@dataclass(frozen=True)
class PostureSearch:
    """How the plan was found, and what that says about it.

    `starts` descents led to `distinct` optima, `agreeing` of them to the best one's cost (1e-6);
    `stationarity` is the scaled gradient left at the plan (see `Optimum`); `passed_over` counts
    better optima in which target and chaser overlap.
    """

    starts: int
    distinct: int
    agreeing: int
    stationarity: float
    evaluations: int
    passed_over: int
    judged: float | None
    """The objective over thousands of errors not planned with (N s); None without errors."""


@dataclass(frozen=True)
class Verification:
    """The planned scenario simulated: its impact against the plan's prediction.

    `difference`: the largest, relative to the largest reaction impulse of the run.
    """

    joints: Mapping[str, float]
    base_momentum: float
    base_rate: float
    difference: float


@dataclass(frozen=True)
class PercussionPlan:
    """A configuration that feels less of the impact, and everything to judge it by."""

    problem: ImpactProblem
    planner_settings: PlannerSettings
    x: Array
    scenario: Scenario
    """Planned: ready to run."""
    before: FeltImpact
    after: FeltImpact
    sample: PostureSample
    search: PostureSearch
    verification: Verification
    warnings: tuple[str, ...]
    comment: str

    def __repr__(self) -> str:
        cost = f"{self.before.cost:.4g} → {self.after.cost:.4g} N s"
        return f"<Plan of {shown(self.scenario.name)}: {self.planner_settings.objective} {cost}>"

    @property
    def improvement(self) -> float:
        """Share of the initial cost that is gone."""
        return 1.0 - self.after.cost / self.before.cost if self.before.cost else 0.0

    @property
    def place(self) -> float:
        """Share of random reachable configurations that are better."""
        return self.sample.share_below(self.after.cost)

    @cached_property
    def worse(self) -> tuple[Worse, ...]:
        """What is felt more than of the initial configuration, the worst first."""
        return worse(self.problem, self.planner_settings, self.before, self.after)

    @property
    def settings(self) -> dict[str, Any]:
        """What the plan changed in the scenario."""
        return settings_of(self.problem, self.x)

    @property
    def text(self) -> str:
        """The planned scenario as YAML."""
        return scenario_text(self.scenario, self.comment)

    def summary(self) -> dict[str, Any]:
        """Plain data."""
        asked, search, proof = self.planner_settings, self.search, self.verification
        costs = self.sample.costs
        return {
            "name": self.scenario.name,
            "closure": self.scenario.impact.closure,
            "wishes": {
                "weights": dict(asked.weights),
                "objective": asked.objective,
                "length": asked.length if np.isfinite(asked.length) else None,
                "keep": asked.keep,
                "free": list(asked.free),
                "tolerance": dict(asked.tolerance),
                "over": asked.over if asked.is_robust else None,
                "overlap": asked.overlap,
                "starts": asked.starts,
                "samples": asked.samples,
                "seed": asked.seed,
            },
            "plan": self.settings,
            "before": self.before.plain(),
            "after": self.after.plain(),
            "improvement": self.improvement,
            "worse": [
                {
                    "name": one.name,
                    "unit": one.unit,
                    "before": one.before,
                    "after": one.after,
                    "factor": one.factor if np.isfinite(one.factor) else None,
                    "counted": one.counted,
                }
                for one in self.worse
            ],
            "random": {
                "count": int(costs.size),
                "quantiles": {f"{share:g}": float(np.quantile(costs, share)) for share in QUANTILES}
                if costs.size
                else {},
                "share_better": self.place if costs.size else None,
                "initial_share_better": self.sample.share_below(self.before.cost)
                if costs.size
                else None,
            },
            "search": {
                "starts": search.starts,
                "distinct_optima": search.distinct,
                "starts_agreeing": search.agreeing,
                "stationarity": search.stationarity,
                "evaluations": search.evaluations,
                "passed_over": search.passed_over,
                "judged_over_errors": search.judged,
            },
            "verification": {
                "joints": dict(proof.joints),
                "base_momentum": proof.base_momentum,
                "base_rate": proof.base_rate,
                "difference": proof.difference,
            },
            "warnings": list(self.warnings),
            "sentences": list(self.sentences),
        }

    @property
    def _gain(self) -> str:
        change = (
            f"{self.planner_settings.objective} {self.before.cost:.6g} → {self.after.cost:.6g} N s"
        )
        if self.improvement > 0.0:
            return f"{change} ({100 * self.improvement:.3g} % less)"
        if np.array_equal(self.x, self.problem.initial):
            return f"nothing better than the initial configuration ({self.before.cost:.6g} N s)"
        return (
            f"{change}: the initial configuration feels less, but is beyond limits or has bodies "
            "inside each other"
        )

    @property
    def sentences(self) -> tuple[str, ...]:
        """The plan in words, without promising what it cannot know."""
        search, sample = self.search, self.sample
        found = [
            self._gain,
            *worse_in_words(self.worse),
            f"the best found of {search.starts} starts, which led to {search.distinct} different "
            f"optima; {search.agreeing} of them found this cost; a better one elsewhere cannot be "
            "excluded",
            f"a local optimum: the scaled gradient that limits and constraints leave is "
            f"{search.stationarity:.1e}"
            if search.stationarity < STATIONARY
            else f"NOT shown to be a local optimum: a scaled gradient of "
            f"{search.stationarity:.1e} is left, as at an edge of the target or a singular arm",
        ]
        if sample.costs.size:
            better = int(np.sum(sample.costs < self.after.cost))
            found.append(
                f"of {sample.costs.size} random reachable configurations {better} are better; "
                f"their median is {float(np.median(sample.costs)):.6g} N s"
            )
        if search.judged is not None:
            found.append(
                f"{self.planner_settings.over} over {MANY} errors not planned with: "
                f"{search.judged:.6g} N s"
            )
        if search.passed_over:
            found.append(
                f"{search.passed_over} better optima were passed over because target and chaser "
                "are inside each other there"
            )
        found.append(
            "simulated: the run's reactions are the predicted ones within "
            f"{self.verification.difference:.1e}"
        )
        return tuple(found)


STATIONARY = 1e-4
"""Scaled gradient below which a choice counts as a local optimum."""
