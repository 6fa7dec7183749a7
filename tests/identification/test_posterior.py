"""Samples of the posterior have its moments, normal or not."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from percuss.identification.estimate.fit import fit
from percuss.identification.estimate.residuals import Weighting
from percuss.identification.estimate.valley import Valley
from percuss.identification.forward.model import ForwardModel
from percuss.identification.forward.unknowns import Unknowns
from percuss.identification.posterior.chart import Along, PosteriorChart, Straight, along, straight
from percuss.identification.posterior.chi_square import ChiSquare
from percuss.identification.posterior.nuts import sample
from percuss.identification.posterior.posterior import chart_of, laplace, nuts, posterior
from percuss.identification.posterior.samples import Posterior, effective, gelman_rubin
from percuss.model.errors import ModelError
from tests.identification.cases import NOISE, thesis

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

    found = nuts(unknowns, local, centre, F, samples=4000, warmup=40, seed=3)
    assert found.r_hat < 1.05
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
    local = ChiSquare(Weighting(model, NOISE), measured).local
    theta = found.theta[:, None] + 3.0 * found.information.sigmas[:, None]
    _, gradient = local(theta)
    for k, h in enumerate(0.1 * found.information.sigmas):
        step = h * np.eye(3)[:, k : k + 1]
        difference = (local(theta + step)[0] - local(theta - step)[0]) / (2 * h)
        assert gradient[k] == pytest.approx(difference, rel=1e-4)


# --- canyons that bend ----------------------------------------------------------------------------


def canyon(x: Array) -> tuple[Array, Array]:
    """Predictions (3, batch) and slopes (3, 3, batch) of x (3, batch), in standard deviations.

    The first alone is known vaguely, and skewed. The others follow it along a canyon that is ten
    thousand times as long as wide and bends by its length.
    """
    s, y, w = x
    grown = np.exp(np.minimum(3.0 * s, 300.0))
    shown = [(grown - 1.0) / 0.35, (y - 2.0 * s**2) / 1e-4, (w - y - 3.0 * s**2 - s**3) / 1e-5]
    zero = np.zeros_like(s)
    slopes = [
        [3.0 * grown / 0.35, zero, zero],
        [-4.0 * s / 1e-4, zero + 1e4, zero],
        [-(6.0 * s + 3.0 * s**2) / 1e-5, zero - 1e5, zero + 1e5],
    ]
    return np.stack(shown), np.array(slopes)


def canyon_cost(x: Array) -> Array:
    return (canyon(x)[0] ** 2).sum(axis=0)


def canyon_local(x: Array) -> tuple[Array, Array]:
    shown, slopes = canyon(x)
    return (shown**2).sum(axis=0), 2.0 * np.einsum("knb,kb->nb", slopes, shown)


def bottom(s: Array) -> Array:
    return np.stack([s, 2.0 * s**2, 5.0 * s**2 + s**3])


def canyon_valley() -> Valley:
    s = np.linspace(-1.0, 0.3, 27)
    s[np.argmin(np.abs(s))] = 0.0
    x = bottom(s)
    shown, slopes = canyon(x)
    table = np.einsum("knb,kmb->nmb", slopes, slopes)
    rise = (shown**2).sum(axis=0)
    return Valley(
        direction=np.eye(3)[0],
        along=s,
        theta=x,
        rise=rise,
        information=table,
        scale=np.ones(3),
        open=False,
    )


def canyon_chart() -> Along:
    found = along(canyon_valley(), lambda x: canyon(x)[1])
    assert found is not None
    return found


def quadratic_chart() -> Straight:
    table = canyon(np.zeros((3, 1)))[1][..., 0]
    sizes, axes = np.linalg.eigh(table.T @ table + np.eye(3))
    return straight(np.zeros(3), axes / np.sqrt(sizes), lambda x: canyon(x)[1])


@pytest.mark.parametrize("chart", [canyon_chart(), quadratic_chart()], ids=["along", "straight"])
def test_a_chart_knows_its_volume_and_how_gradients_change(chart: PosteriorChart) -> None:
    """Against differences: log |det dx/dz|, and the gradient of u(x(z)) less that."""
    z = np.random.default_rng(1).standard_normal((3, 40))
    z[0, :4] = [-4.0, 4.0, -3.5, 3.2]  # beyond the tails the valley goes on straight
    u = np.array([0.3, -0.7, 1.1])
    step = 1e-5
    _, volume = chart.places(z)
    rows = []
    for k in range(3):
        aside = step * np.eye(3)[:, k : k + 1]
        (ahead, more), (back, less) = chart.places(z + aside), chart.places(z - aside)
        rows.append((ahead - back) / (2.0 * step))
        expected = u @ rows[-1] - (more - less) / (2.0 * step)
        gradient = chart.pulled(z, np.repeat(u[:, None], 40, axis=1))[k]
        np.testing.assert_allclose(gradient, expected, rtol=1e-5, atol=1e-5)
    table = np.moveaxis(np.array(rows), -1, 0)
    np.testing.assert_allclose(np.linalg.slogdet(table)[1], volume, atol=1e-4)


def test_along_a_canyon_the_density_is_normal() -> None:
    """In the coordinates along it; in those of Laplace's approximation it is lost at once."""
    z = np.random.default_rng(2).standard_normal((3, 300))

    def off(chart: PosteriorChart) -> Array:
        x, volume = chart.places(z)
        height = 0.5 * canyon_cost(x) + 0.5 * (x**2).sum(axis=0) - volume
        height -= 0.5 * (z**2).sum(axis=0)
        return np.abs(height - np.median(height))

    lost = quadratic_chart()
    plain = Straight(lost.centre, lost.root, np.zeros((3, 3, 3)))
    assert np.quantile(off(canyon_chart()), 0.95) < 0.1
    assert np.quantile(off(plain), 0.5) > 1e3
    assert np.quantile(off(lost), 0.5) < 0.1 * np.quantile(off(plain), 0.5)


