"""What the animation draws over the bodies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from percuss.report.overlays import ghost_words
from percuss.report.timeline import timeline
from tests.report import captures, scripts
from tests.report.captures import Capture
from tests.report.pages import data_of, shown, unpacked


def test_impulses_are_where_and_when_they_act() -> None:
    case = scripts.bounces()
    marks = data_of(shown(case))["scene"]["marks"]
    assert [mark["time"] for mark in marks] == [4.0, 6.5, 8.3, 9.5]
    for mark, impact in zip(marks, case.encounter.impacts, strict=True):
        k = int(np.searchsorted(case.record.time, mark["time"]))
        np.testing.assert_allclose(mark["place"][:2], case.record["tool_position"][k])
        assert tuple(mark["impulse"][:2]) == impact.impulse


def test_impulse_of_a_contact_shows_after_it() -> None:
    (mark,) = data_of(shown(scripts.hit()))["scene"]["marks"]
    assert mark["time"] == pytest.approx(15.02)


def test_aim_is_the_grip_of_the_record_or_the_point_that_is_met() -> None:
    """A point of the target: the tool is there when they meet, whatever came before."""
    miss = scripts.miss()
    aim = data_of(shown(miss))["scene"]["aim"]
    np.testing.assert_allclose(
        unpacked(aim["points"], 3)[:, :2], miss.record["grip_position"], rtol=1e-6
    )
    assert aim["until"] == 20.0, "a miss is aimed to the end"
    case = scripts.mission()
    aim = data_of(shown(case))["scene"]["aim"]
    points = unpacked(aim["points"], 3)
    k = int(np.searchsorted(case.record.time, 30.0))
    assert aim["until"] == 30.0
    np.testing.assert_allclose(points[k], case.record["tool_position"][k], atol=1e-6)
    target = next(t for t in case.record.tracks if t.owner == "target")
    away = np.linalg.norm(points - target.positions, axis=1)
    np.testing.assert_allclose(away, away[0], atol=1e-6)


def test_miss_of_a_single_phase_is_aimed_and_what_is_held_is_not() -> None:
    assert data_of(shown(scripts.passed()))["scene"]["aim"]["until"] == 20.0
    assert data_of(shown(scripts.held()))["scene"]["aim"] is None


def test_force_of_a_contact_is_packed_with_its_peak() -> None:
    case = scripts.hit()
    force = data_of(shown(case))["scene"]["force"]
    found = unpacked(force["vectors"], 3)
    np.testing.assert_allclose(found[:, :2], case.record["contact_force"], rtol=1e-6)
    assert force["peak"] == pytest.approx(321.6, rel=1e-3)


def test_force_that_is_not_there_is_none() -> None:
    """Where a stretch has no contact its force is NaN, and nothing is drawn."""
    case = scripts.hit()
    variables = dict(case.record.variables)
    force = np.where(case.record["contact_force"] == 0, np.nan, case.record["contact_force"])
    variables["contact_force"] = replace(variables["contact_force"], values=force)
    scene = data_of(shown(Capture(replace(case.record, variables=variables), case.encounter)))
    assert np.isfinite(unpacked(scene["scene"]["force"]["vectors"], 3)).all()
    variables["contact_force"] = replace(variables["contact_force"], values=np.nan * force)
    scene = data_of(shown(Capture(replace(case.record, variables=variables), case.encounter)))
    assert scene["scene"]["force"] is None
    assert "Contact force" not in [chart["title"] for chart in scene["charts"]]


def test_pulse_has_no_target_and_no_aim() -> None:
    scene = data_of(shown(scripts.pulse()))["scene"]
    assert {track["owner"] for track in scene["tracks"]} == {"chaser"}
    assert scene["aim"] is None
    assert scene["target"] is None
    assert scene["force"]["peak"] == 1000.0


@pytest.mark.parametrize(
    ("case", "time", "words"),
    [
        (scripts.mission, 30.0, "at the impact"),
        (scripts.bounces, 4.0, "at the first impact"),
        (scripts.hit, 15.0, "at first contact"),
        (scripts.miss, 12.0, "closest approach"),
        (lambda: captures.thesis("pin", samples=21), 0.0, "at the impact"),
    ],
)
def test_ghost_shows_the_moment_to_compare_with(case, time: float, words: str) -> None:
    given = case()
    data = data_of(shown(given))
    ghost = data["scene"]["ghost"]
    assert ghost["time"] == data["time"][ghost["sample"]] == time
    assert ghost_words(timeline(given.record, given.encounter)) == words
    assert f'<span class="ghost">{words}</span>' in shown(given)
