"""Where the laws of many cases are to go, as numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import percuss.kernel as kernel
from percuss.algebra.arrays import Coordinates
from percuss.algebra.scalars import pack
from percuss.control import hold, rest_to_rest
from percuss.control.goals import Goal
from percuss.encounter.approach import Law
from percuss.encounter.assembly import Assembly
from percuss.encounter.encounter import Encounter
from percuss.encounter.ensemble.machine import Machine
from percuss.encounter.ensemble.template import Parameters, Template
from percuss.encounter.goals import MoveTo, PassThrough, Stay
from percuss.kernel.duals import array_of
from percuss.model.errors import ModelError


@dataclass(frozen=True)
class GoalsOfCases:
    """Where a law is to go, for chasers that begin in different places.

    Attributes:
        law: that of an encounter.
    """

    template: Template
    machine: Machine
    law: Callable[[Encounter], Law]

    def numbers(self, own: np.ndarray, p: Parameters) -> Parameters:
        """`goal`: its knots one after the other, for chasers at coordinates (own, cases)."""
        goal = self.law(self.template.nominal).goal
        if goal is None:
            return {}
        if isinstance(goal, Stay):
            # A goal of its own: where the cases are changes as they move on.
            return {"goal": own.copy()}
        if isinstance(goal, PassThrough):
            raise ModelError(
                "control.goal.times: a path through knots is not available for many cases, where "
                "each case would need a spline of its own; give one goal, with `within` a time"
            )
        inputs = {name: p[name] for name in self.template.like}
        return {"goal": array_of(self._knots(own, inputs))}

    @cached_property
    def _knots(self) -> kernel.Kernel:
        """(coordinates of the chaser, inputs) → knots, one after the other."""
        count = self.template.before.chaser.coordinate_count

        def knots(q: Coordinates, p: Parameters) -> Any:
            goal = self.law(self.template.truth(p)).goal
            assert goal is not None
            found = goal.points(self.template.believed_assembly(p).chaser, q).knots
            return pack([knot[k] for knot in found for k in range(count)])

        like = self.template.before.coordinates[:count]
        return self.machine.compiled(knots, like, self.template.like)


def goal_from(law: Law, assembly: Assembly, p: Parameters) -> Goal:
    """The goal of a case, from its parameters; a law that has none may stay where it is."""
    own = assembly.chaser.coordinate_count
    if law.goal is None:
        return hold(assembly.plant, assembly.coordinates[:own])
    knots = [p["goal"][k : k + own] for k in range(0, len(p["goal"]), own)]
    if len(knots) == 1:
        return hold(assembly.plant, knots[0])
    assert isinstance(law.goal, MoveTo)
    assert law.goal.within is not None
    return rest_to_rest(assembly.plant, knots[0], knots[1], law.goal.within)
