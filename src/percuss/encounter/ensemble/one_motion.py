"""Encounters that are one impact in no time and one motion after it, as functions of any scalars.

There is nothing to decide in them, so that all of it, from the inputs of a case to the state just
after the impact and the equations of what moves then, can be one compiled program.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from percuss.algebra.scalars import pack
from percuss.encounter.actuation import wheel_use
from percuss.encounter.assembly import Assembly, assembly_before
from percuss.encounter.closures import Bounce
from percuss.encounter.encounter import Encounter
from percuss.encounter.ensemble.impacts import GraspOfCases
from percuss.encounter.ensemble.machine import Machine
from percuss.encounter.ensemble.template import Parameters, Template
from percuss.encounter.ensemble.tuning import gains_from
from percuss.encounter.equations import Equations
from percuss.encounter.phase_machine import Hold
from percuss.impact import Contact, Jump, bounce
from percuss.model.errors import ModelError


def is_one_motion(encounter: Encounter) -> bool:
    """Whether an encounter begins with its only impact: a grasp or a bounce in no time."""
    closure = encounter.closure
    once = isinstance(closure, Bounce) and closure.repeat is None
    return encounter.approach is None and (once or isinstance(closure, Hold))


def jump_of(encounter: Encounter) -> tuple[Contact, Jump]:
    """Chaser and target of such an encounter as they touch, and the rates just after."""
    contact, closure = encounter.contact, encounter.closure
    assert contact is not None, "chaser and target touch from the start"
    if isinstance(closure, Bounce):
        normal = None if closure.normal is None else list(closure.normal)
        return contact, bounce(contact, closure.restitution, closure.friction, normal)
    assert isinstance(closure, Hold)
    return contact, closure.jump(contact)


@dataclass(frozen=True)
class OneMotion:
    """The impact with which an encounter begins, and the equations of the motion after it.

    A goal of the law is where the chaser stands at the impact as the law knows it: a law does not
    know of inputs that the template does not let it know.
    """

    template: Template
    machine: Machine

    def __post_init__(self) -> None:
        if not is_one_motion(self.template.nominal):
            raise ModelError(
                f"impact.closure: {self.template.nominal.closure.name} is more than one impact in "
                "no time at the start, and one motion"
            )

    def __fingerprint__(self) -> Any:
        """What its functions follow from."""
        return self.template, self.machine

    def begun(self, p: Parameters) -> dict[str, Any]:
        """`q` and `v` just after the impact, and what `equations` needs to know as `p`."""
        truth, known = self.template.truth(p), self.template.believed(p)
        contact, jump = jump_of(truth)
        kept: Parameters = {name: p[name] for name in self.template.like}
        if self._grasp is None:
            q = pack([*contact.chaser_coordinates, *contact.target_coordinates])
            v = pack([*jump.chaser_rates, *jump.target_rates])
        else:
            held = self._grasp.held_after(contact, jump)
            q, v = held["q"], held["v"]
            kept["pose"] = held["pose"]
        if truth.control.tunes:
            tuned = truth.control.tuned_gains(self._moving(known, kept))
            assert tuned is not None
            kept["gains"] = pack([*tuned[0], *tuned[1]])
        return {"q": q, "v": v, "p": kept}

    def equations(self, p: Parameters) -> Equations:
        """The equations of the motion after the impact, from the parameters that `begun` gives."""
        truth, known = self.template.truth(p), self.template.believed(p)
        law = truth.control
        return Equations(
            assembly=self._moving(truth, p),
            law=law.control_law(self._moving(known, p), None, gains_from(p)),
            load=None,
            wheels=wheel_use(law.limits, law.dump),
            orbit=truth.orbit,
        )

    # --- bodies -------------------------------------------------------------------------------

    @cached_property
    def _grasp(self) -> GraspOfCases | None:
        """How the target is held; None where it is not."""
        closure = self.template.nominal.closure
        if not isinstance(closure, Hold):
            return None
        return GraspOfCases(self.machine, self.template, closure)

    def _moving(self, encounter: Encounter, p: Parameters) -> Assembly:
        """The bodies that move after the impact, as they are or as the law knows them.

        They stand where the chaser of the encounter is at the impact; how a case holds its target
        is in the parameters.
        """
        before = assembly_before(encounter.touched)
        if self._grasp is None:
            return before
        q = pack([*encounter.chaser_coordinates, *self._grasp.rest])
        return self._grasp.assembly_of(before, {**p, "held": q})
