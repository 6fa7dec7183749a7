"""Errors of the thesis, each with the computation that shows it in any state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from percuss.sources.evidence import Evidence
from percuss.sources.thesis.sample import MOVING, ThesisSample


@dataclass(frozen=True)
class ThesisErratum:
    """An error: where, what is printed, what is right, and the computation that shows it.

    `evidence` takes any state; `at` is the one that is shown. Where `simulated`, it runs the
    thesis's simulations and variations on them, whatever the state.
    """

    chapter: int
    where: str
    printed: str
    right: str
    evidence: Callable[[ThesisSample], Evidence]
    at: ThesisSample = MOVING
    simulated: bool = False

    def found(self) -> Finding:
        """The erratum with its numbers."""
        return Finding(self, self.evidence(self.at))


@dataclass(frozen=True)
class Finding:
    """An erratum and its numbers."""

    erratum: ThesisErratum
    evidence: Evidence

    @property
    def where(self) -> str:
        return self.erratum.where

    @property
    def printed(self) -> str:
        return self.erratum.printed

    @property
    def right(self) -> str:
        return self.erratum.right

    def data(self) -> dict[str, Any]:
        """The erratum and what shows it, as plain data."""
        e = self.erratum
        return {
            "chapter": e.chapter,
            "where": e.where,
            "printed": e.printed,
            "right": e.right,
            "evidence": self.evidence.data(),
        }
