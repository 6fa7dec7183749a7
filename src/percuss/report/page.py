"""The report of a run: one page of HTML that needs nothing but a browser."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

import numpy as np

from percuss.report.charts import Chart, base_moves, charts, is_controlled, zero_charts
from percuss.report.judgement import headline
from percuss.report.scene import scene
from percuss.report.sections import advice, cards, loads, verdict, warnings
from percuss.report.tables import figures
from percuss.report.words import listed
from percuss.simulate.record import Record
from percuss.version import __version__

MOST_SAMPLES = 2001
"""A longer record is thinned evenly for the page, which says so."""

SCRIPTS = (
    "player.js",
    "charts.js",
    "vectors.js",
    "bodies.js",
    "camera.js",
    "shaders.js",
    "webgl.js",
    "plain.js",
    "viewer.js",
)
"""In the order in which they build on each other."""


def page(record: Record, summary: Mapping[str, Any], scenario_text: str) -> str:
    """The report as HTML: self-contained, offline, for light and dark, screen and paper.

    Args:
        record: the history of the run.
        summary: as in summary.json, with `name`, `laws` and `warnings`. `impact.closure`, when
            there, names the capture in the headline.
        scenario_text: shown as it is.
    """
    pick = samples(len(record.time))
    name = str(summary.get("name") or "capture")
    return Template(asset("page.html")).substitute(
        title=escape(name),
        headline=escape(headline(summary)),
        style=asset("page.css"),
        warnings=warnings(summary),
        verdict=verdict(summary),
        advice=advice(summary),
        cards=cards(summary),
        figures=figures(summary, record),
        bars=loads(summary, record),
        notes=_notes(record, pick),
        scenario=escape(scenario_text),
        footer=_footer(record),
        data=document(record, summary, pick),
        script="\n".join(asset(script) for script in SCRIPTS),
    )


def document(record: Record, summary: Mapping[str, Any], pick: np.ndarray) -> str:
    """What the scripts read, as JSON that is safe inside a script element.

    Curves have 7 significant digits; what is not finite is null.
    """
    curves = ",".join(_chart(chart, pick) for chart in charts(record))
    head = {"planar": record.planar, "scene": scene(record, summary, pick)}
    rest = _safe(json.dumps(head, ensure_ascii=True, allow_nan=False))
    return f'{{"time":{numbers(record.time[pick])},"charts":[{curves}],{rest[1:]}'


def numbers(values: np.ndarray) -> str:
    """A JSON list with 7 significant digits; what is not finite is null."""
    finite = np.isfinite(values)
    texts: Iterable[str] = map("%.7g".__mod__, values.tolist())
    if not finite.all():
        texts = (t if ok else "null" for t, ok in zip(texts, finite.tolist(), strict=True))
    return f"[{','.join(texts)}]"


def samples(count: int) -> np.ndarray:
    """Indices of the samples that the page shows: all, or evenly spaced with both ends."""
    if count <= MOST_SAMPLES:
        return np.arange(count)
    return np.linspace(0, count - 1, MOST_SAMPLES).round().astype(int)


@cache
def asset(name: str) -> str:
    """A file of this package's `assets`."""
    return (files("percuss.report") / "assets" / name).read_text(encoding="utf-8")


def _chart(chart: Chart, pick: np.ndarray) -> str:
    head = {
        "group": chart.group,
        "title": chart.title,
        "unit": chart.unit,
        "log": chart.logarithmic,
        "note": chart.note,
        "labels": [series.label for series in chart.series],
    }
    values = ",".join(numbers(series.values[pick]) for series in chart.series)
    return f'{_safe(json.dumps(head))[:-1]},"values":[{values}]}}'


def _safe(text: str) -> str:
    """JSON in which no text can end the script element or open another one."""
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _notes(record: Record, pick: Sequence[int] | np.ndarray) -> str:
    notes: list[str] = []
    left_out = zero_charts(record)
    if "control" in record.variables and not is_controlled(record):
        notes.append("No control force acts in this run: there is no chart of it.")
    if "rates" in record.variables and not base_moves(record):
        notes.append("The base does not move: there is no chart of it.")
    zero = listed(dict.fromkeys(chart.title[:1].lower() + chart.title[1:] for chart in left_out))
    if zero:
        notes.append(f"Zero throughout, and so without a chart: {zero}.")
    if len(pick) < len(record.time):
        shown = f"{len(pick)} of {len(record.time)} samples"
        notes.append(f"Charts and animation show {shown}, evenly spaced; the result file has all.")
    return "".join(f"<p>{escape(note)}</p>" for note in notes)


def _footer(record: Record) -> str:
    attributes = record.attributes
    version = attributes.get("percuss_version", attributes.get("version", __version__))
    shown = [f"percuss {version}"]
    shown += [f"{name} {attributes[name]}" for name in ("hash", "seed") if name in attributes]
    return " · ".join(f"<span>{escape(text)}</span>" for text in shown)
