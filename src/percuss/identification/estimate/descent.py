"""Levenberg–Marquardt with steps that follow bends, for many cases at once, each with its damping.

Motion that is sensitive to how it began makes χ² a narrow canyon that bends: what is known best
must follow the bend while what is known least is searched. A step is therefore corrected, with
the same J, by what it leaves beyond what a straight prediction would leave, as often as that helps
(its first correction is the geodesic acceleration of Transtrum and Sethna, in another order):

    (JᵀJ + λ) δ = Jᵀ r,    (JᵀJ + λ) c = Jᵀ (r(θ + δ + Σc) - (r - J δ)),    θ ← θ + δ + Σc
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from percuss.identification.estimate.objective import FitObjective, Local, Tied
from percuss.identification.estimate.semidefinite import solve_semidefinite
from percuss.identification.estimate.spans import span
from percuss.identification.options import DEFAULT
from percuss.identification.options.searching import DescentOptions


@dataclass(frozen=True)
class Descent:
    """Where cases ended: θ (n, batch), χ² (batch,), and whether it is a minimum."""

    theta: np.ndarray
    local: Local
    converged: np.ndarray
    iterations: int
    scale: np.ndarray
    """Plausible ranges of θ (n,)."""

    def only(self, cases: np.ndarray) -> Descent:
        """Some of these cases."""
        local, converged = self.local.only(cases), self.converged[cases]
        return Descent(
            theta=self.theta[:, cases],
            local=local,
            converged=converged,
            iterations=self.iterations,
            scale=self.scale,
        )

    def joined(self, other: Descent) -> Descent:
        """Join these cases and the others, these first."""
        return Descent(
            theta=np.concatenate([self.theta, other.theta], axis=-1),
            local=self.local.joined(other.local),
            converged=np.concatenate([self.converged, other.converged]),
            iterations=max(self.iterations, other.iterations),
            scale=self.scale,
        )


def descend(objective: FitObjective | Tied, theta: np.ndarray, most: int, close: float) -> Descent:
    """Go down from θ (n, batch), at most so many steps, until χ² is `close` to its minimum.

    Damping is Levenberg's, in units of the plausible ranges, and not Marquardt's: what the data
    does not tell must not run away while it is looked for. Cases stop one by one.
    """
    scale = objective.weighting.model.unknowns.scale[:, None]
    theta = np.array(theta, float)
    local = objective.local(theta)
    batch = theta.shape[1]
    options = objective.weighting.options.descent
    damping = np.full(batch, options.first_damping)
    growth = np.full(batch, options.damping_growth)
    converged = _is_close(local, close, options)
    running = ~converged & np.isfinite(local.cost)
    count = 0
    for _ in range(most):
        if not running.any():
            break
        count += 1
        some = np.flatnonzero(running)
        here, part = local.only(some), objective.of(some)
        step, promised, damped = _step(here, damping[some], options)
        # Where a step is no straight one it is known before its derivatives whether it leads down.
        down = np.ones(len(some), bool)
        gained = np.full(len(some), -np.inf)
        bent = np.flatnonzero(promised > options.straight)
        if len(bent):
            step[:, bent], cost = _followed(
                part.of(bent),
                here.only(bent),
                theta[:, some[bent]],
                step[:, bent],
                damped=damped[bent],
                enough=options.bend_rest * promised[bent],
            )
            down[bent] = cost < here.cost[bent]
        tried = np.flatnonzero(down)
        trial = theta[:, some[tried]] + step[:, tried] * scale
        there = part.of(tried).local(trial) if len(tried) else here.only(tried)
        gained[tried] = here.cost[tried] - there.cost
        # So close to a minimum the change of χ² drowns in its rounding.
        tiny = promised < 1e-11 * (1.0 + here.cost)
        better = (gained > 0.0) | (tiny & (gained > -1e-9 * (1.0 + here.cost)))
        lowered = some[better]
        kept = np.flatnonzero(better[tried])
        theta[:, lowered] = trial[:, kept]
        local.put(lowered, there.only(kept))
        ratio = gained / np.where(promised > 0, promised, 1.0)
        shrink = np.maximum(1.0 / 10.0, 1.0 - (2.0 * np.clip(ratio, 0.0, 1.0) - 1.0) ** 3)
        damping[lowered] *= shrink[better]
        growth[lowered] = options.damping_growth
        failed = some[~better]
        damping[failed] *= growth[failed]
        growth[failed] *= 2.0
        converged[some] = _is_close(local.only(some), close, options)
        converged[lowered] |= tiny[better]
        running = running & ~converged & (damping < options.given_up_damping)
    return Descent(
        theta=theta, local=local, converged=converged, iterations=count, scale=scale[:, 0]
    )


def settle(objective: FitObjective, theta: np.ndarray) -> tuple[np.ndarray, Local]:
    """Take what a pull has left of the way to the minimum, along observable directions only.

    Returns θ (n, batch) and χ² there, without the pull.
    """
    scale = objective.weighting.model.unknowns.scale[:, None]
    local = objective.local(theta)
    for _ in range(objective.weighting.options.descent.polishing_steps):
        sizes, axes = np.linalg.eigh(np.moveaxis(local.information, -1, 0))
        along = np.einsum("bnm,nb->bm", axes, local.gradient)
        along = np.where(sizes > 1.0, along / np.maximum(sizes, 1.0), 0.0)
        trial = theta + scale * np.einsum("bnm,bm->nb", axes, along)
        there = objective.local(trial)
        better = np.flatnonzero(there.cost <= local.cost)
        theta[:, better] = trial[:, better]
        local.put(better, there.only(better))
    return theta, local


def _is_close(local: Local, close: float, options: DescentOptions) -> np.ndarray:
    """Which cases (batch,) are as close to a minimum as asked for; of residuals that are no noise
    in units of what they are."""
    misfit = local.cost / max(len(local.residuals), 1)
    return decrement(local) < close * np.where(misfit > options.no_noise, misfit, 1.0)


def decrement(local: Local) -> np.ndarray:
    """The fall of χ² that a full step promises (batch,); ranges bound unobservable directions."""
    identity = np.eye(len(local.gradient))
    table = np.moveaxis(local.information, -1, 0) + identity
    solved = solve_semidefinite(table, local.gradient.T[..., None])[..., 0]
    return np.einsum("bn,nb->b", solved, local.gradient)


def hidden_of(information: np.ndarray) -> list[np.ndarray]:
    """Directions (n, k) of each case that cannot be known; `information` (n, n, batch)."""
    sizes, axes = np.linalg.eigh(np.moveaxis(information, -1, 0))
    return [axis[:, size <= 1.0] for size, axis in zip(sizes, axes, strict=True)]


def held_with(units: np.ndarray, information: np.ndarray) -> list[np.ndarray]:
    """For each case its unit vector (n,) of `units` (n, batch) and all that cannot be known there,
    as columns (n, k): what a walk along it holds. `information` (n, n, batch)."""
    hidden = hidden_of(information)
    return [np.column_stack([u, h]) for u, h in zip(units.T, hidden, strict=True)]


def across(
    local: Local, held: Sequence[np.ndarray], options: DescentOptions = DEFAULT.descent
) -> np.ndarray:
    """Steps of Gauss and Newton (n, batch) that leave the place along held directions (n, k)."""
    table = np.moveaxis(local.information, -1, 0)
    count = len(local.gradient)
    # A direction may be given twice, to as many digits as it was tidied.
    spans = [span(directions, 1e-6) for directions in held]
    keep = np.stack([np.eye(count) - basis @ basis.T for basis in spans])
    # Along what is held any stiffness does: nothing pulls there.
    total = np.einsum("bnn->b", table)[:, None, None]
    stiff = keep @ table @ keep + options.least_damping * total * np.eye(count)
    stiff += (1.0 + total) * (np.eye(count) - keep)
    pull = keep @ local.gradient.T[..., None]
    return solve_semidefinite(stiff, pull)[..., 0].T


def _step(
    local: Local, damping: np.ndarray, options: DescentOptions
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Steps (n, batch) as shares of the ranges, the χ² they promise to take away (batch,), and the
    damped information (batch, n, n)."""
    table = np.moveaxis(local.information, -1, 0)
    total = np.einsum("bnn->b", table)
    stiff = np.maximum(damping + options.standing_damping, options.least_damping * total)
    damped = table + stiff[:, None, None] * np.eye(table.shape[1])
    step = solve_semidefinite(damped, local.gradient.T[..., None])[..., 0]
    longest = np.abs(step).max(axis=1, keepdims=True)
    step = step * np.minimum(1.0, options.longest_step / np.maximum(longest, 1e-300))
    bent = np.einsum("bn,bnm,bm->b", step, table, step)
    promised = 2.0 * np.einsum("bn,nb->b", step, local.gradient) - bent
    return step.T, promised, damped


