"""The library's entries by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module

from percuss.model.errors import ModelError, choices, closest
from percuss.model.library.entry import Assumption, LibraryEntry
from percuss.model.systems import System

_FAMILIES = (
    "documents",
    "planar",
    "demo",
    "canadarms",
    "ets_vii",
    "frend",
    "laboratory",
    "station_arms",
    "servicers",
    "shapes",
    "targets",
)
"""Modules with entries, in the order in which these are listed. They are imported up to the one
that has the entry asked for: a run needs one robot, not the library."""


def _family(module: str) -> Mapping[str, LibraryEntry]:
    entries = import_module(f"percuss.model.library.{module}").ENTRIES
    return {entry.name: entry for entry in entries}


def robots() -> tuple[LibraryEntry, ...]:
    """Everything in the library."""
    return tuple(entry for module in _FAMILIES for entry in _family(module).values())


def known(name: str) -> LibraryEntry | None:
    """The entry of this name, or None."""
    return next((_family(module)[name] for module in _FAMILIES if name in _family(module)), None)


def entry(name: str) -> LibraryEntry:
    """What the library knows about the robot or target of this name."""
    found = known(name)
    if found is None:
        names = [each.name for each in robots()]
        raise ModelError(
            f"the library has no robot {name!r}.{closest(name, names)} "
            f"There are: {choices(name, names)}"
        )
    return found


def robot(name: str) -> System:
    """A robot or target of the library by name; `percuss robots` lists them."""
    found = entry(name)
    return replace(found.build(), name=name, source=found.source)


def assumptions(name: str) -> tuple[Assumption, ...]:
    """The numbers of this robot or target that no source gives, with their plausible ranges."""
    return entry(name).assumed
