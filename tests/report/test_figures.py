"""Figures for paper: nothing overlaps, phases are marked, short contacts are close up."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from percuss.encounter.record import Variable
from percuss.report.figures import plot
from tests.report import captures, scripts
from tests.report.captures import Capture
from tests.report.encounters import nothing_happens


@pytest.fixture(scope="module")
def spatial() -> Capture:
    return captures.spatial("pin", samples=9, duration=2.0, controlled=False)


@pytest.mark.parametrize("name", ["planar", "spatial"])
def test_figure_draws_without_overlap(name: str, request: pytest.FixtureRequest) -> None:
    case: Capture = request.getfixturevalue(name)
    figure = plot(case.record, case.encounter)
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
    named = replace(case.encounter, name="cost $1 and $\\frac{$")
    labels = {n: tuple(f"{x}$_{{" for x in xs) for n, xs in case.record.labels.items()}
    figure = plot(replace(case.record, labels=labels), named)
    assert drawn(figure).std() > 10, "the sheet is not empty"
    title = figure.get_suptitle()
    assert title.startswith(r"cost \$1 and \$\frac{\$"), "a name is text, not a formula"
    points = [line for axes in figure.axes for line in axes.get_lines() if line.get_marker() == "o"]
    assert len(points) > 5, "a single sample is drawn as points"


def test_figure_without_most_variables() -> None:
    case = captures.thesis("weld", samples=3, duration=0.1)
    time = case.record.variables["time"]
    gap = Variable(
        dimensions=("time",),
        values=np.array([1.0, np.nan, 1.0]),
        units="J",
        frame="",
        title="energy",
    )
    record = replace(case.record, variables={"time": time, "energy": gap})
    figure = plot(record, nothing_happens())
    assert drawn(figure).std() > 5, "the sheet is not empty"
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert titles[1:] == ["Energy"], "the motion, and the one curve there is"
    (curve,) = figure.axes[1].get_lines()
    np.testing.assert_array_equal(np.asarray(curve.get_ydata()), gap.values)


@pytest.mark.parametrize(
    "make", [scripts.mission, scripts.bounces, scripts.hit, scripts.miss, scripts.pulse]
)
def test_phases_are_marked_in_every_panel(make: Any) -> None:
    """Bands lie behind the curves and do not move their limits; names stand above the axes."""
    case = make()
    figure = plot(case.record, case.encounter)
    assert drawn(figure).std() > 5, "the sheet is not empty"
    names = {phase.name for phase in case.encounter.phases}
    for axes in figure.axes[1:]:
        assert axes.patches, "no bands"
        front = min(
            line.get_zorder() for line in axes.get_lines() if str(line.get_label())[0] != "_"
        )
        assert all(band.get_zorder() < front for band in axes.patches), "a band hides a curve"
        assert {text.get_text() for text in axes.texts} <= names
        assert all(text.get_position()[1] > 1.0 for text in axes.texts), "a name hides data"


def test_contact_force_is_close_up() -> None:
    figure = plot(scripts.hit().record, scripts.hit().encounter)
    (axes,) = [a for a in figure.axes if a.get_title(loc="left") == "Contact force, close up"]
    low, high = axes.get_xlim()
    assert low < 15.0
    assert high > 15.02
    assert high - low < 0.05
    assert "contact" in {text.get_text() for text in axes.texts}


def test_impact_at_the_start_has_no_bands(planar: Capture) -> None:
    figure = plot(planar.record, planar.encounter)
    assert not any(axes.patches or axes.texts for axes in figure.axes[1:])
