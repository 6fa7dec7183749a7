"""How the figures look: one colour and one line for each closure, everywhere."""

from __future__ import annotations

import io
from typing import Any

COLORS = {"published": "#d55e00", "pin": "#0072b2", "weld": "#009e73"}
"""Distinguishable to colour-blind readers too."""

LINES = {
    "published": {"linewidth": 4.5, "alpha": 0.45},
    "pin": {"linewidth": 2.0},
    "weld": {"linewidth": 1.6, "linestyle": (0, (5, 2.5))},
}
"""Wide, plain, dashed: curves that coincide can all be seen."""

GREY = "#666666"
DPI = 100


def new_figure(width: float, height: float) -> Any:
    """A figure of this size (inches) that belongs to no window."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained", facecolor="white")


def plain(axes: Any) -> None:
    """Thin frame on two sides and a light grid."""
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=9)


def line(closure: str) -> dict[str, Any]:
    """Keywords of a closure's curve."""
    return {"color": COLORS[closure], "label": closure, **LINES[closure]}


def png(figure: Any) -> bytes:
    """The figure as a PNG file; without a date, so that the same figure is the same file."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=DPI, metadata={"Software": None})
    return buffer.getvalue()
