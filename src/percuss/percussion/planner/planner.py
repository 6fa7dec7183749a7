"""The planner: the arm configuration that feels least of an impact."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from percuss.encounter.failure import Progress
from percuss.encounter.overlap import overlaps
from percuss.model.errors import ModelError
from percuss.model.joints import Free, Planar
from percuss.percussion.planner.cost import Cost
from percuss.percussion.planner.descent import Optimum, PostureDescent
from percuss.percussion.planner.evaluation import Evaluation
from percuss.percussion.planner.felt import FeltImpact
from percuss.percussion.planner.optima import alike, distinct
from percuss.percussion.planner.planned import planned_scenario, unwound
from percuss.percussion.planner.problem import Array, ImpactProblem
from percuss.percussion.planner.result import PercussionPlan, PostureSearch
from percuss.percussion.planner.screening import Feasible, PostureSample, sample
from percuss.percussion.planner.settings import RATE, PlannerSettings
from percuss.percussion.planner.uncertainty import errors_for, more_errors
from percuss.percussion.planner.verifying import verified
from percuss.scenario import Scenario, ScenarioError
from percuss.scenario.advice import warnings
from percuss.scenario.code import refuse_code

_ROUNDS = 4
"""Most times that errors found to be worse are added and the plan is improved for them."""
_ADDED = 4
_GAIN = 1e-9
"""Share of the cost that a plan has to save to be worth moving for."""


def plan_percussion(
    scenario: Scenario,
    settings: PlannerSettings | None = None,
    *,
    progress: Progress | None = None,
    threads: int | None = None,
    allow_code: bool = False,
) -> PercussionPlan:
    """Find the arm configuration that feels least of a scenario's impact.

    Random reachable configurations are screened by the thousand; from the best that are apart
    from each other, and from the scenario's own, descents along compiled derivatives lead to
    local optima. The best is simulated and compared with its prediction. The same seed gives the
    same plan.

    Args:
        scenario: begins with its impact (no `approach`), closure pin, weld or bounce.
        settings: what to make small, what may change, what may be off.
        progress: is told the share done, 0…1.
        allow_code: whether a Python file that the scenario names (`law: python`) may run.
    """
    scenario = scenario.with_code_allowed() if allow_code else scenario
    refuse_code(scenario)
    settings = settings or PlannerSettings(seed=scenario.seed)
    planner = Planner(scenario, settings, progress or (lambda _: None), threads)
    return planner.plan()


class Planner:
    """One planning problem, its functions compiled once."""

    def __init__(
        self,
        scenario: Scenario,
        settings: PlannerSettings,
        progress: Progress = lambda _: None,
        threads: int | None = None,
    ) -> None:
        self.settings, self.progress = settings, progress
        self.problem = ImpactProblem(scenario, settings.free, settings.length)
        weights = settings.of_terms(self.problem.felt_by)
        self.cost = Cost(
            np.array(weights), settings.objective == "largest", settings.over == "worst"
        )
        self.evaluation = Evaluation(self.problem, threads)
        self.feasible = Feasible(
            self.problem, self.evaluation, settings.keep == "contact", settings.overlap == "avoid"
        )
        self.errors = errors_for(self.problem, settings)
        self._refuse_nothing_felt()

    # --- the search ---------------------------------------------------------------------------

    def plan(self) -> PercussionPlan:
        """The whole of it."""
        self.progress(0.02)
        found = self.sample(self.settings.samples, self.settings.seed)
        self.progress(0.1)
        reference = self._reference(found)
        starts = self._starts(found)
        optima = self._descents(starts, reference)
        chosen, passed_over = self._chosen(optima)
        agreeing = sum(alike(optimum.cost, chosen.cost) for optimum in optima)
        chosen = self._hardened(chosen, reference)
        # Compared over the same errors, those included that were added on the way.
        found = replace(found, costs=self.costs(found.x))
        before = self.felt(self.problem.initial)
        x = unwound(self.problem, chosen.x)
        after = self.felt(x)
        helped = after.cost < before.cost * (1.0 - _GAIN)
        if not helped and self._allowed(self.problem.initial):
            x, after = self.problem.initial, before
            chosen = self._descent(reference).judged(x, x)
        self.progress(0.9)
        scenario = planned_scenario(self.problem, x)
        proof = verified(self.problem, scenario, after)
        self.progress(1.0)
        search = PostureSearch(
            starts=starts.shape[1],
            distinct=len(distinct(self.problem, optima)),
            agreeing=agreeing,
            stationarity=chosen.stationarity,
            evaluations=sum(optimum.evaluations for optimum in optima),
            passed_over=passed_over,
            judged=self._judged(x),
        )
        return PercussionPlan(
            problem=self.problem,
            planner_settings=self.settings,
            x=x,
            scenario=scenario,
            before=before,
            after=after,
            sample=found,
            search=search,
            verification=proof,
            warnings=warnings(scenario),
            comment=self._comment(before, after, search),
        )

    def sample(self, count: int, seed: int) -> PostureSample:
        """Random reachable configurations with their costs (N s)."""
        return sample(self.feasible, self.cost, self.errors, count, seed=seed)

    def costs(self, x: Array) -> Array:
        """The objective (N s) of choices (entries, n)."""
        if not x.shape[1]:
            return np.zeros(0)
        return self.cost.of(self.evaluation.sizes(x, self.errors).squares)

    def felt(self, x: Array) -> FeltImpact:
        """What is felt of one choice, without errors and over them."""
        sizes = self.evaluation.sizes(x[:, None], self.errors)
        squares = sizes.squares[:, :, 0]
        single = np.sqrt(squares[:, 0])
        names = self.problem.felt_by
        contact = self.problem.meeting(x)
        relative = contact.grip_velocity.linear - contact.tool_velocity.linear
        return FeltImpact(
            joints=dict(zip(names, single[: len(names)].tolist(), strict=True)),
            base_momentum=float(single[-2]),
            base_rate=float(single[-1]),
            nominal=float(replace(self.cost, worst=True).of(squares[:, :1])),
            cost=float(self.cost.of(squares)),
            relative_speed=float(np.linalg.norm(np.array(relative.array(), float))),
        )

    def _starts(self, found: PostureSample) -> Array:
        """The scenario's own configuration, made possible, then screened ones."""
        own, reached = self.feasible.projected(self.problem.initial[:, None])
        scale = np.ones(len(self.problem.initial))
        for k, joint in enumerate(self.problem.joints):
            if joint.motion.kind == "prismatic":
                scale[k] = float(joint.limits.upper) - float(joint.limits.lower)
        scale[self.problem.parts["contact"]] = self.feasible.extent
        others = found.starts(max(0, self.settings.starts - int(reached[0])), scale)
        starts = np.concatenate([own[:, reached], others], axis=1)
        if not starts.size:
            raise ModelError(
                "no configuration within the joints' limits brings the tool to where it is to "
                "stay: keep: nothing, or other limits"
            )
        return starts

    def _descent(self, reference: float) -> PostureDescent:
        return PostureDescent(self.feasible, self.cost, self.errors, reference)

    def _descents(self, starts: Array, reference: float) -> list[Optimum]:
        descent = self._descent(reference)
        found = []
        for k, start in enumerate(starts.T):
            found.append(descent(np.ascontiguousarray(start)))
            self.progress(0.1 + 0.7 * (k + 1) / starts.shape[1])
        return sorted(found, key=lambda optimum: optimum.cost)

    def _chosen(self, optima: list[Optimum]) -> tuple[Optimum, int]:
        """The best one in which the bodies are apart, and how many better ones were not so."""
        for passed, optimum in enumerate(distinct(self.problem, optima)):
            if optimum.allowed and self._allowed(optimum.x):
                return optimum, passed
        raise ModelError(
            f"none of {len(optima)} descents led to a configuration in which target, base and arm "
            "are apart: overlap: allow plans without that, more starts may help"
        )

    def _allowed(self, x: Array) -> bool:
        """Whether a choice is within the limits and no bodies are inside each other."""
        lower, upper = self.feasible.bounds
        if np.any(x < lower) or np.any(x > upper):
            return False
        if self.settings.overlap == "allow":
            return True
        clear = bool(self.feasible.clear(x[:, None])[0])
        return clear and not overlaps(self.problem.meeting(x))

    def _hardened(self, optimum: Optimum, reference: float) -> Optimum:
        """Improved for errors that turn out to be worse than those planned with."""
        if not self.settings.is_robust or self.settings.over != "worst":
            return optimum
        others = more_errors(self.problem, self.settings, 1)
        for _ in range(_ROUNDS):
            each = self.cost.of(self._squares(optimum.x, others)[:, None, :])
            worse = np.argsort(-each)[:_ADDED]
            worse = worse[each[worse] > optimum.cost * (1.0 + 1e-4)]
            if not worse.size:
                break
            self.errors = np.concatenate([self.errors, others[:, worse]], axis=1)
            again = self._descent(reference)(optimum.x)
            if not self._allowed(again.x):
                break
            optimum = again
        return optimum

    def _judged(self, x: Array) -> float | None:
        """The objective over errors that no part of the search has seen."""
        if not self.settings.is_robust:
            return None
        return float(self.cost.of(self._squares(x, more_errors(self.problem, self.settings, 2))))

    def _squares(self, x: Array, errors: Array) -> Array:
        return self.evaluation.sizes(x[:, None], errors).squares[:, :, 0]

    # --- parts --------------------------------------------------------------------------------

    def _reference(self, found: PostureSample) -> float:
        """A typical cost (N s), by which costs are divided."""
        typical = float(np.median(found.costs)) if found.costs.size else 0.0
        return typical or float(self.costs(self.problem.initial[:, None])[0]) or 1.0

    def _refuse_nothing_felt(self) -> None:
        e = self.problem
        if e.scenario.impact.closure == "bounce" and not (self.feasible.least_closing or 0.0) > 0.0:
            raise ScenarioError(
                "impact: the points do not approach each other along the normal, so there is no "
                "bounce to plan for; check target.velocity and impact.normal"
            )
        only_rate = not np.any(self.cost.weights[:-1])
        if only_rate and not isinstance(e.contact.chaser.base_joint.motion, (Free, Planar)):
            raise ModelError(f"weights: {RATE!r} alone: the base is fixed and does not turn")

    def _comment(self, before: FeltImpact, after: FeltImpact, search: PostureSearch) -> str:
        weights = ", ".join(f"{name} {value:g}" for name, value in self.settings.weights.items())
        return (
            f"Planned by percuss cop plan for the least {self.settings.objective} of: {weights}.\n"
            f"{before.cost:.6g} N s before, {after.cost:.6g} N s after; "
            f"the best found of {search.starts} starts (seed {self.settings.seed})."
        )
