"""Rotations that go on past a turn, charts by unit, and figures for paper."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import percuss
from percuss.report import plot
from percuss.report.charts import charts, drift
from percuss.report.rotation import turned
from percuss.simulate.record import Variable
from tests.report import captures
from tests.report.captures import Capture


@pytest.fixture(scope="module")
def planar() -> Capture:
    return captures.thesis("pin", samples=21)


@pytest.fixture(scope="module")
def spatial() -> Capture:
    return captures.spatial("pin", samples=9, duration=2.0, controlled=False)


@given(
    st.tuples(*[st.floats(-1.0, 1.0)] * 3).filter(lambda v: np.linalg.norm(v) > 0.1),
    st.floats(0.1, 30.0),
    st.tuples(*[st.floats(-3.0, 3.0)] * 3),
)
def test_spin_about_one_axis_grows_without_jumps(
    axis: tuple[float, ...], angle: float, start: tuple[float, ...]
) -> None:
    """φ(t) = a ω t exactly, over several turns, whatever the first attitude and sign of q."""
    unit = np.array(axis) / np.linalg.norm(axis)
    first = percuss.Quaternion.from_rotation_vector(percuss.Vector3(*start))
    angles = np.linspace(0.0, angle, 60)
    rows = []
    for k, a in enumerate(angles):
        turn = percuss.Quaternion.from_rotation_vector(percuss.Vector3(*(a * unit)))
        rows.append((-1.0) ** k * (turn @ first).array())
    np.testing.assert_allclose(turned(np.array(rows)), angles[:, None] * unit, atol=1e-12 * 30)


def test_each_chart_has_one_unit_and_every_curve_all_times(planar: Capture) -> None:
    for chart in charts(planar.record):
        assert chart.series
        for series in chart.series:
            assert series.values.shape == planar.record.time.shape, chart.title


def test_prismatic_joints_get_a_chart_in_metres(planar: Capture) -> None:
    variables = dict(planar.record.variables)
    variables["coordinates"] = replace(variables["coordinates"], units="m,m,rad,rad,m")
    found = charts(replace(planar.record, variables=variables))
    units = [chart.unit for chart in found if chart.title == "Joint coordinates"]
    assert units == ["rad", "m"]


def test_drift_of_free_motion_is_the_error_of_integration(
    planar: Capture, spatial: Capture
) -> None:
    for case in (planar, spatial):
        chart = drift(case.record)
        assert chart.title == "Drift of energy and momentum"
        assert max(float(series.values.max()) for series in chart.series) < 1e-6


@pytest.mark.parametrize("name", ["planar", "spatial"])
def test_figure_draws_without_overlap(name: str, request: pytest.FixtureRequest) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    case: Capture = request.getfixturevalue(name)
    figure = plot(case.record, case.summary)
    canvas = FigureCanvasAgg(figure)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        canvas.draw()
    assert np.asarray(canvas.buffer_rgba()).std() > 10, "the sheet is not empty"
    panels = [axes for axes in figure.axes if axes.name != "3d"]
    boxes = [axes.get_tightbbox() for axes in panels]
    for k, box in enumerate(boxes):
        assert box is not None
        for other in boxes[:k]:
            assert other is not None
            apart = (
                box.x0 >= other.x1 - 1
                or other.x0 >= box.x1 - 1
                or box.y0 >= other.y1 - 1
                or other.y0 >= box.y1 - 1
            )
            assert apart, "two panels run into each other"
    for axes in panels:
        assert axes.get_xlabel()
        assert axes.get_title(loc="left")


def test_figure_of_one_sample_and_of_hostile_names() -> None:
    case = captures.thesis("weld", samples=1)
    summary = case.summary | {"name": "cost $1 and $\\frac{$"}
    labels = {n: tuple(f"{x}$_{{" for x in xs) for n, xs in case.record.labels.items()}
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    FigureCanvasAgg(plot(replace(case.record, labels=labels), summary)).draw()


def test_figure_without_most_variables() -> None:
    case = captures.thesis("weld", samples=3, duration=0.1)
    time = case.record.variables["time"]
    gap = Variable(("time",), np.array([1.0, np.nan, 1.0]), "J", "", "energy")
    record = replace(case.record, variables={"time": time, "energy": gap})
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    FigureCanvasAgg(plot(record, {})).draw()
