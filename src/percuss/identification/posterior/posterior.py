"""What the unknowns may be, as samples: by Laplace's approximation, or in full by NUTS.

The density is that of the measurements with normal noise, times what is known beforehand of the
robot's state, times a wide normal distribution about the estimate with the plausible ranges as
its standard deviations. The last is felt only along directions that cannot be known: it keeps
them where they were plausible. Samples are drawn of θ, so masses and inertias are physical.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from percuss.identification.estimate.fit import Fit
from percuss.identification.estimate.residuals import Weighting
from percuss.identification.forward.choice import Model
from percuss.identification.forward.unknowns import Unknowns
from percuss.identification.options import DEFAULT
from percuss.identification.options.reporting import PosteriorOptions
from percuss.identification.posterior.chart import PosteriorChart, along, straight
from percuss.identification.posterior.chi_square import ChiSquare
from percuss.identification.posterior.nuts import sample
from percuss.identification.posterior.samples import Posterior, effective, gelman_rubin
from percuss.model.errors import ModelError

Array = NDArray[np.float64]

Local = Callable[[Array], tuple[Array, Array]]
"""θ (n, batch) → χ² (batch,) of the measurements with the priors, and its gradient (n, batch)."""
Cost = Callable[[Array], Array]
"""θ (n, batch) → χ² (batch,) alone."""


def posterior(
    model: Model,
    measured: Any,
    noise: Mapping[str, float],
    found: Fit,
    *,
    method: str = "laplace",
    samples: int = 2000,
    warmup: int = 40,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
) -> Posterior:
    """Samples about a fit, by the method "laplace" or "nuts"; arguments as of `fit` and `nuts`."""
    unknowns = model.unknowns
    options = found.information.options
    information = found.slopes.T @ found.slopes + np.diag(1.0 / unknowns.priors**2)
    if method == "laplace":
        return laplace(unknowns, found.theta, information, samples, seed=seed)
    if method != "nuts":
        raise ModelError(f"method must be 'laplace' or 'nuts', got {method!r}")
    chi_square = ChiSquare(Weighting(model, noise, options), measured)
    return nuts(
        unknowns,
        chi_square.local,
        found.theta,
        information,
        cost=chi_square.cost,
        chart=chart_of(chi_square, found, information),
        samples=samples,
        warmup=warmup,
        seed=seed,
        progress=progress,
        options=options.posterior,
    )


def chart_of(chi_square: ChiSquare, found: Fit, information: Any) -> PosteriorChart:
    """Coordinates along the valley that was followed, or along what cannot be known; else about
    the estimate, bent with χ²."""
    unknowns = chi_square.weighting.model.unknowns
    options = chi_square.weighting.options.posterior
    centre, root = _shape(unknowns, found.theta, information)
    scale = unknowns.scale
    root = root / scale[:, None]
    valley = found.shape.valley
    longest = float(np.linalg.norm(root[:, 0]))
    if valley is None and longest > options.hidden:
        valley = chi_square.valley(found.theta, root[:, 0] / longest)
    elif valley is not None and valley.rise[[0, -1]].min() < options.low_rise:
        valley = chi_square.valley(found.theta, valley.direction)
    followed = None if valley is None else along(valley, chi_square.slopes, options)
    if followed is not None:
        return followed
    return straight(centre / scale, root, chi_square.slopes, options)


def laplace(
    unknowns: Unknowns, theta: Any, information: Any, samples: int = 4000, *, seed: int = 0
) -> Posterior:
    """Samples of the normal distribution of θ about the estimate (n,).

    `information` (n, n) is that of θ: Jᵀ J of the slopes in standard deviations, with priors.
    """
    _refuse_few(samples)
    centre, root = _shape(unknowns, theta, information)
    normal = np.random.default_rng(seed).standard_normal((len(centre), samples))
    drawn = centre[:, None] + root @ normal
    return _posterior(unknowns, drawn, "laplace")


def nuts(
    unknowns: Unknowns,
    local: Local,
    theta: Any,
    information: Any,
    *,
    cost: Cost | None = None,
    chart: PosteriorChart | None = None,
    samples: int = 2000,
    warmup: int = 40,
    chains: int = 16,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
    options: PosteriorOptions = DEFAULT.posterior,
) -> Posterior:
    """Samples of the full posterior by the No-U-Turn sampler, started about the estimate.

    They are drawn in coordinates z in which the density is about standard normal, so that the
    sampler needs few steps: see `chart`; without one, θ = θ̂ + L z with L Lᵀ the covariance of
    Laplace's approximation. All chains advance together, as one batch of the compiled model.

    Where the density is close to the normal one wherever that leads, paths follow the normal one,
    and only the density itself is computed, which is much faster than its gradient. The samples
    are of the density all the same, see `nuts`.

    Args:
        local: χ² with priors and its gradient, see `Local` and `chi_square.ChiSquare`.
        theta: the estimate (n,).
        information: of θ there (n, n), with priors.
        cost: χ² alone, where that is faster; without it paths always follow the density itself.
        samples: in all, of all chains together; `warmup` steps of each chain come before.
        progress: takes the share of the work done, from 0 to 1.
    """
    if chains < 2:
        raise ModelError(f"chains must be at least 2, to see whether they agree; got {chains}")
    if warmup < 20:
        raise ModelError(f"warmup must be at least 20 steps, got {warmup}")
    _refuse_few(samples)
    centre, root = _shape(unknowns, theta, information)
    scale = unknowns.scale[:, None]
    home = centre[:, None] / scale
    places = straight(home[:, 0], root / scale) if chart is None else chart

    def exact(z: Array) -> tuple[Array, Array]:
        x, volume = places.places(z)
        value, gradient = local(x * scale)
        far = x - home
        energy = 0.5 * value + 0.5 * np.sum(far**2, axis=0) - volume
        return energy, places.pulled(z, 0.5 * gradient * scale + far)

    def height(z: Array) -> Array:
        assert cost is not None
        x, volume = places.places(z)
        return 0.5 * cost(x * scale) + 0.5 * np.sum((x - home) ** 2, axis=0) - volume

    random = np.random.default_rng(seed)
    potential, begin = exact, 0.5 * random.standard_normal((len(centre), chains))
    if cost is not None and _is_normal(height, random, len(centre), options):
        potential, begin = (lambda z: (height(z), z)), 2.0 * begin
    each = max(-(-samples // chains), 4)
    drawn = sample(potential, begin, each, warmup, seed=seed, progress=progress, options=options)
    z = drawn.z.reshape(-1, len(centre)).T
    found = places.places(z)[0] * scale
    # Neither shows all: a narrow direction of z is hidden in θ, a long way of θ in z.
    both = np.concatenate([drawn.z, found.T.reshape(drawn.z.shape)], axis=2)
    taken = np.arange(z.shape[1]).reshape(chains, each).T.ravel()[:samples]
    plain = _posterior(unknowns, found[:, taken], "nuts")
    return replace(
        plain,
        divergences=drawn.divergences,
        r_hat=float(np.max(gelman_rubin(both))),
        effective=float(np.min(effective(both))),
        options=options,
    )


def _is_normal(
    height: Callable[[Array], Array],
    random: np.random.Generator,
    count: int,
    options: PosteriorOptions,
) -> bool:
    """Whether exp(-height) is close to a standard normal density wherever that one leads."""
    z = random.standard_normal((count, options.pilot))
    gaps = height(z) - 0.5 * np.sum(z**2, axis=0)
    middle = np.sort(gaps)[options.pilot // 2]
    if not np.isfinite(middle):
        return False
    return bool(np.sort(np.abs(gaps - middle))[-options.exceptions] < options.close)


def _posterior(unknowns: Unknowns, theta: Array, method: str) -> Posterior:
    quantities = np.asarray(unknowns.quantities(theta), float)
    return Posterior(unknowns.names, theta, quantities, method)


def _refuse_few(samples: int) -> None:
    if samples < 2:
        raise ModelError(f"samples must be at least 2, got {samples}")


def _shape(unknowns: Unknowns, theta: Any, information: Any) -> tuple[Array, Array]:
    """The estimate (n,) and a root (n, n) of the covariance about it, what is known least first."""
    centre, matrix = np.asarray(theta, float), np.asarray(information, float)
    count = len(unknowns)
    if centre.shape != (count,) or matrix.shape != (count, count):
        raise ModelError(
            f"theta and information must have the shapes ({count},) and ({count}, {count}), for "
            f"{', '.join(unknowns.names)}; got {centre.shape} and {matrix.shape}"
        )
    if not (np.isfinite(centre).all() and np.isfinite(matrix).all()):
        raise ModelError("theta and information must be finite")
    # In units of the ranges the wide distribution is a unit matrix.
    scaled = matrix * np.outer(unknowns.scale, unknowns.scale) + np.eye(count)
    values, axes = np.linalg.eigh(scaled)
    # Information is never negative; rounding of the large makes small values so.
    return centre, unknowns.scale[:, None] * axes / np.sqrt(np.maximum(values, 1.0))
