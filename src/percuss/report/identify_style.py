"""How the figures of an identification look."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BLUE, ORANGE, INK, SOFT = "#0072b2", "#d55e00", "#1c232b", "#66707c"
"""Told apart by colour-blind readers, and in grey print."""
MOST_POINTS = 2_000
"""Samples of a channel that are drawn."""

_STYLE: Any = {
    "font.size": 9.5,
    "axes.titlesize": 10.5,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.edgecolor": "#8a94a0",
    "grid.color": "#e6e9ee",
    "legend.frameon": False,
    "figure.facecolor": "white",
}


def thinned(places: np.ndarray) -> np.ndarray:
    step = -(-len(places) // MOST_POINTS) if len(places) else 1
    return places[::step]


def style() -> Any:
    from matplotlib import rc_context

    return rc_context(_STYLE)


def new(width: float, height: float) -> Figure:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")
