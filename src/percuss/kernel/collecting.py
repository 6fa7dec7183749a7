"""Python's search for reference cycles, paused while programs are written."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collection() -> Iterator[None]:
    """Meanwhile Python does not look for reference cycles.

    A program is some ten thousand small tuples that stay: looking through all of them again and
    again, and finding nothing, takes as long as to write them.
    """
    was_enabled = gc.isenabled()
    try:
        # In here: an interruption right after it must not leave the search off.
        gc.disable()
        yield
    finally:
        if was_enabled:
            gc.enable()
