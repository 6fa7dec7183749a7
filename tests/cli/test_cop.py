"""`percuss cop`: one body, every link of a robot, limits, tolerances, charts."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import percuss
from percuss import ModelError
from percuss.cli.cop import app
from percuss.cli.main import main

BODY = ("--mass", "20", "--com", "0.3", "--inertia", "2.5")


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "percuss", "cop", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_a_body_and_an_impact() -> None:
    result = command(*BODY, "--at", "1")
    assert result.returncode == 0, result.stderr
    for text in ("0.71666667 m", "4.3 kg m²", "0.58139535", "1.3953488", "0.39534884"):
        assert text in result.stdout


def test_the_papers_example_with_units_limit_and_tolerances_as_json() -> None:
    result = command(
        *BODY, "--at", "70 cm", "--angle", "70 deg", "--limit", "0.4",
        "--tolerance", "angle=2 deg", "--tolerance", "at=0.01", "--json",
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    facts = json.loads(result.stdout)
    assert facts["percussion_distance"] == pytest.approx(0.71666667, abs=5e-9)
    assert facts["angle"] == pytest.approx(math.radians(70))
    cop = facts["percussion_distance"]
    edges = [point / cop for point in facts["limit"]["points"]]
    assert edges == pytest.approx([0.77927039, 1.2207296], abs=5e-8)
    assert facts["limit"]["kept"] is True
    worst = facts["tolerances"]["largest"]
    assert worst["at"]["angle"] == pytest.approx(math.radians(68))
    assert worst["reaction_ratio"] > facts["reaction_ratio"]
    assert facts["tolerances"]["margin"] > 1


def test_every_link_of_a_robot() -> None:
    facts = json.loads(command("percussion", "--json").stdout)
    distances = [link["percussion_distance"] for link in facts["links"]]
    assert distances == pytest.approx([0.67, 0.71666667], abs=5e-9)
    assert facts["links"][1]["carried"]["tool"] == pytest.approx(1.3953488, abs=5e-8)
    shown = command("demo-7")
    assert shown.returncode == 0, shown.stderr
    assert "elbow_pitch" in shown.stdout
    assert "balanced about its axis" in shown.stdout


def test_a_chart_is_drawn(tmp_path: Path) -> None:
    chart = tmp_path / "new" / "chart.png"
    result = command(
        *BODY, "--at", "0.7", "--angle", "70 deg", "--limit", "0.4", "--chart", str(chart)
    )
    assert result.returncode == 0, result.stderr
    assert chart.read_bytes().startswith(b"\x89PNG")
    assert [path.name for path in chart.parent.iterdir()] == ["chart.png"]
    notes = tmp_path / "notes.png"
    notes.write_text("not a picture")
    refused = command(*BODY, "--at", "0.7", "--chart", str(notes))
    assert (refused.returncode, notes.read_text()) == (2, "not a picture")


def test_a_balanced_body_has_no_centre_of_percussion() -> None:
    result = command("--mass", "1", "--com", "0", "--inertia", "1", "--at", "1", "--json")
    facts = json.loads(result.stdout)
    assert facts["percussion_distance"] is None
    assert facts["reaction_ratio"] == 1.0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "give a ROBOT, or a body: --mass, --com, --inertia, --at missing"),
        (BODY, "--at missing"),
        (("percusion",), "Did you mean 'percussion'"),
        (("percussion", "--mass", "3"), "--mass: for one body, not for the robot 'percussion'"),
        ((*BODY, "--at", "1 kg"), "--at '1 kg' must be a length"),
        ((*BODY, "--at", "nan"), "--at must be finite"),
        ((*BODY, "--at", "far"), "--at 'far': not a number"),
        (("--mass", "-1", *BODY[2:], "--at", "1"), "mass must be finite and > 0 kg, got -1"),
        ((*BODY, "--at", "1", "--limit", "-1"), "limit must be a finite number ≥ 0"),
        ((*BODY, "--at", "1", "--tolerance", "masss=1"), "Did you mean 'mass'"),
        ((*BODY, "--at", "1", "--tolerance", "mass=30"), "bodies that cannot be"),
        ((*BODY, "--at", "1", "--chart", "chart.pdf"), "must be a .png file"),
        (("thesis-target",), "no link is on a revolute joint"),
    ],
)
def test_bad_input_says_what_is_allowed(arguments: tuple[str, ...], words: str) -> None:
    result = CliRunner().invoke(app, arguments)
    assert isinstance(result.exception, ModelError)
    assert words in str(result.exception)
    assert result.stdout == ""


def test_bad_input_is_one_line_and_status_2() -> None:
    result = command(*BODY)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("percuss: error: give a ROBOT, or a body: --at missing")
    assert result.stderr.count("\n") == 1


def test_help_has_an_example() -> None:
    result = command("--help")
    assert result.returncode == 0
    assert "Example: percuss cop --mass 20" in result.stdout
    assert "--tolerance" in result.stdout


def test_an_unknown_option_is_bad_input() -> None:
    assert command("--jsn").returncode == 2


@pytest.mark.parametrize("columns", ["80", "60", "200"])
def test_names_of_joints_are_whole_on_a_narrow_terminal(
    columns: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arm = percuss.robot("demo-7").prefixed("starboard_manipulator_")
    percuss.write_urdf(arm, tmp_path / "arm.urdf")
    monkeypatch.setenv("COLUMNS", columns)
    shown = command(str(tmp_path / "arm.urdf")).stdout
    assert "…" not in shown
    assert max(map(len, shown.splitlines())) <= int(columns)
    for name in (joint.name for joint in arm.movable_joints):
        assert name in shown, f"{name} is cut off at {columns} columns"
    assert "0.304" in shown


@pytest.mark.parametrize(
    "given",
    [
        ["--angle", "1.7e308"],
        ["--angle", "1e7"],
        ["--mass", "1e300"],
        ["--com", "1e200"],
        ["--at", "1e150"],
        ["--limit", "1e300"],
        ["--tolerance", "angle=1.7e308"],
    ],
    ids=" ".join,
)
def test_magnitudes_are_bounded_as_in_scenarios(
    given: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    body = ["--mass", "20", "--com", "0.3", "--inertia", "2.5", "--at", "1"]
    monkeypatch.setattr("sys.argv", ["percuss", "cop", *body, *given])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert "at most" in capsys.readouterr().err