def _followed(
    objective: FitObjective | Tied,
    local: Local,
    theta: np.ndarray,
    straight: np.ndarray,
    *,
    damped: np.ndarray,
    enough: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Steps (n, batch) that end where straight ones would if nothing bent, and χ² there (batch,).

    Straight steps (n, batch) from θ (n, batch) leave the residuals r - J δ if predictions are
    straight. What is left instead is taken away by steps of the same J and damping, `damped`
    (batch, n, n), until the rest is less than `enough` (batch,) of χ².
    """
    scale = objective.weighting.model.unknowns.scale[:, None]
    options = objective.weighting.options.descent
    step, cost = straight.copy(), np.full(straight.shape[1], np.inf)
    least = np.full(straight.shape[1], np.inf)
    lengths = np.linalg.norm(straight, axis=0)
    some, trial = np.arange(straight.shape[1]), straight.copy()
    for _ in range(options.bend_looks):
        part, here = objective.of(some), local.only(some)
        at = theta[:, some] + scale * trial[:, some]
        with np.errstate(over="ignore", invalid="ignore"):
            residuals = part.residuals(at)
            expected = here.residuals - np.einsum("knb,nb->kb", here.slopes, straight[:, some])
            rest = residuals - expected
            left = np.nan_to_num((rest**2).sum(axis=0), nan=np.inf)
            total = np.nan_to_num(part.total(at, residuals), nan=np.inf)
        better = left < options.bend_gain * least[some]
        better |= np.isinf(least[some]) & np.isfinite(left)
        good = some[better]
        step[:, good], least[good], cost[good] = trial[:, good], left[better], total[better]
        on = np.flatnonzero(better & (left > enough[some]))
        if not len(on):
            break
        pull = np.einsum("knb,kb->bn", here.slopes[..., on], rest[:, on])
        more = solve_semidefinite(damped[some[on]], pull[..., None])[..., 0].T
        near = np.linalg.norm(more, axis=0) <= options.longest_bend * lengths[some[on]]
        some = some[on[near]]
        if not len(some):
            break
        trial[:, some] += more[:, near]
    return step, cost
