"""Which curves a page draws, and which it leaves out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from percuss.encounter.record import Variable
from percuss.report.charts import charts, drift, zero_charts
from percuss.report.curves import NOISE
from percuss.report.page import page
from tests.encounter.scenes import THESIS, TRACKING, scene
from tests.report import captures
from tests.report.captures import Capture
from tests.report.pages import data_of, outline, shown


def test_free_motion_has_no_chart_of_control(planar: Capture, spatial: Capture) -> None:
    groups = [{c["group"] for c in data_of(shown(case))["charts"]} for case in (planar, spatial)]
    assert "Control" not in groups[0]
    assert "Control" in groups[1]
    assert "No control force acts" in shown(planar)


def test_variables_of_the_future_get_a_chart(planar: Capture) -> None:
    wheels = Variable(
        dimensions=("time", "wheel"),
        values=np.ones((len(planar.record.time), 1)),
        units="N m s",
        frame="",
        title="wheel momentum",
    )
    record = replace(planar.record, variables={**planar.record.variables, "wheels": wheels})
    titles = [chart["title"] for chart in data_of(page(record, planar.encounter, ""))["charts"]]
    assert "wheel momentum" in titles


def test_potential_energy_joins_the_energy_where_gravity_acts(planar: Capture) -> None:
    falling = captures.of(scene(THESIS, gravity=[0, -9.81], duration=2.0)).record
    found = {c.key: c for c in charts(falling)}
    assert [s.label for s in found["energy"].series] == ["kinetic", "potential", "total"]
    assert [len(c.series) for c in charts(planar.record) if c.key == "energy"] == [1]


DRIFTING: dict[str, dict[str, Any]] = {
    "free": {},
    "controlled": {"control": TRACKING},
    "gravity": {"gravity": [0, -9.81]},
    "gravity and control": {"gravity": [0, -9.81], "control": TRACKING},
    "fixed": {"chaser__mode": "fixed"},
}


@pytest.mark.parametrize("kind", DRIFTING)
def test_drift_is_the_error_of_integration_in_every_case(kind: str) -> None:
    """What actuators, gravity and the ground do is no drift; the chart shows what is left."""
    case = captures.of(scene(THESIS, **DRIFTING[kind]))
    chart = drift(case.record)
    momenta = 0 if kind == "fixed" else 2
    assert [s.label for s in chart.series] == [
        "energy, J",
        "linear momentum, N s",
        "angular momentum, N m s",
    ][: 1 + momenta]
    largest = max(float(np.abs(case.record[n]).max()) for n in ("energy", "angular_momentum"))
    found = case.encounter.balance
    balance = (found.energy, found.linear_momentum, found.angular_momentum)
    for series, most in zip(chart.series, balance, strict=False):
        assert most is not None
        assert float(series.values.max()) <= most, "the chart and the summary disagree"
        assert float(series.values.max()) < 1e-9 * (1.0 + largest), series.label
        assert float(series.values.max()) > 0.0
    if kind == "controlled":
        moved = case.record["linear_momentum"]
        assert float(np.abs(moved - moved[0]).max()) > 1.0, "thrusters took it away"


def test_drift_of_the_published_closure_is_seen() -> None:
    """Its equations conserve energy and let momentum go: (0.165, 1.271) N s in ten seconds."""
    chart = drift(captures.thesis("published").record)
    energy, linear, angular = (float(series.values[-1]) for series in chart.series)
    assert energy < 1e-8
    expected = np.hypot(9.3115509 - 9.1466667, 1.271459)
    assert linear == pytest.approx(expected, rel=1e-6)
    assert angular == pytest.approx(67.32 - 60.056816, rel=1e-6)


def test_charts_that_are_zero_are_left_out_and_named(planar: Capture) -> None:
    """The thesis's base does not turn, and its free joints pass no moment on."""
    text = shown(planar)
    titles = [chart["title"] for chart in data_of(text)["charts"]]
    left_out = {chart.title for chart in zero_charts(planar.record)}
    assert "Base angular velocity" in left_out
    assert not left_out & set(titles)
    note = next(p for p in outline(text).texts["p"] if p.startswith("Zero throughout"))
    assert "base angular velocity" in note
    drifts = next(c for c in data_of(text)["charts"] if c["title"].startswith("Drift"))
    assert max(max(values) for values in drifts["values"]) < NOISE * 1e2, "small, yet shown"


def test_base_that_stands_still_has_no_chart(planar: Capture) -> None:
    variables = dict(planar.record.variables)
    rates = variables["rates"].values.copy()
    rates[:, :3] = 0.0
    variables["rates"] = replace(variables["rates"], values=rates)
    text = page(replace(planar.record, variables=variables), planar.encounter, "")
    assert "Base" not in {chart["group"] for chart in data_of(text)["charts"]}
    assert "The base does not move" in text


def test_joint_called_like_a_base_entry_is_a_joint(planar: Capture) -> None:
    names = ("x", "y", "angle", "x", "elbow.y")
    labels = {**planar.record.labels, "coordinate": names, "rate": names}
    found = {c.title: c for c in charts(replace(planar.record, labels=labels))}
    assert [s.label for s in found["Joint coordinates"].series] == ["x", "elbow.y"]
    assert [s.label for s in found["Base position"].series] == ["x", "y"]
