"""The thesis reproduced, as one page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from percuss.sources.errata import errata_table, misprint_table
from percuss.sources.page import document, errata, heading, paragraphs, pictures, tables
from percuss.sources.table import numbers
from percuss.sources.thesis.evidence import Finding
from percuss.sources.thesis.figures import FIGURES
from percuss.sources.thesis.misprints import MISPRINTS
from percuss.sources.thesis.numbers import control_table, free_table, impact_table
from percuss.sources.thesis.sample import MOVING
from percuss.sources.thesis.tables import VELOCITIES
from percuss.sources.thesis.tables import tables as input_tables


def page(
    title: str,
    words: Iterable[str],
    data: dict[str, Any],
    found: tuple[Finding, ...],
    *,
    images: Mapping[str, bytes],
) -> str:
    """The page: the story, the tables in, the numbers and figures out, the errata."""
    by_name = {figure.name: figure for figure in FIGURES}
    first, drawn = by_name["momentum"], by_name["figure-4-1"]
    courses = [figure for figure in FIGURES if figure not in (first, drawn)]
    simulations = data["simulations"]
    return document(
        title,
        [
            paragraphs(words),
            tables([impact_table(simulations, k) for k in VELOCITIES]),
            pictures([first], images),
            heading("What goes in"),
            tables(input_tables()),
            heading("Free motion"),
            pictures([drawn], images),
            tables([free_table(simulations, 1)]),
            pictures(courses[:2], images),
            heading("Controlled motion"),
            paragraphs(
                [
                    "Computed torque (4.26) back to the initial pose with all five forces, "
                    "K_p = 1 and K_d = 2ξ. For ξ = 1 the closed form is p = p_d + ṗ_f t e⁻ᵗ."
                ]
            ),
            tables([control_table(simulations, k, "controlled") for k in VELOCITIES]),
            pictures(courses[2:4], images),
            heading("Underdamped"),
            tables([control_table(simulations, 1, "underdamped")]),
            pictures(courses[4:], images),
            heading(f"Errata: {len(found)} that a computation shows"),
            paragraphs([_state()]),
            errata(errata_table(found)),
            heading("Misprints without a number"),
            errata(misprint_table(MISPRINTS)),
        ],
    )


def _state() -> str:
    rates, spins, forces = map(numbers, (MOVING.rates, MOVING.object_rates, MOVING.forces))
    return (
        "Chapters 2 and 3, (4.15), (4.22) and (4.28) are compared in the pose of Table 4.2 with "
        f"ṗ = ({rates}), ψ̇ = ({spins}) and "
        f"(F_x, F_y, τ0, τ1, τ2) = ({forces}), in SI units; the rest of chapter 4 in simulation 1."
    )
