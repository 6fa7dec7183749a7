"""Figures 4, 5 and 6 of the paper as data, and drawn."""

from __future__ import annotations

import io
import math

import numpy as np
import pytest

from percuss import ModelError
from percuss.percussion import ratio_of
from percuss.percussion.charts import design_chart, feasible_region, slope_chart
from percuss.report.percussion_figures import design_figure, feasible_figure, slope_figure
from tests.percussion.test_fixed_axis import LINK_2

DESIGN = (0.4, math.radians(70))


def test_figure_4_is_steepest_at_the_centre_of_percussion() -> None:
    chart = slope_chart()
    steepest = np.nanmax(np.abs(chart.by_angle), axis=1)
    assert steepest[0] == pytest.approx(1.0, abs=1e-4)
    assert np.all(np.diff(steepest) < 0), "the farther from C_ID = 1 the flatter"
    normal = chart.by_coefficient[0]
    assert set(normal[~np.isnan(normal)]) == {-1.0, 1.0}, "constant on both sides at 90°"


def test_figure_5_edges_have_the_limit_as_reaction() -> None:
    region = feasible_region(0.4)
    for edge in (region.lower, region.upper):
        felt = np.asarray(ratio_of(edge, region.angles))
        assert felt == pytest.approx(np.full_like(felt, 0.4), abs=1e-12)
    assert math.degrees(region.angles[0]) == pytest.approx(66.421822, abs=5e-7)
    assert (region.lower.min(), region.upper.max()) == pytest.approx((0.6, 1.4), abs=1e-12)


def test_figure_6_has_the_regions_of_the_example() -> None:
    chart = design_chart(*DESIGN)
    assert chart.points["B"] == pytest.approx((0.77927039, 0.4), abs=5e-9)
    assert chart.points["C"] == pytest.approx((1.2207296, 0.4), abs=5e-8)
    assert chart.points["A"] == pytest.approx((0.6, 0.4))
    assert chart.points["H"] == pytest.approx((1.0, math.cos(DESIGN[1])))
    rng = np.random.default_rng(0)
    from matplotlib.path import Path

    paths = {name: [Path(p) for p in parts] for name, parts in chart.regions.items()}
    for coefficient in rng.uniform(0.0, 2.0, 400):
        angle = float(rng.uniform(0.0, math.pi / 2))
        felt = float(ratio_of(coefficient, angle))  # type: ignore[arg-type]
        inside = {
            name for name, parts in paths.items()
            if any(part.contains_point((coefficient, felt)) for part in parts)
        }  # fmt: skip
        everywhere = chart.points["B"][0] <= coefficient <= chart.points["C"][0]
        expected = set()
        if felt <= 0.4:
            steep = angle >= DESIGN[1]
            expected = {
                ("within" if steep else "closer allowed") if everywhere else "steeper required"
            }
        assert inside == expected, f"C_ID {coefficient}, {math.degrees(angle)}°, reaction {felt}"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((0.4, None), "give both limit and angle, or neither"),
        ((1.0, 1.2), "limit must be ≥ 0 and < 1"),
        ((0.2, 1.0), "the angle must be at least 78.463"),
    ],
)
def test_limits_that_draw_nothing_are_refused(
    arguments: tuple[float | None, float | None], words: str
) -> None:
    with pytest.raises(ModelError, match=words):
        design_chart(*arguments)


def test_figure_5_needs_an_edge() -> None:
    with pytest.raises(ModelError, match="for the region to have an edge"):
        feasible_region(1.0)


def test_the_figures_can_be_drawn() -> None:
    impact = (1.2, math.radians(75))
    for figure in (
        slope_figure(),
        feasible_figure(body=LINK_2),
        feasible_figure((0.3,)),
        design_figure(),
        design_figure(*DESIGN, LINK_2, impact),
    ):
        buffer = io.BytesIO()
        figure.savefig(buffer, format="png", dpi=40)
        assert buffer.getvalue().startswith(b"\x89PNG")
