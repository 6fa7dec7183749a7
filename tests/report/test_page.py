"""The page is whole, safe, offline and says what the record and the summary say."""

from __future__ import annotations

import base64
import json
import re
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from percuss.model.bodies import Visual
from percuss.report.charts import NOISE, charts, drift, zero_charts
from percuss.report.page import MOST_SAMPLES, numbers, page, samples
from percuss.report.words import vector
from percuss.simulate.record import Record, Track, Variable
from tests.report import captures
from tests.report.captures import Capture
from tests.simulate.scenes import THESIS, TRACKING, scene

HOSTILE = "</script><img src=x onerror=alert(1)>\"'&<!--\u2028$title"
VOID = {"meta", "input", "img", "br", "hr", "link", "wbr"}


class Outline(HTMLParser):
    """Collects elements, attributes and text, and complains about tags that do not match."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.texts: dict[str, list[str]] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        opened = self.open.pop()
        assert opened == tag, f"</{tag}> closes <{opened}>"

    def handle_data(self, data: str) -> None:
        if self.open:
            self.texts.setdefault(self.open[-1], []).append(data)


def outline(text: str) -> Outline:
    parser = Outline()
    parser.feed(text)
    parser.close()
    assert not parser.open, f"never closed: {parser.open}"
    return parser


def data_of(text: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert found, "the page has no data"

    def refuse(word: str) -> float:
        raise AssertionError(f"{word} is no JSON")

    return json.loads(found[1], parse_constant=refuse)


def unpacked(text: str, width: int) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), "<f4").reshape(-1, width)


@pytest.fixture(scope="module")
def planar() -> Capture:
    return captures.thesis("pin", samples=21)


@pytest.fixture(scope="module")
def spatial() -> Capture:
    return captures.spatial("weld", samples=9, duration=2.0)


@pytest.fixture(params=["planar", "spatial"])
def case(request: pytest.FixtureRequest) -> Capture:
    return request.getfixturevalue(request.param)


def shown(case: Capture, scenario: str = "name: a\n") -> str:
    return page(case.record, case.summary, scenario)


# --- whole and offline ------------------------------------------------------------------------


def test_page_is_well_formed(case: Capture) -> None:
    parsed = outline(shown(case))
    identifiers = [attrs["id"] for _, attrs in parsed.elements if "id" in attrs]
    assert len(identifiers) == len(set(identifiers)), "an id is used twice"
    assert parsed.texts["h1"] == [case.summary["name"]]
    assert parsed.texts["pre"] == ["name: a\n"]


def test_page_asks_for_nothing(case: Capture) -> None:
    text = shown(case)
    allowed = "http://www.w3.org/2000/svg"
    assert not re.findall(r"https?://", text.replace(allowed, "")), "an address from outside"
    assert not re.search(r"url\(|@import|fetch\(|XMLHttpRequest|importScripts|WebSocket", text)
    for tag, attrs in outline(text).elements:
        assert not {"src", "href", "data", "action"} & set(attrs), f"<{tag}> loads something"
    assert "default-src 'none'" in text, "the policy lets the browser ask for more"


def test_every_id_the_scripts_look_for_exists(planar: Capture) -> None:
    text = shown(planar)
    there = {attrs.get("id") for _, attrs in outline(text).elements}
    wanted = set(re.findall(r'(?:find|getElementById)\("([a-z-]+)"\)', text))
    assert wanted
    assert wanted <= there


def test_generation_needs_no_heavy_library() -> None:
    code = (
        "import sys; from percuss.report import page;"
        "print(*sorted({m.split('.')[0] for m in sys.modules}))"
    )
    command = [sys.executable, "-c", code]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert not {"matplotlib", "scipy", "jax", "xarray", "sympy"} & set(loaded)


def test_page_of_ten_bodies_stays_below_a_megabyte(spatial: Capture) -> None:
    """501 samples of 10 bodies, with every digit in use."""
    record, count = spatial.record, 501
    noise = np.random.default_rng(0)

    def longer(values: np.ndarray) -> np.ndarray:
        return noise.normal(size=(count, *values.shape[1:]))

    variables = {n: replace(v, values=longer(v.values)) for n, v in record.variables.items()}
    variables["time"] = replace(variables["time"], values=np.linspace(0.0, 40.0, count))
    tracks = [
        replace(t, positions=longer(t.positions), quaternions=longer(t.quaternions))
        for t in (*record.tracks, record.tracks[0])
    ]
    assert len(tracks) == 10
    long = replace(record, variables=variables, tracks=tuple(tracks))
    assert len(page(long, spatial.summary, "").encode()) < 1_000_000


# --- what it says -----------------------------------------------------------------------------


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
    base = Track("base", "chaser", (), here + time[:, None], still)
    left = Track("left", "chaser", (), base.positions + aside, turn)
    right = Track("right", "chaser", (), base.positions - aside, turn)
    axis = Variable(("time",), time, "s", "", "time")
    record = Record({}, {"time": axis}, {}, (base, left, right), False)
    tracks = data_of(page(record, {}, ""))["scene"]["tracks"]
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
    loads = case.summary["impact"]["joint_reactions"]
    most = max(loads, key=lambda joint: loads[joint]["magnitude"])
    found = re.search(r'<div class="bar most"><span class="name">(.*?)</span>', shown(case))
    assert found
    assert found[1] == most


def marks(text: str) -> list[str]:
    """The marks of the verdict: state and sign of each line."""
    return re.findall(r'<li class="[\w-]+"><span class="sign" aria-label="([\w ]+)">', text)


def test_lost_momentum_gets_a_cross() -> None:
    """The published closure keeps 61 % of the linear momentum, and is not let off."""
    text = shown(captures.thesis("published", samples=3))
    assert marks(text) == ["broken", "broken", "lost"]
    assert "linear momentum and angular momentum NOT conserved" in text
    assert re.search(r'<p class="warning".*?loses 5\.853 N s', text)


def test_page_shows_what_was_judged_and_does_not_judge(planar: Capture) -> None:
    """Whatever the numbers say: the states of the laws are those of the summary."""
    laws = [
        {"law": "linear momentum", "state": "kept", "text": "linear momentum: one"},
        {"law": "angular momentum", "state": "broken", "text": "angular momentum: two"},
        {"law": "energy", "state": "broken", "text": "energy: three"},
    ]
    text = page(planar.record, planar.summary | {"laws": laws}, "")
    assert marks(text) == ["kept", "broken", "broken"]
    assert "angular momentum NOT conserved" in text
    assert "linear momentum and" not in text
    assert "Energy gained" in text
    silent = page(planar.record, planar.summary | {"laws": []}, "")
    assert marks(silent) == []
    assert "conserved" not in " ".join(outline(silent).texts["p"])


def test_fixed_base_breaks_no_law() -> None:
    case = captures.of(scene(THESIS, chaser__mode="fixed", duration=1.0))
    text = shown(case)
    passed = np.linalg.norm(case.summary["impact"]["base_impulse"])
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


def test_free_motion_has_no_chart_of_control(planar: Capture, spatial: Capture) -> None:
    groups = [{c["group"] for c in data_of(shown(case))["charts"]} for case in (planar, spatial)]
    assert "Control" not in groups[0]
    assert "Control" in groups[1]
    assert "No control force acts" in shown(planar)


def test_variables_of_the_future_get_a_chart(planar: Capture) -> None:
    wheels = Variable(
        ("time", "wheel"), np.ones((len(planar.record.time), 1)), "N m s", "", "wheel momentum"
    )
    record = replace(planar.record, variables={**planar.record.variables, "wheels": wheels})
    titles = [chart["title"] for chart in data_of(page(record, planar.summary, ""))["charts"]]
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
    balance = list(case.summary["balance"].values())
    for series, most in zip(chart.series, balance, strict=False):
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


def test_control_law_and_final_state_are_told(spatial: Capture, planar: Capture) -> None:
    cells = outline(shown(spatial)).texts
    assert "computed-torque" in cells["td"]
    assert "1 rad/s" in cells["td"]
    names = ["base x, y, z", "base qw, qx, qy, qz", *spatial.record.labels["joint"]]
    assert set(names) <= set(cells["th"])
    assert "target qw, qx, qy, qz" in cells["th"]
    told = outline(shown(planar)).texts
    assert "Control law" not in told["th"]
    x, y, angle, q1, q2 = planar.summary["final"]["coordinates"]
    rows = {"base x, y": (x, y), "base angle": angle, "joint1": q1, "joint2": q2}
    for name, value in rows.items():
        assert name in told["th"]
        unit = "m" if name == "base x, y" else "rad"
        assert vector(value, unit) in told["td"], name


def test_shapes_to_see_through_stay_so(planar: Capture) -> None:
    seen = Visual("sphere", (1.0,), color=(1.0, 0.0, 0.0, 0.4))
    hidden = Visual("sphere", (1.0,), color=(1.0, 0.0, 0.0, 0.0))
    track = replace(planar.record.tracks[0], visuals=(seen, hidden, Visual("sphere", (2.0,))))
    data = data_of(page(replace(planar.record, tracks=(track,)), planar.summary, ""))
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


def test_base_that_stands_still_has_no_chart(planar: Capture) -> None:
    variables = dict(planar.record.variables)
    rates = variables["rates"].values.copy()
    rates[:, :3] = 0.0
    variables["rates"] = replace(variables["rates"], values=rates)
    text = page(replace(planar.record, variables=variables), planar.summary, "")
    assert "Base" not in {chart["group"] for chart in data_of(text)["charts"]}
    assert "The base does not move" in text


def test_joint_called_like_a_base_entry_is_a_joint(planar: Capture) -> None:
    names = ("x", "y", "angle", "x", "elbow.y")
    labels = {**planar.record.labels, "coordinate": names, "rate": names}
    found = {c.title: c for c in charts(replace(planar.record, labels=labels))}
    assert [s.label for s in found["Joint coordinates"].series] == ["x", "elbow.y"]
    assert [s.label for s in found["Base position"].series] == ["x", "y"]


def test_advice_and_warnings_are_shown_once(planar: Capture) -> None:
    summary = planar.summary | {
        "warnings": ["mind the gap"],
        "verdict": [*planar.summary["verdict"], "warning: mind the gap"],
        "advice": ["The swing is free."],
    }
    text = page(planar.record, summary, "")
    assert text.count("mind the gap") == 1
    assert "<li>The swing is free.</li>" in text


# --- hostile and odd input --------------------------------------------------------------------


def test_hostile_text_stays_text(planar: Capture) -> None:
    summary = json.loads(json.dumps(planar.summary).replace("joint1", "JOINT"))
    impact = summary["impact"]
    impact["closure"] = HOSTILE
    impact["joint_reactions"] = {HOSTILE: {"magnitude": 1.0}}
    summary |= {
        "name": HOSTILE,
        "laws": [{"law": HOSTILE, "state": HOSTILE, "text": HOSTILE}],
        "control": {"law": HOSTILE, HOSTILE: {HOSTILE: [HOSTILE]}},
        "warnings": [HOSTILE],
        "peak": {"control": {HOSTILE: 1.0}, "joint_reaction": {HOSTILE: 2.0}},
    }
    labels = {name: tuple(HOSTILE + x for x in xs) for name, xs in planar.record.labels.items()}
    variables = {
        name: replace(v, units=HOSTILE if name == "energy" else v.units, title=HOSTILE)
        for name, v in planar.record.variables.items()
    }
    attributes = dict.fromkeys(planar.record.attributes, HOSTILE)
    tracks = tuple(replace(track, name=HOSTILE) for track in planar.record.tracks)
    record = Record(labels, variables, attributes, tracks, True)
    text = page(record, summary, HOSTILE)
    harmless = outline(shown(planar))
    parsed = outline(text)
    assert "img" not in [tag for tag, _ in parsed.elements]
    scripts = [tag for tag, _ in parsed.elements if tag == "script"]
    assert scripts == [tag for tag, _ in harmless.elements if tag == "script"]
    assert not any(name.startswith("on") for _, attrs in parsed.elements for name in attrs)
    assert parsed.texts["h1"] == [HOSTILE], "it reads as it was given"
    assert parsed.texts["pre"] == [HOSTILE]
    assert data_of(text)["scene"]["tracks"][0]["name"] == HOSTILE


def test_what_is_not_finite_is_null(case: Capture) -> None:
    energy = case.record["energy"].copy()
    energy[1:4] = [np.nan, np.inf, -np.inf]
    variables = dict(case.record.variables)
    variables["energy"] = replace(variables["energy"], values=energy)
    summary = case.summary | {
        "impact": case.summary["impact"] | {"energy": {"before": np.nan, "after": 1.0}}
    }
    text = page(replace(case.record, variables=variables), summary, "")
    (found,) = [chart for chart in data_of(text)["charts"] if chart["title"] == "Energy"]
    assert found["values"][0][1:4] == [None, None, None]
    assert "nan" not in re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL).lower()


def test_one_sample_only() -> None:
    case = captures.thesis("weld", samples=1)
    data = data_of(shown(case))
    assert data["time"] == [0]
    assert all(len(values) == 1 for chart in data["charts"] for values in chart["values"])


def test_no_bodies_no_joints_no_impact() -> None:
    time = Variable(("time",), np.array([0.0, 1.0]), "s", "", "time")
    empty = Variable(("time", "joint", "axis"), np.zeros((2, 0, 3)), "N", "", "reaction")
    record = Record(
        {"joint": ()}, {"time": time, "joint_reaction_force": empty}, {}, (), planar=False
    )
    text = page(record, {}, "")
    outline(text)
    assert data_of(text)["charts"] == []
    assert "motion without an impact" in text


def test_long_records_are_thinned_and_say_so(planar: Capture) -> None:
    count = 3 * MOST_SAMPLES
    record = planar.record
    variables = {
        n: replace(v, values=np.resize(v.values, (count, *v.values.shape[1:])))
        for n, v in record.variables.items()
    }
    variables["time"] = replace(variables["time"], values=np.linspace(0.0, 10.0, count))
    tracks = tuple(
        replace(
            t,
            positions=np.resize(t.positions, (count, 3)),
            quaternions=np.resize(t.quaternions, (count, 4)),
        )
        for t in record.tracks
    )
    text = page(replace(record, variables=variables, tracks=tracks), planar.summary, "")
    time = data_of(text)["time"]
    assert (len(time), time[0], time[-1]) == (MOST_SAMPLES, 0.0, 10.0)
    assert f"{MOST_SAMPLES} of {count} samples" in text


def test_shape_of_infinite_size_is_refused(planar: Capture) -> None:
    visual = Visual("sphere", (np.inf,))
    track = replace(planar.record.tracks[0], visuals=(visual,))
    with pytest.raises(ValueError, match="sphere must have finite size"):
        page(replace(planar.record, tracks=(track,)), planar.summary, "")


def test_mesh_is_left_to_the_viewers_marker(planar: Capture) -> None:
    track = replace(planar.record.tracks[0], visuals=(Visual("mesh", (1.0, 1.0, 1.0)),))
    data = data_of(page(replace(planar.record, tracks=(track,)), planar.summary, ""))
    assert data["scene"]["tracks"][0]["shapes"] == []


@given(st.lists(st.floats(), max_size=20))
def test_numbers_have_seven_digits(values: list[float]) -> None:
    found = json.loads(numbers(np.array(values, dtype=float)))
    for value, written in zip(values, found, strict=True):
        if np.isfinite(value):
            assert written == pytest.approx(value, rel=5e-7, abs=0)
        else:
            assert written is None


@given(st.integers(1, 20_000))
def test_samples_keep_both_ends_and_order(count: int) -> None:
    picked = samples(count)
    assert picked[0] == 0
    assert picked[-1] == count - 1
    assert len(picked) == min(count, MOST_SAMPLES)
    assert np.all(np.diff(picked) > 0)
