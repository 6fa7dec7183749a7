"""Headline, cards and tables of a page for every way in which an encounter can end."""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass, replace
from enum import StrEnum
from typing import Any

import pytest

from percuss.encounter.records.approach import ContactBy
from percuss.encounter.records.control import ControlRecord
from percuss.encounter.records.result import EncounterStatus
from percuss.report.encounter import MOST_LISTED, impact_listing, phase_listing
from percuss.report.judgement import headline
from percuss.report.page import page
from tests.report import scripts
from tests.report.captures import Capture
from tests.report.encounters import impact
from tests.report.pages import HOSTILE, data_of, outline, shown


def piled(status: str, count: int = 37) -> Capture:
    """Bounces that pile up, or that are not over."""
    case = scripts.bounces()
    hits = tuple(impact(5.0 - 0.5**k, "bounce", [-(0.5**k), 0.0]) for k in range(count))
    return case.changed(status=EncounterStatus(status), impacts=hits)


@pytest.mark.parametrize(
    ("case", "words"),
    [
        (scripts.mission(), "weld capture at 30 s: impulse 6.31 N s"),
        (scripts.bounces(), "weld capture after 3 bounces at 9.5 s: impulse 0.4 N s"),
        (scripts.miss(), "missed by 0.12 m: closest at 12 s, no contact"),
        (scripts.hit(), "compliant contact at 15 s: impulse 4.07 N s, peak force 322 N"),
        (scripts.pulse(), "pulse: impulse 10 N s, energy 3 → 2 J"),
        (scripts.held(), "held by a spring: impulse 13.3 N s, peak force 311 N"),
        (piled("accumulated"), "37 bounces pile up at 5 s; the last: impulse"),
        (piled("unfinished", 20), "still bouncing after 20 bounces at 5 s; the last: impulse"),
    ],
    ids=lambda x: str(x.encounter.status) if isinstance(x, Capture) else "",
)
def test_headline_says_how_it_ended(case: Capture, words: str) -> None:
    assert headline(case.encounter).startswith(words)
    parsed = outline(shown(case))
    assert any(text.startswith(words) for text in parsed.texts["p"])
    assert case.encounter.status in parsed.texts["b"]


def test_status_is_not_said_twice() -> None:
    case = scripts.miss()
    text = shown(case.changed(outcome="Missed: the tool stayed 1 m away."))
    assert '<b class="status bad">missed</b> the tool stayed 1 m away.' in text


def test_miss_has_no_impact_but_says_by_how_much_and_when() -> None:
    parsed = outline(shown(scripts.miss()))
    captions = parsed.texts["caption"]
    assert "Approach" in captions
    assert "Impact" not in captions
    assert "0.12 m" in parsed.texts["td"]
    assert "from the tool to the contact point, closest at 12 s" in parsed.texts["td"]
    assert {"Missed by", "Closest at"} <= set(parsed.texts["span"])


def test_law_of_the_approach_is_told_and_acts() -> None:
    """A hand that is held still needs no torque; the law that holds it acts all the same."""
    case = scripts.passed()
    text = shown(case)
    parsed = outline(text)
    assert {"hold-tool", "0.8 rad/s"} <= set(parsed.texts["td"])
    assert "none acts" not in text
    assert "At the end (20 s)" in parsed.texts["caption"]
    assert not {"After", "Whole run"} & set(parsed.texts["caption"])
    assert case.encounter.approach is not None
    old = replace(case.encounter.approach, control=None)
    assert "none acts" in shown(case.changed(approach=old))


def test_law_for_after_the_contact_is_no_law_of_a_miss() -> None:
    case = scripts.passed()
    text = shown(case.changed(control=ControlRecord({"law": "detumble"})))
    row = r"<td[^>]*>detumble</td><td[^>]*>for after the contact, which did not come</td>"
    assert re.search(row, text)


def test_miss_says_how_far_beyond_the_capture_radius() -> None:
    case = scripts.passed()
    words = "from the tool to the contact point, 0.156 m beyond the capture radius"
    parsed = outline(shown(case))
    assert {"0.1956 m", words} <= set(parsed.texts["span"])
    assert "0.156 m" in parsed.texts["td"]
    approach = case.encounter.approach
    assert approach is not None
    for change in (
        replace(approach, by=ContactBy.SURFACE),
        replace(approach, capture_radius=None),
    ):
        assert "beyond the capture radius" not in shown(case.changed(approach=change)), change


def test_held_by_a_spring_is_good_and_does_not_rub() -> None:
    text = shown(scripts.held())
    parsed = outline(text)
    assert '<b class="status good">held</b> A spring holds the points together.' in text
    assert "Friction" not in parsed.texts["th"]
    assert "in contact to the end" in parsed.texts["span"]
    assert "Whole run" in parsed.texts["caption"]
    assert "Friction" in outline(shown(scripts.hit())).texts["th"]


