"""The reproduction as one page that needs nothing else."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

from percuss.sources.table import Table, numbers
from percuss.sources.thesis.errata import errata_table, misprint_table
from percuss.sources.thesis.evidence import Finding
from percuss.sources.thesis.figures import FIGURES, Figure
from percuss.sources.thesis.numbers import control_table, free_table, impact_table
from percuss.sources.thesis.sample import MOVING
from percuss.sources.thesis.tables import VELOCITIES, tables
from percuss.version import __version__

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #222; max-width: 68rem; margin: 2rem auto;
  padding: 0 1.2rem; }
h1 { font-size: 1.7rem; line-height: 1.25; } h2 { margin-top: 2.4rem; font-size: 1.3rem; }
table { border-collapse: collapse; font-size: 0.86rem; margin: 0.8rem 0 1.4rem; }
caption { text-align: left; font-weight: 600; padding-bottom: 0.35rem; white-space: nowrap; }
th, td { text-align: left; vertical-align: top; padding: 0.28rem 0.75rem 0.28rem 0;
  border-bottom: 1px solid #e2e2e2; }
thead th { border-bottom: 1.5px solid #888; }
td.number { font-variant-numeric: tabular-nums; }
.errata td:nth-child(n+5) { min-width: 6.5rem; } .wide { overflow-x: auto; }
figure { margin: 1.6rem 0; } figure img { max-width: 100%; height: auto; }
figcaption { font-size: 0.9rem; color: #555; max-width: 52rem; }
p { max-width: 52rem; } footer { margin-top: 3rem; color: #777; font-size: 0.85rem; }
"""


def page(
    title: str,
    words: Iterable[str],
    data: dict[str, Any],
    found: tuple[Finding, ...],
    images: Mapping[str, bytes],
) -> str:
    """The page: the story, the tables in, the numbers and figures out, the errata."""
    by_file = {figure.file: figure for figure in FIGURES}
    first, drawn = by_file["momentum.png"], by_file["figure-4-1.png"]
    courses = [figure for figure in FIGURES if figure not in (first, drawn)]
    simulations = data["simulations"]
    parts = [
        *(f"<p>{escape(text)}</p>" for text in words),
        _tables([impact_table(simulations, k) for k in VELOCITIES]),
        _figure(first, images),
        "<h2>What goes in</h2>",
        _tables(tables()),
        "<h2>Free motion</h2>",
        _figure(drawn, images),
        _tables([free_table(simulations, 1)]),
        *(_figure(figure, images) for figure in courses[:2]),
        "<h2>Controlled motion</h2>",
        "<p>Computed torque (4.26) back to the initial pose with all five forces, K_p = 1 and "
        "K_d = 2ξ. For ξ = 1 the closed form is p = p_d + ṗ_f t e⁻ᵗ.</p>",
        _tables([control_table(simulations, k, "controlled") for k in VELOCITIES]),
        *(_figure(figure, images) for figure in courses[2:4]),
        "<h2>Underdamped</h2>",
        _tables([control_table(simulations, 1, "underdamped")]),
        *(_figure(figure, images) for figure in courses[4:]),
        f"<h2>Errata: {len(found)} that a computation shows</h2>",
        f"<p>{escape(_state())}</p>",
        f'<div class="errata">{errata_table(found).html()}</div>',
        "<h2>Misprints without a number</h2>",
        f'<div class="errata">{misprint_table().html()}</div>',
        f"<footer>percuss {escape(__version__)}. All numbers are in summary.json beside this page."
        "</footer>",
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head>\n"
        f"<body><h1>{escape(title)}</h1>\n" + "\n".join(parts) + "\n</body></html>\n"
    )


def _state() -> str:
    rates, spins, forces = map(numbers, (MOVING.rates, MOVING.object_rates, MOVING.forces))
    return (
        "Chapters 2 and 3, (4.15), (4.22) and (4.28) are compared in the pose of Table 4.2 with "
        f"ṗ = ({rates}), ψ̇ = ({spins}) and "
        f"(F_x, F_y, τ0, τ1, τ2) = ({forces}), in SI units; the rest of chapter 4 in simulation 1."
    )


def _tables(found: Iterable[Table]) -> str:
    return "\n".join(table.html() for table in found)


def _figure(figure: Figure, images: Mapping[str, bytes]) -> str:
    data = base64.b64encode(images[figure.file]).decode()
    text = escape(figure.caption)
    return (
        f'<figure><img alt="{text}" src="data:image/png;base64,{data}">'
        f"<figcaption>{text}</figcaption></figure>"
    )
