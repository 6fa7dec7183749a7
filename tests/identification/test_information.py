"""What can be known, how surely, and what cannot."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from percuss.identification.data.channels import all_names
from percuss.identification.estimate.information import (
    Information,
    against_time,
    information,
    sparse_basis,
)
from percuss.identification.estimate.residuals import Weighting
from percuss.identification.forward.model import ForwardModel
from percuss.identification.forward.unknowns import Unknowns
from percuss.model.errors import ModelError
from percuss.scenario import Scenario, load, with_overrides
from tests.identification.cases import NOISE, SCENARIOS, thesis

TIMES = np.arange(1, 501) / 100


def whitened(
    scenario: Scenario, groups: list[str], times: np.ndarray
) -> tuple[Unknowns, np.ndarray]:
    """Derivatives in standard deviations at the scenario's own values."""
    attitude = "base.angle" if scenario.is_planar else "base.orientation"
    names = all_names(scenario.start.chaser, ("joint", "base.position", attitude))
    unknowns = Unknowns(scenario, groups)
    model = ForwardModel(scenario, unknowns, names, times)
    values, slopes = model.linearised(unknowns.start[:, None])
    weighting = Weighting(model, NOISE)
    table = values.reshape(len(names), len(times), 1)
    return unknowns, weighting.whitened(table, values, slopes)[1][..., 0]


def informed(scenario: Scenario, groups: list[str], times: np.ndarray = TIMES) -> Information:
    unknowns, slopes = whitened(scenario, groups, times)
    return information(unknowns, unknowns.start, slopes)


@pytest.mark.parametrize(
    ("closure", "expected"),
    [("pin", [9.87e-6, 1.394e-4, 1.298e-5]), ("weld", [1.011e-5, 1.394e-4, 1.285e-5])],
)
def test_cramer_rao_of_the_velocity(closure: str, expected: list[float]) -> None:
    found = informed(with_overrides(thesis(1), {"impact.closure": closure}), ["velocity"])
    np.testing.assert_allclose(found.sigmas, expected, rtol=1e-3)
    assert found.known.all()


def test_cramer_rao_of_everything_with_a_pin() -> None:
    found = informed(thesis(1), ["velocity", "mass", "inertia", "com"])
    sigmas = dict(zip(found.names, found.sigmas, strict=True))
    assert sigmas["mass"] == pytest.approx(0.00959, rel=1e-3)
    assert sigmas["inertia"] == pytest.approx(0.0606, rel=1e-3)
    assert found.known.all()


def test_simulation_2_with_a_pin_tells_nothing_of_the_spin() -> None:
    found = informed(thesis(2), ["velocity"])
    assert found.known.tolist() == [False, True, False]
    assert found.strengths[-1] < 1e-6, "zero first-order information, not just little"
    # The contact is 1 m below the centre of mass: spin about it is (-1 m/s, 0, 1 rad/s).
    hidden = found.unobservable[:, 0]
    np.testing.assert_allclose(hidden * np.sign(hidden[2]), [-1, 0, 1], atol=1e-9)
    # The velocity of the contact point is known although neither of its parts is.
    np.testing.assert_allclose(np.abs(found.combinations), [[1], [0], [1]], atol=1e-9)
    assert found.along(np.array([1.0, 0.0, 1.0])) < 1e-4
    assert found.along(np.array([1.0, 0.0, 0.0])) == np.inf


def test_simulation_2_hides_the_body_even_with_a_weld() -> None:
    scenario = with_overrides(thesis(2), {"impact.closure": "weld"})
    found = informed(scenario, ["velocity", "mass", "inertia", "com"])
    known = dict(zip(found.names, found.known, strict=True))
    assert not any(known[name] for name in ("mass", "inertia", "com.x", "com.y"))


@pytest.mark.parametrize("closure", ["pin", "weld"])
@pytest.mark.parametrize("seed", range(2))
def test_contact_centre_of_mass_and_attitude_share_a_gauge(closure: str, seed: int) -> None:
    scenario = random_scenario(seed, closure)
    found = informed(scenario, ["velocity", "attitude", "com", "contact", "mass", "inertia"])
    names = list(found.names)
    # World vector from contact to centre of mass: R (c - r), two numbers of five.
    assert (found.strengths < 1e-6).sum() == 3
    assert (found.strengths[:-3] > 1e-3).all(), "other directions are weak at most"
    known = dict(zip(names, found.known, strict=True))
    assert not any(known[k] for k in ("angle", "com.x", "com.y", "contact.x", "contact.y"))
    together = np.zeros((len(names), 2))
    for k, axis in enumerate("xy"):
        together[names.index(f"com.{axis}"), k] = 1.0
        together[names.index(f"contact.{axis}"), k] = 1.0
    # Moving contact and centre of mass together on the body changes nothing.
    scaled = found.root @ together
    np.testing.assert_allclose(scaled / np.abs(found.root).max(), 0.0, atol=1e-9)
    assert found.along(together[:, 0]) == np.inf


