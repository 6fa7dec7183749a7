"""The page says what the history and the record of the encounter say."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from percuss.encounter.record import Record, Track, Variable
from percuss.impact.verdict import ConservationLaw, State
from percuss.model.bodies import Visual
from percuss.report.charts import charts
from percuss.report.page import page
from percuss.report.words import vector
from tests.encounter.scenes import THESIS, scene
from tests.report import captures
from tests.report.captures import Capture
from tests.report.encounters import nothing_happens
from tests.report.pages import data_of, marks, outline, shown, unpacked


def test_data_are_the_records_numbers(case: Capture) -> None:
    record, data = case.record, data_of(shown(case))
    assert data["planar"] == record.planar
    np.testing.assert_allclose(data["time"], record.time, rtol=5e-7)
    for chart, found in zip(charts(record), data["charts"], strict=True):
        assert (found["title"], found["unit"]) == (chart.title, chart.unit)
        assert found["labels"] == [series.label for series in chart.series]
        for series, values in zip(chart.series, found["values"], strict=True):
            np.testing.assert_allclose(values, series.values, rtol=5e-7, atol=0)
    for track, found in zip(record.tracks, data["scene"]["tracks"], strict=True):
        assert (found["name"], found["owner"]) == (track.name, track.owner)
        np.testing.assert_array_equal(unpacked(found["positions"], 3), track.positions.astype("f4"))
        np.testing.assert_array_equal(
            unpacked(found["quaternions"], 4), track.quaternions.astype("f4")
        )
        assert [s["size"] for s in found["shapes"]] == [list(v.size) for v in track.visuals]
    tool = unpacked(data["scene"]["tool"], 3)
    np.testing.assert_allclose(tool[:, : record["tool_position"].shape[1]], record["tool_position"])


def test_chain_of_bodies_is_found_from_the_motion(case: Capture) -> None:
    tracks = data_of(shown(case))["scene"]["tracks"]
    parents = [track["parent"] for track in tracks]
    arm = list(range(len(tracks) - 2))
    assert parents == [None, *arm, None], "base, links one after the other, and the target apart"


def test_arms_that_branch_are_told_apart() -> None:
    """Two arms turn on one base: the second starts at the base, not at the first one's end."""
    time = np.linspace(0.0, 1.0, 11)
    still = np.tile([1.0, 0, 0, 0], (11, 1))
    turn = np.column_stack([np.cos(time), 0 * time, 0 * time, np.sin(time)])
    here, aside = np.zeros((11, 3)), np.array([0.0, 1.0, 0.0])
    base = Track(
        name="base", owner="chaser", visuals=(), positions=here + time[:, None], quaternions=still
    )
    left = Track(
        name="left", owner="chaser", visuals=(), positions=base.positions + aside, quaternions=turn
    )
    right = Track(
        name="right", owner="chaser", visuals=(), positions=base.positions - aside, quaternions=turn
    )
    axis = Variable(dimensions=("time",), values=time, units="s", frame="", title="time")
    record = Record(
        labels={}, variables={"time": axis}, attributes={}, tracks=(base, left, right), planar=False
    )
    tracks = data_of(page(record, nothing_happens(), ""))["scene"]["tracks"]
    assert [track["parent"] for track in tracks] == [None, 0, 0]


def test_headline_and_figures_in_words(planar: Capture) -> None:
    parsed = outline(shown(planar))
    words = " ".join(parsed.texts["p"])
    assert "pin capture: impulse 1.84 N s, energy 7.5 → 6.58 J, momentum conserved" in words
    cells = parsed.texts["td"]
    assert "(−1.841, 0) N s" in cells
    assert "(−15, 0) N s" in cells
    assert "120 N m s" in cells
    assert "none acts" in cells


def test_most_loaded_joint_is_highlighted(case: Capture) -> None:
    assert case.encounter.impact is not None
    loads = case.encounter.impact.joint_reactions
    most = max(loads, key=lambda joint: loads[joint].magnitude)
    found = re.search(r'<div class="bar most"><span class="name">(.*?)</span>', shown(case))
    assert found
    assert found[1] == most


def test_lost_momentum_gets_a_cross() -> None:
    """The published closure keeps 61 % of the linear momentum, and is not let off."""
    text = shown(captures.thesis("published", samples=3))
    assert marks(text) == ["broken", "broken", "lost"]
    assert "linear momentum and angular momentum NOT conserved" in text
    assert re.search(r'<p class="warning".*?loses 5\.853 N s', text)


