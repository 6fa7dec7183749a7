"""Section 6.2 in numbers: what IC² does to the reactions, and what it takes."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from percuss.sources.centre_of_percussion.cases import PulseReactions
from percuss.sources.centre_of_percussion.compensation import (
    by_force,
    compensated,
    free_joints,
    locked,
)
from percuss.sources.centre_of_percussion.paper import COMPENSATED, TABLE_1
from percuss.sources.table import Table, number

TIP, COP = TABLE_1.link2.length, TABLE_1.link2.cop

RUNS: tuple[tuple[str, str, float, Callable[[], PulseReactions]], ...] = (
    ("tip", "free joints", TIP, lambda: free_joints(TIP)),
    ("tip", "IC²", TIP, lambda: compensated(TIP)),
    ("tip", "IC² without base torque", TIP, lambda: compensated(TIP, base_torque=False)),
    ("tip", "n = −r F", TIP, lambda: by_force(TIP)),
    ("tip", "locked joints", TIP, lambda: locked(TIP)),
    ("CoP", "free joints", COP, lambda: free_joints(COP)),
    ("CoP", "IC²", COP, lambda: compensated(COP)),
    ("CoP", "n = −r F", COP, lambda: by_force(COP)),
    ("tip, along link 2", "free joints", TIP, lambda: free_joints(TIP, 0.0)),
    ("tip, along link 2", "IC²", TIP, lambda: compensated(TIP, angle=0.0)),
)
"""Where, what the motors do, m from joint 2, and the run."""


@lru_cache(maxsize=1)
def effects() -> tuple[dict[str, Any], ...]:
    """Peaks of reactions (N) and torques (N m) within the pulse; torques at its two ends."""
    found = []
    for where, motors, at, run in RUNS:
        felt = run()
        found.append(
            {
                "struck": where,
                "at": at,
                "motors": motors,
                "peak_reaction": {name: felt.peak(name) for name in ("joint1", "joint2")},
                "peak_torque": float(np.abs(felt.torques[:, felt.during]).max()),
                "torques_at_onset": _torques(felt, 0),
                "torques_at_end": _torques(felt, _last(felt)),
            }
        )
    return tuple(found)


def effect_table() -> Table:
    """One row a run; the paper shows the first two as curves."""
    rows = tuple(
        (
            f"{entry['struck']}, {entry['motors']}",
            number(entry["peak_reaction"]["joint2"], 4),
            number(entry["peak_reaction"]["joint1"], 4),
            number(entry["peak_torque"], 4),
        )
        for entry in effects()
    )
    header = ("struck at, motors", "peak |N2|, N", "peak |N1|, N", "torque, N m")
    return Table("Section 6.2, 100 N for 0.1 s: reactions and the largest torque", header, rows)


def torque_table() -> Table:
    """Figure 12: torques of IC² at onset and at the end of the pulse, by place."""
    rows = []
    for at in COMPENSATED:
        felt = compensated(at)
        begin, end = _torques(felt, 0), _torques(felt, _last(felt))
        name = f"{number(at, 4)} (CoP)" if at == COP else number(at, 4)
        rows.append((name, *(_course(begin[key], end[key]) for key in ("joint2", "joint1"))))
    header = ("struck at, m", "joint 2, N m", "joint 1 and base, N m")
    return Table("Figure 12: torques of IC², at onset → at the end", header, tuple(rows))


def _last(felt: PulseReactions) -> int:
    """The last sample of the pulse."""
    return int(np.flatnonzero(felt.during)[-1])


def _torques(felt: PulseReactions, sample: int) -> dict[str, float]:
    # Adding 0.0 turns -0.0 into 0.0.
    values = (felt.torques[:, sample] + 0.0).tolist()
    return dict(zip(("base", "joint1", "joint2"), values, strict=True))


def _course(begin: float, end: float) -> str:
    first, last = number(begin, 4), number(end, 4)
    return first if first == last else f"{first} → {last}"
