"""Places for output: where they really are, and why something cannot be there."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path

from percuss.model.errors import ModelError

PROBE = b"\0" * 2**18
"""What must fit on the disk before the work begins. A report takes more."""

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""Errors of a disk, not of the place that was asked for."""


def real_place(folder: str | Path) -> Path:
    """Where a folder is or would be, links followed; ModelError where nothing can be written."""
    place = Path(os.path.realpath(folder))
    if os.path.lexists(place) and not place.is_dir():
        raise ModelError(f"{folder}: is not a folder; give a new one")
    above = next(parent for parent in (place, *place.parents) if os.path.lexists(parent))
    if not (above.is_dir() and os.access(above, os.W_OK | os.X_OK)):
        raise ModelError(f"{folder}: {above} cannot be written to; give another place")
    return place


@contextlib.contextmanager
def blamed(what: str | Path) -> Iterator[None]:
    """Errors of the disk name what was asked for: a hidden folder is no name that a user knows."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, f"{what} could not be written: {error.strerror}") from error


@contextlib.contextmanager
def refused(what: str | Path) -> Iterator[None]:
    """An error of the disk before the work begins is one of the place, unless the disk is full."""
    try:
        with blamed(what):
            yield
    except OSError as error:
        if error.errno in _FULL:
            raise
        if error.errno == errno.EBUSY:
            raise ModelError(
                f"{what}: is a mount point, or in use, and cannot be replaced; give a folder "
                f"inside it, such as {Path(what) / 'result'}"
            ) from error
        raise ModelError(f"{error.strerror}; give another place") from error
