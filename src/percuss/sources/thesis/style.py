"""How the figures look: one colour and one line for each closure, everywhere."""

from __future__ import annotations

from typing import Any

from percuss.sources.style import BLUE, GREEN, ORANGE

COLORS = {"published": ORANGE, "pin": BLUE, "weld": GREEN}

LINES = {
    "published": {"linewidth": 4.5, "alpha": 0.45},
    "pin": {"linewidth": 2.0},
    "weld": {"linewidth": 1.6, "linestyle": (0, (5, 2.5))},
}
"""Wide, plain, dashed: curves that coincide can all be seen."""


def line(closure: str) -> dict[str, Any]:
    """Keywords of a closure's curve."""
    return {"color": COLORS[closure], "label": closure, **LINES[closure]}
