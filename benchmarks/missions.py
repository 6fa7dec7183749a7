"""How fast whole encounters are: a mission from command to files, and missions by the thousand.

Run with `make bench`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

import percuss
from benchmarks.table import Row, best_of
from percuss.encounter.ensemble.ensemble import Ensemble
from percuss.encounter.outcome import Outcome
from percuss.encounter.simulation import carry_out

SCENARIOS = Path(__file__).parents[1] / "scenarios"
PEER_CASES = 3
"""Cases that the single-run engine carries out; its time is scaled to all of them."""


def mission() -> list[Row]:
    """`percuss run` of a spatial mission of four phases, from command to files."""
    scenario = SCENARIOS / "mission-3d.yaml"
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"PERCUSS_CACHE": f"{folder}/cache"}

        def seconds() -> float:
            line = [sys.executable, "-m", "percuss", "run", str(scenario), "--out", f"{folder}/out"]
            started = time.perf_counter()
            subprocess.run(line, env=environment, capture_output=True, check=True)
            return time.perf_counter() - started

        seconds()
        warm = min(seconds() for _ in range(3))
    work = "percuss run of a mission with a 7-joint arm in four phases, command to files, again"
    return [Row(work, f"{warm:.2f} s", "", f"{warm:.2f} s", "≤ 3 s")]


def planar_missions() -> list[Row]:
    """10,000 planar missions with bounces and a catch on one core, statistics only."""
    what = "planar missions of approach, bounces, catch and 20 s after it"
    return _missions("three-bounces.yaml", what, 10_000, (0.004, 0.004, 0.01))


def spatial_missions() -> list[Row]:
    """2,048 missions of a seven-joint arm, each planned anew, on one core, statistics only."""
    what = "missions of a 7-joint arm, each planned, flown and brought to rest in 80 s"
    return _missions("mission-3d.yaml", what, 2_048, (0.003,) * 6)


def _missions(file: str, what: str, count: int, spread: tuple[float, ...]) -> list[Row]:
    """Missions whose targets come at other rates, against single runs.

    `spread`: standard deviations of the target's rates (m/s, rad/s).
    """
    scenario = percuss.load(SCENARIOS / file)
    own = np.asarray(scenario.start.target_rates, float)[:, None]
    noise = np.random.default_rng(1).normal(size=(len(own), count))
    rates = own + np.array(spread)[:, None] * noise
    ensemble = Ensemble(scenario, threads=1)
    batch = ensemble(target_rates=rates)
    ours = best_of(lambda: ensemble(target_rates=rates), 2)
    peer = _single_seconds(scenario, rates) * count
    caught = batch.count(Outcome.CAPTURED)
    work = (
        f"{count:,} {what}, error control to 1e-10, one core ({caught:,} caught; "
        f"{count / ours:,.0f} missions a second), against single runs"
    )
    return [Row(work, f"{ours:.2f} s", f"{peer:.0f} s", f"{peer / ours:.0f}×", "")]


def _single_seconds(scenario: percuss.Scenario, rates: np.ndarray) -> float:
    """Seconds of one mission in the single-run engine, its equations being compiled."""
    encounter = scenario.encounter
    cases = [replace(encounter, target_rates=rates[:, k]) for k in range(PEER_CASES)]
    for case in cases:
        carry_out(case)
    return best_of(lambda: [carry_out(case) for case in cases], 2) / len(cases)


def jobs() -> list[tuple[str, Callable[[], list[Row]]]]:
    """What is measured here, with titles."""
    return [
        ("a mission", mission),
        ("planar missions", planar_missions),
        ("spatial missions", spatial_missions),
    ]
