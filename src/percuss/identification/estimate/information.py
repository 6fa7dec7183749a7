"""How surely the unknowns can be known: Fisher information, and what is out of reach.

Everything is judged in units of the plausible ranges. Along a direction in which the standard
deviation exceeds the range the measurements say nothing that was not known before: it is
unobservable. A quantity is known when no such direction moves it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from percuss.identification.forward.unknowns import Unknowns
from percuss.identification.options import DEFAULT, SearchOptions
from percuss.model.errors import ModelError


@dataclass(frozen=True)
class Information:
    """Fisher information about quantities q, as a root R with information Rᵀ R.

    Attributes:
        names, units: of the quantities.
        ranges: plausible ranges (n,), in the units.
        root: (k, n), rows in standard deviations per unit.
        nuisance: which quantities have a prior and are of no interest themselves (n,).
        options: by which it is judged what is known.
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    ranges: np.ndarray
    root: np.ndarray
    nuisance: np.ndarray
    options: SearchOptions = DEFAULT

    def __post_init__(self) -> None:
        if not np.isfinite(self.root).all():
            raise ModelError("information: the derivatives of the measurements are no numbers")

    def __repr__(self) -> str:
        known = int(self.known.sum())
        return f"<Information about {len(self.names)} quantities, {known} of them known>"

    @property
    def matrix(self) -> np.ndarray:
        """Fisher information (n, n), per unit²."""
        return self.root.T @ self.root

    @cached_property
    def _directions(self) -> tuple[np.ndarray, np.ndarray]:
        """Information along principal directions, falling, and the directions (n, n), columns.

        In units of the ranges: 1 / information is the standard deviation as a share of them.
        """
        scaled = self.root * self.ranges
        _, sizes, axes = np.linalg.svd(scaled, full_matrices=True)
        full = np.zeros(len(self.ranges))
        full[: len(sizes)] = sizes
        return full, axes.T

    def of(self, kept: np.ndarray) -> Information:
        """Information about some of the quantities, chosen by (n,), where the others are held."""
        places = np.flatnonzero(kept)
        return Information(
            names=tuple(self.names[k] for k in places),
            units=tuple(self.units[k] for k in places),
            ranges=self.ranges[kept],
            root=self.root[:, kept],
            nuisance=self.nuisance[kept],
            options=self.options,
        )

    @property
    def strengths(self) -> np.ndarray:
        """Range over standard deviation along the principal directions, falling (n,)."""
        return self._directions[0]

    @property
    def rank(self) -> int:
        """Directions along which something is known."""
        return int((self.strengths > 1.0).sum())

    @cached_property
    def unobservable(self) -> np.ndarray:
        """Directions (n, k) in the quantities' units along which nothing is known.

        Columns, tidied so that each moves as few quantities as possible; largest entry, as a
        share of its range, 1.
        """
        sizes, axes = self._directions
        hidden = axes[:, sizes <= 1.0]
        tidy = sparse_basis(hidden)
        return tidy * self.ranges[:, None]

    @cached_property
    def leaks(self) -> np.ndarray:
        """The share of its range that each quantity moves along unobservable directions (n,)."""
        sizes, axes = self._directions
        return np.linalg.norm(axes[:, sizes <= 1.0], axis=1)

    @cached_property
    def covariance(self) -> np.ndarray:
        """(n, n): the Cramér–Rao bound; along unobservable directions the range stands in."""
        sizes, axes = self._directions
        spread = axes / np.maximum(sizes, 1.0)
        return (spread @ spread.T) * np.outer(self.ranges, self.ranges)

    @cached_property
    def sigmas(self) -> np.ndarray:
        """Standard deviations (n,); meaningless where `known` is false."""
        return np.sqrt(np.diag(self.covariance))

    @cached_property
    def observable_sigmas(self) -> np.ndarray:
        """Standard deviations (n,) where unobservable directions stay as they are."""
        sizes, axes = self._directions
        observable = sizes > 1.0
        return self.ranges * np.linalg.norm(axes[:, observable] / sizes[observable], axis=1)

    @cached_property
    def known(self) -> np.ndarray:
        """Which quantities can be given a number (n,)."""
        return (self.leaks <= self.options.acceptance.leak) & (self.sigmas <= self.ranges)

    def step(self, gradient: np.ndarray) -> np.ndarray:
        """Gauss–Newton step (n,) for a gradient Jᵀ r (n,), along observable directions only."""
        sizes, axes = self._directions
        observable = sizes > 1.0
        along = (
            axes[:, observable].T
            @ (np.asarray(gradient, float) * self.ranges)
            / sizes[observable] ** 2
        )
        return self.ranges * (axes[:, observable] @ along)

    def along(self, direction: np.ndarray) -> float:
        """Standard deviation of the combination direction · q, in its unit; inf if unobservable."""
        sizes, axes = self._directions
        observable = axes.T @ (np.asarray(direction, float) * self.ranges)
        hidden = sizes <= 1.0
        size = float(np.linalg.norm(observable))
        if np.linalg.norm(observable[hidden]) > self.options.acceptance.leak * size:
            return float("inf")
        return float(np.linalg.norm(observable / np.maximum(sizes, 1.0)))

    @cached_property
    def combinations(self) -> np.ndarray:
        """Directions d (n, k): combinations d · q that are known although their parts are not.

        Columns, orthogonal to all unobservable directions and to the quantities that are known
        by themselves; per unit of the quantities, largest share of a range 1.
        """
        sizes, axes = self._directions
        parts = ~self.known & ~self.nuisance
        if not parts.any():
            return np.zeros((len(self.ranges), 0))
        hidden = axes[:, sizes <= 1.0]
        # Within the quantities that are not known, what the hidden directions leave untouched.
        kept = np.eye(len(self.ranges))[:, parts]
        _, s, rows = np.linalg.svd(hidden[parts].T, full_matrices=True)
        rank = int((s > self.options.acceptance.leak).sum())
        found = kept @ sparse_basis(rows[rank:].T)
        return found / self.ranges[:, None]


