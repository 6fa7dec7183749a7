"""Ensembles in a circular orbit against single runs, where its loads are large."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import percuss
from percuss.dynamics import CircularOrbit
from percuss.dynamics.orbit import FIELDS
from percuss.encounter.outcome import Outcome
from percuss.scenario.orbit import Orbit
from tests.encounter.batches import (
    DRIFTING,
    PLANAR,
    balanced,
    compare,
    ensemble_of,
    near,
    spatial,
    spread,
)
from tests.encounter.scenes import scene

SPREAD = (0.02, 0.02, 0.05)
PLACED = {f"target__{key}": value for key, value in DRIFTING.items()}
ORBIT = {"altitude": "500 km", "velocities": "inertial"}


def turning(monkeypatch: pytest.MonkeyPatch, n: float) -> None:
    """Orbits of scenarios are at 50 m from a heavy point, with the mean motion n (rad/s)."""
    made = lambda orbit: CircularOrbit(50.0, orbit.field, n**2 * 50.0**3)  # noqa: E731
    monkeypatch.setattr(Orbit, "circular", property(made))


@pytest.fixture(autouse=True)
def strong(monkeypatch: pytest.MonkeyPatch) -> None:
    """Orbits of scenarios turn once a minute."""
    turning(monkeypatch, 0.1)


@pytest.mark.parametrize("field", FIELDS)
def test_approach_and_grasp(field: str) -> None:
    """The orbit's angle goes on where each case was when its grasp closed."""
    scenario = scene(
        PLANAR,
        orbit=ORBIT | {"field": field},
        approach={"capture-radius": 0.3, "timeout": 8, "observe": 1},
        **PLACED,
    )
    rates = spread(scenario, SPREAD, 4, 3)
    batch = ensemble_of(scenario, reactions=True)(target_rates=rates)
    assert (batch.status == Outcome.CAPTURED).sum() >= 2
    balanced(batch)
    runs = compare(scenario, rates, batch, state=1e-8)
    for k, run in enumerate(runs):
        wanted = list(run.peak_joint_reaction.values())
        near(batch.peak_reactions[:, k], wanted, 1e-3, f"case {k}: reactions")
    without = percuss.with_overrides(scenario, {"orbit": None})
    other = ensemble_of(without)(target_rates=rates)
    assert np.nanmax(np.abs(other.coordinates - batch.coordinates)) > 1e-2, "the orbit matters"


@pytest.mark.parametrize(
    "impact",
    [
        {"closure": "bounce", "restitution": 0.6, "friction": 0.3},
        {
            "closure": "bounce",
            "restitution": 0.6,
            "repeat": {"below": 0.02, "then": "pin", "most": 6},
        },
        {"closure": "compliant", "law": "linear", "stiffness": 500.0, "damping": 10.0},
        {"closure": "pulse", "force": [3.0, -1.0], "duration": 0.5},
    ],
    ids=["bounce", "bounces", "compliant", "pulse"],
)
def test_contacts(impact: dict[str, Any]) -> None:
    approach: dict[str, Any] = {"contact": "surface", "timeout": 9, "observe": 0.5}
    placed = PLACED if impact["closure"] != "pulse" else {}
    more = {"approach": approach} if impact["closure"] != "pulse" else {}
    law = {"law": "pd", "natural-frequency": 2.0}
    scenario = scene(PLANAR, orbit=ORBIT, impact=impact, control=law, **placed, **more)
    if impact["closure"] == "pulse":
        batch = ensemble_of(scenario)()
        run = percuss.run(scenario)
        near(batch.coordinates[:, 0], run.summary["final"]["coordinates"], 1e-9, "coordinates")
        balanced(batch)
        return
    rates = spread(scenario, SPREAD, 3, 1)
    batch = ensemble_of(scenario)(target_rates=rates)
    assert (batch.status != Outcome.FAILED).all()
    balanced(batch)
    compare(scenario, rates, batch, peaks=1e-3)


def test_meetings_are_foreseen_in_space(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The compiled flight of the targets has the loads of the orbit too."""
    turning(monkeypatch, 0.03)
    meet = {"at": 5, "closing-speed": 0.02}
    scenario = spatial(
        tmp_path,
        orbit=ORBIT,
        approach={
            "capture-radius": 0.05,
            "timeout": 9,
            "observe": 1,
            "meet": meet,
            "control": {"law": "match", "natural-frequency": 2.0},
        },
        **{
            "target.position": [1.95, 0.6, 0.3],
            "target.velocity": {"linear": [0.01, 0, 0], "angular": [0.01, 0.02, 0.03]},
        },
    )
    rates = spread(scenario, (0.003,) * 6, 3, 4)
    batch = ensemble_of(scenario)(target_rates=rates)
    assert (batch.status == Outcome.CAPTURED).any(), batch.words
    balanced(batch)
    compare(scenario, rates, batch, time=1e-8, peaks=1e-3)
