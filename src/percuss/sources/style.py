"""How figures of reproduced documents look, on paper and on a dark page alike.

The background is opaque white and all ink is dark, so a figure is the same wherever it is shown.
"""

from __future__ import annotations

import io
from typing import Any

BLUE = "#0072b2"
ORANGE = "#d55e00"
GREEN = "#009e73"
PURPLE = "#8a4f7d"
GREY = "#666666"
"""Colours that colour-blind readers tell apart, and that differ in grey print."""

DPI = 100
_EDGE = 0.1
"""Free room around the axes, inches."""


def new_figure(width: float, height: float) -> Any:
    """A figure of this size (inches) that belongs to no window."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained", facecolor="white")
    # Room at the edges: on a dark page the white ends there.
    figure.get_layout_engine().set(w_pad=_EDGE, h_pad=_EDGE)  # type: ignore[union-attr]
    return figure


def plain(axes: Any) -> None:
    """Thin frame on two sides and a light grid."""
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=9)


def png(figure: Any) -> bytes:
    """The figure as a PNG file; without a date, so that the same figure is the same file."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=DPI, metadata={"Software": None})
    return buffer.getvalue()


def svg(figure: Any) -> bytes:
    """The figure as an SVG file, letters as outlines; the same figure is the same file."""
    from matplotlib import rc_context

    buffer = io.BytesIO()
    with rc_context({"svg.hashsalt": "percuss", "svg.fonttype": "path"}):
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    return buffer.getvalue()