def information(
    unknowns: Unknowns,
    theta: np.ndarray,
    slopes: np.ndarray,
    *,
    priors: bool = True,
    per: np.ndarray | None = None,
    options: SearchOptions = DEFAULT,
) -> Information:
    """Information about the reported quantities at θ (n,).

    `slopes` (rows, n) are derivatives of the prediction by θ in standard deviations, see
    `Weighting.whitened`; priors of the robot's state are added unless told otherwise. `per` (n, n)
    is d quantities / dθ there, for whoever has it.
    """
    rows = np.asarray(slopes, float)
    if priors:
        rows = np.concatenate([rows, np.diag(1.0 / unknowns.priors)])
    # Only Rᵀ R matters: the triangular factor stands for any number of rows.
    root = np.asarray(np.linalg.qr(rows, mode="r"))
    slopes_there = unknowns.slopes(theta) if per is None else per
    per_quantity = np.linalg.solve(slopes_there.T, root.T).T
    nuisance = np.isfinite(unknowns.priors)
    return Information(
        names=unknowns.names,
        units=unknowns.units,
        ranges=unknowns.ranges,
        root=per_quantity,
        nuisance=nuisance,
        options=options,
    )


def information_of(
    unknowns: Unknowns, theta: np.ndarray, matrix: np.ndarray, options: SearchOptions
) -> Information:
    """Information from that about θ (n, n) in shares of its ranges, priors included."""
    sizes, axes = np.linalg.eigh(matrix)
    root = np.sqrt(np.maximum(sizes, 0.0))[:, None] * axes.T / unknowns.scale
    return information(unknowns, theta, root, priors=False, options=options)


def against_time(
    unknowns: Unknowns,
    theta: np.ndarray,
    slopes: np.ndarray,
    times: np.ndarray,
    *,
    points: int = 50,
    options: SearchOptions = DEFAULT,
) -> tuple[np.ndarray, np.ndarray]:
    """Standard deviations of the quantities had the measurements ended earlier.

    Args:
        slopes: (components · times, n), as of `information`.
        times: s.
        points: how many ends are looked at.

    Returns:
        Ends (s), shape (k,), and standard deviations (k, n), NaN where a quantity is not known.
    """
    count = len(times)
    table = np.asarray(slopes, float).reshape(-1, count, len(unknowns))
    chosen = np.unique(np.linspace(1, count, min(points, count)).round().astype(int))
    found = []
    root, done = np.zeros((0, len(unknowns))), 0
    per = unknowns.slopes(theta)
    for last in chosen:
        # A triangular factor stands for all rows before.
        rows = table[:, done:last].reshape(-1, len(unknowns))
        root, done = np.asarray(np.linalg.qr(np.concatenate([root, rows]), mode="r")), last
        at = information(unknowns, theta, root, per=per, options=options)
        found.append(np.where(at.known, at.sigmas, np.nan))
    return np.asarray(times)[chosen - 1], np.array(found)


def sparse_basis(space: np.ndarray) -> np.ndarray:
    """A basis (n, k) of the same space by reduced columns: each moves few entries, largest 1.

    Gauss–Jordan with complete pivoting; entries of rounding size are set to zero.
    """
    table = np.array(space, float)
    n, k = table.shape
    free = list(range(n))
    for column in range(k):
        block = np.abs(table[free][:, column:])
        row, best = divmod(int(np.argmax(block)), k - column)
        pivot = free[row]
        table[:, [column, column + best]] = table[:, [column + best, column]]
        table[:, column] /= table[pivot, column]
        for other in range(k):
            if other != column:
                table[:, other] -= table[pivot, other] * table[:, column]
        free.remove(pivot)
    table[np.abs(table) < 1e-7] = 0.0
    sizes = np.abs(table).max(axis=0, initial=0.0)
    return table / np.where(sizes > 0, sizes, 1.0)
