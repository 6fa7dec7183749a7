"""`summary.json` and the record of an encounter say the same, whichever way one goes."""

from __future__ import annotations

import copy
import io
import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

import percuss
from percuss.cli.show import show_encounter
from percuss.encounter.records.result import EncounterResult
from percuss.encounter.summary.plain_data import (
    encounter_of,
    read_summary,
    summary_of,
    summary_text,
)
from percuss.io.plain_data import PlainDataError
from percuss.report.page import page
from tests.report import scripts

SCENARIOS = Path(__file__).parents[2] / "scenarios"
FILES = sorted(path for path in SCENARIOS.rglob("*.yaml") if path.name != "sensors.yaml")
MADE_UP = (scripts.mission, scripts.bounces, scripts.miss, scripts.hit, scripts.pulse, scripts.held)

Place = tuple[str | int, ...]


def told(encounter: EncounterResult) -> str:
    console = Console(file=io.StringIO(), width=100)
    show_encounter(console, encounter)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_result_folder_gives_back_the_record_of_its_run(path: Path, tmp_path: Path) -> None:
    result = percuss.run(percuss.load(path, {"duration": "1 s"}))
    file = result.save(tmp_path / "out") / "summary.json"
    found = read_summary(file)
    assert found == result.encounter
    assert summary_of(found) == result.summary
    assert json.dumps(summary_of(found)) == summary_text(result.encounter), "in the same order"
    assert told(found) == told(result.encounter)
    assert page(result.record, found, result.scenario_text) == result.page()


@pytest.mark.parametrize("make", MADE_UP)
def test_every_kind_of_end_comes_back(make: Any) -> None:
    encounter = make().encounter
    text = summary_text(encounter)
    assert encounter_of(json.loads(text)) == encounter
    assert summary_text(encounter_of(json.loads(text))) == text


def test_the_keys_stand_in_their_order() -> None:
    assert list(summary_of(scripts.mission().encounter)) == [
        "name",
        "closure",
        "planar",
        "mode",
        "status",
        "outcome",
        "phases",
        "approach",
        "impact",
        "impacts",
        "contact",
        "stabilisation",
        "final",
        "balance",
        "control",
        "peak",
        "limits",
        "integration",
        "laws",
        "verdict",
        "warnings",
        "advice",
        "notices",
        "orbit",
    ]


def test_a_summary_is_a_copy() -> None:
    encounter = scripts.mission().encounter
    written = summary_of(encounter)
    written["control"]["law"] = "none"
    written["peak"]["joint_reaction"].clear()
    assert encounter.control.law == "detumble"
    assert encounter.peak.joint_reaction


# --- files that are not summaries ---------------------------------------------------------------


def written(tmp_path: Path, text: str | bytes) -> Path:
    path = tmp_path / "summary.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize("share", [0.0, 0.001, 0.1, 0.5, 0.9, 0.999])
def test_a_file_that_is_cut_off_is_refused(tmp_path: Path, share: float) -> None:
    text = summary_text(scripts.mission().encounter)
    path = written(tmp_path, text[: int(share * len(text))])
    with pytest.raises(PlainDataError, match="is no JSON, or is cut off") as error:
        read_summary(path)
    assert str(path) in str(error.value)


