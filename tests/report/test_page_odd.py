"""Hostile and odd input: nothing runs, nothing is lost without a word."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from percuss.encounter.record import Record, Variable
from percuss.encounter.records.control import ControlRecord
from percuss.encounter.records.impact import EnergyChange
from percuss.impact.verdict import ConservationLaw, State
from percuss.model.bodies import Visual
from percuss.report.page import page
from percuss.report.sampling import MOST_SAMPLES, samples
from percuss.report.scene import packed
from tests.report import captures
from tests.report.captures import Capture
from tests.report.encounters import nothing_happens
from tests.report.pages import HOSTILE, data_of, outline, shown, unpacked


def test_hostile_text_stays_text(planar: Capture) -> None:
    (impact,) = planar.encounter.impacts
    reaction = next(iter(impact.joint_reactions.values()))
    encounter = replace(
        planar.encounter,
        name=HOSTILE,
        impacts=(replace(impact, closure=HOSTILE, joint_reactions={HOSTILE: reaction}),),
        laws=(ConservationLaw(HOSTILE, State.BROKEN, HOSTILE),),
        control=ControlRecord({"law": HOSTILE, HOSTILE: {HOSTILE: [HOSTILE]}}),
        warnings=(HOSTILE,),
        peak=replace(planar.encounter.peak, joint_reaction={HOSTILE: 2.0}),
    )
    labels = {name: tuple(HOSTILE + x for x in xs) for name, xs in planar.record.labels.items()}
    variables = {
        name: replace(v, units=HOSTILE if name == "energy" else v.units, title=HOSTILE)
        for name, v in planar.record.variables.items()
    }
    attributes = dict.fromkeys(planar.record.attributes, HOSTILE)
    tracks = tuple(replace(track, name=HOSTILE) for track in planar.record.tracks)
    record = Record(
        labels=labels, variables=variables, attributes=attributes, tracks=tracks, planar=True
    )
    text = page(record, encounter, HOSTILE)
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
    (impact,) = case.encounter.impacts
    unknown = replace(impact, energy=EnergyChange(before=np.nan, after=1.0))
    encounter = replace(case.encounter, impacts=(unknown,))
    text = page(replace(case.record, variables=variables), encounter, "")
    (found,) = [chart for chart in data_of(text)["charts"] if chart["title"] == "Energy"]
    assert found["values"][0][1:4] == [None, None, None]
    assert "nan" not in re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL).lower()


def test_one_sample_only() -> None:
    case = captures.thesis("weld", samples=1)
    data = data_of(shown(case))
    assert data["time"] == [0]
    assert all(len(values) == 1 for chart in data["charts"] for values in chart["values"])


def test_no_bodies_no_joints_no_impact() -> None:
    time = Variable(
        dimensions=("time",), values=np.array([0.0, 1.0]), units="s", frame="", title="time"
    )
    empty = Variable(
        dimensions=("time", "joint", "axis"),
        values=np.zeros((2, 0, 3)),
        units="N",
        frame="",
        title="reaction",
    )
    record = Record(
        {"joint": ()}, {"time": time, "joint_reaction_force": empty}, {}, (), planar=False
    )
    text = page(record, nothing_happens(), "")
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
    text = page(replace(record, variables=variables, tracks=tracks), planar.encounter, "")
    time = data_of(text)["time"]
    assert (len(time), time[0], time[-1]) == (MOST_SAMPLES, 0.0, 10.0)
    assert f"{MOST_SAMPLES} of {count} samples" in text


def test_shape_of_infinite_size_is_refused(planar: Capture) -> None:
    visual = Visual("sphere", (np.inf,))
    track = replace(planar.record.tracks[0], visuals=(visual,))
    with pytest.raises(ValueError, match="sphere must have finite size"):
        page(replace(planar.record, tracks=(track,)), planar.encounter, "")


def test_mesh_is_left_to_the_viewers_marker(planar: Capture) -> None:
    track = replace(planar.record.tracks[0], visuals=(Visual("mesh", (1.0, 1.0, 1.0)),))
    data = data_of(page(replace(planar.record, tracks=(track,)), planar.encounter, ""))
    assert data["scene"]["tracks"][0]["shapes"] == []


@given(st.lists(st.floats(), max_size=20))
def test_curves_have_seven_digits(values: list[float]) -> None:
    """What 32-bit floats cannot hold is infinite or zero; NaN stays NaN."""
    found = unpacked(packed(np.array(values, dtype=float)), 1)[:, 0]
    for value, kept in zip(values, found, strict=True):
        if abs(value) > 3.4e38:
            assert np.isinf(kept)
        else:
            assert kept == pytest.approx(value, rel=1e-7, abs=1e-45, nan_ok=True)


@given(st.integers(1, 20_000))
def test_samples_keep_both_ends_and_order(count: int) -> None:
    picked = samples(np.linspace(0.0, 1.0, count))
    assert picked[0] == 0
    assert picked[-1] == count - 1
    assert len(picked) == min(count, MOST_SAMPLES)
    assert np.all(np.diff(picked) > 0)
