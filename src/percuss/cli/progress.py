"""What a command is doing: a bar on a terminal, and a note on an interruption."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from percuss.cli.terminal import Terminal
from percuss.encounter.failure import Progress
from percuss.kernel.waiting import PATIENCE, shown_by


@contextmanager
def progress_bar(name: str) -> Iterator[Progress]:
    """What is to be told the share of the work done, 0…1.

    Where stderr is a terminal, a bar appears there after two seconds, also while a long call
    tells nothing, and leaves no trace. An interruption gets a note of the name and the share.
    """
    done = 0.0

    def note(share: float) -> None:
        nonlocal done
        done = share
        show(share)

    try:
        with _bar(name) as show:
            yield note
    except BaseException as error:
        if not isinstance(error, Exception):
            error.add_note(f"{name} ({done:.0%} done)" if done else name)
        raise


@contextmanager
def _bar(name: str) -> Iterator[Progress]:
    """What shows the share of the work done on stderr, or does nothing where nobody looks."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.progress import (
        BarColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.percentage:3.0f}%"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    bar = Progress(*columns, console=Terminal(stderr=True), transient=True)
    task = bar.add_task(name, total=1.0)
    later = threading.Timer(PATIENCE, bar.start)
    later.daemon = True
    later.start()

    def show(what: str | None) -> None:
        bar.update(task, description=name if what is None else f"{name}: {what}")

    try:
        with shown_by(show):
            yield lambda share: bar.update(task, completed=share)
    finally:
        later.cancel()
        later.join()
        bar.stop()