def test_objects_nested_without_end_are_refused(tmp_path: Path) -> None:
    summary = summary_of(scripts.mission().encounter)
    summary["control"] = {"law": "@"}
    deep = '{"a": ' * 600 + "1" + "}" * 600
    path = written(tmp_path, json.dumps(summary).replace('"@"', deep))
    with pytest.raises(PlainDataError, match="nested too deeply"):
        read_summary(path)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[]", "must be an object, as in summary.json"),
        ("3", "must be an object, as in summary.json"),
        ("{}", "name: is missing; must be a text"),
        ('{"name": "a", "name": "b"}', "the key 'name' stands twice in one object"),
        (b"\xff\xfe\x00", "is no JSON"),
        ("[" * 100_000, "is no JSON"),
        ('{"scenario": "x", "before": {}}', "scenario: unknown key, got 'x'. "),
    ],
)
def test_a_foreign_file_is_refused(tmp_path: Path, text: str | bytes, words: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(PlainDataError) as error:
        read_summary(path)
    assert str(error.value).startswith(f"{path}: ")
    assert words in str(error.value)


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(percuss.ModelError, match=r"is a folder; expected the summary\.json"):
        read_summary(tmp_path)
    with pytest.raises(FileNotFoundError):
        read_summary(tmp_path / "summary.json")


# --- values that are none -----------------------------------------------------------------------


def places(value: Any, place: Place = ()) -> Iterator[tuple[Place, Any]]:
    """Every key of a summary whose value has a type of its own, and what stands there."""
    if place:
        yield place, value
    if place[-1:] == ("control",) and place[:1] != ("peak",):
        return  # As the scenario has it: anything may stand there.
    if isinstance(value, dict):
        for key, entry in value.items():
            if key not in ("impact", "verdict") or place:
                yield from places(entry, (*place, key))
    elif isinstance(value, list):
        for k, entry in enumerate(value):
            yield from places(entry, (*place, k))


def shown(place: Place) -> str:
    text = "".join(f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in place)
    return text.removeprefix(".")


def put(whole: dict[str, Any], place: Place, value: Any) -> dict[str, Any]:
    """The summary with another value somewhere; without the key for `...`."""
    changed = copy.deepcopy(whole)
    inner: Any = changed
    for part in place[:-1]:
        inner = inner[part]
    if value is ...:
        del inner[place[-1]]
    else:
        inner[place[-1]] = value
    return changed


@cache
def summary(name: str) -> dict[str, Any]:
    """A summary that is whole: of an end by its name, or of a robot whose joints have limits."""
    if name != "limited":
        return summary_of(next(make for make in MADE_UP if make.__name__ == name)().encounter)
    return percuss.run(percuss.load(SCENARIOS / "ets-vii.yaml", {"duration": "1 s"})).summary


EVERY = pytest.mark.parametrize("name", [*(make.__name__ for make in MADE_UP), "limited"])
OPEN = ("joint_reactions", "joint_reaction", "joints")
"""Objects whose keys are names of joints."""


@EVERY
def test_every_missing_key_is_named(name: str) -> None:
    for place, _ in places(summary(name)):
        if not isinstance(place[-1], str) or place[-2:-1] in {(key,) for key in OPEN}:
            continue  # One entry fewer, or a joint fewer, is another robot.
        with pytest.raises(PlainDataError) as error:
            encounter_of(put(summary(name), place, ...), "a.json")
        if place[:2] == ("final", "target") and len(place) > 2:
            # Whether it is in the plane or in space is told by its keys.
            words = "a.json: final.target: must be an object with position, angle,"
        else:
            words = f"a.json: {shown(place)}: is missing; must be "
        assert str(error.value).startswith(words)


@EVERY
@pytest.mark.parametrize("value", [{"x": 1}, ["y"], "z", True, -1.5], ids=str)
def test_every_value_of_another_type_is_named(name: str, value: Any) -> None:
    for place, old in places(summary(name)):
        # None stands where something else may be; a control block may hold anything.
        if old is None or type(old) is type(value):
            continue
        if isinstance(value, float) and is_axial(place):
            continue
        if isinstance(value, dict) and place[-1] == "control":
            continue
        with pytest.raises(PlainDataError) as error:
            encounter_of(put(summary(name), place, value), "a.json")
        assert str(error.value).startswith(f"a.json: {shown(place)}"), place


def is_axial(place: Place) -> bool:
    """Whether one number stands there in the plane and three in space."""
    return place[-1] in ("moment", "base_moment", "angular_momentum") or (
        place[-2:-1] == ("angular_momentum",)
    )


@EVERY
@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_what_is_not_finite_is_refused_everywhere(name: str, value: float) -> None:
    for place, old in places(summary(name)):
        if isinstance(old, float):
            text = json.dumps(put(summary(name), place, value))
            with pytest.raises(PlainDataError) as error:
                encounter_of(json.loads(text), "a.json")
            assert f"a.json: {shown(place)}: must be " in str(error.value)
            assert f"got {value!r}" in str(error.value)


@EVERY
def test_an_unknown_key_is_named_wherever_it_stands(name: str) -> None:
    for place, old in places(summary(name)):
        if not isinstance(old, dict) or place[-1] == "control" or place == ("final", "target"):
            continue
        with pytest.raises(PlainDataError) as error:
            encounter_of(put(summary(name), (*place, "colour"), "red"), "a.json")
        assert f"a.json: {shown((*place, 'colour'))}: " in str(error.value)
        assert "'red'" in str(error.value)


def test_a_misspelt_key_is_told_its_name() -> None:
    changed = put(summary("mission"), ("balance", "enrgy"), 1.0)
    with pytest.raises(PlainDataError, match=r"balance\.enrgy: unknown key, got 1\.0\. Did you"):
        encounter_of(changed)


@pytest.mark.parametrize(
    ("place", "value", "words"),
    [
        (("status",), "lost", "status: must be one of captured, bounced, missed, pushed, held,"),
        (("laws", 0, "state"), "fine", "laws[1].state: must be one of kept, lost, passed on"),
        (("approach", "by"), "hand", "approach.by: must be one of point, surface, got 'hand'"),
        (("impact",), None, "impact: must be the last of impacts, got None"),
        (("impact",), ..., "impact: is missing; must be the last of impacts"),
        (("verdict",), ["fine"], "verdict: must be the texts of laws and warnings"),
        (("phases", 0, "steps"), 1.5, "phases[1].steps: must be a whole number, got 1.5"),
        (("planar",), 1, "planar: must be true or false, got 1"),
        (("impacts", 0, "moment"), "much", "impacts[1].moment: must be a finite number or a list"),
        (("control",), [1], "control: must be an object of plain values"),
        (("control", "kp"), float("nan"), "control: must be an object of plain values"),
        (("final", "time"), 10**400, "final.time: must be a finite number, got 1000"),
    ],
)
def test_what_is_allowed_is_told(place: Place, value: Any, words: str) -> None:
    with pytest.raises(PlainDataError) as error:
        encounter_of(put(summary("mission"), place, value), "a.json")
    assert str(error.value).startswith(f"a.json: {words}")


def test_what_is_not_finite_is_not_written() -> None:
    case = scripts.mission()
    never = replace(case.encounter.final, time=float("nan"))
    with pytest.raises(ValueError, match="not JSON compliant"):
        summary_text(case.changed(final=never).encounter)
