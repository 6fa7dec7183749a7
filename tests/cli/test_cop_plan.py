"""`percuss cop plan`: files, JSON, refusals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import percuss
from percuss import ModelError
from percuss.cli.cop import app

ROOT = Path(__file__).parents[2]
THESIS = str(ROOT / "scenarios" / "offset-mount.yaml")
QUICK = ("--starts", "4", "--samples", "128", "--set", "duration=0.2")


def invoke(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["plan", *arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_writes_plan_summary_and_picture(tmp_path: Path) -> None:
    out = tmp_path / "plan"
    text = invoke(THESIS, "--out", str(out), "--weights", "joints=1,rate=5", *QUICK)
    assert "best found of 4 starts" in text
    assert sorted(file.name for file in out.iterdir()) == ["plan.png", "plan.yaml", "summary.json"]
    assert (out / "plan.png").read_bytes().startswith(b"\x89PNG")
    summary = json.loads((out / "summary.json").read_text())
    planned = percuss.load(out / "plan.yaml")
    assert list(planned.chaser.joints or ()) == summary["plan"]["chaser.joints"]
    # The run of the file as it lies there says what the plan said.
    impact = percuss.run(planned).summary["impact"]
    for joint, size in summary["after"]["joints"].items():
        felt = impact["joint_reactions"][joint]["magnitude"]
        assert felt == pytest.approx(size, rel=1e-9), f"{joint}: reaction impulse of the run"
    # A second plan replaces the first.
    invoke(THESIS, "--out", str(out), *QUICK)


def test_json_is_all_there_is_on_stdout(tmp_path: Path) -> None:
    text = invoke(
        THESIS, "--json", "--out", str(tmp_path / "plan"), "--tolerance", "joints=0.5 deg",
        "--tolerance", "velocity=1 cm/s", "--over", "mean", "--objective", "largest",
        "--free", "contact", "--seed", "4", *QUICK,
    )  # fmt: skip
    found = json.loads(text)
    assert found["wishes"]["tolerance"] == pytest.approx({"joints": 0.008726646, "velocity": 0.01})
    assert found["wishes"]["over"] == "mean"
    assert found["wishes"]["seed"] == 4
    assert found["verification"]["difference"] < 1e-10


def test_a_plan_of_a_urdf_finds_its_file_from_where_it_lies(tmp_path: Path) -> None:
    percuss.write_urdf(percuss.robot("demo-6"), tmp_path / "six.urdf")
    scenario = (ROOT / "tests" / "percussion" / "planner" / "robots" / "six.yaml").read_text()
    (tmp_path / "six.yaml").write_text(scenario.replace("robot: demo-6", "urdf: six.urdf"))
    out = tmp_path / "deep" / "plan"
    invoke(str(tmp_path / "six.yaml"), "--out", str(out), "--overlap", "allow", *QUICK)
    assert "urdf: ../../six.urdf" in (out / "plan.yaml").read_text()
    assert percuss.load(out / "plan.yaml").contact is not None


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--weights", "joints"), "write NAME=VALUE"),
        (("--weights", "elbow=1"), "no 'elbow' to weigh"),
        (("--weights", "joints=nan"), "finite"),
        (("--weights", "joints=1 kg"), "must be"),
        (("--tolerance", "joint=1 deg"), "NAME one of joints"),
        (("--tolerance", "joints=1 m"), "must be"),
        (("--objective", "least"), "total, largest"),
        (("--keep", "tool"), "nothing, contact"),
        (("--free", "base"), "contact, approach"),
        (("--length", "-1"), "length must be > 0"),
        (("--starts", "0"), "starts must be"),
    ],
)
def test_bad_input_is_refused_before_anything_is_written(
    arguments: tuple[str, ...], words: str, tmp_path: Path
) -> None:
    out = tmp_path / "plan"
    with pytest.raises(ModelError, match=words):
        invoke(THESIS, "--out", str(out), *arguments)
    assert not out.exists()


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(ModelError, match="holds other files"):
        invoke(THESIS, "--out", str(tmp_path))
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_a_narrow_terminal_cuts_nothing_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tables, and what got worse, within 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")
    text = invoke(THESIS, "--out", str(tmp_path / "plan"), "--weights", "rate=1", *QUICK)
    assert "…" not in text
    # Paths are not broken, so that they can be copied.
    assert max(len(line) for line in text.splitlines() if str(tmp_path) not in line) <= 80
    flat = " ".join(text.split())
    assert "worse than before, and not among the weights" in flat
    assert "times as large" in flat


def test_an_impact_that_nothing_feels_is_drawn_without_a_word(tmp_path: Path) -> None:
    """At rest all costs are zero and have no place on a logarithmic axis, nor in its legend."""
    scenario = tmp_path / "s.yaml"
    scenario.write_text(
        "chaser: {base: {shape: disk, mass: 100, radius: 1}, joints: [20 deg, 40 deg],\n"
        "  arm: [{length: 1, mass: 5}, {length: 1, mass: 5}]}\n"
        "target: {shape: disk, mass: 20, radius: 0.5, contact: {angle: 0}}\n"
        "impact: {closure: pin}\nduration: 1 s\n"
    )
    line = ["plan", str(scenario), "--samples", "16", "--starts", "1", "--out", str(tmp_path / "o")]
    found = CliRunner().invoke(app, line)
    assert found.exit_code == 0, found.output
    assert "Warning" not in found.output
    assert (tmp_path / "o" / "plan.png").exists()
