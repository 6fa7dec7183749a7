"""What tests of compiled code on disk have in common: scenarios with every number changed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import percuss
from percuss.scenario import ScenarioError

SCENARIOS = Path(__file__).parents[2] / "scenarios"
TITLES = ("name", "seed", "output")
"""Keys of a scenario on which no motion depends."""


def numbers(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every number of a raw document by its path, with another one in its place."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from numbers(part, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list):
        for k, part in enumerate(value, 1):
            yield from numbers(part, f"{path}[{k}]")
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield path, 1.01 * value + (0.0 if value else 0.01)
    elif isinstance(value, str) and (found := re.fullmatch(r"([-+.\de]+)( .*)", value)):
        yield path, f"{1.01 * float(found[1]) or 0.01}{found[2]}"


def changed(scenario: percuss.Scenario) -> Iterator[tuple[str, percuss.Scenario]]:
    """The scenario with each of its numbers changed, one at a time, where that makes sense."""
    for path, value in numbers(scenario.document):
        try:
            yield path, percuss.with_overrides(scenario, {path: value})
        except ScenarioError:
            continue


def refused(*_: Any) -> Any:
    raise AssertionError("it was traced again")
