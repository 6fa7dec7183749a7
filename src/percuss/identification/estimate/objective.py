"""χ² of measured values under a model, and its quadratic model, for many cases at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from percuss.identification.estimate.residuals import Weighting

_LARGEST = 1e100
"""Information that is no number any more."""


@dataclass(frozen=True)
class Local:
    """χ² of cases and its quadratic model in the unknowns as shares of their ranges.

    `cost` (batch,), `gradient` (n, batch) is Jᵀ r, pointing downhill, `information` (n, n, batch)
    is Jᵀ J; priors included. `residuals` r (rows, batch) and `slopes` J (rows, n, batch) are of
    the measurements alone.
    """

    cost: np.ndarray
    gradient: np.ndarray
    information: np.ndarray
    residuals: np.ndarray
    slopes: np.ndarray

    @property
    def _parts(self) -> tuple[np.ndarray, ...]:
        return (self.cost, self.gradient, self.information, self.residuals, self.slopes)

    def put(self, cases: np.ndarray, other: Local) -> None:
        """Replace some cases, in place: these arrays are large."""
        for own, new in zip(self._parts, other._parts, strict=True):
            own[..., cases] = new

    def only(self, cases: np.ndarray) -> Local:
        return Local(*(part[..., cases] for part in self._parts))

    def joined(self, other: Local) -> Local:
        """Join these cases and the others, these first."""
        pairs = zip(self._parts, other._parts, strict=True)
        return Local(*(np.concatenate(pair, axis=-1) for pair in pairs))


@dataclass(frozen=True)
class FitObjective:
    """χ² of measured values under a model: residuals in standard deviations, and priors.

    `measured` (channels, times, cases) and `owner` (batch,), the case each θ belongs to.
    """

    weighting: Weighting
    measured: np.ndarray
    owner: np.ndarray

    def local(self, theta: np.ndarray) -> Local:
        """χ² with its derivatives at θ (n, batch)."""
        model = self.weighting.model
        done = 0
        found: list[tuple[np.ndarray, ...]] = []
        scale = model.unknowns.scale
        for part in model.parts(theta):
            owner = self.owner[done : done + part.shape[1]]
            done += part.shape[1]
            values, slopes = model.linearised_part(part)
            residuals, J = self.weighting.whitened(self.measured[..., owner], values, slopes)
            J = J * scale[:, None]
            # Motion that leaves all bounds overflows; it is no place to be.
            with np.errstate(over="ignore", invalid="ignore"):
                cost = np.einsum("kb,kb->b", residuals, residuals)
                gradient = np.einsum("knb,kb->nb", J, residuals)
                by_case = np.ascontiguousarray(np.moveaxis(J, -1, 0))
                information = np.moveaxis(by_case.transpose(0, 2, 1) @ by_case, 0, -1)
            found.append((cost, gradient, information, residuals, J))
        whole = Local(*(np.concatenate(parts, axis=-1) for parts in zip(*found, strict=True)))
        return self._with_priors(theta, whole)

    def residuals(self, theta: np.ndarray) -> np.ndarray:
        """The residuals of the measurements (rows, batch) at θ (n, batch), in sigmas."""
        values = self.weighting.model(theta)
        return self.weighting.residuals(self.measured[..., self.owner], values)

    def cost(self, theta: np.ndarray) -> np.ndarray:
        """χ² (batch,) at θ (n, batch)."""
        away = theta / self.weighting.model.unknowns.priors[:, None]
        cost = (away**2).sum(axis=0)
        for some in _split(theta.shape[1]):
            residuals = self.of(some).residuals(theta[:, some])
            with np.errstate(over="ignore", invalid="ignore"):
                cost[some] += (residuals**2).sum(axis=0)
        return np.nan_to_num(cost, nan=np.inf)

    def total(self, theta: np.ndarray, residuals: np.ndarray) -> np.ndarray:
        """χ² (batch,) at θ (n, batch) of residuals (rows, batch) there, with the priors."""
        away = theta / self.weighting.model.unknowns.priors[:, None]
        return np.einsum("kb,kb->b", residuals, residuals) + (away**2).sum(axis=0)

    def with_slopes(self, theta: np.ndarray, slopes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """χ² (batch,) at θ (n, batch), and its gradient (n, batch), see `Local`, by slopes (rows,
        n, batch) of some place nearby: these take many times as long as χ²."""
        unknowns = self.weighting.model.unknowns
        residuals = self.residuals(theta)
        away = theta / unknowns.priors[:, None]
        with np.errstate(over="ignore", invalid="ignore"):
            cost = np.nan_to_num(self.total(theta, residuals), nan=np.inf)
            gradient = np.einsum("knb,kb->nb", slopes, residuals)
        weight = unknowns.scale / unknowns.priors
        sound = np.isfinite(cost) & np.isfinite(gradient).all(axis=0)
        cost = np.where(sound, cost, np.inf)
        return cost, np.where(sound, gradient, 0.0) - weight[:, None] * away

    def of(self, cases: np.ndarray) -> FitObjective:
        """The objective of some of the θ."""
        return FitObjective(self.weighting, self.measured, self.owner[cases])

    def _with_priors(self, theta: np.ndarray, local: Local) -> Local:
        unknowns = self.weighting.model.unknowns
        # The robot's errors are zero in the scenario, and so is their prior mean.
        weight = unknowns.scale / unknowns.priors
        away = theta / unknowns.priors[:, None]
        cost = local.cost + (away**2).sum(axis=0)
        sound = np.isfinite(cost) & (np.einsum("nnb->b", local.information) < _LARGEST)
        return Local(
            cost=np.where(sound, cost, np.inf),
            gradient=np.where(sound, local.gradient, 0.0) - weight[:, None] * away,
            information=np.where(sound, local.information, 0.0) + np.diag(weight**2)[..., None],
            residuals=local.residuals,
            slopes=local.slopes,
        )


@dataclass(frozen=True)
class Tied:
    """χ² and a pull towards `places` (n, batch): Σ κ (θ - places)², in units of the ranges.

    `pull` is κ, (n,).
    """

    objective: FitObjective
    places: np.ndarray
    pull: np.ndarray

    @property
    def weighting(self) -> Weighting:
        return self.objective.weighting

    def local(self, theta: np.ndarray) -> Local:
        free = self.objective.local(theta)
        away = (theta - self.places) / self.weighting.model.unknowns.scale[:, None]
        pull = self.pull[:, None] * away
        return Local(
            cost=free.cost + (pull * away).sum(axis=0),
            gradient=free.gradient - pull,
            information=free.information + np.diag(self.pull)[..., None],
            residuals=free.residuals,
            slopes=free.slopes,
        )

    def residuals(self, theta: np.ndarray) -> np.ndarray:
        return self.objective.residuals(theta)

    def total(self, theta: np.ndarray, residuals: np.ndarray) -> np.ndarray:
        """χ² (batch,) at θ (n, batch) of residuals (rows, batch) there, with the pull."""
        away = (theta - self.places) / self.weighting.model.unknowns.scale[:, None]
        return self.objective.total(theta, residuals) + (self.pull[:, None] * away**2).sum(axis=0)

    def of(self, cases: np.ndarray) -> Tied:
        return Tied(self.objective.of(cases), self.places[:, cases], self.pull)


def _split(count: int) -> list[np.ndarray]:
    """Places of batches small enough that their residuals fit in memory."""
    return np.array_split(np.arange(count), max(1, -(-count // 1024)))
