"""Where in the user's own code something happened."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import FrameType, TracebackType

import numpy as np

_KERNEL = Path(__file__).resolve().parent.parent
_NOT_THE_USERS = tuple(
    f"{folder}{os.sep}"
    for folder in (
        Path(__file__).parent.parent,
        Path(__file__).parent.parent.parent / "algebra",
        _KERNEL,
        _KERNEL.parent / "algebra",
        Path(np.__file__).parent,
        Path(np.__file__).resolve().parent,
    )
)
"""Folders that a message should look behind, as they are named and where links lead."""


def users_line() -> str:
    """ ", in function (file, line n)" of the innermost caller outside of the kernel and NumPy."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if _is_the_users(frame):
            return _written(frame, frame.f_lineno)
        frame = frame.f_back
    return ""


def users_line_of(traceback: TracebackType | None) -> str:
    """The line of the user's own code from which an error was raised, "" where there is none."""
    found = ""
    while traceback is not None:
        if _is_the_users(traceback.tb_frame):
            found = _written(traceback.tb_frame, traceback.tb_lineno)
        traceback = traceback.tb_next
    return found


def _is_the_users(frame: FrameType) -> bool:
    return not frame.f_code.co_filename.startswith(_NOT_THE_USERS)


def _written(frame: FrameType, line: int) -> str:
    return f", in {frame.f_code.co_name} ({frame.f_code.co_filename}, line {line})"
