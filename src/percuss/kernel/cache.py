"""Compiled code on disk, so that a second start is quick.

An entry is keyed by what was compiled, for which processor, by which version of percuss. It
carries a checksum: a truncated, corrupt or foreign entry is ignored and written anew.
"""

from __future__ import annotations

import hashlib
import logging
import os
import tempfile
from pathlib import Path

log = logging.getLogger("percuss.kernel")

_FORMAT = b"percuss kernel 1\n"


def cache_folder() -> Path | None:
    """Where entries live: $PERCUSS_CACHE, else the user's cache folder; None when set to "off"."""
    chosen = os.environ.get("PERCUSS_CACHE")
    if chosen == "off":
        return None
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "percuss" / "kernels"


def load_code(text: str, processor: str) -> bytes | None:
    """The bytes saved for this text on this processor, or None."""
    path = _path(text, processor)
    if path is None:
        return None
    try:
        entry = path.read_bytes()
    except OSError:
        return None
    header = len(_FORMAT) + 32
    code = entry[header:]
    if entry[: len(_FORMAT)] != _FORMAT or entry[len(_FORMAT) : header] != _checksum(code):
        log.debug("cache entry %s is not valid and will be replaced", path.name)
        return None
    return code


def save_code(text: str, processor: str, code: bytes) -> None:
    """Keep the bytes; a cache that cannot be written is no reason to fail."""
    path = _path(text, processor)
    if path is None:
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".new-")
        with os.fdopen(handle, "wb") as file:
            file.write(_FORMAT + _checksum(code) + code)
        os.replace(temporary, path)
    except OSError as error:
        log.debug("compiled code could not be kept in %s: %s", path.parent, error)


def _path(text: str, processor: str) -> Path | None:
    folder = cache_folder()
    key = hashlib.sha256(f"{processor}\n{text}".encode()).hexdigest()
    return None if folder is None else folder / f"{key}.bin"


def _checksum(code: bytes) -> bytes:
    return hashlib.sha256(code).digest()