@pytest.mark.parametrize("fast", [True, False], ids=["normal paths", "exact paths"])
def test_nuts_follows_a_canyon(fast: bool) -> None:
    """Moments by quadrature along the bottom, where all of the density is."""
    unknowns = unknowns_of("velocity")
    np.testing.assert_array_equal(unknowns.scale, np.ones(3))
    asked = 0

    def local(x: Array) -> tuple[Array, Array]:
        nonlocal asked
        asked += 1
        return canyon_local(x)

    found = nuts(
        unknowns,
        local,
        np.zeros(3),
        np.diag([1.0, 1.0, 1.0]),
        cost=canyon_cost if fast else None,
        chart=canyon_chart(),
        samples=4000,
        seed=4,
    )
    assert (asked == 0) is fast
    assert found.warnings == ()
    assert found.r_hat < 1.02
    assert found.effective > 1000
    s = np.linspace(-1.5, 0.5, 20001)
    x = bottom(s)
    density = np.exp(-0.5 * (canyon_cost(x) + (x**2).sum(axis=0)))
    density /= density.sum()
    mean = x @ density
    sigmas = np.sqrt((x - mean[:, None]) ** 2 @ density)
    assert np.abs((found.mean - mean) / sigmas).max() < 0.08
    np.testing.assert_allclose(found.sigmas, sigmas, rtol=0.08)


