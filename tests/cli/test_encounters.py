"""Encounters on the command line: the shipped ones, and what is refused with which words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.cli.test_run import launch, percuss_command

SCENARIOS = Path(__file__).parents[2] / "scenarios"
FILES = {"report.html", "result.nc", "summary.json"}


def summary_of(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Run a shipped scenario and look at everything that it leaves behind."""
    import xarray

    out = folder / "out"
    path = SCENARIOS / f"{name}.yaml"
    assert percuss_command(monkeypatch, "run", path, "--out", out) == 0
    assert {entry.name for entry in out.iterdir()} == FILES
    summary = json.loads((out / "summary.json").read_text())
    assert set(summary["files"]) == FILES
    page = (out / "report.html").read_text()
    assert page.rstrip().endswith("</html>")
    with xarray.open_dataset(out / "result.nc", engine="h5netcdf") as data:
        assert (np.diff(data.time) > 0).all()
        assert float(data.time[-1]) == summary["final"]["time"]
        phases = {phase["phase"] for phase in summary["phases"]}
        assert set(np.unique(data.phase)) == phases
        for variable in data.data_vars.values():
            assert not variable.isnull().all(), f"{variable.name} holds nothing"
            assert variable.attrs["units"]
    for phase in summary["phases"]:
        assert phase["energy"] < 1e-10, f"energy is open in {phase['name']}"
        assert phase["linear_momentum"] < 1e-9
        assert phase["angular_momentum"] < 1e-9
    assert summary["warnings"] == []
    return summary


def names_of(summary: dict[str, Any]) -> list[str]:
    return [phase["name"] for phase in summary["phases"]]


