"""`percuss derive`: output, files, JSON, exit statuses."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCENARIO = str(ROOT / "scenarios" / "thesis-1.yaml")
PROGRAM = "from percuss.cli.main import main; main()"


def percuss(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", PROGRAM, "derive", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, encoding="utf-8")


@pytest.mark.parametrize(
    ("language", "start"), [("latex", "% thesis"), ("python", '"""Closed'), ("c", "/* Closed")]
)
def test_prints_one_language(tmp_path: Path, language: str, start: str) -> None:
    done = percuss("thesis", "--as", language, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(start)


def test_writes_a_module_that_runs(tmp_path: Path) -> None:
    done = percuss(SCENARIO, "--as", "python", "--out", "made/forms.py", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "forms.py: closed forms of thesis simulation 1 (arm, target, captured)" in done.stdout
    code = "import forms; print(forms.captured_mass_matrix([0] * 6).shape)"
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path / "made", capture_output=True, text=True
    )
    assert ran.stdout.strip() == "(6, 6)", ran.stderr


def test_json_holds_names_units_values_and_expressions(tmp_path: Path) -> None:
    done = percuss("lecture", "--json", cwd=tmp_path)
    (system,) = json.loads(done.stdout)["systems"]
    assert system["mass_matrix"][1][1] == "k3"
    assert {"name": "c12", "expression": "cos(q1 + q2)"} in system["definitions"]
    gravity = next(p for p in system["parameters"] if p["name"] == "g")
    assert (gravity["value"], gravity["unit"]) == (9.81, "m/s²")


def test_bad_input_is_one_line_and_status_2(tmp_path: Path) -> None:
    for arguments in (("absent.yaml",), ("thesis", "--out", ".")):
        done = percuss(*arguments, cwd=tmp_path)
        assert done.returncode == 2
        assert done.stderr.startswith("percuss: error: ")
        assert "Traceback" not in done.stderr


URDF = """<robot name="two_link">
  <link name="base_link"><inertial><mass value="50"/>
    <inertia ixx="5" iyy="5" izz="5" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="base"/>
  <joint name="mounting" type="fixed"><parent link="base_link"/><child link="base"/>
    <origin xyz="0.1 0 0.2"/></joint>
  <link name="upper"><inertial><origin xyz="0.5 0 0"/><mass value="4"/>
    <inertia ixx="0.01" iyy="0.3" izz="0.3" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="continuous"><parent link="base_link"/><child link="upper"/>
    <origin xyz="0.4 0 0"/><axis xyz="0 0 1"/></joint>
</robot>
"""
"""As many robots have it: a link with mass, and an empty one called `base` fixed to it."""


@pytest.mark.parametrize(
    ("mode", "rates"), [((), 1), (("--mode", "fixed"), 1), (("--mode", "free-floating"), 7)]
)
def test_a_urdf_with_a_link_called_base(tmp_path: Path, mode: tuple[str, ...], rates: int) -> None:
    """The joint of the base has that name too; the two are told apart, and the robot is named."""
    (tmp_path / "arm.urdf").write_text(URDF)
    done = percuss("arm.urdf", *mode, "--out", "forms.tex", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "forms.tex: closed forms of two_link (arm)" in done.stdout
    done = percuss("arm.urdf", *mode, "--json", cwd=tmp_path)
    document = json.loads(done.stdout)
    assert document["title"] == "two_link"
    (system,) = document["systems"]
    assert len(system["mass_matrix"]) == rates


def test_the_mode_of_any_source_can_be_chosen(tmp_path: Path) -> None:
    for source in ("thesis", SCENARIO):
        done = percuss(source, "--mode", "fixed", "--json", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert len(json.loads(done.stdout)["systems"][0]["mass_matrix"]) == 2
    for source, mode, told in (
        ("thesis", "floating", "free-floating"),
        ("2r-fixed", "free-floating", "has no base to set free"),
    ):
        done = percuss(source, "--mode", mode, cwd=tmp_path)
        assert done.returncode == 2
        assert told in done.stderr
