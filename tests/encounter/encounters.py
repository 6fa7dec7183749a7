"""Encounters to test with, quick to compile, and what to ask of every one."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np

import percuss

Array = np.ndarray

RIGID: dict[str, Any] = {
    "base": {"shape": "disk", "mass": 100, "radius": 0.5},
    "mode": "free-floating",
    "arm": [{"length": 1.0, "mass": 5}],
    "joints": [0.0],
}
"""A disk with one rod: the tool waits at (1, 0) m as long as nothing moves it."""

ARM: dict[str, Any] = {
    "base": {"shape": "box", "mass": 60, "size": [0.6, 0.5]},
    "mount": [0.3, 0.1],
    "mode": "free-floating",
    "arm": [{"length": 0.8, "mass": 5}, {"length": 0.7, "mass": 4}],
    "joints": ["50 deg", "-80 deg"],
}

DISK: dict[str, Any] = {
    "shape": "disk",
    "mass": 20,
    "radius": 0.3,
    "contact": {"angle": "180 deg"},
    "angle": 0,
    "position": [3.0, 0.0],
    "velocity": {"linear": [-1.0, 0.0], "angular": 0},
}

COMING: dict[str, Any] = {
    "name": "coming",
    "chaser": RIGID,
    "target": DISK,
    "approach": {"capture-radius": 0.02, "timeout": 60},
    "impact": {"closure": "pin"},
    "duration": 1,
    "output": {"samples": 21},
}

SLIDER = """<robot name="slider">
  <link name="base"><inertial><mass value="80"/><inertia ixx="9" iyy="10" izz="8" ixy="0" ixz="0"
    iyz="0"/></inertial></link>
  <link name="slide"><inertial><origin xyz="0.2 0 0"/><mass value="4"/><inertia ixx="0.1" iyy="0.2"
    izz="0.2" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="hand"><inertial><origin xyz="0.3 0 0"/><mass value="3"/><inertia ixx="0.05" iyy="0.1"
    izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="out" type="prismatic"><parent link="base"/><child link="slide"/>
    <origin xyz="0.4 0.1 0"/><axis xyz="1 0 0"/><limit effort="50" velocity="1" lower="-1"
    upper="1"/></joint>
  <joint name="turn" type="revolute"><parent link="slide"/><child link="hand"/>
    <origin xyz="0.4 0 0.1"/><axis xyz="0 1 0"/><limit effort="20" velocity="2" lower="-3"
    upper="3"/></joint>
</robot>
"""
"""Spatial: a base with a sliding and a turning joint; the hand ends 0.5 m from its joint."""

CUBE: dict[str, Any] = {
    "mass": 30,
    "inertia": {"xx": 2, "yy": 3, "zz": 2.5, "xy": 0.2, "xz": -0.1, "yz": 0.3},
    "size": [0.6, 0.5, 0.4],
    "contact": [-0.3, 0.05, 0.02],
    "position": [2.0, 0.1, 0.05],
    "velocity": {"linear": [-0.05, 0.01, 0.0], "angular": [0.02, 0.05, -0.04]},
}


def spatial(folder: Any, **blocks: Any) -> dict[str, Any]:
    """A spatial encounter, its robot written to the folder."""
    path = folder / "slider.urdf"
    path.write_text(SLIDER)
    return {
        "name": "spatial",
        "chaser": {
            "urdf": str(path),
            "mode": "free-floating",
            "tool": {"link": "hand", "at": [0.5, 0, 0]},
            "joints": [0.0, 0.2],
        },
        "target": CUBE,
        "approach": {"capture-radius": 0.02, "timeout": 60},
        "impact": {"closure": "weld"},
        "duration": 1,
        "output": {"samples": 21},
        **blocks,
    }


def scenario(base: dict[str, Any], **settings: Any) -> percuss.Scenario:
    """A scenario with values replaced; `target__mass` stands for the path target.mass."""
    paths = {path.replace("__", ".").replace("_", "-"): x for path, x in settings.items()}
    return percuss.with_overrides(percuss.Scenario(**base), paths)


def run(base: dict[str, Any], **settings: Any) -> percuss.Result:
    return percuss.run(scenario(base, **settings))


def turned(angle: float) -> Array:
    """Rotation matrix in the plane."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s], [s, c]])


def assert_whole(result: percuss.Result, share: float = 1e-8) -> None:
    """What holds in every run: times increase, phases follow each other, and balances close."""
    summary, data = result.summary, result.record
    time = data.time
    assert (np.diff(time) > 0.0).all(), "time does not increase strictly"
    phases = summary["phases"]
    assert phases[0]["begin"] == 0.0
    assert phases[-1]["end"] == summary["final"]["time"]
    for before, after in pairwise(phases):
        assert after["begin"] == before["end"], "the phases leave a gap"
    assert set(np.unique(data["phase"])) <= {0, 1, 2}
    assert (np.diff(data["phase"][data["phase"] != 1]) >= 0).all(), "phases go backwards"
    for name, variable in data.variables.items():
        values = variable.values
        assert len(values) == len(time), f"{name} has another length than time"
        assert values.size == 0 or np.isfinite(values.astype(float)).any(), f"{name} is all NaN"
    linear = np.abs(data["linear_momentum"]).max()
    angular = np.abs(data["angular_momentum"]).max()
    sizes = {
        "energy": data["energy"].max() + np.ptp(data["energy"]) + np.ptp(data["potential_energy"]),
        "linear_momentum": 1e-3 + linear,
        "angular_momentum": 1e-3 + angular + linear,
    }
    for phase in phases:
        for name, size in sizes.items():
            if phase[name] is not None:
                off = phase[name]
                assert off <= share * (1e-3 + size), (
                    f"{name} is open by {off:.2e} (size {size:.2e}) in phase {phase['name']}"
                )
    if summary["closure"] != "published" and summary["mode"] != "fixed":
        for impact in summary["impacts"]:
            if impact["duration"] == 0.0:
                for name in ("linear_momentum", "angular_momentum"):
                    change = np.subtract(impact[name]["after"], impact[name]["before"])
                    off = float(np.abs(change).max())
                    assert off < 1e-10 * (1 + sizes[name]), f"{name} jumps by {off:.1e}"
    if "wheel_momentum" in data.variables:
        # The last sample of a phase and the first of the next are one instant.
        joints = np.flatnonzero(np.diff(time) < 1e-9 * (1 + time[1:]))
        jump = np.abs(data["wheel_momentum"][joints + 1] - data["wheel_momentum"][joints])
        assert jump.size == 0 or jump.max() < 1e-7, "wheels jump between phases"
