"""States at the times of samples, and what the sensors show in them, for many lanes at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import percuss.kernel as kernel
from percuss.identification.forward.motion import Parameters
from percuss.identification.forward.programs import ForwardPrograms


@dataclass(frozen=True)
class Sampling:
    """Samples of a model's channels.

    Attributes:
        clock: all times (s) at which a state is asked for, rising.
        places: (channels, times), which of them each sample shows.
        biases: by kind of measurement, added to what is shown.
        lead_steps: until the clocks meet, at least, if the time of impact is unknown.
    """

    programs: ForwardPrograms
    clock: np.ndarray
    places: np.ndarray
    biases: Mapping[str, float]
    lead_steps: int

    def trajectory(self, run: kernel.Rollout, x: Any, p: Any, pair: Any) -> tuple[Any, Any]:
        """States (and directions) at all times of the clock, shape (entries, times, lanes)."""
        begin = 0.0 if self.programs.lead is None else self.programs.lead[0]
        late = self.clock >= begin
        first = pair(x)
        if not late.any():
            found: tuple[Any, Any] = tuple(
                None if a is None else np.repeat(a[:, None], len(late), axis=1) for a in first
            )  # type: ignore[assignment]
            return found
        times = self.clock[late]
        if self.programs.lead is not None:
            # Steps are short until the clocks meet, and end there; what is found on the way is
            # not asked for.
            early = np.linspace(*self.programs.lead, self.lead_steps + 1)[1:]
            times = np.concatenate([early[early < times[0]], times])
        skipped = len(times) - int(late.sum())
        after = pair(run.states_at(times, x, p, start=begin))
        after = tuple(None if a is None else a[:, skipped:] for a in after)
        if late.all():
            return after  # type: ignore[return-value]
        return tuple(
            None
            if a is None
            else np.concatenate([np.repeat(b[:, None], (~late).sum(), axis=1), a], axis=1)
            for a, b in zip(after, first, strict=True)
        )  # type: ignore[return-value]

    def observed(
        self, pair: tuple[Any, Any], p: Parameters, dp: Parameters | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Values and their slopes (channels, times, lanes)."""
        x, dx = pair
        channels = self.programs.observation.channels
        rows = None if self.programs.has_before else self.programs.observation.rows()
        biases = np.array([self.biases.get(c.kind, 0.0) for c in channels])[:, None, None]
        if rows is not None:
            whole = np.array(rows)[:, None]
            none = np.zeros(0)
            return x[whole, self.places] + biases, none if dx is None else dx[whole, self.places]
        size, times, lanes = x.shape
        clock = np.repeat(self.clock, lanes)

        def spread(values: Parameters) -> dict[str, np.ndarray]:
            return {k: np.tile(values[k], (1, times)) for k in self.programs.shown}

        flat = x.reshape(size, -1)
        slope = np.zeros_like(flat) if dx is None else dx.reshape(size, -1)
        given = spread(p)
        directions = {k: np.zeros_like(v) for k, v in given.items()} if dp is None else spread(dp)
        y, dy = self.programs.observed(
            (clock, flat, given), (np.zeros_like(clock), slope, directions)
        )
        chosen = np.arange(len(channels))[:, None], self.places
        shape = (len(channels), times, lanes)
        return y.reshape(shape)[chosen] + biases, dy.reshape(shape)[chosen]
