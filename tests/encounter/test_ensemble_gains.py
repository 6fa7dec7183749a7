"""PD gains from a frequency in ensembles: those of single runs, found once for each case."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from percuss import kernel
from percuss.encounter.closures import Pin
from percuss.encounter.ensemble.ensemble import Ensemble
from tests.encounter.batches import (
    DRIFTING,
    PLANAR,
    balanced,
    compare,
    ensemble_of,
    spatial,
    spread,
)
from tests.encounter.scenes import scene

PD = {"law": "pd", "natural-frequency": 1.5, "damping-ratio": 0.7}
PLACED = {f"target__{key}": value for key, value in DRIFTING.items()}


@pytest.mark.parametrize(
    "settings",
    [
        {"impact__closure": "pin", "control": PD},
        {"control": PD | {"believes": {"target.mass": 20}, "goal": {"joints": [0.5, -1.0]}}},
        {
            "approach": {"capture-radius": 0.05, "timeout": 8, "observe": 1, "control": PD},
            **PLACED,
            "control": PD,
        },
        {
            "chaser__mode": "free-flying",
            "approach": {
                "capture-radius": 0.02,
                "timeout": 8,
                "meet": {"at": 4, "closing-speed": 0.05},
                "control": PD | {"natural-frequency": 4.0},
            },
            **PLACED,
        },
    ],
    ids=["pin", "believes", "approach", "meeting"],
)
def test_a_batch_has_the_gains_of_single_runs(settings: dict[str, Any]) -> None:
    scenario = scene(PLANAR, **settings)
    rates = spread(scenario, (0.005, 0.005, 0.02), 3, 3)
    batch = ensemble_of(scenario)(target_rates=rates)
    assert "failed" not in batch.words
    balanced(batch)
    compare(scenario, rates, batch, state=1e-8)


def test_a_spatial_grasp_too(tmp_path: Path) -> None:
    scenario = spatial(tmp_path, control=PD)
    rates = spread(scenario, (0.02,) * 3 + (0.05,) * 3, 2, 5)
    batch = ensemble_of(scenario)(target_rates=rates)
    assert batch.words == "2 captured"
    compare(scenario, rates, batch, state=1e-8)


def test_gains_are_not_worked_out_at_every_step(tmp_path: Path) -> None:
    """A frequency costs the equations of motion no operation more than gains that are given."""
    sizes = []
    for law in (PD, {"law": "pd", "kp": [0.0] * 6 + [3.0] * 3, "kd": [0.0] * 6 + [2.0] * 3}):
        flow = Ensemble(spatial(tmp_path, control=law), backend="numpy")._programs.held(Pin())
        x, p = flow.equations.start, flow.like
        equations = kernel.trace(lambda x, p, flow=flow: flow.make(p).rates(0.0, x)[0], x, p)
        sizes.append(equations.program.operation_count)
    assert sizes[0] <= sizes[1] + 12, "gains are read, not computed"
