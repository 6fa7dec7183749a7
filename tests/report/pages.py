"""Pages taken apart: elements, texts and data."""

from __future__ import annotations

import base64
import json
import re
from html.parser import HTMLParser
from typing import Any

import numpy as np

from percuss.report.page import page
from tests.report.captures import Capture

HOSTILE = "</script><img src=x onerror=alert(1)>\"'&<!--\u2028$title"
VOID = {"meta", "input", "img", "br", "hr", "link", "wbr"}


class Outline(HTMLParser):
    """Collects elements, attributes and text, and complains about tags that do not match."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.texts: dict[str, list[str]] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        opened = self.open.pop()
        assert opened == tag, f"</{tag}> closes <{opened}>"

    def handle_data(self, data: str) -> None:
        if self.open:
            self.texts.setdefault(self.open[-1], []).append(data)


def outline(text: str) -> Outline:
    parser = Outline()
    parser.feed(text)
    parser.close()
    assert not parser.open, f"never closed: {parser.open}"
    return parser


def data_of(text: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert found, "the page has no data"

    def refuse(word: str) -> float:
        raise AssertionError(f"{word} is no JSON")

    data = json.loads(found[1], parse_constant=refuse)
    for chart in data["charts"]:
        curves = [unpacked(text, 1)[:, 0] for text in chart["values"]]
        chart["values"] = [[float(x) if np.isfinite(x) else None for x in c] for c in curves]
    return data


def unpacked(text: str, width: int) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), "<f4").reshape(-1, width)


def shown(case: Capture, scenario: str = "name: a\n") -> str:
    return page(case.record, case.encounter, scenario)


def marks(text: str) -> list[str]:
    """The marks of the verdict: state and sign of each line."""
    return re.findall(r'<li class="[\w-]+"><span class="sign" aria-label="([\w ]+)">', text)
