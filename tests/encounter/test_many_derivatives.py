"""Derivatives of what is found of cases, against closed forms and against single runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import percuss
from percuss.encounter.errors import EncounterError
from tests.encounter.scenes import THESIS, TRACKING, scene

MASS = 15.0
DRIVEN = scene(THESIS, impact__closure="pin", control=TRACKING, duration=2.0)


def derived(scenario: percuss.Scenario, vary: dict[str, Any], by: list[str]) -> Any:
    return percuss.simulate(scenario, vary=vary, knows="truth", derivatives=by, threads=1)


def test_the_impulse_is_linear_in_the_speed() -> None:
    """At given masses the impulse of a pin is linear in the velocities before: twice the speed of
    a target that does not turn, twice the impulse."""
    speeds = np.array([[-0.5, 0.0], [-1.0, 0.0], [-2.0, 0.0]])
    scenario = scene(THESIS, impact__closure="pin", duration=0.1)
    found = derived(scenario, {"target.velocity.linear": speeds}, ["target.velocity.linear"])
    rates = found["d(impact.impulse)/d(target.velocity.linear[1])"].values
    wanted = found["impact.impulse"].values / speeds[:, :1]
    np.testing.assert_allclose(rates, wanted, rtol=1e-9, atol=1e-12)
    energy = found["d(impact.energy.before)/d(target.velocity.linear[1])"].values
    np.testing.assert_allclose(energy, MASS * speeds[:, 0], rtol=1e-9)


@pytest.mark.parametrize("name", ["target.mass", "control.natural-frequency", "target.radius"])
def test_derivatives_are_those_of_single_runs(name: str) -> None:
    values = {"target.mass": 12.0, "control.natural-frequency": 1.3, "target.radius": 0.9}
    at, step = values[name], 1e-4 * values[name]
    found = derived(DRIVEN, {name: [at, 1.1 * at]}, [name])
    runs = [
        percuss.run(percuss.with_overrides(DRIVEN, {name: at + k * step})).summary["final"]
        for k in (1, -1)
    ]
    for key in ("coordinates", "rates"):
        ahead, behind = (np.array(run[key]) for run in runs)
        wanted = (ahead - behind) / (2.0 * step)
        got = found[f"d(final.{key})/d({name})"].values[0]
        scale = np.abs(wanted).max() + np.abs(ahead).max() / at * 1e-3
        np.testing.assert_allclose(got, wanted, atol=2e-5 * scale)


def test_there_is_none_across_another_outcome() -> None:
    """A draw at the bound of what can be has no neighbours on one side."""
    scenario = scene(THESIS, impact={"closure": "bounce", "restitution": 0.5}, duration=0.1)
    found = derived(scenario, {"impact.restitution": [0.5, 1.0]}, ["impact.restitution"])
    rates = found["d(impact.impulse)/d(impact.restitution)"].values
    assert np.isfinite(rates[0]).all()
    assert np.isnan(rates[1]).all(), "a restitution beyond one was carried out"


def test_numbers_that_do_not_vary_are_told() -> None:
    with pytest.raises(
        EncounterError, match=r"derivatives: 'target.mas' is not among .*target.mass"
    ):
        derived(DRIVEN, {"target.mass": [10.0]}, ["target.mas"])
