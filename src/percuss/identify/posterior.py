"""What the unknowns may be, as samples: by Laplace's approximation, or in full by NUTS.

The density is that of the measurements with normal noise, times what is known beforehand of the
robot's state, times a wide normal distribution about the estimate with the plausible ranges as
its standard deviations. The last is felt only along directions that cannot be known: it keeps
them where they were plausible. Samples are drawn of θ, so masses and inertias are physical.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from percuss.identify.descent import Objective
from percuss.identify.fit import Fit
from percuss.identify.model import ForwardModel
from percuss.identify.residuals import Weighting
from percuss.identify.samples import Posterior
from percuss.identify.unknowns import Unknowns
from percuss.model.errors import ModelError

Array = NDArray[np.float64]

Local = Callable[[Array], tuple[Array, Array]]
"""θ (n, batch) → χ² (batch,) of the measurements with the priors, and its gradient (n, batch)."""


def posterior(
    model: ForwardModel,
    measured: Any,
    noise: Mapping[str, float],
    found: Fit,
    *,
    method: str = "laplace",
    samples: int = 2000,
    warmup: int = 150,
    seed: int = 0,
    progress: bool = False,
) -> Posterior:
    """Samples about a fit, by the method "laplace" or "nuts"; arguments as of `fit` and `nuts`."""
    unknowns = model.unknowns
    information = found.slopes.T @ found.slopes + np.diag(1.0 / unknowns.priors**2)
    if method == "laplace":
        return laplace(unknowns, found.theta, information, samples, seed)
    if method != "nuts":
        raise ModelError(f"method must be 'laplace' or 'nuts', got {method!r}")
    local = chi_square_of(Weighting(model, noise), measured)
    return nuts(
        unknowns,
        local,
        found.theta,
        information,
        samples=samples,
        warmup=warmup,
        seed=seed,
        progress=progress,
    )


def chi_square_of(weighting: Weighting, measured: Any) -> Local:
    """χ² of measurements (channels, times) with priors, and its gradient by θ."""
    table = weighting.table(measured)
    scale = weighting.model.unknowns.scale[:, None]

    def local(theta: Array) -> tuple[Array, Array]:
        owner = np.zeros(theta.shape[1], int)
        at = Objective(weighting, table, owner).local(theta)
        # The search's gradient points downhill, by shares of the ranges, and is half.
        gradient = -2.0 * at.gradient / scale
        return at.cost, np.where(np.isfinite(at.cost), gradient, 0.0)

    return local


def laplace(
    unknowns: Unknowns, theta: Any, information: Any, samples: int = 4000, seed: int = 0
) -> Posterior:
    """Samples of the normal distribution of θ about the estimate (n,).

    `information` (n, n) is that of θ: Jᵀ J of the slopes in standard deviations, with priors.
    """
    centre, root = _shape(unknowns, theta, information, samples)
    normal = np.random.default_rng(seed).standard_normal((len(centre), samples))
    drawn = centre[:, None] + root @ normal
    return _posterior(unknowns, drawn, "laplace")


def nuts(
    unknowns: Unknowns,
    local: Local,
    theta: Any,
    information: Any,
    *,
    samples: int = 2000,
    warmup: int = 150,
    chains: int = 8,
    seed: int = 0,
    progress: bool = False,
) -> Posterior:
    """Samples of the full posterior by the No-U-Turn sampler, started at the estimate.

    θ = θ̂ + L z with L Lᵀ the covariance of Laplace's approximation: where that is right, z is
    standard normal and the sampler needs few steps. All chains advance together, as one batch
    of the compiled model.

    Args:
        local: χ² with priors and its gradient, see `Local` and `chi_square_of`.
        theta: the estimate (n,).
        information: of θ there (n, n), with priors.
        samples: in all, of all chains together; `warmup` steps of each chain come before.
    """
    numpyro, mcmc_of = _numpyro()
    import jax
    import jax.numpy as jnp

    from percuss.kernel import bridge

    if chains < 2:
        raise ModelError(f"chains must be at least 2, to see whether they agree; got {chains}")
    if warmup < 50:
        raise ModelError(f"warmup must be at least 50 steps, got {warmup}")
    centre, root = _shape(unknowns, theta, information, samples)
    count = len(centre)
    wide = root / unknowns.scale[:, None]

    at_last: list[tuple[Array, tuple[Array, Array]]] = []

    def found_at(z: Array) -> tuple[Array, Array]:
        # A value and its slopes are asked for one after the other, at the same place.
        if not (at_last and np.array_equal(at_last[0][0], z)):
            at_last[:] = [(z.copy(), local(centre[:, None] + root @ z))]
        return at_last[0][1]

    def half_cost(z: Array) -> Array:
        return 0.5 * found_at(z)[0] + 0.5 * np.sum((wide @ z) ** 2, axis=0)

    def slopes(z: Array) -> Array:
        return 0.5 * root.T @ found_at(z)[1] + wide.T @ (wide @ z)

    with jax.enable_x64(True):
        energy = bridge(half_cost, slopes, (np.zeros(count),), np.zeros(()))
        sampler = mcmc_of.NUTS(potential_fn=energy, dense_mass=False, target_accept_prob=0.85)
        run = mcmc_of.MCMC(
            sampler,
            num_warmup=warmup,
            num_samples=-(-samples // chains),
            num_chains=chains,
            chain_method="vectorized",
            progress_bar=progress,
        )
        begin = 0.5 * np.random.default_rng(seed).standard_normal((chains, count))
        key = jax.random.PRNGKey(seed)
        run.run(key, init_params=jnp.asarray(begin), extra_fields=("diverging",))
        drawn = np.asarray(run.get_samples(group_by_chain=True), float)
        diverged = int(np.sum(np.asarray(run.get_extra_fields()["diverging"])))
        stretch = np.asarray(numpyro.diagnostics.split_gelman_rubin(drawn))
        effective = np.asarray(numpyro.diagnostics.effective_sample_size(drawn))
    z = drawn.reshape(-1, count)[:samples].T
    found = centre[:, None] + root @ z
    return _posterior(
        unknowns,
        found,
        "nuts",
        diverged,
        float(np.max(stretch)),
        float(np.min(effective)),
    )


def _posterior(unknowns: Unknowns, theta: Array, method: str, *told: Any) -> Posterior:
    quantities = np.asarray(unknowns.quantities(theta), float)
    return Posterior(unknowns.names, theta, quantities, method, *told)


def _shape(unknowns: Unknowns, theta: Any, information: Any, samples: int) -> tuple[Array, Array]:
    """The estimate (n,) and a root (n, n) of the covariance about it."""
    centre, matrix = np.asarray(theta, float), np.asarray(information, float)
    count = len(unknowns)
    if centre.shape != (count,) or matrix.shape != (count, count):
        raise ModelError(
            f"theta and information must have the shapes ({count},) and ({count}, {count}), for "
            f"{', '.join(unknowns.names)}; got {centre.shape} and {matrix.shape}"
        )
    if not (np.isfinite(centre).all() and np.isfinite(matrix).all()):
        raise ModelError("theta and information must be finite")
    if samples < 2:
        raise ModelError(f"samples must be at least 2, got {samples}")
    # In units of the ranges the wide distribution is a unit matrix.
    scaled = matrix * np.outer(unknowns.scale, unknowns.scale) + np.eye(count)
    values, axes = np.linalg.eigh(scaled)
    # Information is never negative; rounding of the large makes small values so.
    return centre, unknowns.scale[:, None] * axes / np.sqrt(np.maximum(values, 1.0))


def _numpyro() -> tuple[Any, Any]:
    try:
        import numpyro
        import numpyro.diagnostics
        from numpyro import infer
    except ModuleNotFoundError as missing:
        raise ModelError(
            "the full posterior needs numpyro, which is not installed: pip install "
            "'percuss[identify]'. Without it, the normal approximation (laplace) is there"
        ) from missing
    return numpyro, infer
