"""Files as bytes and text, and what is said when they cannot be read."""

from __future__ import annotations

from pathlib import Path

from percuss.encounter.errors import shown
from percuss.io.reading import file_bytes, utf8_text
from percuss.model.errors import ModelError


def read_bytes(path: str | Path, expected: str, most: int) -> bytes:
    """Everything in a file; `expected` says what should be in it, `most` how many bytes at most."""
    try:
        return file_bytes(path, expected, most)
    except ModelError:
        raise
    except FileNotFoundError:
        raise ModelError(f"{path}: there is no such file; expected {expected}") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise ModelError(f"{shown(str(path))}: cannot be read: {reason}") from None


def as_text(data: bytes, file: str) -> str:
    """The text of a file in UTF-8, with or without a byte order mark."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise ModelError(f"{file}: is text in UTF-16; save it as UTF-8")
    try:
        text = utf8_text(data, file)
    except ModelError as error:
        raise ModelError(f"{error}; save it as UTF-8") from None
    zero = text.find("\0")
    if zero >= 0:
        line = text.count("\n", 0, zero) + 1
        raise ModelError(f"{file}, line {line}: holds a zero byte: damaged, or not a text file")
    return text
