"""Cases that cannot go on: what they cost an ensemble in which most can."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

import percuss
from benchmarks.table import Row, best_of
from percuss.simulate.ensemble import Ensemble, Outcome

SCENARIO = Path(__file__).parents[1] / "scenarios" / "tumbling-3d.yaml"
CASES = 4096
SHARE = 0.04
"""Of the cases, those whose target spins so fast that their steps would take for ever."""
FAST = (3.0, 6.0)
"""Powers of ten between which their spin is multiplied: 70 to 70,000 rad/s. The slowest would take
too many steps, the fastest steps too small."""


def spoilt() -> Row:
    """Captures with and without some that are given up, on one core."""
    scenario = percuss.load(SCENARIO)
    ensemble = Ensemble(scenario, threads=1)
    rng = np.random.default_rng(17)
    usual = np.asarray(scenario.start.target_rates, float)[:, None]
    usual = usual * (1.0 + 0.1 * rng.normal(size=CASES))
    spoilt = usual.copy()
    chosen = rng.choice(CASES, int(SHARE * CASES), replace=False)
    spoilt[3:, chosen] *= 10.0 ** rng.uniform(*FAST, len(chosen))
    outcomes = ensemble(target_rates=spoilt).status
    assert (outcomes[chosen] == Outcome.FAILED).all()
    assert (np.delete(outcomes, chosen) == Outcome.CAPTURED).all()
    with_them = best_of(lambda: ensemble(target_rates=spoilt), 2)
    without = best_of(lambda: ensemble(target_rates=usual), 2)
    work = f"{CASES:,} captures, {SHARE:.0%} of which cannot go on, against none, one core"
    ratio = f"{with_them / without:.2f}×"
    return Row(work, f"{with_them:.2f} s", f"{without:.2f} s", ratio, "≤ 2×")


def jobs() -> list[tuple[str, Callable[[], Row | list[Row]]]]:
    """What is measured here, with titles."""
    return [("cases that cannot go on", spoilt)]
