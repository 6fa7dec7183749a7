"""Measurements, and the table they are shown in."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Row:
    """One measurement: what, ours, the peer's, the ratio or figure, and the bar."""

    work: str
    ours: str
    peer: str
    figure: str
    bar: str


def best_of(work: Callable[[], Any], repeats: int = 5) -> float:
    """Seconds of the quickest of several runs: the others were disturbed."""
    work()
    times: list[float] = []
    for _ in range(repeats):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return min(times)
