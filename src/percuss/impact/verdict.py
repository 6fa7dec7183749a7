"""What became of each conservation law in an impact, and what a reader should be warned of.

This is the one place that judges; terminals and reports show what is decided here.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_ROUNDING = 1e-9
"""Relative change below which a quantity counts as conserved."""

LINEAR, ANGULAR = slice(0, 3), slice(3, 6)
_MOMENTA = (("linear", LINEAR, "N s"), ("angular", ANGULAR, "N m s"))
_KIND = {0: 0, 3: 1}


class State(StrEnum):
    """What became of a law: nothing is wrong unless it is broken."""

    KEPT = "kept"
    LOST = "lost"
    """Energy that an impact took away, as it may."""
    PASSED_ON = "passed on"
    """Momentum that a held base gave to the world."""
    BROKEN = "broken"


@dataclass(frozen=True)
class ConservationLaw:
    """A conservation law, "linear momentum", "angular momentum" or "energy", and its fate."""

    name: str
    state: State
    text: str
    """A line for the reader, which begins with the name."""


@dataclass(frozen=True)
class ImpactBalance:
    """Energy (J) and momentum (N s, N m s about the world's origin), before and after.

    `sizes` are the sums over the bodies of the sizes of their linear and angular momentum, the
    larger of before and after (see `momentum_sizes`); `passed_on` is what a held base gave to
    the world, about the world's origin.
    """

    energy_before: float
    energy_after: float
    before: Array
    after: Array
    sizes: Array
    passed_on: Array
    mass: float | None = None
    """Of all bodies (kg), where all of them are free; None where a base is held."""

    @property
    def energy_scale(self) -> float:
        """What a change of energy (J) is judged by: the energy of the motion in the frame of the
        common centre of mass, which an observer who moves along sees, but never less than what
        rounding does to the whole."""
        whole = max(self.energy_before, self.energy_after)
        if self.mass is None:
            return whole
        common = float(self.before[LINEAR] @ self.before[LINEAR]) / (2.0 * self.mass)
        return max(self.energy_before - common, 1e-5 * whole)

    def size(self, part: slice) -> float:
        """What rounding is relative to."""
        return float(self.sizes[_KIND[part.start]])

    def change(self, part: slice) -> float:
        return float(np.linalg.norm(self.after[part] - self.before[part]))

    def missing(self, part: slice) -> float:
        """What neither the bodies nor the world have afterwards."""
        rest = self.after[part] - self.before[part] + self.passed_on[part]
        return float(np.linalg.norm(rest))

    def share(self, part: slice) -> float:
        """The missing momentum as a part of what there was; infinite if there was none."""
        there = float(np.linalg.norm(self.before[part]))
        return self.missing(part) / there if there > _ROUNDING * self.size(part) else np.inf

    def is_missing(self, part: slice) -> bool:
        return self.missing(part) > _ROUNDING * self.size(part)

    @property
    def gains_energy(self) -> bool:
        return self.energy_after - self.energy_before > _ROUNDING * self.energy_scale


def laws(balance: ImpactBalance) -> tuple[ConservationLaw, ...]:
    """Linear momentum, angular momentum, energy."""
    return (
        *(_momentum(balance, f"{kind} momentum", part, unit) for kind, part, unit in _MOMENTA),
        _energy(balance),
    )


def warnings(
    balance: ImpactBalance, closure: str, approach: float | None, *, conserves: bool = True
) -> tuple[str, ...]:
    """What the reader should know before using the numbers.

    `approach` is the normal velocity of a bounce (m/s), negative when the points approach.
    `conserves` says whether the closure keeps momentum by how it finds the velocities.
    """
    found: list[str] = []
    if not conserves:
        found.append(_of_a_loss(balance, closure))
    elif balance.is_missing(LINEAR) or balance.is_missing(ANGULAR):
        found.append(
            f"momentum is not conserved: {balance.missing(LINEAR):.4g} N s and "
            f"{balance.missing(ANGULAR):.4g} N m s are missing"
        )
    if balance.gains_energy:
        found.append(
            f"energy grew from {balance.energy_before:.6g} to {balance.energy_after:.6g} J"
        )
    if approach is not None and approach >= 0.0:
        found.append(
            "bounce: the contact points do not approach each other along the normal (normal "
            f"velocity {approach:.4g} m/s), so there is no impulse"
        )
    return tuple(found)


def percent(share: float) -> str:
    """A share as a reader wants it: never a power of ten, never the digits of rounding.

    What is not finite, the share of nothing, is a dash.

    >>> [percent(x) for x in (0.0, 3e-16, 0.00123, 0.1228, 0.9999999, 1.0, 2.5)]
    ['0 %', '< 0.1 %', '0.12 %', '12 %', '> 99.9 %', '100 %', '250 %']
    """
    if not np.isfinite(share):
        return "–"
    if share == 0.0:
        return "0 %"
    if share < 1e-3:
        return "< 0.1 %"
    if 0.999 < share < 1.0 - 1e-12:
        return "> 99.9 %"
    percentage = 100.0 * share
    if 10.0 <= percentage < 99.0 or percentage >= 100.0 - 1e-9:
        return f"{percentage:.0f} %"
    return f"{percentage:.1f} %" if percentage >= 99.0 else f"{percentage:.2g} %"


def _momentum(balance: ImpactBalance, name: str, part: slice, unit: str) -> ConservationLaw:
    size = balance.size(part)
    if balance.is_missing(part):
        missing = f"{balance.missing(part):.4g} {unit}{_of(balance.share(part))} missing"
        return ConservationLaw(name, State.BROKEN, f"{name}: NOT conserved, {missing}")
    passed = float(np.linalg.norm(balance.passed_on[part]))
    if passed > _ROUNDING * size:
        text = f"not conserved, the held base passed {passed:.4g} {unit} to the world"
        return ConservationLaw(name, State.PASSED_ON, f"{name}: {text}")
    if size == 0.0:
        return ConservationLaw(name, State.KEPT, f"{name}: conserved (nothing moves)")
    change = f"change {balance.change(part):.2g} {unit} of {size:.4g} {unit}"
    return ConservationLaw(name, State.KEPT, f"{name}: conserved ({change})")


def _energy(balance: ImpactBalance) -> ConservationLaw:
    before, after = balance.energy_before, balance.energy_after
    if balance.gains_energy:
        return ConservationLaw(
            "energy", State.BROKEN, f"energy: GAINED, {before:.4g} → {after:.4g} J"
        )
    lost = before - after
    if lost <= _ROUNDING * balance.energy_scale:
        return ConservationLaw("energy", State.KEPT, f"energy: conserved ({before:.4g} J)")
    if after <= _ROUNDING * before:
        return ConservationLaw("energy", State.LOST, f"energy: {before:.4g} → 0 J, all of it lost")
    text = f"energy: {before:.4g} → {after:.4g} J, {lost:.4g} J ({percent(lost / before)}) lost"
    return ConservationLaw("energy", State.LOST, text)


def _of(share: float) -> str:
    """The share in brackets, where it says something."""
    if not np.isfinite(share):
        return ""
    if abs(share - 1.0) <= _ROUNDING:
        return " (all of it)"
    return f" ({percent(share)})"


def _of_a_loss(balance: ImpactBalance, closure: str) -> str:
    """The sentence that a closure does not keep momentum, and what it loses here."""
    parts = [
        f"{balance.missing(part):.4g} {unit} of {kind} momentum{_of(balance.share(part))}"
        for kind, part, unit in _MOMENTA
        if balance.is_missing(part)
    ]
    if not parts:
        return (
            f"the {closure} closure does not conserve momentum in general; it does here, where it "
            "happens to agree with pin; use pin or weld"
        )
    return f"the {closure} closure loses {' and '.join(parts)}; use pin or weld"
