"""Notices of models on a terminal: plain lines instead of a warning with a source path."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from percuss.cli.terminal import message as message_text
from percuss.model.errors import ModelNotice

MOST_LINES = 12
"""Of one notice that fit on a screen beside what the command itself says."""


@contextmanager
def notices_on_stderr() -> Iterator[None]:
    """A context in which what was changed in a model is told on stderr, each notice once."""
    written: set[str] = set()
    with warnings.catch_warnings():
        others = warnings.showwarning

        def show(message: Any, category: type[Warning], *place: Any, **more: Any) -> None:
            if not issubclass(category, ModelNotice):
                others(message, category, *place, **more)
            elif str(message) not in written:
                written.add(str(message))
                print(message_text(notice_text(str(message))), file=sys.stderr)

        warnings.simplefilter("always", ModelNotice)
        warnings.showwarning = show
        yield


def notice_text(message: str) -> str:
    """A notice as lines of a terminal; of a long one, the beginning."""
    first, *rest = shortened(message.splitlines())
    return "\n".join([f"percuss: note: {first}", *(f"  {line}" for line in rest)])


def shortened(lines: list[str]) -> list[str]:
    """The lines, or the first ones and how many more there are."""
    if len(lines) <= MOST_LINES:
        return lines
    kept = lines[: MOST_LINES - 1]
    more = f"… and {len(lines) - len(kept)} more; percuss robots FILE lists them all"
    return [*kept, more]
