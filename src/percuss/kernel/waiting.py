"""Tells a person what is being waited for, once it takes more than two seconds."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PATIENCE = 2.0
"""Seconds before anything is shown."""

Show = Callable[[str | None], None]
"""Is told what is being waited for, and None when it is over."""


def _on_terminal(what: str | None) -> None:
    """A line on stderr, where that is a terminal; it leaves no trace."""
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K" if what is None else f"\rpercuss: {what} …")
        sys.stderr.flush()


_shows: list[Show] = [_on_terminal]


@contextmanager
def shown_by(show: Show) -> Iterator[None]:
    """Have something else, such as a bar, say what is being waited for."""
    _shows.append(show)
    try:
        yield
    finally:
        _shows.remove(show)


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Around work that may take long: after two seconds it is shown, until it is over."""
    show, lock, over = _shows[-1], threading.Lock(), False
    shown = False

    def speak() -> None:
        nonlocal shown
        with lock:
            if not over:
                show(what)
                shown = True

    timer = threading.Timer(PATIENCE, speak)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        with lock:
            over = True
            if shown:
                show(None)
