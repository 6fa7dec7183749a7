"""Cases that differ in numbers of the encounter: how many a second, on a core and on a GPU."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import percuss
from benchmarks.table import Row
from percuss.encounter.ensemble.asked import Asked
from percuss.encounter.ensemble.vary import ManyCases, Variation, Varied
from percuss.scenario.numbers import ScenarioNumbers

SCENARIOS = Path(__file__).parents[1] / "scenarios"
MISSIONS = 1024
CAPTURES = 8192
DERIVED = 512
DIRECTIONS = ("target.mass", "target.velocity.angular")
"""Numbers by which captures are differentiated."""
TOLERANCE = "relative tolerance 1e-10"

SPIN = np.radians([1.5, 1.0, 3.5])
"""Of the target of tumbling-3d (rad/s). Three times faster, its grasp asks more of the actuators
than they can give, and the motion runs away."""

Draws = Mapping[str, np.ndarray]


class Prepared:
    """A scenario whose numbers vary, with its kernels made."""

    def __init__(
        self,
        scenario: percuss.Scenario,
        names: Sequence[str],
        *,
        knows: str | Sequence[str] = "nominal",
        ask: Sequence[str] | None = None,
        **where: Any,
    ) -> None:
        self.numbers = ScenarioNumbers(scenario)
        self.variation = Variation(
            scenario, self.numbers, tuple(names), knows=knows, asked=Asked.of(ask), **where
        )

    def __call__(self, draws: Draws) -> ManyCases:
        return self.variation(Varied.of(self.numbers, draws))

    def seconds(self, draws: Draws) -> tuple[float, ManyCases]:
        """Of a call, and what it found."""
        started = time.perf_counter()
        found = self(draws)
        return time.perf_counter() - started, found


def mission_draws(scenario: percuss.Scenario, cases: int) -> dict[str, np.ndarray]:
    """A spread of the start, and a mass of the target known to 20 %."""
    rng = np.random.default_rng(19)
    rates = np.asarray(scenario.start.target_rates, float)
    assert scenario.target is not None
    mass = float(scenario.target.mass or 0.0)
    return {
        "target.mass": mass * rng.uniform(0.8, 1.2, cases),
        "target.velocity.linear": rates[:3] * (1.0 + 0.05 * rng.normal(size=(cases, 3))),
        "target.velocity.angular": rates[3:] * (1.0 + 0.05 * rng.normal(size=(cases, 3))),
    }


def tumbling_draws(cases: int) -> dict[str, np.ndarray]:
    """Mass, inertia, spin and contact point of the target of tumbling-3d."""
    rng = np.random.default_rng(19)
    inertia = np.array([75.0, 85.0, 55.0, 2.0, -1.5, 1.0])
    scale = rng.uniform(0.9, 1.1, cases)
    return {
        "target.mass": 250.0 * scale,
        "target.inertia": inertia * scale[:, None] * (1.0 + 0.02 * rng.normal(size=(cases, 6))),
        "target.velocity.angular": SPIN * (1.0 + 0.1 * rng.normal(size=(cases, 3))),
        "target.contact": np.array([-0.6, 0.1, 0.2]) + 0.01 * rng.normal(size=(cases, 3)),
    }


def planar_draws(cases: int) -> dict[str, np.ndarray]:
    """All numbers of the target of the thesis and of its contact."""
    rng = np.random.default_rng(19)
    return {
        "target.mass": rng.uniform(10.0, 20.0, cases),
        "target.radius": rng.uniform(0.8, 1.2, cases),
        "target.contact.angle": rng.uniform(0.0, 1.0, cases),
        "target.velocity.linear": rng.uniform(-1.0, 1.0, (cases, 2)),
        "target.velocity.angular": rng.uniform(-0.5, 0.5, cases),
    }


def missions() -> list[Row]:
    """Missions in space on one core, and on two."""
    scenario = percuss.load(SCENARIOS / "mission-3d.yaml")
    draws = mission_draws(scenario, MISSIONS)
    rates: list[float] = []
    for threads in (1, 2):
        prepared = Prepared(scenario, tuple(draws), knows="truth", threads=threads)
        prepared(draws)
        rates.append(MISSIONS / prepared.seconds(draws)[0])
    what = "missions a second, mission-3d, start and target mass drawn, everything found out"
    one, two = rates
    return [
        Row(f"{what}, one core", f"{one:.0f}/s", "", f"{one:.0f}/s", "≥ 300/s"),
        Row(
            f"{what}, a second core",
            f"{two:.0f}/s",
            f"{one:.0f}/s",
            f"{two / one - 1:.2f}×",
            "≥ 0.8×",
        ),
    ]


def captures() -> list[Row]:
    """Planar captures in which every number of target and contact differs, on one core."""
    scenario = percuss.load(SCENARIOS / "thesis-1.yaml")
    draws, rows = planar_draws(CAPTURES), list[Row]()
    for words, ask in (("the motions alone", ()), ("everything found out", None)):
        prepared = Prepared(scenario, tuple(draws), ask=ask, threads=1)
        prepared(draws)
        rate = CAPTURES / min(prepared.seconds(draws)[0] for _ in range(3))
        what = f"planar captures a second, 5 numbers of the target drawn, {TOLERANCE}, one core"
        bar = "≥ 25,000/s" if ask is not None else ""
        rows.append(Row(f"{what}, {words}", f"{rate:,.0f}/s", "", f"{rate:,.0f}/s", bar))
    return rows


def derivatives() -> list[Row]:
    """Derivatives of captures by each entry of mass and spin, against differences of as many."""
    scenario = percuss.load(SCENARIOS / "tumbling-3d.yaml")
    draws = {name: tumbling_draws(DERIVED)[name] for name in DIRECTIONS}
    prepared = Prepared(scenario, DIRECTIONS, ask=(), threads=1)
    rows = range(sum(len(np.atleast_1d(values[0])) for values in draws.values()))
    found = prepared(draws)

    def seconds(count: int) -> list[float]:
        times: list[float] = []
        for _ in range(count):
            started = time.perf_counter()
            prepared.variation.along(found, rows)
            times.append(time.perf_counter() - started)
        return times

    first, again = seconds(1)[0], min(seconds(3))
    differences = 4 * len(rows) * min(prepared.seconds(draws)[0] for _ in range(3))
    what = f"{DERIVED:,} captures of tumbling-3d, derivatives by {len(rows)} numbers, one core"
    return [
        Row(f"{what}, first call, kernels included", f"{first:.1f} s", "", f"{first:.1f} s", ""),
        Row(
            f"{what}, later calls, against differences of fourth order",
            f"{again:.2f} s",
            f"{differences:.2f} s",
            f"{differences / again:.1f}×",
            "",
        ),
    ]


def other_numbers() -> Row:
    """How long the first answer takes after numbers were changed, against the very first."""
    scenario = percuss.load(SCENARIOS / "tumbling-3d.yaml")
    draws = tumbling_draws(8)
    prepared = Prepared(scenario, tuple(draws))
    first = prepared.seconds(draws)[0]
    again = prepared.seconds({name: values[::-1] * 1.001 for name, values in draws.items()})[0]
    what = "8 captures with other masses, inertias, spins and contact points, against the first"
    return Row(what, f"{again:.3f} s", f"{first:.2f} s", f"{first / again:.0f}×", "no compiling")


def on_gpu(backend: str, mission_cases: int, capture_cases: int) -> list[Row]:
    """Missions and captures on a GPU, first call and second."""
    rows: list[Row] = []
    mission = percuss.load(SCENARIOS / "mission-3d.yaml")
    tumbling = percuss.with_overrides(
        percuss.load(SCENARIOS / "tumbling-3d.yaml"), {"duration": 60.0}
    )
    for what, scenario, draws, knows, bar in (
        (
            f"{mission_cases:,} missions of mission-3d, start and target mass drawn",
            mission,
            mission_draws(mission, mission_cases),
            "truth",
            "≤ 30 s",
        ),
        (
            f"{capture_cases:,} captures of tumbling-3d, mass, inertia, spin and contact drawn, "
            "60 s of motion",
            tumbling,
            tumbling_draws(capture_cases),
            "nominal",
            "≤ 5 s",
        ),
    ):
        prepared = Prepared(scenario, tuple(draws), knows=knows, ask=(), backend=backend)
        first, again = (prepared.seconds(draws)[0] for _ in range(2))
        rows.append(Row(f"{what}, first call", f"{first:.1f} s", "", f"{first:.1f} s", ""))
        rows.append(Row(f"{what}, second call", f"{again:.1f} s", "", f"{again:.1f} s", bar))
    return rows


def jobs() -> list[tuple[str, Callable[[], Row | list[Row]]]]:
    """What is measured here, with titles."""
    return [
        ("missions that differ in numbers", missions),
        ("planar captures that differ in numbers", captures),
        ("derivatives of captures", derivatives),
        ("other numbers", other_numbers),
    ]
