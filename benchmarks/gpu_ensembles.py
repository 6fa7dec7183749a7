"""Ensembles on a GPU: how long their kernels take to be made, and how long they run.

Every figure takes the name of a back end and counts of cases, so that the same code runs on
processors, too.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

import percuss
from benchmarks.failing import rates_of_cases, spoilt_against_usual
from benchmarks.kernel_times import seconds_of_kernels
from benchmarks.table import Row
from percuss.encounter.ensemble.ensemble import Ensemble

SCENARIOS = Path(__file__).parents[1] / "scenarios"
SPREAD = (0.004, 0.004, 0.01)
"""Standard deviations of the rates of a bouncing target (m/s, rad/s)."""
DURATION = 60.0
"""Of the motion after a capture, s."""


def kernels(backend: str, level: int) -> Row:
    """All kernels of an ensemble of a spatial mission, nothing cached, in a fresh process."""
    times = seconds_of_kernels(SCENARIOS / "mission-3d.yaml", backend, level)
    everything = times.pop("all")
    kinds = ", ".join(f"{kind} {seconds:.2f} s" for kind, seconds in times.items())
    work = f"all kernels of an ensemble of mission-3d, nothing cached ({kinds}; side by side)"
    return Row(work, f"{everything:.2f} s", "", f"{everything:.2f} s", "≤ 5 s")


def captures(backend: str, cases: int) -> Iterator[Row]:
    """Captures of a tumbling satellite, error control to 1e-10."""
    scenario = percuss.load(SCENARIOS / "tumbling-3d.yaml")
    scenario = percuss.with_overrides(scenario, {"duration": DURATION})
    rates = rates_of_cases(scenario.start, cases)[0]
    work = f"{cases:,} captures of tumbling-3d, {DURATION:.0f} s of motion at 1e-10"
    yield from _first_and_again(work, scenario, rates, backend, "≤ 3 s")


def bounces(backend: str, cases: int) -> Iterator[Row]:
    """Planar missions of approach, bounces, catch and the motion after it."""
    scenario = percuss.load(SCENARIOS / "three-bounces.yaml")
    own = np.asarray(scenario.start.target_rates, float)[:, None]
    noise = np.random.default_rng(1).normal(size=(len(own), cases))
    rates = own + np.array(SPREAD)[:, None] * noise
    work = f"{cases:,} missions of three-bounces at 1e-10"
    yield from _first_and_again(work, scenario, rates, backend, "≤ 1 s")


def failing(backend: str, counts: Sequence[int]) -> Iterator[Row]:
    """Captures of which some cannot go on, against captures of which all can."""
    ensemble = Ensemble(percuss.load(SCENARIOS / "tumbling-3d.yaml"), backend=backend)
    for cases in counts:
        yield spoilt_against_usual(ensemble, cases, backend)


def _first_and_again(
    work: str, scenario: percuss.Scenario, rates: np.ndarray, backend: str, bar: str
) -> Iterator[Row]:
    """The first call, which makes the kernels; later ones; and one on all cores of the machine."""
    ensemble = Ensemble(scenario, backend=backend)
    first = _seconds(ensemble, rates)
    again = min(_seconds(ensemble, rates) for _ in range(3))
    on_cores = Ensemble(scenario, backend="llvm")
    _seconds(on_cores, rates[:, :1])  # its kernels are made
    cores = _seconds(on_cores, rates)
    yield Row(f"{work}, first call, kernels included", f"{first:.2f} s", "", f"{first:.2f} s", "")
    yield Row(
        f"{work}, later calls, the best of three", f"{again:.2f} s", "", f"{again:.2f} s", bar
    )
    compared = f"{cores / again:.1f}×"
    yield Row(f"{work}, against all cores", f"{again:.2f} s", f"{cores:.2f} s", compared, "")


def _seconds(ensemble: Ensemble, rates: np.ndarray) -> float:
    started = time.perf_counter()
    ensemble(target_rates=rates)
    return time.perf_counter() - started
