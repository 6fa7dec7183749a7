"""Captures to plan."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import percuss

ROBOTS = Path(__file__).parent / "robots"
SCENARIOS = Path(__file__).parents[3] / "scenarios"

TWO_LINKS: dict[str, Any] = {
    "name": "two links",
    "chaser": {
        "robot": "percussion",
        "joints": [-0.5, 1.2],
        "velocity": {"linear": [0.02, 0.0], "angular": 0.01, "joints": [0.0, 0.0]},
    },
    "target": {
        "shape": "disk",
        "mass": 40,
        "radius": 0.5,
        "contact": [-0.4, -0.3],
        "angle": 0.3,
        "velocity": {"linear": [-0.2, -0.1], "angular": 0.15},
    },
    "impact": {"closure": "pin"},
    "duration": 0.2,
}

THREE_LINKS: dict[str, Any] = {
    **TWO_LINKS,
    "name": "three links",
    "chaser": {"robot": "air-bearing-3r", "joints": [0.4, -0.8, 0.9]},
    "target": {
        "shape": "disk",
        "mass": 9,
        "radius": 0.2,
        "contact": {"angle": 3.0},
        "angle": -0.2,
        "velocity": {"linear": [-0.05, 0.03], "angular": 0.1},
    },
    "impact": {"closure": "weld"},
}


def scene(base: dict[str, Any], **settings: Any) -> percuss.Scenario:
    """A scenario with values replaced; `impact__closure` stands for the path impact.closure."""
    paths = {path.replace("__", "."): value for path, value in settings.items()}
    return percuss.with_overrides(percuss.Scenario(**base), paths)


BOUNCE = {"impact": {"closure": "bounce", "restitution": 0.4, "friction": 0.2}}
