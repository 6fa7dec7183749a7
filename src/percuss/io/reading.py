"""Files that may come from anywhere: regular ones, no larger than is stated, and text in UTF-8."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from percuss.model.errors import ModelError


def file_bytes(path: str | Path, expected: str, most: int) -> bytes:
    """Everything in a regular file of at most `most` bytes; `expected` says what should be in it.

    ModelError for a folder, for a pipe or a device, which may never end, and for a larger file,
    of which nothing is read. OSError where the file cannot be opened.
    """
    # Without waiting: a pipe that nobody writes to would keep us for ever.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    try:
        found = os.fstat(descriptor)
        if stat.S_ISDIR(found.st_mode):
            raise ModelError(f"{path}: is a folder; expected {expected}")
        if not stat.S_ISREG(found.st_mode):
            raise ModelError(
                f"{path}: is a pipe or a device, not a file; expected {expected} of at most "
                f"{size_text(most)}"
            )
        data = b""
        if found.st_size <= most:
            with open(descriptor, "rb", closefd=False) as file:
                # A file may grow, and those of /proc tell no size.
                data = file.read(most + 1)
    finally:
        os.close(descriptor)
    if max(found.st_size, len(data)) > most:
        raise ModelError(
            f"{path}: is larger than {size_text(most)}, the most that is read; expected {expected}"
        )
    return data


def utf8_text(data: bytes, file: str) -> str:
    """The text of a file in UTF-8, with or without a byte order mark; `file` names it in errors.

    ModelError, with the line and the position of the first byte that is no text in UTF-8.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise ModelError(
            f"{file}, line {line}: not text in UTF-8: byte 0x{data[error.start]:02x} "
            f"at position {error.start}"
        ) from error


def size_text(count: int) -> str:
    """A number of bytes in words, such as "1000 kB" or "100 MB"."""
    return f"{count // 1_000_000} MB" if count >= 10_000_000 else f"{count // 1000} kB"
