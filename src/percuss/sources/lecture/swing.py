"""The arm falls freely: with the right equations it keeps its energy, with h2 as printed not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from percuss.algebra.scalars import pack, plain, sin, terms, unpack
from percuss.dynamics import forward_dynamics, kinetic_energy, potential_energy
from percuss.sources.lecture.arm import SAMPLE

Array = np.ndarray

DURATION = 4.0
START = (0.0, 1.0)
"""Joint angles from which the arm falls, at rest (rad)."""


@dataclass(frozen=True)
class Swing:
    """Times (n,), angles and rates (2, n), energy T + V (n,), J."""

    t: Array
    q: Array
    v: Array
    energy: Array

    @property
    def gain(self) -> Array:
        """Energy less that at the start (J)."""
        return self.energy - self.energy[0]


def printed_surplus(q: Array, v: Array) -> Array:
    """What h of the lecture has more than the right one: (0, c2 l θ̇1² (θ2 − sin θ2)), N m."""
    extra = _surplus(q[1], v[0])
    return np.array([np.zeros_like(extra), extra])


def _surplus(angle: Any, rate: Any) -> Any:
    return plain((SAMPLE.c2 * SAMPLE.length) * (terms(rate) * rate * (terms(angle) - sin(angle))))


@lru_cache(maxsize=1)
def _compiled() -> Callable[[Array, float], Array]:
    """(q and v, share of the printed error) → their derivatives."""
    from percuss import kernel

    def change(state: Any, share: Any) -> Any:
        q1, q2, v1, v2 = unpack(state, 4, "state")
        # A surplus of h acts like a torque the other way.
        torque = plain(-(terms(share) * _surplus(q2, v1)))
        a = forward_dynamics(SAMPLE.system, pack([q1, q2]), pack([v1, v2]), pack([0.0, torque]))
        return pack([v1, v2, *unpack(a, 2, "a")])

    return kernel.compile(change, np.zeros(4), 0.0)


@lru_cache(maxsize=2)
def swing(as_printed: bool) -> Swing:
    """M q̈ = fᵍ − h without torques, h right or as printed."""
    from scipy.integrate import solve_ivp

    arm, share, change = SAMPLE.system, 1.0 if as_printed else 0.0, _compiled()
    times = np.linspace(0.0, DURATION, 401)
    found = solve_ivp(
        lambda _, state: change(state, share),
        (0.0, DURATION),
        [*START, 0.0, 0.0],
        method="DOP853",
        t_eval=times,
        rtol=1e-10,
        atol=1e-10,
    )
    if not found.success:
        raise ArithmeticError(f"the swing could not be integrated: {found.message}")
    q, v = found.y[:2], found.y[2:]
    energy = np.asarray(kinetic_energy(arm, q, v) + potential_energy(arm, q), float)
    return Swing(times, q, v, energy)
