"""Which samples of a long record the page shows."""

from __future__ import annotations

import numpy as np

from percuss.encounter.sampling import distinct
from percuss.report.timeline import Timeline

MOST_SAMPLES = 2001
"""A longer record is thinned for the page, which says so."""

MOST_CONTACT = 1200
"""Of these, so many may show contacts that take time: a short one keeps every sample."""

MOST_KEPT = 400
"""And so many the samples on both sides of impacts and of borders between phases."""


def samples(time: np.ndarray, line: Timeline | None = None) -> np.ndarray:
    """Indices of the samples that the page shows, in order: all, or thinned with both ends.

    Contacts are kept before all else, then both sides of every jump; the rest is thinned
    evenly.
    """
    count = len(time)
    if count <= MOST_SAMPLES:
        return np.arange(count)
    chosen = np.zeros(count, dtype=bool)
    chosen[[0, count - 1]] = True
    if line is not None:
        chosen[thinned(_within_contacts(time, line), MOST_CONTACT)] = True
        chosen[thinned(_beside_jumps(time, line), MOST_KEPT)] = True
        inside = np.zeros(count, dtype=bool)
        inside[_within_contacts(time, line)] = True
        rest = np.flatnonzero(~chosen & ~inside)
    else:
        rest = np.flatnonzero(~chosen)
    chosen[thinned(rest, MOST_SAMPLES - int(chosen.sum()))] = True
    return np.flatnonzero(chosen)


def thinned(indices: np.ndarray, most: int) -> np.ndarray:
    """The indices, or `most` of them, evenly spaced, where there are more."""
    if len(indices) <= most:
        return indices
    return indices[np.linspace(0, len(indices) - 1, most).round().astype(int)]


def _within_contacts(time: np.ndarray, line: Timeline) -> np.ndarray:
    inside = np.zeros(len(time), dtype=bool)
    for contact in line.contacts:
        inside |= (time >= contact.begin) & (time <= contact.end)
    return np.flatnonzero(inside)


def _beside_jumps(time: np.ndarray, line: Timeline) -> np.ndarray:
    moments = [mark.time for mark in line.marks]
    if line.is_divided:
        moments += [phase.begin for phase in line.phases]
    after = np.searchsorted(time, np.array(moments, dtype=float), "left")
    beside = np.concatenate([after - 1, after])
    return distinct(beside[(beside >= 0) & (beside < len(time))])
