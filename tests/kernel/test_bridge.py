"""Rollouts inside JAX: gradients, optimizers and samplers see an ordinary function."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from percuss import kernel
from tests.tracers import jax, jnp, needs_jax

pytestmark = needs_jax


def pendulum(t: Any, x: Any, u: Any, p: Any) -> Any:
    del t, u
    return jnp.stack([x[1], -p["stiffness"] * jnp.sin(x[0]) - p["damping"] * x[1]])


PARAMETERS = {"damping": 0.0, "stiffness": 0.0}


def plain(x: Any, p: Any, steps: int = 100, h: float = 0.01) -> Any:
    """The same RK4 loop in pure JAX."""

    def step(x: Any, _: None) -> tuple[Any, None]:
        f = lambda x: pendulum(0.0, x, None, p)  # noqa: E731
        k1 = f(x)
        k2 = f(x + h / 2 * k1)
        k3 = f(x + h / 2 * k2)
        k4 = f(x + h * k3)
        return x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), None

    return jax.lax.scan(step, x, None, steps)[0]


@pytest.fixture(scope="module")
def wrapped() -> Any:
    run = kernel.rollout(
        pendulum,
        state=np.zeros(2),
        parameters=PARAMETERS,
        method=kernel.RK4(0.01),
        statistics={"swing": kernel.Maximum(lambda t, x, u, p: x[0] ** 2)},  # noqa: ARG005
    )
    return kernel.rollout_to_jax(run, duration=1.0)


def test_first_derivatives_agree_with_pure_jax(wrapped: Any) -> None:
    with jax.enable_x64(True):
        x, p = jnp.array([0.7, -0.2]), {"damping": jnp.array(0.3), "stiffness": jnp.array(4.0)}
        np.testing.assert_allclose(wrapped(x, p)["state"], plain(x, p), rtol=1e-13)
        for differentiate in (jax.jacfwd, jax.jacrev):
            found = differentiate(lambda x, p: wrapped(x, p)["state"], argnums=(0, 1))(x, p)
            expected = differentiate(plain, argnums=(0, 1))(x, p)
            jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-11), found, expected)
        loss = lambda f: lambda p: jnp.sum(f(x, p) ** 2)  # noqa: E731
        gradient = jax.jit(jax.grad(loss(lambda x, p: wrapped(x, p)["state"])))(p)
        jax.tree.map(
            lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-11),
            gradient,
            jax.grad(loss(plain))(p),
        )


def test_batches_by_vmap(wrapped: Any) -> None:
    with jax.enable_x64(True):
        x = jnp.asarray(np.random.default_rng(0).normal(size=(5, 2)))
        p = {"damping": jnp.array(0.3), "stiffness": jnp.array(4.0)}
        gradient = jax.vmap(jax.grad(lambda x: wrapped(x, p)["state"][0]))(x)
        expected = jax.vmap(jax.grad(lambda x: plain(x, p)[0]))(x)
        np.testing.assert_allclose(gradient, expected, rtol=1e-10)


def test_gauss_newton_through_a_rollout_finds_the_parameters(wrapped: Any) -> None:
    """What an identification does: measured end states of several swings, unknown parameters."""
    with jax.enable_x64(True):
        starts = jnp.array([[0.5, 0.0], [1.0, 0.5], [-0.3, 1.0]])
        truth = jnp.array([0.35, 5.0])

        def residual(theta: Any, f: Any) -> Any:
            p = {"damping": theta[0], "stiffness": theta[1]}
            return jnp.ravel(jax.vmap(lambda x: f(x, p))(starts))

        measured = residual(truth, plain)
        theta = jnp.array([0.1, 3.0])
        for _ in range(8):
            r = residual(theta, lambda x, p: wrapped(x, p)["state"]) - measured
            slopes = jax.jacfwd(residual)(theta, lambda x, p: wrapped(x, p)["state"])
            theta = theta - jnp.linalg.lstsq(slopes, r)[0]
        np.testing.assert_allclose(theta, truth, rtol=1e-10)


def test_trajectories_and_states_without_parameters() -> None:
    run = kernel.rollout(
        lambda t, x, u, p: -x,  # noqa: ARG005
        state=0.0,
        method=kernel.RK4(0.01),
    )
    with jax.enable_x64(True):
        decay = kernel.rollout_to_jax(run, times=np.array([0.5, 1.0]))
        slopes = jax.jacfwd(lambda x: decay(x)["trajectory"])(2.0)
        np.testing.assert_allclose(slopes, np.exp([-0.5, -1.0]), rtol=1e-8)
