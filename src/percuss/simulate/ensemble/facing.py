"""What the tools of an ensemble face at their first contact, and what is done with it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

import percuss.kernel as kernel
from percuss.algebra.poses import Pose
from percuss.algebra.scalars import neg, pack
from percuss.algebra.vectors import Vector3
from percuss.impact import bounce
from percuss.impact.compliance import Compliance
from percuss.impact.surfaces import HalfSpace, Surface
from percuss.scenario import ScenarioError
from percuss.scenario.impact import SLIP_SPEED
from percuss.simulate.ensemble.flow import Flow
from percuss.simulate.ensemble.foresight import Parameters
from percuss.simulate.ensemble.impacts import Bounce, relative_velocity_of
from percuss.simulate.ensemble.machine import Machine
from percuss.simulate.ensemble.programs import Programs
from percuss.simulate.equations import Equations
from percuss.simulate.loads import Touch
from percuss.simulate.stage import Stage
from percuss.simulate.touching import Facing, contact_at, outward_at, pushes, shape_of, touches
from percuss.simulate.watching import Signal


def facing_program(programs: Programs, shaped: bool) -> FacingProgram:
    """What is done with a surface: the target's shape, or a plane of each case."""
    return programs.kept(("facing", shaped), lambda: FacingProgram(programs, shaped))


def first_contact(programs: Programs) -> FirstContact:
    """Where on the targets the tools are."""
    return programs.kept(
        ("first contact",),
        lambda: FirstContact(programs.machine, programs.before, programs.scenario.impact.normal),
    )


@dataclass(frozen=True)
class FacingProgram:
    """Contacts with a surface: the target's shape, or a plane that each case has of its own.

    A plane is fixed to the target, through the point `at` (target's frame, m), across the unit
    vector `outward`.
    """

    programs: Programs
    shaped: bool

    @cached_property
    def like(self) -> Parameters:
        return {"at": np.zeros(3), "outward": np.array([1.0, 0.0, 0.0])}

    def surface(self, p: Parameters) -> Surface:
        """Of a case, in the frame of the target's body."""
        if not self.shaped:
            planar = self.programs.before.is_planar
            at, outward = (Vector3(*p[name]) for name in ("at", "outward"))
            if planar:
                at, outward = Vector3(at.x, at.y, 0.0), Vector3(outward.x, outward.y, 0.0)
            return HalfSpace(at, outward)
        target = self.programs.before.target
        assert target is not None
        shape = shape_of(target)
        assert shape is not None
        return shape

    @cached_property
    def bounce(self) -> Bounce:
        programs, spec = self.programs, self.programs.scenario.impact
        if spec.restitution is None:
            raise ScenarioError("impact.restitution: closure bounce needs a number from 0 to 1")
        return Bounce(
            programs.machine,
            programs.before,
            spec.restitution,
            spec.friction or 0.0,
            self.surface,
            self.like,
        )

    @cached_property
    def effective(self) -> kernel.Kernel:
        """(q, v, p) → mass (kg) and speed (m/s) with which the points meet along the normal."""
        programs = self.programs

        def found(q: Any, v: Any, p: Parameters) -> tuple[Any, Any]:
            contact = contact_at(programs.before, q, v)
            normal = Facing(self.surface(p)).normal(contact)
            mass = bounce(contact, 1.0, normal=normal.array()).effective_mass
            return mass, neg(normal.dot(relative_velocity_of(contact)))

        before = programs.before
        return programs.machine.compiled(found, before.coordinates, before.rates, self.like)

    @cached_property
    def flight(self) -> Flow:
        """Between two bounces: until the tool meets the surface again."""
        programs = self.programs
        approach, lasting = programs.scenario.approach, programs.scenario.duration
        if approach is not None and approach.contact == "surface" and self.shaped:
            return programs.coming
        if approach is None:
            make, like = programs.driven_after(), programs.apart_like
        else:
            make, like = programs.driven_before("coming"), programs.before_like
            lasting = approach.timeout
        return Flow(programs.machine, make, like | self.like, self._touches, lasting=lasting)

    def _touches(self, p: Parameters, equations: Equations) -> Signal:
        return touches(equations.stage, self.surface(p))

    @cached_property
    def yielding(self) -> Flow:
        """Side by side with a surface, or a spring, that gives way."""
        programs, spec = self.programs, self.programs.scenario.impact
        law: Any = spec.law or "hunt-crossley"
        slip = SLIP_SPEED if spec.slip_speed is None else spec.slip_speed
        grip = programs.before.grip
        assert grip is not None

        def load(p: Parameters, stage: Stage) -> Touch:
            assert stage.tree is not None
            assert spec.stiffness is not None
            damping = p["damping"][0]
            compliance = Compliance(law, float(spec.stiffness), damping, spec.friction or 0.0, slip)
            place = Pose(grip.placement.rotation, Vector3(*p["at"]))
            surface = None if law == "bilateral" else self.surface(p)
            return Touch(
                stage.tree, stage.tool, replace(grip, placement=place), surface, compliance
            )

        def touching(p: Parameters, equations: Equations) -> Signal:
            del p
            assert isinstance(equations.load, Touch)
            return pushes(equations.load, 1)

        like = programs.apart_like | self.like | {"damping": np.ones(1)}
        watch = None if law == "bilateral" else touching
        make, lasting = programs.driven_after(load), programs.scenario.duration
        return Flow(programs.machine, make, like, pushing=watch, lasting=lasting)


@dataclass(frozen=True)
class Met:
    """Contact points and normals in the targets' frames (3, cases); speeds in m/s.

    `off` (m) and `tilt` say how far point and normal are from the target's own shape.
    """

    at: np.ndarray
    outward: np.ndarray
    off: np.ndarray
    tilt: np.ndarray
    speed: np.ndarray


@dataclass(frozen=True)
class FirstContact:
    """Where on the targets the tools are at a first contact, and which way is out."""

    machine: Machine
    before: Stage
    normal: Any

    def __call__(self, q: np.ndarray, v: np.ndarray) -> Met:
        """Of states (entries, cases) side by side."""
        return Met(**{name: np.asarray(a) for name, a in self._compiled(q, v).items()})

    @cached_property
    def _compiled(self) -> kernel.Kernel:
        target = self.before.target
        assert target is not None
        shape = shape_of(target)

        def meet(q: Any, v: Any) -> dict[str, Any]:
            contact = contact_at(self.before, q, v)
            at, outward = contact.grip.placement.position, outward_at(contact, self.normal)
            off, tilt = 1.0, 1.0
            if shape is not None:
                off, tilt = shape.distance(at), (shape.normal(at) - outward).norm()
            return {
                "at": pack(list(at)),
                "outward": pack(list(outward)),
                "off": pack([off])[0],
                "tilt": pack([tilt])[0],
                "speed": relative_velocity_of(contact).norm(),
            }

        return self.machine.compiled(meet, self.before.coordinates, self.before.rates)
