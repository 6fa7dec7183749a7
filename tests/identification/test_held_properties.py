"""What is held, and what hangs on it: nobody knows the mass of a target to the last digit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import kstest

from percuss.identification.data.sensors import Sensors
from percuss.identification.data.synthesis import synthesise
from percuss.identification.estimate.held_biases import with_unknown_biases
from percuss.identification.estimate.held_properties import BIASES, PROPERTIES
from percuss.identification.forward.choice import model_for
from percuss.identification.forward.unknowns import Unknowns
from percuss.identification.identification import identify
from percuss.identification.options import DEFAULT
from percuss.identification.result import Identification
from percuss.scenario import load, with_overrides
from tests.identification.plane import SENSORS, Case, Target, random_case
from tests.identification.plane_motion import Robot
from tests.studies import cases

BENT_ARM = Robot(joints=(0.4, -0.9), mount=0.2 + 0.1j)
TURNING = Target(linear=-0.8 + 0.2j, angular=0.3)


def asked(*groups: str, seed: int = 1, closure: str = "weld") -> Identification:
    """A target that turns, of which some groups are asked for, from a record with noise."""
    return Case(BENT_ARM, TURNING, closure, groups, seed=seed).identified(starts=2)


@pytest.mark.parametrize("group", PROPERTIES[1:])
@pytest.mark.parametrize("closure", ["pin", "weld"])
def test_the_wider_deviations_are_those_of_who_asks_for_the_property(
    group: str, closure: str
) -> None:
    """σ if it were unknown = σ of an identification in which it is unknown."""
    held = asked("velocity", closure=closure)
    free = asked("velocity", group, closure=closure)
    told = {c.property: c.sigmas for c in held.conditions}.get(group, {})
    for name, sigma in free.sigma.items():
        if name not in held.sigma:
            continue
        wider = sigma / held.sigma[name]
        assert (name in told) == (wider > DEFAULT.observability.conditional), (
            f"{name}: {wider:.4g} times as wide"
        )
        if name in told:
            assert told[name] == pytest.approx(sigma, rel=0.02)


@pytest.mark.parametrize("stated", [1.0, 1.3], ids=["as it is", "too heavy by 30 %"])
def test_they_are_so_of_a_shape_and_where_the_statement_is_wrong(stated: float) -> None:
    """The mass of a shape takes its inertia with it; a wrong one has other derivatives."""
    capture = load("scenarios/identify/capture.yaml")
    sensors = Sensors({"joint": {"noise": 2e-3}, "base.position": {"noise": 2e-2}})
    truth = {"target.velocity.linear": [-0.4, -0.1], "target.velocity.angular": 0.2}
    record = synthesise(with_overrides(capture, truth), sensors, seed=1)
    believed = with_overrides(capture, {"target.mass": 15.0 * stated})
    held = identify(believed, record, sensors, ["velocity"], advice=False)
    free = identify(believed, record, sensors, ["velocity", "mass"], advice=False)
    told = {c.property: c.sigmas for c in held.conditions}["mass"]
    assert set(told) >= {"vx", "vy"}
    for name, sigma in told.items():
        assert sigma == pytest.approx(free.sigma[name], rel=0.01)


def test_a_record_that_does_not_tell_the_closure_says_so() -> None:
    """At first a target on a pin moves the robot as some other target would that is welded."""
    short = tuple(np.linspace(1e-3, 0.1, 20))
    true = Case(BENT_ARM, TURNING, "pin", ("velocity",), times=short)
    stated = replace(true, closure="weld")
    found = identify(
        stated.scenario, true.measured(True), SENSORS, stated.groups, advice=False, starts=2
    )
    assert not found.checks.warnings
    truth = dict(zip(true.names, true.true, strict=True))
    off = {name: abs(x - truth[name]) for name, x in found.estimate.items()}
    assert max(off[name] / found.sigma[name] for name in off) > 5.0
    told = {c.property: c.sigmas for c in found.conditions}["closure"]
    for name, gap in off.items():
        sigma = told.get(name, found.sigma[name])
        assert sigma is None or gap < 4.0 * sigma, name


def test_a_record_that_tells_the_closure_does_not_speak_of_it() -> None:
    for closure in ("pin", "weld"):
        found = asked("velocity", "mass", closure=closure)
        assert "closure" not in [condition.property for condition in found.conditions]


def test_all_at_once_is_as_wide_as_an_identification_of_everything() -> None:
    held, free = asked("velocity"), asked("velocity", "mass", "inertia", "contact")
    assert held.held.sigmas is not None
    for name in ("vx", "vy", "omega"):
        assert held.held.sigmas[name] == pytest.approx(free.sigma[name], rel=0.02)


def test_nothing_hangs_on_anything_where_all_is_asked_for() -> None:
    found = asked(*PROPERTIES)
    assert not found.held.properties
    assert {c.property for c in found.conditions} <= {BIASES}


def test_a_gauge_is_told_as_such() -> None:
    """The attitude is known only as far as the contact point is."""
    found = asked("velocity", "attitude")
    told = {c.property: c for c in found.conditions}["contact"]
    assert told.sigmas["angle"] is None
    assert "no number for angle" in told.words
    written = {c["property"]: c["sigma_if_unknown"] for c in found.document()["conditions"]}
    assert written["contact"]["angle"] is None


@pytest.mark.parametrize("groups", [("velocity",), ("velocity", "time"), ("mass", "inertia")])
def test_unknown_biases_widen_as_if_they_were_asked_for(groups: tuple[str, ...]) -> None:
    """A constant for each column beside the unknowns, by least squares."""
    found = asked(*groups)
    size = DEFAULT.outliers.gross
    times, components = len(found.measured.time), len(found.fit.components)
    rows = found.fit.slopes * found.unknowns.scale
    columns = np.repeat(np.eye(components), times, axis=0)
    both = np.concatenate([rows, columns], axis=1)
    # Ranges, and the biases that are let pass, are as if they were known beforehand.
    known = np.eye(both.shape[1]) / np.repeat([np.inf, size], [rows.shape[1], components])
    whole = np.concatenate([both, known])
    covariance = np.linalg.inv(whole.T @ whole)[: rows.shape[1], : rows.shape[1]]
    slopes = found.unknowns.slopes(found.fit.theta) * found.unknowns.scale
    expected = np.sqrt(np.diag(slopes @ covariance @ slopes.T))
    free = with_unknown_biases(found.unknowns, found.fit, np.ones((components, times), bool), size)
    given = [
        free.names.index(name) for name in found.estimate if free.known[free.names.index(name)]
    ]
    assert given
    np.testing.assert_allclose(free.sigmas[given], expected[given], rtol=0.01)
    told = {c.property: c.sigmas for c in found.conditions}.get(BIASES, {})
    for k in given:
        name = free.names[k]
        wider = free.sigmas[k] / found.sigma[name]
        assert (name in told) == (wider > DEFAULT.observability.conditional), name


def test_a_bias_that_looks_like_a_later_impact_is_told() -> None:
    """Beside an unknown time a slow joint's bias leaves no residual: its size is what is said."""
    found = asked("velocity", "time")
    told = {c.property: c for c in found.conditions}[BIASES]
    assert "no biases but those that are stated" in told.words
    assert told.words in found.document()["conditions"][-1]["words"]


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"target.mass": 15.1}, "mass"),
        ({"target.inertia": 7.7}, "inertia"),
        ({"target.contact": [0.89, 0.48]}, "contact"),
    ],
)
def test_what_is_stated_wrongly_is_named(wrong: dict[str, object], named: str) -> None:
    """The record is that of our own equations of motion; the scenario is off in one property."""
    case = Case(BENT_ARM, TURNING, "weld", ("velocity",))
    stated = with_overrides(case.scenario, wrong)
    found = identify(stated, case.measured(True), SENSORS, case.groups, advice=False)
    said = [text for text in found.warnings if "than stated would fit better" in text]
    assert len(said) == 1
    properties, _, rest = said[0].partition(" of the target than stated")
    assert named in properties.removeprefix("another ").split(" or ")
    assert named in rest


