"""Stated uncertainties are true: counted over two thousand targets, or over a sample of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from percuss.identification.coverage import coverage
from percuss.model.errors import ModelError
from tests.identification.cases import NOISE
from tests.identification.studies import FALSE_ALARM, STUDIES, TESTS, Study, coverage_of


def test_two_thousand_targets_are_drawn() -> None:
    assert sum(study.cases for study in STUDIES) == 2000


@pytest.mark.study
@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
def test_stated_uncertainties_are_true(study: Study) -> None:
    check(study)


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
def test_stated_uncertainties_are_true_of_a_sample(study: Study) -> None:
    """Of fewer targets, by the same bounds on p, which are those of that many."""
    check(replace(study, cases=study.sample))


def check(study: Study) -> None:
    """Intervals hold the truth as often as they say, up to `FALSE_ALARM`, and errors are normal."""
    found = coverage_of(study)
    assert len(found.counts) == study.quantities
    for counted in found.counts:
        said = f"{counted.name}: {counted.held} of {counted.given} intervals hold the truth"
        # A quantity that is rarely told would pass any test.
        assert counted.given > 0.95 * study.cases, said
        assert counted.p > FALSE_ALARM / TESTS, f"{said}, p = {counted.p:.1g}"
        said = f"{counted.name}: Σ z² is {counted.chi_square:.0f} of {counted.normal}"
        # The rest are cases whose χ² is no parabola: their errors are not normal.
        assert counted.normal > 0.7 * study.cases
        assert counted.chi_square_p > FALSE_ALARM / TESTS, f"{said}, p = {counted.chi_square_p:.1g}"
    # A search that ends in a wrong minimum is tens of standard deviations off.
    assert found.worst < 6.0, f"an estimate is {found.worst:.1f} σ from the truth"
    samples = found.fits.freedom
    excess = (found.fits.cost - samples) / np.sqrt(2.0 * samples)
    assert excess.max() < 6.0, "a search has not found what fits"
    assert found.fits.ambiguous.mean() < 0.02


@pytest.mark.parametrize(
    ("times", "count"), [(1.5, 80), pytest.param(1.2, 300, marks=pytest.mark.study)]
)
def test_intervals_that_are_too_narrow_are_noticed(times: float, count: int) -> None:
    """The study can fail: with more noise than stated it does, of more cases with less."""
    study = STUDIES[0]
    louder = {kind: times * sigma for kind, sigma in NOISE.items()}
    found = coverage(study.model, louder, count, seed=5, stated=NOISE)
    assert min(counted.p for counted in found.counts) < 1e-3
    assert min(counted.chi_square_p for counted in found.counts) < 1e-4


def test_a_study_of_nothing_is_refused() -> None:
    model = STUDIES[0].model
    with pytest.raises(ModelError, match="cases must be at least 1, got 0"):
        coverage(model, NOISE, 0)
    with pytest.raises(ModelError, match=r"missing must be at least 0 and less than 1, got 1\.0"):
        coverage(model, NOISE, 1, missing=1.0)
