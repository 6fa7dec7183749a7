"""Cases that cannot be, by what follows from their numbers: bodies, times, places, contacts."""

from __future__ import annotations

from typing import Any

import numpy as np

from percuss.algebra.scalars import is_traced
from percuss.encounter.approach import Approach
from percuss.encounter.assembly import assembly_before
from percuss.encounter.closures import Compliant
from percuss.encounter.contact_geometry import gap_of, shape_of
from percuss.encounter.encounter import Encounter
from percuss.encounter.ensemble.parametrised import numbers_that
from percuss.encounter.ensemble.template import NUMBERS, Evaluated, Parameters
from percuss.encounter.phase_machine import Closure
from percuss.encounter.physical import unphysical
from percuss.impact.contact_laws import law_named
from percuss.model.bodies import Body

_TIMES = ("approach.observe", "approach.meet.at", "approach.timeout")


class Refusals:
    """Why cases cannot be carried out.

    What a single encounter is refused for when it is made, from numbers that each may be what they
    are but do not make a body, or do not fit each other.
    """

    def __init__(self, evaluated: Evaluated, nominal: Encounter) -> None:
        self._evaluated = evaluated
        self._nominal = nominal
        self._bodies: list[str] = []
        """Names of the bodies that differ from case to case."""

    def __call__(self, values: np.ndarray) -> np.ndarray:
        """A reason for each case with inputs (entries, cases), empty for those that can be."""
        reasons = np.full(values.shape[1], "", object)
        if not values.shape[1]:
            return reasons
        p, approach = {NUMBERS: values}, self._nominal.approach
        self._refuse_bodies(p, reasons)
        if approach is not None:
            self._refuse_times(p, reasons, approach)
            if approach.by_surface:
                inside = self._evaluated.one("gap", _gap_at_start, p, len(reasons)) < 0.0
                text = "the tool is inside the target at the start; it must be outside"
                reasons[inside & (reasons == "")] = text
        self._refuse_contacts(p, reasons)
        self._refuse_gravities(p, reasons)
        return reasons

    def _refuse_bodies(self, p: Parameters, reasons: np.ndarray) -> None:
        """Bodies that no mass can make."""
        found = self._evaluated("bodies", self._masses, p, len(reasons))
        for k, name in enumerate(self._bodies):
            mass, *inertia = found[7 * k : 7 * k + 7]
            said = unphysical(mass, np.array(inertia))
            wrong = np.flatnonzero((said != "") & (reasons == ""))
            reasons[wrong] = [f"body {name!r}: {said[case]}" for case in wrong]

    def _masses(self, encounter: Encounter) -> list[Any]:
        """Mass and inertia of the bodies that differ from case to case, seven numbers each."""
        systems = [s for s in (encounter.chaser, encounter.target) if s is not None]
        bodies = [body for system in systems for body in system.bodies if _differs(body)]
        self._bodies[:] = [body.name for body in bodies]
        return [x for b in bodies for x in (b.mass, *_tensor(b))] or [0.0]

    def _refuse_times(self, p: Parameters, reasons: np.ndarray, approach: Approach) -> None:
        """Times of an approach that are not in their order."""
        names = _TIMES if approach.meet is not None else (_TIMES[0], _TIMES[2])
        times = self._evaluated("order of times", _times_of, p, len(reasons))
        for k in range(len(names) - 1):
            for case in np.flatnonzero(~(times[k] < times[k + 1]) & (reasons == "")):
                first, second = times[k, case], times[k + 1, case]
                later = f"before {names[k + 1]}, {second:g} s"
                reasons[case] = f"{names[k]} must be {later}, got {first:g} s"

    def _refuse_contacts(self, p: Parameters, reasons: np.ndarray) -> None:
        """A contact that only pushes cannot keep all that touches it."""
        closure = self._nominal.closure
        if not isinstance(closure, Compliant) or closure.restitution is None:
            return
        if law_named(closure.law).only_pushes:
            found = self._evaluated.one("restitution", _restitution_of, p, len(reasons))
            what = f"impact.restitution must be > 0 under the law {closure.law!r}, got 0.0"
            reasons[(found == 0.0) & (reasons == "")] = what

    def _refuse_gravities(self, p: Parameters, reasons: np.ndarray) -> None:
        """What falls otherwise than the chaser cannot be held by it."""
        if self._nominal.target is None or not may_hold(self._nominal.closure):
            return
        found = self._evaluated("gravities", _gravities_of, p, len(reasons))
        wrong = (found[:3] != found[3:]).any(axis=0)
        text = "chaser and target fall differently; vary gravity, which is that of both"
        reasons[wrong & (reasons == "")] = text


def may_hold(closure: Closure) -> bool:
    """Whether a grasp may close in the end."""
    return closure.captures or getattr(closure, "repeat", None) is not None


def _gravities_of(encounter: Encounter) -> list[Any]:
    """The gravities of chaser and target, one after the other (m/s²)."""
    assert encounter.target is not None
    return [*encounter.chaser.gravity, *encounter.target.gravity]


def _restitution_of(encounter: Encounter) -> Any:
    assert isinstance(encounter.closure, Compliant)
    return encounter.closure.restitution


def _times_of(encounter: Encounter) -> list[Any]:
    """Times of an approach in the order that they must have (s)."""
    approach = encounter.approach
    assert approach is not None
    meeting = [] if approach.meet is None else [approach.meet.at]
    return [approach.observe, *meeting, approach.timeout]


def _gap_at_start(encounter: Encounter) -> Any:
    """From the tool to the target's surface at the start (m), negative inside."""
    assembly = assembly_before(encounter.touched)
    assert assembly.target is not None
    surface = shape_of(assembly.target)
    assert surface is not None
    return gap_of(assembly, surface, assembly.coordinates)


def _differs(body: Body) -> bool:
    """Whether mass or inertia of a body is an input, or follows from one."""
    return any(True for _ in numbers_that((body.mass, *_tensor(body)), is_traced))


def _tensor(body: Body) -> tuple[Any, ...]:
    """xx, yy, zz, xy, xz, yz about the centre of mass (kg m²)."""
    inertia = body.inertia
    return inertia.xx, inertia.yy, inertia.zz, inertia.xy, inertia.xz, inertia.yz
