"""Peaks of many cases where a command jumps: no value that the law never commands."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import percuss
from tests.encounter.many import PEAKS, single

SCENARIOS = Path(__file__).parents[2] / "scenarios"

SWITCHING = {
    "target.mass": 47.230587164953526,
    "impact.stiffness": 19197.523282837687,
    "impact.restitution": 0.6562985163382115,
    "control.natural-frequency": 3.0200882191456366,
    "target.velocity.linear": [-0.04315976725024171, -0.29108716757521047],
}
"""A step of the motion ends where the contact does, and with it impact compensation: by rounding,
its end counts as after the switch."""


@pytest.mark.parametrize("tolerance", [1e-9, 1e-10, 1e-11])
def test_the_largest_command_is_one_that_the_law_gives(tolerance: float) -> None:
    changes = {"duration": 1.0, "integration.relative-tolerance": tolerance}
    scenario = percuss.with_overrides(percuss.load(SCENARIOS / "ic2.yaml"), changes)
    vary = {name: np.array([value]) for name, value in SWITCHING.items()}
    found = percuss.simulate(scenario, vary=vary, knows="truth", ask=(), threads=1)
    peaks = found["peak.control"].values[0]
    alone = single(scenario, SWITCHING).summary["peak"]["control"]
    np.testing.assert_allclose(
        peaks,
        alone,
        rtol=PEAKS,
        err_msg="the largest command of a case is not one that its law gives, where the law "
        "switches at the end of a contact",
    )
