"""What is wrong with a scenario: file, line, field, value, and what is allowed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from percuss.encounter.errors import Path, shortened, shown, shown_path
from percuss.model.errors import ModelError, closest

MOST_PROBLEMS = 20


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong: where in the document, and a sentence that says what to do."""

    path: Path
    message: str
    place: str = ""
    """ "capture.yaml, line 3: " or "--set target.mass=abc: ", empty when made in Python."""

    def __str__(self) -> str:
        field = shown_path(self.path)
        return f"{self.place}{field}{': ' if field else ''}{self.message}"


class ScenarioError(ModelError):
    """A scenario that cannot be right; `problems` lists what is wrong, one line each."""

    def __init__(self, problems: str | Iterable[Problem]) -> None:
        self.problems = () if isinstance(problems, str) else tuple(problems)
        text = problems if isinstance(problems, str) else _listed(self.problems)
        super().__init__(text)


class RefusedError(ValueError):
    """A value that a field does not take; the message says what it takes."""


def unknown_key(path: Path, given: Any, keys: Sequence[str]) -> Problem:
    """The problem of a key at the end of a path that is none of those allowed there."""
    key = str(path[-1])
    short = shortened(key)
    return Problem(
        path,
        f"unknown key {short!r}, got {short}: {shown(given)}.{closest(key, keys)} "
        f"Allowed here: {', '.join(keys)}",
    )


def _listed(problems: tuple[Problem, ...]) -> str:
    lines = list(dict.fromkeys(str(problem) for problem in problems))
    if len(lines) > MOST_PROBLEMS:
        lines = [*lines[:MOST_PROBLEMS], f"… and {len(lines) - MOST_PROBLEMS} more"]
    return "\n".join(lines)
