"""Whether a motion will come to its end: the steps it needs, foreseen from those it took."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass, field

from percuss.kernel.rollouts.pace import foreseen_at_most

FIRST_LOOK = 4_000
"""Steps after which the end is foreseen: a second or two, when what begins suddenly is over."""
BETWEEN_LOOKS = 500
WATCHED = 3
"""How many steps one counts for while a contact is watched for: looking costs more than moving."""


@dataclass
class Pace:
    """The steps of a motion so far, and the time (s) to which each led.

    Attributes:
        begin: where the motion starts (s).
        end: where it is to end (s).
        most: steps that it may take.
        is_watched: whether something is watched for that may end it earlier.
    """

    begin: float
    end: float
    most: int
    is_watched: bool = False
    _steps: list[float] = field(default_factory=lambda: [0.0])
    _times: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._times.append(self.begin)
        self._next = FIRST_LOOK

    def reached(self, steps: float, time: float) -> str | None:
        """Note that `steps` led to a time (s); why it is hopeless to go on, None if it is not.

        The later half of the steps tells the pace; `foreseen_at_most` what is allowed for.
        """
        counted = WATCHED * steps if self.is_watched else steps
        self._steps.append(counted)
        self._times.append(time)
        if time >= self.end:
            return None
        allowed = f"integration.most-steps is {self.most:,}"
        if self.is_watched:
            allowed += f", and each counts for {WATCHED} while a contact is watched for, looks too"
        if counted >= self.most and self.is_watched:
            return f"{steps:,.0f} steps were not enough ({allowed})"
        if counted >= self.most:
            return f"{self.most:,} steps (integration.most-steps) were not enough"
        if counted < self._next:
            return None
        self._next = counted + BETWEEN_LOOKS
        foreseen = self.foreseen()
        if foreseen <= foreseen_at_most(self.most, counted):
            return None
        needed = foreseen * steps / counted
        return (
            f"{steps:,.0f} steps led to there, and at this pace it needs {_about(needed)} "
            f"({allowed})"
        )

    def foreseen(self) -> float:
        """Steps in all, as they count, at the pace of the later half of them; infinite where time
        stands."""
        steps, time = self._steps[-1], self._times[-1]
        half = min(bisect_left(self._steps, 0.5 * steps), len(self._steps) - 2)
        covered = time - self._times[half]
        if not covered > 0.0:
            return math.inf
        return steps + (self.end - time) * (steps - self._steps[half]) / covered

    @property
    def step(self) -> float:
        """Mean length of the later half of the steps (s)."""
        each = WATCHED if self.is_watched else 1
        half = bisect_left(self._steps, 0.5 * self._steps[-1])
        half = max(0, min(half, len(self._steps) - 2))
        taken = self._steps[-1] - self._steps[half]
        return each * (self._times[-1] - self._times[half]) / taken if taken else 0.0


def _about(steps: float) -> str:
    """A large number in words.

    >>> _about(123_456.0), _about(4.2e9), _about(math.inf)
    ('about 120,000', 'about 4.2e+09', 'endlessly many')
    """
    if math.isinf(steps):
        return "endlessly many"
    return f"about {float(f'{steps:.2g}'):,.0f}" if steps < 1e7 else f"about {steps:.2g}"
