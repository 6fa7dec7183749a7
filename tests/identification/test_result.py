"""What an identification says: numbers only for what can be known, and words for the rest."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import percuss
from percuss.identification.data.measured import Measured
from percuss.identification.data.sensors import Sensors, sensors_of
from percuss.identification.data.synthesis import synthesise
from percuss.identification.estimate.best import OtherMinimum
from percuss.identification.identification import identify
from percuss.identification.result import Identification
from percuss.model.errors import ModelError
from percuss.report.identify_figures import pictures
from percuss.report.identify_page import identify_page
from percuss.scenario import Scenario

SCENARIOS = Path(__file__).parents[2] / "scenarios"
PLAIN = {"joint": {"noise": 1e-4}, "base.position": {"noise": 1e-3}, "base.angle": {"noise": 1e-3}}
SENSORS = sensors_of(PLAIN)


@cache
def thesis(number: int, closure: str = "pin") -> Scenario:
    place = SCENARIOS / f"thesis-{number}.yaml"
    return percuss.load(place, {"impact.closure": closure, "duration": "5 s"})


@cache
def found_in(
    number: int,
    closure: str = "pin",
    unknown: str = "velocity",
    truth: str = "pin",
    seed: int = 4,
    noise: bool = True,
) -> Identification:
    record = synthesise(thesis(number, truth), SENSORS, seed, noise=noise)
    return identify(thesis(number, closure), record, SENSORS, unknown.split(","), starts=3)


def errors_in_sigmas(found: Identification, truth: Iterable[float]) -> np.ndarray:
    gaps = np.array(list(found.estimate.values())) - np.array(list(truth))
    return gaps / np.array(list(found.sigma.values()))


@pytest.mark.parametrize(
    ("closure", "known"),
    [("pin", (9.87e-6, 1.394e-4, 1.298e-5)), ("weld", (1.011e-5, 1.394e-4, 1.285e-5))],
)
def test_the_velocity_of_simulation_1(closure: str, known: tuple[float, ...]) -> None:
    found = found_in(1, closure, truth=closure)
    assert list(found.estimate) == ["vx", "vy", "omega"]
    np.testing.assert_allclose(list(found.sigma.values()), known, rtol=0.02)
    assert np.abs(errors_in_sigmas(found, (-1, 0, 0))).max() < 4
    assert found.warnings == ()
    assert found.unobservable == ()
    assert 0.9 < found.fit.rms < 1.1


def test_without_noise_the_truth_comes_back() -> None:
    found = found_in(1, noise=False)
    assert np.abs(errors_in_sigmas(found, (-1, 0, 0))).max() < 1e-3


def test_the_document_has_what_is_promised() -> None:
    found = found_in(1)
    document = json.loads(found.json())
    assert document == found.document()
    assert document["order"] == list(document["estimate"]) == list(document["sigma"])
    diagonal = np.sqrt(np.diag(document["covariance"]))
    np.testing.assert_allclose(diagonal, list(document["sigma"].values()), rtol=1e-12)
    assert document["known"] == document["unobservable"] == []
    fit = document["fit"]
    assert fit["degrees_of_freedom"] == fit["samples"] - 3 == 2497
    assert fit["residual_rms"] == pytest.approx(np.sqrt(fit["chi_square"] / 2500))
    assert fit["warnings"] == []
    assert document["jump"]["rank"] == 2
    assert document["jump"]["unobservable"][0]["words"] == "rotation about the contact point"


def test_what_cannot_be_known_has_no_number() -> None:
    """Simulation 2 with a pin: the spin about the contact point changes nothing."""
    found = found_in(2)
    document = found.document()
    assert list(document["estimate"]) == ["vy"]
    assert [row.estimate for row in found.rows] == [None, pytest.approx(-1, abs=6e-4), None]
    assert all(row.how == "only in combination, see below" for row in found.rows if not row.sigma)
    (hidden,) = document["unobservable"]
    assert hidden["words"] == "rotation about the contact point"
    assert hidden["direction"]["vx"] == pytest.approx(-hidden["direction"]["omega"])
    (together,) = document["known"]
    assert together["words"] == "velocity of the target's contact point along x"
    assert abs(together["value"]) < 4 * together["sigma"] < 1e-4
    marker = next(text for text in found.remedies if "marker" in text)
    assert "omega would be known" in marker


def test_attitude_and_centre_of_mass_share_a_gauge() -> None:
    found = found_in(1, unknown="velocity,attitude,com")
    assert list(found.estimate) == ["vx", "vy", "omega"]
    assert len(found.unobservable) == 1
    assert len(found.combinations) == 2
    told = [c.words for c in found.combinations]
    assert all("vector from contact to centre of mass" in words for words in told)
    assert {row.name for row in found.rows if row.estimate is None} == {"angle", "com.x", "com.y"}


@pytest.mark.parametrize(("closure", "truth"), [("weld", "pin"), ("pin", "weld")])
def test_a_wrong_closure_is_noticed(closure: str, truth: str) -> None:
    found = found_in(1, closure, truth=truth)
    assert found.warnings
    assert "wrong" in " ".join(found.warnings)
    assert found.document()["fit"]["warnings"] == list(found.warnings)


def test_biases_delays_rates_and_losses_that_are_known_do_no_harm() -> None:
    sensors = sensors_of(
        {
            "joint": {"noise": 1e-4, "bias": [0.01, -0.02], "delay": "25 ms", "missing": 0.2},
            "base.position": {"noise": 1e-3, "bias": 0.5, "rate": 30},
            "gyro": {"noise": 1e-4, "bias": 0.1},
            "marker": {"noise": 1e-2, "rate": 5, "points": {"a": [0.5, 0.5]}},
        }
    )
    record = synthesise(thesis(1), sensors, seed=2)
    found = identify(thesis(1), record, sensors, starts=2)
    assert np.abs(errors_in_sigmas(found, (-1, 0, 0))).max() < 4
    assert found.warnings == ()
    assert found.fit.samples == record.samples


def test_errors_of_the_robot_are_nuisance() -> None:
    sensors = sensors_of({**PLAIN, "robot": {"joint": 1e-3, "joint_rate": 1e-3}})
    record = synthesise(thesis(1), sensors, seed=2)
    found = identify(thesis(1), record, sensors, ["velocity", "robot"], starts=2, advice=False)
    document = found.document()
    assert set(document["estimate"]) <= {"vx", "vy", "omega"}
    assert set(document["robot"]) >= {"robot.joint.joint1", "robot.joint_rate.joint2"}
    exact = found_in(1)
    assert all(found.sigma[name] >= 0.99 * exact.sigma[name] for name in found.sigma)
    with pytest.raises(ModelError, match="standard deviations"):
        identify(thesis(1), record, SENSORS, ["velocity", "robot"])


def test_two_answers_that_fit_equally_are_none() -> None:
    found = found_in(1)
    other = found.fit.quantities + np.array([0.0, 0.0, 1.0])
    fit = replace(found.fit, others=(OtherMinimum(other, other, found.fit.cost),))
    torn = replace(found, fit=fit, distinct=np.array([True, True, False]))
    assert list(torn.estimate) == ["vx", "vy"]
    assert torn.covariance.shape == (2, 2)
    assert "omega cannot be told" in torn.warnings[-1]
    assert torn.rows[2].how.startswith("ambiguous")
    assert torn.document()["alternatives"][0]["estimate"]["omega"] == pytest.approx(other[2])


def test_a_search_that_did_not_come_to_rest_gives_no_numbers() -> None:
    found = found_in(1)
    assert found.converged
    lost = replace(found, fit=replace(found.fit, settled=np.array([True, False, False])))
    assert list(lost.estimate) == ["vx"]
    assert not lost.document()["fit"]["converged"]
    assert "no number is given for vy, omega" in lost.warnings[0]
    assert lost.rows[1].how == "not estimated: the search did not come to rest"


def test_hidden_directions_do_not_hide_what_is_known() -> None:
    """Simulation 2: of eight unknowns hardly anything can be known, and the search creeps."""
    found = found_in(2, unknown="velocity,mass,inertia,com")
    assert found.converged
    assert found.warnings == ()
    assert not {"mass", "inertia", "com.x", "com.y", "omega"} & set(found.estimate)
    assert len(found.unobservable) == 5
    words = [together.words for together in found.combinations]
    assert "velocity of the contact point just after the impact along y" in words


@pytest.mark.parametrize(
    ("columns", "sensors", "unknown", "told"),
    [
        ({"gyro.z": [0.0]}, SENSORS, "velocity", "no sensor 'gyro'"),
        ({"joint.1": [np.nan]}, SENSORS, "velocity", "every sample is missing"),
        ({"joint.9": [0.0]}, SENSORS, "velocity", "there is no joint '9'"),
        ({"joint.1": [0.0]}, SENSORS, "speed", "'speed' cannot be unknown"),
        ({"joint.1": [0.0]}, SENSORS, "restitution", "a pin has none"),
        (
            {"marker.b.x": [0.0]},
            sensors_of({"marker": {"noise": 1, "points": {"a": [0, 0]}}}),
            "velocity",
            "where marker 'b' sits",
        ),
    ],
)
def test_what_is_refused(columns: Any, sensors: Sensors, unknown: str, told: str) -> None:
    record = Measured(np.array([0.5]), {k: np.array(v) for k, v in columns.items()})
    with pytest.raises(ModelError) as caught:
        identify(thesis(1), record, sensors, [unknown])
    assert told in str(caught.value)


@pytest.mark.parametrize("number", [1, 2])
def test_the_page_stands_alone(number: int) -> None:
    found = found_in(number)
    drawn = pictures(found)
    assert [picture.name for picture in drawn] == ["fit", "residuals", "posterior", "information"]
    assert all(picture.image.startswith(b"\x89PNG") for picture in drawn)
    text = identify_page(replace(found, notes=("<script>alert(1)</script>",)), drawn)
    assert f"<h1>thesis simulation {number}</h1>" in text, "its name, and nothing around it"
    assert "<script" not in text
    assert "http" not in text.replace("http-equiv", "")
    for row in found.rows:
        assert f"<td>{row.name}</td>" in text
    for hidden in found.unobservable:
        assert hidden.words in text


def test_an_attitude_that_forgets_whole_turns_is_followed() -> None:
    record = synthesise(thesis(1), SENSORS, 4)
    angle = record.columns["base.angle"]
    wound = Measured(record.time, {**record.columns, "base.angle": angle - 2.0 * np.pi})
    found = identify(thesis(1), wound, SENSORS, ["velocity"], starts=3, advice=False)
    assert found.estimate == pytest.approx(found_in(1).estimate, rel=1e-9)
    assert found.warnings == ()


def test_a_velocity_that_nobody_gives_is_not_taken_as_zero() -> None:
    scenario = percuss.load(SCENARIOS / "thesis-1.yaml", {"target.velocity": {}})
    record = synthesise(thesis(1), SENSORS, 4)
    with pytest.raises(ModelError, match=r"target\.velocity: it is neither given nor among"):
        identify(scenario, record, SENSORS, ["mass"])


def test_hidden_quantities_stay_near_the_scenario() -> None:
    """An absent velocity does not move the mass that it cannot be told from."""
    scenario = percuss.load(SCENARIOS / "thesis-2.yaml", {"target.velocity": {}, "duration": "5 s"})
    record = synthesise(thesis(2), SENSORS, 4)
    found = identify(scenario, record, SENSORS, ["velocity", "mass"], starts=3, advice=False)
    assert "mass" not in found.estimate
    place = found.unknowns.names.index("mass")
    # The record itself would have it at 12.6 kg, by 0.02 of χ²: it may give way a little.
    assert found.fit.quantities[place] == pytest.approx(15.0, abs=1.5)


def test_bounds_tell_what_first_order_does_not() -> None:
    """Simulation 2: the spin is not known to first order, but cannot be large either."""
    bounds = found_in(2).bounds
    assert set(bounds) == {"vx", "omega"}
    low, high = bounds["omega"]
    assert -0.05 < low < 0.0 < high < 0.05
