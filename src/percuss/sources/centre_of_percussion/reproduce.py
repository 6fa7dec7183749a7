"""The paper reproduced: its table and figures, its errors, and what a free base changes."""

from __future__ import annotations

from collections.abc import Mapping

from percuss.encounter.failure import Progress
from percuss.sources.centre_of_percussion.compensation_numbers import (
    effect_table,
    effects,
    torque_table,
)
from percuss.sources.centre_of_percussion.errata import MISPRINTS, findings
from percuss.sources.centre_of_percussion.figures import (
    CHARTS,
    COMPENSATION,
    FIGURES,
    FREE_JOINTS,
)
from percuss.sources.centre_of_percussion.numbers import (
    blow_table,
    blows,
    design,
    shield_table,
    summary,
    table_1,
)
from percuss.sources.centre_of_percussion.paper import TABLE_1, input_tables
from percuss.sources.comparison import Comparison, comparison_table
from percuss.sources.errata import Erratum, errata_table, misprint_table
from percuss.sources.figure import drawn
from percuss.sources.page import document, errata, heading, paragraphs, pictures, tables
from percuss.sources.registry import Reproduction
from percuss.sources.steps import Steps
from percuss.sources.table import Table, number

NAME = "centre-of-percussion"
TITLE = "Centre of percussion and IC², with the paper's errors shown"


def reproduce(progress: Progress | None = None) -> Reproduction:
    """Compute the numbers, draw the figures, show the errors."""
    steps = Steps(progress, 3 + len(FIGURES))
    rows = comparisons()
    steps.done()
    effect_table()
    steps.done()
    found = findings()
    steps.done()
    images: dict[str, bytes] = {}
    for files in drawn(FIGURES):
        images |= files
        steps.done()
    words = story(found)
    compared = tuple(comparison_table(title, part) for title, part in rows.items())
    data = {
        "source": NAME,
        "title": TITLE,
        **summary(),
        "compensation": list(effects()),
        "comparisons": {title: [row.data() for row in part] for title, part in rows.items()},
        "errata": [erratum.data() for erratum in found],
        "misprints": [misprint.data() for misprint in MISPRINTS],
    }
    return Reproduction(
        name=NAME,
        title=TITLE,
        headline=(*compared, *simulated()),
        words=words,
        summary=data,
        page=_page(words, compared, found, images),
        images=images,
    )


def comparisons() -> dict[str, tuple[Comparison, ...]]:
    """The paper's numbers beside percuss's, by title."""
    return {
        "Table 1: its last column, and what follows": table_1(),
        "Section 3: what keeps the reaction below a limit": design(),
    }


def simulated() -> tuple[Table, ...]:
    """What the simulations of section 6 gave."""
    return blow_table(), shield_table(), effect_table(), torque_table()


def story(found: tuple[Erratum, ...]) -> tuple[str, ...]:
    """What to make of the numbers, with the numbers in it."""
    ends = [row for row in design() if row.quantity.endswith("example")]
    struck = {(blow.case.at, blow.case.angle): blow for blow in blows()}
    tip, flat = struck[TABLE_1.link2.length, 90.0], struck[TABLE_1.link2.cop, 60.0]
    by = {(entry["struck"], entry["motors"]): entry for entry in effects()}

    def peaks(struck: str, motors: str) -> str:
        peak = by[struck, motors]["peak_reaction"]
        return f"{number(peak['joint2'], 3)} and {number(peak['joint1'], 3)} N"

    onset = by["tip", "IC²"]["torques_at_onset"]["joint2"]
    cop = [by["CoP", motors]["peak_reaction"]["joint2"] for motors in ("free joints", "IC²")]
    return (
        "The idea holds: struck at its centre of percussion at a right angle, a link does not load "
        "its joint, on a fixed axis and on a floating robot alike.",
        f"(39) has a wrong sign. For 70° and 0.4 C_ID may lie between "
        f"{' and '.join(row.percuss for row in ends)}, not "
        f"{' and '.join(row.source for row in ends)}.",
        "No joint is fixed in space. For 1 kN at the tip of link 2 joint 2 feels "
        f"{tip.onset['joint2']:.1f} N where the fixed axis gives {tip.fixed_axis:.1f} N; for a "
        f"blow of 60° at the centre of percussion {flat.onset['joint2']:.1f} N instead of "
        f"{flat.fixed_axis:.0f} N.",
        f"IC² needs {number(onset, 8)} N m on both joints and the base at onset, and takes the "
        f"peaks at joints 2 and 1 from {peaks('tip', 'free joints')} to {peaks('tip', 'IC²')}; "
        f"without the base's torque to {peaks('tip', 'IC² without base torque')}. Locked joints "
        f"feel {peaks('tip', 'locked joints')}.",
        "IC² is no help against force along a link: struck so at the tip, joints 2 and 1 feel "
        f"{peaks('tip, along link 2', 'free joints')} without it and "
        f"{peaks('tip, along link 2', 'IC²')} with it. At the centre of percussion it "
        f"raises N2 from {number(cop[0], 3)} to {number(cop[1], 3)} N. Torques from the force "
        f"alone, n = −r F, leave {peaks('tip', 'n = −r F')} at the tip and do nothing at the "
        "centre of percussion.",
        f"{len(found)} errors are shown by a computation, {len(MISPRINTS)} misprints are listed "
        "without one.",
    )


def _page(
    words: tuple[str, ...],
    compared: tuple[Table, ...],
    found: tuple[Erratum, ...],
    images: Mapping[str, bytes],
) -> str:
    return document(
        TITLE,
        [
            paragraphs(words),
            heading("What goes in"),
            tables(input_tables()),
            tables(compared[:1]),
            heading("Design charts"),
            pictures(CHARTS, images),
            tables(compared[1:]),
            heading("A planar robot with free joints"),
            pictures(FREE_JOINTS, images),
            tables(simulated()[:2]),
            heading("Impact compensation, IC²"),
            pictures(COMPENSATION, images),
            tables(simulated()[2:]),
            heading(f"Errata: {len(found)} that a computation shows"),
            errata(errata_table(found)),
            heading("Misprints without a number"),
            errata(misprint_table(MISPRINTS)),
        ],
    )
