"""Levenberg–Marquardt for many cases at once, each with its own damping."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from percuss.identify.residuals import Weighting

_FLOOR = 1e-6
"""Damping that always stays, in units of the plausible ranges: unobservable directions keep
their place, and observable ones (information above 1) lose a millionth of a step."""
_FARTHEST = 0.5
"""Longest step, as a share of the plausible ranges."""
CLOSE = 1e-10
"""A case is done when a full step would lower χ² by less: 1e-5 standard deviations away."""
_GIVEN_UP = 1e12
_BLIND = 1e-12
"""Least damping, as a share of the information: exact degeneracies stay solvable."""


@dataclass(frozen=True)
class Local:
    """χ² of cases and its quadratic model in the unknowns as shares of their ranges.

    `cost` (batch,), `gradient` (n, batch) is Jᵀ r, pointing downhill, `information` (n, n, batch)
    is Jᵀ J; priors included.
    """

    cost: np.ndarray
    gradient: np.ndarray
    information: np.ndarray

    def put(self, mask: np.ndarray, other: Local) -> Local:
        """With the cases of the mask replaced."""

        def both(a: np.ndarray, b: np.ndarray) -> np.ndarray:
            whole = a.copy()
            whole[..., mask] = b
            return whole

        return Local(
            both(self.cost, other.cost),
            both(self.gradient, other.gradient),
            both(self.information, other.information),
        )

    def only(self, mask: np.ndarray) -> Local:
        return Local(self.cost[mask], self.gradient[:, mask], self.information[..., mask])


@dataclass(frozen=True)
class Descent:
    """Where cases ended: θ (n, batch), χ² (batch,), and whether it is a minimum."""

    theta: np.ndarray
    local: Local
    converged: np.ndarray
    iterations: int
    scale: np.ndarray
    """Plausible ranges of θ (n,)."""

    def joined(self, other: Descent) -> Descent:
        """These cases, then the others."""

        def both(a: np.ndarray, b: np.ndarray) -> np.ndarray:
            return np.concatenate([a, b], axis=-1)

        local = Local(
            both(self.local.cost, other.local.cost),
            both(self.local.gradient, other.local.gradient),
            both(self.local.information, other.local.information),
        )
        return Descent(
            both(self.theta, other.theta),
            local,
            both(self.converged, other.converged),
            max(self.iterations, other.iterations),
            self.scale,
        )


@dataclass(frozen=True)
class Objective:
    """χ² of measured values under a model: residuals in standard deviations, and priors.

    `measured` (channels, times, cases) and `owner` (batch,), the case each θ belongs to.
    """

    weighting: Weighting
    measured: np.ndarray
    owner: np.ndarray

    def local(self, theta: np.ndarray) -> Local:
        """At θ (n, batch)."""
        model = self.weighting.model
        done = 0
        found: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        scale = model.unknowns.scale
        for part in model.parts(theta):
            owner = self.owner[done : done + part.shape[1]]
            done += part.shape[1]
            values, slopes = model.linearised_part(part)
            residuals, J = self.weighting.whitened(self.measured[..., owner], values, slopes)
            J = J * scale[:, None]
            cost = np.einsum("kb,kb->b", residuals, residuals)
            gradient = np.einsum("knb,kb->nb", J, residuals)
            by_case = np.ascontiguousarray(np.moveaxis(J, -1, 0))
            information = np.moveaxis(by_case.transpose(0, 2, 1) @ by_case, 0, -1)
            found.append((cost, gradient, information))
        whole = Local(*(np.concatenate(parts, axis=-1) for parts in zip(*found, strict=True)))
        return self._with_priors(theta, whole)

    def cost(self, theta: np.ndarray) -> np.ndarray:
        """χ² (batch,) at θ (n, batch)."""
        model = self.weighting.model
        found = []
        for part, owner in zip(_split(theta), _split(self.owner[None]), strict=True):
            values = model(part)
            residuals = self.weighting.residuals(self.measured[..., owner[0]], values)
            found.append(np.einsum("kb,kb->b", residuals, residuals))
        cost = np.concatenate(found)
        away = theta / model.unknowns.priors[:, None]
        return np.nan_to_num(cost + (away**2).sum(axis=0), nan=np.inf)

    def of(self, mask: np.ndarray) -> Objective:
        return Objective(self.weighting, self.measured, self.owner[mask])

    def _with_priors(self, theta: np.ndarray, local: Local) -> Local:
        unknowns = self.weighting.model.unknowns
        # The robot's errors are zero in the scenario, and so is their prior mean.
        weight = unknowns.scale / unknowns.priors
        away = theta / unknowns.priors[:, None]
        diagonal = np.diag(weight**2)[..., None]
        cost = local.cost + (away**2).sum(axis=0)
        return Local(
            np.where(np.isfinite(cost), cost, np.inf),
            local.gradient - weight[:, None] * away,
            local.information + diagonal,
        )


def descend(
    objective: Objective, theta: np.ndarray, most: int = 60, close: float = CLOSE
) -> Descent:
    """Go down from θ (n, batch), at most so many steps, until χ² is `close` to its minimum.

    Cases stop one by one.
    """
    scale = objective.weighting.model.unknowns.scale[:, None]
    theta = np.array(theta, float)
    local = objective.local(theta)
    batch = theta.shape[1]
    damping, growth = np.full(batch, 1e-3), np.full(batch, 4.0)
    converged = decrement(local) < close
    running = ~converged & np.isfinite(local.cost)
    count = 0
    for _ in range(most):
        if not running.any():
            break
        count += 1
        some = np.flatnonzero(running)
        here = local.only(some)
        step, promised = _step(here, damping[some])
        trial = theta[:, some] + step * scale
        there = objective.of(some).local(trial)
        gained = here.cost - there.cost
        # So close to a minimum the change of χ² drowns in its rounding.
        tiny = promised < 1e-11 * (1.0 + here.cost)
        better = (gained > 0.0) | (tiny & (gained > -1e-9 * (1.0 + here.cost)))
        moved = some[better]
        theta[:, moved] = trial[:, better]
        local = local.put(moved, there.only(better))
        ratio = gained / np.where(promised > 0, promised, 1.0)
        shrink = np.maximum(1.0 / 10.0, 1.0 - (2.0 * np.clip(ratio, 0.0, 1.0) - 1.0) ** 3)
        damping[moved] *= shrink[better]
        growth[moved] = 4.0
        failed = some[~better]
        damping[failed] *= growth[failed]
        growth[failed] *= 2.0
        converged[some] = decrement(local.only(some)) < close
        converged[moved] |= tiny[better]
        running = running & ~converged & (damping < _GIVEN_UP)
    return Descent(theta, local, converged, count, scale[:, 0])


def decrement(local: Local) -> np.ndarray:
    """By how much a full step would lower χ² (batch,); ranges bound unobservable directions."""
    identity = np.eye(len(local.gradient))
    table = np.moveaxis(local.information, -1, 0) + identity
    solved = np.linalg.solve(table, local.gradient.T[..., None])[..., 0]
    return np.einsum("bn,nb->b", solved, local.gradient)


def across(local: Local, along: np.ndarray) -> np.ndarray:
    """Steps of Gauss and Newton (n, batch) that leave the place along directions (n, batch)."""
    table = np.moveaxis(local.information, -1, 0)
    unit = (along / np.linalg.norm(along, axis=0)).T
    count = unit.shape[1]
    keep = np.eye(count) - unit[:, :, None] * unit[:, None, :]
    # Along the direction any stiffness does: nothing pulls there. Directions in which the data
    # is blind get as much as rounding can tell from nothing.
    total = np.einsum("bnn->b", table)[:, None, None]
    stiff = keep @ table @ keep + (_FLOOR + _BLIND * total) * np.eye(count)
    stiff += total * unit[:, :, None] * unit[:, None, :]
    pull = keep @ local.gradient.T[..., None]
    return np.linalg.solve(stiff, pull)[..., 0].T


def _step(local: Local, damping: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Steps (n, batch) as shares of the ranges, and the χ² they promise to take away."""
    table = np.moveaxis(local.information, -1, 0)
    diagonal = np.einsum("bnn->bn", table)
    damped = table + np.einsum(
        "bn,nm->bnm",
        np.maximum(damping, _BLIND)[:, None] * diagonal + _FLOOR,
        np.eye(diagonal.shape[1]),
    )
    step = np.linalg.solve(damped, local.gradient.T[..., None])[..., 0]
    longest = np.abs(step).max(axis=1, keepdims=True)
    step = step * np.minimum(1.0, _FARTHEST / np.maximum(longest, 1e-300))
    bent = np.einsum("bn,bnm,bm->b", step, table, step)
    promised = 2.0 * np.einsum("bn,nb->b", step, local.gradient) - bent
    return step.T, promised


def _split(array: np.ndarray) -> list[np.ndarray]:
    """Batches small enough that their residuals fit in memory."""
    return np.array_split(array, max(1, -(-array.shape[1] // 1024)), axis=1)
