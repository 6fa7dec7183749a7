"""Python files that a scenario names: where they may be, and that nothing runs unless allowed.

Loading and checking a scenario executes nothing. A law in a Python file runs when the user has
allowed it, and only from a file beside the scenario or below it, wherever links lead.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path as FilePath
from typing import TYPE_CHECKING

from percuss.encounter.errors import Path, shown, shown_path
from percuss.io.reading import file_bytes
from percuss.scenario.control import PythonBlock
from percuss.scenario.document import Origin
from percuss.scenario.errors import Problem, ScenarioError

if TYPE_CHECKING:
    from percuss.scenario.model import Scenario

MOST_BYTES = 1_000_000
"""Of a file with a law, which is a page or two."""


def code_problems(scenario: Scenario, origin: Origin) -> list[Problem]:
    """What is wrong with the places of the Python files that a scenario names."""
    found = []
    for at, control in _laws(scenario):
        problem = _misplaced(control.file, origin)
        found += [Problem((*at, "file"), problem)] if problem else []
    return found


def code_wanted(scenario: Scenario) -> tuple[str, ...]:
    """What a run of the scenario would execute, one sentence for each file."""
    return tuple(
        f"{shown_path((*at, 'file'))}: {_place(control.file, scenario.origin)} is Python code that "
        "this scenario runs"
        for at, control in _laws(scenario)
    )


def refuse_code(scenario: Scenario, *, replaced: bool = False) -> None:
    """ScenarioError where a run would execute a file that the user has not allowed.

    `replaced`: the law after the impact is not the scenario's own.
    """
    for at, control in _laws(scenario):
        if not (replaced and at == ("control",)):
            _refuse(scenario, control.file, at)


def allowed_code(scenario: Scenario, control: PythonBlock, at: Path) -> tuple[FilePath, bytes]:
    """The place of a law's file, and what is in it; ScenarioError unless it is allowed to run.

    What was checked is what is read: the place is where all links lead.
    """
    name = control.file
    field = shown_path((*at, "file"))
    _refuse(scenario, name, at)
    problem = _misplaced(name, scenario.origin)
    if problem:
        raise ScenarioError(f"{field}: {problem}")
    place = _place(name, scenario.origin)
    try:
        return place, file_bytes(place, "a Python file", MOST_BYTES)
    except OSError as error:
        raise ScenarioError(f"{field}: {place} cannot be read: {error.strerror}") from error


def _refuse(scenario: Scenario, name: str, at: Path) -> None:
    if not scenario.origin.allow_code:
        raise ScenarioError(
            f"{shown_path((*at, 'file'))}: {_place(name, scenario.origin)} is Python code that "
            "this scenario wants to run, and such code can do whatever you can. Read it; where "
            "you trust it, allow it with --allow-code (in Python: allow_code=True)"
        )


def _laws(scenario: Scenario) -> Iterator[tuple[Path, PythonBlock]]:
    for at, control in scenario.controls.items():
        if isinstance(control, PythonBlock):
            yield at, control


def _place(name: str, origin: Origin) -> FilePath:
    return FilePath(os.path.realpath(origin.folder / name))


def _misplaced(name: str, origin: Origin) -> str:
    """Why a law cannot be in this file, empty where it can."""
    place, folder = _place(name, origin), FilePath(os.path.realpath(origin.folder))
    if not place.is_relative_to(folder):
        return (
            f"must be a Python file beside the scenario or below it, in {folder}, got "
            f"{shown(name)}, which is {place}"
        )
    if not place.is_file():
        return f"there is no file {shown(str(origin.folder / name))}, a Python file with the law"
    for own in {FilePath(origin.file), folder / FilePath(origin.file).name} if origin.file else ():
        if own.is_file() and own.samefile(place):
            return f"is the scenario itself, got {shown(name)}; a law has a Python file of its own"
    return ""
