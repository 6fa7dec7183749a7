"""Many cases of an encounter beside single runs of the same numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

import percuss
from percuss.encounter.number import Numbered
from percuss.scenario.numbers import ScenarioNumbers
from tests.encounter.summaries import is_in_summary, summary_value

CLOSE = 1e-8
"""Share of a quantity's size by which a case may be off its single run."""
PEAKS = 1e-5
"""The same of peaks and of what is seen between steps, which do not fall on the same times."""
BETWEEN = 1e-3
"""The same of what a single run reads off straight lines between its steps: when wheels are full,
and ∫ |u| dt of thrusters, whose size has a corner where their command changes its sign."""
EXACT = {"relative-tolerance": 1e-12}
"""How single runs and cases are integrated that are compared with each other."""
GRAZES = 1e-4
"""m/s: the motion after an impact that closes in more slowly along the normal depends on rounding;
a case with such an impact cannot be compared, and none of those that are drawn is one."""

LOOSE: Mapping[str, float] = {
    "peak.control": PEAKS,
    "peak.joint_reaction": PEAKS,
    "contact.peak_force": PEAKS,
    "settled": PEAKS,
    "limits.joints.effort.peak": PEAKS,
    "limits.joints.effort.share": PEAKS,
    "limits.joints.rate.peak": PEAKS,
    "limits.joints.rate.share": PEAKS,
    "limits.joints.position.lowest": PEAKS,
    "limits.joints.position.highest": PEAKS,
    "stabilisation.wheels.peak": PEAKS,
    "stabilisation.wheels.saturated_at": BETWEEN,
    "stabilisation.thrusters.force_impulse": BETWEEN,
    "stabilisation.thrusters.torque_impulse": BETWEEN,
    "approach.closest.distance": 1e-6,
    "approach.closest.time": 1e-3,
    # Where the tool misses, those at the closest approach.
    "approach.relative_velocity": 1e-6,
    "approach.relative_speed": 1e-6,
}
BALANCES = ("balance.energy", "balance.linear_momentum", "balance.angular_momentum")
BALANCED = 1e-8
"""Residual of a balance (J, N s, N m s) that is rounding and tolerance."""


def drawn(
    scenario: percuss.Scenario, spreads: Mapping[str, float], cases: int, seed: int
) -> dict[str, np.ndarray]:
    """Uniform deviates: a number of its own value differs by a share of it, zero by the spread.

    The first case has the scenario's own numbers.
    """
    return drawn_of(ScenarioNumbers(scenario), spreads, cases, seed)


def drawn_of(
    numbers: Numbered, spreads: Mapping[str, float], cases: int, seed: int
) -> dict[str, np.ndarray]:
    """The same for the numbers of an encounter."""
    random = np.random.default_rng(seed)
    found: dict[str, np.ndarray] = {}
    for name, spread in spreads.items():
        own = numbers.number(name).value
        deviates = random.uniform(-1.0, 1.0, (cases, *own.shape))
        deviates[0] = 0.0
        found[name] = own + np.where(own == 0.0, 1.0, np.abs(own)) * spread * deviates
    return found


def case_of(vary: Mapping[str, np.ndarray], k: int) -> dict[str, Any]:
    """The numbers of one case by name."""
    return {name: np.asarray(values[k]).tolist() for name, values in vary.items()}


def single(scenario: percuss.Scenario, values: Mapping[str, Any]) -> percuss.Result:
    """The run of one case on its own."""
    return percuss.run(percuss.with_overrides(scenario, dict(values)))


def grazes(run: percuss.Result) -> bool:
    """Whether an impact of a run is so slow along the normal that rounding decides on the rest."""
    speeds = [one["normal_speed"] for one in run.summary["impacts"]]
    return any(speed is not None and speed < GRAZES for speed in speeds)


def assert_cases_are_runs(
    found: Any, run: Callable[[int], percuss.Result], *, loose: Mapping[str, float] | None = None
) -> list[percuss.Result]:
    """Every case of a dataset against its single run; returns the runs.

    `loose` are shares that are allowed instead of those of `LOOSE`, by name.
    """
    runs = [run(k) for k in range(found.sizes["case"])]
    grazing = [k for k, one in enumerate(runs) if grazes(one)]
    assert not grazing, f"cases {grazing} graze: choose others to compare"
    for k, one in enumerate(runs):
        status = str(found["status"].values[k])
        wanted = one.summary["status"]
        assert status == wanted, f"case {k} ends {status}, alone it ends {wanted}"
    for name, off in differences(found, runs).items():
        allowed = {**LOOSE, **(loose or {})}.get(name, CLOSE)
        wrong = off > allowed
        if wrong.any():
            k = int(np.flatnonzero(wrong)[0])
            values = found[name].values[k].tolist()
            wanted = np.asarray(summary_value(runs[k].summary, name, found[name])).tolist()
            raise AssertionError(
                f"{name} of case {k} is {values}, alone it is {wanted} (off by {off.max():.1e} of "
                f"its size, {allowed:.0e} is allowed; {wrong.sum()} of {len(runs)} cases)"
            )
    for name in BALANCES:
        left = float(np.nanmax(found[name].values, initial=0.0))
        assert left < BALANCED, f"{name} is open by {left:.1e}"
    return runs


def found_columns(found: Any) -> list[str]:
    """The columns of a dataset that tell what was found of each case, in numbers."""
    left_out = ("status", "reason", "captured", *BALANCES)
    return [
        str(name)
        for name, variable in found.data_vars.items()
        if name not in left_out and variable.attrs["long_name"] != "given"
    ]


def differences(found: Any, runs: Sequence[percuss.Result]) -> dict[str, np.ndarray]:
    """By how much cases of a dataset are off their single runs, (cases,) by column.

    As a share of the largest value among these runs, or of 1e-3 in SI units where that is larger;
    infinite where one has a value and the other none. Every column is compared that any of the
    summaries tells.
    """
    tables: dict[str, np.ndarray] = {}
    for name in found_columns(found):
        told = [told_by(run, name, found[name]) for run in runs]
        if any(one is not None for one in told):
            own = np.asarray(found[name].values, float)
            tables[name] = shares(name, own, told)
    return tables


def told_by(run: percuss.Result, name: str, like: Any) -> np.ndarray | None:
    """What a summary tells under the name of a column; None where it is none that it tells."""
    if not is_in_summary(run.summary, name):
        return None
    return np.asarray(summary_value(run.summary, name, like), float)


def shares(name: str, own: np.ndarray, told: Sequence[np.ndarray | None]) -> np.ndarray:
    """By how much values of cases are off what is told of them, (cases,); 0 where nothing is."""
    pairs = zip(own, told, strict=True)
    wanted = np.array([mine if one is None else one for mine, one in pairs], float)
    assert own.shape == wanted.shape, f"{name}: {own.shape} instead of {wanted.shape}"
    size = max(1e-3, float(np.nanmax(np.abs(wanted), initial=0.0)))
    off = np.nan_to_num(np.abs(own - wanted) / size, nan=np.inf)
    off[np.isnan(own) & np.isnan(wanted)] = 0.0
    return off.reshape(len(own), -1).max(axis=1, initial=0.0)
