"""Every sensor through the commands: what `run --measure` shows, `identify` reads rightly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from percuss.identification.data.measured import Measured, read_measured, write_measured
from tests.cli.test_run import percuss_command

SCENARIO = Path(__file__).parents[2] / "scenarios" / "identify" / "capture.yaml"
TRUTH = {"vx": -0.4, "vy": -0.1, "omega": 0.2}
KNOWN = (
    *("--set", "control.law=computed-torque", "--set", "control.natural-frequency=0.8"),
    *("--set", "duration=4 s"),
)
MOVING = (
    *("--set", "target.velocity.linear=[-0.4, -0.1]"),
    *("--set", "target.velocity.angular=0.2"),
)
PLAIN: dict[str, dict[str, Any]] = {
    "joint": {"noise": 1e-4, "rate": 25},
    "base.position": {"noise": 1e-3, "rate": 25},
    "base.angle": {"noise": 1e-3, "rate": 25},
}
MARKER = {"noise": 2e-3, "rate": 10, "points": {"a": [0.4, 0.3], "b": [-0.5, 0.2]}}


def made(folder: Path, monkeypatch: pytest.MonkeyPatch, sensors: dict[str, Any]) -> Path:
    """The measurements of a run with these sensors."""
    place = folder / "sensors.yaml"
    place.write_text(yaml.safe_dump(sensors))
    line = ("run", SCENARIO, *KNOWN, *MOVING, "--measure", place, "--seed", "5", "--out")
    assert percuss_command(monkeypatch, *line, folder / "run") == 0
    return folder / "run" / "measured.csv"


def identified(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    measured: Path,
    sensors: dict[str, Any],
) -> dict[str, Any]:
    place = folder / "told.yaml"
    place.write_text(yaml.safe_dump(sensors))
    capsys.readouterr()
    line = ("identify", measured, "--scenario", SCENARIO, "--sensors", place, *KNOWN, "--json")
    assert percuss_command(monkeypatch, *line, "--starts", "2", "--out", folder / "found") == 0
    return json.loads(capsys.readouterr().out)


def worst(document: dict[str, Any]) -> float:
    """Largest error in standard deviations; every part of the velocity must be given."""
    assert list(document["estimate"]) == list(TRUTH)
    return max(
        abs(document["estimate"][name] - value) / document["sigma"][name]
        for name, value in TRUTH.items()
    )


@pytest.mark.parametrize(
    ("kind", "sensor", "columns"),
    [
        pytest.param(
            "joint",
            {"noise": 1e-4, "rate": 25, "bias": [0.01, -0.02]},
            ["joint.joint1", "joint.joint2"],
            id="encoder with a bias",
        ),
        pytest.param(
            "joint",
            {"noise": 1e-4, "rate": 25, "delay": "60 ms", "missing": 0.3},
            ["joint.joint1", "joint.joint2"],
            id="encoder that is late and loses samples",
        ),
        pytest.param(
            "joint_rate",
            {"noise": 1e-4, "rate": 40, "bias": 0.002},
            ["joint_rate.joint1", "joint_rate.joint2"],
            id="tachometer",
        ),
        pytest.param(
            "joint_torque",
            {"noise": 1e-3, "rate": 20, "bias": 0.05},
            ["joint_torque.joint1", "joint_torque.joint2"],
            id="joint torques",
        ),
        pytest.param(
            "gyro", {"noise": 1e-5, "rate": 50, "bias": 1e-3}, ["gyro.z"], id="gyro with a bias"
        ),
        pytest.param(
            "tool_force",
            {"noise": 1e-2, "rate": 20, "bias": [0.3, -0.2]},
            ["tool_force.x", "tool_force.y"],
            id="force at the tool",
        ),
        pytest.param(
            "marker",
            {**MARKER, "bias": 0.05, "delay": "30 ms"},
            ["marker.a.x", "marker.a.y", "marker.b.x", "marker.b.y"],
            id="markers on the target",
        ),
    ],
)
def test_a_sensor_that_is_told_is_used_and_one_that_lies_is_noticed(
    kind: str,
    sensor: dict[str, Any],
    columns: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    sensors = {**PLAIN, kind: sensor}
    measured = made(tmp_path, monkeypatch, sensors)
    assert set(columns) <= set(read_measured(measured).names)
    right = identified(tmp_path, monkeypatch, capsys, measured, sensors)
    assert right["fit"]["warnings"] == []
    assert worst(right) < 4.0
    if kind not in PLAIN:
        without = {name: s for name, s in sensors.items() if name != kind}
        less = tmp_path / "less.csv"
        record = read_measured(measured)
        kept = {name: x for name, x in record.columns.items() if name not in columns}
        there = np.isfinite(np.stack(list(kept.values()))).any(axis=0)
        write_measured(
            Measured(record.time[there], {name: x[there] for name, x in kept.items()}), less
        )
        plain = identified(tmp_path, monkeypatch, capsys, less, without)
        for name in TRUTH:
            assert right["sigma"][name] < 1.001 * plain["sigma"][name], "more cannot tell less"
    silent = {key: x for key, x in sensor.items() if key not in ("bias", "delay")}
    wrong = identified(tmp_path, monkeypatch, capsys, measured, {**sensors, kind: silent})
    assert wrong["fit"]["warnings"], f"{kind}: a bias or delay that is not told goes unnoticed"


def test_netcdf_tells_the_same_as_csv(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sensors = {**PLAIN, "marker": MARKER}
    measured = made(tmp_path, monkeypatch, sensors)
    other = tmp_path / "measured.nc"
    write_measured(read_measured(measured), other)
    one, two = (
        identified(tmp_path, monkeypatch, capsys, place, sensors) for place in (measured, other)
    )
    assert one["estimate"] == pytest.approx(two["estimate"], rel=1e-12)
    assert one["sigma"] == pytest.approx(two["sigma"], rel=1e-9)
    assert worst(one) < 4.0
