"""Model files and vehicles put together, as a user of the command line meets them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import percuss
from tests.scenario.examples import URDF

ROOT = Path(__file__).parents[2]
SATELLITE = ROOT / "scenarios" / "urdf-on-satellite.yaml"
TONED = URDF.replace('name="upper"', 'name="upper" tone="dark"', 1)
CAPTURE = """\
name: toned
chaser: {urdf: arm.urdf, tool: tool_link}
target: {mass: 20, inertia: [1, 1, 1], contact: [0, 0, 0.5], velocity: {linear: [0, 0, -0.1]}}
impact: {closure: weld}
duration: 0.5 s
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "arm.urdf").write_text(TONED)
    (tmp_path / "capture.yaml").write_text(CAPTURE)
    percuss.save_system(percuss.robot("demo-7"), tmp_path / "demo.yaml")
    return tmp_path


def command(folder: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "percuss", *map(str, arguments)]
    return subprocess.run(line, capture_output=True, text=True, check=False, cwd=folder)


COMMANDS = [
    ("run", "capture.yaml"),
    ("run", "capture.yaml", "--json"),
    ("cop", "capture.yaml"),
    ("cop", "arm.urdf"),
    ("derive", "arm.urdf"),
    ("derive", "capture.yaml", "--json"),
]


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_what_was_changed_is_told_once_and_readably(
    folder: Path, arguments: tuple[str, ...]
) -> None:
    result = command(folder, *arguments)
    assert result.returncode == 0, result.stderr
    assert result.stderr.count("unknown attribute tone='dark'") == 1, result.stderr
    assert re.search(r"^percuss: note: (changed in )?arm\.urdf", result.stderr)
    for raw in ("ModelNotice", "warnings.warn", ".py:", str(ROOT / "src")):
        assert raw not in result.stderr + result.stdout
    if "--json" in arguments:
        json.loads(result.stdout)


def test_the_result_keeps_what_was_changed(folder: Path) -> None:
    assert command(folder, "run", "capture.yaml", "--out", "out").returncode == 0
    (notice,) = json.loads((folder / "out" / "summary.json").read_text())["notices"]
    assert notice["file"] == "arm.urdf"
    assert notice["line"] == TONED[: TONED.index("tone=")].count("\n") + 1
    assert "tone" in notice["read"]
    page = (folder / "out" / "report.html").read_text()
    assert "Changed in model files (1)" in page
    assert "unknown attribute tone=&#x27;dark&#x27;" in page


def test_check_says_masses_joints_reach_and_what_was_changed(folder: Path) -> None:
    result = command(folder, "check", "capture.yaml")
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    assert "chaser: 318 kg, 2 joints, free-floating base." in result.stdout
    assert "target: 20 kg." in result.stdout
    assert "reach of the tool 'tool_link': at most 2 m from joint 'shoulder'" in result.stdout
    assert result.stdout.count("unknown attribute tone='dark'") == 1
    facts = json.loads(command(folder, "check", "capture.yaml", "--json").stdout)
    assert facts["chaser"] == {"mass": 318.0, "joints": 2}
    assert facts["reach"] == {"from": "shoulder", "most": 2.0}
    assert facts["notices"][0]["file"] == "arm.urdf"


