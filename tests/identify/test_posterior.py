"""Samples of the posterior have its moments, normal or not."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from numpy.typing import NDArray

from percuss.identify.fit import fit
from percuss.identify.model import ForwardModel
from percuss.identify.posterior import chi_square_of, laplace, nuts, posterior
from percuss.identify.residuals import Weighting
from percuss.identify.unknowns import Unknowns
from percuss.model.errors import ModelError
from tests.identify.cases import NOISE, thesis

Array = NDArray[np.float64]
CHANNELS = ["joint.1", "joint.2", "base.x", "base.y", "base.angle"]
SIGMAS = np.array([1e-4, 1e-4, 1e-3, 1e-3, 1e-3])[:, None]


def unknowns_of(*groups: str) -> Unknowns:
    return Unknowns(thesis(1), groups)


def correlated() -> Array:
    """Information (3, 3) with standard deviations of 1e-3 to 1e-1 and strong correlations."""
    root = np.array([[1e3, 9e2, 0.0], [0.0, 1e2, -8e1], [0.0, 0.0, 1e1]])
    return root.T @ root


def test_laplace_has_the_moments_of_the_information() -> None:
    unknowns, F = unknowns_of("velocity"), correlated()
    found = laplace(unknowns, unknowns.start, F, samples=40000, seed=1)
    covariance = np.linalg.inv(F + np.eye(3))
    spread = np.sqrt(np.diag(covariance))
    assert np.abs((found.mean - unknowns.start) / spread).max() < 0.03
    assert found.covariance / np.outer(spread, spread) == pytest.approx(
        covariance / np.outer(spread, spread), abs=0.03
    )
    assert np.abs(found.skewness).max() < 0.06
    ends = found.interval(0.95)
    assert (ends[:, 1] - ends[:, 0]) / spread == pytest.approx(2 * 1.96, rel=0.03)


def test_laplace_of_masses_stays_physical() -> None:
    unknowns = unknowns_of("mass", "inertia")
    found = laplace(unknowns, unknowns.start, np.diag([2.0, 2.0]), seed=2)
    assert (found.quantities > 0).all()
    assert found.skewness[0] > 0.5  # the logarithm is normal, the mass is not


def test_what_cannot_be_known_keeps_its_plausible_range() -> None:
    unknowns = unknowns_of("velocity")
    found = laplace(unknowns, unknowns.start, np.diag([1e6, 1e6, 0.0]), samples=20000)
    assert found.sigmas[2] == pytest.approx(unknowns.ranges[2], rel=0.03)


def test_nuts_has_the_moments_of_normal_and_of_skewed_parts() -> None:
    """vx and vy are normal and correlated; of ω exp(3 ω) is measured: a long tail on one side.

    There quadrature is the truth, and Laplace's approximation is far from it.
    """
    unknowns = unknowns_of("velocity")
    centre = unknowns.start
    root = np.array([[1e3, 9e2], [0.0, 1e2]])
    F = np.zeros((3, 3))
    F[:2, :2] = root.T @ root
    F[2, 2] = (3.0 / 0.6) ** 2

    def local(theta: Array) -> tuple[Array, Array]:
        off = theta - centre[:, None]
        grown = np.exp(np.minimum(3.0 * off[2], 300.0))
        far = (grown - 1.0) / 0.6
        cost = np.einsum("ib,ij,jb->b", off[:2], F[:2, :2], off[:2]) + far**2
        return cost, np.stack([*(2.0 * F[:2, :2] @ off[:2]), 2.0 * far * 3.0 * grown / 0.6])

    found = nuts(unknowns, local, centre, F, samples=2400, warmup=60, seed=3)
    assert found.stretch < 1.05
    assert found.effective > 300
    spread = np.sqrt(np.diag(np.linalg.inv(F[:2, :2] + np.eye(2))))
    assert np.abs((found.mean - centre)[:2] / spread).max() < 0.1
    correlations = np.linalg.inv(F[:2, :2] + np.eye(2)) / np.outer(spread, spread)
    assert found.covariance[:2, :2] / np.outer(spread, spread) == pytest.approx(
        correlations, abs=0.15
    )
    x = np.linspace(-6.0, 2.0, 20001)
    at = np.repeat(centre[:, None], len(x), axis=1)
    at[2] += x
    density = np.exp(-0.5 * (local(at)[0] + x**2))
    density /= density.sum()
    mean = float(density @ x)
    sigma = float(np.sqrt(density @ (x - mean) ** 2))
    skewness = float(density @ ((x - mean) / sigma) ** 3)
    assert abs(skewness) > 1.0
    assert found.mean[2] - centre[2] == pytest.approx(mean, abs=0.15 * sigma)
    assert found.sigmas[2] == pytest.approx(sigma, rel=0.15)
    assert found.skewness[2] == pytest.approx(skewness, abs=0.5)
    normal = laplace(unknowns, centre, F, samples=6000, seed=4)
    assert abs(normal.mean[2] - centre[2] - mean) > 0.3 * sigma
    assert normal.sigmas[2] < 0.7 * sigma


def test_nuts_of_a_motion_agrees_with_laplace() -> None:
    """A record that determines the velocity well: the posterior is normal."""
    unknowns = unknowns_of("velocity")
    model = ForwardModel(thesis(1), unknowns, CHANNELS, np.arange(1, 9) / 5)
    shown = model(unknowns.start).reshape(5, -1)
    measured = shown + SIGMAS * np.random.default_rng(5).normal(size=shown.shape)
    found = fit(model, measured, NOISE, starts=2)
    full = posterior(model, measured, NOISE, found, method="nuts", samples=400, warmup=50, seed=6)
    normal = posterior(model, measured, NOISE, found, samples=20000, seed=6)
    assert full.warnings == ()
    assert normal.sigmas == pytest.approx(found.information.sigmas, rel=0.03)
    assert np.abs((full.mean - normal.mean) / normal.sigmas).max() < 0.3
    assert full.sigmas == pytest.approx(normal.sigmas, rel=0.25)
    # The gradient that the sampler follows is that of χ².
    local = chi_square_of(Weighting(model, NOISE), measured)
    theta = found.theta[:, None] + 3.0 * found.information.sigmas[:, None]
    _, gradient = local(theta)
    for k, h in enumerate(0.1 * found.information.sigmas):
        step = h * np.eye(3)[:, k : k + 1]
        difference = (local(theta + step)[0] - local(theta - step)[0]) / (2 * h)
        assert gradient[k] == pytest.approx(difference, rel=1e-4)


def test_without_numpyro_the_message_tells_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "numpyro", None)
    unknowns = unknowns_of("velocity")
    with pytest.raises(ModelError, match=r"percuss\[identify\]"):
        nuts(unknowns, lambda t: (t[0], t), unknowns.start, np.eye(3))


def test_bad_input_is_refused() -> None:
    unknowns = unknowns_of("velocity")
    start = unknowns.start
    with pytest.raises(ModelError, match=r"shapes \(3,\) and \(3, 3\)"):
        laplace(unknowns, start[:2], np.eye(3))
    with pytest.raises(ModelError, match="must be finite"):
        laplace(unknowns, start, np.full((3, 3), np.nan))
    with pytest.raises(ModelError, match="samples must be at least 2"):
        laplace(unknowns, start, np.eye(3), samples=1)
    with pytest.raises(ModelError, match="chains must be at least 2"):
        nuts(unknowns, lambda t: (t[0], t), start, np.eye(3), chains=1)
    with pytest.raises(ModelError, match="between 0 and 1"):
        laplace(unknowns, start, np.eye(3)).interval(1.0)
