"""Statistics of residuals that a fit has left, with their distributions when the model is right.

A fit takes part of the noise with it: of noise ε ~ N(0, 1) it leaves r = ε - (its projection onto
the slopes), whose covariance is A = 1 - W Wᵀ with W = J F^(-1/2), J (m, n) the slopes of the
predictions in standard deviations and F = JᵀJ + (priors) the information. All moments below are
those of r, not of ε, so that short records and many unknowns raise no false alarm.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from percuss.identification.options import DEFAULT
from percuss.identification.options.judging import ResidualTestOptions

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ResidualSeries:
    """Residuals of one channel, or of all, in the order of time.

    `values` (m,), in standard deviations of the noise; `taken` (m, n): the rows of W; `options`:
    by which they are tested.
    """

    values: Array
    taken: Array
    options: ResidualTestOptions = DEFAULT.residual_tests

    @property
    def count(self) -> int:
        return len(self.values)

    @property
    def freedom(self) -> float:
        """tr A: what Σ r² is on average."""
        return self.count - float(np.sum(self.taken**2))

    @property
    def spread(self) -> float:
        """tr A²: half the variance of Σ r²."""
        gram = self.taken.T @ self.taken
        return self.count - 2.0 * float(np.trace(gram)) + float(np.sum(gram**2))


@dataclass(frozen=True)
class Check:
    """One test of one channel, or of all of them (`channel` None).

    `p` is how often a right model gives a statistic at least as strange; the test has failed if it
    is below `threshold`, the false-alarm rate shared among all tests.
    """

    name: str
    channel: str | None
    statistic: float
    p: float
    threshold: float

    @property
    def failed(self) -> bool:
        return self.p < self.threshold


def taken_by_fit(slopes: Array, information: Array) -> Array:
    """W = J F^(-1/2) (m, n): what the fit has taken of each sample.

    Directions of no information, less than 1e-12 of the largest once every unknown is measured
    in its own standard deviation, take nothing.
    """
    size = np.sqrt(np.diag(information))
    size = np.where(size > 0.0, size, 1.0)
    values, axes = np.linalg.eigh(information / np.outer(size, size))
    kept = values > 1e-12 * max(values[-1], 0.0)
    return (slopes / size) @ axes[:, kept] / np.sqrt(values[kept])


def chi_square(series: ResidualSeries) -> tuple[float, float]:
    """(statistic, p): Σ r² / tr A, and how often it is at least as far from 1 on its side.

    p is of both sides. Σ r² is a sum of χ² with weights; a gamma distribution with its mean tr A
    and variance 2 tr A² stands for it, which is exact without priors and with all channels.
    """
    from scipy.special import gammainc, gammaincc

    if series.freedom < 1.0:
        return 1.0, 1.0
    total = float(np.sum(series.values**2))
    scale = series.spread / series.freedom
    shape, at = 0.5 * series.freedom / scale, 0.5 * total / scale
    p = 2.0 * min(float(gammaincc(shape, at)), float(gammainc(shape, at)))
    return total / series.freedom, min(p, 1.0)


def early(series: ResidualSeries) -> tuple[float, float]:
    """`chi_square` of the first samples: what a contact that takes time disturbs most."""
    first = series.options.onset_samples
    return chi_square(replace(series, values=series.values[:first], taken=series.taken[:first]))


def mean(series: ResidualSeries) -> tuple[float, float]:
    """(statistic, p): mean residual in σ of the noise; Σ r is normal with variance 1ᵀ A 1."""
    from scipy.special import erfc

    variance = series.count - float(np.sum(np.sum(series.taken, axis=0) ** 2))
    # A fit that is free to move the mean leaves none, and what little it leaves tells nothing.
    if variance < series.options.free_share * series.count:
        return 0.0, 1.0
    total = float(np.sum(series.values))
    return total / series.count, float(erfc(abs(total) / np.sqrt(2.0 * variance)))


def lag_one(series: ResidualSeries) -> tuple[float, float]:
    """(statistic, p): autocorrelation of neighbours ρ₁ = Σ r_t r_{t+1} / Σ r_t².

    Its mean and variance are exact for the fit; between them the symmetric beta distribution
    of the circular autocorrelation of normal noise.
    """
    from scipy.special import betainc

    if not _tells_of_time(series):
        return 0.0, 1.0
    found, expected, covariance = _autocorrelations(series, 1)
    shape = 0.5 * (1.0 / covariance[0, 0] - 1.0)
    off = min(abs(float(found[0] - expected[0])), 1.0)
    return float(found[0]), min(2.0 * float(betainc(shape, shape, 0.5 * (1.0 - off))), 1.0)


def ljung_box(series: ResidualSeries) -> tuple[float, float]:
    """(statistic, p): zᵀ C⁻¹ z of autocorrelations z less their means, C their covariance.

    The statistic of Ljung and Box with the moments that the fit gives; χ² with as many degrees
    of freedom as lags, one for 25 samples, two at least and ten at
    most.
    """
    from scipy.special import gammaincc

    if not _tells_of_time(series):
        return 0.0, 1.0
    options = series.options
    # With more lags than that the tail of the distribution is heavier than that of χ².
    lags = max(2, min(options.most_lags, series.count // options.samples_per_lag))
    found, expected, covariance = _autocorrelations(series, lags)
    off = found - expected
    statistic = float(off @ np.linalg.solve(covariance, off))
    return statistic, float(gammaincc(0.5 * lags, 0.5 * statistic))


def runs(series: ResidualSeries) -> tuple[float, float]:
    """(statistic, p): changes of sign between neighbours, as a share of all pairs.

    Neighbours whose residuals have the correlation c differ in sign with the probability
    1/2 - asin(c)/π; the number of changes is taken as binomial. Two-sided.
    """
    from scipy.special import bdtr, bdtrc

    if not _tells_of_time(series):
        return 0.5, 1.0
    pairs = series.count - 1
    signs = series.values > 0.0
    changes = int(np.sum(signs[1:] != signs[:-1]))
    left = np.maximum(1.0 - np.sum(series.taken**2, axis=1), 1e-12)
    shared = -np.sum(series.taken[1:] * series.taken[:-1], axis=1)
    correlation = np.clip(shared / np.sqrt(left[1:] * left[:-1]), -1.0, 1.0)
    chance = float(np.mean(0.5 - np.arcsin(correlation) / np.pi))
    at_least = float(bdtrc(changes - 1, pairs, chance)) if changes else 1.0
    p = 2.0 * min(float(bdtr(changes, pairs, chance)), at_least)
    return changes / pairs, min(p, 1.0)


def outliers(series: ResidualSeries) -> tuple[float, float]:
    """(statistic, p): the largest |r| in its own standard deviation, among that many samples."""
    from scipy.special import erfc

    largest = float(np.max(np.abs(standardised(series)), initial=0.0))
    single = float(erfc(largest / np.sqrt(2.0)))
    return largest, float(-np.expm1(series.count * np.log1p(-min(single, 1.0 - 1e-16))))


def standardised(series: ResidualSeries) -> Array:
    """r / √A_tt; zero for samples that the fit follows almost whatever they are, shape (m,)."""
    left = 1.0 - np.sum(series.taken**2, axis=1)
    free = left > series.options.free_share
    return np.where(free, series.values / np.sqrt(np.where(free, left, 1.0)), 0.0)


def _tells_of_time(series: ResidualSeries) -> bool:
    """Whether correlations mean something: enough samples, and more than rounding left of them."""
    options, left = series.options, float(np.sum(series.values**2))
    enough = series.count >= options.fewest_samples and series.freedom >= 1.0
    return enough and left > options.rounding * series.freedom


def _autocorrelations(series: ResidualSeries, lags: int) -> tuple[Array, Array, Array]:
    """Autocorrelations at lags 1 … h: found (h,), their means (h,) and covariance (h, h).

    With c_k = rᵀ L_k r, L_k half a shift forth and half back: E c_k = tr L_k A, E c_k c_j =
    2 tr(L_k A L_j A) + E c_k E c_j; and as the direction of normal noise does not depend on its
    length, the moments of the ratios ρ_k = c_k / c_0 are the ratios of these.
    """
    r, W = series.values, series.taken
    n = series.count
    shifted = [_shift(W, k) for k in range(1, lags + 1)]
    small = [W.T @ one for one in shifted]
    found = np.array([r[:-k] @ r[k:] for k in range(1, lags + 1)]) / float(r @ r)
    expected = -np.array([float(np.trace(block)) for block in small])
    products = np.empty((lags, lags))
    for k in range(lags):
        for j in range(k + 1):
            own = 0.5 * (n - k - 1) if k == j else 0.0
            products[k, j] = products[j, k] = (
                own
                - 2.0 * float(np.sum(shifted[k] * shifted[j]))
                + float(np.sum(small[k] * small[j]))
            )
    length, square = series.freedom, 2.0 * series.spread + series.freedom**2
    means = expected / length
    moments = (2.0 * products + np.outer(expected, expected)) / square
    return found, means, moments - np.outer(means, means)


def _shift(W: Array, lag: int) -> Array:
    """L_k W."""
    product = np.zeros_like(W)
    product[:-lag] += 0.5 * W[lag:]
    product[lag:] += 0.5 * W[:-lag]
    return product


def stacked(parts: Sequence[ResidualSeries]) -> ResidualSeries:
    """All series as one."""
    return ResidualSeries(
        np.concatenate([part.values for part in parts]),
        np.concatenate([part.taken for part in parts]),
        parts[0].options,
    )
