"""`summary.json`: the record of an encounter as plain data, and back."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from percuss.encounter.records.control import ControlRecord
from percuss.encounter.records.result import EncounterResult
from percuss.impact.verdict import ConservationLaw
from percuss.io.plain_data import Forms, OwnForm, PlainDataError, shown
from percuss.io.reading import file_bytes

LARGEST_FILE = 1_000_000_000
"""Bytes of a summary that is read; thousands of bounces of an arm of ten joints take 10 MB."""

_LISTING = "files"
"""The key under which a result folder lists its files."""

_REPEATED = {"impact": "the last of impacts", "verdict": "the texts of laws and warnings"}
"""Keys that repeat what stands under others, for readers of the file."""


def summary_of(result: EncounterResult) -> dict[str, Any]:
    """The record of an encounter under the names that stay stable.

    Vectors are flat lists, numbers are SI. `impact` is the last of `impacts`, or None; `verdict`
    has one line for each conservation law and each warning.
    """
    summary: dict[str, Any] = {}
    for key, value in _FORMS.written(result).items():
        if key == "impacts":
            summary["impact"] = value[-1] if value else None
        if key == "warnings":
            summary["verdict"] = list(result.verdict)
        summary[key] = value
    return summary


def encounter_of(summary: Mapping[str, Any], source: str = "summary") -> EncounterResult:
    """The record of an encounter from its summary; the exact inverse of `summary_of`.

    PlainDataError, which names `source`, the key, what stands there and what is allowed, where
    the summary is not one that `summary_of` writes.
    """
    if not isinstance(summary, Mapping):
        raise PlainDataError(f"{source}: must be an object, as in summary.json")
    left_out = {*_REPEATED, _LISTING}
    own = {key: value for key, value in summary.items() if key not in left_out}
    found = _FORMS.read(EncounterResult, own, source)
    expected = summary_of(found)
    for key, words in _REPEATED.items():
        if key not in summary:
            raise PlainDataError(f"{source}: {key}: is missing; must be {words}")
        if summary[key] != expected[key]:
            raise PlainDataError(f"{source}: {key}: must be {words}, got {shown(summary[key])}")
    return found


def summary_text(result: EncounterResult) -> str:
    """The text of `summary.json`."""
    return json.dumps(summary_of(result), allow_nan=False)


def read_summary(path: str | Path) -> EncounterResult:
    """The record of an encounter from the `summary.json` of a result folder.

    PlainDataError for a file that is cut off or is not the summary of a run. OSError where the
    file cannot be read.
    """
    data = file_bytes(path, "the summary.json of a run", LARGEST_FILE)
    try:
        summary = json.loads(data, object_pairs_hook=_each_once)
    except (ValueError, RecursionError) as error:
        raise PlainDataError(f"{path}: is no JSON, or is cut off: {error}") from error
    try:
        return encounter_of(summary, str(path))
    except RecursionError as error:
        raise PlainDataError(f"{path}: objects are nested too deeply for a summary") from error


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r} stands twice in one object")
    return found


def _control(data: Any) -> ControlRecord:
    """A control block, which may hold whatever a scenario file can."""
    if not isinstance(data, Mapping) or not _is_plain(data):
        raise ValueError("an object of plain values with finite numbers")
    return ControlRecord(data)


def _is_plain(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(isinstance(key, str) and _is_plain(entry) for key, entry in value.items())
    if isinstance(value, list):
        return all(map(_is_plain, value))
    if isinstance(value, float):
        return math.isfinite(value)
    return value is None or isinstance(value, (bool, int, str))


_FORMS = Forms(
    keys={ConservationLaw: {"name": "law"}},
    own={ControlRecord: OwnForm(lambda control: copy.deepcopy(dict(control.settings)), _control)},
)
