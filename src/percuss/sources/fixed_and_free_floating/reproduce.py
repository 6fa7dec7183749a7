"""The paper reproduced: its figures and numbers, its errors, and the free base."""

from __future__ import annotations

from collections.abc import Mapping

from percuss.encounter.failure import Progress
from percuss.sources.comparison import Comparison, comparison_table
from percuss.sources.errata import Erratum, errata_table, misprint_table
from percuss.sources.figure import drawn
from percuss.sources.fixed_and_free_floating.errata import MISPRINTS, findings
from percuss.sources.fixed_and_free_floating.figures import FIGURES, FREE_BASE, PAPER
from percuss.sources.fixed_and_free_floating.floating import (
    BASE_MASS,
    free_base_peaks,
)
from percuss.sources.fixed_and_free_floating.followed import followed_circle
from percuss.sources.fixed_and_free_floating.motion import torque_peaks
from percuss.sources.fixed_and_free_floating.numbers import (
    floating_numbers,
    printed_numbers,
    summary,
    torque_numbers,
)
from percuss.sources.fixed_and_free_floating.paper import input_tables
from percuss.sources.fixed_and_free_floating.singularities import dynamic_singularities
from percuss.sources.page import document, errata, heading, paragraphs, pictures, tables
from percuss.sources.registry import Reproduction
from percuss.sources.steps import Steps
from percuss.sources.table import Table, number

NAME = "fixed-and-free-floating"
TITLE = "Fixed and free-floating 2R manipulator, with its errors shown"


def reproduce(progress: Progress | None = None) -> Reproduction:
    """Compute the numbers, draw the figures, show the errors."""
    steps = Steps(progress, 2 + len(FIGURES))
    rows = comparisons()
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
        "comparisons": {title: [row.data() for row in part] for title, part in rows.items()},
        "errata": [erratum.data() for erratum in found],
        "misprints": [misprint.data() for misprint in MISPRINTS],
    }
    return Reproduction(
        name=NAME,
        title=TITLE,
        headline=compared,
        words=words,
        summary=data,
        page=_page(words, compared, found, images),
        images=images,
    )


def comparisons() -> dict[str, tuple[Comparison, ...]]:
    """The paper's numbers beside percuss's, by title."""
    return {
        "Numbers in print": printed_numbers(),
        "Torques with gravity, by the printed equations with numbers": torque_numbers(gravity=True),
        "Torques without gravity, likewise": torque_numbers(gravity=False),
        "What the paper left as future work: a free base": floating_numbers(),
    }


def story(found: tuple[Erratum, ...]) -> tuple[str, ...]:
    """What to make of the numbers, with the numbers in it."""
    free, followed, fixed = free_base_peaks(), followed_circle(), torque_peaks()
    first, second = 100 * free.torque_error
    heavy, light = fixed.with_gravity.max(), fixed.without_gravity.max()
    low, high = dynamic_singularities()
    return (
        f"The circle takes at most {number(heavy, 4)} N m with gravity and {number(light, 4)} N m "
        "without. The paper's equations with numbers give up to "
        f"{number(fixed.printed_surplus, 3)} N m more for τ1 with gravity.",
        "The paper calls the arm without gravity free-floating. On a base of "
        f"{number(BASE_MASS)} kg that is truly free the torques differ by {first:.0f} % and "
        f"{second:.0f} % of their peaks, and the tool misses a circle of 0.2 m radius by "
        f"{free.tool_error:.3f} m. The error falls as 1 / mass of the base.",
        "With the generalized Jacobian the tool stays on the circle, but the base has turned by "
        f"{number(followed.q[2, -1], 3)} rad when it is closed. The free arm has dynamic "
        f"singularities: at q1 = 90° where q2 = {number(high, 7)} and {number(low)} rad.",
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
            heading("The paper's figures"),
            pictures(PAPER, images),
            heading("Quantity by quantity"),
            tables(compared[:3]),
            heading("A truly free base"),
            pictures(FREE_BASE, images),
            tables(compared[3:]),
            heading(f"Errata: {len(found)} that a computation shows"),
            errata(errata_table(found)),
            heading("Misprints without a number"),
            errata(misprint_table(MISPRINTS)),
        ],
    )
