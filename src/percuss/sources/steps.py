"""Telling how far a reproduction is."""

from __future__ import annotations

from percuss.encounter.failure import Progress


class Steps:
    """Counts what is done of a known number of steps."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self.progress = progress
        self.total = total
        self.count = 0

    def done(self) -> None:
        self.count += 1
        if self.progress is not None:
            self.progress(self.count / self.total)
