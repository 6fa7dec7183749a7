"""Scenarios from files and texts."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from percuss.encounter.errors import shown
from percuss.encounter.provenance import by_file
from percuss.io.reading import file_bytes
from percuss.model.errors import ModelError, ModelNotice
from percuss.model.files import root_element
from percuss.model.yaml_text import parse_yaml
from percuss.scenario.document import Origin
from percuss.scenario.errors import ScenarioError
from percuss.scenario.model import Scenario
from percuss.scenario.overrides import with_overrides

MOST_BYTES = 1_000_000
"""A scenario is a page or two; more is another file."""


def load(path: str | Path, settings: Mapping[str, Any] | None = None) -> Scenario:
    """The scenario in a YAML file; ScenarioError with file, line and field if it is not right.

    `settings` replace values before anything is checked; see `with_overrides`. What had to be
    changed in the model files that it names is in `Scenario.notices`, and is told in one
    `ModelNotice`.
    """
    document, origin = load_document(path)
    if settings:
        scenario = with_overrides(document, settings, origin)
    else:
        scenario = Scenario.from_document(document, origin)
    return _noticed(scenario)


def loads(text: str, file: str = "<text>", folder: str | Path | None = None) -> Scenario:
    """The scenario in a text; `file` names it in errors, `folder` is where its files are."""
    document, origin = parse_document(text, file, folder)
    return _noticed(Scenario.from_document(document, origin))


def _noticed(scenario: Scenario) -> Scenario:
    """The scenario, after a warning that lists what was changed in its model files."""
    if scenario.notices:
        listed = "\n".join(by_file(scenario.notices))
        warnings.warn(listed, ModelNotice, stacklevel=3)
    return scenario


def load_document(path: str | Path) -> tuple[Any, Origin]:
    """The raw document of a file, and where it came from; not validated."""
    place = Path(path)
    try:
        data = file_bytes(place, "a scenario file (YAML)", MOST_BYTES)
    except ModelError as error:
        raise ScenarioError(str(error)) from None
    except FileNotFoundError:
        raise ScenarioError(f"{path}: there is no such file; expected a scenario (YAML)") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise ScenarioError(f"{shown(str(path))}: cannot be read: {reason}") from None
    _refuse_model(data, path)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise ScenarioError(
            f"{path}, line {line}: not text in UTF-8: byte 0x{data[error.start]:02x} "
            f"at position {error.start}"
        ) from None
    return parse_document(text, str(path), place.resolve().parent)


def _refuse_model(data: bytes, path: str | Path) -> None:
    """ScenarioError for a model file where a scenario is expected: what it is, and what to do."""
    kinds = {"robot": ("a URDF", "urdf"), "mujoco": ("an MJCF file", "mjcf")}
    root = root_element(data)
    if root in kinds:
        what, key = kinds[root]
        names = f"names it as chaser: {{{key}: {Path(path).name}}}"
        made = f" percuss new --urdf {path} writes one" if key == "urdf" else " percuss new helps"
        raise ScenarioError(
            f"{path}: this is {what}, not a scenario: percuss robots {path} shows the robot; a "
            f"scenario {names} and adds target, impact and duration;{made}"
        )


def parse_document(
    text: str, file: str = "<text>", folder: str | Path | None = None
) -> tuple[Any, Origin]:
    """The raw document of a text, and where it came from; not validated."""
    if len(text) > MOST_BYTES:
        raise ScenarioError(f"{file}: is larger than {MOST_BYTES // 1000} kB")
    try:
        document = parse_yaml(text, file)
    except ModelError as error:
        raise ScenarioError(str(error)) from None
    if isinstance(document, Mapping) and {"bodies", "joints"} <= set(document):
        raise ScenarioError(
            f"{file}: this is a saved system, not a scenario: percuss robots {file} shows it; a "
            f"scenario names it as chaser: {{system: {Path(file).name}}}"
        )
    return document, Origin(file, Path.cwd() if folder is None else Path(folder), text)