def test_what_cannot_be_told_apart_is_named_together() -> None:
    """A small error of the mass may as well be one of the inertia or of the contact point."""
    case = Case(BENT_ARM, TURNING, "weld", ("velocity",))
    stated = with_overrides(case.scenario, {"target.mass": 15.04})
    found = identify(stated, case.measured(True), SENSORS, case.groups, advice=False)
    said = [text for text in found.warnings if "than stated would fit better" in text]
    assert len(said) == 1
    assert " or " in said[0]
    assert "add one of " in said[0]


@pytest.mark.sampled
def test_right_statements_are_rarely_doubted() -> None:
    """Of right models every p is uniform between 0 and 1."""
    count = cases(40, 150)
    chances: dict[tuple[str, ...], list[float]] = {}
    for seed in range(count):
        for score in asked("velocity", seed=seed).held.scores:
            chances.setdefault(score.properties, []).append(score.p)
    for properties, found in chances.items():
        assert len(found) == count
        p = kstest(found, "uniform").pvalue
        assert p > 1e-4, f"{', '.join(properties)}: p of right models are not uniform ({p:.1g})"


def test_what_shows_nothing_is_not_tested() -> None:
    """A fixed base with one joint, which shows one number: a welded body can be anything."""
    robot = Robot(lengths=(2.0,), masses=(10.0,), joints=(0.4,), joint_rates=(0.0,), fixed=True)
    found = Case(robot, Target(), "weld", ("mass",)).identified()
    assert not found.held.scores


@pytest.mark.parametrize("seed", range(3))
def test_unknowns_stand_for_the_same_target_among_more(seed: int) -> None:
    """Adding what is held changes no prediction."""
    case = replace(random_case(seed + 40), groups=("velocity", "mass"))
    few = Unknowns(case.scenario, case.groups)
    many = Unknowns(case.scenario, [*case.groups, "inertia", "contact", "attitude"])
    theta = few.start + 0.1 * few.scale
    values = [
        model_for(case.scenario, unknowns, case.shown, case.times)(at)
        for unknowns, at in ((few, theta), (many, many.standing_for(few, theta)))
    ]
    np.testing.assert_allclose(values[1], values[0], rtol=0, atol=1e-9)
