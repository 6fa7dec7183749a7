"""The scenario: everything that a run needs to know, validated."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, PrivateAttr, ValidationError

from percuss.encounter.errors import EncounterError, Path, shown, shown_path
from percuss.scenario.approach import ApproachBlock
from percuss.scenario.block import Block
from percuss.scenario.chaser import Chaser
from percuss.scenario.control import Control, NoControlBlock, PythonBlock, WithBelief
from percuss.scenario.document import Origin, located, tidy, to_text
from percuss.scenario.errors import Problem, ScenarioError
from percuss.scenario.fields import Count, Quantity, Text
from percuss.scenario.impact import ImpactBlock
from percuss.scenario.integration import IntegrationBlock, OutputBlock
from percuss.scenario.lists import Vector
from percuss.scenario.orbit import Orbit
from percuss.scenario.target import Target
from percuss.scenario.translate import problems_of

if TYPE_CHECKING:
    from percuss.encounter.encounter import Encounter
    from percuss.encounter.provenance import Notice
    from percuss.encounter.start import Start
    from percuss.impact.contact import Contact
    from percuss.scenario.models import Models


_TITLES = {"name", "output", "seed"}
"""Fields on which no motion depends."""


class Scenario(Block):
    """A chaser, a target, how they meet, and what follows.

    Made by `load`, or from nested mappings with the keys of the file:
    `Scenario(chaser={...}, target={...}, impact={"closure": "weld"}, duration="10 s")`.
    A `System` stands where a robot or an object is named, `{"robot": system}`; the document and the
    text of the scenario hold what `save_system` writes of it. Numbers are SI; ScenarioError names
    the field, the value and what is allowed. A scenario does not change; `with_overrides` makes
    another.
    """

    name: Annotated[str, Text("a title")] = Field(
        default="unnamed", description="Title of the run."
    )
    chaser: Chaser = Field(description="The robot.")
    target: Target | None = Field(
        default=None, description="What is captured; only a `pulse` does without."
    )
    approach: ApproachBlock | None = Field(
        default=None, description="Motion before the contact; default none: the impact is at t = 0."
    )
    impact: ImpactBlock = Field(description="How they meet.")
    control: Control = Field(
        default_factory=NoControlBlock, description="What drives the chaser; default nothing."
    )
    duration: Annotated[float, Quantity("s", above=0, most=1e6)] = Field(
        description="Of the motion after the impact."
    )
    gravity: Annotated[tuple[float, ...], Vector(Quantity("m/s^2"))] | None = Field(
        default=None,
        description="Acceleration of free fall, world frame; default the robot's, zero.",
    )
    orbit: Orbit | None = Field(
        default=None,
        description="Circular orbit in which they meet; default none, far from any planet.",
    )
    integration: IntegrationBlock = Field(
        default_factory=lambda: IntegrationBlock(), description="Default auto to 1e-10."
    )
    output: OutputBlock = Field(default_factory=lambda: OutputBlock(), description="What is kept.")
    seed: Annotated[int, Count(0, 2**63 - 1)] = Field(
        default=0, description="Of random numbers, where there are any."
    )

    _origin: Origin = PrivateAttr()
    _document: dict[str, Any] = PrivateAttr()
    _start: Any = PrivateAttr(default=None)
    _contact: Any = PrivateAttr(default=None)
    _models: Any = PrivateAttr(default=None)
    _encounter: Any = PrivateAttr(default=None)
    _is_planar: bool = PrivateAttr(default=False)

    def __init__(self, /, **data: Any) -> None:
        self._fill(data, Origin())

    @classmethod
    def from_document(cls, document: Any, origin: Origin | None = None) -> Scenario:
        """The scenario of a raw document; `origin` says where it came from."""
        scenario = cls.__new__(cls)
        scenario._fill(document, origin or Origin())
        return scenario

    @classmethod
    def model_validate(cls, obj: Any, *_: Any, **__: Any) -> Scenario:
        """Make a scenario of a mapping, as `Scenario(**obj)` does."""
        return obj if isinstance(obj, cls) else cls.from_document(obj)

    def _fill(self, data: Any, origin: Origin) -> None:
        from percuss.scenario.build import build_start
        from percuss.scenario.code import code_problems
        from percuss.scenario.kinds import chaser_kind, mixing
        from percuss.scenario.models import read_models
        from percuss.scenario.rules import broken_rules

        document = tidy(data, origin)
        problems = []
        try:
            super().__init__(**document)
        except ValidationError as error:
            problems = problems_of(error.errors(include_url=False), Scenario, document)
        if not problems:
            problems = broken_rules(self)
        if not problems:
            self._models, problems = read_models(self.chaser, origin.folder)
        if not problems:
            kind, source = chaser_kind(self.chaser, self._models)
            self._is_planar = kind == "planar"
            problems = list(mixing(self, kind, source))
        if not problems:
            self._start, self._contact, problems = build_start(self, self._models, origin.folder)
        if not problems:
            self._origin, self._document = origin, document
            problems = [*code_problems(self, origin), *self._belief_problems()]
        if problems:
            raise ScenarioError(located(problems, document, origin)) from None

    def _belief_problems(self) -> list[Problem]:
        """What stands in the way of the scenarios that the controllers believe in."""
        from percuss.scenario.overrides import believed

        for at, control in self.controls.items():
            try:
                believed(self, control)
            except ScenarioError as error:
                reasons = [f"{shown_path(p.path)}: {p.message}" for p in error.problems]
                return [Problem((*at, "believes"), text) for text in reasons or [str(error)]]
        return []

    # --- where it came from ---------------------------------------------------------------

    @property
    def document(self) -> dict[str, Any]:
        """The raw document it was made from."""
        return self._document

    @property
    def origin(self) -> Origin:
        return self._origin

    @property
    def folder(self) -> FilePath:
        """Where files that the scenario names are looked for."""
        return self._origin.folder

    @property
    def text(self) -> str:
        """YAML that loads as this scenario; for one from a file, the file's own text."""
        return self._origin.text or to_text(self._document)

    def with_code_allowed(self) -> Scenario:
        """The same scenario, whose Python files (`law: python`) may run.

        Such code can do whatever its user can. `run(scenario, allow_code=True)` and its like
        allow it for one call.
        """
        other = self.model_copy()
        other._origin = replace(self._origin, allow_code=True)
        other._encounter = None  # its laws are read where the files may be
        return other

    @property
    def contact(self) -> Contact | None:
        """Chaser and target as they meet; None before an approach, or without a target."""
        return self._contact

    @property
    def start(self) -> Start:
        """Chaser and target when the run begins."""
        return self._start

    @property
    def encounter(self) -> Encounter:
        """The encounter that it describes, which is what is carried out."""
        from percuss.scenario.translation import encounter_of

        if self._encounter is None:
            try:
                self._encounter = encounter_of(self)
            except EncounterError as error:
                raise self.reworded(error) from error
        return self._encounter

    def reworded(self, error: EncounterError) -> ScenarioError:
        """What is wrong with its encounter, as what is wrong with the scenario."""
        return ScenarioError(str(error))

    def encounter_with(self, *, allow_code: bool) -> Encounter:
        """The encounter that it describes.

        ScenarioError where it names Python files (`law: python`) that may not run.
        """
        from percuss.scenario.code import refuse_code

        scenario = self.with_code_allowed() if allow_code else self
        refuse_code(scenario)
        return scenario.encounter

    @property
    def models(self) -> Models:
        """The models that the chaser names, as they were read."""
        return self._models

    # --- what it is -----------------------------------------------------------------------

    @property
    def controls(self) -> dict[Path, Control]:
        """The control blocks by their places, that of the approach included."""
        after: dict[Path, Control] = {("control",): self.control}
        before = {} if self.approach is None else {("approach", "control"): self.approach.control}
        return after | before

    @property
    def _runs_code(self) -> bool:
        return any(isinstance(control, PythonBlock) for control in self.controls.values())

    @property
    def is_planar(self) -> bool:
        """Whether everything moves in the x-y plane."""
        return self._is_planar

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What had to be changed in the model files of the chaser, each with its file."""
        return self._models.notices

    def __eq__(self, other: object) -> bool:
        """Equal content, that of the model files it names included; a law in a file of its own
        is that of one folder. Where the rest came from does not matter.
        """
        if not isinstance(other, Scenario):
            return False
        same_place = self.folder == other.folder or not self._runs_code
        return same_place and self.__dict__ == other.__dict__ and self._models == other._models

    def __hash__(self) -> int:
        return hash((self.name, self.duration, self.impact))

    def __fingerprint__(self) -> Any:
        """What its motions follow from: its values, the bodies as they were built, from files of
        models too, and those that its controllers believe in.

        None where a Python file of the user makes a law: that may compute anything.
        """
        from percuss.scenario.overrides import believed

        if self._runs_code:
            return None
        values = {name: value for name, value in self.__dict__.items() if name not in _TITLES}
        beliefs = [
            believed(self, control).start
            for control in self.controls.values()
            if isinstance(control, WithBelief) and control.believes
        ]
        return values, sorted(self.model_fields_set - _TITLES), self.start, beliefs

    def __str__(self) -> str:
        return repr(self)

    def __repr__(self) -> str:
        kind = "planar" if self.is_planar else "spatial"
        return f"<Scenario {shown(self.name)}: {kind}, {self.impact.closure}, {self.duration:g} s>"
