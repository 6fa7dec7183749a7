"""The jump of the robot's velocity: what it shows of the target's, and what it cannot."""

from __future__ import annotations

import numpy as np
import pytest

from percuss.identification.data.channels import all_names
from percuss.identification.estimate.jump import jump_map, rates_after
from percuss.identification.forward.model import ForwardModel
from percuss.identification.forward.unknowns import Unknowns
from percuss.model.errors import ModelError
from percuss.scenario import load, with_overrides
from tests.identification.cases import NOISE, SCENARIOS, thesis


@pytest.mark.parametrize(("closure", "rank"), [("pin", 2), ("weld", 3)])
@pytest.mark.parametrize("number", [1, 2])
def test_rank_in_the_plane(number: int, closure: str, rank: int) -> None:
    assert jump_map(with_overrides(thesis(number), {"impact.closure": closure})).rank == rank


@pytest.mark.parametrize(("closure", "rank"), [("pin", 3), ("weld", 6)])
def test_rank_in_space(closure: str, rank: int) -> None:
    scenario = with_overrides(load(SCENARIOS / "pin-3d.yaml"), {"impact.closure": closure})
    assert jump_map(scenario).rank == rank


@pytest.mark.parametrize("seed", range(5))
def test_what_a_pin_hides_is_rotation_about_the_contact_point(seed: int) -> None:
    random = np.random.default_rng(seed)
    point, angle = random.uniform(-1, 1, 2), random.uniform(-3, 3)
    scenario = with_overrides(
        thesis(1),
        {
            "target": {
                "mass": 15.0,
                "inertia": 7.5,
                "contact": point.tolist(),
                "angle": angle,
                "velocity": {"linear": [0.1, 0.2], "angular": 0.3},
            },
            "chaser.joints": random.uniform(-1, 1, 2).tolist(),
        },
    )
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    to_com = -turn @ point
    about_contact = np.array([-to_com[1], to_com[0], 1.0])
    hidden = jump_map(scenario).null_space[:, 0]
    np.testing.assert_allclose(
        hidden * np.sign(hidden[2]), about_contact / np.linalg.norm(about_contact), atol=1e-9
    )


def test_exact_rates_give_the_velocity_back_but_for_what_is_hidden() -> None:
    for closure in ("pin", "weld"):
        scenario = with_overrides(thesis(1), {"impact.closure": closure})
        jump = jump_map(scenario)
        truth = np.array([0.3, -0.2, 0.4])
        found = jump.estimate(jump.matrix @ truth + jump.offset, np.full(5, 1e-4))
        gap = found.value - truth
        hidden = found.null_space
        np.testing.assert_allclose(gap - hidden @ (hidden.T @ gap), 0.0, atol=1e-10)
        assert hidden.shape[1] == 3 - jump.rank
        np.testing.assert_allclose(hidden.T @ found.covariance @ hidden, 0.0, atol=1e-20)


def test_rates_that_are_not_measured_leave_more_hidden() -> None:
    jump = jump_map(with_overrides(thesis(1), {"impact.closure": "weld"}))
    sigmas = np.array([np.inf, np.inf, np.inf, 1e-4, 1e-4])
    assert jump.estimate(jump.offset, sigmas).null_space.shape[1] == 1


@pytest.mark.parametrize("name", ["thesis-1", "pin-3d"])
def test_rates_just_after_are_read_from_the_first_samples(name: str) -> None:
    scenario = load(SCENARIOS / f"{name}.yaml")
    attitude = "base.angle" if scenario.is_planar else "base.orientation"
    names = all_names(scenario.start.chaser, ("joint", "base.position", attitude))
    times = np.arange(1, 101) / 100
    unknowns = Unknowns(scenario, ["velocity"])
    model = ForwardModel(scenario, unknowns, names, times)
    measured = model(unknowns.start).reshape(len(names), -1)
    rates, sigmas = rates_after(scenario, model.channels, times, measured, noise=NOISE)
    jump = jump_map(scenario)
    expected = jump.matrix @ unknowns.start + jump.offset
    assert np.isfinite(sigmas).all()
    np.testing.assert_allclose((rates - expected) / sigmas, 0.0, atol=1.0)


def test_bad_input_is_refused() -> None:
    jump = jump_map(thesis(1))
    with pytest.raises(ModelError, match="must have the shape"):
        jump.estimate(np.zeros(4), np.ones(4))
    with pytest.raises(ModelError, match="must be > 0"):
        jump.estimate(np.zeros(5), np.zeros(5))
    bounce = with_overrides(thesis(2), {"impact": {"closure": "bounce", "restitution": 0.5}})
    with pytest.raises(ModelError, match="not linear"):
        jump_map(bounce)
