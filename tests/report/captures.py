"""Real captures for the report to show: scenarios, run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

import percuss
from percuss.encounter.record import Record
from percuss.encounter.records.result import EncounterResult
from tests.encounter.scenes import SPATIAL, THESIS, TRACKING, scene


@dataclass(frozen=True)
class Capture:
    """What `page` and `plot` take."""

    record: Record
    encounter: EncounterResult

    def changed(self, **fields: Any) -> Capture:
        """The same capture, with other fields of the encounter's record."""
        return Capture(self.record, replace(self.encounter, **fields))


def thesis(closure: str = "pin", samples: int = 101, duration: float = 10.0) -> Capture:
    """Simulation 1 of the thesis: a disk passes at 1 m/s and is caught by its rim."""
    return captured("thesis", closure, samples, duration)


def spatial(
    closure: str = "weld", samples: int = 101, duration: float = 40.0, controlled: bool = True
) -> Capture:
    """A seven-joint arm on a satellite with wheels catches a tumbling satellite of 150 kg."""
    return captured("controlled" if controlled else "spatial", closure, samples, duration)


@cache
def captured(kind: str, closure: str, samples: int, duration: float) -> Capture:
    """A scenario run; where only one sample is wanted, the first of two."""
    changes = {"control": TRACKING} if kind == "controlled" else {}
    return of(
        scene(
            THESIS if kind == "thesis" else SPATIAL,
            impact__closure=closure,
            output={"samples": max(2, samples)},
            duration=duration,
            **changes,
        ),
        only_first=samples == 1,
    )


def of(scenario: percuss.Scenario, only_first: bool = False) -> Capture:
    """What a run of the scenario leaves for the report."""
    result = percuss.run(scenario)
    record = picked(result.record, np.arange(1)) if only_first else result.record
    return Capture(record, result.encounter)


def picked(record: Record, pick: np.ndarray) -> Record:
    """A record with some of its samples."""
    return replace(
        record,
        variables={n: replace(v, values=v.values[pick]) for n, v in record.variables.items()},
        tracks=tuple(
            replace(t, positions=t.positions[pick], quaternions=t.quaternions[pick])
            for t in record.tracks
        ),
    )
