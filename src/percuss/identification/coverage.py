"""Are the stated uncertainties true? Many targets drawn, measured and identified, and counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from percuss.identification.estimate.confidence import LEVEL
from percuss.identification.estimate.fit import Fits, fit_all
from percuss.identification.estimate.residuals import Weighting
from percuss.identification.forward.choice import Model
from percuss.identification.options import DEFAULT, SearchOptions
from percuss.model.errors import ModelError


@dataclass(frozen=True)
class Counted:
    """How often the interval of a quantity holds the truth, and how large its errors are.

    `given`: cases in which the quantity got a number; `held`: those whose interval holds the
    truth; `p`: how often right intervals give a count at least as far from what is expected.
    `chi_square` is the sum of squared errors in standard deviations over the `normal` cases whose
    χ² is a parabola, and `chi_square_p` how often it is as far from their number; two-sided.
    """

    name: str
    given: int
    held: int
    p: float
    chi_square: float
    normal: int
    chi_square_p: float

    @property
    def share(self) -> float:
        return self.held / max(self.given, 1)


@dataclass(frozen=True)
class Coverage:
    """What identifications of drawn targets found.

    Attributes:
        names: of the quantities.
        truth: (n, cases).
        fits: what was identified; cases whose χ² has several minima that fit equally well are
            `ambiguous`, and get no number.
        nuisance: which quantities are errors of the robot's state (n,).
        bent: how far χ² may be from a parabola where errors are normal.
    """

    names: tuple[str, ...]
    truth: np.ndarray
    fits: Fits
    nuisance: np.ndarray
    bent: float = DEFAULT.valleys.bent

    @cached_property
    def given(self) -> np.ndarray:
        """Which quantities got a number (n, cases)."""
        reported = np.isfinite(self.fits.sigmas) & ~self.fits.ambiguous & self.fits.settled
        return reported & ~self.nuisance[:, None]

    @cached_property
    def errors(self) -> np.ndarray:
        """(estimate - truth) / σ (n, cases), NaN where no number was given."""
        gaps = (self.fits.values - self.truth) / self.fits.sigmas
        return np.where(self.given, gaps, np.nan)

    @property
    def counts(self) -> tuple[Counted, ...]:
        """What was counted of every quantity that is of interest."""
        from scipy.stats import binomtest, chi2

        low, high = self.fits.limits[:, 0], self.fits.limits[:, 1]
        held = self.given & (self.truth >= low) & (self.truth <= high)
        # Elsewhere errors are not normal, and only their intervals tell.
        normal = self.given & (self.fits.bent <= self.bent)
        found: list[Counted] = []
        for k in np.flatnonzero(~self.nuisance):
            given, inside = int(self.given[k].sum()), int(held[k].sum())
            p = float(binomtest(inside, given, LEVEL).pvalue) if given else 1.0
            squares, count = float((self.errors[k][normal[k]] ** 2).sum()), int(normal[k].sum())
            tail = min(float(chi2.sf(squares, count)), float(chi2.cdf(squares, count)))
            found.append(
                Counted(
                    name=self.names[k],
                    given=given,
                    held=inside,
                    p=p,
                    chi_square=squares,
                    normal=count,
                    chi_square_p=min(1.0, 2.0 * tail) if count else 1.0,
                )
            )
        return tuple(found)

    @property
    def worst(self) -> float:
        """Largest |error| in standard deviations: a minimum that was missed shows here."""
        return float(np.nanmax(np.abs(self.errors), initial=0.0))


def coverage(
    model: Model,
    noise: Mapping[str, float],
    cases: int,
    *,
    seed: int = 0,
    share: float = 0.5,
    missing: float = 0.0,
    starts: int = 4,
    stated: Mapping[str, float] | None = None,
    options: SearchOptions = DEFAULT,
    progress: Callable[[float], None] | None = None,
) -> Coverage:
    """Identify drawn targets from what a model says is measured of them, with noise.

    Args:
        model: of the scenario, whose values the searches know; the truth is drawn uniformly about
            them.
        noise: standard deviations by kind of measurement.
        share: of the plausible ranges to either side; errors of the robot's state are drawn from
            their prior distribution instead.
        missing: share of the samples that are left out, at random.
        starts: searches of each case.
        stated: standard deviations that the identification is told; default those that there are.
        options: how it searches and judges.
    """
    if cases < 1:
        raise ModelError(f"cases must be at least 1, got {cases}")
    if not 0.0 <= missing < 1.0:
        raise ModelError(f"missing must be at least 0 and less than 1, got {missing!r}")
    unknowns = model.unknowns
    random = np.random.default_rng(seed)
    count = len(unknowns)
    away = share * unknowns.scale[:, None] * random.uniform(-1.0, 1.0, (count, cases))
    nuisance = np.isfinite(unknowns.priors)
    known = np.where(nuisance, unknowns.priors, 0.0)[:, None]
    normal = known * random.standard_normal((count, cases))
    theta = unknowns.start[:, None] + np.where(nuisance[:, None], normal, away)
    exact = model(theta).reshape(len(model.channels), len(model.times), cases)
    measured = Weighting(model, noise).disturbed(exact, random)
    measured[random.uniform(size=measured.shape) < missing] = np.nan
    noises = noise if stated is None else stated
    fits = fit_all(
        model, measured, noises, starts=starts, seed=seed, options=options, progress=progress
    )
    truth = np.asarray(unknowns.quantities(theta), float)
    return Coverage(unknowns.names, truth, fits, nuisance, bent=options.valleys.bent)
