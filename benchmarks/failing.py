"""Cases that cannot go on: what they cost an ensemble in which most can."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

import percuss
from benchmarks.table import Row, best_of
from percuss.encounter.ensemble.ensemble import Ensemble
from percuss.encounter.outcome import Outcome
from percuss.encounter.start import Start

SCENARIO = Path(__file__).parents[1] / "scenarios" / "tumbling-3d.yaml"
CASES = 4096
SHARE = 0.04
"""Of the cases, those whose target spins so fast that their steps would take for ever."""
FAST = (3.0, 6.0)
"""Powers of ten between which their spin is multiplied: 70 to 70,000 rad/s. The slowest would take
too many steps, the fastest steps too small."""


def rates_of_cases(start: Start, cases: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rates of the target (m/s, rad/s) that differ from case to case, shape (rates, cases).

    Those of cases that all go on, the same with some that do not, and which these are.
    """
    rng = np.random.default_rng(17)
    usual = np.asarray(start.target_rates, float)[:, None]
    usual = usual * (1.0 + 0.1 * rng.normal(size=cases))
    spoilt = usual.copy()
    chosen = rng.choice(cases, int(SHARE * cases), replace=False)
    spoilt[3:, chosen] *= 10.0 ** rng.uniform(*FAST, len(chosen))
    return usual, spoilt, chosen


def spoilt_against_usual(ensemble: Ensemble, cases: int, where: str) -> Row:
    """Captures with and without some that are given up."""
    usual, spoilt, chosen = rates_of_cases(ensemble.encounter.start, cases)
    outcomes = ensemble(target_rates=spoilt).status
    assert (outcomes[chosen] == Outcome.FAILED).all()
    assert (np.delete(outcomes, chosen) == Outcome.CAPTURED).all()
    with_them = best_of(lambda: ensemble(target_rates=spoilt), 2)
    without = best_of(lambda: ensemble(target_rates=usual), 2)
    work = f"{cases:,} captures, {SHARE:.0%} of which cannot go on, against none, {where}"
    ratio = f"{with_them / without:.2f}×"
    return Row(work, f"{with_them:.2f} s", f"{without:.2f} s", ratio, "≤ 2×")


def spoilt() -> Row:
    """The same on one core."""
    ensemble = Ensemble(percuss.load(SCENARIO), threads=1)
    return spoilt_against_usual(ensemble, CASES, "one core")


def jobs() -> list[tuple[str, Callable[[], Row | list[Row]]]]:
    """What is measured here, with titles."""
    return [("cases that cannot go on", spoilt)]
