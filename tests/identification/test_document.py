"""`identify.json`, the words beside it, and promises that hold for every target that fits."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

import percuss
from percuss.identification.data.sensors import sensors_of
from percuss.identification.data.synthesis import synthesise
from percuss.identification.estimate.information import Information
from percuss.identification.identification import identify
from percuss.identification.observability.promises import blind_to, promised
from percuss.identification.observability.remedies import goes_on
from percuss.identification.result import Identification
from percuss.report.identify_corner import drawn
from percuss.report.identify_figures import pictures
from percuss.report.identify_page import identify_page
from percuss.report.identify_words import bounds_in_words

SCENARIOS = Path(__file__).parents[2] / "scenarios"
NOISE = {"joint": 1e-4, "base.position": 1e-3, "base.angle": 1e-3}
SENSORS = sensors_of({kind: {"noise": noise, "rate": 50} for kind, noise in NOISE.items()})


@cache
def found_in(simulation: int, advice: bool = False) -> Identification:
    scenario = percuss.load(SCENARIOS / f"thesis-{simulation}.yaml", {"duration": "5 s"})
    measured = synthesise(scenario, SENSORS, seed=3)
    return identify(scenario, measured, SENSORS, ["velocity"], starts=3, advice=advice)


def test_intervals_of_a_parabola_are_normal() -> None:
    document = json.loads(found_in(1).json())
    assert list(document["interval"]) == document["order"] == ["vx", "vy", "omega"]
    for name, (low, high) in document["interval"].items():
        middle, half = document["estimate"][name], norm.ppf(0.975) * document["sigma"][name]
        np.testing.assert_allclose((low, high), (middle - half, middle + half), rtol=1e-9)
    assert document["bounds"] == {}
    assert document["fit"]["valley"] is False
    assert 0.0 <= document["fit"]["bent"] < 0.1


def test_what_is_not_known_to_first_order_has_bounds() -> None:
    """Simulation 2: what is measured hardly changes with a small spin about the contact point."""
    found = found_in(2, advice=True)
    document = json.loads(found.json())
    assert document["fit"]["valley"] is True
    assert document["fit"]["bent"] > 0.1
    assert set(document["bounds"]) == {"vx", "omega"}
    assert not set(document["bounds"]) & set(document["estimate"])
    assert not set(document["bounds"]) & set(document["interval"])
    for name, (low, high) in document["bounds"].items():
        assert low < 0.0 < high, f"{name} was zero"
        assert high - low < 0.1
        assert document["unit"][name] == ("rad/s" if name == "omega" else "m/s")
    low, high = document["interval"]["vy"]
    assert low < document["estimate"]["vy"] < high
    said = bounds_in_words(found)
    assert said[1].startswith("omega lies between −0.0")
    assert "rad/s (95 %), but what is measured changes only with its square" in said[1]
    page = identify_page(found, ())
    assert all(text in page for text in said)
    assert "its valley was followed" in page
    samples = drawn(found)
    assert samples is not None
    spread = {name: float(values.std()) for name, values in samples.items()}
    assert spread == pytest.approx(document["sigma"], rel=1e-3)
    captions = {picture.name: picture.caption for picture in pictures(found)}
    assert "valley" in captions["posterior"]


def test_nothing_is_promised_that_holds_at_one_estimate_only() -> None:
    """Beside a stationary point a longer record seems to tell the spin; at it, it does not."""
    found = found_in(2, advice=True)
    longer = [text for text in found.remedies if "a record of" in text]
    assert not any("omega" in text for text in longer), longer
    marker = next(text for text in found.remedies if "marker" in text)
    assert "omega would be known to" in marker
    swing = found.document()["manoeuvre"]
    assert {"vx", "omega"} <= set(swing["becomes_known"])


@given(
    slope=st.floats(10.0, 1e4),
    centre=st.floats(-0.3, 0.3),
    power=st.sampled_from((1, 2, 3)),
    tilt=st.floats(-0.5, 0.5),
)
def test_only_records_that_tell_places_apart_promise(
    slope: float, centre: float, power: int, tilt: float
) -> None:
    """A record that shows (ω - ω₀)ᵖ tells ω for p = 1 only: it is blind to it about ω₀."""
    found = found_in(2)
    unknowns = found.unknowns
    omega = centre + np.array([0.0, -0.2, -0.1, 0.1, 0.2])
    places = np.stack([tilt * omega, tilt + 0.0 * omega, omega])
    powers = slope * (omega - centre) ** power
    rows = slope * power * (omega - centre) ** (power - 1)
    shown = np.stack([slope * places[0], slope * places[1], powers])
    slopes = np.zeros((3, 3, 5))
    slopes[0, 0] = slopes[1, 1] = slope
    slopes[2, 2] = rows
    told = promised(unknowns, found.fit, places, shown, slopes=slopes)
    assert told.known[1:].tolist() == [True, power == 1]
    if power == 1:
        assert told.sigmas[2] == pytest.approx(1.0 / slope, rel=1e-2)


@given(seed=st.integers(0, 1000), which=st.lists(st.booleans(), min_size=4, max_size=4))
def test_what_is_not_known_is_averaged_over(seed: int, which: list[bool]) -> None:
    """Covariances of the rest are those of the whole, the ranges of the lost being known."""
    random = np.random.default_rng(seed)
    ranges = random.uniform(0.1, 10.0, 4)
    root = random.normal(size=(9, 4)) * random.uniform(3.0, 30.0) / ranges
    told = Information(tuple("abcd"), ("m",) * 4, ranges, root, np.zeros(4, bool))
    lost = np.array(which)
    blind = blind_to(told, lost)
    whole = np.linalg.inv(told.matrix + np.diag(np.where(lost, ranges**-2.0, 0.0)))
    assert not blind.known[lost].any()
    if not lost.all():
        rest = np.linalg.inv(blind.matrix[np.ix_(~lost, ~lost)])
        np.testing.assert_allclose(rest, whole[np.ix_(~lost, ~lost)], rtol=1e-9)


def test_a_model_that_does_not_fit_promises_nothing() -> None:
    from percuss.identification.observability.remedies import remedies

    found = found_in(2)
    loud = replace(found.fit, residuals=10.0 * found.fit.residuals)
    said = remedies(found.model, SENSORS, loud)
    assert said.manoeuvre is None
    (text,) = said
    assert "the model does not fit" in text


@given(
    steps=st.lists(st.floats(1e-3, 10.0), min_size=1, max_size=30),
    begin=st.floats(0.0, 5.0),
    count=st.integers(2, 4),
)
def test_a_record_that_goes_on_rises_and_keeps_its_rate(
    steps: list[float], begin: float, count: int
) -> None:
    """Whatever the first time, the impact's own included, no time comes twice."""
    times = begin + np.concatenate([[0.0], np.cumsum(steps)])
    longer = goes_on(times, count)
    assert len(longer) == count * len(times)
    assert (np.diff(longer) > 0.0).all()
    np.testing.assert_array_equal(longer[: len(times)], times)
    for k in range(count):
        again = np.diff(longer[k * len(times) : (k + 1) * len(times)])
        np.testing.assert_allclose(again, np.diff(times), rtol=1e-9, atol=1e-12)
    even = goes_on(np.arange(1, 6) / 50.0, 2)
    np.testing.assert_allclose(even, np.arange(1, 11) / 50.0, rtol=1e-15)
    np.testing.assert_allclose(goes_on(np.arange(6) / 50.0, 2), np.arange(12) / 50.0, rtol=1e-15)
