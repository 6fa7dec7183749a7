"""How an estimate is searched for, judged, refused and put into words: every number, with a reason.

Plausible ranges are those of `Unknowns`. A rise is one of χ² above that of the best fit: along one
direction 1 is one standard deviation and 9 are three. What is not here is no choice: limits on the
files of strangers, the rounding of numbers, and the 95 % that intervals are stated for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self

from percuss.identification.options.group import DescribedOption, OptionGroup
from percuss.identification.options.judging import (
    AcceptanceOptions,
    ObservabilityOptions,
    ResidualTestOptions,
)
from percuss.identification.options.records import (
    BeginningOptions,
    FrozenOptions,
    IntegrationOptions,
    OutlierOptions,
    RecordOptions,
)
from percuss.identification.options.reporting import AdviceOptions, PosteriorOptions
from percuss.identification.options.searching import (
    DescentOptions,
    EndOptions,
    HorizonOptions,
    StartOptions,
)
from percuss.identification.options.valleys import ValleyOptions
from percuss.model.errors import ModelError, closest


@dataclass(frozen=True)
class SearchOptions:
    """Every number by which `identify` searches, judges, refuses, warns and words.

    Each is described where it stands, with its reason and what holds it; `described` lists all.
    Other values make another value, and those that are not allowed are refused by name:

    >>> options = SearchOptions().changed({"descent.longest_step": 0.25})
    >>> options.descent.longest_step
    0.25
    """

    starts: StartOptions = field(default_factory=StartOptions)
    descent: DescentOptions = field(default_factory=DescentOptions)
    horizons: HorizonOptions = field(default_factory=HorizonOptions)
    ends: EndOptions = field(default_factory=EndOptions)
    valleys: ValleyOptions = field(default_factory=ValleyOptions)
    acceptance: AcceptanceOptions = field(default_factory=AcceptanceOptions)
    records: RecordOptions = field(default_factory=RecordOptions)
    beginning: BeginningOptions = field(default_factory=BeginningOptions)
    integration: IntegrationOptions = field(default_factory=IntegrationOptions)
    outliers: OutlierOptions = field(default_factory=OutlierOptions)
    frozen: FrozenOptions = field(default_factory=FrozenOptions)
    residual_tests: ResidualTestOptions = field(default_factory=ResidualTestOptions)
    observability: ObservabilityOptions = field(default_factory=ObservabilityOptions)
    advice: AdviceOptions = field(default_factory=AdviceOptions)
    posterior: PosteriorOptions = field(default_factory=PosteriorOptions)

    def __post_init__(self) -> None:
        for name, group in GROUPS.items():
            if not isinstance(getattr(self, name), group):
                given = type(getattr(self, name)).__name__
                raise ModelError(f"{name} must be {group.__name__}, got {given}")

    def __repr__(self) -> str:
        """What is not as it is by default."""
        own = [(each, self.value(each.name)) for each in self.described()]
        other = [f"{each.name}={value!r}" for each, value in own if value != each.value]
        return f"<SearchOptions: {', '.join(other) or 'all as by default'}>"

    def value(self, name: str) -> Any:
        """The value of one option by its name, `descent.longest_step`."""
        group, _, own = name.partition(".")
        if group not in GROUPS or own not in {each.name for each in fields(GROUPS[group])}:
            known = [each.name for each in self.described()]
            raise ModelError(f"options: there is no {name!r}.{closest(name, known)}")
        return getattr(getattr(self, group), own)

    def changed(self, values: Mapping[str, Any]) -> Self:
        """The same with other values by name, `{"descent.longest_step": 0.25}`."""
        found = self
        for name, value in values.items():
            self.value(name)
            group, _, own = name.partition(".")
            found = replace(found, **{group: replace(getattr(found, group), **{own: value})})
        return found

    @staticmethod
    def described() -> tuple[DescribedOption, ...]:
        """What is written of every option, in order."""
        return tuple(each for group in GROUPS.values() for each in group.described())


GROUPS: dict[str, type[OptionGroup]] = {
    each.group: each
    for each in (
        StartOptions,
        DescentOptions,
        HorizonOptions,
        EndOptions,
        ValleyOptions,
        AcceptanceOptions,
        RecordOptions,
        BeginningOptions,
        IntegrationOptions,
        OutlierOptions,
        FrozenOptions,
        ResidualTestOptions,
        ObservabilityOptions,
        AdviceOptions,
        PosteriorOptions,
    )
}
"""Name to class."""

DEFAULT = SearchOptions()
"""What is used where no other options are asked for."""
