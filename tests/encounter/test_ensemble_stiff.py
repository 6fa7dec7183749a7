"""Ensembles whose motion is stiff, and how many steps they may take."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import percuss
from percuss import kernel
from percuss.encounter.ensemble.ensemble import Ensemble
from percuss.encounter.failure import SimulationError
from percuss.scenario import Scenario
from tests.encounter.batches import PLANAR, compare, spread
from tests.encounter.scenes import scene

PLANAR_SPREAD = (0.02, 0.02, 0.1)


def rubbing(friction: dict[str, float], **settings: Any) -> Scenario:
    """The second of two joints rubs."""
    arm = [{"length": 0.9, "mass": 4}, {"length": 0.7, "mass": 3, "friction": friction}]
    return scene(PLANAR, chaser__arm=arm, integration={}, **settings)


def test_stiff_by_friction_they_are_integrated_by_a_stiff_method_and_say_so() -> None:
    """Joints are braked within microseconds; the answers are those of single runs."""
    scenario = rubbing({"viscous": 5.0, "coulomb": 100.0})
    rates = spread(scenario, PLANAR_SPREAD, 3, 5)
    batch = Ensemble(scenario)(target_rates=rates)
    (remark,) = batch.remarks
    assert remark.startswith(
        "the motion after the contact was integrated by a Rosenbrock method: where joints stand "
        "still the nominal motion decays at up to "
    )
    assert "for stability alone dop853 would take" in remark
    compare(scenario, rates, batch, time=1e-7, state=1e-7)


def test_stiff_by_a_law_they_are_integrated_by_a_stiff_method_and_say_so() -> None:
    """A law that is overdamped: half of each error is gone in milliseconds, the rest takes long."""
    law = {"law": "computed-torque", "natural-frequency": 30.0, "damping-ratio": 20.0}
    scenario = scene(PLANAR, control=law, integration={"method": "auto"}, duration=40)
    rates = spread(scenario, PLANAR_SPREAD, 3, 5)
    batch = Ensemble(scenario)(target_rates=rates)
    (remark,) = batch.remarks
    assert remark.startswith(
        "the motion after the contact was integrated by a Rosenbrock method: under the law "
        "computed-torque the nominal motion decays at up to 1.2e+03 1/s"
    )
    compare(scenario, rates, batch, time=1e-7, state=1e-7)


@pytest.mark.parametrize("friction", [{}, {"viscous": 0.5}])
def test_where_nothing_is_stiff_nothing_is_said(friction: dict[str, float]) -> None:
    scenario = rubbing(friction)
    batch = Ensemble(scenario)()
    assert batch.words == "1 captured"
    assert batch.remarks == ()


def test_who_insists_on_a_method_gets_it() -> None:
    scenario = rubbing({"viscous": 1e7})
    spec = {"method": "dormand-prince", "most-steps": 50}
    insisting = percuss.with_overrides(scenario, {"integration": spec})
    few = kernel.Adaptive(1e-10, 1e-12, most_steps=2_000)
    for ensemble in (Ensemble(insisting), Ensemble(scenario, method=few)):
        batch = ensemble()
        assert batch.remarks == ()
        (failure,) = batch.failures
        assert failure.reason == "too many steps were needed"


@pytest.mark.parametrize(
    ("method", "counted"), [("dormand-prince", 40), ("dop853", 40), ("rosenbrock", 5), ("auto", 40)]
)
def test_most_steps_can_be_chosen(method: str, counted: int) -> None:
    def batch(most: int) -> Any:
        spec = {"method": method, "most-steps": most}
        ensemble = Ensemble(scene(PLANAR, integration=spec, duration=100))
        assert ensemble.machine.method.most_steps == counted * most
        return ensemble()

    (failure,) = batch(1).failures
    assert failure.reason == "too many steps were needed"
    assert batch(1_000).words == "1 captured"


def test_fixed_steps_are_counted_beforehand() -> None:
    spec = {"method": "rk4", "step": 1e-3, "most-steps": 9}
    with pytest.raises(SimulationError, match=r"1,800 are allowed \(200 times integration.most"):
        Ensemble(scene(PLANAR, integration=spec))()
    enough = Ensemble(scene(PLANAR, integration=spec | {"most-steps": 10}))()
    np.testing.assert_array_equal(enough.time, [2.0])
