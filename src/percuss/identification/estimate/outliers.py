"""Samples that a fit leaves out because noise does not explain them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from percuss.identification.data.left_out import LeftOut, refuse_many
from percuss.identification.data.measured_columns import Measured
from percuss.identification.data.spikes import without
from percuss.identification.estimate.fit import Fit
from percuss.identification.estimate.residual_tests import (
    ResidualSeries,
    standardised,
    taken_by_fit,
)
from percuss.identification.estimate.residuals import Weighting
from percuss.identification.forward.choice import Model
from percuss.identification.options import DEFAULT, SearchOptions

Fitted = tuple[Model, Fit]


def threshold(samples: int, false_alarm: float = DEFAULT.outliers.false_alarm) -> float:
    """Standard deviations that the largest of so many normal numbers exceeds in the share
    `false_alarm` of records; in one of a hundred: 4.4 for 1,000 samples, 4.9 for 10,000.

    So few good samples are beyond it that the variance of what is kept is that of the noise to
    a few 1e-4, and standard deviations of the estimates are what they are without outliers.
    """
    from scipy.special import ndtri

    return float(-ndtri(0.5 * false_alarm / max(samples, 1)))


def robust_fit(
    measured: Measured,
    noise: dict[str, float],
    fitted: Callable[[np.ndarray], Fitted],
    options: SearchOptions = DEFAULT,
) -> tuple[Measured, Fitted]:
    """Fit, leave out what is farther off than noise can be, fit again, until nothing changes.

    Residuals are taken in their own standard deviations (Cook and Weisberg's, with the share that
    the fit has taken). What was left out comes back where a later fit explains it. `fitted` fits a
    table (channels, times).
    """
    own = options.outliers
    table = np.stack(list(measured.columns.values()))
    model, found = fitted(table)
    weighting = Weighting(model, noise, options)
    there = weighting.counted(table[..., None])[..., 0]
    counts = {c.name: int(n) for c, n in zip(weighting.components, there.sum(axis=1), strict=True)}
    counts["base.orientation"] = max(
        (n for name, n in counts.items() if name.startswith("base.orientation")), default=0
    )
    chosen = np.zeros(there.shape, bool)
    left: list[LeftOut] = []
    for _ in range(own.rounds):
        weighting = Weighting(model, noise, options)
        off = np.abs(_own_deviations(weighting, found, table, ~chosen & there))
        off = np.where(there, off, 0.0)
        worst = float(np.where(chosen, 0.0, off).max())
        least = threshold(int(there.sum()), own.false_alarm)
        far = off > max(least, own.worst_share * worst)
        _whole_attitudes(weighting, far)
        if (far == chosen).all():
            break
        chosen = far
        left = _left_out(weighting, measured, far, off)
        refuse_many(left, counts, own.most_share)
        model, found = fitted(np.stack(list(without(measured, left).columns.values())))
    return without(measured, left), (model, found)


def _own_deviations(
    weighting: Weighting, found: Fit, table: np.ndarray, used: np.ndarray
) -> np.ndarray:
    """Residuals (components, times) of all samples in their own standard deviations."""
    values = weighting.model(found.theta)[:, None]
    rows = weighting.residuals(table[..., None], values)[:, 0]
    information = found.slopes.T @ found.slopes
    information += np.diag(1.0 / weighting.model.unknowns.priors**2)
    own = standardised(
        ResidualSeries(
            rows,
            taken_by_fit(found.slopes, information),
            weighting.options.residual_tests,
        )
    )
    # What was left out has taken no part in the fit; its prediction is as good as exact.
    return np.where(used.ravel(), own, rows).reshape(used.shape)


def _whole_attitudes(weighting: Weighting, far: np.ndarray) -> None:
    """An attitude is left out as a whole, in place."""
    own = [k for k, c in enumerate(weighting.components) if c.kind == "base.orientation"]
    if own:
        far[own] = far[own].any(axis=0)


def _left_out(
    weighting: Weighting, measured: Measured, far: np.ndarray, off: np.ndarray
) -> list[LeftOut]:
    found: list[LeftOut] = []
    for k, component in enumerate(weighting.components):
        turned = component.kind == "base.orientation"
        if turned and component.axis > 0:
            continue
        size = off[k : k + 3].max(axis=0) if turned else off[k]
        name = "base.orientation" if turned else component.name
        for j in np.flatnonzero(far[k]):
            value = float("nan") if turned else float(measured.columns[name][j])
            time = float(measured.time[j])
            found.append(
                LeftOut(
                    column=name,
                    sample=int(j) + 1,
                    time=time,
                    value=value,
                    deviations=float(size[j]),
                    against="fit",
                )
            )
    return found
