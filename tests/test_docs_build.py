"""The documentation builds without a warning and its pages ask nothing from outside."""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

pytest.importorskip("sphinx", reason="the documentation needs the extra `docs`")

DOCS = Path(__file__).parents[1] / "docs"

LOADED = {
    "script": "src",
    "img": "src",
    "iframe": "src",
    "embed": "src",
    "audio": "src",
    "video": "src",
    "source": "src",
    "object": "data",
}
"""Attribute whose address a browser fetches as it shows a page, by element."""

NOT_FETCHED = {"author", "canonical", "help", "index", "license", "next", "prev", "search"}
"""Relations of a `link` element that a browser only notes."""


class Requests(HTMLParser):
    """Collects the addresses that a page loads."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag in LOADED:
            self.addresses.append(values.get(LOADED[tag], ""))
        if tag == "link" and not set(values.get("rel", "").split()) & NOT_FETCHED:
            self.addresses.append(values.get("href", ""))


def requests(page: str) -> list[str]:
    parser = Requests()
    parser.feed(page)
    styles = re.findall(r"(?:url\(|@import)\s*['\"]?([^'\")\s;]+)", page)
    return parser.addresses + styles


def is_outside(address: str) -> bool:
    return re.match(r"(?:[a-z]+:)?//", address.strip(), re.IGNORECASE) is not None


def test_documentation_builds_and_stays_at_home(tmp_path: Path) -> None:
    site = tmp_path / "html"
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html"]
    result = subprocess.run(
        [*command, "-d", str(tmp_path / "doctrees"), str(DOCS), str(site)],
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, "\n" + result.stderr

    pages = sorted(site.rglob("*.html"))
    assert (site / "index.html") in pages
    with_formulas = 0
    for path in [*pages, *sorted(site.rglob("*.css"))]:
        text = path.read_text(encoding="utf-8")
        found = requests(text)
        outside = [address for address in found if is_outside(address)]
        assert not outside, f"{path.relative_to(site)} loads {', '.join(outside)}"
        if path.suffix == ".html" and 'class="math' in text:
            with_formulas += 1
            scripts = [address for address in found if "mathjax" in address.lower()]
            assert scripts, f"{path.relative_to(site)} has formulas but loads no MathJax"
            for address in scripts:
                assert (path.parent / address.partition("?")[0]).is_file(), address
    assert with_formulas > 0


@pytest.mark.parametrize(
    ("page", "outside"),
    [
        ('<script src="https://example.org/a.js"></script>', True),
        ('<link rel="stylesheet" href="//example.org/a.css">', True),
        ("<style>@import 'http://example.org/a.css';</style>", True),
        ('<img src="_static/a.png"><a href="https://example.org">a</a>', False),
        ('<link rel="canonical" href="https://example.org/">', False),
    ],
)
def test_requests_are_seen(page: str, outside: bool) -> None:
    assert any(is_outside(address) for address in requests(page)) == outside
