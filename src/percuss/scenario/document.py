"""The raw document of a scenario: plain nested mappings and lists, with the lines they stand in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any

import numpy as np
import yaml

from percuss.encounter.errors import Path, shown
from percuss.model.document import system_to_dict
from percuss.model.errors import ModelError
from percuss.model.systems import System
from percuss.model.yaml_text import Located, place
from percuss.scenario.errors import Problem, ScenarioError

MOST_NODES = 50_000
DEEPEST = 30

FREE_KEYS = (
    "chaser.parameters.",
    "chaser.joints.",
    "chaser.velocity.joints.",
    "control.believes.",
    "control.goal.joints.",
    "approach.control.believes.",
    "approach.control.goal.joints.",
)
"""Mappings whose keys are names, which may contain dots."""
_ARM_JOINTS = re.compile(r"(chaser\.arms\.[^.\[\]]+\.joints)\.(.+)")
"""Another one: the joints of an arm."""


@dataclass(frozen=True)
class Origin:
    """Where a document came from: `text` as it was read, `settings` by path as given.

    `allow_code` says whether the user has allowed the Python files that it names to run.
    """

    file: str = ""
    folder: FilePath = field(default_factory=FilePath.cwd)
    text: str = ""
    settings: Mapping[Path, str] = field(default_factory=dict)
    allow_code: bool = False

    def place(self, document: Any, path: Path) -> str:
        """Where in the file, or by which setting, the value at a path came about."""
        for setting, text in self.settings.items():
            if path[: len(setting)] == setting:
                return f"--set {text}: "
        if not self.file:
            return ""
        line = line_of(document, path)
        return f"{self.file}, line {line}: " if line else f"{self.file}: "


def located(problems: Iterable[Problem], document: Any, origin: Origin) -> list[Problem]:
    """The problems with their places."""
    result = []
    for problem in problems:
        path = written(problem.path, document)
        where = problem.place or origin.place(document, path)
        result.append(Problem(path, problem.message, where))
    return result


def written(path: Path, document: Any) -> Path:
    """The path as it is written: short forms have no keys of their own.

    A missing key of a mapping that is there stays at the end.
    """
    parts: list[str | int] = []
    for k, part in enumerate(path):
        if _holds(document, part):
            document = document[part]
            parts.append(part)
        elif isinstance(document, Mapping):
            return (*parts, *path[k:])
    return tuple(parts)


def line_of(document: Any, path: Path) -> int:
    """The line of the value at a path, or of the nearest part above it that is there."""
    line = document.line if isinstance(document, Located) else 0
    for part in path:
        if not _holds(document, part):
            break
        if isinstance(document, Located):
            line = document.lines.get(part, line)
        document = document[part]
        if isinstance(part, int) and isinstance(document, Located):
            line = document.line
    return line


def tidy(document: Any, origin: Origin) -> dict[str, Any]:
    """A copy of plain values; ScenarioError for what no scenario can hold."""
    if document is None:
        raise ScenarioError(f"{origin.file or 'scenario'}: is empty; expected chaser, impact, …")
    if not isinstance(document, Mapping):
        what = "a scenario must be a mapping with chaser, target, impact, duration …"
        raise ScenarioError(
            f"{origin.file + ': ' if origin.file else ''}{what}, got {shown(document)}"
        )
    tidier = _Tidier()
    result = tidier.copy(document, ())
    if tidier.problems:
        raise ScenarioError(located(tidier.problems, document, origin))
    return result


class _Tidier:
    """Copies a document, counts its nodes, and notes what does not belong."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.nodes = 0

    def copy(self, value: Any, path: Path) -> Any:
        self.nodes += 1
        if self.nodes > MOST_NODES:
            raise ScenarioError(
                f"the document has more than {MOST_NODES} values, aliases counted; "
                "a scenario is not that large"
            )
        if len(path) > DEEPEST:
            raise ScenarioError(
                [Problem(path[:4], "is nested too deeply to be part of a scenario")]
            )
        if isinstance(value, System):
            value = self._system(value, path)
        if isinstance(value, Mapping):
            return self._mapping(value, path)
        if isinstance(value, np.ndarray):
            value = value.tolist()
        if isinstance(value, (list, tuple)):
            return [self.copy(entry, (*path, k)) for k, entry in enumerate(value)]
        if isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, FilePath):
            value = str(value)
        if value is None:
            self.problems.append(Problem(path, "is empty; give a value, or leave the key out"))
        elif not isinstance(value, (str, int, float, bool)):
            kind = type(value).__name__
            self.problems.append(
                Problem(path, f"must be a number, a text, a list or a mapping, got a {kind}")
            )
        return value

    def _system(self, system: System, path: Path) -> Mapping[str, Any]:
        """A system as it would be saved, where one may be."""
        if path[-1:] not in (("robot",), ("object",)):
            places = "as robot of a chaser, a base or an arm, or as object of a target"
            self.problems.append(Problem(path, f"is a System; one may be given {places}"))
            return {}
        try:
            return system_to_dict(system)
        except ModelError as error:
            self.problems.append(Problem(path, f"is a System that cannot be saved: {error}"))
            return {}

    def _mapping(self, value: Mapping[Any, Any], path: Path) -> dict[str, Any]:
        result: dict[str, Any] = {}
        if isinstance(value, Located):
            result = Located()
            result.file, result.line, result.lines = value.file, value.line, dict(value.lines)
        for key, entry in value.items():
            if not isinstance(key, str):
                message = f"a key must be text, got {shown(key)}; quote it"
                self.problems.append(Problem((*path, str(key)), message, place(value, key)))
                continue
            result[key] = self.copy(entry, (*path, key))
        return result


def to_text(document: Any) -> str:
    """The document as YAML that reads back as the same."""
    return yaml.safe_dump(_plain(document), sort_keys=False, allow_unicode=True, width=100)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_plain(entry) for entry in value]
    # Numbers of NumPy are numbers too, but YAML does not know them.
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return (int if isinstance(value, int) else float)(value) if is_number else value


def parse_path(text: str) -> Path:
    """`chaser.arm[2].mass` as keys and positions; ScenarioError when it is no path."""
    for prefix in FREE_KEYS:
        if text.startswith(prefix) and len(text) > len(prefix):
            return (*parse_path(prefix[:-1]), text[len(prefix) :])
    of_arm = _ARM_JOINTS.fullmatch(text)
    if of_arm:
        return (*parse_path(of_arm[1]), of_arm[2])
    parts: list[str | int] = []
    position = 0
    pattern = re.compile(r"(?:^|\.)([^.\[\]\s=]+)|\[(\d{1,6})\]")
    while position < len(text):
        found = pattern.match(text, position)
        if not found or (found[2] is not None and (not parts or int(found[2]) == 0)):
            raise ScenarioError(
                f"--set {text}: not a path; write it like target.mass or chaser.arm[2].mass, "
                "list positions from 1"
            )
        parts.append(found[1] if found[1] is not None else int(found[2]) - 1)
        position = found.end()
    if not parts:
        raise ScenarioError("--set: the path is empty; write it like target.mass=20")
    return tuple(parts)


def value_at(document: Any, path: Path) -> Any:
    """The value at a path, None when there is none."""
    for part in path:
        if not _holds(document, part):
            return None
        document = document[part]
    return document


def _holds(node: Any, part: str | int) -> bool:
    if isinstance(node, list):
        return isinstance(part, int) and part < len(node)
    return isinstance(node, Mapping) and part in node
