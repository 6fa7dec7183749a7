"""Unknowns: names, physical bodies for any numbers, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from percuss.identification.forward.inertia import inertia_of, root_of
from percuss.identification.forward.unknowns import GROUPS, Unknowns
from percuss.model.errors import ModelError
from percuss.scenario import load, with_overrides
from tests.identification.cases import SCENARIOS, thesis

PLANAR = [group for group in GROUPS if group not in ("restitution", "robot")]


@given(st.lists(st.floats(-3, 3), min_size=6, max_size=6))
def test_any_six_numbers_are_a_body_that_can_exist(root: list[float]) -> None:
    moments = np.linalg.eigvalsh(np.array(inertia_of(root).array(), float))
    assert moments[0] > 0
    assert moments[2] <= (moments[0] + moments[1]) * (1 + 1e-12), "triangle inequality"


@given(st.integers(0, 2**32 - 1))
def test_the_root_of_an_inertia_gives_it_back(seed: int) -> None:
    points = np.random.default_rng(seed).normal(size=(6, 3))
    second = points.T @ points
    inertia = np.trace(second) * np.eye(3) - second
    back = np.array(inertia_of(root_of(inertia).tolist()).array(), float)
    size = float(np.linalg.norm(inertia))
    # Bodies much flatter than a thousandth are made that thick, no more.
    np.testing.assert_allclose(back, inertia, rtol=0, atol=2.1e-3 * size)
    if np.linalg.eigvalsh(second)[0] > 2e-3 * np.linalg.eigvalsh(second)[2]:
        np.testing.assert_allclose(back, inertia, rtol=0, atol=1e-12 * size)


def test_planar_quantities_are_those_of_the_scenario() -> None:
    unknowns = Unknowns(thesis(1), PLANAR)
    assert unknowns.names == (
        *("vx", "vy", "omega", "angle", "mass", "com.x", "com.y", "inertia"),
        *("contact.x", "contact.y", "time"),
    )
    expected = [-1, 0, 0, 4.21238898038469, 15, 0, 0, 7.5, np.cos(0.5), np.sin(0.5), 0]
    np.testing.assert_allclose(unknowns.quantities(unknowns.start), expected, atol=1e-14)
    assert unknowns.units[4:8] == ("kg", "m", "m", "kg m²")


def test_spatial_quantities_are_those_of_the_scenario() -> None:
    scenario = load(SCENARIOS / "pin-3d.yaml")
    unknowns = Unknowns(scenario, ["inertia", "velocity", "mass"])
    assert unknowns.groups == ("velocity", "mass", "inertia"), "always in the same order"
    assert scenario.start.target is not None
    body = scenario.start.target.base
    found = np.asarray(unknowns.quantities(unknowns.start), float)
    np.testing.assert_allclose(found[:6], scenario.start.target_rates, atol=1e-15)
    expected = np.array([body.mass, *body.inertia], float)
    np.testing.assert_allclose(found[6:], expected, rtol=1e-12, atol=1e-12)


@settings(max_examples=10)
@given(st.integers(0, 2**32 - 1))
def test_slopes_of_the_quantities_are_differences(seed: int) -> None:
    unknowns = Unknowns(load(SCENARIOS / "pin-3d.yaml"), ["velocity", "mass", "inertia"])
    random = np.random.default_rng(seed)
    theta = unknowns.start + 0.3 * random.normal(size=len(unknowns)) * unknowns.scale
    direction = random.normal(size=len(unknowns)) * unknowns.scale
    along = unknowns.slopes(theta) @ direction
    plus, minus = (
        np.asarray(unknowns.quantities(theta + sign * 1e-5 * direction), float) for sign in (1, -1)
    )
    np.testing.assert_allclose(
        (plus - minus) / 2e-5, along, rtol=1e-6, atol=1e-6 * abs(along).max()
    )


def test_a_guess_of_the_start_is_the_scenario() -> None:
    unknowns = Unknowns(thesis(1), PLANAR)
    guess = unknowns.guess(unknowns.start.tolist())
    assert float(guess.mass) == pytest.approx(15.0)  # type: ignore[arg-type]
    angle = np.arctan2(*np.array(guess.rotation.array(), float)[[1, 0], 0])
    assert angle == pytest.approx(4.21238898038469 - 2 * np.pi)


def test_errors_of_the_robot_carry_their_priors() -> None:
    unknowns = Unknowns(thesis(1), ["velocity", "robot"], robot={"joint": 1e-3, "base.rate": 2e-3})
    assert [name for name in unknowns.names if "robot" in name] == [
        *(f"robot.joint.{joint.name}" for joint in thesis(1).start.chaser.movable_joints),
        "robot.base_rate.angle",
    ]
    assert unknowns.priors.tolist() == [np.inf] * 3 + [1e-3, 1e-3, 2e-3]


def test_ranges_can_be_given_by_group_and_by_name() -> None:
    unknowns = Unknowns(thesis(1), ["velocity", "mass"], ranges={"velocity": 0.2, "omega": 0.5})
    assert unknowns.ranges.tolist() == [0.2, 0.2, 0.5, 15.0]


@pytest.mark.parametrize(
    ("groups", "more", "message"),
    [
        (["speed"], {}, "'speed' cannot be unknown"),
        ([], {}, "nothing is unknown"),
        (["restitution"], {}, "a pin has none"),
        (["robot"], {}, "need standard deviations"),
        (["robot"], {"robot": {"elbow": 1.0}}, "no kind of error 'elbow'"),
        (["robot"], {"robot": {"joint": 0.0}}, "joint must be finite and > 0"),
        (["velocity"], {"ranges": {"mass": 1.0}}, "'mass' is not unknown here"),
        (["velocity"], {"ranges": {"vx": -1.0}}, "vx must be finite and > 0"),
    ],
)
def test_bad_input_is_refused_by_name(groups: list[str], more: dict, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        Unknowns(thesis(1), groups, **more)


def test_a_scenario_must_begin_with_the_impact() -> None:
    apart = with_overrides(
        thesis(1),
        {"approach": {"capture-radius": 0.02, "timeout": 60}, "target.position": [3.0, 8.0]},
    )
    with pytest.raises(ModelError, match="apart at the start"):
        Unknowns(apart, ["velocity"])


@pytest.mark.parametrize(
    ("given", "groups", "moment", "said"),
    [
        ({}, ("velocity", "mass"), 15.0, "the inertia goes with the mass"),
        ({"target.inertia": 7.5}, ("velocity", "mass"), 7.5, "held at what target.inertia gives"),
        ({}, ("velocity", "mass", "inertia"), 7.5, ""),
        ({}, ("velocity",), 7.5, ""),
    ],
)
def test_the_inertia_of_a_shape_goes_with_its_mass(
    given: dict[str, float], groups: tuple[str, ...], moment: float, said: str
) -> None:
    """A disk of twice the mass has twice the moment, m r²/2; one given apart stays as it is."""
    unknowns = Unknowns(with_overrides(thesis(1), given), groups)
    theta = unknowns.start.copy()
    if "mass" in groups:
        theta[unknowns.slices["mass"]] += np.log(2.0)
    guess = unknowns.guess(theta.tolist())
    assert guess.mass == pytest.approx(30.0 if "mass" in groups else 15.0, rel=1e-15)
    assert guess.inertia.zz == pytest.approx(moment, rel=1e-15)
    assert said in " ".join(unknowns.assumptions)
    assert len(unknowns.assumptions) == (1 if said else 0)


def test_the_inertia_of_a_box_goes_with_its_mass() -> None:
    box = {"shape": "box", "mass": 800.0, "size": [1.2, 1.0, 1.6], "contact": [-0.6, 0.1, 0.2]}
    scenario = load(SCENARIOS / "tumbling-3d.yaml", {"target": box})
    unknowns = Unknowns(scenario, ["mass"])
    heavier = unknowns.guess((unknowns.start + np.log(1000.0 / 800.0)).tolist()).inertia
    assert scenario.start.target is not None
    expected = np.array(list(scenario.start.target.base.inertia), float) * 1.25
    np.testing.assert_allclose(np.array(list(heavier), float), expected, rtol=1e-14)


@pytest.mark.parametrize(
    ("name", "meant"),
    [("stiffness", "impact.stiffness"), ("friction", "impact.friction"), ("velocty", "velocity")],
)
def test_a_name_that_is_none_is_answered_with_the_one_that_is_meant(name: str, meant: str) -> None:
    law = (
        "{closure: compliant, law: hunt-crossley, stiffness: 2e4, restitution: 0.5, friction: 0.1}"
    )
    soft = with_overrides(thesis(1), {"impact": law})
    with pytest.raises(ModelError, match=f"Did you mean '{meant}'"):
        Unknowns(soft, [name])
