"""Fitting the motion after the impact: several starts, all of them and all cases at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from percuss.identification.estimate.best import BestFit, best_fits
from percuss.identification.estimate.residuals import Component, Weighting
from percuss.identification.estimate.search import search
from percuss.identification.forward.choice import Model
from percuss.identification.options import DEFAULT, SearchOptions
from percuss.model.errors import ModelError

_AT_ONCE = 256
"""Cases that are fitted together: their derivatives must fit in memory."""


@dataclass(frozen=True)
class Fit(BestFit):
    """What fits the measurements of one case best, with what is left over.

    Attributes:
        cost: χ², the sum of squared residuals in standard deviations, with those of priors.
        freedom: samples less the directions that they determine.
        residuals: (components, times), in standard deviations, 0 where nothing was measured.
        slopes: (components · times, n), of the prediction by θ, in standard deviations.
        components: what the rows are.
        samples: how many were there.
        step_error: of the integration there, see `ForwardModel.step_error`.
        iterations: of the longest search.
    """

    cost: float
    freedom: int
    residuals: np.ndarray
    slopes: np.ndarray
    components: tuple[Component, ...]
    samples: int
    step_error: float
    iterations: int

    def __repr__(self) -> str:
        return (
            f"<Fit of {len(self.theta)} unknowns to {self.samples} samples: χ² {self.cost:.5g} for "
            f"{self.freedom} degrees of freedom>"
        )

    @property
    def rms(self) -> float:
        """Root mean square of the residuals, in standard deviations."""
        return float(np.sqrt((self.residuals**2).sum() / max(self.samples, 1)))


@dataclass(frozen=True)
class Fits:
    """What fits many cases best; arrays end with the cases.

    `theta` and `values` (n, cases), `sigmas` (n, cases) with NaN where a quantity is not known,
    `limits` (n, 2, cases), `covariance` (n, n, cases), `settled` (n, cases), `cost`, `freedom`,
    `converged`, `ambiguous`, `bent` (cases,); see `Fit`.
    """

    theta: np.ndarray
    values: np.ndarray
    sigmas: np.ndarray
    limits: np.ndarray
    covariance: np.ndarray
    settled: np.ndarray
    cost: np.ndarray
    freedom: np.ndarray
    converged: np.ndarray
    ambiguous: np.ndarray
    bent: np.ndarray
    iterations: int


def fit(
    model: Model,
    measured: Any,
    noise: Mapping[str, float],
    *,
    starts: int = 8,
    seed: int = 0,
    options: SearchOptions = DEFAULT,
) -> Fit:
    """Fit measured values (channels, times) with noise of standard deviations by kind.

    `starts` searches begin at the scenario's values, at what the jump of the velocity tells, and
    at places drawn from what it leaves open.
    """
    weighting = Weighting(model, noise, options)
    table = weighting.table(measured)
    if table.shape[2] != 1:
        raise ModelError(f"one case is fitted, got {table.shape[2]}; use fit_all")
    _refuse_empty(weighting, table)
    searched = search(weighting, table, starts, seed)
    (best,) = best_fits(weighting, table, searched, seed)
    local = best.shape.local
    samples = int(weighting.counted(table).sum())
    shape = (len(weighting.components), len(model.times))
    own = {field.name: getattr(best, field.name) for field in fields(best)}
    return Fit(
        **own,
        cost=float(local.cost[0]),
        freedom=samples - best.determined,
        residuals=local.residuals[:, 0].reshape(shape),
        slopes=local.slopes[..., 0] / model.unknowns.scale,
        components=weighting.components,
        samples=samples,
        step_error=model.step_error(best.theta),
        iterations=searched.found.iterations,
    )


def fit_all(
    model: Model,
    measured: Any,
    noise: Mapping[str, float],
    *,
    starts: int = 4,
    seed: int = 0,
    options: SearchOptions = DEFAULT,
    progress: Callable[[float], None] | None = None,
) -> Fits:
    """Fit many cases (channels, times, cases) of one scenario, many at once; see `fit`.

    `progress` takes the share of the cases done, from 0 to 1.
    """
    weighting = Weighting(model, noise, options)
    table = weighting.table(measured)
    _refuse_empty(weighting, table)
    cases = table.shape[2]
    groups = np.array_split(np.arange(cases), -(-cases // _AT_ONCE))
    parts: list[Fits] = []
    for group in groups:
        parts.append(_fit_group(weighting, table[..., group], starts, seed + int(group[0])))
        if progress is not None:
            progress((int(group[-1]) + 1) / cases)
    joined = {
        field.name: np.concatenate([getattr(part, field.name) for part in parts], axis=-1)
        for field in fields(Fits)
        if field.name != "iterations"
    }
    return Fits(**joined, iterations=max(part.iterations for part in parts))


def _fit_group(weighting: Weighting, table: np.ndarray, starts: int, seed: int) -> Fits:
    searched = search(weighting, table, starts, seed)
    all_best = best_fits(weighting, table, searched, seed)
    samples = weighting.counted(table).sum(axis=(0, 1))
    known = np.stack([best.known for best in all_best], axis=-1)

    def all_of(name: str) -> np.ndarray:
        return np.stack([getattr(best, name) for best in all_best], axis=-1)

    return Fits(
        theta=all_of("theta"),
        values=all_of("values"),
        sigmas=np.where(known, all_of("sigmas"), np.nan),
        limits=all_of("limits"),
        covariance=all_of("covariance"),
        settled=all_of("settled"),
        cost=np.concatenate([best.shape.local.cost for best in all_best]),
        freedom=samples - all_of("determined"),
        converged=all_of("converged"),
        ambiguous=all_of("ambiguous"),
        bent=searched.bent,
        iterations=searched.found.iterations,
    )


def _refuse_empty(weighting: Weighting, table: np.ndarray) -> None:
    counts = weighting.counted(table).sum(axis=(0, 1))
    if (counts == 0).any():
        raise ModelError(
            f"case {int(np.argmin(counts))} has no measurements: all samples are missing"
        )