def random_scenario(seed: int, closure: str) -> Scenario:
    """A planar encounter in any pose, with everything moving."""
    random = np.random.default_rng(seed)
    return with_overrides(
        thesis(1),
        {
            "impact.closure": closure,
            "chaser.joints": random.uniform(-1, 1, 2).tolist(),
            "chaser.mount": random.uniform(-0.5, 0.5, 2).tolist(),
            "target": {
                "mass": random.uniform(5, 50),
                "inertia": random.uniform(2, 20),
                "contact": random.uniform(0.3, 1.0, 2).tolist(),
                "angle": random.uniform(-3, 3),
                "velocity": {
                    "linear": random.uniform(-0.5, 0.5, 2).tolist(),
                    "angular": random.uniform(0.1, 0.5),
                },
            },
        },
    )


def in_space(**more: object) -> Information:
    scenario = load(SCENARIOS / "pin-3d.yaml")
    fast = {"target.velocity.angular": [0.2, -0.3, 0.4]}
    groups = ["velocity", "attitude", "mass", "com", "inertia"]
    return informed(with_overrides(scenario, fast | more), groups, np.arange(1, 101) / 10)


def test_in_space_attitude_is_a_gauge_of_centre_of_mass_and_inertia() -> None:
    uneven = {"xx": 10.0, "yy": 14.0, "zz": 18.0, "xy": 1.0, "xz": -0.5, "yz": 0.7}
    found = in_space(**{"target.inertia": uneven})
    assert (found.strengths < 1e-5).sum() == 3
    assert found.rank == len(found.names) - 3
    known = dict(zip(found.names, found.known, strict=True))
    assert all(known[name] for name in ("vx", "vy", "vz", "wx", "wy", "wz", "mass"))
    assert not any(known[f"attitude.{axis}"] for axis in "xyz")
    assert found.combinations.shape[1] == (~found.known).sum() - 3


def test_spin_about_an_axis_of_symmetry_through_a_ball_joint_hides_behind_its_inertia() -> None:
    # Every axis of a cube is one of symmetry: only I ω about the line to the contact is felt.
    found = in_space()
    assert (found.strengths < 1e-5).sum() == 4
    known = dict(zip(found.names, found.known, strict=True))
    assert not any(known[name] for name in ("wx", "wy", "wz"))
    assert known["mass"]


def test_longer_measurements_never_tell_less() -> None:
    unknowns, slopes = whitened(thesis(1), ["velocity", "mass"], TIMES)
    ends, sigmas = against_time(unknowns, unknowns.start, slopes, TIMES, points=20)
    assert ends[-1] == 5.0
    filled = np.where(np.isnan(sigmas), unknowns.ranges, sigmas)
    assert (np.diff(filled, axis=0) <= 1e-12).all()
    np.testing.assert_allclose(
        sigmas[-1], information(unknowns, unknowns.start, slopes).sigmas, rtol=1e-9
    )


def test_uncertain_robot_states_widen_what_is_known() -> None:
    scenario = thesis(1)
    names = all_names(scenario.start.chaser, ("joint", "base.position", "base.angle"))
    sigmas = []
    for groups, robot in ((["velocity"], None), (["velocity", "robot"], {"joint_rate": 1e-3})):
        unknowns = Unknowns(scenario, groups, robot=robot)
        model = ForwardModel(scenario, unknowns, names, TIMES)
        values, slopes = model.linearised(unknowns.start[:, None])
        table = values.reshape(len(names), -1, 1)
        rows = Weighting(model, NOISE).whitened(table, values, slopes)[1][..., 0]
        sigmas.append(information(unknowns, unknowns.start, rows).sigmas[:3])
    assert (sigmas[1] > sigmas[0]).all()


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.integers(1, 4))
def test_a_sparse_basis_spans_the_same(seed: int, k: int) -> None:
    random = np.random.default_rng(seed)
    space = np.linalg.qr(random.normal(size=(6, k)))[0]
    tidy = sparse_basis(space)
    np.testing.assert_allclose(space @ (space.T @ tidy), tidy, atol=1e-6)
    assert np.linalg.matrix_rank(tidy) == k
    assert np.abs(tidy).max(axis=0) == pytest.approx(np.ones(k))


def test_a_sparse_basis_finds_single_axes() -> None:
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(2, 2)))[0]
    space = np.eye(5)[:, [1, 3]] @ turn
    tidy = sparse_basis(space)
    assert sorted(np.abs(tidy).sum(axis=0)) == [1.0, 1.0]


def test_derivatives_that_are_no_numbers_are_refused() -> None:
    with pytest.raises(ModelError, match="no numbers"):
        Information(("a",), ("m",), np.ones(1), np.full((1, 1), np.nan), np.zeros(1, bool))