def test_strict_checks_refuse_what_had_to_be_changed(folder: Path) -> None:
    result = command(folder, "check", "capture.yaml", "--strict")
    assert result.returncode == 2
    assert "capture.yaml, line 2: chaser.urdf: 'arm.urdf' cannot be read" in result.stderr
    assert "unknown attribute 'tone'" in result.stderr
    clean = command(ROOT, "check", "--strict", SATELLITE)
    assert clean.returncode == 0, clean.stderr


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ((), False),
        (("target.position=[0, 0, 9]",), True),
        (("target.position=[0, 0, 9]", "chaser.mode=free-flying"), False),
        (("target.position=[0, 0, 9]", "target.velocity.linear=[0, 0, -0.2]"), False),
        (("target.position=[0, 0, 9]", "target.velocity.linear=[0, 0, 0.2]"), True),
    ],
)
def test_check_says_where_the_target_never_comes_into_reach(
    folder: Path, settings: tuple[str, ...], said: bool
) -> None:
    text = CAPTURE.replace("contact: [0, 0, 0.5], velocity: {linear: [0, 0, -0.1]}",
                           "contact: [0, 0, 0.5], position: [0, 0, 2]")  # fmt: skip
    (folder / "far.yaml").write_text(text + "approach: {capture-radius: 0.02, timeout: 60 s}\n")
    options = [part for setting in settings for part in ("--set", setting)]
    result = command(folder, "check", "far.yaml", *options)
    assert result.returncode == 0, result.stderr
    assert ("comes no nearer than" in result.stdout) is said, result.stdout


def test_robots_shows_any_model_file(folder: Path) -> None:
    shown = command(folder, "robots", "arm.urdf")
    assert shown.returncode == 0, shown.stderr
    assert shown.stderr == ""
    assert "satellite  300" in shown.stdout
    assert re.search(r"changed in arm.urdf\nline \d+: link 'upper': read unknown", shown.stdout)
    document = json.loads(command(folder, "robots", "arm.urdf", "--json").stdout)
    assert percuss.system_from_dict(document).changes[0].where == "link 'upper'"
    saved = command(folder, "robots", "demo.yaml")
    assert saved.stdout == command(folder, "robots", "demo-7").stdout
    assert command(folder, "robots", "arm.urdf", "--strict").returncode == 2
    missing = command(folder, "robots", "arm2.urdf")
    assert missing.returncode == 2
    assert "arm2.urdf: there is no such file, and no robot of the library" in missing.stderr


def test_a_model_file_is_no_scenario(folder: Path) -> None:
    for file, what in (("arm.urdf", "this is a URDF"), ("demo.yaml", "this is a saved system")):
        for name in ("run", "check"):
            result = command(folder, name, file)
            assert result.returncode == 2
            assert f"{file}: {what}, not a scenario: percuss robots {file} shows" in result.stderr


def test_a_long_list_of_changes_is_cut(folder: Path) -> None:
    many = URDF
    for k, name in enumerate(("satellite", "upper", "lower", "tool_link")):
        extra = " ".join(f'tone{k}{m}="x"' for m in range(5))
        many = many.replace(f'<link name="{name}"', f'<link name="{name}" {extra}', 1)
    (folder / "arm.urdf").write_text(many)
    for name in ("run", "check"):
        result = command(folder, name, "capture.yaml")
        assert result.returncode == 0
        told = result.stderr + result.stdout
        assert "… and 10 more; percuss robots FILE lists them all" in told
    assert command(folder, "robots", "arm.urdf").stdout.count("unknown attribute") == 20


def test_a_plan_of_a_vehicle_can_be_run_where_it_is_written(folder: Path) -> None:
    text = """\
chaser:
  base: {shape: box, size: [1, 1, 1], mass: 300}
  arms:
    arm: {urdf: arm.urdf, mount: [0, 0, 0.5], from: shoulder, joints: {shoulder: 0.3, elbow: 0.5}}
target: {mass: 20, inertia: [1, 1, 1], contact: [0, 0, 0.5], velocity: {linear: [0, 0.1, -0.1]}}
impact: {closure: pin}
duration: 0.1 s
"""
    (folder / "vehicle.yaml").write_text(text)
    planned = command(folder, "cop", "plan", "vehicle.yaml", "--out", "plan")
    assert planned.returncode == 0, planned.stderr
    result = command(folder, "check", "plan/plan.yaml", "--json")
    assert result.returncode == 0, result.stderr
    facts: dict[str, Any] = json.loads(result.stdout)
    assert facts["chaser"]["joints"] == 2
