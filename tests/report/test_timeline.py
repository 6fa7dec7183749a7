"""When things happen: phases, impacts, closer looks, and which samples are kept for them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from percuss.report.sampling import MOST_CONTACT, MOST_SAMPLES, samples
from percuss.report.timeline import Mark, Timeline, TimelinePhase, timeline, timeline_data
from tests.report import captures, scripts
from tests.report.captures import Capture
from tests.report.pages import data_of, shown


def of(case: Capture) -> Timeline:
    return timeline(case.record, case.encounter)


def test_impact_at_the_start_is_not_divided() -> None:
    """A run as simple as this shows neither bands nor ticks nor a closer look."""
    line = of(captures.thesis("pin", samples=21))
    assert not line.is_divided
    assert line.windows == ()
    assert timeline_data(line) == {"phases": [], "ticks": [], "windows": []}


def test_phases_are_those_of_the_encounter() -> None:
    case = scripts.hit()
    given = [(p.name, p.begin, p.end) for p in of(case).phases]
    assert given == [("approach", 0.0, 15.0), ("contact", 15.0, 15.02), ("after", 15.02, 30.0)]


def test_short_contact_has_a_closer_look_that_holds_it() -> None:
    ((begin, end),) = of(scripts.hit()).windows
    assert begin < 15.0
    assert end > 15.02
    assert end - begin < 0.05, "20 ms are seen, not 30 s"


def test_bounces_share_one_closer_look() -> None:
    ((begin, end),) = of(scripts.bounces()).windows
    assert 0.0 < begin < 4.0
    assert 9.5 < end < 14.0


def test_miss_is_looked_at_where_it_was_closest() -> None:
    line = of(scripts.miss())
    assert (line.marks, line.closest) == ((), 12.0)
    ((begin, end),) = line.windows
    assert begin < 12.0 < end
    (tick,) = timeline_data(line)["ticks"]
    assert (tick["kind"], tick["time"]) == ("closest", 12.0)


def test_single_phase_is_shown_unless_it_is_the_motion_after_an_impact() -> None:
    given = timeline_data(of(scripts.passed()))
    assert given["phases"] == [{"name": "approach", "begin": 0.0, "end": 20.0}]
    assert [tick["kind"] for tick in given["ticks"]] == ["closest"]
    assert [phase["name"] for phase in timeline_data(of(scripts.held()))["phases"]] == ["contact"]


def test_every_impact_has_a_tick_at_its_time() -> None:
    ticks = timeline_data(of(scripts.bounces()))["ticks"]
    assert [tick["time"] for tick in ticks] == [4.0, 6.5, 8.3, 9.5]
    assert ticks[2]["text"] == "impact 3 at 8.3 s"


@given(
    st.integers(10, 6000),
    st.integers(10, 3000),
    st.lists(st.floats(0.5, 9.5), max_size=30),
    st.floats(1e-4, 0.5),
)
def test_thinning_keeps_contacts_and_both_sides_of_jumps(
    coarse: int, dense: int, jumps: list[float], long: float
) -> None:
    """Of a long record: ends, all of a short contact, the pair at each impact, and order."""
    begin, end = 4.0, 4.0 + long
    parts = [np.linspace(0.0, 10.0, coarse), np.linspace(begin, end, dense)]
    time = np.unique(np.concatenate([*parts, jumps, np.nextafter(jumps, -np.inf)]))
    phases = (
        TimelinePhase("approach", 0.0, begin),
        TimelinePhase("contact", begin, end),
        TimelinePhase("after", end, 10),
    )
    marks = tuple(Mark(t, 0.0, (1.0,)) for t in sorted(jumps))
    picked = samples(time, Timeline(first=0.0, last=10.0, phases=phases, marks=marks, closest=None))
    assert np.all(np.diff(picked) > 0)
    assert (picked[0], picked[-1]) == (0, len(time) - 1)
    assert len(picked) <= MOST_SAMPLES
    if len(time) > MOST_SAMPLES:
        assert len(picked) > 0.5 * MOST_SAMPLES
    kept = set(picked.tolist())
    inside = np.flatnonzero((time >= begin) & (time <= end))
    if len(inside) <= MOST_CONTACT:
        assert set(inside.tolist()) <= kept, "samples of the contact were lost"
    else:
        assert len(set(inside.tolist()) & kept) >= MOST_CONTACT
    for jump in jumps:
        after = int(np.searchsorted(time, jump))
        assert {after - 1, after} <= kept, "one side of a jump was lost"


def test_dense_contact_in_a_long_record_keeps_its_peak() -> None:
    """1001 samples of 20 ms among 3000 of 30 s: the curve of the force is whole."""
    case = scripts.hit(dense=1001)
    record = captures.picked(case.record, np.arange(len(case.record.time)))
    long = np.unique(np.concatenate([record.time, np.linspace(0.0, 30.0, 3000)]))
    near = np.clip(np.searchsorted(record.time, long, "right") - 1, 0, None)
    stretched = captures.picked(record, near)
    stretched.variables["time"].values[:] = long
    data = data_of(shown(Capture(stretched, case.encounter)))
    assert len(data["time"]) <= MOST_SAMPLES
    (force,) = [c for c in data["charts"] if c["title"] == "Contact force"]
    assert max(force["values"][2]) == pytest.approx(321.6, rel=1e-3)
    assert sum(15.0 <= t < 15.02 for t in data["time"]) >= 1000
    assert "those of contacts before all" in shown(Capture(stretched, case.encounter))


def test_times_of_a_jump_stay_apart_in_the_page() -> None:
    data = data_of(shown(scripts.bounces()))
    assert np.all(np.diff(data["time"]) > 0), "both sides of an impact have their own time"
