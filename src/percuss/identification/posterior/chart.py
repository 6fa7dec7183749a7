"""Coordinates z in which what the unknowns may be is close to a standard normal distribution.

Motion that is sensitive to how it began makes χ² a narrow canyon that bends. Straight coordinates
leave it within a thousandth of its length; these follow it. A place is

    x(z) = m(s) + N(s) (z + ½ Γ(z, z)),      x = θ in shares of the ranges

with N a root of the covariance, and Γ what takes away how the prediction f curves, to second order:
Γₖᵢⱼ = -(∂f/∂zₖ) · (∂²f/∂zᵢ∂zⱼ). Only bends of what is known better along what is known worse are
kept, k > i, j with the z in the order of what is known of them. They are the large ones, and so the
volume is that of N and no two z are one place.

Where the bottom of a valley was followed it is m(s), z across it is one shorter, N is smooth in s,
and s = s(z₀) is such that z₀ is normal. Elsewhere m is the estimate and N constant.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from percuss.identification.estimate.valley import Valley
from percuss.identification.options import DEFAULT
from percuss.identification.options.reporting import PosteriorOptions

Array = NDArray[np.float64]

Slopes = Callable[[Array], Array]
"""x (n, batch), in shares of the ranges → slopes of the prediction (rows, n, batch) by x, in
standard deviations."""


class PosteriorChart(Protocol):
    """Places of coordinates z; x is θ in shares of the ranges."""

    def places(self, z: Array) -> tuple[Array, Array]:
        """x (n, batch) of z (n, batch), and log |det dx/dz| (batch,)."""
        ...

    def pulled(self, z: Array, gradient: Array) -> Array:
        """d/dz (n, batch) of u(x(z)) - log |det dx/dz|, where du/dx is `gradient` (n, batch)."""
        ...


@dataclass(frozen=True)
class Straight:
    """A chart about the estimate `centre` (n,): N is `root` (n, n), Γ is `bends` (n, n, n)."""

    centre: Array
    root: Array
    bends: Array

    def places(self, z: Array) -> tuple[Array, Array]:
        x = self.centre[:, None] + self.root @ _bent(self.bends, z)
        return x, np.full(z.shape[1], float(np.linalg.slogdet(self.root)[1]))

    def pulled(self, z: Array, gradient: Array) -> Array:
        return _pulled_back(self.bends, z, self.root.T @ gradient)


@dataclass(frozen=True)
class Along:
    """A chart along the bottom of a valley.

    Attributes:
        first, last: the ends of s; beyond them the valley goes on straight.
        middle: spline of x (n,) by s.
        across: basis (n, n - 1) across the valley, each column a standard deviation at s = 0.
        turn: spline (n - 1, n - 1) by s, lower triangular; N(s) = across · turn(s).
        bends: Γ (n - 1, n - 1, n - 1).
        along: spline of s by z₀; beyond its ends s goes on evenly.
    """

    first: float
    last: float
    middle: Any
    across: Array
    turn: Any
    bends: Array
    along: Any

    def places(self, z: Array) -> tuple[Array, Array]:
        s, rate, _ = self._distance(z[0])
        inside = np.clip(s, self.first, self.last)
        beyond = (s - inside)[:, None]
        x = (self.middle(inside) + beyond * self.middle(inside, 1)).T
        turn = self.turn(inside)
        x = x + self.across @ np.einsum("bij,jb->ib", turn, _bent(self.bends, z[1:]))
        diagonal = np.log(np.diagonal(turn, axis1=1, axis2=2)).sum(axis=1)
        return x, np.log(rate) + diagonal + self._size

    def pulled(self, z: Array, gradient: Array) -> Array:
        s, rate, growth = self._distance(z[0])
        inside = np.clip(s, self.first, self.last)
        within = inside == s
        turn, turning = self.turn(inside), self.turn(inside, 1) * within[:, None, None]
        off = _bent(self.bends, z[1:])
        pull = self.across.T @ gradient
        ahead = self.middle(inside, 1).T
        forwards = np.sum(ahead * gradient, axis=0)
        forwards += np.einsum("ib,bij,jb->b", pull, turning, off)
        swelling = np.diagonal(turning, axis1=1, axis2=2) / np.diagonal(turn, axis1=1, axis2=2)
        first = rate * (forwards - swelling.sum(axis=1)) - growth / rate
        rest = _pulled_back(self.bends, z[1:], np.einsum("bij,ib->jb", turn, pull))
        return np.concatenate([first[None], rest])

    @property
    def _size(self) -> float:
        """log of the volume of the basis across: the direction of s is normal to it."""
        return float(np.log(np.linalg.svd(self.across, compute_uv=False)).sum())

    def _distance(self, z: Array) -> tuple[Array, Array, Array]:
        """s of z₀, and its first two derivatives."""
        inside = np.clip(z, self.along.x[0], self.along.x[-1])
        rate = self.along(inside, 1)
        return (
            self.along(inside) + (z - inside) * rate,
            rate,
            self.along(inside, 2) * (inside == z),
        )


def straight(
    centre: Array,
    root: Array,
    slopes: Slopes | None = None,
    options: PosteriorOptions = DEFAULT.posterior,
) -> Straight:
    """The chart about an estimate x (n,).

    Columns of `root` (n, n) lead from what is known least to what is known best.

    Without `slopes` nothing is bent.
    """
    count = len(centre)
    bends = (
        np.zeros((count, count, count))
        if slopes is None
        else _bends(centre, root, slopes, options.aside)
    )
    return Straight(centre, root, bends)


def along(
    valley: Valley, slopes: Slopes, options: PosteriorOptions = DEFAULT.posterior
) -> Along | None:
    """The chart along a valley; None where it is too short to be followed."""
    from scipy.interpolate import CubicSpline, PchipInterpolator

    fewest = options.fewest_places
    if len(valley.along) < fewest or valley.along[0] == 0.0 or valley.along[-1] == 0.0:
        return None
    basis = np.linalg.svd(valley.direction[None, :], full_matrices=True)[2][1:].T
    centre = int(np.argmin(np.abs(valley.along)))
    tables = np.einsum("ni,nmk,mj->kij", basis, valley.information, basis) + np.eye(basis.shape[1])
    sizes, axes = np.linalg.eigh(tables[centre])
    across = basis @ (axes / np.sqrt(np.maximum(sizes, 1.0)))
    turns = np.stack([_turn(across, valley.information[..., k]) for k in range(len(tables))])
    x = (valley.theta / valley.scale[:, None]).T
    middle = CubicSpline(valley.along, x)
    turn = CubicSpline(valley.along, turns)
    s = np.linspace(valley.along[0], valley.along[-1], options.fine)
    sized = turn(s)
    volume = np.diagonal(sized, axis1=1, axis2=2)
    if not (volume > 0.0).all():
        return None
    far = np.sum((middle(s) - x[centre]) ** 2, axis=1)
    rise = CubicSpline(valley.along, valley.rise)(s)
    z = _normal_scores(s, -0.5 * (rise + far) + np.log(volume).sum(axis=1))
    tail = options.tail
    knots = np.linspace(max(-tail, float(z[0])), min(tail, float(z[-1])), options.knots)
    bends = _bends(x[centre], across, slopes, options.aside)
    score = PchipInterpolator(knots, np.interp(knots, z, s))
    return Along(
        first=float(s[0]),
        last=float(s[-1]),
        middle=middle,
        across=across,
        turn=turn,
        bends=bends,
        along=score,
    )


def joined(back: Valley, ahead: Valley) -> Valley:
    """One valley of two that were followed from one place in opposite directions: what lies ahead
    of either, along the direction of the second."""
    one, two = np.flatnonzero(back.along > 0.0)[::-1], np.flatnonzero(ahead.along >= 0.0)
    return Valley(
        direction=ahead.direction,
        along=np.concatenate([-back.along[one], ahead.along[two]]),
        theta=np.concatenate([back.theta[:, one], ahead.theta[:, two]], axis=1),
        rise=np.concatenate([back.rise[one], ahead.rise[two]]),
        information=np.concatenate([back.information[..., one], ahead.information[..., two]], -1),
        scale=ahead.scale,
        open=back.open or ahead.open,
        options=ahead.options,
    )


def _normal_scores(s: Array, log_density: Array) -> Array:
    """z (k,) of s such that z is standard normal; the density goes on evenly beyond the ends."""
    from scipy.special import ndtri

    density = np.exp(log_density - log_density.max())
    step = s[1] - s[0]
    whole = np.concatenate([[0.0], np.cumsum(0.5 * step * (density[1:] + density[:-1]))])
    rates = np.gradient(log_density, step)[[0, -1]] * np.array([1.0, -1.0])
    # Where the density does not fall towards an end, something is left beyond, as long again.
    tails = density[[0, -1]] / np.maximum(rates, 1.0 / (s[-1] - s[0]))
    shares = (tails[0] + whole) / (tails.sum() + whole[-1])
    return ndtri(shares)


def _turn(across: Array, information: Array) -> Array:
    """Lower triangular T with T Tᵀ the inverse of the information across, in its coordinates."""
    table = across.T @ information @ across + across.T @ across
    flipped = np.linalg.cholesky(table[::-1, ::-1])[::-1, ::-1]
    return np.asarray(np.linalg.inv(flipped).T, float)


def _bends(x: Array, root: Array, slopes: Slopes, share: float) -> Array:
    """Γ (m, m, m) about a place x (n,) along the columns of `root` (n, m), by slopes the `share`
    of a standard deviation to either side."""
    here = slopes(x[:, None])[..., 0] @ root
    count = root.shape[1]
    found = np.zeros((count, count, count))
    for i in range(count - 1):
        aside = share * root[:, i]
        pair = slopes(np.stack([x + aside, x - aside], axis=1))
        curved = (pair[..., 0] - pair[..., 1]) @ root / (2.0 * share)
        found[:, i, :] = -here.T @ curved
    order = np.arange(count)
    kept = order[:, None, None] > np.maximum(order[None, :, None], order[None, None, :])
    return np.where(kept, 0.5 * (found + found.transpose(0, 2, 1)), 0.0)


def _bent(bends: Array, z: Array) -> Array:
    """z + ½ Γ(z, z), (n, batch)."""
    return z + 0.5 * np.einsum("kij,ib,jb->kb", bends, z, z)


def _pulled_back(bends: Array, z: Array, gradient: Array) -> Array:
    """A gradient by z + ½ Γ(z, z) as one by z."""
    return gradient + np.einsum("kij,ib,kb->jb", bends, z, gradient)
