"""Valleys of χ²: what can be said where it is no parabola along the direction known least.

Standard deviations describe a parabola. Where χ² bends within a few of them, the bottom of its
valley is followed to both sides instead, everything else being fitted again at each place. Across
the valley χ² is a parabola still, along it the density is what it is:

    p(s) ∝ exp(-½ Δχ²(s)) det(A⊥(s))^(-½)

with A⊥ the information across. Where the derivative of what is predicted vanishes somewhere along
the valley, that direction is not known to first order, although the valley has an end.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from percuss.identification.estimate.confidence import covering_sigmas, tails
from percuss.identification.estimate.descent import across, held_with
from percuss.identification.estimate.objective import FitObjective, Local
from percuss.identification.estimate.residuals import Weighting
from percuss.identification.estimate.semidefinite import solve_semidefinite
from percuss.identification.forward.unknowns import Unknowns
from percuss.identification.options import DEFAULT, SearchOptions


@dataclass(frozen=True)
class Valley:
    """Places along the bottom of a valley, k of them; lengths in shares of the ranges.

    Attributes:
        direction: unit vector (n,) along which it was followed.
        along: signed distances s (k,), rising; 0 is the best place.
        theta: θ (n, k), in its own units.
        rise: χ² less that of the best (k,).
        information: (n, n, k), of θ in shares of the ranges.
        scale: the ranges of θ (n,).
        open: whether χ² stays low as far as anything is plausible.
        cut: whether it could not be followed to where χ² rises, nor as far as is plausible: how
            far it leads on nobody knows.
        options: by which it was followed.
    """

    direction: np.ndarray
    along: np.ndarray
    theta: np.ndarray
    rise: np.ndarray
    information: np.ndarray
    scale: np.ndarray
    open: bool
    cut: bool = False
    options: SearchOptions = DEFAULT

    @property
    def flattest(self) -> int:
        """The place where least is known along the valley, of those that are plausible."""
        alike = self.options.acceptance.alike_rise
        return int(np.argmax(np.where(self.rise <= alike, self._sigmas, 0.0)))

    @property
    def flattens(self) -> bool:
        """Whether the derivative along the valley may vanish where it is `flattest`.

        There its standard deviation to first order is larger than the valley's length explains.
        """
        if len(self.along) < 2:  # it could not be followed to any side
            return False
        inside = np.flatnonzero(self.rise <= self.options.acceptance.alike_rise)
        first, last = max(inside[0] - 1, 0), min(inside[-1] + 1, len(self.along) - 1)
        half = 0.5 * (self.along[last] - self.along[first])
        return bool(self._sigmas[self.flattest] > self.options.valleys.long_share * half)

    @cached_property
    def _sigmas(self) -> np.ndarray:
        """Standard deviations to first order along the valley (k,), shares of the ranges."""
        return _sigmas_along(self.information, self.direction)

    @cached_property
    def _complement(self) -> np.ndarray:
        """An orthonormal basis (n, n - 1) across the direction."""
        _, _, rows = np.linalg.svd(self.direction[None, :], full_matrices=True)
        return rows[1:].T

    def draws(self, seed: int = 0) -> np.ndarray:
        """Samples of θ (n, `valleys.draws`)."""
        count, Q = self.options.valleys.draws, self._complement
        # Directions that cannot be known spread no farther than is plausible.
        across_it = np.einsum("ni,nmk,mj->kij", Q, self.information, Q) + np.eye(Q.shape[1])
        sizes, axes = np.linalg.eigh(across_it)
        sizes = np.maximum(sizes, 1.0)
        log_density = -0.5 * self.rise - 0.5 * np.log(sizes).sum(axis=1)
        fine = np.linspace(self.along[0], self.along[-1], 2001)
        density = np.exp(np.interp(fine, self.along, log_density) - log_density.max())
        whole = np.concatenate([[0.0], np.cumsum(0.5 * (density[1:] + density[:-1]))])
        random = np.random.default_rng(seed)
        levels = (np.arange(count) + random.uniform(size=count)) / count
        s = np.interp(levels * whole[-1], whole, fine)
        middle = _hermite(s, self.along, self.theta / self.scale[:, None])
        nearest = np.clip(np.searchsorted(self.along, s), 1, len(self.along) - 1)
        nearest -= np.abs(s - self.along[nearest - 1]) < np.abs(s - self.along[nearest])
        normal = random.standard_normal((count, Q.shape[1])) / np.sqrt(sizes[nearest])
        away = Q @ np.einsum("kij,kj->ik", axes[nearest], normal)
        return (middle + away) * self.scale[:, None]

    def spread(self, unknowns: Unknowns, seed: int = 0) -> Spread | None:
        """What the quantities may be; None where the valley has no end, or cannot be followed."""
        if self.open or len(self.along) < self.options.valleys.fewest_places:
            return None
        drawn = np.asarray(unknowns.quantities(self.draws(seed)), float)
        limits = np.quantile(drawn, tails(), axis=1).T
        mean, covariance = drawn.mean(axis=1), np.atleast_2d(np.cov(drawn))
        wider = self._wider(unknowns, mean, np.sqrt(np.diag(covariance)))
        return Spread(mean, covariance * np.outer(wider, wider), limits)

    def _wider(self, unknowns: Unknowns, mean: np.ndarray, sigmas: np.ndarray) -> np.ndarray:
        """Factors ≥ 1 (n,) by which standard deviations must be wider for the valley's long tail.

        In a valley that bends quantities may be farther than χ² says, and whoever reads a standard
        deviation takes them for excluded.
        """
        gaps = np.asarray(unknowns.quantities(self.theta), float) - mean[:, None]
        covering = covering_sigmas(gaps, self.rise, self.options.valleys.tail)
        return np.maximum(1.0, covering / np.where(sigmas > 0.0, sigmas, np.inf))


@dataclass(frozen=True)
class Spread:
    """What quantities may be: `mean` (n,), `covariance` (n, n), 95 % `limits` (n, 2)."""

    mean: np.ndarray
    covariance: np.ndarray
    limits: np.ndarray


def walk(
    objective: FitObjective,
    theta: np.ndarray,
    local: Local,
    units: np.ndarray,
    *,
    home: np.ndarray | None = None,
) -> list[Valley]:
    """Follow valleys from the best places θ (n, b) along unit vectors (n, b), both ways at once.

    Other directions that cannot be known stay where they are. The walk goes as far as is
    plausible: a range from the best place, or if given from θ `home` (n,) where that is farther.
    """
    options = objective.weighting.options.valleys
    scale = objective.weighting.model.unknowns.scale[:, None]
    batch = theta.shape[1]
    both = FitObjective(objective.weighting, objective.measured, np.tile(objective.owner, 2))
    unit = np.concatenate([units, -units], axis=1)
    held = held_with(units, local.information) * 2
    size = np.einsum("nb,nmb,mb->b", units, local.information, units)
    step = np.tile(options.first_step / np.sqrt(np.maximum(size, 1.0)), 2)
    base = np.tile(local.cost, 2)
    begin = np.tile(theta / scale, 2)
    reach = np.full(2 * batch, options.farthest)
    if home is not None:
        reach += np.maximum(np.einsum("nb,nb->b", home[:, None] / scale - begin, unit), 0.0)
    here, rise, before = begin.copy(), np.zeros(2 * batch), unit * step
    found: list[list[tuple[float, np.ndarray, float, np.ndarray]]]
    found = [[] for _ in range(2 * batch)]
    running, refused = np.ones(2 * batch, bool), np.zeros(2 * batch, int)
    for _ in range(3 * options.places):
        some = np.flatnonzero(running)
        if not len(some):
            break
        ahead = before[:, some] / np.einsum("nb,nb->b", before[:, some], unit[:, some])
        trial = here[:, some] + ahead * step[some]
        trial, there = _settled(both.of(some), trial, [held[k] for k in some])
        higher = there.cost - base[some] - rise[some]
        allowed = np.maximum(options.steepest_rise, options.steepest_share * rise[some])
        fine = np.isfinite(higher) & (np.abs(higher) <= allowed)
        # A place that leaps while its distance hardly changes is in another valley.
        leap = np.abs(trial - here[:, some]).max(axis=0)
        fine &= leap <= np.maximum(options.leap, 4.0 * step[some])
        for k in np.flatnonzero(fine):
            lane = some[k]
            distance = float((trial[:, k] - begin[:, lane]) @ unit[:, lane])
            found[lane].append(
                (
                    distance,
                    trial[:, k],
                    float(there.cost[k] - base[lane]),
                    there.information[..., k],
                )
            )
        on = some[fine]
        before[:, on], here[:, on] = trial[:, fine] - here[:, on], trial[:, fine]
        rise[on] += higher[fine]
        refused[some] = np.where(fine, 0, refused[some] + 1)
        step[some] *= np.where(
            fine, np.where(np.abs(higher) < options.flattest_rise, options.step_growth, 1.0), 0.5
        )
        gone = np.einsum("nb,nb->b", here - begin, unit)
        step = np.minimum(step, np.maximum(reach - gone, 1e-12))
        counts = np.array([len(places) for places in found])
        running = (
            (rise < options.last_rise)
            & (gone < reach - 1e-9)
            & (counts < options.places)
            & (refused <= options.halvings)
        )
    return [
        _joined(
            objective.weighting,
            theta[:, k],
            local.information[..., k],
            units[:, k],
            ahead=found[k],
            back=found[batch + k],
        )
        for k in range(batch)
    ]


def flat_place(objective: FitObjective, valley: Valley) -> tuple[np.ndarray, Local] | None:
    """θ (n, 1) in the valley of one case where nothing is known along it, if there is one."""
    options = objective.weighting.options
    scale = valley.scale[:, None]
    begun = [int(np.argmin(np.abs(valley.along)))]
    (held,) = held_with(valley.direction[:, None], valley.information[..., begun])
    place, known = valley.theta[:, valley.flattest], valley._sigmas[valley.flattest]
    gap = float(np.diff(valley.along).max())
    pair = objective.of(np.array([0, 0]))
    highest = objective.cost(place[:, None])[0] + options.acceptance.alike_rise
    local: Local | None = None
    for _ in range(options.valleys.refinements):
        gap *= 0.5
        aside = gap * np.column_stack([valley.direction, -valley.direction])
        at, there = _settled(pair, place[:, None] / scale + aside, [held, held])
        # A correction that leaves the valley leads to where nothing fits, and nothing is known.
        inside = there.cost <= highest
        sigmas = np.where(inside, _sigmas_along(there.information, valley.direction), 0.0)
        best = int(np.argmax(sigmas))
        if sigmas[best] > known:
            place, known = (at * scale)[:, best], sigmas[best]
            local = there.only(np.array([best]))
    # With its range and nothing else known a direction has the standard deviation 1.
    if known < options.valleys.blind:
        return None
    one = place[:, None]
    return one, objective.local(one) if local is None else local


def _sigmas_along(information: np.ndarray, unit: np.ndarray) -> np.ndarray:
    """Standard deviations (k,) along a unit vector, the ranges known, shares of the ranges."""
    table = np.moveaxis(information, -1, 0) + np.eye(len(unit))
    solved = solve_semidefinite(table, unit[None, :, None])[..., 0]
    return np.sqrt(solved @ unit)


def _settled(
    objective: FitObjective, at: np.ndarray, held: list[np.ndarray]
) -> tuple[np.ndarray, Local]:
    """Places on the bottom of the valley at the same distance, in shares of the ranges."""
    options = objective.weighting.options
    scale = objective.weighting.model.unknowns.scale[:, None]
    local = objective.local(at * scale)
    at, some = at.copy(), np.arange(at.shape[1])
    for _ in range(options.valleys.corrections):
        own = [held[k] for k in some]
        step, left = _down(objective.of(some), at[:, some], local.only(some), own)
        at[:, some] += step
        gone = step.any(axis=0)
        if gone.any():
            there = some[gone]
            local.put(there, objective.of(there).local(at[:, there] * scale))
        some = some[gone & ~(left < options.valleys.closeness)]
        if not len(some):
            break
    return at, local


def _down(
    objective: FitObjective, at: np.ndarray, local: Local, held: list[np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Steps (n, batch) from places towards the bottom of their valley, in shares of the ranges, and
    the fall of χ² that is left to it (batch,).

    Gauss and Newton's with the slopes of the place, followed by others with the same slopes as long
    as each leaves less than the one before; half as long where one leaves more.
    """
    options, scale = objective.weighting.options, objective.weighting.model.unknowns.scale[:, None]
    trial = np.nan_to_num(across(local, held, options.descent))
    left = np.einsum("nb,nb->b", trial, local.gradient)
    step, some = np.zeros_like(trial), np.flatnonzero(~(left < options.valleys.closeness))
    for _ in range(options.descent.bend_looks):
        if not len(some):
            break
        here, own = local.only(some), [held[k] for k in some]
        place = (at[:, some] + trial[:, some]) * scale
        cost, gradient = objective.of(some).with_slopes(place, here.slopes)
        more = np.nan_to_num(across(replace(here, gradient=gradient), own, options.descent))
        rest = np.where(np.isfinite(cost), np.einsum("nb,nb->b", more, gradient), np.inf)
        nearer = rest < left[some]
        good, bad = some[nearer], some[~nearer]
        step[:, good], left[good] = trial[:, good], rest[nearer]
        trial[:, good] += more[:, nearer]
        trial[:, bad] = 0.5 * (step[:, bad] + trial[:, bad])
        some = some[~(left[some] < options.valleys.closeness)]
    return step, left


