"""What the tools of an ensemble face at their first contact, and what is done with it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

import percuss.kernel as kernel
from percuss.algebra.arrays import Coordinates, Rates
from percuss.algebra.poses import Pose
from percuss.algebra.scalars import pack
from percuss.algebra.vectors import Vector3
from percuss.encounter.assembly import Assembly
from percuss.encounter.contact_geometry import (
    ContactSurface,
    contact_at,
    outward_at,
    pushes,
    shape_of,
    touches,
)
from percuss.encounter.ensemble.flow import Flow
from percuss.encounter.ensemble.impacts import BounceOfCases, relative_velocity_of
from percuss.encounter.ensemble.lasting_contacts import Bearing
from percuss.encounter.ensemble.machine import Machine
from percuss.encounter.ensemble.parametrised import Parametrised
from percuss.encounter.ensemble.programs import EnsemblePrograms
from percuss.encounter.ensemble.template import Parameters, Template
from percuss.encounter.equations import Equations
from percuss.encounter.events import EventSignal
from percuss.encounter.loads import Touch
from percuss.impact import bounce
from percuss.impact.surfaces import HalfSpace, Surface
from percuss.kernel.duals import array_of


def surface_program(programs: EnsemblePrograms, shaped: bool) -> SurfaceProgram:
    """What is done with a surface: the target's shape, or a plane of each case."""
    return programs.kept(("surface", shaped), lambda: SurfaceProgram(programs, shaped))


def first_contact(programs: EnsemblePrograms, normal: Parametrised) -> FirstContact:
    """Where on the targets the tools are; `normal` in world axes, None for that of what is met."""
    return programs.kept(
        ("first contact", normal),
        lambda: FirstContact(programs.machine, programs.template, normal),
    )


@dataclass(frozen=True)
class SurfaceProgram:
    """Contacts with a surface: the target's shape, or a plane that each case has of its own.

    A plane is fixed to the target, through the point `at` (target's frame, m), across the unit
    vector `outward`.
    """

    programs: EnsemblePrograms
    shaped: bool

    @cached_property
    def like(self) -> Parameters:
        return {"at": np.zeros(3), "outward": np.array([1.0, 0.0, 0.0])}

    def surface(self, p: Parameters) -> Surface:
        """The surface of a case, in the frame of the target's body."""
        if not self.shaped:
            planar = self.programs.before.is_planar
            at, outward = (Vector3(*p[name]) for name in ("at", "outward"))
            if planar:
                at, outward = Vector3(at.x, at.y, 0.0), Vector3(outward.x, outward.y, 0.0)
            return HalfSpace(at, outward)
        target = self.programs.template.assembly(p).target
        assert target is not None
        shape = shape_of(target)
        assert shape is not None
        return shape

    def bounce(self, parametrised: Parametrised) -> BounceOfCases:
        """Bounces off the surface, as a `Rebound` says of which some numbers are inputs."""
        programs = self.programs
        return programs.kept(
            ("bounce", self.shaped, parametrised),
            lambda: BounceOfCases(
                machine=programs.machine,
                template=programs.template,
                parametrised=parametrised,
                surface=self.surface,
                surface_like=self.like,
            ),
        )

    @cached_property
    def effective(self) -> kernel.Kernel:
        """(q, v, p) → mass (kg) and speed (m/s) with which the points meet along the normal."""
        programs = self.programs

        def found(q: Coordinates, v: Rates, p: Parameters) -> tuple[Any, Any]:
            contact = contact_at(programs.template.assembly(p), q, v)
            normal = ContactSurface(self.surface(p)).normal(contact)
            mass = bounce(contact, 1.0, normal=normal.array()).effective_mass
            return mass, -normal.dot(relative_velocity_of(contact))

        before, like = programs.before, self.like | programs.template.like
        return programs.machine.compiled(found, before.coordinates, before.rates, like)

    @cached_property
    def flight(self) -> Flow:
        """The motion between two bounces, until the tool meets the surface again."""
        programs, encounter = self.programs, self.programs.encounter
        approach, law, lasting = encounter.approach, encounter.control, encounter.duration
        if approach is not None and approach.by_surface and self.shaped:
            return programs.coming
        if approach is None:
            make, like = programs.driven_after(), programs.apart_like
        else:
            make, like = programs.driven_before("coming"), programs.before_like
            law, lasting = approach.control, approach.timeout
        return Flow(
            programs.machine, make, like | self.like, self._touches, law=law, lasting=lasting
        )

    def _touches(self, p: Parameters, equations: Equations) -> EventSignal:
        return touches(equations.assembly, self.surface(p))

    def compliant(self, parametrised: Parametrised, holds: bool, *, bears: bool = False) -> Flow:
        """Side by side with a surface, or with a spring that `holds`, that gives way.

        `parametrised` is a `Give` of which some numbers are inputs; with `bears` it is found
        out what the joints bear.
        """
        return self.programs.kept(
            ("compliant", self.shaped, parametrised, holds, bears),
            lambda: self._compliant(parametrised, holds, Bearing if bears else None),
        )

    def _compliant(
        self, parametrised: Parametrised, holds: bool, integrals: type[Bearing] | None
    ) -> Flow:
        programs = self.programs

        def load(p: Parameters, assembly: Assembly) -> Touch:
            damping = p["damping"][0]
            compliance = parametrised.at(p).compliance(damping)
            assert assembly.grip is not None
            place = Pose(assembly.grip.placement.rotation, Vector3(*p["at"]))
            surface = None if holds else self.surface(p)
            grip = replace(assembly.grip, placement=place)
            return Touch(
                system=assembly.tree,
                tool=assembly.tool,
                grip=grip,
                surface=surface,
                compliance=compliance,
            )

        def touching(p: Parameters, equations: Equations) -> EventSignal:
            del p
            assert isinstance(equations.load, Touch)
            return pushes(equations.load, 1)

        like = programs.apart_like | self.like | parametrised.like | {"damping": np.ones(1)}
        watch = None if holds else touching
        make, lasting = programs.driven_after(load), programs.encounter.duration
        law = programs.encounter.control
        return Flow(
            programs.machine,
            make,
            like,
            pushing=watch,
            law=law,
            lasting=lasting,
            integrals=integrals,
        )


@dataclass(frozen=True)
class ContactPointsOfCases:
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
    template: Template
    normal: Parametrised

    @property
    def like(self) -> Parameters:
        """Parameters of one case."""
        return self.normal.like | self.template.like

    def __call__(self, q: np.ndarray, v: np.ndarray, p: Parameters) -> ContactPointsOfCases:
        """How states (entries, cases) side by side meet."""
        found = self._compiled(q, v, {name: p[name] for name in self.like})
        return ContactPointsOfCases(**{name: array_of(a) for name, a in found.items()})

    @cached_property
    def _compiled(self) -> kernel.Kernel:
        def meet(q: Coordinates, v: Rates, p: Parameters) -> dict[str, Any]:
            assembly = self.template.assembly(p)
            assert assembly.target is not None
            shape, contact = shape_of(assembly.target), contact_at(assembly, q, v)
            outward = outward_at(contact, self.normal.at(p))
            at, off, tilt = contact.grip.placement.position, 1.0, 1.0
            if shape is not None:
                off, tilt = shape.distance(at), (shape.normal(at) - outward).norm()
            return {
                "at": pack(list(at)),
                "outward": pack(list(outward)),
                "off": pack([off])[0],
                "tilt": pack([tilt])[0],
                "speed": relative_velocity_of(contact).norm(),
            }

        before = self.template.before
        return self.machine.compiled(meet, before.coordinates, before.rates, self.like)
