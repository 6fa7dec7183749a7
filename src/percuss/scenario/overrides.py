"""Scenarios that differ from another in some values: `--set path=value`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import replace
from typing import Any

from percuss.encounter.errors import Path, shown, shown_path
from percuss.model.errors import ModelError
from percuss.model.yaml_text import parse_yaml
from percuss.scenario.control import Control, WithBelief
from percuss.scenario.document import Origin, parse_path, tidy, to_text
from percuss.scenario.errors import ScenarioError
from percuss.scenario.model import Scenario

_LONGEST = 200
"""Characters of a setting that a message repeats."""


def with_overrides(
    scenario: Scenario | Mapping[str, Any],
    settings: Mapping[str, Any],
    origin: Origin | None = None,
) -> Scenario:
    """The scenario (or raw document) with values replaced, validated anew.

    Paths are dotted with list positions from 1, `chaser.arm[2].mass`. A text is read as YAML,
    units included, `{"target.mass": "20 kg"}`; null removes the key, so that its default holds.
    Errors name the setting.
    """
    if isinstance(scenario, Scenario):
        document, origin = scenario.document, scenario.origin
    else:
        document, origin = scenario, origin or Origin()
    document = tidy(document, origin)
    texts = dict(origin.settings)
    for path_text, value in settings.items():
        given = f"{path_text}={_short(value)}"
        path = parse_path(path_text)
        created = _apply(document, path, _value(value, given), given)
        texts |= dict.fromkeys(created, given)
    changed = replace(origin, settings=texts)
    document = tidy(document, changed)  # counted before it is written out
    return Scenario.from_document(document, replace(changed, text=to_text(document)))


def parse_settings(settings: Iterable[str]) -> dict[str, str]:
    """`["target.mass=20"]` as a mapping; ScenarioError for one without `=`."""
    result = {}
    for setting in settings:
        path, equals, value = setting.partition("=")
        if not equals or not path.strip():
            raise ScenarioError(f"--set {setting}: write it as path=value, like target.mass=20")
        result[path.strip()] = value
    return result


def believed(scenario: Scenario, control: Control | None = None) -> Scenario:
    """The scenario as a controller believes it to be: its `believes` come true.

    `control` is one of the scenario's control blocks, by default the one after the impact.
    """
    control = scenario.control if control is None else control
    if not isinstance(control, WithBelief) or not control.believes:
        return scenario
    believing = [at for at, each in scenario.controls.items() if each.given("believes")]
    forgotten = {shown_path((*at, "believes")): None for at in believing}
    unbiased = with_overrides(scenario, forgotten)
    return with_overrides(unbiased, dict(control.believes))


def _short(value: Any) -> str:
    """A setting for a message: as it was given, its beginning where it is long."""
    text = value if isinstance(value, str) else shown(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _value(value: Any, given: str) -> Any:
    if not isinstance(value, str):
        # A later setting may reach into this one: what the caller gave stays as it is.
        return deepcopy(value)
    try:
        return parse_yaml(value, f"--set {given}")
    except ModelError as error:
        raise ScenarioError(str(error)) from None


def _apply(document: Any, path: Path, value: Any, given: str) -> list[Path]:
    """Put the value in its place; the paths that are now the setting's doing."""
    holder: Any = document
    created: list[Path] = []
    for depth, part in enumerate(path):
        here = path[: depth + 1]
        _check_part(holder, part, path[:depth], given)
        if depth == len(path) - 1:
            if value is None and isinstance(holder, dict):
                holder.pop(part, None)
            else:
                holder[part] = value
            created.append(here)
        elif isinstance(holder, dict) and part not in holder:
            holder[part] = {}
            created.append(here)
        if depth < len(path) - 1:
            holder = holder[part]
    return created


def _check_part(holder: Any, part: str | int, above: Path, given: str) -> None:
    where = shown_path(above)
    if isinstance(holder, list):
        if not isinstance(part, int):
            first = f"write {where}[1] for its first entry"
            raise ScenarioError(f"--set {given}: {where} is a list, got .{part}; {first}")
        if part >= len(holder):
            there = f"{where} has {len(holder)} entries"
            raise ScenarioError(f"--set {given}: {there}, got position {part + 1}")
    elif isinstance(holder, dict):
        if isinstance(part, int):
            raise ScenarioError(
                f"--set {given}: {where} is a mapping, got position [{part + 1}]; "
                f"it has {', '.join(map(str, holder))}"
            )
    else:
        raise ScenarioError(
            f"--set {given}: {where} is {shown(holder)}, which has no part "
            f"{part if isinstance(part, str) else part + 1!r}; set {where} itself"
        )
