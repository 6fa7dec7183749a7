"""What an ensemble takes and refuses, and what it can be asked for besides."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import percuss
from percuss import kernel
from percuss.encounter.ensemble.ensemble import Ensemble
from percuss.encounter.outcome import Outcome
from percuss.encounter.stabilisation import stabilisation_of
from percuss.model.errors import ModelError
from percuss.scenario.simulation import simulate
from tests.encounter.batches import DRIFTING, PLANAR, arrays, ensemble_of, near, spread
from tests.encounter.scenes import THESIS, scene

PLACED = {f"target__{key}": value for key, value in DRIFTING.items()}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"target_rates": np.zeros((2, 5))}, "target_rates must have the shape (3,) or (3, cases)"),
        ({"target_rates": np.zeros((3, 5, 1))}, "got (3, 5, 1)"),
        (
            {"target_rates": np.zeros((3, 5)), "chaser_rates": np.zeros((5, 4))},
            "the numbers of cases differ: chaser_rates has 4, target_rates has 5",
        ),
        (
            {"target_coordinates": np.array([3.0, 0.0, 0.0])},
            "the contact points of case 0 are",
        ),
    ],
)
def test_refuses_states_that_do_not_fit(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ModelError) as error:
        ensemble_of(scene(PLANAR))(**given)
    assert words in str(error.value)


def test_refuses_what_it_cannot_do() -> None:
    with pytest.raises(ModelError, match="closure that keeps momentum"):
        Ensemble(scene(THESIS, impact__closure="published"))
    path = {
        "law": "computed-torque",
        "natural-frequency": 1.0,
        "goal": {"times": [0, 1, 2], "joints": [[0.7, -1.2], [0.6, -1.0], [0.7, -1.2]]},
    }
    with pytest.raises(ModelError, match="a path through knots is not available"):
        ensemble_of(scene(PLANAR, control=path))()


def test_refuses_a_quaternion_that_is_none() -> None:
    scenario = percuss.load("scenarios/tumbling-3d.yaml")
    place = np.array(scenario.start.target_coordinates, float)
    place[3:] *= 2.0
    with pytest.raises(ModelError, match=r"must be a unit quaternion .* case 0 has norm 2"):
        ensemble_of(scenario)(target_coordinates=place)


def test_refuses_a_target_where_there_is_none() -> None:
    document = {key: value for key, value in PLANAR.items() if key != "target"}
    document["impact"] = {"closure": "pulse", "force": [1, 0], "duration": 0.1}
    with pytest.raises(ModelError, match="target_rates: there is no target"):
        ensemble_of(percuss.Scenario(**document))(target_rates=np.zeros(3))


def test_cases_that_start_elsewhere_are_single_runs() -> None:
    scenario = scene(PLANAR, approach={"capture-radius": 0.05, "timeout": 8}, **PLACED)
    joints = np.array([[0.7, 0.68], [-1.2, -1.15]])
    own = np.asarray(scenario.start.chaser_coordinates, float)
    q = np.repeat(own[:, None], 2, axis=1)
    q[3:] = joints
    v = np.zeros((5, 2))
    v[3:, 1] = 0.01, -0.02
    batch = ensemble_of(scenario)(chaser_coordinates=q, chaser_rates=v)
    for k in range(2):
        values = {
            "chaser.joints": joints[:, k].tolist(),
            "chaser.velocity.joints": v[3:, k].tolist(),
        }
        run = simulate(percuss.with_overrides(scenario, values))
        assert Outcome(batch.status[k]).name.lower() == run.status
        near(batch.coordinates[:, k], run.phases[-1].observation.q[:5, -1], 1e-9, "coordinates")


def test_fixed_steps_come_close_and_closer() -> None:
    scenario = scene(PLANAR, control={"law": "computed-torque", "natural-frequency": 3.0})
    rates = spread(scenario, (0.01, 0.01, 0.02), 3, 1)
    exact = ensemble_of(scenario)(target_rates=rates)
    errors = []
    for step in (0.04, 0.02):
        batch = ensemble_of(scenario, kernel.RK4(step))(target_rates=rates)
        assert (batch.status == exact.status).all()
        errors.append(np.abs(batch.coordinates - exact.coordinates).max())
    # Fourth order: half the step, a sixteenth of the error.
    assert 10.0 < errors[0] / errors[1] < 25.0


def test_settling_and_wheels_of_an_attitude_controlled_base() -> None:
    scenario = scene(
        PLANAR,
        chaser__mode="attitude-controlled",
        control={"law": "detumble", "time-constant": 0.3},
    )
    rates = spread(scenario, (0.02, 0.02, 0.05), 2, 2)
    batch = Ensemble(scenario, threads=1, settling=True)(target_rates=rates)
    # Rates that decay as exp(-t/T) are down to 2 % after T ln 50.
    near(batch.settling_time, np.full(2, 0.3 * np.log(50)), 1e-7, "settling time")
    observation = simulate(scenario).phases[-1].observation
    wanted = stabilisation_of(observation)
    assert wanted.wheels is not None
    assert batch.peak_wheels[0] == pytest.approx(wanted.wheels.peak, rel=1e-6)
    assert batch.settling_time[0] == pytest.approx(wanted.settling_time, abs=1e-5)
    assert np.isnan(Ensemble(scenario, threads=1)().settling_time).all()


def test_backends_agree() -> None:
    scenario = scene(PLANAR, duration=0.2)
    rates = spread(scenario, (0.02, 0.02, 0.05), 2, 3)
    slow = ensemble_of(scenario, kernel.RK4(0.05), backend="numpy")(target_rates=rates)
    fast = ensemble_of(scenario, kernel.RK4(0.05), backend="llvm")(target_rates=rates)
    for name, value in arrays(slow).items():
        np.testing.assert_allclose(getattr(fast, name), value, rtol=1e-12, atol=1e-13, err_msg=name)
