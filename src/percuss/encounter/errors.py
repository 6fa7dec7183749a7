"""What is wrong with an encounter: the field, the value, and what is allowed."""

from __future__ import annotations

import reprlib
from typing import Any

import numpy as np

from percuss.model.errors import ModelError

Path = tuple[str | int, ...]
"""Keys and list positions (from 0) that lead from an encounter to one of its numbers."""


class EncounterError(ModelError):
    """An encounter that cannot be carried out: `path` leads to the field, `message` says why.

    The names are those of a scenario file, so that whoever wrote one finds the line.
    """

    def __init__(self, path: Path, message: str) -> None:
        self.path = path
        self.message = message
        super().__init__(f"{shown_path(path)}: {message}")


def shown(value: Any) -> str:
    """A value for a message, shortened when it is long or deep."""
    return _SHORT.repr(value.tolist() if isinstance(value, (np.generic, np.ndarray)) else value)


def shown_path(path: Path) -> str:
    """`chaser.arm[2].mass`: keys with dots, list positions from 1 in brackets."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part + 1}]"
        else:
            text += f".{shortened(part)}" if text else shortened(part)
    return text


def shortened(key: str) -> str:
    """A key for a message; one that is longer than any of ours loses its middle."""
    return key if len(key) <= 80 else f"{key[:40]}…{key[-30:]}"


_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 80
_SHORT.maxlevel = 3
