"""The compiled parts of an encounter: each kind of phase and each kind of impact, once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import percuss.kernel as kernel
from percuss.algebra.scalars import pack, to_scalar
from percuss.algebra.vectors import Vector3
from percuss.encounter.actuation import wheel_use
from percuss.encounter.approach import Approach, Approaching, ApproachTask, Law
from percuss.encounter.assembly import Assembly
from percuss.encounter.contact_geometry import distance_of, shape_of, touches, within
from percuss.encounter.encounter import Encounter
from percuss.encounter.ensemble.arrivals import Arrivals
from percuss.encounter.ensemble.flow import Flow
from percuss.encounter.ensemble.goals import GoalsOfCases, goal_from
from percuss.encounter.ensemble.impacts import GraspOfCases
from percuss.encounter.ensemble.lasting_contacts import Bearing, TouchAccount
from percuss.encounter.ensemble.machine import Machine
from percuss.encounter.ensemble.parametrised import Parametrised
from percuss.encounter.ensemble.preparation import PreparationOfCases
from percuss.encounter.ensemble.resting import Effort, Remaining
from percuss.encounter.ensemble.template import Evaluated, Parameters, Template
from percuss.encounter.ensemble.tuning import Tuning, gains_from
from percuss.encounter.equations import Equations
from percuss.encounter.events import EventSignal
from percuss.encounter.loads import Load, Push
from percuss.encounter.phase_machine import Hold
from percuss.encounter.stabilisation import driven_groups
from percuss.encounter.start import Start

Loading = Callable[[Parameters, Assembly], Load]
"""What acts at the tool of a case, from its parameters."""


@dataclass(frozen=True)
class EnsemblePrograms:
    """What an ensemble has compiled, made when it is first needed."""

    template: Template
    machine: Machine

    def __fingerprint__(self) -> Any:
        """What its functions follow from."""
        return self.template, self.machine

    @property
    def encounter(self) -> Encounter:
        """The nominal one."""
        return self.template.nominal

    @property
    def before(self) -> Assembly:
        """Chaser and target side by side, as the encounter has them; for a pulse the chaser."""
        return self.template.before

    @cached_property
    def evaluated(self) -> Evaluated:
        return Evaluated(self.template)

    @cached_property
    def preparation(self) -> PreparationOfCases:
        return PreparationOfCases(self.template, self.machine, self.evaluated)

    @cached_property
    def starts(self) -> kernel.Kernel:
        """Inputs → coordinates and rates side by side at the start: true, and as they are known."""

        def state(start: Start) -> tuple[Any, Any]:
            q, v = list(start.chaser_coordinates), list(start.chaser_rates)
            if start.target is not None:
                q += list(start.target_coordinates)
                v += list(start.target_rates)
            return pack([to_scalar(x) for x in q]), pack([to_scalar(x) for x in v])

        def found(p: Parameters) -> Any:
            true, known = self.template.truth(p), self.template.believed(p)
            return {"truth": state(true.touched), "known": state(known.touched)}

        return self.machine.compiled(found, self.template.like)

    @cached_property
    def arrivals(self) -> Arrivals:
        """How tools come to contact points."""
        return Arrivals(self.machine, self.template)

    @cached_property
    def distance(self) -> kernel.Kernel:
        """q → from the tool to the contact point (m)."""
        assembly, grip = self.before, self.before.grip
        assert grip is not None
        return self.machine.compiled(
            lambda q: distance_of(assembly, grip, q).norm(), assembly.coordinates
        )

    # --- before the contact ------------------------------------------------------------------

    @cached_property
    def before_like(self) -> Parameters:
        """Parameters of the approach as the encounter begins; an example, whose plan is to stay."""
        q, v = self.before.coordinates[:, None], self.before.rates[:, None]
        inputs = {name: value[:, None] for name, value in self.template.like.items()}
        return _first(self.preparation.example(q, v, inputs))

    def laws(self, p: Parameters) -> Approaching:
        """The laws before the contact of a case."""
        assembly, truth = self.preparation.begun(p), self.template.truth(p)
        assert truth.approach is not None
        task = ApproachTask(truth.approach, assembly, self.template.believed(p).orbit)
        return truth.approach.control.approaching(task, self.preparation.prepared(p, assembly))

    @property
    def approach(self) -> Approach:
        """The motion before the contact, the nominal one; there is one where it is asked for."""
        assert self.encounter.approach is not None
        return self.encounter.approach

    @cached_property
    def one_clock(self) -> bool:
        """Whether one law with the clock of the run does both, waiting and coming."""
        return self.laws(self.before_like).one_clock

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
        law = self.approach.control
        return Flow(self.machine, make, self.before_like, self._meeting, law=law, lasting=lasting)

    def driven_before(self, which: str) -> Callable[[Parameters], Equations]:
        def make(p: Parameters) -> Equations:
            truth = self.template.truth(p)
            assert truth.approach is not None
            law, made = truth.approach.control, getattr(self.laws(p), which)
            wheels = wheel_use(law.limits, law.dump)
            return Equations(
                assembly=self.template.assembly(p),
                law=made,
                load=None,
                wheels=wheels,
                orbit=truth.orbit,
            )

        return make

    def _meeting(self, p: Parameters, equations: Equations) -> EventSignal:
        """What the contact is."""
        truth, assembly = self.template.truth(p), equations.assembly
        assert truth.approach is not None
        radius = truth.approach.capture_radius
        if radius is not None:
            return within(assembly, radius)
        assert assembly.target is not None
        surface = shape_of(assembly.target)
        assert surface is not None
        return touches(assembly, surface)

    # --- after it ----------------------------------------------------------------------------

    def grasp(self, closure: Hold) -> GraspOfCases:
        return self.kept(
            ("grasp", closure), lambda: GraspOfCases(self.machine, self.template, closure)
        )

    def held(self, closure: Hold, *, settling: bool = False) -> Flow:
        """The motion with the target in the hand; with `settling` it is seen when it rests."""
        return self.kept(("held", closure, settling), lambda: self._held(closure, settling))

    def _held(self, closure: Hold, settling: bool) -> Flow:
        grasp = self.grasp(closure)

        def make(p: Parameters) -> Equations:
            truth = self.template.truth(p)
            law, assembly = truth.control, grasp.believed_assembly(p)
            made = law.control_law(assembly, goal_from(law, assembly, p), gains_from(p))
            wheels = wheel_use(law.limits, law.dump)
            return Equations(
                assembly=grasp.assembly(p), law=made, load=None, wheels=wheels, orbit=truth.orbit
            )

        one = {name: value[:, None] for name, value in grasp.like.items()}
        like = _first(self.held_parameters(closure, one))
        if settling:
            like["bounds"] = np.ones(len(driven_groups(self.before)))
        lasting = self.encounter.duration
        integrals = Effort if self.machine.stabilisation and not settling else None
        law = self.encounter.control
        return Flow(
            self.machine,
            make,
            like,
            settling=settling,
            integrals=integrals,
            law=law,
            lasting=lasting,
        )

    def remaining(self, closure: Hold) -> Remaining:
        """The motion that captures have left."""
        return self.kept(
            ("remaining", closure), lambda: Remaining(self.machine, self.grasp(closure))
        )

    def held_parameters(self, closure: Hold, p: Parameters) -> Parameters:
        """Parameters of the motion after a grasp, from how the targets are held then."""
        grasp = self.grasp(closure)
        tuning = self.kept(
            ("tuning", closure), lambda: self._tuning_after(grasp.believed_assembly, grasp.like)
        )
        own = self.before.chaser.coordinate_count
        return p | self._goals_after.numbers(p["held"][:own], p) | tuning.numbers(p)

    def begun(self, q: np.ndarray, v: np.ndarray, p: Parameters) -> Parameters:
        """Parameters of the motion side by side after a contact, from states (entries, cases)."""
        own, start = self.before.chaser.coordinate_count, np.concatenate([q, v])
        found = {name: p[name] for name in self.template.like} | {"start": start}
        found |= self._goals_after.numbers(q[:own], p)
        like = {"start": np.concatenate([self.before.coordinates, self.before.rates])}
        tuning = self.kept(
            ("tuning", "apart"),
            lambda: self._tuning_after(self._apart_believed, like | self.template.like),
        )
        return found | tuning.numbers(found)

    @cached_property
    def _goals_after(self) -> GoalsOfCases:
        return GoalsOfCases(self.template, self.machine, lambda encounter: encounter.control)

    def _tuning_after(self, begun: Callable[[Parameters], Assembly], like: Parameters) -> Tuning:
        def law(p: Parameters) -> Law:
            return self.template.truth(p).control

        return Tuning(
            law=law,
            tunes=self.encounter.control.tunes,
            machine=self.machine,
            begun=begun,
            like=like,
        )

    def _apart_assembly(self, p: Parameters) -> Assembly:
        """Side by side, as a case begins after a contact."""
        return _starting(self.template.assembly(p), p)

    def _apart_believed(self, p: Parameters) -> Assembly:
        """The bodies that move together as the law knows them."""
        return _starting(self.template.believed_assembly(p), p)

    @cached_property
    def apart_like(self) -> Parameters:
        """Parameters of the motion side by side after a contact."""
        assembly = self.before
        inputs = {name: value[:, None] for name, value in self.template.like.items()}
        return _first(self.begun(assembly.coordinates[:, None], assembly.rates[:, None], inputs))

    def driven_after(self, load: Loading | None = None) -> Callable[[Parameters], Equations]:
        """Side by side under the law after the contact, and a load at the tool."""

        def make(p: Parameters) -> Equations:
            truth, assembly, known = (
                self.template.truth(p),
                self._apart_assembly(p),
                self._apart_believed(p),
            )
            law = truth.control
            made = law.control_law(known, goal_from(law, known, p), gains_from(p))
            acting = load and load(p, assembly)
            return Equations(
                assembly=assembly,
                law=made,
                load=acting,
                wheels=wheel_use(law.limits, law.dump),
                orbit=truth.orbit,
            )

        return make

    @cached_property
    def apart(self) -> Flow:
        """The motion after a bounce, or after a pulse."""
        law, lasting = self.encounter.control, self.encounter.duration
        return Flow(self.machine, self.driven_after(), self.apart_like, law=law, lasting=lasting)

    def pushed(self, parametrised: Parametrised, *, bears: bool = False) -> Flow:
        """While a given force acts, a `Thrust` of which some numbers are inputs.

        With `bears` it is found out what the joints bear.
        """
        integrals = Bearing if bears else None
        return self.kept(
            ("pushed", parametrised, bears), lambda: self._pushed(parametrised, integrals)
        )

    def _pushed(self, parametrised: Parametrised, integrals: type[Bearing] | None) -> Flow:
        def load(p: Parameters, assembly: Assembly) -> Load:
            thrust = parametrised.at(p)
            force = Vector3(*[*(to_scalar(x) for x in thrust.force), 0.0][:3])
            return Push(assembly.tree, assembly.tool, force, thrust.in_link)

        make, like = self.driven_after(load), self.apart_like | parametrised.like
        lasting = float(parametrised.value.lasting) or 1.0
        law = self.encounter.control
        return Flow(self.machine, make, like, law=law, lasting=lasting, integrals=integrals)

    def touch_account(self, flow: Flow) -> TouchAccount:
        """What touches do in a motion."""
        return self.kept(
            ("touch", id(flow)), lambda: TouchAccount(self.machine, flow.make, flow.like)
        )

    def kept(self, key: tuple[Any, ...], make: Callable[[], Any]) -> Any:
        """A part that is made once."""
        if key not in self._parts:
            self._parts[key] = make()
        return self._parts[key]

    @cached_property
    def _parts(self) -> dict[tuple[Any, ...], Any]:
        return {}


def _starting(assembly: Assembly, p: Parameters) -> Assembly:
    """An assembly that starts where its parameters say."""
    count = assembly.plant.coordinate_count
    return assembly.starting_at(p["start"][:count], p["start"][count:])


def _first(p: Parameters) -> Parameters:
    return {name: value[:, 0] for name, value in p.items()}
