"""Hidden folders in which output is made before it takes its place.

A staging folder, `.percuss-` and eight letters, lies beside what it is for. What is in it says how
far the writing came, so that a later run can clear up after one that was killed:

    name        the name of the folder that is to be replaced; not there for single files
    new/        what is being written
    old/        the earlier result, moved out of the way: put back where its place is empty
    moving/     files that are whole and on their way into the folder: moved on
    gone/       the earlier result, replaced: removed

As long as its writer lives, it holds a lock on the staging folder, which the operating system
releases with the process, however that ends.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
import time
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path

from percuss.interruption import held

try:
    import fcntl
except ImportError:  # Windows has none: see _is_abandoned
    fcntl = None

PREFIX = ".percuss-"
_LONGEST = 600.0
"""Seconds after which a staging folder counts as abandoned where there are no locks. Files are
made in memory; to write them takes seconds."""


@contextlib.contextmanager
def staging(parent: Path, name: str = "", *, is_trial: bool = False) -> Iterator[Path]:
    """A staging folder in `parent`, which is made if need be; settled in the end, come what may.

    `name` is that of the folder in `parent` that is to be replaced. Where the work within fails
    or is only a trial, parents that were made for it are removed again.
    """
    made: list[Path] = []
    place: Path | None = None
    lock = -1
    try:
        with held():
            made = _make_parents(parent)
            place, lock = _locked_folder(parent)
        if name:
            _write_down(place / "name", os.fsencode(name))
        (place / "new").mkdir()
        yield place
        if not is_trial:
            made = []
    finally:
        with held():
            try:
                if place is not None:
                    settle(place)
                _remove(made)
            finally:
                if lock >= 0:
                    os.close(lock)


def write_new(place: Path, files: Mapping[str, str | bytes]) -> None:
    """Write files into `new` of a staging folder, down to the disk."""
    for name, content in files.items():
        _write_down(place / "new" / name, content.encode() if isinstance(content, str) else content)


def _write_down(path: Path, content: bytes) -> None:
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def settle(place: Path) -> None:
    """End what a staging folder was for, as the names in it say, and remove it."""
    old, moving = place / "old", place / "moving"
    if old.exists():
        back = place.parent / _name(place)
        if not os.path.lexists(back):
            os.rename(old, back)
    if moving.exists():
        for file in moving.iterdir():
            target = place.parent / file.name
            if _is_older(target, file):
                os.replace(file, target)
    shutil.rmtree(place)


def _is_older(target: Path, successor: Path) -> bool:
    """Whether a file may be replaced: what somebody has changed since, or made a folder, stays."""
    if not os.path.lexists(target):
        return True
    return not target.is_dir() and target.stat().st_mtime_ns <= successor.stat().st_mtime_ns


def recover(parent: Path) -> None:
    """Settle what runs that were killed have left in a folder."""
    if not parent.is_dir():
        return
    for place in sorted(parent.glob(f"{PREFIX}*")):
        with held(), _taken(place) as is_abandoned:
            if is_abandoned:
                settle(place)


def _name(place: Path) -> str:
    name = os.fsdecode((place / "name").read_bytes())
    if not name or name != Path(name).name:
        raise OSError(errno.EINVAL, f"{place}/name is not the name of a folder: {name!r}")
    return name


def _make_parents(parent: Path) -> list[Path]:
    """Make a folder and those above it; what was made, from the top."""
    missing = [folder for folder in (parent, *parent.parents) if not folder.exists()]
    made: list[Path] = []
    try:
        for folder in reversed(missing):
            folder.mkdir(exist_ok=True)
            made.append(folder)
    except OSError:
        _remove(made)
        raise
    return made


def _remove(made: list[Path]) -> None:
    """Remove folders that were made for nothing, unless somebody has found a use for them."""
    for folder in reversed(made):
        with contextlib.suppress(OSError):
            folder.rmdir()


def _locked_folder(parent: Path) -> tuple[Path, int]:
    """A new staging folder and the descriptor that holds its lock, -1 without locks."""
    while True:
        place = parent / f"{PREFIX}{uuid.uuid4().hex[:8]}"
        place.mkdir()
        lock = _lock(place)
        # Between these two lines another run may have taken it for abandoned.
        if lock is not None and place.exists():
            return place, lock


def _lock(place: Path) -> int | None:
    """A descriptor that locks a folder; -1 where there are no locks, None where it is locked."""
    if fcntl is None:
        return -1
    try:
        descriptor = os.open(place, os.O_RDONLY)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    except OSError:
        # Some network file systems lock no folders.
        os.close(descriptor)
        return -1
    return descriptor


@contextlib.contextmanager
def _taken(place: Path) -> Iterator[bool]:
    """Whether a staging folder is ours to settle: of this user, and of no process that lives."""
    try:
        found = place.lstat()
    except FileNotFoundError:
        yield False
        return
    if not stat.S_ISDIR(found.st_mode) or (hasattr(os, "geteuid") and found.st_uid != os.geteuid()):
        yield False
        return
    lock = _lock(place)
    if lock is None:
        yield False
        return
    try:
        is_old = time.time() - found.st_mtime > _LONGEST
        yield place.exists() and (lock >= 0 or is_old)
    finally:
        if lock >= 0:
            os.close(lock)
