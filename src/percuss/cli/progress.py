"""The bar on a terminal for what takes longer than a moment."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from percuss.cli.terminal import Terminal
from percuss.simulate.failure import Progress as Told

PATIENCE = 2.0
"""Seconds before a bar is shown."""


@contextmanager
def progress_bar(name: str) -> Iterator[Told | None]:
    """What is to be told the share of the work done, 0…1; None where stderr is no terminal.

    The bar appears on stderr after two seconds, also while a long call tells nothing, and leaves
    no trace.
    """
    if not sys.stderr.isatty():
        yield None
        return
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
    try:
        yield lambda share: bar.update(task, completed=share)
    finally:
        later.cancel()
        later.join()
        bar.stop()
