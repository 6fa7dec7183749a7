"""Python files named by a scenario: nothing runs unless it is allowed, and what fails is said."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

import percuss
from percuss.encounter.ensemble.ensemble import Ensemble
from percuss.identification.data.measured import read_measured
from percuss.identification.data.sensors import read_sensors
from percuss.identification.identification import identify
from tests.cli.test_run import THESIS, percuss_command

FOLDER = Path(__file__).parents[2] / "scenarios" / "identify"
LAW = "def law(t, q, v, memory):\n    return -0.1 * v[:5], memory\n"
SPY = f"from pathlib import Path\nPath(__file__).with_name('ran').touch()\n{LAW}"


def written(folder: Path, code: str = SPY, *, control: str = "law: python, file: law.py") -> Path:
    """A scenario with a law in a file beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "law.py").write_text(code)
    place = folder / "s.yaml"
    text = THESIS.read_text().replace("duration: 10 s", "duration: 0.2 s")
    lines = [line for line in text.splitlines() if not line.startswith("control")]
    place.write_text("\n".join([*lines, f"control: {{{control}}}", ""]))
    return place


COMMANDS = [
    ["run"],
    ["run", "--json"],
    ["check"],
    ["check", "--json"],
    ["derive"],
    ["cop"],
    ["cop", "plan"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_no_command_runs_code_unasked(
    command: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    place = written(tmp_path / "given")
    runs = command[0] == "run" or command == ["cop", "plan"]
    assert percuss_command(monkeypatch, *command, place) == (2 if runs else 0)
    assert not (tmp_path / "given" / "ran").exists()
    if runs:
        error = capsys.readouterr().err
        assert str(tmp_path / "given" / "law.py") in error
        assert "--allow-code" in error


def test_check_says_what_would_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place = written(tmp_path)
    assert percuss_command(monkeypatch, "check", place, "--json") == 0
    (warning,) = json.loads(capsys.readouterr().out)["warnings"]
    assert str(tmp_path / "law.py") in warning
    assert "--allow-code" in warning


def test_allowed_code_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = written(tmp_path)
    out = tmp_path / "out"
    assert percuss_command(monkeypatch, "run", place, "--allow-code", "--out", out) == 0
    assert (tmp_path / "ran").exists()
    assert (out / "summary.json").exists()


def test_a_plan_takes_the_law_along(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place, out = written(tmp_path / "given"), tmp_path / "plan"
    few = ["--starts", "1", "--samples", "64", "--allow-code", "--out", out]
    assert percuss_command(monkeypatch, "cop", "plan", place, *few) == 0
    assert (out / "law-law.py").read_text() == SPY
    again = ["run", out / "plan.yaml", "--allow-code", "--out", tmp_path / "run"]
    assert percuss_command(monkeypatch, *again) == 0


def test_python_needs_the_permission_too(tmp_path: Path) -> None:
    scenario = percuss.load(written(tmp_path))
    with pytest.raises(percuss.ScenarioError, match=r"law\.py.*allow_code=True"):
        percuss.run(scenario)
    with pytest.raises(percuss.ScenarioError, match=r"law\.py.*allow_code=True"):
        Ensemble(scenario)
    assert not (tmp_path / "ran").exists()
    percuss.run(scenario, allow_code=True)
    assert (tmp_path / "ran").exists()
    with pytest.raises(percuss.ScenarioError, match="allow_code=True"):
        percuss.run(scenario)  # the permission was for one run


def test_the_law_of_an_approach_needs_it(tmp_path: Path) -> None:
    place = written(tmp_path, control="law: none")
    text = place.read_text()
    place.write_text(
        text + "approach: {capture-radius: 0.02, timeout: 1 s, "
        "control: {law: python, file: law.py}}\n"
    )
    document, settings = place, {"target.position": [9, 9], "target.angle": 0}
    scenario = percuss.load(document, settings)
    with pytest.raises(percuss.ScenarioError, match=r"approach\.control\.file.*law\.py"):
        percuss.run(scenario)
    assert not (tmp_path / "ran").exists()


def test_identify_needs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (FOLDER / "capture.yaml").read_text()
    place = tmp_path / "s.yaml"
    place.write_text(f"{text}\ncontrol: {{law: python, file: law.py}}\n")
    (tmp_path / "law.py").write_text(SPY.replace("-0.1", "-1e-9"))
    files = [FOLDER / "measured.csv", "--scenario", place, "--sensors", FOLDER / "sensors.yaml"]
    out = ["--out", tmp_path / "out"]
    assert percuss_command(monkeypatch, "identify", *files, *out) == 2
    assert "--allow-code" in capsys.readouterr().err
    scenario = percuss.load(place)
    measured = read_measured(FOLDER / "measured.csv")
    sensors = read_sensors(FOLDER / "sensors.yaml")
    with pytest.raises(percuss.ScenarioError, match="allow_code=True"):
        identify(scenario, measured, sensors)
    assert not (tmp_path / "ran").exists()
    found = identify(scenario, measured, sensors, starts=1, advice=False, allow_code=True)
    assert found.estimate
    assert (tmp_path / "ran").exists()


@pytest.mark.parametrize("kind", ["above", "absolute", "link", "folder link", "itself", "hard"])
def test_only_files_beside_the_scenario_or_below(kind: str, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    other = tmp_path / "elsewhere" / "law.py"
    other.write_text(SPY)
    place = written(tmp_path / "given")
    names = {
        "above": "../elsewhere/law.py",
        "absolute": str(other),
        "link": "link.py",
        "folder link": "inner/law.py",
        "itself": "s.yaml",
        "hard": "hard.py",
    }
    (place.parent / "link.py").symlink_to(other)
    (place.parent / "inner").symlink_to(other.parent)
    place.write_text(place.read_text().replace("file: law.py", f"file: {names[kind]}"))
    os.link(place, place.parent / "hard.py")
    said = "the scenario itself" if kind in ("itself", "hard") else "beside the scenario or below"
    with pytest.raises(percuss.ScenarioError, match=rf"line \d+: control\.file: .*{said}"):
        percuss.load(place)


def test_a_file_below_the_scenario_runs(tmp_path: Path) -> None:
    place = written(tmp_path / "given")
    (tmp_path / "given" / "laws").mkdir()
    (tmp_path / "given" / "law.py").rename(tmp_path / "given" / "laws" / "mine.py")
    place.write_text(place.read_text().replace("law.py", "laws/mine.py"))
    percuss.run(percuss.load(place), allow_code=True)
    assert (tmp_path / "given" / "laws" / "ran").exists()


def test_a_file_that_moves_out_after_loading_does_not_run(tmp_path: Path) -> None:
    scenario = percuss.load(written(tmp_path / "given"))
    (tmp_path / "given" / "law.py").rename(tmp_path / "law.py")
    (tmp_path / "given" / "law.py").symlink_to(tmp_path / "law.py")
    with pytest.raises(percuss.ScenarioError, match="beside the scenario or below"):
        percuss.run(scenario, allow_code=True)
    assert not (tmp_path / "ran").exists()


# --- laws that fail -----------------------------------------------------------------------------

FAILING = {
    "sys.exit() at import": ("import sys\nsys.exit()\n" + LAW, 2, "ends the program"),
    "exit status at import": ("raise SystemExit(0)\n", 1, "ends the program"),
    "exit in the law": (
        "import sys\ndef law(t, q, v, memory):\n    sys.exit(0)\n",
        3,
        "ends the program",
    ),
    "exception at import": ("x = 1\nx / 0\n" + LAW, 2, "ZeroDivisionError"),
    "missing module": ("import no_such_module\n" + LAW, 1, "no_such_module"),
    "syntax": ("x = 1\ndef law(:\n", 2, "SyntaxError"),
    "not text": ("x = '\0'\n" + LAW, None, "null bytes"),
    "exception in the law": ("def law(t, q, v, memory):\n    return 1 / 0\n", 2, "ZeroDivision"),
    "branch on a value": (
        "def law(t, q, v, memory):\n    if q[0] > 0:\n        v = -v\n    return v[:5], memory\n",
        2,
        "cannot be compiled",
    ),
    "primitive": (
        "import jax.numpy as jnp\ndef law(t, q, v, memory):\n"
        "    return jnp.linalg.qr(jnp.outer(v[:5], v[:5]))[0][0], memory\n",
        3,
        "cannot be compiled",
    ),
    "complex result": ("def law(t, q, v, memory):\n    return 1j * v[:5], memory\n", 2, "complex"),
    "complex inside": (
        "import jax.numpy as jnp\ndef law(t, q, v, memory):\n"
        "    return jnp.real(jnp.exp(1j * v[:5])), memory\n",
        3,
        "complex",
    ),
    "text": ("def law(t, q, v, memory):\n    return 'five', memory\n", 1, "numbers"),
    "too few": ("def law(t, q, v, memory):\n    return v[:3], memory\n", 1, "5 entries"),
    "one thing": ("def law(t, q, v, memory):\n    return v[:5]\n", 1, r"\(u, memory\)"),
    "nothing": ("def law(t, q, v, memory):\n    pass\n", 1, r"\(u, memory\)"),
    "three things": (
        "def law(t, q, v, memory):\n    return v[:5], memory, 3\n",
        1,
        r"compiled: a control law returns two things, \(u, memory\); got 3 of them$",
    ),
    "arguments": ("def law(t):\n    return t\n", 1, "TypeError"),
}
SAMPLED = {
    "memory of another shape": (
        "import numpy as np\ndef law(t, q, v, memory):\n"
        "    return -v[:5], np.concatenate([memory, memory])\n",
        2,
        "memory",
    ),
    "memory forgotten": ("def law(t, q, v, memory):\n    return -v[:5], None\n", 1, "memory"),
    "memory of another kind": (
        "def law(t, q, v, memory):\n    return -v[:5], (memory, memory)\n",
        1,
        "memory",
    ),
    "complex memory": (
        "def law(t, q, v, memory):\n    return -v[:5], 1j * memory\n",
        2,
        "complex",
    ),
}


@pytest.mark.parametrize("name", [*FAILING, *SAMPLED])
def test_a_law_that_fails_is_a_sentence_with_file_and_line(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, line, said = (FAILING | SAMPLED)[name]
    if "import jax" in code:
        pytest.importorskip("jax")
    control = "law: python, file: law.py"
    if name in SAMPLED:
        control += ", period: 10 ms, memory: [0, 0]"
    place = written(tmp_path, code, control=control)
    out = tmp_path / "out"
    assert percuss_command(monkeypatch, "run", place, "--allow-code", "--out", out) == 2
    error = capsys.readouterr().err
    where = str(tmp_path / "law.py") + ("" if line is None else f", line {line}")
    assert where in error
    assert "Traceback" not in error
    assert re.search(said, error.rstrip()), error
    assert not out.exists()


def test_a_law_that_commands_too_much_to_compute_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its command is a number, the acceleration that follows is none."""
    place = written(tmp_path, LAW.replace("-0.1 * v[:5]", "1e308 * (1.0 + 0.0 * v[:5])"))
    line = ("run", place, "--out", tmp_path / "out", "--allow-code")
    assert percuss_command(monkeypatch, *line) == 1
    said = capsys.readouterr().err
    assert "not finite at the start" in said
    assert "the control law commands up to 1e+308 (N or N m)" in said
