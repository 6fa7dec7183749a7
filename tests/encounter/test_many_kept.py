"""Kernels of many cases: other values of the same numbers need no others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import percuss
from percuss import many
from percuss.kernel.tracing import function
from tests.encounter.keeping import refused
from tests.encounter.scenes import THESIS, TRACKING, scene

DRIVEN = scene(THESIS, impact__closure="weld", control=TRACKING, duration=0.5)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A place of its own for what is kept on disk, and nothing in memory yet."""
    monkeypatch.setenv("PERCUSS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(many, "_kept", {})


def found(scenario: percuss.Scenario, masses: Any, **options: Any) -> np.ndarray:
    made = percuss.simulate(scenario, vary={"target.mass": masses}, **options)
    return made["impact.impulse"].values


def test_other_values_trace_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    first = found(DRIVEN, [10.0, 12.0])
    monkeypatch.setattr(function, "record", refused)
    other = found(DRIVEN, [12.0, 14.0, 10.0])
    np.testing.assert_array_equal(other[[2, 0]], first)


def test_other_numbers_of_the_encounter_are_not_mistaken_for_it() -> None:
    """What does not vary is part of the program: another value of it is another program."""
    first = found(DRIVEN, [10.0])
    faster = percuss.with_overrides(DRIVEN, {"target.velocity.linear": [-2.0, 0.0]})
    heavier = percuss.with_overrides(DRIVEN, {"chaser.base.mass": 50.0})
    for other in (faster, heavier):
        alone = percuss.run(percuss.with_overrides(other, {"target.mass": 10.0}))
        wanted = alone.summary["impact"]["impulse"]
        np.testing.assert_allclose(found(other, [10.0])[0], wanted, rtol=1e-10, atol=1e-12)
    np.testing.assert_array_equal(found(DRIVEN, [10.0]), first)


def test_what_laws_know_is_part_of_what_is_kept() -> None:
    nominal = percuss.simulate(DRIVEN, vary={"target.mass": [30.0]})
    truth = percuss.simulate(DRIVEN, vary={"target.mass": [30.0]}, knows="truth")
    apart = np.abs(nominal["final.rates"].values - truth["final.rates"].values).max()
    assert apart > 1e-6, "laws that believe in another mass move the chaser as if they did not"


def test_no_more_than_a_few_are_kept() -> None:
    for k in range(6):
        names = [f"target.velocity.linear[{1 + k % 2}]", "target.mass", "duration"]
        percuss.simulate(DRIVEN, vary={name: [0.5] for name in names[: 1 + k // 2]}, ask=())
    assert len(many._kept) <= many._KEPT