def _joined(
    weighting: Weighting,
    theta: np.ndarray,
    information: np.ndarray,
    unit: np.ndarray,
    *,
    ahead: list[tuple[float, np.ndarray, float, np.ndarray]],
    back: list[tuple[float, np.ndarray, float, np.ndarray]],
) -> Valley:
    """The places to both sides of the best, θ (n,), as one valley along `unit` (n,)."""
    scale, options = weighting.model.unknowns.scale, weighting.options
    best = (0.0, theta / scale, 0.0, information)
    places = [(-place[0], *place[1:]) for place in reversed(back)] + [best, *ahead]
    along, at, rise, informations = zip(*places, strict=True)
    ends = [side[-1] if side else best for side in (ahead, back)]
    farthest, likely = options.valleys.farthest - 1e-6, options.acceptance.likely_rise
    return Valley(
        direction=unit,
        along=np.array(along),
        theta=np.stack(at, axis=1) * scale[:, None],
        rise=np.array(rise),
        information=np.stack(informations, axis=-1),
        scale=scale,
        open=any(end[0] >= farthest and end[2] < likely for end in ends),
        cut=any(end[0] < farthest and end[2] < likely for end in ends),
        options=options,
    )


def _hermite(at: np.ndarray, nodes: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Smooth interpolation (n, m) of values (n, k) at rising nodes (k,)."""
    slopes = np.gradient(values, nodes, axis=1)
    j = np.clip(np.searchsorted(nodes, at, side="right") - 1, 0, len(nodes) - 2)
    h = nodes[j + 1] - nodes[j]
    u = (at - nodes[j]) / h
    a, b = (1.0 + 2.0 * u) * (1.0 - u) ** 2, u * (1.0 - u) ** 2
    c, d = u**2 * (3.0 - 2.0 * u), u**2 * (u - 1.0)
    ends = a * values[:, j] + c * values[:, j + 1]
    return ends + h * (b * slopes[:, j] + d * slopes[:, j + 1])
