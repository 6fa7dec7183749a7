"""Rotations that go on past a turn, charts by unit, and figures for paper."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

import percuss
from percuss.report import plot
from percuss.report.charts import charts
from percuss.report.figures import FILLER, PANELS, PREFERRED, _panels
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


def test_panels_name_charts_that_there_are(planar: Capture) -> None:
    """Every key of the overview is that of a chart of some real record."""
    driven = captures.spatial("weld", samples=9, duration=2.0)
    known = {c.key for case in (planar, driven) for c in charts(case.record)}
    wanted = {key for keys in PANELS for key in keys} | {FILLER} | set(PREFERRED)
    assert wanted <= known


def test_panels_do_not_depend_on_titles(planar: Capture) -> None:
    found = charts(planar.record)
    panels = [chart.key for chart in _panels(found)]
    renamed = [replace(chart, title=f"chart {k}") for k, chart in enumerate(found)]
    assert [chart.key for chart in _panels(renamed)] == panels
    turning = next(chart for chart in _panels(found) if chart.key == "target_velocity")
    assert turning.unit == "rad/s"


@pytest.mark.parametrize("name", ["planar", "spatial"])
def test_figure_draws_without_overlap(name: str, request: pytest.FixtureRequest) -> None:
    case: Capture = request.getfixturevalue(name)
    figure = plot(case.record, case.summary)
    assert drawn(figure).std() > 10, "the sheet is not empty"
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


def drawn(figure: Figure) -> np.ndarray:
    """The pixels of a figure (height, width, 4); a warning of matplotlib is an error."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas = FigureCanvasAgg(figure)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        canvas.draw()
    return np.asarray(canvas.buffer_rgba())


def test_figure_of_one_sample_and_of_hostile_names() -> None:
    case = captures.thesis("weld", samples=1)
    summary = case.summary | {"name": "cost $1 and $\\frac{$"}
    labels = {n: tuple(f"{x}$_{{" for x in xs) for n, xs in case.record.labels.items()}
    figure = plot(replace(case.record, labels=labels), summary)
    assert drawn(figure).std() > 10, "the sheet is not empty"
    title = figure.get_suptitle()
    assert title.startswith(r"cost \$1 and \$\frac{\$"), "a name is text, not a formula"
    points = [line for axes in figure.axes for line in axes.get_lines() if line.get_marker() == "o"]
    assert len(points) > 5, "a single sample is drawn as points"


def test_figure_without_most_variables() -> None:
    case = captures.thesis("weld", samples=3, duration=0.1)
    time = case.record.variables["time"]
    gap = Variable(("time",), np.array([1.0, np.nan, 1.0]), "J", "", "energy")
    record = replace(case.record, variables={"time": time, "energy": gap})
    figure = plot(record, {})
    assert drawn(figure).std() > 5, "the sheet is not empty"
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert titles[1:] == ["Energy"], "the motion, and the one curve there is"
    (curve,) = figure.axes[1].get_lines()
    np.testing.assert_array_equal(np.asarray(curve.get_ydata()), gap.values)