def test_page_shows_what_was_judged_and_does_not_judge(planar: Capture) -> None:
    """Whatever the numbers say: the states of the laws are those of the encounter."""
    laws = (
        ConservationLaw("linear momentum", State.KEPT, "linear momentum: one"),
        ConservationLaw("angular momentum", State.BROKEN, "angular momentum: two"),
        ConservationLaw("energy", State.BROKEN, "energy: three"),
    )
    text = page(planar.record, replace(planar.encounter, laws=laws), "")
    assert marks(text) == ["kept", "broken", "broken"]
    assert "angular momentum NOT conserved" in text
    assert "linear momentum and" not in text
    assert "Energy gained" in text
    silent = page(planar.record, replace(planar.encounter, laws=()), "")
    assert marks(silent) == []
    assert "conserved" not in " ".join(outline(silent).texts["p"])


def test_fixed_base_breaks_no_law() -> None:
    case = captures.of(scene(THESIS, chaser__mode="fixed", duration=1.0))
    text = shown(case)
    assert case.encounter.impact is not None
    passed = np.linalg.norm(case.encounter.impact.base_impulse)
    assert f"the fixed base passed {passed:.3g} N s to the world" in text
    assert "NOT conserved" not in text
    assert marks(text)[0] == "passed on"
    titles = [chart["title"] for chart in data_of(text)["charts"]]
    assert "Drift of energy" in titles, "momentum is not the bodies' own to keep"


@pytest.mark.parametrize(("restitution", "words"), [(1.0, "none"), (0.0, "6.667 J")])
def test_energy_card(restitution: float, words: str) -> None:
    """Simulation 2: an elastic bounce loses nothing, not -7e-14 % of it."""
    impact = {"closure": "bounce", "restitution": restitution}
    settings: dict[str, Any] = {"impact": impact, "target__velocity__linear": [0, -1]}
    text = shown(captures.of(scene(THESIS, duration=0.5, **settings)))
    found = re.search(r'Energy lost</span><span class="value">(.*?)</span>', text)
    assert found
    assert found[1] == words
    assert not re.search(r"\de[+-]\d+ %", text)


def test_control_law_and_final_state_are_told(spatial: Capture, planar: Capture) -> None:
    cells = outline(shown(spatial)).texts
    assert "computed-torque" in cells["td"]
    assert "1 rad/s" in cells["td"]
    names = ["base x, y, z", "base qw, qx, qy, qz", *spatial.record.labels["joint"]]
    assert set(names) <= set(cells["th"])
    assert "target qw, qx, qy, qz" in cells["th"]
    told = outline(shown(planar)).texts
    assert "Control law" not in told["th"]
    x, y, angle, q1, q2 = planar.encounter.final.coordinates
    rows = {"base x, y": (x, y), "base angle": angle, "joint1": q1, "joint2": q2}
    for name, value in rows.items():
        assert name in told["th"]
        unit = "m" if name == "base x, y" else "rad"
        assert vector(value, unit) in told["td"], name


def test_shapes_to_see_through_stay_so(planar: Capture) -> None:
    seen = Visual("sphere", (1.0,), color=(1.0, 0.0, 0.0, 0.4))
    hidden = Visual("sphere", (1.0,), color=(1.0, 0.0, 0.0, 0.0))
    track = replace(planar.record.tracks[0], visuals=(seen, hidden, Visual("sphere", (2.0,))))
    data = data_of(page(replace(planar.record, tracks=(track,)), planar.encounter, ""))
    (found,) = data["scene"]["tracks"]
    assert [shape["opacity"] for shape in found["shapes"]] == [0.4, 1.0]


def test_arm_on_the_ground_has_a_small_mark() -> None:
    """A chaser without a base body: its ground covers none of the arm and weighs nothing."""
    chaser = {"mode": "fixed", "arm": THESIS["chaser"]["arm"], "position": [1, 2]}
    case = captures.of(scene(THESIS | {"chaser": chaser}, gravity=[0, -9.81], duration=0.5))
    ground = case.record.tracks[0]
    np.testing.assert_allclose(
        ground.positions, np.tile([1.0, 2.0, 0.0], (len(ground.positions), 1))
    )
    (look,) = ground.visuals
    assert max(look.size) <= 0.5, "a tenth of the arm's 5 m"
    heights = [t.positions[0, 1] for t in case.record.tracks]
    assert heights[0] == 2.0
    links = 10 * 9.81 * (2.0 + 2.0) + 15 * 9.81 * case.record["target_position"][0, 1]
    assert case.record["potential_energy"][0] == pytest.approx(links, rel=1e-9)


def test_advice_and_warnings_are_shown_once(planar: Capture) -> None:
    encounter = replace(
        planar.encounter, warnings=("mind the gap",), advice=("The swing is free.",)
    )
    assert encounter.verdict == (*planar.encounter.verdict, "warning: mind the gap")
    text = page(planar.record, encounter, "")
    assert text.count("mind the gap") == 1
    assert "<li>The swing is free.</li>" in text