def test_the_mission_in_four_phases(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    summary = summary_of("mission-3d", tmp_path, monkeypatch)
    told = " ".join(capsys.readouterr().out.split())
    assert "captured" in told
    assert f"at {summary['impact']['time']:.4g} s" in told
    assert summary["status"] == "captured"
    assert names_of(summary) == ["observe", "approach", "after"]
    assert summary["approach"]["time"] == pytest.approx(40.0, abs=1.5)
    assert summary["approach"]["relative_speed"] == pytest.approx(0.01, abs=5e-3)
    assert summary["stabilisation"]["remaining"]["spin"] < 2e-3
    assert max(map(abs, summary["final"]["target"]["angular"])) < 2e-3


def test_the_capture_on_air_bearings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    summary = summary_of("air-bearing", tmp_path, monkeypatch)
    assert summary["status"] == "captured"
    wheels = summary["stabilisation"]["wheels"]
    assert 0 < wheels["peak"] <= wheels["capacity"] * (1 + 1e-9)
    # Wheels stop every turning, and can do nothing about the linear momentum.
    before, after = (summary["impact"]["linear_momentum"][key] for key in ("before", "after"))
    np.testing.assert_allclose(before, after, atol=1e-12)
    remaining = summary["stabilisation"]["remaining"]
    size = np.linalg.norm(remaining["linear_momentum"])
    assert size == pytest.approx(float(np.linalg.norm(after)), rel=1e-6)


def test_three_bounces_and_a_catch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    summary = summary_of("three-bounces", tmp_path, monkeypatch)
    closures = [impact["closure"] for impact in summary["impacts"]]
    assert closures == ["bounce", "bounce", "bounce", "weld"]
    assert "after 3 bounces" in summary["outcome"]
    assert names_of(summary) == ["observe", "approach", "flight", "flight", "flight", "after"]


def test_a_miss_is_a_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    summary = summary_of("miss", tmp_path, monkeypatch)
    told = " ".join(capsys.readouterr().out.split())
    assert "missed" in told
    assert f"within {summary['approach']['closest']['distance']:.4g} m" in told
    assert summary["impact"] is None
    assert summary["impacts"] == []
    assert summary["stabilisation"] is None
    assert summary["approach"]["touched"] is False
    assert summary["approach"]["time"] is None


def test_json_is_all_that_a_miss_prints(tmp_path: Path) -> None:
    done = launch("run", SCENARIOS / "miss.yaml", "--json", "--out", tmp_path / "out")
    assert done.returncode == 0
    summary = json.loads(done.stdout)
    assert summary["status"] == "missed"
    assert done.stderr == ""


MATCH = "approach.control={law: match, natural-frequency: 1}"
DETUMBLE = "approach.control={law: detumble, time-constant: 5 s}"
PULSE = "impact={closure: pulse, force: [1, 0], duration: 1 s}"
BILATERAL = "impact={closure: compliant, law: bilateral, stiffness: 100, damping: 1, friction: 0.2}"


@pytest.mark.parametrize(
    ("name", "settings", "field", "said"),
    [
        ("miss", ["approach.capture-radius=nan"], "approach.capture-radius", "nan"),
        ("miss", ["approach.capture-radius=-2 cm"], "approach.capture-radius", "-2 cm"),
        ("miss", ["approach.capture-radius=0"], "approach.capture-radius", "0"),
        ("miss", ["approach.capture-radius=2 kg"], "approach.capture-radius", "m"),
        ("miss", ["approach.timeout=-1"], "approach.timeout", "-1"),
        ("miss", ["approach.observe=50"], "approach.observe", "40 s"),
        ("miss", ["target.position=[nan, 0]"], "target.position", "nan"),
        ("miss", ["approach.contact=surface"], "approach.capture-radius", "contact point"),
        ("miss", ["approach.contact=edge"], "approach.contact", "surface"),
        ("miss", [MATCH], "approach.meet", "match"),
        ("miss", [DETUMBLE], "approach.control.law", "after"),
        ("miss", ["approach.meet={at: 5}"], "approach.meet", "match"),
        ("air-bearing", ["approach.meet.at=25"], "approach.meet.at", "timeout"),
        ("air-bearing", ["approach.meet.at=1"], "approach.meet.at", "observe"),
        ("air-bearing", ["approach.meet.at=20"], "approach.meet.at", "before the timeout"),
        ("three-bounces", ["impact.normal=[0, 1]"], "impact.normal", "its own normals"),
        ("three-bounces", ["target.position=[1.9, 0.1]"], "target.position", "inside the target"),
        ("air-bearing", ["approach.meet.closing-speed=-1"], "closing-speed", "-1"),
        ("air-bearing", ["approach.meet.base=move"], "approach.meet.base", "match"),
        ("miss", [BILATERAL], "impact.friction", "bilateral"),
        ("miss", [PULSE], "impact", "approach"),
        ("miss", ["impact.closure=published"], "impact.closure", "approach"),
        ("three-bounces", ["impact.repeat.below=0"], "impact.repeat.below", "0"),
        ("three-bounces", ["impact.repeat.most=0"], "impact.repeat.most", "0"),
        ("three-bounces", ["impact.repeat.then=glue"], "impact.repeat.then", "weld"),
        ("three-bounces", ["impact.restitution=1.2"], "impact.restitution", "1.2"),
        (
            "three-bounces",
            ["target={mass: 60, inertia: 8, contact: [-0.5, 0], position: [3, 0.1]}"],
            "approach.contact",
            "shape",
        ),
        (
            "miss",
            ["approach.control={law: computed-torque, natural-frequency: 1}",
             "approach.meet={at: 20}", "chaser.mode=free-flying", "target.position=[40, 0]",
             "target.velocity={linear: [0, 0]}"],
            "approach.meet",
            "reach",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_by_name(
    name: str,
    settings: list[str],
    field: str,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    chosen = [part for text in settings for part in ("--set", text)]
    out = tmp_path / "out"
    status = percuss_command(monkeypatch, "run", SCENARIOS / f"{name}.yaml", "--out", out, *chosen)
    error = capsys.readouterr().err
    assert status == 2, f"exit {status}: {error}"
    assert field in error, error
    assert said in error, error
    assert "Traceback" not in error
    assert not out.exists(), "something was written"
