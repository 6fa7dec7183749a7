"""Scenarios to test with."""

from __future__ import annotations

from typing import Any

import percuss

THESIS: dict[str, Any] = {
    "name": "thesis simulation 1",
    "chaser": {
        "base": {"shape": "disk", "mass": 100, "radius": 1.0},
        "mode": "free-flying",
        "arm": [
            {"joint": "revolute", "length": 2.0, "mass": 10},
            {"joint": "revolute", "length": 3.0, "mass": 10},
        ],
        "position": [1, 2],
        "angle": "90 deg",
        "joints": [0, 0],
    },
    "target": {
        "shape": "disk",
        "mass": 15,
        "radius": 1.0,
        "contact": {"angle": 0.5},
        "velocity": {"linear": [-1, 0], "angular": 0},
    },
    "impact": {"closure": "pin"},
    "duration": 10,
}

SPATIAL: dict[str, Any] = {
    "name": "spatial capture",
    "chaser": {
        "robot": "demo-7",
        "mode": "attitude-controlled",
        "joints": [0.6, 0.9, 0.3, 1.1, -0.4, 0.7, 0.2],
        "velocity": {
            "linear": [0.01, 0.0, -0.01],
            "angular": [0.002, 0.001, -0.003],
            "joints": [0.01, -0.02, 0.01, 0.0, 0.02, -0.01, 0.01],
        },
    },
    "target": {
        "mass": 150,
        "inertia": {"xx": 30, "yy": 40, "zz": 35, "xy": 2, "xz": 0, "yz": -1},
        "contact": [-0.6, 0.1, 0],
        "velocity": {"linear": [-0.02, -0.03, 0.01], "angular": [0.03, 0.02, 0.06]},
    },
    "impact": {"closure": "weld"},
    "duration": 10,
}

TRACKING = {"law": "computed-torque", "natural-frequency": 1.0, "damping-ratio": 1.0}


def scene(base: dict[str, Any], **settings: Any) -> percuss.Scenario:
    """A scenario with values replaced; `chaser__mode` stands for the path chaser.mode."""
    paths = {path.replace("__", "."): value for path, value in settings.items()}
    return percuss.with_overrides(percuss.Scenario(**base), paths)
