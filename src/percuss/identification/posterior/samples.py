"""Samples of what the unknowns may be, and what they say."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from percuss.identification.options import DEFAULT
from percuss.identification.options.reporting import PosteriorOptions
from percuss.model.errors import ModelError

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Posterior:
    """Samples of the unknowns.

    Attributes:
        names: of the reported quantities.
        theta: (n, samples); `quantities` (n, samples) are the reported ones.
        method: "laplace" or "nuts".
        divergences: of NUTS, steps where the density was too steep to follow.
        r_hat: of NUTS, the largest Gelman–Rubin factor R̂ of any coordinate; 1 when chains agree.
        effective: of NUTS, the least number of independent samples that any is worth.
        options: by which it is judged whether they are good.
    """

    names: tuple[str, ...]
    theta: Array
    quantities: Array
    method: str
    divergences: int = 0
    r_hat: float = 1.0
    effective: float = float("nan")
    options: PosteriorOptions = DEFAULT.posterior

    @cached_property
    def mean(self) -> Array:
        return self.quantities.mean(axis=1)

    @cached_property
    def covariance(self) -> Array:
        return np.atleast_2d(np.cov(self.quantities))

    @cached_property
    def sigmas(self) -> Array:
        return np.sqrt(np.diag(self.covariance))

    @cached_property
    def skewness(self) -> Array:
        """Third standardised moments (n,), 0 for what is symmetric."""
        off = (self.quantities - self.mean[:, None]) / self.sigmas[:, None]
        return np.mean(off**3, axis=1)

    def interval(self, share: float = 0.95) -> Array:
        """Ends (n, 2) between which this share of the samples lies, the rest halved."""
        if not 0.0 < share < 1.0:
            raise ModelError(f"share must be between 0 and 1, got {share!r}")
        tails = [0.5 * (1.0 - share), 0.5 * (1.0 + share)]
        return np.quantile(self.quantities, tails, axis=1).T

    @property
    def usable(self) -> bool:
        """Whether the chains agree well enough for anything to be said from the samples."""
        return self.r_hat <= self.options.wrong

    @property
    def warnings(self) -> tuple[str, ...]:
        """Where the samples of NUTS are not to be trusted."""
        options = self.options
        found: list[str] = []
        if self.divergences > options.divergent_share * self.theta.shape[1]:
            found.append(
                f"{self.divergences} of the posterior's steps diverged, more than "
                f"{options.divergent_share:.1%}: its samples are biased; ask for fewer unknowns"
            )
        if not self.usable:
            found.append(
                f"the chains of the posterior do not agree (R̂ = {self.r_hat:.3g}, more than "
                f"{options.wrong:g}): its draws must not be used; ask for fewer unknowns, or draw "
                "more"
            )
        elif self.r_hat > options.doubtful:
            found.append(
                f"the chains of the posterior hardly agree (R̂ = {self.r_hat:.3g}, more than "
                f"{options.doubtful:g}): draw more samples"
            )
        return tuple(found)


def gelman_rubin(z: Array) -> Array:
    """R̂ (n,) of draws (chains, draws, n), each chain split in two halves."""
    half = z.shape[1] // 2
    parts = np.concatenate([z[:, :half], z[:, -half:]])
    within = parts.var(axis=1, ddof=1).mean(axis=0)
    between = half * parts.mean(axis=1).var(axis=0, ddof=1)
    return np.sqrt(((half - 1) * within / half + between / half) / within)


def effective(z: Array) -> Array:
    """Independent draws (n,) that draws (chains, draws, n) are worth, by Geyer's sequence."""
    chains, draws, count = z.shape
    off = z - z.mean(axis=1, keepdims=True)
    spectrum = np.abs(np.fft.rfft(off, 2 * draws, axis=1)) ** 2
    covariances = np.fft.irfft(spectrum, axis=1)[:, :draws].mean(axis=0) / draws
    within = covariances[0] * draws / (draws - 1.0)
    whole = covariances[0] + z.mean(axis=1).var(axis=0, ddof=1)
    found = np.zeros(count)
    for k in range(count):
        correlation = 1.0 - (within[k] - covariances[:, k]) / whole[k]
        correlation[0] = 1.0
        even = len(correlation) // 2 * 2
        pairs = correlation[:even].reshape(-1, 2).sum(axis=1)
        positive = pairs[: int(np.argmax(pairs <= 0.0))] if (pairs <= 0.0).any() else pairs
        time = max(2.0 * float(np.minimum.accumulate(positive).sum()) - 1.0, 1e-3)
        found[k] = min(chains * draws / time, float(chains * draws) * math.log10(chains * draws))
    return found
