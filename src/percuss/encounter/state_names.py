"""Entries of the flat state of equations of motion in words."""

from __future__ import annotations

import numpy as np

from percuss.encounter.equations import Equations


def entry_name(equations: Equations, entry: int) -> str:
    """A coordinate or rate of the flat state in words."""
    tree, rates = equations.system, equations.slices["v"]
    if entry < rates.start:
        return f"coordinate {tree.coordinate_names[entry]!r}"
    if entry < rates.stop:
        return f"rate {tree.rate_names[entry - rates.start]!r}"
    return "the momentum in the wheels"


def largest_rate(equations: Equations, x: np.ndarray) -> tuple[str, float, str]:
    """Name, value and unit of the rate that is largest in size."""
    rates = x[equations.slices["v"]]
    k = int(np.argmax(np.abs(rates)))
    unit = equations.system.rate_units[k]
    return entry_name(equations, equations.slices["v"].start + k), float(rates[k]), unit
