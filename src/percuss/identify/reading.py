"""Files as bytes and text, and what is said when they cannot be read."""

from __future__ import annotations

from pathlib import Path

from percuss.model.errors import ModelError
from percuss.scenario.errors import shown


def read_bytes(path: str | Path, expected: str, most: int | None = None) -> bytes:
    """Everything in a file; `expected` says what should be in it, `most` how many bytes at most."""
    try:
        with Path(path).open("rb") as file:
            data = file.read(-1 if most is None else most + 1)
    except FileNotFoundError:
        raise ModelError(f"{path}: there is no such file; expected {expected}") from None
    except IsADirectoryError:
        raise ModelError(f"{path}: is a folder; expected {expected}") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise ModelError(f"{shown(str(path))}: cannot be read: {reason}") from None
    if most is not None and len(data) > most:
        raise ModelError(f"{path}: is larger than {most // 1000} kB; expected {expected}")
    return data


def as_text(data: bytes, file: str) -> str:
    """The text of a file in UTF-8, with or without a byte order mark."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise ModelError(f"{file}: is text in UTF-16; save it as UTF-8")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise ModelError(
            f"{file}, line {line}: not text in UTF-8: byte 0x{data[error.start]:02x} at position "
            f"{error.start}; save it as UTF-8"
        ) from None
    zero = text.find("\0")
    if zero >= 0:
        line = text.count("\n", 0, zero) + 1
        raise ModelError(f"{file}, line {line}: holds a zero byte: damaged, or not a text file")
    return text
