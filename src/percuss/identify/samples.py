"""Samples of what the unknowns may be, and what they say."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

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
        stretch: of NUTS, the largest Gelman–Rubin factor R̂ of any θ; 1 when chains agree.
        effective: of NUTS, the least number of independent samples that any θ is worth.
    """

    names: tuple[str, ...]
    theta: Array
    quantities: Array
    method: str
    divergences: int = 0
    stretch: float = 1.0
    effective: float = float("nan")

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
    def warnings(self) -> tuple[str, ...]:
        """Where the samples of NUTS are not to be trusted."""
        found: list[str] = []
        if self.divergences:
            found.append(
                f"{self.divergences} of the posterior's steps diverged: its samples are biased; "
                "ask for fewer unknowns"
            )
        if self.stretch > 1.05:
            found.append(
                f"the chains of the posterior do not agree (R̂ = {self.stretch:.3g}): draw more "
                "samples, or there are several minima"
            )
        return tuple(found)
