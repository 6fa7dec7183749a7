"""Texts that expand without end, hold themselves, or are numbers without end: refused at once."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

import percuss
from percuss.scenario import ScenarioError
from tests.cli.test_run import THESIS, percuss_command

LEVELS = 30
BOMB = "[&a0 [1, 1]" + "".join(f", &a{k} [*a{k - 1}, *a{k - 1}]" for k in range(1, LEVELS)) + "]"
SETTINGS = {
    "bomb": f"control.believes={BOMB}",
    "bomb in a mapping": f"control.believes={{target.mass: {BOMB}}}",
    "bomb as a number": f"target.mass={BOMB}",
    "holds itself": "target.mass=&a [*a]",
    "mapping that holds itself": "target=&a {mass: *a}",
    "hexadecimal": f"target.mass=0x{'f' * 4000}",
    "decimal": f"target.mass={'9' * 4000}",
    "binary": f"target.mass=0b{'1' * 20000}",
    "octal": f"target.mass=0{'7' * 6000}",
    "sixties": "target.mass=1" + ":59" * 3000,
    "sixties with a fraction": "target.mass=1" + ":59" * 3000 + ".5",
    "as the seed": f"seed=0x{'f' * 4000}",
    "as a key": f"chaser.parameters={{0x{'f' * 4000}: 1}}",
    "in the name": f"name=0x{'f' * 4000}",
    "deep": "target.mass=" + "[" * 3000 + "]" * 3000,
}


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("where", ["set", "file"])
def test_hostile_values_are_refused_at_once(
    name: str,
    where: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    setting = SETTINGS[name]
    path, _, value = setting.partition("=")
    arguments: list[str | Path] = ["check", THESIS, "--set", setting]
    if where == "file":
        place = tmp_path / "s.yaml"
        lines = THESIS.read_text().splitlines()
        block = path.partition(".")[0]
        kept = [line for line in lines if not line.startswith((f"{block}:", "duration"))]
        if block in ("chaser", "target"):
            pytest.skip("the rest of the block is needed")
        nested = f"{block}: {value}" if path == block else f"{block}: {{believes: {value}}}"
        place.write_text("\n".join([*kept, "duration: 1 s", nested, ""]))
        arguments = ["check", place]
    started = time.perf_counter()
    assert percuss_command(monkeypatch, *arguments) == 2
    assert time.perf_counter() - started < 15.0
    error = capsys.readouterr().err
    assert error.startswith("percuss: error: ")
    assert len(error) < 20_000


def nested() -> Any:
    value: Any = [1.0]
    for _ in range(LEVELS):
        value = [value, value]
    return value


def holding_itself() -> Any:
    value: list[Any] = []
    value.append(value)
    return value


@pytest.mark.parametrize("make", [nested, holding_itself])
def test_python_values_are_refused_too(make: Any) -> None:
    scenario = percuss.load(THESIS)
    for path in ("target.mass", "control.believes"):
        with pytest.raises(ScenarioError):
            percuss.with_overrides(scenario, {path: make()})


def test_ordinary_aliases_are_read() -> None:
    text = THESIS.read_text().replace("mass: 15", "mass: &m 15")
    text = text.replace("control: {law: none}", "seed: *m")
    assert percuss.loads(text).seed == 15


@pytest.mark.parametrize(
    ("settings", "count"),
    [
        ({"control": "{law: python, file: law.py, period: 1e-9}"}, "10000000000 samples"),
        ({"control": "{law: python, file: law.py, period: 1e-3}", "duration": "1e6"}, "samples"),
    ],
)
def test_a_period_without_end_is_refused_with_the_count(
    settings: dict[str, str], count: str, tmp_path: Path
) -> None:
    (tmp_path / "law.py").write_text("")
    place = tmp_path / "s.yaml"
    place.write_text(THESIS.read_text())
    with pytest.raises(ScenarioError, match=rf"control\.period: .*{count}"):
        percuss.load(place, settings)


def test_the_period_of_an_approach_too(tmp_path: Path) -> None:
    (tmp_path / "law.py").write_text("")
    place = tmp_path / "s.yaml"
    place.write_text(THESIS.read_text())
    settings = {
        "approach": "{capture-radius: 0.01, timeout: 60 s, "
        "control: {law: python, file: law.py, period: 1e-9}}",
        "target.position": "[9, 9]",
        "target.angle": "0",
    }
    with pytest.raises(ScenarioError, match=r"approach\.control\.period: .*60000000000 samples"):
        percuss.load(place, settings)


def test_a_delay_of_too_many_samples_is_refused() -> None:
    settings = {
        "impact": "{closure: pulse, force: [0, -1000], duration: 10 ms}",
        "control": "{law: ic2, period: 1e-4, compensation: {delay: 1}}",
        "target": "null",
        "duration": "1",
    }
    with pytest.raises(ScenarioError, match=r"compensation\.delay: .*10000 samples"):
        percuss.load(THESIS, settings)
