"""Optimizers and samplers of the JAX world through a compiled rollout."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from percuss import kernel

jax = pytest.importorskip("jax")
jnp = pytest.importorskip("jax.numpy")
numpyro = pytest.importorskip("numpyro")
dist = pytest.importorskip("numpyro.distributions")
optimistix = pytest.importorskip("optimistix")

TRUTH = np.array([0.35, 5.0])
STARTS = np.array([[0.5, 0.0], [1.0, 0.5], [-0.3, 1.0]])


def pendulum(t: Any, x: Any, u: Any, p: Any) -> Any:
    del t, u
    return jnp.stack([x[1], -p[1] * jnp.sin(x[0]) - p[0] * x[1]])


@pytest.fixture(scope="module")
def swings() -> Any:
    """(damping, stiffness) → angles at 20 times of three swings, shape (3, 20)."""
    run = kernel.rollout(
        pendulum, state=np.zeros(2), parameters=np.zeros(2), method=kernel.RK4(0.01)
    )
    one = kernel.rollout_to_jax(run, times=np.linspace(0.1, 2.0, 20))
    return lambda p: jax.vmap(lambda x: one(x, p)["trajectory"][0])(jnp.asarray(STARTS))


def test_optimistix_finds_the_parameters(swings: Any) -> None:
    with jax.enable_x64(True):
        measured = swings(jnp.asarray(TRUTH))
        solver = optimistix.LevenbergMarquardt(rtol=1e-10, atol=1e-10)
        found = optimistix.least_squares(
            lambda p, _: jnp.ravel(swings(p) - measured), solver, jnp.array([0.1, 3.0])
        )
        np.testing.assert_allclose(found.value, TRUTH, rtol=1e-8)


def test_numpyro_samples_the_parameters(swings: Any) -> None:
    with jax.enable_x64(True):
        noise = 1e-2
        errors = np.random.default_rng(0).normal(size=(3, 20))
        measured = swings(jnp.asarray(TRUTH)) + noise * errors

        def model() -> None:
            damping = numpyro.sample("damping", dist.Uniform(0.0, 1.0))
            stiffness = numpyro.sample("stiffness", dist.Uniform(3.0, 7.0))
            predicted = swings(jnp.stack([damping, stiffness]))  # type: ignore[list-item]
            numpyro.sample("angles", dist.Normal(predicted, noise), obs=measured)

        sampler = numpyro.infer.MCMC(
            numpyro.infer.NUTS(model, max_tree_depth=5),
            num_warmup=100,
            num_samples=100,
            progress_bar=False,
        )
        sampler.run(jax.random.key(1))
        for name, truth in zip(("damping", "stiffness"), TRUTH, strict=True):
            draws = np.asarray(sampler.get_samples()[name])
            assert abs(draws.mean() - truth) < 5 * draws.std(), f"{name}: {draws.mean()}"
            assert draws.std() < 0.05 * truth
