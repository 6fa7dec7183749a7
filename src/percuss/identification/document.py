"""An identification as plain data: what `identify.json` holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from percuss.identification.data.left_out import LeftOut
from percuss.identification.observability.remedies import Remedies
from percuss.identification.observability.words import Unobservable
from percuss.identification.posterior.posterior import Posterior
from percuss.version import __version__

if TYPE_CHECKING:
    from percuss.identification.result import Identification


def document_of(found: Identification) -> dict[str, Any]:
    """Everything that was found; SI units, what cannot be known is absent from `estimate`."""
    fit, unknowns = found.fit, found.unknowns
    units = dict(zip(unknowns.names, unknowns.units, strict=True))
    document: dict[str, Any] = {
        "name": found.encounter.name,
        "closure": found.encounter.closure.name,
        "planar": found.encounter.is_planar,
        "unknown": list(unknowns.groups),
        "assumed": list(unknowns.assumptions),
        "estimate": found.estimate,
        "sigma": found.sigma,
        "interval": {name: list(ends) for name, ends in found.interval.items()},
        "unit": {name: units[name] for name in (*found.estimate, *found.bounds)},
        "order": list(found.estimate),
        "covariance": found.covariance.tolist(),
        "conditions": [
            {
                "property": condition.property,
                "sigma_if_unknown": dict(condition.sigmas),
                "estimate_if_unknown": dict(condition.values),
                "words": condition.words,
            }
            for condition in found.conditions
        ],
        "known": [
            {
                "direction": _entries(c.direction, unknowns.names),
                "value": c.value,
                "sigma": c.sigma,
                "unit": c.unit,
                "words": c.words,
            }
            for c in found.combinations
        ],
        "unobservable": [_hidden(d, unknowns.names) for d in found.unobservable],
        "bounds": {name: list(ends) for name, ends in found.bounds.items()},
        "weak": [{"name": w.name, "sigma": w.sigma, "words": w.words} for w in found.weak],
        "advice": list(found.remedies),
        "fit": {
            "residual_rms": fit.rms,
            "chi_square": fit.cost,
            "degrees_of_freedom": fit.freedom,
            "samples": fit.samples,
            "converged": found.converged,
            "bent": _number(fit.shape.bent),
            "valley": fit.shape.spread is not None,
            "integration_error": _number(fit.step_error),
            "warnings": list(found.warnings),
        },
        "alternatives": [
            {
                "estimate": dict(zip(unknowns.names, other.quantities.tolist(), strict=True)),
                "chi_square": other.cost,
            }
            for other in fit.others
        ],
        "plausible_range": {e.name: e.range for e in unknowns.entries if e.prior is None},
        "measured": {
            "columns": list(found.measured.names),
            "times": len(found.measured.time),
            "until": float(found.measured.time[-1]),
        },
        "left_out": [_left_out(item) for item in found.left_out],
        "seed": found.seed,
        "percuss_version": __version__,
    }
    ways = found.remedies
    if isinstance(ways, Remedies) and ways.manoeuvre is not None:
        document["manoeuvre"] = ways.manoeuvre.document()
    if fit.information.nuisance.any():
        document["robot"] = {
            unknowns.names[k]: {
                "estimate": float(fit.values[k]),
                "sigma": float(fit.sigmas[k]),
            }
            for k in np.flatnonzero(fit.information.nuisance)
        }
    if found.jump is not None:
        document["jump"] = {
            "rank": found.jump.rank,
            "of": len(found.jump.names),
            "unobservable": [_hidden(d, found.jump.names) for d in found.jump.hidden],
        }
    if found.posterior is not None:
        document["posterior"] = _posterior(found, found.posterior)
    return document


def _posterior(found: Identification, posterior: Posterior) -> dict[str, Any]:
    """Moments and intervals of what is estimated; none where the chains disagree."""
    names = found.estimate if posterior.usable else {}
    places = {name: posterior.names.index(name) for name in names}
    interval = posterior.interval(0.95)
    return {
        "method": posterior.method,
        "samples": posterior.theta.shape[1],
        "mean": {name: float(posterior.mean[k]) for name, k in places.items()},
        "sigma": {name: float(posterior.sigmas[k]) for name, k in places.items()},
        "interval_95": {name: interval[k].tolist() for name, k in places.items()},
        "usable": posterior.usable,
        "divergences": posterior.divergences,
        "gelman_rubin": posterior.r_hat,
        "effective_samples": _number(posterior.effective),
    }


def _left_out(item: LeftOut) -> dict[str, Any]:
    return {
        "column": item.column,
        "sample": item.sample,
        "time": item.time,
        "value": _number(item.value),
        "deviations": item.deviations,
        "against": item.against,
        "words": item.words,
    }


def _hidden(hidden: Unobservable, names: tuple[str, ...]) -> dict[str, Any]:
    return {"direction": _entries(hidden.direction, names), "words": hidden.words}


def _number(value: float) -> float | None:
    """A number as JSON can hold it: None where it is not finite."""
    return float(value) if np.isfinite(value) else None


def _entries(direction: np.ndarray, names: tuple[str, ...]) -> dict[str, float]:
    """By name, without zeros."""
    return {name: float(x) for name, x in zip(names, direction, strict=True) if x != 0.0}
