"""What an identification found: numbers for what can be known, words for what cannot."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from percuss.identification.data.left_out import LeftOut
from percuss.identification.data.measured_columns import Measured
from percuss.identification.data.sensors import Sensors
from percuss.identification.document import document_of
from percuss.identification.estimate.checks import Checks
from percuss.identification.estimate.fit import Fit
from percuss.identification.estimate.held_properties import HeldCondition, HeldProperties
from percuss.identification.forward.choice import Model
from percuss.identification.forward.known import KnownEncounter
from percuss.identification.forward.unknowns import Unknowns
from percuss.identification.observability.words import Combination, Unobservable, Weak
from percuss.identification.posterior.posterior import Posterior
from percuss.scenario.errors import shown as short

_SHOWN = 6
"""Estimates that a line at a prompt tells."""


@dataclass(frozen=True)
class JumpAccount:
    """What the jump of the robot's velocity alone tells of the target's, `names`."""

    rank: int
    names: tuple[str, ...]
    hidden: tuple[Unobservable, ...]


@dataclass(frozen=True)
class Row:
    """A line of the table: no estimate and no σ where a quantity cannot be known."""

    name: str
    estimate: float | None
    sigma: float | None
    unit: str
    how: str


@dataclass(frozen=True)
class History:
    """Standard deviations had the measurements ended earlier: (ends,) s and (ends, n), NaN where
    a quantity was not known by then."""

    time: np.ndarray
    sigmas: np.ndarray

    def __repr__(self) -> str:
        ends, count = self.sigmas.shape
        return f"<History of {count} standard deviations at {ends} ends to {self.time[-1]:g} s>"


@dataclass(frozen=True)
class Identification:
    """The target before the impact, from the robot's motion after it.

    Attributes:
        measured: with known biases taken off, joints by their names.
        fitted: what the model shows at the estimate (channels, times).
        distinct: which quantities have one value only: False where minima that fit equally well
            differ in it (n,).
        held: what of the target was taken as stated, and what hangs on it.
        posterior: samples of the full posterior, where they were asked for.
    """

    encounter: KnownEncounter
    measured: Measured
    sensors: Sensors
    model: Model
    fit: Fit
    fitted: np.ndarray
    checks: Checks
    distinct: np.ndarray
    combinations: tuple[Combination, ...]
    unobservable: tuple[Unobservable, ...]
    weak: tuple[Weak, ...]
    jump: JumpAccount | None
    history: History
    remedies: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    posterior: Posterior | None = None
    held: HeldProperties = field(default_factory=HeldProperties)
    seed: int = 0

    def __repr__(self) -> str:
        """What was found, at most six numbers of it; `rows` has all."""
        found = list(self.estimate.items())
        shown = [f"{name} {x:.4g} ± {self.sigma[name]:.2g}" for name, x in found[:_SHOWN]]
        rest = len(self.rows) - len(shown)
        more = f", {rest} more" if rest else ""
        name = short(self.encounter.name)
        said = ", ".join(shown) or "no number"
        return f"<Identification {name}: {said}{more}; residuals {self.fit.rms:.3g} σ>"

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """Samples that `robust` left out as outliers."""
        return self.measured.left_out

    @property
    def unknowns(self) -> Unknowns:
        return self.model.unknowns

    @property
    def settled(self) -> np.ndarray:
        """Which quantities the search had brought to rest (n,)."""
        return self.fit.settled

    @cached_property
    def given(self) -> np.ndarray:
        """Which quantities get a number (n,): known, at rest, and the same in every minimum."""
        return self.fit.known & self.distinct & self.settled

    @property
    def converged(self) -> bool:
        """Whether everything that can be known came to rest."""
        return bool(self.settled[self.fit.known].all())

    @property
    def estimate(self) -> dict[str, float]:
        """The estimates by name, in SI; what cannot be known is absent."""
        return self._chosen(self.fit.values)

    @property
    def sigma(self) -> dict[str, float]:
        """One standard deviation of each estimate."""
        return self._chosen(self.fit.sigmas)

    @property
    def interval(self) -> dict[str, tuple[float, float]]:
        """The intervals that hold the estimates with a probability of 95 %, by name, in SI."""
        low, high = (self._chosen(side) for side in self.fit.limits.T)
        return {name: (low[name], high[name]) for name in low}

    @property
    def bounds(self) -> dict[str, tuple[float, float]]:
        """95 % limits of quantities that are not known to first order, though not out of reach.

        What is measured changes only with their square or cube: whether they are small can be
        told, hardly more.
        """
        limits, ranges = self.fit.bounds, self.unknowns.ranges
        use = ~self.fit.known & ~self.fit.information.nuisance & self.settled
        use &= limits[:, 1] - limits[:, 0] < ranges
        names = self.unknowns.names
        return {names[k]: (float(limits[k, 0]), float(limits[k, 1])) for k in np.flatnonzero(use)}

    def _chosen(self, values: np.ndarray) -> dict[str, float]:
        use = self.given & ~self.fit.information.nuisance
        return {name: float(values[k]) for k, name in enumerate(self.unknowns.names) if use[k]}

    @property
    def covariance(self) -> np.ndarray:
        """The covariance of the estimates, in their order (k, k)."""
        use = self.given & ~self.fit.information.nuisance
        return self.fit.covariance[np.ix_(use, use)]

    @property
    def conditions(self) -> tuple[HeldCondition, ...]:
        """The properties of the target that the standard deviations take to be known exactly."""
        return self.held.conditions

    @property
    def warnings(self) -> tuple[str, ...]:
        """Why the numbers may be wrong."""
        found = list(self.checks.warnings)
        names = np.array(self.unknowns.names)
        if not self.converged:
            moving = ", ".join(names[self.fit.known & ~self.settled])
            found.insert(
                0,
                f"the search had not come to rest after {self.fit.iterations} steps, so that no "
                f"number is given for {moving}: ask for less, or begin nearer",
            )
        if self.fit.ambiguous:
            which = names[~self.distinct]
            found.append(
                f"{1 + len(self.fit.others)} different answers fit equally well: "
                f"{', '.join(which)} cannot be told from these measurements"
            )
        unsteady = self.fit.information.known & ~self.fit.steady & ~self.fit.information.nuisance
        if unsteady.any():
            found.append(
                f"{', '.join(names[unsteady])}: other values fit these measurements as well, so "
                "that no number is given"
            )
        return (*found, *(() if self.posterior is None else self.posterior.warnings))

    @property
    def draws(self) -> dict[str, np.ndarray] | None:
        """Samples of the posterior by name, of what is estimated; None where they are no good."""
        if self.posterior is None or not self.posterior.usable:
            return None
        names = self.posterior.names
        return {name: self.posterior.quantities[names.index(name)] for name in self.estimate}

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """The table: every unknown but errors of the robot's state, in order."""
        found: list[Row] = []
        information = self.fit.information
        for k, entry in enumerate(self.unknowns.entries):
            if information.nuisance[k]:
                continue
            if self.given[k]:
                value, sigma = float(self.fit.values[k]), float(self.fit.sigmas[k])
                found.append(
                    Row(
                        name=entry.name,
                        estimate=value,
                        sigma=sigma,
                        unit=entry.unit,
                        how=self._how(k),
                    )
                )
            else:
                found.append(
                    Row(
                        name=entry.name,
                        estimate=None,
                        sigma=None,
                        unit=entry.unit,
                        how=self._why_not(k),
                    )
                )
        return tuple(found)

    def _how(self, k: int) -> str:
        entry, jump = self.unknowns.entries[k], self.jump
        skew = "" if self.fit.shape.spread is None else ", along a bent valley"
        weakly = "weakly, " if entry.name in [weak.name for weak in self.weak] else ""
        if jump is not None and entry.name in jump.names:
            place = jump.names.index(entry.name)
            if all(abs(hidden.direction[place]) < 1e-9 for hidden in jump.hidden):
                return f"{weakly}from the jump and the motion after it{skew}"
        return f"{weakly}from the motion after the impact{skew}"

    def _why_not(self, k: int) -> str:
        if self.fit.information.known[k] and not self.fit.steady[k]:
            return "cannot be known: other values fit as well"
        if self.fit.known[k]:
            if self.distinct[k]:
                return "not estimated: the search did not come to rest"
            return "ambiguous: several values fit equally well"
        share = [abs(c.direction[k]) * self.unknowns.ranges[k] for c in self.combinations]
        largest = [np.abs(c.direction * self.unknowns.ranges).max() for c in self.combinations]
        if any(s > 0.01 * most for s, most in zip(share, largest, strict=True)):
            return "only in combination, see below"
        return "cannot be known"

    def document(self) -> dict[str, Any]:
        """What `identify.json` holds: plain data."""
        return document_of(self)

    def json(self) -> str:
        """The text of `identify.json`."""
        return json.dumps(self.document(), indent=2, allow_nan=False, ensure_ascii=False) + "\n"
