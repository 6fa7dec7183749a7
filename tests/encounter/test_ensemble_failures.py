"""Cases of an ensemble that cannot go on say in which phase, why, and what makes it so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from percuss import kernel
from percuss.encounter.ensemble.ensemble import Ensemble
from percuss.encounter.outcome import Outcome
from tests.encounter.batches import DRIFTING, PLANAR
from tests.encounter.scenes import scene

RUBBING = [
    {"length": 0.9, "mass": 4},
    {"length": 0.7, "mass": 3, "friction": {"viscous": 1e7}},
]
FEW = kernel.Adaptive(1e-10, 1e-12, most_steps=2_000)


@pytest.mark.parametrize(
    ("settings", "phase", "told"),
    [
        (
            {"chaser__arm": RUBBING},
            "the motion after the contact",
            "the friction of joint 'joint2' (viscous 1e+07 N m s/rad)",
        ),
        (
            {"control": {"law": "pd", "kp": 1.0, "kd": [1, 1, 1, 1e7, 1]}},
            "the motion after the contact",
            "the actuator of 'joint1': a gain of 1e+07 N m s/rad",
        ),
        (
            {
                "impact": {
                    "closure": "compliant",
                    "law": "bilateral",
                    "stiffness": 1,
                    "damping": 1e9,
                }
            },
            "the contact",
            "impact.damping 1e+09",
        ),
        (
            {
                "approach": {
                    "capture-radius": 0.05,
                    "timeout": 8,
                    "control": {
                        "law": "pd",
                        "kp": 1e9,
                        "kd": 1e9,
                        "goal": {"joints": [0.71, -1.2]},
                    },
                },
                **{f"target__{key}": value for key, value in DRIFTING.items()},
            },
            "the approach",
            "approach.control (law pd",
        ),
    ],
    ids=["friction", "gain", "contact", "approach"],
)
def test_too_many_steps_are_explained(settings: dict[str, Any], phase: str, told: str) -> None:
    ensemble = Ensemble(scene(PLANAR, **settings), method=FEW)
    batch = ensemble(target_rates=np.tile([[-0.1], [0.02], [0.1]], 3))
    assert batch.words == "3 failed"
    (failure,) = batch.failures
    assert str(failure) == f"3 cases failed in {phase}: too many steps were needed"
    assert str(failure) in repr(batch)
    (text,) = ensemble.explain(batch)
    assert told in text


def test_failures_are_told_apart_from_what_went_well() -> None:
    """One case of three starts without numbers: only that one is named."""
    ensemble = Ensemble(scene(PLANAR))
    rates = np.tile([[-0.1], [0.02], [0.1]], 3)
    rates[0, 1] = np.nan
    batch = ensemble(target_rates=rates)
    assert list(batch.status == Outcome.FAILED) == [False, True, False]
    (failure,) = batch.failures
    assert failure.reason == "the state was no longer finite"
    np.testing.assert_array_equal(failure.cases, [1])
    (text,) = ensemble.explain(batch)
    assert "1 case failed" in text
    assert "in case 1 for one" in text
    assert "starts in a state that is not finite" in text


def test_nothing_failed_nothing_said() -> None:
    ensemble = Ensemble(scene(PLANAR))
    batch = ensemble()
    assert batch.failures == ()
    assert ensemble.explain(batch) == ()


def test_fixed_steps_that_are_too_long_say_how_long_they_may_be() -> None:
    ensemble = Ensemble(scene(PLANAR, chaser__arm=RUBBING), method=kernel.RK4(1e-3))
    batch = ensemble()
    (text,) = ensemble.explain(batch)
    assert "a step of 0.001 s is too long" in text
    assert "friction of joint 'joint2'" in text


def test_a_target_that_cannot_be_met_says_what_stands_in_the_way() -> None:
    """Planned case by case: one that is out of reach is refused before it moves."""
    scenario = scene(
        PLANAR,
        chaser__mode="fixed",
        approach={
            "capture-radius": 0.02,
            "timeout": 8,
            "meet": {"at": 4, "closing-speed": 0.05},
            "control": {"law": "computed-torque", "natural-frequency": 2.0},
        },
        **{f"target__{key}": value for key, value in DRIFTING.items()},
    )
    ensemble = Ensemble(scenario)
    far = np.tile(np.asarray(scenario.start.target_coordinates, float)[:, None], 2)
    far[0, 1] += 30.0
    batch = ensemble(target_coordinates=far)
    assert batch.status[1] == Outcome.FAILED
    (failure,) = [one for one in batch.failures if 1 in one.cases]
    assert str(failure) == "1 case failed in planning the approach: there is no plan"
    assert any("approach.meet" in text for text in ensemble.explain(batch))
