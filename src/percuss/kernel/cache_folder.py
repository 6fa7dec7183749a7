"""The folder of the cache: this user's own, and nobody else's.

Files are opened relative to the folder that was checked, never by a path that could lead
elsewhere a moment later. What belongs to another user, or can be written by one, is left alone:
it is said once, and work goes on without the cache.
"""

from __future__ import annotations

import contextlib
import logging
import math
import os
import re
import secrets
import stat
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

log = logging.getLogger("percuss.kernel")

MOST_BYTES = 256_000_000
"""All entries together. A run leaves some ten of them of 1 kB to 2 MB: hundreds of runs fit."""
STALE = 90 * 24 * 3600.0
"""Seconds after which an entry that nobody has used is removed."""
LEFT_BEHIND = 3600.0
"""Seconds after which a file that is being written was left by a process that was killed."""
_DAY = 24 * 3600.0
_HOUR = 3600.0
_ENTRY = re.compile(r"[0-9a-f]{64}\.bin")
_NEW = ".new-"
_OTHERS = stat.S_IWGRP | stat.S_IWOTH

_said: set[str] = set()
_tidied: dict[tuple[int, int], tuple[float, int]] = {}
"""Of folders, by device and number: when this process tidied, and how much it may write since."""


def cache_folder() -> Path | None:
    """Where entries live: $PERCUSS_CACHE, else the user's cache folder; None when set to "off".

    A user without a home has a folder of their own among the temporary ones.
    """
    chosen = os.environ.get("PERCUSS_CACHE")
    if chosen == "off":
        return None
    return Path(chosen) if chosen else _default_folder()


def _default_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME")
    try:
        home = Path(base) if base else Path.home() / ".cache"
    except RuntimeError:
        # No HOME, and the system does not know the user.
        place = _temporary_folder()
        _say(f"there is no home folder: compiled code is kept in {str(place)!r}")
        return place
    return home / "percuss" / "kernels"


def _temporary_folder() -> Path:
    return Path(tempfile.gettempdir()) / f"percuss-kernels-{os.geteuid()}"


@contextlib.contextmanager
def opened_folder(*, make: bool) -> Iterator[int | None]:
    """The descriptor of the cache's folder, None where there is none to be trusted.

    `make`: it is made where it is missing, for its user alone whatever the umask.
    """
    descriptor = None
    try:
        descriptor = _opened(make)
        yield descriptor
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _opened(make: bool) -> int | None:
    place = cache_folder()
    if place is None:
        return None
    if os.open not in os.supports_dir_fd:
        _say("this system cannot tell whose files are whose: compiled code is not kept")
        return None
    flags = os.O_RDONLY | os.O_DIRECTORY
    if place == _temporary_folder():
        flags |= os.O_NOFOLLOW  # anyone can put a link among the temporary files
    try:
        if make:
            _make(place)
        descriptor = os.open(place, flags)
    except OSError as error:
        log.debug("no cache of compiled code in %s: %s", place, error)
        return None
    found = os.fstat(descriptor)
    reason = distrust(found)
    if reason:
        os.close(descriptor)
        _say(
            f"the cache of compiled code {str(place)!r} {reason}: going on without it. Its code "
            "would be executed; remove the folder, or make it your own with mode 700"
        )
        return None
    if stat.S_IMODE(found.st_mode) != stat.S_IRWXU and not os.environ.get("PERCUSS_CACHE"):
        os.fchmod(descriptor, stat.S_IRWXU)
    return descriptor


def _make(place: Path) -> None:
    for folder in (*reversed(place.parents), place):
        try:
            folder.mkdir(stat.S_IRWXU)
        except FileExistsError:
            continue
        folder.chmod(stat.S_IRWXU)  # whatever the umask


def distrust(found: os.stat_result) -> str:
    """Why a file or folder is not this user's alone to write, empty where it is."""
    if found.st_uid != os.geteuid():
        return f"belongs to the user {found.st_uid}"
    if found.st_mode & _OTHERS:
        return f"can be written by others (mode {stat.S_IMODE(found.st_mode):o})"
    return ""


def read_file(folder: int, name: str) -> tuple[bytes, int] | None:
    """The bytes and the mode of a file of the folder; None without one to be trusted."""
    try:
        # Without waiting for the other end of a pipe.
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    except OSError:
        return None
    try:
        found = os.fstat(descriptor)
        reason = distrust(found)
        if reason:
            _say(f"{name!r} in the cache of compiled code {reason} and is not used")
            return None
        if not stat.S_ISREG(found.st_mode) or found.st_size > MOST_BYTES:
            return None
        if time.time() - found.st_mtime > _DAY:
            os.utime(descriptor)  # used today, so not stale
        with open(descriptor, "rb", closefd=False) as file:
            return file.read(found.st_size), found.st_mode
    finally:
        os.close(descriptor)


def write_file(folder: int, name: str, data: bytes, *, replace: bool = True) -> None:
    """A file of the folder that appears whole; without `replace` one that is there stays."""
    fresh = f"{_NEW}{secrets.token_hex(8)}"
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=folder)
    try:
        with open(descriptor, "wb") as file:
            os.fchmod(descriptor, 0o600)
            file.write(data)
        if replace:
            os.replace(fresh, name, src_dir_fd=folder, dst_dir_fd=folder)
        else:
            with contextlib.suppress(FileExistsError):  # another process was quicker
                os.link(fresh, name, src_dir_fd=folder, dst_dir_fd=folder)
    finally:
        remove_file(folder, fresh)


def remove_file(folder: int, name: str) -> None:
    """Remove a file of the folder; another process may have done it."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(name, dir_fd=folder)


def tidy_if_due(folder: int, written: int) -> None:
    """Tidy the folder, after so many bytes were written, unless little can have changed.

    To look at every entry whenever one is written would take longer than to compile it. A process
    looks when it first writes, each hour, and before it has filled an eighth of what was left; the
    rest is for others that write at the same time.
    """
    found = os.fstat(folder)
    place = found.st_dev, found.st_ino
    since, left = _tidied.get(place, (-math.inf, 0))
    left -= written
    if left >= 0 and time.monotonic() - since < _HOUR:
        _tidied[place] = since, left
        return
    _tidied[place] = time.monotonic(), (MOST_BYTES - tidy(folder)) // 8


def tidy(folder: int) -> int:
    """Remove what killed processes left, stale entries, and the least used beyond the bound.

    Where they are beyond it, a sixteenth more goes than must. Returns the bytes that stay.
    """
    now = time.time()
    entries: list[tuple[float, int, str]] = []
    with os.scandir(folder) as listed:
        for item in listed:
            is_entry = _ENTRY.fullmatch(item.name) is not None
            if not (is_entry or item.name.startswith(_NEW)):
                continue
            try:
                found = item.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue  # another process has removed it
            if stat.S_ISDIR(found.st_mode):
                continue
            if now - found.st_mtime > (STALE if is_entry else LEFT_BEHIND):
                remove_file(folder, item.name)
            elif is_entry:
                entries.append((found.st_mtime, found.st_size, item.name))
    total = sum(size for _, size, _ in entries)
    if total <= MOST_BYTES:
        return total
    for _, size, name in sorted(entries):
        if total <= MOST_BYTES - MOST_BYTES // 16:
            break
        remove_file(folder, name)
        total -= size
    return total


def _say(text: str) -> None:
    """Once in a process."""
    if text not in _said:
        _said.add(text)
        log.warning("percuss: %s", text)