def test_seven_unknowns_along_a_bent_valley() -> None:
    """A short record: against the quadrature along the valley, and against importance sampling."""
    unknowns = unknowns_of("velocity", "mass", "com", "inertia")
    model = ForwardModel(thesis(1), unknowns, CHANNELS, np.arange(1, 101) / 40)
    shown = model(unknowns.start).reshape(5, -1)
    measured = shown + SIGMAS * np.random.default_rng(5).normal(size=shown.shape)
    found = fit(model, measured, NOISE, starts=2)
    spread = found.shape.spread
    assert spread is not None
    told: list[float] = []
    full = posterior(
        model, measured, NOISE, found, method="nuts", samples=2000, seed=2, progress=told.append
    )
    assert told == sorted(told)
    assert told[-1] == 1.0
    assert full.r_hat < 1.05
    assert full.effective > 400
    sigmas = np.sqrt(np.diag(spread.covariance))
    assert np.abs((full.mean - spread.mean) / sigmas).max() < 0.2
    np.testing.assert_allclose(full.sigmas, sigmas, rtol=0.2)
    chi_square = ChiSquare(Weighting(model, NOISE), measured)
    information = found.slopes.T @ found.slopes
    chart, scale = chart_of(chi_square, found, information), unknowns.scale[:, None]
    z = 1.1 * np.random.default_rng(3).standard_normal((7, 4000))
    x, volume = chart.places(z)
    far = ((x - found.theta[:, None] / scale) ** 2).sum(axis=0)
    log = volume - 0.5 * (chi_square.cost(x * scale) + far) + 0.5 * ((z / 1.1) ** 2).sum(axis=0)
    weights = np.exp(log - log.max())
    weights /= weights.sum()
    assert 1.0 / (weights**2).sum() > 1000
    quantities = np.asarray(unknowns.quantities(x * scale), float)
    mean = quantities @ weights
    width = np.sqrt((quantities - mean[:, None]) ** 2 @ weights)
    assert np.abs((full.mean - mean) / width).max() < 0.12
    np.testing.assert_allclose(full.sigmas, width, rtol=0.12)


def test_draws_that_do_not_agree_are_not_to_be_used() -> None:
    theta = np.zeros((1, 1000))

    def told(divergences: int, stretch: float) -> Posterior:
        return Posterior(("vx",), theta, theta, "nuts", divergences, stretch, 500.0)

    assert told(0, 1.04).warnings == ()
    assert told(0, 1.04).usable
    assert "draw more samples" in told(0, 1.07).warnings[0]
    assert told(0, 1.07).usable
    assert "R̂ = 1.2" in told(0, 1.2).warnings[0]
    assert "must not be used" in told(0, 1.2).warnings[0]
    assert not told(0, 1.2).usable
    assert not told(0, float("nan")).usable
    assert told(2, 1.0).warnings == ()
    assert "3 of the posterior's steps diverged" in told(3, 1.0).warnings[0]


def test_the_draws_know_how_good_they_are() -> None:
    """Independent draws count in full; an autoregressive chain by its correlation time."""
    random = np.random.default_rng(1)
    free = random.standard_normal((8, 500, 1))
    assert float(effective(free)[0]) == pytest.approx(4000, rel=0.2)
    assert float(gelman_rubin(free)[0]) == pytest.approx(1.0, abs=5e-3)
    tied = np.zeros_like(free)
    tied[:, 0] = free[:, 0]
    for k in range(1, 500):
        tied[:, k] = 0.8 * tied[:, k - 1] + 0.6 * free[:, k]
    # (1 + 0.8) / (1 - 0.8) draws are worth one.
    assert float(effective(tied)[0]) == pytest.approx(4000 / 9, rel=0.25)
    apart = free + 2.0 * np.arange(8)[:, None, None]
    assert float(gelman_rubin(apart)[0]) > 2.0


def test_the_sampler_stays_where_the_density_is() -> None:
    """A half-space without density; draws of a normal distribution cut in half."""

    def potential(z: Array) -> tuple[Array, Array]:
        inside = z[0] > 0.0
        return np.where(inside, 0.5 * np.sum(z**2, axis=0), np.inf), np.where(inside, z, 0.0)

    begin = np.abs(np.random.default_rng(2).standard_normal((2, 16)))
    told: list[float] = []
    found = sample(potential, begin, 80, 20, seed=3, progress=told.append)
    z = found.z.reshape(-1, 2)
    assert (z[:, 0] > 0.0).all()
    assert z[:, 0].mean() == pytest.approx(np.sqrt(2.0 / np.pi), abs=0.08)
    assert z[:, 1].std() == pytest.approx(1.0, abs=0.1)
    assert told == sorted(told)
    assert told[-1] == 1.0
    again = sample(potential, begin, 80, 20, seed=3)
    assert (again.z == found.z).all()


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
    with pytest.raises(ModelError, match="warmup must be at least 20"):
        nuts(unknowns, lambda t: (t[0], t), start, np.eye(3), warmup=3)
    with pytest.raises(ModelError, match="between 0 and 1"):
        laplace(unknowns, start, np.eye(3)).interval(1.0)
