"""A reproduction as one page that needs nothing else."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from html import escape

from percuss.sources.figure import Figure
from percuss.sources.table import Table
from percuss.version import __version__

_STYLE = """
:root { color-scheme: light dark; --ink: #222; --paper: #fff; --faint: #e2e2e2; --line: #888;
  --quiet: #555; }
@media (prefers-color-scheme: dark) { :root { --ink: #ddd; --paper: #16181c; --faint: #34373d;
  --line: #888; --quiet: #a8a8a8; } }
@media print { :root { --ink: #000; --paper: #fff; --faint: #ccc; --line: #666; --quiet: #333; }
  figure, tr { break-inside: avoid; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 68rem; margin: 2rem auto; padding: 0 1.2rem; }
h1 { font-size: 1.7rem; line-height: 1.25; } h2 { margin-top: 2.4rem; font-size: 1.3rem; }
table { border-collapse: collapse; font-size: 0.86rem; margin: 0.8rem 0 1.4rem; }
caption { text-align: left; font-weight: 600; padding-bottom: 0.35rem; white-space: nowrap; }
th, td { text-align: left; vertical-align: top; padding: 0.28rem 0.75rem 0.28rem 0;
  border-bottom: 1px solid var(--faint); }
thead th { border-bottom: 1.5px solid var(--line); }
td.number { font-variant-numeric: tabular-nums; }
.errata td:nth-child(n+5) { min-width: 6.5rem; } .wide { overflow-x: auto; }
figure { margin: 1.6rem 0; }
figure img { max-width: 100%; height: auto; background: #fff; border-radius: 4px; }
figcaption { font-size: 0.9rem; color: var(--quiet); max-width: 52rem; }
p { max-width: 52rem; } footer { margin-top: 3rem; color: var(--quiet); font-size: 0.85rem; }
"""


def document(title: str, parts: Iterable[str]) -> str:
    """A page of HTML from its parts, legible on light and dark screens and in print."""
    footer = (
        f"<footer>percuss {escape(__version__)}. All numbers are in summary.json beside this page."
        "</footer>"
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head>\n"
        f"<body><h1>{escape(title)}</h1>\n" + "\n".join([*parts, footer]) + "\n</body></html>\n"
    )


def heading(text: str) -> str:
    return f"<h2>{escape(text)}</h2>"


def paragraphs(texts: Iterable[str]) -> str:
    return "\n".join(f"<p>{escape(text)}</p>" for text in texts)


def tables(found: Iterable[Table]) -> str:
    return "\n".join(table.html() for table in found)


def errata(table: Table) -> str:
    """A table with text in its first columns and numbers in its last."""
    return f'<div class="errata">{table.html()}</div>'


def pictures(figures: Iterable[Figure], files: Mapping[str, bytes]) -> str:
    """Figures with their captions, drawn sharp at any size."""
    return "\n".join(_picture(figure, files[figure.svg]) for figure in figures)


def _picture(figure: Figure, image: bytes) -> str:
    data, text = base64.b64encode(image).decode(), escape(figure.caption)
    return (
        f'<figure><img alt="{text}" src="data:image/svg+xml;base64,{data}">'
        f"<figcaption>{text}</figcaption></figure>"
    )
