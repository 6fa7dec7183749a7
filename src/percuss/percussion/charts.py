"""The paper's design charts (figures 4, 5 and 6) as arrays, for any body.

In C_ID and φ they hold for every body; `impact_distance` puts metres to C_ID.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from percuss.model.errors import ModelError
from percuss.percussion.admissible import Interval, coefficient_interval, least_angle
from percuss.percussion.fixed_axis import ratio_of
from percuss.percussion.sensitivity import Slopes, slopes_of

Array = NDArray[np.float64]

ANGLES = tuple(math.radians(angle) for angle in (90.0, 80.0, 70.0, 60.0, 45.0, 30.0))
COEFFICIENTS = (1.0, 0.8, 0.6, 0.4, 0.2)


@dataclass(frozen=True)
class SlopeChart:
    """Figure 4: how fast the reaction changes with the angle (per rad) and with C_ID.

    `by_angle` (coefficients, angles) and `by_coefficient` (angles drawn, coefficients).
    """

    angles: Array
    coefficients: Array
    drawn_coefficients: tuple[float, ...]
    drawn_angles: tuple[float, ...]
    by_angle: Array
    by_coefficient: Array


def slope_chart(
    drawn_coefficients: Sequence[float] = COEFFICIENTS,
    drawn_angles: Sequence[float] = ANGLES,
    count: int = 361,
) -> SlopeChart:
    """Figure 4, angles in rad from 0 to π and C_ID from 0 to 2 on `count` points each."""
    angles, coefficients = np.linspace(0.0, math.pi, count), np.linspace(0.0, 2.0, count)
    # Where the reaction vanishes the slope jumps: a gap there, not a line across the jump.
    by_angle = np.stack([_gapped(slopes_of(c, angles), "angle") for c in drawn_coefficients])
    by_coefficient = np.stack(
        [_gapped(slopes_of(coefficients, a), "coefficient") for a in drawn_angles]
    )
    return SlopeChart(
        angles=angles,
        coefficients=coefficients,
        drawn_coefficients=tuple(drawn_coefficients),
        drawn_angles=tuple(drawn_angles),
        by_angle=by_angle,
        by_coefficient=by_coefficient,
    )


def _gapped(found: Slopes, name: str) -> Array:
    size = np.hypot(*(np.asarray(part) for part in found.reaction))
    return np.where(size < 1e-12, np.nan, np.asarray(found.ratio[name]))


@dataclass(frozen=True)
class FeasibleRegion:
    """Figure 5: C_ID between `lower` and `upper` keep the limit at each of `angles` (rad).

    The angles run from φ_min to π - φ_min, all (n,); outside them nothing keeps the limit.
    """

    limit: float
    angles: Array
    lower: Array
    upper: Array


def feasible_region(limit: float, count: int = 361) -> FeasibleRegion:
    """Figure 5 for a limit Ω < 1."""
    if not 0.0 <= limit < 1.0:
        raise ModelError(f"limit must be ≥ 0 and < 1 for the region to have an edge, got {limit:g}")
    # Close to φ_min the edge is a square root: cosines put points where it bends.
    middle, half = math.pi / 2, math.pi / 2 - least_angle(limit)
    angles = middle - half * np.cos(np.linspace(0.0, math.pi, count))
    across, along = np.sin(angles), np.cos(angles)
    width = np.sqrt(np.maximum((limit - along) * (limit + along), 0.0)) / across
    return FeasibleRegion(limit, angles, 1.0 - width, 1.0 + width)


@dataclass(frozen=True)
class DesignChart:
    """Figure 6: reaction over C_ID at constant angles, with a designer's limits.

    `ratios` (angles, coefficients). `points` are the paper's A … H as (C_ID, Ω) and `regions`
    polygons (n, 2): "within" (i), "steeper required" (iii, two of them) and "closer allowed"
    (ii). Without limits both are empty.
    """

    coefficients: Array
    angles: tuple[float, ...]
    ratios: Array
    limit: float | None
    angle: float | None
    points: dict[str, tuple[float, float]]
    regions: dict[str, tuple[Array, ...]]


def design_chart(
    limit: float | None = None,
    angle: float | None = None,
    drawn_angles: Sequence[float] = ANGLES,
    count: int = 401,
) -> DesignChart:
    """Figure 6; `limit` Ω and least `angle` (rad) are the designer's, given both or neither.

    The limit must be reachable at that angle, Ω ≥ cos φ, and below 1.
    """
    coefficients = np.linspace(0.0, 2.0, count)
    ratios = np.stack([np.asarray(ratio_of(coefficients, a)) for a in drawn_angles])
    if limit is None and angle is None:
        return DesignChart(
            coefficients=coefficients,
            angles=tuple(drawn_angles),
            ratios=ratios,
            limit=None,
            angle=None,
            points={},
            regions={},
        )
    if limit is None or angle is None:
        raise ModelError("give both limit and angle, or neither")
    if not 0.0 <= limit < 1.0:
        raise ModelError(f"limit must be ≥ 0 and < 1 for the chart's regions, got {limit:g}")
    edges = coefficient_interval(limit, angle)
    if edges is None:
        raise ModelError(
            f"no impact under {math.degrees(angle):g}° keeps the limit {limit:g}: the angle must "
            f"be at least {math.degrees(least_angle(limit)):.6g}°"
        )
    points = _points(limit, angle, edges)
    regions = _regions(angle, edges, points)
    return DesignChart(
        coefficients=coefficients,
        angles=tuple(drawn_angles),
        ratios=ratios,
        limit=limit,
        angle=angle,
        points=points,
        regions=regions,
    )


def _points(limit: float, angle: float, edges: Interval) -> dict[str, tuple[float, float]]:
    low, high = edges.lower, edges.upper
    return {
        "A": (1.0 - limit, limit),
        "B": (low, limit),
        "C": (high, limit),
        "D": (1.0 + limit, limit),
        "E": (high, abs(1.0 - high)),
        "F": (1.0, 0.0),
        "G": (low, abs(1.0 - low)),
        "H": (1.0, abs(math.cos(angle))),
    }


def _regions(
    angle: float, edges: Interval, points: dict[str, tuple[float, float]]
) -> dict[str, tuple[Array, ...]]:
    along = np.linspace(edges.lower, edges.upper, 181)
    curve = np.column_stack([along, np.asarray(ratio_of(along, angle))])  # B, H, C
    within = np.vstack([curve, [points["E"], points["F"], points["G"]]])
    closer = np.vstack([curve, [points["C"], points["B"]]])
    left = np.array([points["A"], points["B"], points["G"]])
    right = np.array([points["C"], points["D"], points["E"]])
    return {"within": (within,), "closer allowed": (closer,), "steeper required": (left, right)}
