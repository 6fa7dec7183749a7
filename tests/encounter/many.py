"""Many cases of an encounter beside single runs of the same numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import percuss
from percuss.encounter.number import Numbered
from percuss.scenario.numbers import ScenarioNumbers

CLOSE = 1e-8
"""Share of a quantity's size by which a case may be off its single run."""
PEAKS = 1e-5
"""The same of peaks and of what is seen between steps, which do not fall on the same times."""
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
    "approach.closest.distance": 1e-6,
    "approach.closest.time": 1e-3,
}
BALANCES = ("balance.energy", "balance.linear_momentum", "balance.angular_momentum")
BALANCED = 1e-8
"""Residual of a balance (J, N s, N m s) that is rounding and tolerance."""

Summary = dict[str, Any]
UNTOLD = object()
"""What a summary does not say and a dataset does."""


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
    tables = [expected(one, found) for one in runs]
    told = [name for name in tables[0] if all(name in table for table in tables)]
    for name in told:
        wanted = np.array([table[name] for table in tables], float)
        values = np.asarray(found[name].values, float)
        assert values.shape == wanted.shape, f"{name}: {values.shape} instead of {wanted.shape}"
        size = max(1e-3, float(np.nanmax(np.abs(wanted), initial=0.0)))
        allowed = {**LOOSE, **(loose or {})}.get(name, CLOSE) * size
        if name == "final.target.orientation":
            # Of a quaternion and its negative, which turn alike, the one nearer.
            values = values * np.sign((values * wanted).sum(axis=1, keepdims=True))
        off = np.abs(values - wanted)
        wrong = (off > allowed) | (np.isnan(values) != np.isnan(wanted))
        if wrong.any():
            k = int(np.argwhere(wrong)[0][0])
            raise AssertionError(
                f"{name} of case {k} is {values[k].tolist()}, alone it is {wanted[k].tolist()} "
                f"(off by {np.max(off):.1e}, {allowed:.1e} is allowed; "
                f"{int(wrong.any(axis=tuple(range(1, wrong.ndim))).sum())} of {len(runs)} cases)"
            )
    for name in BALANCES:
        left = float(np.nanmax(found[name].values, initial=0.0))
        assert left < BALANCED, f"{name} is open by {left:.1e}"
    return runs


def expected(run: percuss.Result, found: Any) -> dict[str, Any]:
    """What a run alone tells of everything that a dataset has, by the dataset's names."""
    summary = run.summary
    table: dict[str, Any] = {}
    for name in found.data_vars:
        if found[name].attrs["long_name"] == "given":
            continue
        value = value_of(summary, str(name), found[name])
        if value is not None:
            table[str(name)] = value
    return table


def value_of(summary: Summary, name: str, like: Any) -> Any:
    """A number of a summary by its name in a dataset; None for what summaries do not have.

    What a run does not have, such as the moment of a pin, is NaN.
    """
    shape = like.values.shape[1:]
    nothing = np.full(shape, np.nan)
    if name in MEASURES:
        value = MEASURES[name](summary)
        if value is UNTOLD:
            return None
        return nothing if value is None else value
    parts = name.split(".")
    if parts[0] not in ("impact", "final", "approach", "peak"):
        return None
    if name in ("peak.base_rate", "peak.wheels"):
        return None
    value: Any = summary
    for part in parts:
        value = _inside(value, part, like)
    if isinstance(value, dict):
        value = [value[str(joint)] for joint in like["joint"].values]
    if value is None and name == "impact.moment":
        return np.zeros(shape)  # none is passed on by points that touch
    return nothing if value is None else value


def _inside(value: Any, part: str, like: Any) -> Any:
    """A part of a summary's value by its name; None of nothing."""
    if value is None:
        return None
    if isinstance(value, list) and part in ("linear", "angular"):
        whole = np.array(value, float)
        half = 2 if len(whole) == 3 else 3
        rows = whole[:half] if part == "linear" else whole[half:]
        return rows[0] if like.values.ndim == 1 else rows
    found = dict[str, Any](value)
    if "joint" in like.dims and part in ("force", "moment", "magnitude"):
        return [found[str(joint)][part] for joint in like["joint"].values]
    return found[part]


def _energy_lost(summary: Summary) -> Any:
    if summary["contact"] is not None:
        # The force of the contact alone; motors work meanwhile.
        touches = summary["contact"]["touches"]
        lost = [one["energy_lost"] for one in touches]
        # What is still stored in a contact that lasts is not counted as lost there.
        lasts = any(one["end"] is None for one in touches)
        return UNTOLD if lasts or None in lost else sum(lost)
    changes = [one["energy"] for one in summary["impacts"]]
    return sum(change["before"] - change["after"] for change in changes)


def _impulse(summary: Summary) -> Any:
    if summary["contact"] is not None:
        return np.sum([one["impulse"] for one in summary["contact"]["touches"]], axis=0)
    return None if summary["impact"] is None else summary["impact"]["impulse"]


def _contact_time(summary: Summary) -> float | None:
    return 0.0 if summary["approach"] is None else summary["approach"]["time"]


def _contact_speed(summary: Summary) -> Any:
    if summary["approach"] is not None:
        touched = summary["approach"]["touched"]
        return summary["approach"]["relative_speed"] if touched else None
    hits = summary["impacts"]
    velocity = hits[0]["relative_velocity"] if hits else None
    if velocity is None:
        return UNTOLD if summary["closure"] == "compliant" else None
    return float(np.linalg.norm(velocity))


def _settled(summary: Summary) -> float | None:
    told = summary["stabilisation"]
    return None if told is None else told["settling_time"]


def _of_touches(what: Callable[[list[Summary]], Any]) -> Callable[[Summary], Any]:
    return lambda summary: what(summary["contact"]["touches"]) if summary["contact"] else None


def _touching(summary: Summary) -> Any:
    """How long contacts push in all; one that has not ended does so to the end of the run."""
    if summary["contact"] is None:
        return None
    end = summary["final"]["time"]
    touches = summary["contact"]["touches"]
    return sum((end if one["end"] is None else one["end"]) - one["begin"] for one in touches)


MEASURES: Mapping[str, Callable[[Summary], Any]] = {
    "contact.time": _contact_time,
    "contact.speed": _contact_speed,
    "contact.duration": _touching,
    "contact.peak_force": _of_touches(lambda some: max(one["peak_force"] for one in some)),
    "contact.touches": _of_touches(len),
    "impact.impulse": _impulse,
    "impacts": lambda summary: sum(one["duration"] == 0.0 for one in summary["impacts"]),
    "energy_lost": _energy_lost,
    "settled": _settled,
}
