"""Cases computed in pieces, one after another or side by side, are those computed together."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

import percuss
from percuss.encounter.ensemble.cases import Cases
from percuss.encounter.ensemble.compiled_phases import run_cases
from percuss.encounter.ensemble.ensemble import Ensemble
from percuss.encounter.ensemble.result import TABLES, EnsembleResult
from percuss.kernel.backends import cuda
from percuss.kernel.backends.streams import gpu_pieces

SCENARIOS = Path(__file__).parents[2] / "scenarios"
WITH_BOUNCES = "three-bounces"


def spread(scenario: percuss.Scenario, count: int) -> np.ndarray:
    """Rates of the target around those of the scenario; some of them no numbers."""
    rates = np.asarray(scenario.start.target_rates, float)[:, None] * np.linspace(0.5, 1.5, count)
    rates[:, 3::7] = np.nan
    return rates


def assert_equal(found: EnsembleResult, expected: EnsembleResult) -> None:
    for field in fields(EnsembleResult):
        if field.name in ("failures", "remarks"):
            continue
        own, wanted = getattr(found, field.name), getattr(expected, field.name)
        if field.name not in TABLES:
            own, wanted = {"": own}, {"": wanted}
        assert set(own) == set(wanted), f"{field.name}: other quantities are told"
        for name, values in wanted.items():
            np.testing.assert_array_equal(own[name], values, f"{field.name} {name}")
    assert found.remarks == expected.remarks
    told = [
        {(one.phase, one.reason): tuple(one.cases) for one in result.failures}
        for result in (found, expected)
    ]
    assert told[0] == told[1]
    assert len(found.failures) == len(told[0]), "a phase and a reason are told once"


@pytest.mark.parametrize("name", [WITH_BOUNCES, "thesis-1"])
def test_pieces_are_the_whole(name: str) -> None:
    scenario = percuss.load(SCENARIOS / f"{name}.yaml")
    rates = spread(scenario, 32)
    ensemble = Ensemble(scenario, threads=1)
    expected = ensemble(target_rates=rates)
    assert expected.failures, "some cases must fail for their account to be seen"

    assembly = ensemble._programs.before
    start = scenario.start
    own = np.concatenate([start.chaser_coordinates, start.target_coordinates])
    q = np.repeat(np.asarray(own, float)[:, None], 32, axis=1)
    v = np.concatenate([np.repeat(np.asarray(start.chaser_rates)[:, None], 32, axis=1), rates])
    cases = Cases(assembly, q, v, 0)
    where = [slice(0, 8), slice(8, 16), slice(16, 32)]
    pieces = [cases.piece(which) for which in where]
    for piece in pieces:
        run_cases(ensemble._programs, piece)
    cases.gather(where, pieces)
    assert_equal(cases.result(), expected)


@pytest.mark.skipif(not cuda.available(), reason="needs an NVIDIA GPU and CuPy (percuss[cuda])")
def test_many_cases_on_a_gpu_are_those_of_few() -> None:
    scenario = percuss.load(SCENARIOS / f"{WITH_BOUNCES}.yaml")
    count = 140_000
    assert len(gpu_pieces(count)) > 1
    rates = spread(scenario, count)
    ensemble = Ensemble(scenario, backend="cuda")
    first, again = ensemble(target_rates=rates), ensemble(target_rates=rates)
    assert_equal(again, first)
    some = slice(40_000, 41_000)
    alone = ensemble(target_rates=rates[:, some])
    np.testing.assert_array_equal(first.status[some], alone.status)
    np.testing.assert_array_equal(first.coordinates[:, some], alone.coordinates)
    assert sum(len(one.cases) for one in first.failures) == np.isnan(rates).any(axis=0).sum()
