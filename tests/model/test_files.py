"""One door for model files of every kind."""

from __future__ import annotations

from pathlib import Path

import pytest

from percuss.model import ModelError, ModelNotice, read_model, robot, save_system
from percuss.model.changes import Change
from percuss.model.files import model_kind
from tests.scenario.examples import PLANAR, URDF


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("arm.urdf", URDF, "urdf"),
        ("ARM.URDF", URDF, "urdf"),
        ("arm.xml", URDF, "urdf"),
        ("arm", f"\ufeff<?xml version='1.0'?>\n<!-- <mujoco> -->\n{URDF}", "urdf"),
        ("arm.xacro", "<robot/>", "urdf"),
        ("arm.xml", "<mujoco model='x'/>", "mjcf"),
        ("arm.sdf", "<?xml version='1.0'?><sdf version='1.6'/>", "sdf"),
        ("arm.yaml", "name: x", "system"),
        ("arm.txt", "hello", None),
        ("arm.txt", "", None),
    ],
)
def test_a_file_is_told_by_suffix_and_content(
    tmp_path: Path, name: str, text: str, kind: str | None
) -> None:
    (tmp_path / name).write_text(text)
    assert model_kind(tmp_path / name) == kind


def test_urdf_and_saved_systems(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(URDF)
    arm = read_model(tmp_path / "arm.urdf", mode="free-floating", name="mine")
    assert (arm.name, arm.rate_count) == ("mine", 8)
    save_system(arm, tmp_path / "arm.yaml")
    again = read_model(tmp_path / "arm.yaml")
    assert again == arm
    assert read_model(tmp_path / "arm.yaml", mode="fixed").rate_count == 2


def test_changes_are_saved_with_the_system(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(URDF.replace('name="upper"', 'name="upper" tone="dark"', 1))
    with pytest.warns(ModelNotice, match="unknown attribute tone"):
        arm = read_model(tmp_path / "arm.urdf")
    (change,) = arm.changes
    assert isinstance(change, Change)
    save_system(arm, tmp_path / "arm.yaml")
    assert read_model(tmp_path / "arm.yaml").changes == arm.changes
    with pytest.raises(ModelError, match="unknown attribute 'tone'"):
        read_model(tmp_path / "arm.urdf", strict=True)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.sdf", "<sdf/>", "is SDF, which is not read; expected URDF"),
        ("a.txt", "hello", "is no model file that is known; expected URDF"),
        ("a.yaml", PLANAR, "is a scenario, not a model of a robot"),
        ("a.yaml", "- 1", "a saved system is a mapping"),
        ("a.yaml", "name: x\nbodies: []\njoints: []\nchanges: [{line: 1}]", "'where' is missing"),
    ],
)
def test_what_is_no_model(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(ModelError, match=message):
        read_model(tmp_path / name)


def test_no_file_and_a_folder(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_model(tmp_path / "no.urdf")
    with pytest.raises(ModelError, match="is a folder"):
        read_model(tmp_path)


def test_a_library_robot_saved_and_read_is_the_same(tmp_path: Path) -> None:
    save_system(robot("demo-7"), tmp_path / "demo.yaml")
    assert read_model(tmp_path / "demo.yaml") == robot("demo-7")
