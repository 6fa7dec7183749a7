"""The compiled parts of an encounter: each kind of stretch and each kind of impact, once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import percuss.kernel as kernel
from percuss.algebra.vectors import Vector3
from percuss.dynamics.orbit import CircularOrbit
from percuss.encounter.actuation import wheel_use
from percuss.encounter.approach import Approach, Approaching, Way
from percuss.encounter.encounter import Encounter
from percuss.encounter.ensemble.flow import Flow
from percuss.encounter.ensemble.foresight import Foresight, Parameters, goal_from, goal_numbers
from percuss.encounter.ensemble.impacts import Grasp
from percuss.encounter.ensemble.machine import Machine
from percuss.encounter.ensemble.tuning import Tuning, gains_from
from percuss.encounter.equations import Equations
from percuss.encounter.loads import Load, Push
from percuss.encounter.phases import Hold, Thrust
from percuss.encounter.stabilisation import driven_groups
from percuss.encounter.stage import Stage, stage_before
from percuss.encounter.touching import distance_of, shape_of, touches, within
from percuss.encounter.watching import Signal

Loading = Callable[[Parameters, Stage], Load]
"""What acts at the tool of a case, from its parameters."""


@dataclass(frozen=True)
class Programs:
    """What an ensemble has compiled, made when it is first needed."""

    encounter: Encounter
    machine: Machine

    @cached_property
    def before(self) -> Stage:
        """Chaser and target side by side, as the encounter has them; for a pulse the chaser."""
        return stage_before(self.encounter.touched)

    @property
    def orbit(self) -> CircularOrbit | None:
        """In which all cases happen."""
        return self.encounter.orbit

    @cached_property
    def foresight(self) -> Foresight:
        return Foresight(self.encounter, self.before, self.machine)

    @cached_property
    def distance(self) -> kernel.Kernel:
        """q → from the tool to the contact point (m)."""
        stage, grip = self.before, self.before.grip
        assert grip is not None
        return self.machine.compiled(
            lambda q: distance_of(stage, grip, q).norm(), stage.coordinates
        )

    # --- before the contact ------------------------------------------------------------------

    @cached_property
    def before_like(self) -> Parameters:
        """Parameters of the approach as the encounter begins; an example, whose plan is to stay."""
        q, v = self.before.coordinates[:, None], self.before.rates[:, None]
        return _first(self.foresight.example(q, v))

    def laws(self, p: Parameters) -> tuple[Stage, Approaching]:
        """The laws before the contact of a case."""
        stage = self.foresight.begun(p)
        way = Way(self.approach, stage, self.orbit)
        return stage, self.approach.control.approaching(way, self.foresight.foreseen(p, stage))

    @property
    def approach(self) -> Approach:
        """The motion before the contact; there is one where this is asked for."""
        assert self.encounter.approach is not None
        return self.encounter.approach

    @cached_property
    def one_clock(self) -> bool:
        """Whether one law with the clock of the run does both, waiting and coming."""
        return self.laws(self.before_like)[1].one_clock

    @property
    def origin(self) -> float:
        """Zero of the clock of the law that comes, or flies on after a bounce (s)."""
        approach = self.encounter.approach
        return 0.0 if approach is None or self.one_clock else approach.observe

    @cached_property
    def waiting(self) -> Flow:
        """While the target is observed."""
        return self.coming if self.one_clock else self._approaching("waiting")

    @cached_property
    def coming(self) -> Flow:
        """The approach."""
        return self._approaching("coming")

    def _approaching(self, which: str) -> Flow:
        lasting, make = self.approach.timeout, self.driven_before(which)
        return Flow(self.machine, make, self.before_like, self._meeting, lasting=lasting)

    def driven_before(self, which: str) -> Callable[[Parameters], Equations]:
        law = self.approach.control
        wheels = wheel_use(law.limits, law.dump)

        def make(p: Parameters) -> Equations:
            stage, laws = self.laws(p)
            return Equations(stage, getattr(laws, which), None, wheels, self.orbit)

        return make

    def _meeting(self, p: Parameters, equations: Equations) -> Signal:
        """What the contact is."""
        del p
        radius, stage = self.approach.capture_radius, equations.stage
        if radius is not None:
            return within(stage, radius)
        assert stage.target is not None
        surface = shape_of(stage.target)
        assert surface is not None
        return touches(stage, surface)

    # --- after it ----------------------------------------------------------------------------

    def grasp(self, closure: Hold) -> Grasp:
        return self.kept(("grasp", closure), lambda: Grasp(self.machine, self.before, closure))

    def held(self, closure: Hold, *, settling: bool = False) -> Flow:
        """The motion with the target in the hand; with `settling` it is seen when it rests."""
        return self.kept(("held", closure, settling), lambda: self._held(closure, settling))

    def _held(self, closure: Hold, settling: bool) -> Flow:
        grasp, law = self.grasp(closure), self.encounter.control

        def make(p: Parameters) -> Equations:
            stage = grasp.stage(p)
            made = law.control_law(stage, goal_from(law, stage, p), gains_from(p))
            return Equations(stage, made, None, wheel_use(law.limits, law.dump), self.orbit)

        one = {name: value[:, None] for name, value in grasp.like.items()}
        like = _first(self.held_parameters(closure, one))
        if settling:
            like["bounds"] = np.ones(len(driven_groups(self.before)))
        lasting = self.encounter.duration
        return Flow(self.machine, make, like, settling=settling, lasting=lasting)

    def held_parameters(self, closure: Hold, p: Parameters) -> Parameters:
        """Of the motion after a grasp, from how the targets are held then."""
        grasp, law = self.grasp(closure), self.encounter.control
        tuning = self.kept(
            ("tuning", closure),
            lambda: Tuning(law, self.machine, grasp.stage, grasp.like),
        )
        own = self.before.chaser.coordinate_count
        return p | goal_numbers(law, self.before, p["held"][:own]) | tuning.numbers(p)

    def begun(self, q: np.ndarray, v: np.ndarray) -> Parameters:
        """Of the motion side by side after a contact, from states (entries, cases) then."""
        own, law = self.before.chaser.coordinate_count, self.encounter.control
        p = {"start": np.concatenate([q, v])} | goal_numbers(law, self.before, q[:own])
        like = {"start": np.concatenate([self.before.coordinates, self.before.rates])}
        tuning = self.kept(
            ("tuning", "apart"),
            lambda: Tuning(law, self.machine, self._apart_stage, like),
        )
        return p | tuning.numbers(p)

    def _apart_stage(self, p: Parameters) -> Stage:
        """Side by side, as a case begins after a contact."""
        count = self.before.plant.coordinate_count
        return self.before.starting_at(p["start"][:count], p["start"][count:])

    @cached_property
    def apart_like(self) -> Parameters:
        """Parameters of the motion side by side after a contact."""
        stage = self.before
        return _first(self.begun(stage.coordinates[:, None], stage.rates[:, None]))

    def driven_after(self, load: Loading | None = None) -> Callable[[Parameters], Equations]:
        """Side by side under the law after the contact, and a load at the tool."""
        law = self.encounter.control

        def make(p: Parameters) -> Equations:
            stage = self._apart_stage(p)
            made = law.control_law(stage, goal_from(law, stage, p), gains_from(p))
            acting = load and load(p, stage)
            return Equations(stage, made, acting, wheel_use(law.limits, law.dump), self.orbit)

        return make

    @cached_property
    def apart(self) -> Flow:
        """The motion after a bounce, or after a pulse."""
        lasting = self.encounter.duration
        return Flow(self.machine, self.driven_after(), self.apart_like, lasting=lasting)

    def pushed(self, thrust: Thrust) -> Flow:
        """While a given force acts."""
        return self.kept(("pushed", thrust), lambda: self._pushed(thrust))

    def _pushed(self, thrust: Thrust) -> Flow:
        force = Vector3(*[*(float(x) for x in thrust.force), 0.0][:3])

        def load(p: Parameters, stage: Stage) -> Load:
            del p
            return Push(stage.tree, stage.tool, force, thrust.in_link)

        make, lasting = self.driven_after(load), thrust.lasting
        return Flow(self.machine, make, self.apart_like, lasting=lasting)

    def kept(self, key: tuple[Any, ...], make: Callable[[], Any]) -> Any:
        """A part that is made once."""
        if key not in self._parts:
            self._parts[key] = make()
        return self._parts[key]

    @cached_property
    def _parts(self) -> dict[tuple[Any, ...], Any]:
        return {}


def _first(p: Parameters) -> Parameters:
    return {name: value[:, 0] for name, value in p.items()}
