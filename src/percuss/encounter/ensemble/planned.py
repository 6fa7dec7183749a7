"""Plans of base and joints for chasers, tools and contact points as cases know them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import percuss.kernel as kernel
from percuss.algebra.scalars import is_traced
from percuss.control.guidance.meeting_frames import MeetingFrames
from percuss.control.guidance.plans_of_many import PlansOfMany
from percuss.encounter.approach import Approach, ApproachTask
from percuss.encounter.ensemble.machine import Machine
from percuss.encounter.ensemble.parametrised import numbers_that
from percuss.encounter.ensemble.template import NUMBERS, Parameters, Template
from percuss.encounter.laws.meeting_plans import grip_of, inward_of, rendezvous
from percuss.kernel.duals import with_differences


@dataclass(frozen=True)
class Planned:
    """Where base and joints of cases are to be when they meet their targets."""

    template: Template
    machine: Machine

    def __call__(
        self,
        start: np.ndarray,
        then: tuple[np.ndarray, np.ndarray],
        closing: np.ndarray,
        p: Parameters,
    ) -> np.ndarray:
        """Coordinates and rates of the chasers (nq + nv, cases); NaN where there is no plan.

        From their coordinates at the start, coordinates and rates of the targets then, closing
        speeds (cases,) in m/s, and the inputs of the cases.
        """
        numbers = p.get(NUMBERS, np.zeros((1, start.shape[1])))
        return with_differences(self._planned, start, *then, closing, numbers)

    def _planned(self, *arguments: np.ndarray) -> np.ndarray:
        """The plans of cases, from the arguments of a call one after the other."""
        start, q, v, closing, p = arguments
        plans = self._plans(start, (q, v), closing, p)
        return np.where(plans.found, np.concatenate([plans.coordinates, plans.rates]), np.nan)

    @cached_property
    def _plans(self) -> PlansOfMany:
        nominal, machine = self.template.nominal, self.machine
        return PlansOfMany(
            nominal=rendezvous(
                ApproachTask(self._approach, self.template.before, nominal.orbit), compiled=True
            ),
            frames_of=self._frames_of,
            count=len(self.template.like.get(NUMBERS, np.zeros(1))),
            arms_differ=self._arms_differ(),
            compiled=machine.compiled,
            threads=machine.threads,
        )

    @property
    def _approach(self) -> Approach:
        assert self.template.nominal.approach is not None
        return self.template.nominal.approach

    def _frames_of(self, numbers: Any) -> MeetingFrames:
        """What meets in a case, from its inputs."""
        assembly = self.template.believed_assembly({NUMBERS: numbers})
        assert assembly.target is not None
        inward = inward_of(self._approach, assembly)
        return MeetingFrames.of(
            assembly.chaser,
            assembly.tool,
            assembly.target,
            grip_of(assembly),
            approach_direction=inward,
        )

    def _arms_differ(self) -> bool:
        """Whether cases differ in what is known of the chaser and its tool."""
        if not self.template.known:
            return False
        differs: list[bool] = []

        def look(p: Parameters) -> Any:
            known = self.template.believed(p)
            numbers = numbers_that((known.chaser, known.tool), is_traced)
            differs.append(any(True for _ in numbers))
            return p

        kernel.compile(look, self.template.like, backend="numpy")
        return any(differs)
