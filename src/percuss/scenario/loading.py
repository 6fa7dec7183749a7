"""Scenarios from files and texts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from percuss.model.errors import ModelError
from percuss.model.file_bytes import file_bytes
from percuss.model.yaml_text import parse_yaml
from percuss.scenario.document import Origin
from percuss.scenario.errors import ScenarioError, shown
from percuss.scenario.model import Scenario
from percuss.scenario.overrides import with_overrides

MOST_BYTES = 1_000_000
"""A scenario is a page or two; more is another file."""


def load(path: str | Path, settings: Mapping[str, Any] | None = None) -> Scenario:
    """The scenario in a YAML file; ScenarioError with file, line and field if it is not right.

    `settings` replace values before anything is checked; see `with_overrides`.
    """
    document, origin = load_document(path)
    if settings:
        return with_overrides(document, settings, origin)
    return Scenario.from_document(document, origin)


def loads(text: str, file: str = "<text>", folder: str | Path | None = None) -> Scenario:
    """The scenario in a text; `file` names it in errors, `folder` is where its files are."""
    document, origin = parse_document(text, file, folder)
    return Scenario.from_document(document, origin)


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
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise ScenarioError(
            f"{path}, line {line}: not text in UTF-8: byte 0x{data[error.start]:02x} "
            f"at position {error.start}"
        ) from None
    return parse_document(text, str(path), place.resolve().parent)


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
    return document, Origin(file, Path.cwd() if folder is None else Path(folder), text)
