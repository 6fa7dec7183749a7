"""Rotations that go on past a turn, and charts by unit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import percuss
from percuss.report.charts import charts
from percuss.report.figures import FILLER, PANELS, PREFERRED, _panels
from percuss.report.rotation import turned
from tests.report import captures, scripts
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
    cases = (planar, driven, scripts.hit(), scripts.mission())
    known = {c.key for case in cases for c in charts(case.record)}
    wanted = {key for keys in PANELS for key in keys} | {FILLER} | set(PREFERRED)
    assert wanted <= known


def test_panels_do_not_depend_on_titles(planar: Capture) -> None:
    found = charts(planar.record)
    panels = [chart.key for chart in _panels(found)]
    renamed = [replace(chart, title=f"chart {k}") for k, chart in enumerate(found)]
    assert [chart.key for chart in _panels(renamed)] == panels
    turning = next(chart for chart in _panels(found) if chart.key == "target_velocity")
    assert turning.unit == "rad/s"