def test_impacts_are_listed_with_time_impulse_speed_and_energy() -> None:
    listing = impact_listing(scripts.bounces().encounter)
    assert listing is not None
    assert listing.headings[1:4] == ("time, s", "closure", "impulse, N s")
    assert listing.rows[0] == ("1", "4.00", "bounce", "9.011", "0.1802", "0.1802", "0.9011")
    assert listing.rows[3][4] == "", "a grasp has no normal"
    found = re.findall(r'<tr data-seek="([\d.]+)"', shown(scripts.bounces()))
    assert [float(x) for x in found[:4]] == [4.0, 6.5, 8.3, 9.5]


def test_many_impacts_are_counted() -> None:
    listing = impact_listing(piled("accumulated").encounter)
    assert listing is not None
    assert len(listing.rows) == MOST_LISTED
    assert listing.more == "and 17 more, the last at 5 s"
    assert listing.more in shown(piled("accumulated"))


def test_one_impact_needs_no_list() -> None:
    assert impact_listing(scripts.mission().encounter) is None


def test_contact_tells_its_law_and_what_it_did() -> None:
    parsed = outline(shown(scripts.hit()))
    cells = parsed.texts["td"]
    for text in (
        "Hunt–Crossley",
        "2.5×10⁵ N/m^1.5",
        "8.1×10⁵ N s/m^2.5",
        "disk of radius 0.5 m",
        "321.6 N",
        "0.02 s",
        "0.6",
    ):
        assert text in cells, text
    assert "Effective restitution" in parsed.texts["th"]


def test_several_touches_are_listed_and_an_open_one_is_told() -> None:
    case = scripts.hit()
    contact = case.encounter.contact
    assert contact is not None
    (touch,) = contact.touches
    later = replace(touch, begin=20.0, end=None, duration=None, restitution=None)
    text = shown(case.changed(contact=replace(contact, touches=(touch, later))))
    assert "Touches" in outline(text).texts["caption"]
    assert re.search(r'<tr data-seek="20.0".*?<td>20.00</td><td>321.6</td><td></td>', text)


def test_stabilisation_is_told_where_control_acts() -> None:
    case = scripts.mission()
    parsed = outline(shown(case))
    assert "Bringing it to rest" in parsed.texts["caption"]
    assert {"22.4 s", "3.1 N m s", "15 s", "3.75 N s"} <= set(parsed.texts["td"])
    assert any("thrusters of 0.2 N m" in text for text in parsed.texts["li"])
    assert "The arm reaches it." in parsed.texts["li"]
    free = shown(case.changed(control=ControlRecord({"law": "none"})))
    assert "Bringing it to rest" not in free, "nothing was brought to rest"
    assert case.encounter.stabilisation is not None
    late = replace(case.encounter.stabilisation, settling_time=None, remaining=None)
    assert "not within this run" in shown(case.changed(stabilisation=late))


def test_phases_are_listed_with_what_their_balances_leave_open() -> None:
    listing = phase_listing(scripts.mission().encounter)
    assert listing is not None
    assert [row[0] for row in listing.rows] == ["observe", "approach", "after"]
    assert listing.rows[0][4:] == ("3×10⁻¹²", "2×10⁻¹³", "5×10⁻¹³")
    phases = scripts.mission().encounter.phases
    fixed = tuple(replace(phase, linear_momentum=None) for phase in phases)
    without = phase_listing(scripts.mission().changed(phases=fixed).encounter)
    assert without is not None
    assert not any(heading.startswith("linear") for heading in without.headings)


def test_contact_has_charts_of_its_own() -> None:
    groups: dict[str, list[str]] = {}
    for case in (scripts.hit(), scripts.mission()):
        for chart in data_of(shown(case))["charts"]:
            groups.setdefault(chart["group"], []).append(chart["title"])
    assert groups["Contact"] == ["Gap", "Contact force", "Distance"]


@pytest.mark.parametrize("make", [scripts.mission, scripts.bounces, scripts.hit, scripts.miss])
def test_hostile_text_stays_text(make: Any) -> None:
    """Every word of a summary may come from a file."""

    def spoiled(value: Any) -> Any:
        if is_dataclass(value) and not isinstance(value, type):
            own = {f.name: spoiled(getattr(value, f.name)) for f in fields(value)}
            return replace(value, **own)
        if isinstance(value, dict):
            return {key: spoiled(entry) for key, entry in value.items()}
        if isinstance(value, (tuple, list)):
            return type(value)(map(spoiled, value))
        # What is one of a few names cannot be anything else.
        return HOSTILE if isinstance(value, str) and not isinstance(value, StrEnum) else value

    case = make()
    parsed = outline(page(case.record, spoiled(case.encounter), HOSTILE))
    assert "img" not in [tag for tag, _ in parsed.elements]
    assert [tag for tag, _ in parsed.elements].count("script") == 2
    assert not any(name.startswith("on") for _, attrs in parsed.elements for name in attrs)


@pytest.mark.parametrize(
    "make", [scripts.mission, scripts.bounces, scripts.hit, scripts.miss, scripts.pulse]
)
def test_pages_are_whole_and_small(make: Any) -> None:
    text = shown(make())
    outline(text)
    assert len(text.encode()) < 1_000_000
