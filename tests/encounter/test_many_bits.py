"""Many cases are the same to the last bit however they are computed, and none by Python alone."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import percuss
from percuss.encounter.ensemble import vary as varying
from percuss.encounter.ensemble.asked import Asked
from percuss.encounter.ensemble.history import Histories
from percuss.encounter.ensemble.vary import Variation, Varied
from percuss.kernel.backends import cuda
from percuss.scenario.numbers import ScenarioNumbers
from tests.encounter.batches import PLANAR
from tests.encounter.many import drawn
from tests.encounter.scenes import scene

SCENARIOS = Path(__file__).parents[2] / "scenarios"
SLACK = 1_400
"""Calls that may come and go, less than one for each further case: more cases are handed over in
more rounds, whose number grows with the logarithm, and weak references are given up whenever."""


def stored(name: str, **changes: Any) -> percuss.Scenario:
    return percuss.with_overrides(percuss.load(SCENARIOS / f"{name}.yaml"), changes)


BOUNCES = (
    stored("three-bounces", duration=2),
    {"target.mass": 0.3, "target.velocity.linear": 0.5, "impact.restitution": 0.3}
    | {"approach.observe": 0.2, "approach.meet.at": 0.1, "duration": 0.3},
)
MISSION = (
    stored("mission-3d", duration=2),
    {"target.mass": 0.2, "target.velocity.linear": 0.3, "approach.observe": 0.2}
    | {"duration": 0.3},
)
PUSHED = (
    scene(
        PLANAR,
        impact={"closure": "compliant", "stiffness": 2e3, "restitution": 0.6, "friction": 0.1},
        control={"law": "pd", "natural-frequency": 1.0, "limits": {"joints": 2.0}},
        integration={},
        duration=1,
    ),
    {"target.mass": 0.3, "target.velocity.linear": 0.5, "impact.restitution": 0.3}
    | {"impact.stiffness": 0.3, "chaser.arm[1].length": 0.1},
)
KINDS = {"bounces": BOUNCES, "mission": MISSION, "compliant": PUSHED}
SIGNALS: dict[str, Any] = {
    "signals": ["energy", "tool_position", "rates"],
    "times": np.linspace(0.0, 45.0, 31),
}


def assert_same(found: Any, wanted: Any, why: str) -> None:
    assert set(found.data_vars) == set(wanted.data_vars), f"{why}: other quantities are told"
    for name in wanted.data_vars:
        np.testing.assert_array_equal(
            found[name].values, wanted[name].values, f"{name} depends on {why}"
        )


@pytest.mark.parametrize("kind", KINDS)
def test_cases_are_the_same_to_the_last_bit(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    scenario, spreads = KINDS[kind]
    count = 11
    vary = drawn(scenario, spreads, count, seed=8)
    vary["target.mass"][4] = -1.0  # refused
    whole = percuss.simulate(scenario, vary=vary, knows="truth", threads=1, **SIGNALS)
    ends = whole["final.coordinates"].values[:, 0]
    assert len(np.unique(ends)) > 4, "the cases are all alike"

    threaded = percuss.simulate(scenario, vary=vary, knows="truth", threads=2, **SIGNALS)
    assert_same(threaded, whole, "the number of threads")

    order = np.random.default_rng(1).permutation(count)
    mixed = {name: values[order] for name, values in vary.items()}
    found = percuss.simulate(scenario, vary=mixed, knows="truth", threads=1, **SIGNALS)
    assert_same(found, whole.isel(case=order), "the order of the cases")

    few = {name: values[:3] for name, values in vary.items()}
    found = percuss.simulate(scenario, vary=few, knows="truth", threads=1, **SIGNALS)
    assert_same(found, whole.isel(case=slice(0, 3)), "how many other cases there are")

    one = {name: values[5:6] for name, values in vary.items()}
    found = percuss.simulate(scenario, vary=one, knows="truth", threads=1, **SIGNALS)
    assert_same(found, whole.isel(case=slice(5, 6)), "how many other cases there are")

    monkeypatch.setattr(varying, "BLOCK_ON_CORES", 4)
    told: list[float] = []
    blocks = percuss.simulate(
        scenario, vary=vary, knows="truth", threads=1, progress=told.append, **SIGNALS
    )
    assert_same(blocks, whole, "how many cases are computed together")
    assert told == [0.4, 0.8, 1.0], "progress is told after each block"


@pytest.mark.skipif(not cuda.available(), reason="needs an NVIDIA GPU and CuPy (percuss[cuda])")
@pytest.mark.parametrize("kind", KINDS)
def test_a_gpu_finds_what_cores_find(kind: str) -> None:
    scenario, spreads = KINDS[kind]
    vary = drawn(scenario, spreads, 64, seed=8)
    there, here = (
        percuss.simulate(scenario, vary=vary, knows="truth", on=on) for on in ("gpu", "cores")
    )
    assert (there["status"].values == here["status"].values).all()
    for name in ("final.coordinates", "final.rates", "impact.impulse", "contact.time"):
        wanted = here[name].values
        size = np.nanmax(np.abs(wanted), initial=1e-3)
        np.testing.assert_allclose(there[name].values, wanted, atol=1e-9 * size, err_msg=name)


@pytest.mark.skipif(not cuda.available(), reason="needs an NVIDIA GPU and CuPy (percuss[cuda])")
def test_a_gpu_finds_the_derivatives_that_cores_find() -> None:
    scenario = scene(PLANAR, duration=1)
    vary = drawn(scenario, {"target.mass": 0.3, "target.velocity.linear": 0.2}, 16, seed=8)
    options = {"vary": vary, "derivatives": list(vary), "ask": ("impact",)}
    there, here = (percuss.simulate(scenario, on=on, **options) for on in ("gpu", "cores"))
    names = [name for name in here.data_vars if str(name).startswith("d(")]
    assert len(names) > 30
    for name in names:
        wanted = here[name].values
        size = np.nanmax(np.abs(wanted), initial=1e-3)
        np.testing.assert_allclose(there[name].values, wanted, atol=1e-8 * size, err_msg=str(name))


def calls_of(function: Callable[[], Any]) -> int:
    """How many functions of Python are called."""
    count = 0

    def note(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        del frame, argument
        count += event == "call"

    gc.disable()
    sys.setprofile(note)
    try:
        function()
    finally:
        sys.setprofile(None)
        gc.enable()
    return count


@pytest.mark.parametrize(("kind", "knows"), [("bounces", "truth"), ("mission", "truth")])
def test_no_python_runs_for_each_case(kind: str, knows: str) -> None:
    scenario, spreads = KINDS[kind]
    numbered = ScenarioNumbers(scenario)
    histories = Histories(("energy",), (0.0, 5.0, 12.0, 20.0))
    variation = Variation(scenario, numbered, tuple(spreads), knows=knows, asked=Asked(), threads=1)
    draws = drawn(scenario, spreads, 8, seed=8)
    counts: list[int] = []
    for times_over in (8, 256):
        vary = {name: np.concatenate([x] * times_over) for name, x in draws.items()}
        varied = Varied.of(numbered, vary)
        carry_out = partial(variation, varied, None, histories)
        carry_out()  # what is kept from the first time is not counted
        counts.append(calls_of(carry_out))
    more = counts[1] - counts[0]
    assert abs(more) < SLACK, f"64 cases take {counts[0]} calls in Python, 2048 take {more:+} more"
