"""Where in the user's own code something happened."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

_KERNEL = str(Path(__file__).resolve().parent.parent)
_NOT_THE_USERS = (
    _KERNEL,
    str(Path(_KERNEL).parent / "algebra"),
    str(Path(np.__file__).resolve().parent),
)
"""Folders that a message should look behind."""


def users_line() -> str:
    """ ", in function (file, line n)" of the innermost caller outside of percuss and NumPy."""
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if not name.startswith(_NOT_THE_USERS):
            return f", in {frame.f_code.co_name} ({name}, line {frame.f_lineno})"
        frame = frame.f_back
    return ""
