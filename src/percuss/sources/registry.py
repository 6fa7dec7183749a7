"""Which documents can be reproduced, by name."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from percuss.encounter.failure import Progress
from percuss.model.errors import ModelError, choices, closest
from percuss.sources.table import Table


@dataclass(frozen=True)
class Reproduction:
    """A document as our functions reproduce it.

    Attributes:
        name: as on the command line.
        title: one line.
        headline: the tables that tell the story, for a terminal.
        words: what to make of them, sentence by sentence.
        summary: every number as plain data, as in `summary.json`.
        page: the whole of it as HTML.
        images: each figure as PNG and SVG, by the name of its file.
    """

    name: str
    title: str
    headline: tuple[Table, ...]
    words: tuple[str, ...]
    summary: Mapping[str, Any]
    page: str
    images: Mapping[str, bytes]

    @property
    def files(self) -> dict[str, str | bytes]:
        """Everything by the name of its file: the summary, the page and the figures."""
        text = json.dumps(self.summary, indent=2, allow_nan=False, ensure_ascii=False) + "\n"
        return {"summary.json": text, "index.html": self.page, **self.images}


_MODULES = {
    "thesis": "percuss.sources.thesis.reproduce",
    "lecture": "percuss.sources.lecture.reproduce",
    "fixed-and-free-floating": "percuss.sources.fixed_and_free_floating.reproduce",
    "centre-of-percussion": "percuss.sources.centre_of_percussion.reproduce",
}
"""Name of a document → the module whose `reproduce` makes it; imported when asked for."""


def reproductions() -> tuple[str, ...]:
    """The documents that can be reproduced."""
    return tuple(_MODULES)


def reproduction(name: str, progress: Progress | None = None) -> Reproduction:
    """Reproduce a document; `progress` is told the share done, 0…1."""
    if name not in _MODULES:
        raise ModelError(
            f"there is no source {name!r}.{closest(name, _MODULES)} "
            f"There are: {choices(name, _MODULES)}"
        )
    make: Callable[[Progress | None], Reproduction] = import_module(_MODULES[name]).reproduce
    return make(progress)
