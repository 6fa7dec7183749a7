"""What the library knows about a robot or a target besides its model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from percuss.model.systems import System

PUBLISHED = "arms that fly, from published links"
GENERATED = "arms that fly, made from length, mass and joints"
"""Groups that several modules add to."""


@dataclass(frozen=True, slots=True)
class Assumption:
    """A number of a model that no source gives: what is used, what it may be, and why.

    `parameter` is a name of `percuss.parameters` ("upper_boom.com.x"), `value` what the model
    has, `low` and `high` the ends of the plausible range, all in that parameter's SI unit.
    """

    parameter: str
    value: float
    low: float
    high: float
    reason: str


@dataclass(frozen=True)
class LibraryEntry:
    """A named system: `kind` is "robot" or "target"; `source` says where its numbers are from.

    `group` is the heading under which it is listed. `assumed` holds the numbers that no source
    gives. `posture` is a usual configuration: positions of all its joints by name, rad or m;
    empty where none is more usual than zero. `notes` are sentences about what else was read,
    repaired or assumed: limits, shapes, spin.
    """

    name: str
    kind: str
    title: str
    source: str
    build: Callable[[], System]
    group: str = ""
    assumed: tuple[Assumption, ...] = ()
    posture: Mapping[str, float] = field(default_factory=dict, hash=False)
    notes: tuple[str, ...] = ()


def library_entry(
    name: str,
    kind: str,
    title: str,
    source: str,
    *,
    group: str,
    assumed: tuple[Assumption, ...] = (),
    posture: Mapping[str, float] | None = None,
    notes: tuple[str, ...] = (),
) -> Callable[[Callable[[], System]], LibraryEntry]:
    """Makes a library entry of the function that builds its system."""

    def made(build: Callable[[], System]) -> LibraryEntry:
        return LibraryEntry(
            name=name,
            kind=kind,
            title=title,
            source=source,
            build=build,
            group=group,
            assumed=assumed,
            posture=dict(posture or {}),
            notes=notes,
        )

    return made
