"""One line on each conservation law, and what a reader should be warned of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_ROUNDING = 1e-9
"""Relative change below which a quantity counts as conserved."""


@dataclass(frozen=True)
class Balance:
    """Energy (J) and momentum (N s, N m s about the world's origin), before and after.

    `sizes` are the sums over the bodies of |linear| and |angular| momentum, the larger of before
    and after; `passed_on` is what a held base gave to the world, about the world's origin.
    """

    energy_before: float
    energy_after: float
    before: Array
    after: Array
    sizes: Array
    passed_on: Array

    def change(self, part: slice) -> float:
        return float(np.linalg.norm(self.after[part] - self.before[part]))

    def missing(self, part: slice) -> float:
        """What neither the bodies nor the world have afterwards."""
        rest = self.after[part] - self.before[part] + self.passed_on[part]
        return float(np.linalg.norm(rest))

    def share(self, part: slice) -> float:
        """The missing momentum as a part of what there was."""
        there = float(np.linalg.norm(self.before[part]))
        return self.missing(part) / there if there > 0.0 else np.inf

    def is_missing(self, part: slice) -> bool:
        return self.missing(part) > _ROUNDING * float(self.sizes[_KIND[part.start]])


LINEAR, ANGULAR = slice(0, 3), slice(3, 6)
_KIND = {0: 0, 3: 1}


def verdict(balance: Balance) -> tuple[str, ...]:
    """Linear momentum, angular momentum, energy: a line each."""
    return (
        _momentum_line(balance, "linear momentum", LINEAR, "N s"),
        _momentum_line(balance, "angular momentum", ANGULAR, "N m s"),
        _energy_line(balance),
    )


def warnings(balance: Balance, closure: str, approach: float | None) -> tuple[str, ...]:
    """What the reader should know before using the numbers.

    `approach` is the normal velocity of a bounce (m/s), negative when the points approach.
    """
    found: list[str] = []
    if closure == "published":
        found.append(_published_warning(balance))
    elif balance.is_missing(LINEAR) or balance.is_missing(ANGULAR):
        found.append(
            f"momentum is not conserved: {balance.missing(LINEAR):.4g} N s and "
            f"{balance.missing(ANGULAR):.4g} N m s are missing"
        )
    if _energy_grows(balance):
        found.append(
            f"energy grew from {balance.energy_before:.6g} to {balance.energy_after:.6g} J"
        )
    if approach is not None and approach >= 0.0:
        found.append(
            "bounce: the contact points do not approach each other along the normal (normal "
            f"velocity {approach:.4g} m/s), so there is no impulse"
        )
    return tuple(found)


def _momentum_line(balance: Balance, name: str, part: slice, unit: str) -> str:
    size = float(balance.sizes[_KIND[part.start]])
    change, missing = balance.change(part), balance.missing(part)
    if balance.is_missing(part):
        share = balance.share(part)
        of = f" ({100 * share:.2g} %)" if np.isfinite(share) else ""
        return f"{name}: NOT conserved, {missing:.4g} {unit}{of} missing"
    passed = float(np.linalg.norm(balance.passed_on[part]))
    if passed > _ROUNDING * size:
        return f"{name}: not conserved, the held base passed {passed:.4g} {unit} to the world"
    if size == 0.0:
        return f"{name}: conserved (nothing moves)"
    return f"{name}: conserved (change {change:.2g} {unit} of {size:.4g} {unit})"


def _energy_line(balance: Balance) -> str:
    before, after = balance.energy_before, balance.energy_after
    if _energy_grows(balance):
        return f"energy: GAINED, {before:.4g} → {after:.4g} J"
    if before - after <= _ROUNDING * before:
        return f"energy: conserved ({before:.4g} J)"
    lost = before - after
    return f"energy: {before:.4g} → {after:.4g} J, {lost:.4g} J ({100 * lost / before:.2g} %) lost"


def _energy_grows(balance: Balance) -> bool:
    grown = balance.energy_after - balance.energy_before
    return grown > _ROUNDING * max(balance.energy_before, balance.energy_after)


def _published_warning(balance: Balance) -> str:
    parts = []
    for part, unit, name in ((LINEAR, "N s", "linear"), (ANGULAR, "N m s", "angular")):
        if balance.is_missing(part):
            share = balance.share(part)
            of = f" ({100 * share:.2g} %)" if np.isfinite(share) else ""
            parts.append(f"{balance.missing(part):.4g} {unit} of {name} momentum{of}")
    if not parts:
        return (
            "the published closure does not conserve momentum in general; it does here, where it "
            "happens to agree with pin; use pin or weld"
        )
    return f"the published closure loses {' and '.join(parts)}; use pin or weld"
