"""`percuss new` gives scenarios that run as they are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

import percuss
from tests.cli.test_run import launch

ARM = """<robot name="my arm: 2">
<link name="yes"><inertial><mass value="20"/>
  <inertia ixx="2" iyy="2" izz="2" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="upper"><inertial><origin xyz=".5 0 0"/><mass value="3"/>
  <inertia ixx=".1" iyy=".3" izz=".3" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="tip"/>
<joint name="shoulder" type="revolute"><parent link="yes"/><child link="upper"/>
  <axis xyz="0 1 0"/><limit lower="0.5" upper="1.5" effort="10" velocity="1"/></joint>
<joint name="end" type="fixed"><parent link="upper"/><child link="tip"/>
  <origin xyz="1 0 0"/></joint>
</robot>"""


@pytest.mark.parametrize("options", [[], ["--space"]])
def test_what_is_printed_is_a_scenario_that_runs(tmp_path: Path, options: list[str]) -> None:
    printed = launch("new", *options)
    assert printed.returncode == 0, printed.stderr
    assert printed.stdout.startswith("# ")
    path = tmp_path / "new.yaml"
    path.write_text(printed.stdout, encoding="utf-8")
    done = launch("run", path, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / "summary.json").is_file()


def test_a_scenario_with_a_urdf_finds_it_from_where_it_stands(tmp_path: Path) -> None:
    (tmp_path / "robots").mkdir()
    urdf = tmp_path / "robots" / "arm.urdf"
    urdf.write_text(ARM)
    out = tmp_path / "scenarios" / "first.yaml"
    made = launch("new", "--urdf", urdf, "--out", out)
    assert made.returncode == 0, made.stderr
    assert made.stdout == f"{out}: written; percuss run {out} runs it\n"
    text = out.read_text(encoding="utf-8")
    assert "urdf: ../robots/arm.urdf\n" in text
    assert "tool: tip\n" in text
    assert "shoulder: 1    # 0.5 … 1.5 rad\n" in text
    assert 'name: "capture with my arm: 2"\n' in text
    done = launch("run", out, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr


def test_an_arm_without_a_base_is_put_on_a_satellite(tmp_path: Path) -> None:
    urdf = tmp_path / "arm.urdf"
    urdf.write_text(ARM.replace('"20"', '"2"'))
    out = tmp_path / "first.yaml"
    made = launch("new", "--urdf", urdf, "--out", out)
    assert made.returncode == 0, made.stderr
    text = out.read_text(encoding="utf-8")
    assert "base: {shape: box, size: [1, 1, 1], mass: 300}" in text
    assert "tool: {arm: arm, frame: tip}\n" in text
    done = launch("run", out, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert summary["final"]["names"][-1] == "arm_shoulder"


def test_a_robot_of_the_library_as_urdf(tmp_path: Path) -> None:
    urdf = tmp_path / "robot.urdf"
    percuss.write_urdf(percuss.robot("demo-7"), urdf)
    out = tmp_path / "new.yaml"
    assert launch("new", "--urdf", urdf, "--out", out).returncode == 0
    checked = launch("check", out)
    assert checked.returncode == 0, checked.stderr


def test_json_holds_the_text() -> None:
    answer = json.loads(launch("new", "--space", "--json").stdout)
    assert answer["file"] is None
    assert answer["scenario"] == launch("new", "--space").stdout


def test_what_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "mine.yaml"
    out.write_text("name: mine\n")
    for arguments, message in (
        (["--out", out], "exists already; give a new file"),
        (["--urdf", tmp_path / "none.urdf"], "is no file; expected a URDF"),
        (["--space", "--urdf", out], "--space and --urdf exclude each other"),
        (["--urdf", out], "not well-formed XML"),
    ):
        done = launch("new", *arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert message in done.stderr
    assert out.read_text() == "name: mine\n"


def test_a_name_that_turns_the_writing_is_written_out(tmp_path: Path) -> None:
    """A robot's name may not command the terminal, and is still the name in the scenario."""
    path = tmp_path / "r.urdf"
    path.write_text(ARM.replace('name="my arm: 2"', 'name="a\u202eb"', 1))
    printed = launch("new", "--urdf", str(path))
    assert printed.returncode == 0, printed.stderr
    assert "\u202e" not in printed.stdout
    assert yaml.safe_load(printed.stdout)["name"] == "capture with a\u202eb"
