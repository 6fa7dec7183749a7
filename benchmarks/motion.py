"""The work that the benchmarks measure: free motion of a system."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import percuss


def motion(system: percuss.System) -> Callable[..., Any]:
    """x' = f for the free motion of a system, x = (q, v)."""
    nq = system.coordinate_count

    def rate_of_change(t: Any, x: Any, u: Any, p: Any) -> Any:
        del t, u, p
        q, v = x[:nq], x[nq:]
        rates = percuss.coordinate_rates(system, q, v)
        return np.concatenate([rates, percuss.forward_dynamics(system, q, v)])

    return rate_of_change


def initial(system: percuss.System, batch: int) -> np.ndarray:
    """The neutral pose with spread-out rates, shape (nq + nv, batch)."""
    rng = np.random.default_rng(0)
    q = np.repeat(percuss.neutral(system)[:, None], batch, axis=1)
    return np.concatenate([q, 0.1 * rng.normal(size=(system.rate_count, batch))])
