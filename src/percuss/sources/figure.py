"""A figure of a reproduced document: its name, its caption, and how it is drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from percuss.sources.style import png, svg


@dataclass(frozen=True)
class Figure:
    """A figure, the name of its files, and what a reader is to see in it."""

    name: str
    caption: str
    draw: Callable[[], Any]

    @property
    def png(self) -> str:
        return f"{self.name}.png"

    @property
    def svg(self) -> str:
        return f"{self.name}.svg"


def drawn(figures: Iterable[Figure]) -> Iterator[dict[str, bytes]]:
    """The files of each figure, by name, one figure after the other."""
    for figure in figures:
        made = figure.draw()
        yield {figure.png: png(made), figure.svg: svg(made)}
