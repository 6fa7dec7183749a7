"""The compiled parts of an encounter: each kind of stretch and each kind of impact, once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from percuss.algebra.scalars import pack
from percuss.algebra.vectors import Vector3
from percuss.impact.surfaces import HalfSpace, Surface
from percuss.scenario import Scenario, ScenarioError
from percuss.simulate.approaching import Approaching, approaching
from percuss.simulate.ensemble_flow import Flow
from percuss.simulate.ensemble_foresight import Foresight, Parameters, goal_from, goal_numbers
from percuss.simulate.ensemble_impacts import Bounce, Grasp
from percuss.simulate.ensemble_machine import Machine
from percuss.simulate.equations import Equations
from percuss.simulate.stage import Stage, stage_before
from percuss.simulate.steering import law_of, wheel_use
from percuss.simulate.touching import contact_at, outward_at, shape_of, touches, within
from percuss.simulate.watching import Signal


@dataclass(frozen=True)
class Programs:
    """What an ensemble has compiled, made when it is first needed."""

    scenario: Scenario
    machine: Machine

    @cached_property
    def before(self) -> Stage:
        """Chaser and target side by side, as the scenario has them."""
        return stage_before(self.scenario.start)

    @cached_property
    def foresight(self) -> Foresight:
        return Foresight(self.scenario, self.before, self.machine)

    # --- before the contact ------------------------------------------------------------------

    @cached_property
    def before_like(self) -> Parameters:
        """Parameters of the approach, of the scenario's own start."""
        q, v = self.before.coordinates[:, None], self.before.rates[:, None]
        return _first(self.foresight.numbers(q, v))

    def laws(self, p: Parameters) -> tuple[Stage, Approaching]:
        """The laws before the contact of a case."""
        stage = self.foresight.begun(p)
        return stage, approaching(self.scenario, stage, self.foresight.foreseen(p, stage))

    @cached_property
    def one_clock(self) -> bool:
        """Whether one law with the clock of the run does both, waiting and coming."""
        return self.laws(self.before_like)[1].one_clock

    @cached_property
    def waiting(self) -> Flow:
        """While the target is observed."""
        return self.coming if self.one_clock else self._approaching("waiting")

    @cached_property
    def coming(self) -> Flow:
        """The approach."""
        return self._approaching("coming")

    def _approaching(self, which: str) -> Flow:
        return Flow(self.machine, self._driven_before(which), self.before_like, self._meeting)

    def _driven_before(self, which: str) -> Callable[[Parameters], Equations]:
        approach = self.scenario.approach
        assert approach is not None
        wheels = wheel_use(approach.control)

        def make(p: Parameters) -> Equations:
            stage, laws = self.laws(p)
            return Equations(stage, getattr(laws, which), None, wheels)

        return make

    def _meeting(self, p: Parameters, equations: Equations) -> Signal:
        """What the contact is."""
        del p
        approach, stage = self.scenario.approach, equations.stage
        assert approach is not None
        if approach.contact == "point":
            assert approach.capture_radius is not None
            return within(stage, approach.capture_radius)
        assert stage.target is not None
        surface = shape_of(stage.target)
        assert surface is not None
        return touches(stage, surface)

    # --- after it ----------------------------------------------------------------------------

    def grasp(self, closure: str) -> Grasp:
        return self._kept(("grasp", closure), lambda: Grasp(self.machine, self.before, closure))

    def held(self, closure: str) -> Flow:
        """The motion with the target in the hand."""
        return self._kept(("held", closure), lambda: self._held(closure))

    def _held(self, closure: str) -> Flow:
        grasp, control = self.grasp(closure), self.scenario.control

        def make(p: Parameters) -> Equations:
            stage = grasp.stage(p)
            law = law_of(self.scenario, stage, goal_from(control, stage, p))
            return Equations(stage, law, None, wheel_use(control))

        own = self.before.chaser.coordinate_count
        q = grasp.like["held"][:own, None]
        return Flow(self.machine, make, grasp.like | _first(goal_numbers(control, self.before, q)))

    def after_parameters(self, q: np.ndarray) -> Parameters:
        """Of the law after the contact, from the chasers' coordinates (entries, cases) then."""
        return goal_numbers(self.scenario.control, self.before, q)

    def _kept(self, key: tuple[Any, ...], make: Callable[[], Any]) -> Any:
        if key not in self._parts:
            self._parts[key] = make()
        return self._parts[key]

    @cached_property
    def _parts(self) -> dict[tuple[Any, ...], Any]:
        return {}


def _first(p: Parameters) -> Parameters:
    return {name: value[:, 0] for name, value in p.items()}
