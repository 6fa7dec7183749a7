"""The numbers of a scenario by their names, and the encounter with some of them replaced.

A number may be replaced by a scalar of any kind: a plain number, a symbol, a batch, or a value of a
program that is being compiled. The scenario itself is read and validated once; what is put in the
place of a number is not, so that one program can have it as an input.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from percuss.algebra.scalars import to_scalar, unpack
from percuss.encounter.encounter import Encounter
from percuss.encounter.errors import EncounterError, Path, shown
from percuss.encounter.number import Number
from percuss.encounter.postures import joint_coordinates
from percuss.scenario.build import build_start
from percuss.scenario.chaser import Tool
from percuss.scenario.errors import ScenarioError
from percuss.scenario.finding import Places, holds_still
from percuss.scenario.kinds import chaser_kind, mixing
from percuss.scenario.lists import FrozenDict
from percuss.scenario.places import Place, replaced
from percuss.scenario.posture import with_named_joints
from percuss.scenario.rules import broken_rules
from percuss.scenario.translation import Beliefs, encounter_of

if TYPE_CHECKING:
    from percuss.scenario.model import Scenario


class ScenarioNumbers:
    """The numbers of a scenario; see `percuss.encounter.number.Numbered`.

    Names are those of the file, `target.mass`, `chaser.arm[2].length`, `chaser.joints.elbow`.
    What a controller believes of the bodies stays what it is in the scenario.
    """

    def __init__(self, scenario: Scenario) -> None:
        self._given = scenario
        self._scenario = _explicit(scenario)
        self._places = Places(self._scenario)
        self._found: dict[str, Place] = {}

    def __fingerprint__(self) -> Any:
        """What its encounters follow from: all values of the scenario."""
        return self._given

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of all numbers that can vary, without the parameters that models bring."""
        found = dict.fromkeys(self._places.candidates())
        return tuple(name for name in found if self._can_vary(name))

    def number(self, name: str) -> Number:
        """The number of a name; ScenarioError where there is none that can vary."""
        place = self._place(name)
        return Number(
            name=name,
            value=np.array(place.value, float),
            unit=place.quantity.unit,
            words=place.words(),
            allowed=place.allows,
        )

    def encounter_of(self, values: Mapping[str, Any]) -> Encounter:
        """The encounter with some numbers replaced, by scalars of any kind, in SI units.

        A value is a scalar, or a sequence of as many scalars as the number has entries. Plain
        numbers are checked where the encounter is built; the bounds of a number are told by
        `number`.
        """
        scenario = self._scenario
        for name, value in values.items():
            place = self._place(name)
            scenario = place.put(scenario, _scalars(name, place, value))
        folder = self._given.folder
        start, contact, problems = build_start(scenario, scenario.models, folder)
        if problems:
            raise ScenarioError(problems)
        changed = scenario.model_copy()
        changed._start, changed._contact, changed._encounter = start, contact, None
        try:
            return encounter_of(changed, self._beliefs)
        except EncounterError as error:
            raise scenario.reworded(error) from error

    @cached_property
    def _beliefs(self) -> Beliefs:
        """What the controllers take the bodies for in the scenario as it is given."""
        encounter = self._given.encounter
        found: dict[Path, Any] = {("control",): encounter.control.believes}
        if encounter.approach is not None:
            found["approach", "control"] = encounter.approach.control.believes
        return found

    # --- places -------------------------------------------------------------------------------

    def _place(self, name: str) -> Place:
        if name not in self._found:
            place = self._places.find(name)
            self._refuse_where_it_does_not_belong(name, place)
            self._found[name] = place
        return self._found[name]

    def _refuse_where_it_does_not_belong(self, name: str, place: Place) -> None:
        """ScenarioError where the scenario could not have the number with the value it has."""
        if holds_still(self._scenario, name):
            raise ScenarioError(f"{name}: must be zero: the base cannot move in mode fixed")
        changed = place.put(self._scenario, place.value)
        kind = chaser_kind(changed.chaser, changed.models)
        problems = [*broken_rules(changed), *mixing(changed, *kind)]
        if problems:
            raise ScenarioError(f"{name}: cannot vary: {problems[0]}")

    def _can_vary(self, name: str) -> bool:
        try:
            self._place(name)
        except ScenarioError:
            return False
        return True


def _scalars(name: str, place: Place, value: Any) -> Any:
    """A scalar, or as many as a vector has; ScenarioError for anything else."""
    try:
        if isinstance(value, bool):
            raise TypeError("a truth value is no number")
        if place.is_vector:
            return unpack(value, len(place.value), name)
        return to_scalar(value)
    except (TypeError, ValueError) as error:
        got = f"got {shown(value)}: {error}"
        raise ScenarioError(f"{name}: must be {place.words()}, {got}") from None


def _explicit(scenario: Scenario) -> Scenario:
    """The same scenario with coordinates and rates of all joints by name, and the tool too.

    So one of the joints can be replaced however the file gives them, and no file of a model is
    asked again for where it ends.
    """
    start = scenario.start
    system, q = start.chaser, start.chaser_coordinates
    chaser = with_named_joints(scenario.chaser, joint_coordinates(system, q), scenario.models)
    rates = {
        joint.name: float(start.chaser_rates[system.node(joint.child).rates][0])
        for joint in system.movable_joints
    }
    chaser = replaced(chaser, ("velocity", "joints"), FrozenDict(rates))
    tool = chaser.tool
    at_an_end = tool is None or not any(tool.given(key) for key in ("frame", "link", "at"))
    if at_an_end and (scenario.models.whole is not None or scenario.models.arms):
        chaser = replaced(chaser, ("tool",), Tool.model_construct(frame=start.tool.name))
    return scenario.model_copy(update={"chaser": chaser})
