"""What is known together: a panel for each pair of quantities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from percuss.identification.result import Identification
from percuss.report.identify_style import BLUE, INK, SOFT, new, style, thinned
from percuss.report.letters import figure_text
from percuss.report.words import digits_for, number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_QUANTITIES = 8
"""Quantities in a corner plot."""


def corner_figure(found: Identification) -> Figure:
    """The Gaussian around the estimate, pair by pair, and `drawn` where there is more to show."""
    names = list(found.estimate)[:MOST_QUANTITIES]
    mean = np.array([found.estimate[name] for name in names])
    covariance = found.covariance[: len(names), : len(names)]
    sigma = np.sqrt(np.diag(covariance))
    every = drawn(found)
    draws = None if every is None else np.stack([every[name] for name in names])
    count = len(names)
    with style():
        figure = new(max(1.2 + 1.9 * count, 4.2), (1.0 if count > 2 else 1.6) + 1.7 * count)
        table = figure.subplots(count, count, squeeze=False)
        for row in range(count):
            for column in range(count):
                axes: Axes = table[row, column]
                if column > row:
                    axes.set_visible(False)
                    continue
                axes.tick_params(labelsize=7.5, labelbottom=row == count - 1)
                axes.tick_params(labelleft=column == 0)
                axes.set_xlim(-3.6, 3.6)
                if row == column:
                    own = None if draws is None else (draws[row] - mean[row]) / sigma[row]
                    _bell(axes, own)
                else:
                    pair = (column, row)
                    correlation = covariance[row, column] / (sigma[row] * sigma[column])
                    _ellipses(axes, float(correlation))
                    if draws is not None:
                        x, y = ((draws[k] - mean[k]) / sigma[k] for k in pair)
                        chosen = thinned(np.arange(len(x)))
                        axes.plot(
                            x[chosen], y[chosen], ".", color=SOFT, ms=1.5, alpha=0.4, zorder=1
                        )
                    axes.set_ylim(-3.6, 3.6)
                if row == count - 1:
                    axes.set_xlabel(figure_text(names[column]))
                if column == 0 and row:
                    axes.set_ylabel(figure_text(names[row]))
        sentences = [
            f"{n} = {number(m, digits_for(m, s))} ± {number(s, 2)}"
            for n, m, s in zip(names, mean, sigma, strict=True)
        ]
        more = len(found.estimate) - count
        title = "axes in standard deviations from the estimate\n" + _wrapped(sentences)
        title += f"\n{more} more are not drawn" if more else ""
        if count > 2:
            # There is room in the empty corner.
            figure.suptitle(figure_text(title), fontsize=9, x=0.99, y=0.99, ha="right", va="top")
        else:
            figure.suptitle(figure_text(title), fontsize=9)
        return figure


def drawn(found: Identification) -> dict[str, np.ndarray] | None:
    """Samples of what is estimated: of the posterior, or along a valley that bends; else None."""
    if found.draws is not None:
        return found.draws
    shape = found.fit.shape
    if shape.spread is None or shape.valley is None:
        return None
    quantities = np.asarray(found.unknowns.quantities(shape.valley.draws(found.seed)), float)
    names = found.unknowns.names
    return {name: quantities[names.index(name)] for name in found.estimate}


def _bell(axes: Axes, draws: np.ndarray | None) -> None:
    x = np.linspace(-3.6, 3.6, 181)
    if draws is not None:
        axes.hist(draws, bins=40, range=(-3.6, 3.6), density=True, color=SOFT, alpha=0.35)
    axes.plot(x, np.exp(-0.5 * x**2) / np.sqrt(2 * np.pi), color=BLUE, lw=1.5)
    axes.set_yticks([])
    axes.axvline(0, color=INK, lw=0.8)


def _ellipses(axes: Axes, correlation: float) -> None:
    """Draw the ellipses of one and two standard deviations of a pair with unit variances."""
    turn = np.linspace(0, 2 * np.pi, 121)
    # The Cholesky factor of [[1, r], [r, 1]] takes the circle to the ellipse.
    x = np.cos(turn)
    y = correlation * np.cos(turn) + np.sqrt(max(1 - correlation**2, 0.0)) * np.sin(turn)
    for size, alpha in ((2, 0.18), (1, 0.35)):
        axes.fill(size * x, size * y, color=BLUE, alpha=alpha, lw=0)
        axes.plot(size * x, size * y, color=BLUE, lw=1.0)
    axes.plot(0, 0, "+", color=INK, ms=6)


def _wrapped(parts: Sequence[str]) -> str:
    return "\n".join("   ".join(parts[k : k + 2]) for k in range(0, len(parts), 2))
