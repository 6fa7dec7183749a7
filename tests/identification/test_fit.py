"""Fits: the truth comes back, noise is counted rightly, and doubtful answers say so."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from percuss.identification.data.channels import all_names
from percuss.identification.estimate.fit import fit, fit_all
from percuss.identification.estimate.residuals import Weighting
from percuss.identification.forward.model import ForwardModel
from percuss.identification.forward.unknowns import Unknowns
from percuss.model.errors import ModelError
from percuss.scenario import Scenario, load, with_overrides
from tests.identification.cases import NOISE, SCENARIOS, thesis
from tests.identification.test_information import random_scenario

TIMES = np.arange(1, 251) / 50


def model_of(scenario: Scenario, groups: list[str], times: np.ndarray = TIMES) -> ForwardModel:
    attitude = "base.angle" if scenario.is_planar else "base.orientation"
    names = all_names(scenario.start.chaser, ("joint", "base.position", attitude))
    return ForwardModel(scenario, Unknowns(scenario, groups), names, times)


def table_of(model: ForwardModel, theta: np.ndarray) -> np.ndarray:
    return model(theta).reshape(len(model.channels), len(model.times), *theta.shape[1:])


def noisy(model: ForwardModel, values: np.ndarray, seed: int) -> np.ndarray:
    sigmas = np.array([NOISE[channel.kind] for channel in model.channels])
    shape = (-1, *(1,) * (values.ndim - 1))
    return values + sigmas.reshape(shape) * np.random.default_rng(seed).normal(size=values.shape)


@settings(max_examples=4, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["pin", "weld"]))
def test_exact_measurements_give_the_truth_back(seed: int, closure: str) -> None:
    scenario = random_scenario(seed, closure)
    model = model_of(scenario, ["velocity", "mass"])
    unknowns = model.unknowns
    away = np.random.default_rng(seed).uniform(-0.3, 0.3, len(unknowns))
    truth = unknowns.start + away * unknowns.scale
    found = fit(model, table_of(model, truth), NOISE)
    expected = np.asarray(unknowns.quantities(truth), float)
    known = found.known
    gap = np.abs(found.quantities - expected)[known] / found.information.sigmas[known]
    assert found.converged
    assert gap.max(initial=0.0) < 1e-3, f"{dict(zip(unknowns.names, gap, strict=False))} sigmas"
    assert not found.ambiguous


def test_exact_measurements_give_everything_back_in_the_plane() -> None:
    model = model_of(thesis(1), ["velocity", "mass", "inertia", "com"])
    truth = model.unknowns.start + 0.2 * model.unknowns.scale * np.array([1, -1, 1, -1, 1, -1, 1])
    found = fit(model, table_of(model, truth), NOISE)
    gap = found.quantities - np.asarray(model.unknowns.quantities(truth), float)
    np.testing.assert_allclose(gap / found.information.sigmas, 0.0, atol=1e-3)


def test_exact_measurements_give_everything_back_in_space() -> None:
    scenario = with_overrides(load(SCENARIOS / "pin-3d.yaml"), {"impact.closure": "weld"})
    model = model_of(scenario, ["velocity", "mass", "com", "inertia"], np.arange(1, 101) / 10)
    truth = model.unknowns.start + 0.05 * model.unknowns.scale
    found = fit(model, table_of(model, truth), NOISE, starts=3)
    gap = found.quantities - np.asarray(model.unknowns.quantities(truth), float)
    assert found.known.all()
    np.testing.assert_allclose(gap / found.information.sigmas, 0.0, atol=1e-3)


def test_errors_and_chi_square_are_as_stated() -> None:
    model = model_of(thesis(1), ["velocity", "mass"])
    truth = model.unknowns.start + 0.1 * model.unknowns.scale
    exact = table_of(model, truth)
    cases = 150
    found = fit_all(model, noisy(model, np.repeat(exact[..., None], cases, axis=2), 5), NOISE)
    expected = np.asarray(model.unknowns.quantities(truth), float)[:, None]
    z = (found.values - expected) / found.sigmas
    assert found.converged.all()
    assert not found.ambiguous.any()
    # Four quantities, 150 cases: means and variances within 3.5 of their own deviations.
    assert np.abs(z.mean(axis=1)).max() < 3.5 / np.sqrt(cases)
    assert np.abs((z**2).mean(axis=1) - 1.0).max() < 3.5 * np.sqrt(2.0 / cases)
    chi = (found.cost - found.freedom) / np.sqrt(2.0 * found.freedom)
    assert abs(chi.mean()) < 3.5 / np.sqrt(cases)


def test_all_cases_at_once_are_those_one_by_one() -> None:
    model = model_of(thesis(1), ["velocity"])
    exact = table_of(model, model.unknowns.start + 0.1)
    measured = noisy(model, np.repeat(exact[..., None], 3, axis=2), 7)
    together = fit_all(model, measured, NOISE)
    for k in range(3):
        alone = fit(model, measured[..., k], NOISE)
        np.testing.assert_allclose(alone.theta, together.theta[:, k], rtol=0, atol=1e-9)
        np.testing.assert_allclose(alone.information.sigmas, together.sigmas[:, k], rtol=1e-5)


def test_missing_samples_and_slow_sensors_are_left_out() -> None:
    model = model_of(thesis(1), ["velocity"])
    truth = model.unknowns.start + 0.1
    measured = table_of(model, truth)
    measured[2:, np.arange(measured.shape[1]) % 10 != 3] = np.nan
    measured[:, 40:60] = np.nan
    found = fit(model, measured, NOISE)
    assert found.samples == np.isfinite(measured).sum()
    assert found.freedom == found.samples - 3
    np.testing.assert_allclose((found.theta - truth) / found.information.sigmas, 0, atol=1e-3)


def test_a_hidden_spin_is_not_given_a_number() -> None:
    model = model_of(thesis(2), ["velocity"])
    found = fit(model, noisy(model, table_of(model, model.unknowns.start), 3), NOISE, starts=1)
    assert found.known.tolist() == [False, True, False]
    assert found.freedom == found.samples - 2


def test_two_answers_that_fit_equally_well_are_both_reported() -> None:
    # Simulation 2 is its own mirror image, and the height of the base is, too: turning one way
    # or the other cannot be told apart by it.
    scenario = thesis(2)
    model = ForwardModel(scenario, Unknowns(scenario, ["velocity"]), ["base.y"], TIMES)
    truth, mirrored = np.array([0.3, -1.0, 0.7]), np.array([-0.3, -1.0, -0.7])
    np.testing.assert_allclose(model(truth), model(mirrored), rtol=0, atol=1e-12)
    found = fit(model, table_of(model, truth), {"base.position": 1e-6}, starts=24)
    assert found.cost < 1e-6
    assert found.ambiguous
    answers = [found.quantities, *(other.quantities for other in found.others)]
    for answer in (truth, mirrored):
        assert min(np.abs(answer - a).max() for a in answers) < 1e-4


def test_a_wrong_closure_leaves_residuals() -> None:
    pinned = model_of(thesis(1), ["velocity"])
    welded = model_of(with_overrides(thesis(1), {"impact.closure": "weld"}), ["velocity"])
    measured = noisy(pinned, table_of(pinned, pinned.unknowns.start + 0.1), 2)
    assert fit(pinned, measured, NOISE).rms == pytest.approx(1.0, abs=0.1)
    assert fit(welded, measured, NOISE).rms > 3.0


def test_attitude_residuals_are_rotation_vectors() -> None:
    model = model_of(load(SCENARIOS / "pin-3d.yaml"), ["velocity"], np.array([0.5, 1.0]))
    weighting = Weighting(model, NOISE)
    values, slopes = model.linearised(model.unknowns.start[:, None])
    table = values.reshape(-1, 2, 1).copy()
    places = [k for k, c in enumerate(model.channels) if c.kind == "base.orientation"]
    half = 0.5 * np.array([0.01, -0.02, 0.03])
    turn = np.array([np.cos(np.linalg.norm(half)), *half * np.sinc(np.linalg.norm(half) / np.pi)])
    for k in range(2):
        w, x, y, z = table[places, k, 0]
        right = np.array([[w, -x, -y, -z], [x, w, z, -y], [y, -z, w, x], [z, y, -x, w]])
        # The same rotation, whichever sign its quaternion has.
        table[places, k, 0] = right @ turn * (1.0 if k else -1.0)
    residuals, rows = weighting.whitened(table, values, slopes)
    found = residuals.reshape(len(weighting.components), 2)
    first = next(k for k, c in enumerate(weighting.components) if c.kind == "base.orientation")
    for k in range(2):
        np.testing.assert_allclose(found[first : first + 3, k], [10.0, -20.0, 30.0], atol=1e-8)
    step = 1e-6
    for d in range(6):
        moved = model(model.unknowns.start + step * np.eye(6)[d])[:, None]
        change = (weighting.residuals(table, moved) - residuals)[:, 0] / step
        np.testing.assert_allclose(-change, rows[:, d, 0], atol=1e-4 * np.abs(rows).max())


def test_bad_measurements_are_refused_by_name() -> None:
    model = model_of(thesis(1), ["velocity"])
    good = table_of(model, model.unknowns.start)
    with pytest.raises(ModelError, match=r"there is none for 'base\.angle'"):
        fit(model, good, {"joint": 1e-4, "base.position": 1e-3})
    with pytest.raises(ModelError, match="joint must be finite and > 0"):
        fit(model, good, {**NOISE, "joint": 0.0})
    with pytest.raises(ModelError, match="must have the shape"):
        fit(model, good[:, 1:], NOISE)
    with pytest.raises(ModelError, match="has no measurements"):
        fit(model, np.full_like(good, np.nan), NOISE)
    with pytest.raises(ModelError, match="starts must be at least 1"):
        fit(model, good, NOISE, starts=0)
