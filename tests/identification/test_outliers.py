"""`robust`: what is left out, that it is named, and that σ stays what it says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

from percuss.identification.data.measured_columns import Measured, measured_of
from percuss.identification.data.neighbours import deviations
from percuss.identification.data.synthesis import synthesise
from percuss.identification.estimate.outliers import threshold
from percuss.identification.identification import identify
from percuss.identification.options import SearchOptions
from percuss.model.errors import ModelError
from percuss.scenario import load
from tests.identification.cases import SCENARIOS
from tests.identification.test_odd_records import KNOWN, PLANE, SPACE, TRUE

TRUTH = {"vx": -0.4, "vy": -0.1, "omega": 0.2}


Named = set[tuple[str, int]]


def spoiled(record: Measured, seed: int, share: float = 0.01) -> tuple[Measured, Named]:
    """A record of which a share of samples is anything, and which they are."""
    random = np.random.default_rng(seed)
    columns = {name: np.array(values) for name, values in record.columns.items()}
    bad: Named = set()
    for name, values in columns.items():
        for k in np.flatnonzero(random.random(len(values)) < share):
            size = 10.0 ** random.uniform(-1.5, 6.0)
            values[k] += random.choice([-1.0, 1.0]) * size
            bad.add((name, int(k) + 1))
    return Measured(record.time, columns), bad


def test_one_percent_of_gross_outliers_changes_nothing() -> None:
    clean = synthesise(TRUE, PLANE, seed=8)
    record, bad = spoiled(clean, 1)
    assert len(bad) > 10
    with pytest.raises(ModelError, match=r"σ from its neighbours.* --robust"):
        identify(KNOWN, record, PLANE, starts=2, advice=False)
    reference = identify(KNOWN, clean, PLANE, starts=2, advice=False)
    found = identify(KNOWN, record, PLANE, starts=2, advice=False, robust=True)
    assert {(item.column, item.sample) for item in found.left_out} == bad
    assert found.fit.samples == reference.fit.samples - len(bad)
    for name, value in reference.estimate.items():
        assert abs(found.estimate[name] - value) < 0.5 * reference.sigma[name]
        assert found.sigma[name] == pytest.approx(reference.sigma[name], rel=0.02)
    document = found.document()["left_out"]
    assert [item["column"] for item in document] == [item.column for item in found.left_out]
    assert all("σ from" in item["words"] for item in document)


def test_clean_records_lose_nothing() -> None:
    clean = synthesise(TRUE, PLANE, seed=3)
    plain = identify(KNOWN, clean, PLANE, starts=2, advice=False)
    robust = identify(KNOWN, clean, PLANE, starts=2, advice=False, robust=True)
    assert robust.left_out == ()
    assert robust.estimate == plain.estimate
    assert robust.sigma == plain.sigma


def test_standard_deviations_stay_honest() -> None:
    """χ² of the errors of 16 spoiled records with the covariance that is stated."""
    total, count = 0.0, 0
    for seed in range(16):
        record, _ = spoiled(synthesise(TRUE, PLANE, seed=100 + seed), seed)
        found = identify(KNOWN, record, PLANE, starts=3, advice=False, robust=True)
        off = np.array([found.estimate[name] - TRUTH[name] for name in TRUTH])
        total += float(off @ np.linalg.solve(found.covariance, off))
        count += len(off)
    assert chi2.ppf(0.001, count) < total < chi2.ppf(0.999, count)


def test_noise_that_is_understated_is_no_outlier() -> None:
    clean = synthesise(TRUE, PLANE, seed=8)
    random = np.random.default_rng(2)
    columns = {k: v + 1e-2 * random.standard_normal(len(v)) for k, v in clean.columns.items()}
    with pytest.raises(ModelError, match=r"would be left out as outliers, more than 10%"):
        identify(KNOWN, Measured(clean.time, columns), PLANE, starts=1, advice=False, robust=True)


def test_attitudes_are_left_out_as_a_whole() -> None:
    scenario = load(SCENARIOS / "pin-3d.yaml", {"duration": "2 s"})
    clean = synthesise(scenario, SPACE, seed=4)
    columns = {name: np.array(values) for name, values in clean.columns.items()}
    columns["base.qx"][20] = 1e6
    turn = np.array([np.cos(0.2), 0.0, np.sin(0.2), 0.0])
    for entry, value in zip("wxyz", turn, strict=True):
        columns[f"base.q{entry}"][40] = value
    with pytest.raises(ModelError, match="unit quaternion"):
        measured_of(clean.time, columns)
    record = measured_of(clean.time, columns, robust=True)
    found = identify(scenario, record, SPACE, starts=1, advice=False, robust=True)
    named = {(item.column, item.sample, item.against) for item in found.left_out}
    assert named == {
        ("base.orientation", 21, "length"),
        ("base.orientation", 41, "neighbours"),
    }
    assert "length 1e+06" in found.left_out[0].words


def test_the_threshold_is_that_of_one_record_in_a_hundred() -> None:
    random = np.random.default_rng(0)
    largest = np.abs(random.standard_normal((4000, 500))).max(axis=1)
    assert np.mean(largest > threshold(500)) == pytest.approx(0.01, abs=0.005)


@given(
    st.integers(0, 10_000),
    st.floats(-3, 3),
    st.floats(-3, 3),
    st.floats(-3, 3),
    st.integers(0, 59),
    st.floats(1.5, 12.0),
)
def test_a_spike_is_found_and_nothing_else(
    seed: int, slope: float, bend: float, swing: float, place: int, size: float
) -> None:
    random = np.random.default_rng(seed)
    times = np.cumsum(random.uniform(0.01, 0.03, 60))
    smooth = slope * times + bend * times**2 + swing * np.sin(3.0 * times)
    values = smooth + 1e-3 * random.standard_normal(60)
    found = deviations(times, values, 1e-3)
    assert found is not None
    assert found.relative.max() < SearchOptions().outliers.far
    values[place] += 10.0**size
    found = deviations(times, values, 1e-3)
    assert found is not None
    assert np.flatnonzero(found.relative > SearchOptions().outliers.far).tolist() == [place]
