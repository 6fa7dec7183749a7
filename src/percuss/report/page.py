"""The report of a run: one page of HTML that needs nothing but a browser."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

import numpy as np

from percuss.encounter.record import Record
from percuss.encounter.records.result import EncounterResult
from percuss.report.charts import base_moves, charts_and_zeros, is_controlled
from percuss.report.curves import Chart
from percuss.report.judgement import headline
from percuss.report.overlays import ghost_words, overlays
from percuss.report.sampling import samples
from percuss.report.scene import packed, scene
from percuss.report.sections import advice, cards, loads, notices, outcome, verdict, warnings
from percuss.report.steering import is_steered
from percuss.report.tables import figures
from percuss.report.timeline import Timeline, timeline, timeline_data
from percuss.report.words import listed
from percuss.version import __version__

SCRIPTS = (
    "player.js",
    "timeline.js",
    "axes.js",
    "charts.js",
    "vectors.js",
    "bodies.js",
    "marks.js",
    "camera.js",
    "shaders.js",
    "webgl.js",
    "plain.js",
    "viewer.js",
)
"""In the order in which they build on each other."""


def page(record: Record, result: EncounterResult, scenario_text: str) -> str:
    """The report as HTML: self-contained, offline, for light and dark, screen and paper.

    Args:
        record: the history of the run.
        result: what became of the encounter.
        scenario_text: shown as it is.
    """
    line = timeline(record, result)
    pick = samples(np.asarray(record.time, dtype=float), line)
    name = result.name
    shown, zeros = charts_and_zeros(record)
    return Template(asset("page.html")).substitute(
        title=escape(name),
        headline=escape(headline(result)),
        outcome=outcome(result),
        ghost=escape(ghost_words(line)),
        style=asset("page.css"),
        warnings=warnings(result),
        verdict=verdict(result),
        advice=advice(result),
        cards=cards(result),
        figures=figures(result, record),
        bars=loads(result, record),
        notes=_notes(record, result, line, pick, left_out=zeros),
        notices=notices(result),
        scenario=escape(scenario_text),
        footer=_footer(record),
        data=document(record, line, pick, shown),
        script="\n".join(asset(script) for script in SCRIPTS),
    )


def document(record: Record, line: Timeline, pick: np.ndarray, shown: Sequence[Chart]) -> str:
    """What the scripts read, as JSON that is safe inside a script element.

    Curves are 32-bit floats: 7 significant digits, and whatever is not finite. Times have every
    digit: the samples on both sides of a jump are one rounding apart.
    """
    content = {
        "time": np.asarray(record.time, dtype=float)[pick].tolist(),
        "charts": [_chart(chart, pick) for chart in shown],
        "planar": record.planar,
        "timeline": timeline_data(line),
        "scene": scene(record, line, pick) | overlays(record, line, pick),
    }
    return _safe(json.dumps(content, ensure_ascii=True, allow_nan=False, separators=(",", ":")))


@cache
def asset(name: str) -> str:
    """A file of this package's `assets`."""
    return (files("percuss.report") / "assets" / name).read_text(encoding="utf-8")


def _chart(chart: Chart, pick: np.ndarray) -> dict[str, Any]:
    return {
        "group": chart.group,
        "title": chart.title,
        "unit": chart.unit,
        "log": chart.logarithmic,
        "note": chart.note,
        "labels": [series.label for series in chart.series],
        "values": [packed(series.values[pick]) for series in chart.series],
    }


def _safe(text: str) -> str:
    """JSON in which no text can end the script element or open another one."""
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _notes(
    record: Record,
    result: EncounterResult,
    line: Timeline,
    pick: Sequence[int] | np.ndarray,
    *,
    left_out: Sequence[Chart],
) -> str:
    notes: list[str] = []
    if "control" in record.variables and not is_controlled(record):
        idle = "No control force acts in this run"
        if is_steered(result):
            idle = "The law of control needs no force in this run"
        notes.append(f"{idle}: there is no chart of it.")
    if "rates" in record.variables and not base_moves(record):
        notes.append("The base does not move: there is no chart of it.")
    zero = listed(dict.fromkeys(chart.title[:1].lower() + chart.title[1:] for chart in left_out))
    if zero:
        notes.append(f"Zero throughout, and so without a chart: {zero}.")
    if len(pick) < len(record.time):
        shown = f"{len(pick)} of {len(record.time)} samples"
        how = "those of contacts before all" if line.contacts else "evenly spaced"
        notes.append(f"Charts and animation show {shown}, {how}; the result file has all.")
    return "".join(f"<p>{escape(note)}</p>" for note in notes)


def _footer(record: Record) -> str:
    attributes = record.attributes
    version = attributes.get("percuss_version", attributes.get("version", __version__))
    shown = [f"percuss {version}"]
    shown += [f"{name} {attributes[name]}" for name in ("hash", "seed") if name in attributes]
    return " · ".join(f"<span>{escape(text)}</span>" for text in shown)
