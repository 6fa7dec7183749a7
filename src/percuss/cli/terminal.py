"""Texts on a terminal as they are: names of files and robots can neither command nor color it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import typer
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text
from typer.core import TyperGroup

from percuss.report.letters import plain

__all__ = ["Commands", "Terminal", "as_is", "marked", "message", "plain"]

MOST_LINES = 50
LONGEST_LINE = 1000
"""Of a message: twenty problems of a scenario are listed at most, a strict reading of a robot may
find more; a name or a value that is longer than that says nothing."""

_UsageError: Any = typer.BadParameter.__mro__[1]
"""What is wrong with arguments; typer has no public name for it."""


def as_is(text: str, style: str = "") -> Text:
    """A text that is shown letter by letter: brackets and backslashes are no markup."""
    return Text(plain(text), style)


def marked(mark: str, style: str, text: str) -> Text:
    """A text after a colored mark."""
    return Text.assemble((mark, style), " ", as_is(text))


def message(text: str) -> str:
    """What is wrong, for a terminal: in plain letters, and no more than fits on one."""
    lines = [_cut(line) for line in plain(text).splitlines()]
    if len(lines) > MOST_LINES:
        lines = [*lines[: MOST_LINES - 1], f"… and {len(lines) - MOST_LINES + 1} more lines"]
    return "\n".join(lines)


def _cut(line: str) -> str:
    """A line without its middle where it is too long."""
    if len(line) <= LONGEST_LINE:
        return line
    left, right = line[: LONGEST_LINE // 2], line[-(LONGEST_LINE // 4) :]
    return f"{left} … {len(line) - len(left) - len(right)} characters … {right}"


class Terminal(Console):
    """A console that writes out whatever would command the terminal, from wherever it comes.

    Colors and the moves of a progress bar are styles and controls of its own, not texts.
    """

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else plain(text), style, control)


@contextmanager
def _plain_complaints() -> Iterator[None]:
    """What is said about arguments repeats them in plain letters."""
    try:
        yield
    except _UsageError as error:
        text = plain(error.format_message())
        error.format_message = lambda: text
        raise


class Commands(TyperGroup):
    """Commands whose complaints about arguments repeat them in plain letters."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        with _plain_complaints():
            return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        with _plain_complaints():
            return super().invoke(ctx)
