"""The page of an identification: table, words, warnings and figures; needs nothing else."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from html import escape

from percuss.identification.result import Identification
from percuss.report.identify_figures import Picture
from percuss.report.identify_words import bounds_in_words, left_out_in_words
from percuss.report.page import asset
from percuss.report.words import digits_for, number
from percuss.version import __version__

_MORE_STYLE = """
main { max-width: 1100px; } header { max-width: 1100px; }
table.found { border-collapse: collapse; margin: 10px 0 18px; width: auto; table-layout: auto; }
table.found th, table.found td { text-align: left; padding: 4px 18px 4px 0;
  border-bottom: 1px solid var(--line); width: auto; }
table.found td.n { font-variant-numeric: tabular-nums; white-space: nowrap; }
table.found tr.hidden td { color: var(--soft); }
figure { margin: 20px 0; break-inside: avoid; }
figure img { max-width: 100%; height: auto; background: #fff; border-radius: 6px; padding: 10px;
  box-sizing: border-box; }
figcaption { color: var(--soft); max-width: 760px; }
ul.words li { margin: 4px 0; max-width: 860px; }
"""


def identify_page(found: Identification, pictures: Iterable[Picture]) -> str:
    """The report of an identification as HTML: self-contained, for light and dark."""
    title = found.encounter.name
    until = found.measured.time[-1]
    asked = f"What the target did before the impact, from {until:g} s of measurements after it"
    parts = [
        *(_warning(text) for text in found.warnings),
        _table(
            ("quantity", "estimate", "± 1σ", "unit", "how known"),
            [_cells(r.name, r.estimate, r.sigma, r.unit, how=r.how) for r in found.rows],
        ),
        *_combinations(found),
        *_list(
            "What cannot be known",
            (*(hidden.words for hidden in found.unobservable), *bounds_in_words(found)),
        ),
        *_list("Weak", (weak.words for weak in found.weak)),
        *_list("What would help", found.remedies),
        *_list(
            "What is assumed",
            (*found.unknowns.assumptions, *(c.words for c in found.conditions)),
        ),
        *_list("How well it fits", _fit_words(found)),
        *_list("Left out as outliers", left_out_in_words(found)),
        *_list("Notes", found.notes),
    ]
    for picture in pictures:
        data, text = base64.b64encode(picture.image).decode(), escape(picture.caption)
        parts.append(
            f'<figure><img alt="{text}" src="data:image/png;base64,{data}">'
            f"<figcaption>{text}</figcaption></figure>"
        )
    scenario = (
        f"<details><summary>Scenario</summary><pre>{escape(found.encounter.text)}</pre></details>"
    )
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; style-src '
        "'unsafe-inline'; img-src data:\">"
        f"<title>{escape(title)} – percuss</title>"
        f"<style>{asset('page.css')}{_MORE_STYLE}</style></head>\n"
        f'<body><header><p class="brand">percuss · identification</p><h1>{escape(title)}</h1>'
        f'<p class="headline">{escape(asked)}</p>'
        "</header>\n<main>" + "\n".join([*parts, scenario]) + "</main>\n"
        f"<footer><span>percuss {escape(__version__)}</span> · <span>all numbers are in "
        "identify.json</span></footer></body></html>\n"
    )


def _fit_words(found: Identification) -> Iterable[str]:
    fit = found.fit
    yield (
        f"residuals {number(fit.rms, 3)} σ rms over {fit.samples} samples, χ² "
        f"{number(fit.cost, 5)} for {fit.freedom} degrees of freedom"
    )
    tests = len(found.checks.tests)
    if found.checks.passed:
        yield f"{tests} tests of the residuals found nothing wrong with the model"
    if fit.shape.spread is not None:
        yield (
            "χ² is no parabola along what is known least: its valley was followed, and estimates, "
            "± and intervals are mean, deviation and quantiles along it"
        )
    if found.jump is not None:
        hidden = ", ".join(d.words for d in found.jump.hidden)
        yield (
            f"the jump of the velocity alone tells {found.jump.rank} of {len(found.jump.names)} "
            "numbers of the target's velocity" + (f"; hidden from it: {hidden}" if hidden else "")
        )


def _combinations(found: Identification) -> list[str]:
    if not found.combinations:
        return []
    rows = [_cells(c.words, c.value, c.sigma, c.unit, how="") for c in found.combinations]
    return [
        "<h2>Known only together</h2>",
        _table(("combination", "value", "± 1σ", "unit", ""), rows),
    ]


def _cells(
    name: str, value: float | None, sigma: float | None, unit: str, *, how: str
) -> tuple[str, ...]:
    digits = digits_for(value, sigma)
    shown = unit if unit != "1" else ""
    return name, number(value, digits), number(sigma, 2), shown, how


def _table(headings: Sequence[str], rows: Iterable[tuple[str, ...]]) -> str:
    head = "".join(f"<th>{escape(text)}</th>" for text in headings)
    body = ""
    for cells in rows:
        kind = ' class="hidden"' if cells[1] == "–" else ""
        marked = [
            f'<td class="n">{escape(cell)}</td>' if k in (1, 2) else f"<td>{escape(cell)}</td>"
            for k, cell in enumerate(cells)
        ]
        body += f"<tr{kind}>{''.join(marked)}</tr>"
    return f'<table class="found"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def _list(title: str, texts: Iterable[str]) -> list[str]:
    items = "".join(f"<li>{escape(text)}</li>" for text in texts)
    return [f'<h2>{escape(title)}</h2><ul class="words">{items}</ul>'] if items else []


def _warning(text: str) -> str:
    return f'<p class="warning" role="alert"><strong>Warning</strong> {escape(text)}</p>'
