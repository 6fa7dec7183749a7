"""The fastest rate in equations of motion: what bounds the steps of an explicit integration."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from percuss.encounter.equations import Equations

_NUDGE = 1e-7
"""Step of the central differences: some 1e-9 of the rates of change are lost to rounding, and a
dry friction smoothed over 1e-6 rad/s still shows its slope."""
_PROBES = 16
"""States next to each other at which rounding is looked at."""


@dataclass(frozen=True)
class Rate:
    """The eigenvalue λ (1/s) of ∂ẋ/∂x that is largest in size, with the entry of x that takes part
    in it most, and its right and left eigenvectors (n,)."""

    value: complex
    entry: int
    right: np.ndarray = field(compare=False, repr=False)
    left: np.ndarray = field(compare=False, repr=False)

    @property
    def size(self) -> float:
        """|λ| (1/s)."""
        return abs(self.value)


def jacobian(equations: Equations, t: float, x: np.ndarray) -> np.ndarray:
    """∂ẋ/∂x of coordinates, rates and wheels at a flat state, shape (n, n), by differences.

    The integrals that follow them in x influence nothing. Entries that are not finite are 0:
    there the differences left what numbers can hold.
    """
    return _differences(equations, t, x)[0]


def _differences(equations: Equations, t: float, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """∂ẋ/∂x and ∂u/∂x, the columns those of coordinates, rates and wheels."""
    count = equations.slices["wheels"].stop
    nudges = _NUDGE * (1.0 + 1e-2 * np.abs(x[:count]))
    around = np.repeat(np.asarray(x, float)[:, None], 2 * count, axis=1)
    own = np.arange(count)
    around[own, own] += nudges
    around[own, own + count] -= nudges
    rates, commands = _evaluated(equations, t, around)
    # What was added is what the sum holds of it.
    spans = around[own, own] - around[own, own + count]
    tables = []
    for values in (rates[:count], commands):
        with np.errstate(all="ignore"):
            found = (values[:, :count] - values[:, count:]) / spans
        tables.append(np.where(np.isfinite(found), found, 0.0))
    return tables[0], tables[1]


def fastest(table: np.ndarray) -> Rate:
    """The largest eigenvalue of ∂ẋ/∂x, and who takes part in it.

    Participation is |w_k v_k| with the left and the right eigenvector (Pérez-Arriaga, Verghese
    and Schweppe, 1982): it does not depend on the units of x.
    """
    values, right = np.linalg.eig(table)
    k = int(np.argmax(np.abs(values)))
    transposed, left = np.linalg.eig(table.T)
    same = int(np.argmin(np.abs(transposed - values[k])))
    one, other = right[:, k], left[:, same]
    return Rate(complex(values[k]), int(np.argmax(np.abs(other * one))), one, other)


def command_jacobian(equations: Equations, t: float, x: np.ndarray) -> np.ndarray:
    """∂u/∂x of the law's commands at a flat state, shape (own rates, n), by differences."""
    return _differences(equations, t, x)[1]


def rounding(equations: Equations, t: float, x: np.ndarray) -> np.ndarray:
    """How far ẋ scatters when x changes in its last digits, shape (n,): what rounding leaves.

    Masses that differ by many powers of ten, or large numbers that cancel, make it large.
    """
    count = equations.slices["wheels"].stop
    draw = np.random.default_rng(0)
    around = np.repeat(np.asarray(x, float)[:, None], _PROBES, axis=1)
    around *= 1.0 + 2e-16 * draw.integers(-2, 3, size=around.shape)
    with np.errstate(all="ignore"):
        scatter = np.std(_evaluated(equations, t, around)[0][:count], axis=1)
    return np.where(np.isfinite(scatter), scatter, 0.0)


def _evaluated(equations: Equations, t: float, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """ẋ and u at many states (entries, n) at the same time."""
    times = np.full(states.shape[1], float(t))
    rates, commands = equations.compiled(times, states)
    return np.asarray(rates, float), np.asarray(commands, float)
