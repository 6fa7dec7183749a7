"""What an identification knows of an encounter, whether a scenario describes it or Python does."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import percuss.kernel as kernel
from percuss.dynamics.orbit import CircularOrbit
from percuss.encounter.closures import Pin, Weld
from percuss.encounter.encounter import Encounter
from percuss.encounter.numbers import EncounterNumbers
from percuss.encounter.phase_machine import Closure
from percuss.encounter.provenance import made_in_python
from percuss.encounter.shapes import is_shape, is_solid
from percuss.encounter.start import Start
from percuss.identification.forward.centred import centred
from percuss.identification.forward.kept import LastMade
from percuss.model.bodies import Body
from percuss.model.errors import ModelError
from percuss.scenario import Scenario, build, with_overrides
from percuss.scenario.code import refuse_code
from percuss.scenario.from_library import name_of
from percuss.scenario.numbers import ScenarioNumbers

Described = Encounter | Scenario
"""What is carried out, or a scenario that describes it."""


_HELD: LastMade[KnownEncounter] = LastMade(32)
"""Encounters with another closure, by the fingerprint of the first and the name of the other."""


@dataclass(frozen=True)
class KnownEncounter:
    """An encounter that is known but for the unknowns, whose values are where a search begins.

    It begins with the contact, and its target is one free body with its frame at the centre of
    mass; `described` is what it was made of.
    """

    described: Described

    @staticmethod
    def of(given: Described | KnownEncounter) -> KnownEncounter:
        """What is known of an encounter; ModelError unless it begins where target and tool touch.

        The target of an encounter made in Python gets its frame at its centre of mass.
        """
        if isinstance(given, KnownEncounter):
            return given
        if isinstance(given, Scenario):
            build(given)  # says so where the scenario does not begin with a contact
            return KnownEncounter(given)
        if given.target is None:
            raise ModelError("target: is missing; an encounter without a target has no contact")
        if given.approach is not None:
            raise ModelError(
                "approach: chaser and target are apart at the start, and times of a record begin "
                "at the contact. Leave out approach: the encounter then begins where they touch"
            )
        return KnownEncounter(centred(given))

    def __fingerprint__(self) -> Any:
        """What its motions follow from."""
        return self._fingerprint or self.described

    @cached_property
    def _fingerprint(self) -> str | None:
        """Made once for all programs of an identification; None where a law is the user's own."""
        return kernel.fingerprint(self.described)

    # --- how it was described -------------------------------------------------------------------

    @property
    def name(self) -> str:
        """Its title."""
        return self.described.name

    @property
    def text(self) -> str:
        """The scenario's own text, or the encounter's fields line by line."""
        if isinstance(self.described, Scenario):
            return self.described.text
        return made_in_python(self.described).text

    @property
    def has_velocity(self) -> bool:
        """Whether it says how fast the target comes; a scenario may leave that out."""
        if isinstance(self.described, Encounter):
            return True
        target = self.described.target
        assert target is not None
        return target.velocity.linear is not None or target.velocity.angular is not None

    @property
    def shape(self) -> str | None:
        """The shape of the target from which its inertia follows, None where that was given."""
        if isinstance(self.described, Encounter):
            body = self.target
            if not is_shape(body):
                return None
            drawn = next(one.shape for one in body.visuals if is_solid(one))
            # A disk in the plane is drawn as a flat cylinder.
            return "disk" if drawn == "cylinder" and self.is_planar else drawn
        target = self.described.target
        assert target is not None
        return target.shape if target.inertia is None else None

    @property
    def inertia_source(self) -> str:
        """Words for what gives the inertia of a target without a shape."""
        if isinstance(self.described, Encounter):
            return "the target's body"
        target = self.described.target
        assert target is not None
        from_object = target.inertia is None and target.object is not None
        return f"the object {name_of(target.object)}" if from_object else "target.inertia"

    def held_by(self, closure: str) -> KnownEncounter:
        """The same with another closure that holds, "pin" or "weld"."""
        if isinstance(self.described, Encounter):
            hold = {kind.name: kind for kind in (Pin, Weld)}[closure]()
            return KnownEncounter(replace(self.described, closure=hold))
        scenario, name = self.described, self._fingerprint
        return _HELD.of(
            None if name is None else (name, closure),
            lambda: KnownEncounter(with_overrides(scenario, {"impact.closure": closure})),
        )

    def with_code_allowed(self) -> KnownEncounter:
        """The same, with the Python files that a scenario names allowed to run."""
        if isinstance(self.described, Encounter):
            return self
        return KnownEncounter(self.described.with_code_allowed())

    def refuse_code(self) -> None:
        """ScenarioError where a Python file would run that the user has not allowed."""
        if isinstance(self.described, Scenario):
            refuse_code(self.described)

    # --- the encounter ----------------------------------------------------------------------------

    @cached_property
    def start(self) -> Start:
        """Chaser and target as they touch."""
        return self.described.start

    @property
    def target(self) -> Body:
        """The body of the target."""
        assert self.start.target is not None
        return self.start.target.base

    @property
    def is_planar(self) -> bool:
        return self.described.is_planar

    @property
    def duration(self) -> float:
        """How long the motion after the contact lasts (s)."""
        return float(self.described.duration)

    @property
    def orbit(self) -> CircularOrbit | None:
        return self.start.orbit

    @cached_property
    def closure(self) -> Closure:
        """What the contact enforces."""
        given = self.described
        return given.closure if isinstance(given, Encounter) else given.impact.value()

    @property
    def plain(self) -> Encounter:
        """What is carried out; a target whose velocity is left out is at rest."""
        return self.whole if isinstance(self.whole, Encounter) else self.whole.encounter

    @cached_property
    def whole(self) -> Described:
        """What describes it, with a velocity of its target, at rest where none is given."""
        given = self.described
        if isinstance(given, Encounter):
            return given
        target = given.target
        assert target is not None
        still = 0.0 if given.is_planar else [0.0, 0.0, 0.0]
        missing: dict[str, object] = {}
        if target.velocity.linear is None:
            missing["target.velocity.linear"] = [0.0, 0.0] if given.is_planar else still
        if target.velocity.angular is None:
            missing["target.velocity.angular"] = still
        return with_overrides(given, missing) if missing else given

    @cached_property
    def numbered(self) -> EncounterNumbers | ScenarioNumbers:
        """Its numbers by the names that `percuss.simulate(vary=…)` takes."""
        whole = self.whole
        return EncounterNumbers(whole) if isinstance(whole, Encounter) else ScenarioNumbers(whole)
