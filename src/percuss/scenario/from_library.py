"""Robots and objects by their names in the library, or as systems of the user's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from percuss.encounter.errors import Path
from percuss.model.document import system_from_dict
from percuss.model.errors import ModelError, choices, closest
from percuss.model.library.registry import known, robot, robots
from percuss.model.systems import System
from percuss.scenario.errors import Problem, RefusedError
from percuss.scenario.fields import Reader, Text

_FILES = {".urdf": "urdf", ".xacro": "urdf", ".xml": "mjcf", ".yaml": "system", ".yml": "system"}
"""Keys for model files, by suffix."""
GRIP = "grip"
"""The frame of an object at which it is touched unless another point is given."""


@dataclass(frozen=True)
class FromLibrary(Reader):
    """A name in the library, or what `save_system` writes of a system; `kind` of the library's.

    In Python a `System` itself is given, of which the document holds what would be saved.
    """

    kind: str

    def read(self, value: Any) -> str | System:
        if not isinstance(value, Mapping):
            return Text("a name").read(value)
        try:
            return system_from_dict(value)
        except ModelError as error:
            raise RefusedError(f"is neither a name nor a system: {error}") from None

    def schema(self) -> dict[str, Any]:
        names = [entry.name for entry in robots() if entry.kind == self.kind]
        system = {"type": "object", "required": ["name", "bodies", "joints"]}
        return {"anyOf": [{"enum": names}, system]}


def system_of(given: str | System) -> System:
    """The system that a field holds, or whose name in the library it holds."""
    return given if isinstance(given, System) else robot(given)


def name_of(given: str | System | None) -> str:
    """The name of a system, or the name or file by which one is given."""
    return given.name if isinstance(given, System) else str(given)


def library_rules(given: str | System, kind: str, at: Path) -> Iterator[Problem]:
    """A name that the library has; an object that is one body, which is all that is captured."""
    if isinstance(given, System):
        if kind == "target" and len(given.bodies) != 1:
            count = f"{given.name!r}, which has {len(given.bodies)}"
            yield Problem(at, f"must be a system of one body, got {count}")
        return
    found = known(given)
    if found is None or found.kind != kind:
        named = [entry.name for entry in robots() if entry.kind == kind]
        what = "is not in the library" if found is None else f"is a {found.kind}"
        key = _FILES.get(PurePath(given).suffix) if kind == "robot" else None
        hint = f" For a file write {key}: {given}." if key else closest(given, named)
        there = choices(given, named)
        yield Problem(at, f"{given!r} {what}.{hint} Allowed: {there} (percuss robots)")
