"""What a terminal says of every way in which an encounter can end."""

from __future__ import annotations

import io
import json

import pytest
from rich.console import Console

from percuss.cli.show import show_encounter
from percuss.cli.show_impact import joint_table
from percuss.encounter.summary.plain_data import encounter_of, summary_of
from tests.report import captures, scripts
from tests.report.captures import Capture
from tests.report.test_encounter_words import piled


def printed(case: Capture, width: int = 120) -> str:
    console = Console(file=io.StringIO(), width=width)
    show_encounter(console, case.encounter)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_impact_at_the_start_is_told_as_ever() -> None:
    text = printed(captures.thesis("pin", samples=21))
    assert "the target is caught on a pin" in text
    assert "1.841 N s" in text
    assert "7.5 → 6.579 J" in text
    assert "captured on a pin at 0 s." in text
    assert "After 10 s" in text
    for title in ("Approach", "Impacts", "Phases", "Bringing it to rest"):
        assert title not in text, title


@pytest.mark.parametrize(
    ("case", "said"),
    [
        (
            scripts.mission(),
            (
                "captured The target was caught rigidly",
                "at 30 s",
                "Bringing it to rest",
                "22.4 s",
                "observe",
                "dump it in 15 s",
            ),
        ),
        (
            scripts.bounces(),
            ("captured After 3 bounces", "Impacts", "Last impact", "9.011", "flight"),
        ),
        (scripts.miss(), ("missed", "0.12 m", "closest at 12 s", "closure weld")),
        (scripts.hit(), ("Hunt–Crossley", "321.6 N", "0.02 s", "effective restitution", "contact")),
        (scripts.pulse(), ("pushed", "there is no target", "10 N s")),
        (scripts.held(), ("held A spring holds", "a spring holds tool and target together")),
        (piled("accumulated"), ("accumulated", "and 17 more, the last at 5 s")),
        (piled("unfinished", 20), ("unfinished", "Impacts")),
    ],
    ids=lambda x: str(x.encounter.status) if isinstance(x, Capture) else "",
)
def test_every_end_is_told(case: Capture, said: tuple[str, ...]) -> None:
    text = printed(case)
    for words in said:
        assert words in text, words


def test_without_a_target_none_is_told() -> None:
    assert "target at" not in printed(scripts.pulse())
    assert "target at" in printed(scripts.miss())


def test_miss_has_no_impact() -> None:
    text = printed(scripts.miss())
    assert "Impact" not in text
    assert "caught" not in text


def test_miss_tells_its_law_and_has_nothing_to_be_after() -> None:
    text = printed(scripts.passed())
    assert "At the end (20 s)" in text
    assert "After" not in text
    assert "hold-tool" in text
    assert "0.8 rad/s" in text


def test_catch_after_bounces_does_not_bounce_off() -> None:
    case = scripts.bounces()
    text = printed(case.changed(closure="bounce"))
    assert "bounces off" not in text
    assert "the target is caught rigidly" in text


def test_spring_between_points_has_no_friction() -> None:
    assert "friction" not in printed(scripts.held())


def test_names_are_no_markup() -> None:
    case = scripts.bounces()
    text = printed(case.changed(name="[red]x[/red]", outcome="see [bold]this[/bold]"))
    assert "[red]x[/red]" in text
    assert "see [bold]this[/bold]" in text


def test_narrow_terminal_shows_all_numbers() -> None:
    text = printed(scripts.hit(), width=60)
    assert "321.6" in text
    assert "0.6" in text


@pytest.mark.parametrize("width", [60, 80, 120])
def test_long_names_of_joints_are_not_cut_off(width: int) -> None:
    """Bars are left out before anything of a name is."""
    case = captures.thesis("pin", samples=21)
    text = json.dumps(summary_of(case.encounter))
    for name in ("joint1", "joint2"):
        text = text.replace(f'"{name}"', f'"the_starboard_manipulators_{name}"')
    console = Console(file=io.StringIO(), width=width)
    table = joint_table(encounter_of(json.loads(text)), width)
    assert table is not None
    console.print(table)
    assert isinstance(console.file, io.StringIO)
    shown = console.file.getvalue()
    assert "…" not in shown
    names = [line.split()[0] for line in shown.splitlines()]
    assert "the_starboard_manipulators_joint1" in "".join(names)
    assert ("█" in shown) == (width == 120)
