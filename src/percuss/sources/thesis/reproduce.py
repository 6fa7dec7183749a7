"""The thesis reproduced: its runs, figures and errors in one go."""

from __future__ import annotations

from typing import Any

from percuss.encounter.failure import Progress
from percuss.sources.figure import drawn
from percuss.sources.registry import Reproduction
from percuss.sources.steps import Steps
from percuss.sources.table import Table, number
from percuss.sources.thesis.cases import DAMPING, Case, all_cases, simulation_of
from percuss.sources.thesis.errata import findings
from percuss.sources.thesis.figures import FIGURES
from percuss.sources.thesis.misprints import MISPRINTS
from percuss.sources.thesis.numbers import (
    control_table,
    free_table,
    impact_table,
    simulation_numbers,
)
from percuss.sources.thesis.page import page
from percuss.sources.thesis.tables import POSITIONS, VELOCITIES, VMS

TITLE = "Thesis: capture by a planar vehicle-manipulator system, with its errors shown"


def reproduce(progress: Progress | None = None) -> Reproduction:
    """Run both simulations with every closure, draw the figures, compute the errata."""
    steps = Steps(progress, len(all_cases()) + 1 + len(FIGURES))
    for case in all_cases():
        simulation_of(case)
        steps.done()
    found = findings()
    steps.done()
    data = {
        "source": "thesis",
        "title": TITLE,
        "tables": input_data(),
        "simulations": simulation_numbers(),
        "errata": [finding.data() for finding in found],
        "misprints": [misprint.data() for misprint in MISPRINTS],
    }
    images: dict[str, bytes] = {}
    for files in drawn(FIGURES):
        images |= files
        steps.done()
    words = story(data)
    return Reproduction(
        name="thesis",
        title=TITLE,
        headline=headline(data),
        words=words,
        summary=data,
        page=page(TITLE, words, data, found, images=images),
        images=images,
    )


def input_data() -> dict[str, Any]:
    """Tables 4.1–4.3 as plain data."""
    return {
        "4.1": vars(VMS) | {},
        "4.2": vars(POSITIONS) | {"theta_O by (4.20)": POSITIONS.object_angle(VMS.gamma)},
        "4.3": {
            str(k): {"chaser": list(v.chaser), "target": list(v.target)}
            for k, v in VELOCITIES.items()
        },
        "damping_ratio": dict(DAMPING),
    }


def headline(data: dict[str, Any]) -> tuple[Table, ...]:
    """Impacts, the end of free motion and the peaks of control."""
    found = data["simulations"]
    return (
        impact_table(found, 1),
        free_table(found, 1),
        control_table(found, 1, "controlled"),
    )


def story(data: dict[str, Any]) -> tuple[str, ...]:
    """What to make of the numbers, with the numbers in it."""
    lost = simulation_of(Case(closure="published")).impact
    linear = lost.linear_momentum_before[0] - lost.linear_momentum_after[0]
    angular = lost.angular_momentum_before[2] - lost.angular_momentum_after[2]
    share = 100 * linear / lost.linear_momentum_before[0]
    turned = 100 * angular / lost.angular_momentum_before[2]
    together = data["simulations"]["2"]["published"]["impact"]["target_velocity"][1]
    spin = data["simulations"]["1"]["pin"]["controlled"]["target_spin"]
    return (
        f"The published closure (4.9) loses {abs(linear):.4g} N s ({share:.0f} %) of linear and "
        f"{abs(angular):.4g} N m s ({turned:.0f} %) of angular momentum in simulation 1. "
        "Pin and weld keep both.",
        "Energy falls with every closure, as it must in a plastic impact, so it does not show the "
        "error; and in simulation 2 all three closures coincide, "
        f"ẏ_b = ẏ_O = {number(together)} m/s.",
        "The control needs F_x, F_y and τ0 besides the joints' motors: the robot is free-flying. "
        f"On a pin the object keeps turning, {spin:.7f} rad/s after 10 s.",
        f"{len(data['errata'])} errors of chapters 2–4 are shown by a computation, "
        f"{len(data['misprints'])} misprints are listed without one. "
        f"The underdamped appendix does not give ξ; here it is {DAMPING['underdamped']:g}.",
    )
