"""How centres of percussion look in a terminal."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table

from percuss.cli.cop_facts import BodyFacts, LimitFacts, LinkFacts, RobotFacts, ToleranceFacts
from percuss.cli.terminal import Terminal, as_is
from percuss.percussion.sensitivity import UNITS

_LABEL = 28
_WIDE = 10_000
"""Columns of a terminal on which every table fits."""


def show_body(facts: BodyFacts) -> None:
    """One body on an axis and one impact."""
    console = Terminal(highlight=False)
    console.print()
    console.rule("[bold]Body on a fixed axis", align="left")
    for label, text in _body_rows(facts):
        console.print(f"{label:{_LABEL}} {text}")
    console.print(f"\n[bold]Impact {facts.at:g} m from the axis, {_degrees(facts.angle)}[/]")
    for label, text in _impact_rows(facts):
        console.print(f"{label:{_LABEL}} {text}")
    if facts.limit is not None:
        console.print(f"\n[bold]Reaction of at most {facts.limit.reaction_ratio:g}[/]")
        for label, text in _limit_rows(facts.limit):
            console.print(f"{label:{_LABEL}} {text}")
    if facts.tolerances is not None:
        console.print("\n[bold]Inside the tolerances[/]")
        for label, text in _tolerance_rows(facts.tolerances):
            console.print(f"{label:{_LABEL}} {text}")


def _body_rows(facts: BodyFacts) -> Iterator[tuple[str, str]]:
    place, beyond = facts.percussion_distance, facts.percussion_beyond_com
    if place is None:
        yield "centre of percussion", "none: the body is balanced about its axis"
    else:
        text = f"[bold]{place:.8g} m[/] from the axis   [dim]CoM + {beyond:.8g} m[/]"
        yield "centre of percussion", text
    yield "inertia about the axis", f"{facts.inertia_about_axis:.8g} kg m²"
    yield "mass distribution C_MD", f"{facts.mass_distribution:.8g}"


def _impact_rows(facts: BodyFacts) -> Iterator[tuple[str, str]]:
    along, across = facts.reaction
    yield "impact coefficient C_ID", f"{facts.impact_coefficient:.8g}"
    yield (
        "reaction per impulse",
        f"[bold]{facts.reaction_ratio:.8g}[/]   [dim]{_small(along)} along, "
        f"{_small(across)} across[/]",
    )
    for name, slope in facts.slopes.items():
        yield f"  changes with {_word(name)}", f"{_small(slope)} per {UNITS[name]}"


def _limit_rows(limit: LimitFacts) -> Iterator[tuple[str, str]]:
    yield "this impact", "[green]keeps it[/]" if limit.kept else "[red]breaks it[/]"
    points = limit.points
    text = "nowhere at this angle" if points is None else f"{_range(points)} m from the axis"
    yield "kept at this angle", text
    angles = [[_in_degrees(end) for end in pair] for pair in limit.angles]
    text = " and ".join(_range(pair) for pair in angles) + "°" if angles else "at no angle"
    yield "kept at this place", text


def _tolerance_rows(found: ToleranceFacts) -> Iterator[tuple[str, str]]:
    allowed = ", ".join(f"{name} ± {value:g} {UNITS[name]}" for name, value in found.given.items())
    yield "given", allowed
    for words, extreme in (("least", found.least), ("largest", found.largest)):
        values = ", ".join(f"{name} {extreme.parameters[name]:.6g}" for name in found.given)
        yield f"{words} reaction", f"{extreme.ratio:.8g}   [dim]at {values}[/]"
    if found.margin is None:
        return
    if math.isinf(found.margin):
        yield "room", "kept however large they are"
    else:
        yield "room", f"kept up to {found.margin:.6g} times these tolerances"


def show_links(facts: RobotFacts) -> None:
    """Every link of a robot on a revolute joint."""
    console = Terminal(highlight=False)
    console.print()
    console.rule(as_is(facts.robot, "bold"), align="left")
    table = _links_table(facts.links)
    # A name that is cut off is no name: where the table is too wide, each link is a paragraph.
    if Console(width=_WIDE).measure(table).minimum <= console.width:
        console.print(table)
    else:
        for link in facts.links:
            console.print(as_is(link.link, "bold"), as_is(f"on {link.joint}"))
            console.print(Padding(as_is(", ".join(_link_words(link))), (0, 0, 0, 2)))
    console.print(
        "\nCoM and CoP are measured from the joint's axis. What a link carries at C_ID = 1 sits on "
        "its centre of percussion.",
        style="dim",
    )
    if any(link.percussion_distance is None for link in facts.links):
        console.print("–: balanced about its axis; the joint feels every impulse.", style="dim")


def _link_words(link: LinkFacts) -> Iterator[str]:
    """The numbers of a link, each with its name."""
    place = link.percussion_distance
    yield f"mass {link.mass:g} kg"
    yield f"CoM {link.com_distance:.4g} m"
    yield f"C_MD {link.mass_distribution:.4f}"
    yield "CoP –" if place is None else f"CoP {place:.5g} m"
    for name, value in link.carried.items():
        yield f"C_ID {value:.4g} of {name}"


def _links_table(links: Sequence[LinkFacts]) -> Table:
    """A row for each link; names and numbers on one line."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for name, justify in (
        ("link", "left"),
        ("on joint", "left"),
        ("mass, kg", "right"),
        ("CoM, m", "right"),
        ("C_MD", "right"),
        ("CoP, m", "right"),
        ("C_ID of what it carries", "left"),
    ):
        table.add_column(name, justify=justify, no_wrap=name != "C_ID of what it carries")  # type: ignore[arg-type]
    for link in links:
        place = link.percussion_distance
        carried = ", ".join(f"{name} {value:.4g}" for name, value in link.carried.items())
        table.add_row(
            as_is(link.link),
            as_is(link.joint),
            f"{link.mass:g}",
            f"{link.com_distance:.4g}",
            f"{link.mass_distribution:.4f}",
            "–" if place is None else f"{place:.5g}",
            as_is(carried),
        )
    return table


def _word(name: str) -> str:
    return {"angle": "angle", "at": "place", "com": "centre of mass"}.get(name, name)


def _in_degrees(end: float | None) -> float | None:
    return None if end is None else math.degrees(end)


def _degrees(angle: float) -> str:
    return f"φ = {math.degrees(angle):.6g}°"


def _range(pair: Sequence[float | None]) -> str:
    low, high = pair
    return f"{'any' if low is None else f'{low:.6g}'} to {'any' if high is None else f'{high:.6g}'}"


def _small(value: float) -> str:
    """Digits of rounding are zero."""
    return f"{0.0 if abs(value) < 1e-15 else value:.6g}"
