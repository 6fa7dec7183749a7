"""The library's entries by name."""

from __future__ import annotations

from dataclasses import replace

from percuss.model.errors import ModelError, choices, closest
from percuss.model.library import (
    canadarms,
    demo,
    documents,
    ets_vii,
    frend,
    laboratory,
    planar,
    servicers,
    shapes,
    station_arms,
    targets,
)
from percuss.model.library.entry import Assumption, LibraryEntry
from percuss.model.systems import System

_FAMILIES = (
    documents,
    planar,
    demo,
    canadarms,
    ets_vii,
    frend,
    laboratory,
    station_arms,
    servicers,
    shapes,
    targets,
)
"""In the order in which they are listed."""

_LIBRARY = {entry.name: entry for family in _FAMILIES for entry in family.ENTRIES}


def robots() -> tuple[LibraryEntry, ...]:
    """Everything in the library."""
    return tuple(_LIBRARY.values())


def entry(name: str) -> LibraryEntry:
    """What the library knows about the robot or target of this name."""
    if name not in _LIBRARY:
        raise ModelError(
            f"the library has no robot {name!r}.{closest(name, _LIBRARY)} "
            f"There are: {choices(name, _LIBRARY)}"
        )
    return _LIBRARY[name]


def robot(name: str) -> System:
    """A robot or target of the library by name; `percuss robots` lists them."""
    found = entry(name)
    return replace(found.build(), name=name, source=found.source)


def assumptions(name: str) -> tuple[Assumption, ...]:
    """The numbers of this robot or target that no source gives, with their plausible ranges."""
    return entry(name).assumed
