"""Compiled code on disk, so that a second start is quick.

An entry is keyed by what was compiled, for which processor, by which version of percuss. What it
holds is executed, so it is bound to its key by a checksum that only this user can make (HMAC with
a secret of the folder): an entry that is truncated, corrupt, foreign, or was put under another
name, is ignored and written anew.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import secrets
import stat

from percuss.kernel.cache_folder import (
    cache_folder,
    opened_folder,
    read_file,
    remove_file,
    tidy_if_due,
    write_file,
)

__all__ = ["cache_folder", "load_code", "save_code"]

log = logging.getLogger("percuss.kernel")

_FORMAT = b"percuss kernel 2\n"
_SECRET = "secret"
_LENGTH = 32
"""Of the secret and of a checksum by SHA-256, bytes."""


def load_code(text: str, processor: str) -> bytes | None:
    """The bytes saved for this text on this processor, or None."""
    key = _key(text, processor)
    with opened_folder(make=False) as folder:
        if folder is None:
            return None
        secret = _secret(folder)
        found = read_file(folder, _name(key))
        if secret is None or found is None:
            return None
        entry = found[0]
    header = len(_FORMAT) + _LENGTH
    checksum, code = entry[len(_FORMAT) : header], entry[header:]
    genuine = hmac.compare_digest(checksum, _checksum(secret, key, code))
    if not entry.startswith(_FORMAT) or not genuine:
        log.debug("cache entry %s is not valid and will be replaced", _name(key))
        return None
    return code


def save_code(text: str, processor: str, code: bytes) -> None:
    """Keep the bytes; a cache that cannot be written is no reason to fail."""
    key = _key(text, processor)
    try:
        with opened_folder(make=True) as folder:
            if folder is None:
                return
            secret = _secret(folder)
            if secret is None:
                remove_file(folder, _SECRET)  # damaged, or no longer secret
                write_file(folder, _SECRET, secrets.token_bytes(_LENGTH), replace=False)
                secret = _secret(folder)
            if secret is None:
                return
            entry = _FORMAT + _checksum(secret, key, code) + code
            write_file(folder, _name(key), entry)
            tidy_if_due(folder, len(entry))
    except OSError as error:
        log.debug("compiled code could not be kept: %s", error)


def _secret(folder: int) -> bytes | None:
    """What only this user knows; None where it is missing, damaged or readable by others."""
    found = read_file(folder, _SECRET)
    if found is None:
        return None
    secret, mode = found
    return secret if len(secret) == _LENGTH and stat.S_IMODE(mode) == 0o600 else None


def _key(text: str, processor: str) -> bytes:
    return hashlib.sha256(_FORMAT + f"{processor}\n{text}".encode()).digest()


def _name(key: bytes) -> str:
    return f"{key.hex()}.bin"


def _checksum(secret: bytes, key: bytes, code: bytes) -> bytes:
    return hmac.digest(secret, _FORMAT + key + code, "sha256")
