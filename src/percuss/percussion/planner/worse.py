"""What a plan makes worse: what is felt more of the planned impact than of the initial one."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from percuss.kinematics.frames import frame_pose
from percuss.percussion.planner.felt import FeltImpact
from percuss.percussion.planner.problem import ImpactProblem
from percuss.percussion.planner.settings import BASE, RATE, PlannerSettings

MORE = 1.1
"""Ratio of planned to initial from which something counts as worse: a tenth is what masses and
inertias of a robot are known to."""
FELT = 0.01
"""Share of the largest initial reaction below which an impulse counts as not felt; of a rate, of
that which would move the tool as fast as the points meet."""


@dataclass(frozen=True)
class Worse:
    """Something that is felt more after planning than before, in `unit`."""

    name: str
    unit: str
    before: float
    after: float
    counted: bool
    """Whether the weights count it: then it was traded for something else."""

    @property
    def factor(self) -> float:
        """How many times as large as before; infinite where there was nothing."""
        return self.after / self.before if self.before > 0.0 else math.inf

    @property
    def words(self) -> str:
        """Such as "base rate 86 times as large (0.00093 → 0.08 rad/s)"."""
        change = f"({self.before:.3g} → {self.after:.3g} {self.unit})"
        if self.factor > 1e6:
            return f"{self.name}, of which there was none {change}"
        return f"{self.name} {self.factor:.3g} times as large {change}"


def worse(
    problem: ImpactProblem, settings: PlannerSettings, before: FeltImpact, after: FeltImpact
) -> tuple[Worse, ...]:
    """Joints, the base's momentum and its rate, the worst first."""
    weights = settings.of_terms(problem.felt_by)
    found = [
        Worse(name=name, unit=unit, before=was, after=now, counted=weight > 0.0)
        for (name, unit, was, now, least), weight in zip(
            _compared(problem, before, after), weights, strict=True
        )
        if now > MORE * was and now > least
    ]
    return tuple(sorted(found, key=lambda one: -one.factor))


def worse_in_words(found: tuple[Worse, ...]) -> tuple[str, ...]:
    """A sentence on what was traded, and one on what the weights leave out."""
    said: list[str] = []
    traded = [one.words for one in found if one.counted]
    ignored = [one for one in found if not one.counted]
    if traded:
        said.append(f"worse than before, for the sake of the rest: {', '.join(traded)}")
    if ignored:
        names = ", ".join(dict.fromkeys(_weight_of(one.name) for one in ignored))
        said.append(
            f"worse than before, and not among the weights: "
            f"{', '.join(one.words for one in ignored)}; give {names} a weight if that matters"
        )
    return tuple(said)


_NAMES = {BASE: "base momentum", RATE: "base rate"}
"""What the terms besides the joints are called, by the names of their weights."""


def _weight_of(name: str) -> str:
    return next((key for key, said in _NAMES.items() if said == name), name)


def _compared(
    problem: ImpactProblem, before: FeltImpact, after: FeltImpact
) -> Iterator[tuple[str, str, float, float, float]]:
    """(name, unit, before, after, what is not felt) of every term, in the order of the weights."""
    largest = FELT * max([*before.joints.values(), before.base_momentum])
    for name in problem.felt_by:
        yield name, "N s", before.joints[name], after.joints[name], largest
    yield _NAMES[BASE], "N s", before.base_momentum, after.base_momentum, largest
    turning = FELT * before.relative_speed / _lever(problem)
    yield _NAMES[RATE], "rad/s", before.base_rate, after.base_rate, turning


def _lever(problem: ImpactProblem) -> float:
    """From the base's centre of mass to the tool (m), at the initial configuration."""
    contact = problem.contact
    chaser, q = contact.chaser, contact.chaser_coordinates
    base = frame_pose(chaser, q, chaser.base.name).act(chaser.base.com)
    tool = frame_pose(chaser, q, contact.tool).position
    return max(float(np.linalg.norm(np.array((tool - base).array(), float))), 1e-9)
