"""Hashes of the sources of percuss: what is kept on disk belongs to the code that made it.

To read every file takes longer than to start, so the hashes of the contents are kept in the cache
under sizes and times of all files. Whatever writes to a file sets the time of its last change,
which no program can set otherwise. Only a file that was written a moment ago could be written
again within one tick of the clock: until then nothing is kept, and contents alone count.
"""

from __future__ import annotations

import functools
import hashlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from percuss.kernel.cache import load_code, save_code

PACKAGE = str(Path(__file__).parents[1])
KERNEL = str(Path(__file__).parent)
SETTLED = 2_000_000_000
"""Nanoseconds after which a file that is written again has another time, on any file system."""
_LENGTH = 32
"""Of a hash by SHA-256, bytes."""

Stamp = tuple[str, int, int, int]
"""Path, size (bytes), and when its contents and it itself were changed last (ns)."""


@functools.cache
def package_version() -> bytes:
    """A hash of the sources of percuss, and of what runs them."""
    return _with_runtime(_contents()[PACKAGE])


@functools.cache
def kernel_version() -> bytes:
    """A hash of the sources of the kernel, and of what runs them."""
    return _with_runtime(_contents()[KERNEL])


def _with_runtime(contents: bytes) -> bytes:
    return hashlib.sha256(f"{sys.version} numpy {np.__version__}".encode() + contents).digest()


@functools.cache
def _contents() -> dict[str, bytes]:
    """Hashes of the contents of all sources, by the folder that they are in."""
    return hashes_of(PACKAGE, KERNEL)


def hashes_of(*folders: str) -> dict[str, bytes]:
    """Hashes of the contents of all Python files in each folder and in those below.

    They are read from the cache where no file has changed since they were taken.
    """
    stamps = sorted(_stamps(os.path.commonpath(folders)))
    name = f"contents of {folders} {hashlib.sha256(repr(stamps).encode()).hexdigest()}"
    found = load_code(name, "sources")
    if found is None or len(found) != _LENGTH * len(folders):
        found = b"".join(_read(folder, stamps) for folder in folders)
        last = max((changed for stamp in stamps for changed in stamp[2:]), default=0)
        if time.time_ns() - last > SETTLED:
            save_code(name, "sources", found)
    return {folder: found[_LENGTH * k :][:_LENGTH] for k, folder in enumerate(folders)}


def _stamps(folder: str) -> Iterator[Stamp]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                seen = entry.stat()
                yield entry.path, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns
            elif entry.name != "__pycache__" and entry.is_dir():
                yield from _stamps(entry.path)


def _read(folder: str, stamps: list[Stamp]) -> bytes:
    hasher = hashlib.sha256()
    for path, *_ in stamps:
        if path.startswith(folder + os.sep):
            contents = Path(path).read_bytes()
            hasher.update(f"{path.removeprefix(folder)} {len(contents)}\n".encode())
            hasher.update(contents)
    return hasher.digest()
