"""Rows of cases handed to machine code: whole vectors in place, the rest padded to one."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

Rows = Sequence[np.ndarray] | np.ndarray
"""Of cases, one contiguous row for each register."""
_SHARED = 4_000_000
"""Operations, over all steps and cases, from which a second thread pays for itself: some 0.3 ms of
one core, and to wake another takes up to 0.1 ms."""


def worthwhile_threads(threads: int, operations: int) -> int:
    """How many of so many threads are worth their while for so many operations."""
    return threads if operations >= _SHARED else 1


@dataclass(frozen=True)
class Run:
    """Computes the cases first … last-1 of rows whose addresses it has.

    `kept` holds what the addresses point to, and the machine code, since a thread may still run
    when its caller is gone.
    """

    call: Callable[..., None]
    before: tuple[Any, ...]
    after: tuple[Any, ...]
    kept: tuple[Any, ...]

    def __call__(self, first: int, last: int) -> None:
        self.call(*self.before, first, last, *self.after)


def row_table(rows: Rows) -> Any:
    """A C array of pointers to rows."""
    if isinstance(rows, np.ndarray) and len(rows):
        # Thousands of rows of one array: their addresses are known without asking each.
        places = rows.ctypes.data + rows.strides[0] * np.arange(len(rows), dtype=np.uintp)
        return (ctypes.c_void_p * len(rows)).from_buffer(places.data)
    # The interface tells the address several times faster than `ctypes` does.
    places = [row.__array_interface__["data"][0] for row in rows]
    return (ctypes.c_void_p * max(1, len(rows)))(*places)


def make_jobs(
    bound: Callable[[Rows, Rows], Run],
    batch: int,
    lanes: int,
    threads: int,
    *,
    inputs: Sequence[np.ndarray],
    outputs: Rows,
    piece: int,
) -> list[Callable[[], None]]:
    """Whole vectors in place, at most `piece` cases a job; what is left padded to one vector.

    Every case goes through the same vector code, so its bits depend on nothing but itself.
    """
    blocks = batch // lanes
    whole = blocks * lanes
    workers = max(1, min(threads, blocks))
    # More pieces than threads, so that a thread that is held up leaves less to wait for.
    wanted = 1 if workers == 1 else 4 * workers
    pieces = min(blocks, max(wanted, -(-whole // piece)))
    jobs: list[Callable[[], None]] = []
    if blocks:
        run = bound(inputs, outputs)
        bounds = [blocks * k // pieces * lanes for k in range(pieces + 1)]
        jobs += [partial(run, first, last) for first, last in pairwise(bounds)]
    if whole < batch:
        jobs.append(partial(_run_padded, bound, inputs, outputs, whole, lanes))
    return jobs


def _run_padded(
    bound: Callable[[Rows, Rows], Run],
    inputs: Sequence[np.ndarray],
    outputs: Rows,
    whole: int,
    lanes: int,
) -> None:
    """The cases after the first `whole` ones, fewer than a vector, and the last again as filler."""
    left, dtype = len(outputs[0]) - whole, outputs[0].dtype
    padded = np.zeros((len(inputs), lanes), dtype)
    for k, row in enumerate(inputs):
        padded[k, :left] = row[whole:]
        padded[k, left:] = row[-1]
    results = np.empty((len(outputs), lanes), dtype)
    bound(padded, results)(0, lanes)
    if isinstance(outputs, np.ndarray):
        # Thousands of rows of one array: one assignment is many times as quick as one for each.
        outputs[:, whole:] = results[:, :left]
        return
    for k, row in enumerate(outputs):
        row[whole:] = results[k, :left]
