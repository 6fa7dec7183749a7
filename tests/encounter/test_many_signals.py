"""Signals of many cases over time are those of single runs, and end with the case."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import percuss
from tests.encounter.batches import PLANAR
from tests.encounter.many import EXACT, case_of, drawn, single
from tests.encounter.scenes import scene

SCENARIOS = Path(__file__).parents[2] / "scenarios"
CLOSE = 1e-7
EVERY = (
    "coordinates",
    "rates",
    "control",
    "energy",
    "potential_energy",
    "linear_momentum",
    "angular_momentum",
    "tool_position",
    "target_position",
    "target_velocity",
)
ALONE = EVERY[:-2]
"""Signals where there is no target."""
BESIDE = 1e-6
"""s: nearer to a contact, rounding decides on which side of it a sample is."""


def stored(name: str, **changes: Any) -> percuss.Scenario:
    given = percuss.load(SCENARIOS / f"{name}.yaml")
    return percuss.with_overrides(given, {"integration": EXACT} | changes)


FIXED = {"chaser__mode": "fixed", "chaser__base": None, "chaser__mount": None}
PULSE = {
    "name": "pulse",
    "chaser": {"robot": "percussion", "mode": "free-flying", "joints": ["-90 deg", "90 deg"]},
    "impact": {"closure": "pulse", "force": [0, -100.0], "duration": 0.01},
    "control": {"law": "ic2", "natural-frequency": 3.0},
    "duration": 0.1,
    "integration": EXACT,
}
SAMPLED = {"law": "ic2", "natural-frequency": 3.0, "period": 0.002}
KINDS: dict[str, tuple[percuss.Scenario, dict[str, float], tuple[str, ...]]] = {
    "mission": (
        stored("mission-3d", duration=5),
        {"target.mass": 0.2, "approach.observe": 0.2, "duration": 0.4},
        EVERY,
    ),
    "bounces": (
        stored("three-bounces", duration=2),
        {"target.mass": 0.2, "impact.restitution": 0.05, "duration": 0.4},
        EVERY,
    ),
    "pulse": (
        percuss.Scenario(**PULSE),
        {"impact.force": 0.3, "impact.duration": 0.4, "duration": 0.2},
        ALONE,
    ),
    "compliant": (
        scene(
            PLANAR,
            impact={"closure": "compliant", "stiffness": 2e3, "damping": 50.0},
            control={"law": "pd", "natural-frequency": 1.0},
            duration=1,
        ),
        {"target.mass": 0.2, "impact.stiffness": 0.3, "duration": 0.2},
        EVERY,
    ),
    "sampled law": (
        percuss.Scenario(**PULSE | {"control": SAMPLED}),
        {"impact.force": 0.3, "duration": 0.2},
        ALONE,
    ),
    "fixed": (
        scene(PLANAR, **FIXED, gravity=[0.0, -0.1]),
        {"target.mass": 0.2, "chaser.position": 0.4, "duration": 0.2},
        EVERY,
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_signals_are_those_of_single_runs(kind: str) -> None:
    scenario, spreads, names = KINDS[kind]
    cases = 2
    vary = drawn(scenario, spreads, cases, seed=4)
    runs = [single(scenario, case_of(vary, k)) for k in range(cases)]
    times = np.unique(np.concatenate([run.data["time"].values for run in runs]))
    found = percuss.simulate(
        scenario, vary=vary, knows="truth", signals=names, times=times, threads=1
    )
    for k, run in enumerate(runs):
        own, record = run.data["time"].values, run.data
        end = run.summary["final"]["time"]
        bounds = np.array([phase["end"] for phase in run.summary["phases"]])
        bounds = np.append(bounds, [one["time"] for one in run.summary["impacts"]])
        apart = np.abs(own[:, None] - bounds[None, bounds < end - BESIDE]).min(
            axis=1, initial=np.inf
        )
        # Where a run touches, it is recorded twice, before and after.
        clear = (apart > BESIDE) & (own < end - BESIDE)
        assert clear.sum() > 0.8 * len(own), "most of a run is near a contact"
        at = np.searchsorted(times, own[clear])
        after = times > end + BESIDE
        for name in names:
            wanted = record[name].values[clear]
            values = found[name].values[k][at]
            if values.ndim == 1 < wanted.ndim:
                wanted = wanted[:, 0]
            assert values.shape == wanted.shape, f"{name}: {values.shape}, alone {wanted.shape}"
            size = max(1e-3, float(np.abs(wanted).max()))
            off = np.abs(values - wanted)
            assert not np.isnan(off).any(), f"{name} of case {k} ends before the case does"
            worst = int(off.reshape(len(off), -1).max(axis=1).argmax())
            assert off.max() <= CLOSE * size, (
                f"{name} of case {k} is {values[worst].tolist()} at {own[clear][worst]:.6g} s, "
                f"alone it is {wanted[worst].tolist()}"
            )
            rest = found[name].values[k][after]
            assert np.isnan(rest).all(), f"{name} of case {k} goes on after its end at {end:g} s"
    ends = [run.summary["final"]["time"] for run in runs]
    assert np.ptp(ends) > 0.0, "all cases end at the same time: nothing is seen of their ends"
