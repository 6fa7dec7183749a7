"""Work in pieces on a GPU: while one computes there, others are handed over or fetched.

Copies between host and GPU and what the host does with the numbers take as long as a short motion
of many cases. Each thread has a stream of its own, so that its copies do not wait for the kernels
of the others.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from percuss.kernel.backends.aside import StopWord, share
from percuss.kernel.backends.cuda import load_cupy, multiprocessors

PIECES = 12
"""At most, all under way at a time. On an H200, 1,048,576 captures take 2.8 s with twelve, 3.0 s
with eight, 3.8 s in one piece; where 4 % of them cannot go on, 5.2 s. Smaller pieces, some at a
time, are as fast where all can, but not where a few go on for long: 6.2 s with 31, eight at a
time."""
_AT_ONCE = 256
"""Threads of a kernel that a multiprocessor holds at 255 registers each, as long kernels take."""
_FILLED = 4 / 3
"""How often a piece fills a GPU. Of smaller ones the host takes longer to prepare the next than the
GPU to compute one, and of larger ones the GPU waits: 131,072 missions of many short phases take
0.85 s on an H200 in three pieces, 0.90 s in four, 0.98 s in two."""

_own = threading.local()


def gpu_pieces(count: int) -> list[slice]:
    """So many cases in equal pieces, each about a third more than the GPU computes at once."""
    cupy = load_cupy()
    size = _FILLED * _AT_ONCE * multiprocessors(cupy.cuda.runtime.getDevice())
    pieces = max(1, min(PIECES, round(count / size)))
    bounds = [count * k // pieces for k in range(pieces + 1)]
    return [slice(first, last) for first, last in pairwise(bounds)]


def share_gpu(jobs: Sequence[Callable[[], None]], what: str) -> None:
    """Run jobs that use the current GPU side by side, each thread with a stream of its own.

    `what` is going on is a note on an interruption, which does not wait for running kernels.
    """
    device = load_cupy().cuda.Device()

    def in_stream(job: Callable[[], None]) -> Callable[[], None]:
        def run() -> None:
            with device, _stream(device.id):
                job()

        return run

    share([*map(in_stream, jobs)], PIECES, StopWord(), what)


def _stream(device: int) -> Any:
    """The stream of the thread that asks: its memory is used again by the same stream alone."""
    streams = _own.__dict__.setdefault("streams", {})
    if device not in streams:
        streams[device] = load_cupy().cuda.Stream(non_blocking=True)
    return streams[device]
