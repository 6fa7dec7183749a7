"""Scenarios that several tests of identification use."""

from __future__ import annotations

from pathlib import Path

from percuss.scenario import Scenario, load

SCENARIOS = Path(__file__).parents[2] / "scenarios"
NOISE = {"joint": 1e-4, "base.position": 1e-3, "base.angle": 1e-3, "base.orientation": 1e-3}


def thesis(number: int) -> Scenario:
    """Simulation 1 or 2 of the thesis."""
    return load(SCENARIOS / f"thesis-{number}.yaml")
