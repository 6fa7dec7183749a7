"""Many cases after a motion, and what was seen of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

import percuss.kernel as kernel
from percuss.encounter.ensemble.failures import StoppedCases


@dataclass(frozen=True, kw_only=True)
class MotionOfCases:
    """Cases after a phase; arrays end with the cases.

    Attributes:
        state: flat, as `Equations` has it.
        time: s, by the clock of the phase.
        ended: whether what was watched for ended it.
        status: how the integration of each ended, a `kernel.Status`.
        stops: where the first case of each way to fail stopped.
        peaks: largest values over time, by name.
        residuals: (3, cases): energy (J), linear (N s) and angular momentum (N m s).
        extras: what the watched signal has kept, see `Ending` and `Pushing`.
        settled: when the driven rates last fell to their bounds (s), NaN if that is not watched.
        reason: why a stiff method was taken, a sentence; empty where none was.
        integrals: what thrusters and wheels give, or what the joints bear, by name, see `Effort`
            and `Bearing`.
        event_times: (events, cases), when what is watched last happened (s), NaN if never.
        samples: signals by name at the times asked for, (entries, times, cases), NaN at times at
            which a case is not in the phase.
    """

    state: np.ndarray
    time: np.ndarray
    ended: np.ndarray
    status: np.ndarray
    stops: dict[kernel.Status, StoppedCases]
    peaks: dict[str, np.ndarray]
    residuals: np.ndarray
    extras: np.ndarray
    settled: np.ndarray
    event_times: np.ndarray
    reason: str = ""
    integrals: Mapping[str, np.ndarray] = field(default_factory=dict[str, np.ndarray])
    samples: Mapping[str, np.ndarray] = field(default_factory=dict[str, np.ndarray])

    @property
    def failed(self) -> np.ndarray:
        """Whether a case became no number, or took too many steps."""
        return ~self.ended & (self.status != kernel.Status.DONE)


def merged(others: MotionOfCases, some: MotionOfCases, mask: np.ndarray) -> MotionOfCases:
    """Two sets of cases as one: those of the mask are `some`."""

    def both(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        whole = a.copy()
        whole[..., mask] = b
        return whole

    def spread(values: np.ndarray) -> np.ndarray:
        whole = np.full((*values.shape[:-1], len(mask)), np.nan, like=values)
        whole[..., mask] = values
        return whole

    return MotionOfCases(
        state=both(others.state, some.state),
        time=both(others.time, some.time),
        ended=both(others.ended, some.ended),
        status=both(others.status, some.status),
        stops=others.stops | some.stops,
        peaks={name: both(value, some.peaks[name]) for name, value in others.peaks.items()},
        residuals=both(others.residuals, some.residuals),
        extras=both(others.extras, some.extras),
        settled=both(others.settled, some.settled),
        event_times=both(others.event_times, some.event_times),
        reason=some.reason,
        samples={name: spread(values) for name, values in some.samples.items()},
    )
