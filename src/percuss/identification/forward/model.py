"""The forward model: from the unknowns to what the sensors show, with derivatives, in batches."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from percuss.identification.data.channels import Channel, channels_of
from percuss.identification.forward.impact_motion import impact_and_motion_of
from percuss.identification.forward.kept import LastMade
from percuss.identification.forward.known import Described, KnownEncounter
from percuss.identification.forward.model_input import batch_of, by_kind, marker_point, rising
from percuss.identification.forward.motion import MotionAfterImpact
from percuss.identification.forward.observation import SensorModel
from percuss.identification.forward.programs import ForwardPrograms
from percuss.identification.forward.sampling import Sampling
from percuss.identification.forward.unknowns import Unknowns
from percuss.identification.options import DEFAULT
from percuss.identification.options.records import IntegrationOptions
from percuss.model.errors import ModelError

_LANES = 1024
"""Directions of cases that are followed at once: their trajectories should fit in a cache."""
_STEPS: LastMade[float] = LastMade(64)
"""Steps (s) by what they follow from, for models like one that is gone."""


class ForwardModel:
    """θ → measured values and their derivatives.

    The impact, the tree with the target in the hand and the motion under the scenario's law are
    those of the encounter engine, compiled as programs of θ. Values are in the order of the
    channels, within each in that of the times: m = channels · times. A batch of θ is the last axis
    everywhere.

    Classical Runge–Kutta steps of one length are used, halved from the spacing of the samples
    until no value of the scenario's own motion, or of one beside it, is wrong by more than
    `tolerance` (m, rad, … and the same share of the value), judged by halving once more.
    `step_error` tells it for any θ.

    Args:
        encounter: what is known, or a scenario that describes it.
        unknowns: what is not.
        channels: what is measured, or names of it.
        times: of the samples (s after the impact), rising.
        delays: s, by kind of measurement: a value shows the state that long before its time.
        biases: by kind, in the unit of the channel: added to what is shown; not of orientations.
        markers: points of the target by name, in its frame from its centre of mass (m).
        step: of the integration (s); default chosen.
        tolerance: error of a value that is allowed; default as `options` have it.
        options: of the integration.
    """

    def __init__(
        self,
        encounter: Described | KnownEncounter,
        unknowns: Unknowns,
        channels: Iterable[Channel | str],
        times: Any,
        *,
        delays: Mapping[str, float] | None = None,
        biases: Mapping[str, float] | None = None,
        markers: Mapping[str, Any] | None = None,
        step: float | None = None,
        tolerance: float | None = None,
        threads: int | None = None,
        options: IntegrationOptions = DEFAULT.integration,
    ) -> None:
        self.encounter, self.unknowns = KnownEncounter.of(encounter), unknowns
        given = list(channels)
        names = [channel.name if isinstance(channel, Channel) else channel for channel in given]
        self.channels = channels_of(self.encounter.start.chaser, names)
        if not self.channels:
            raise ModelError("channels: nothing is measured")
        self.times = rising(times)
        self.delays = by_kind(delays or {}, "delays", "s")
        self.biases = by_kind(biases or {}, "biases", "the unit of the channel")
        if "base.orientation" in self.biases:
            raise ModelError("biases: an orientation has none; give its sensor's frame instead")
        self.markers = {name: marker_point(name, at) for name, at in (markers or {}).items()}
        self.tolerance = options.tolerance if tolerance is None else tolerance
        self.threads, self.options = threads, options
        self._given_step = step
        own = self.times[None, :] - np.array(
            [[self.delays.get(c.kind, 0.0)] for c in self.channels]
        )
        self._clock, places = np.unique(np.round(own, 12), return_inverse=True)
        self.motion = MotionAfterImpact(impact_and_motion_of(unknowns), self._lead)
        if "time" in unknowns.groups and self.motion.law.period is not None:
            raise ModelError(
                "time: with a law that is sampled the time of impact cannot be unknown, since "
                "the samples would move with it"
            )
        self.observation = SensorModel(self.motion, self.channels, self.markers)
        self._programs = ForwardPrograms(unknowns, self.observation, self._has_before, threads)
        self._sampling = Sampling(
            programs=self._programs,
            clock=self._clock,
            places=places.reshape(own.shape),
            biases=self.biases,
            lead_steps=options.lead_steps,
        )

    # --- results -------------------------------------------------------------------------------

    def __call__(self, theta: Any) -> np.ndarray:
        """Values (m,) of θ (n,), or (m, batch) of θ (n, batch)."""
        batch, single = self._batch(theta)
        parts = [self._values(part) for part in _chunks(batch, _LANES)]
        values = np.concatenate(parts, axis=-1)
        return values[:, 0] if single else values

    def linearised(self, theta: Any) -> tuple[np.ndarray, np.ndarray]:
        """(values, derivatives by θ): (m,) and (m, n), or (m, batch) and (m, n, batch)."""
        batch, single = self._batch(theta)
        parts = [self.linearised_part(part) for part in self.parts(batch)]
        values = np.concatenate([part[0] for part in parts], axis=-1)
        slopes = np.concatenate([part[1] for part in parts], axis=-1)
        return (values[:, 0], slopes[..., 0]) if single else (values, slopes)

    def parts(self, theta: np.ndarray) -> list[np.ndarray]:
        """A batch cut into those that `linearised_part` takes at once."""
        return _chunks(theta, max(1, _LANES // len(self.unknowns)))

    def linearised_part(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Values (m, batch) and derivatives (m, n, batch) of a batch that is not too large."""
        count, batch = theta.shape
        # Lane d · batch + b is direction d of case b.
        lanes = np.tile(theta, count)
        seeds = np.repeat(np.eye(count), batch, axis=1)
        start, along = self._programs.begun((lanes,), (seeds,))
        (x, p), (dx, dp) = (start["x"], start["p"]), (along["x"], along["p"])
        run = self._programs.variations(self.step)
        moving, still = ({k: w[k] for k in self._programs.moving} for w in (p, dp))
        pair = self._sampling.trajectory(run, (x, dx), (moving, still), lambda state: state)
        values, slopes = self._sampling.observed(pair, p, dp)
        shape = (len(self.channels), len(self.times), count, batch)
        slopes = slopes.reshape(shape).reshape(-1, count, batch)
        return values[..., :batch].reshape(-1, batch), slopes

    def step_error(self, theta: Any) -> float:
        """Largest error of any value from the steps' length, as a share of 1 + |value|.

        Estimated by halving the steps, which leaves a sixteenth of it; NaN for a law that is
        sampled, whose steps are tied to its period.
        """
        batch, _ = self._batch(theta)
        if self.motion.law.period is not None:
            return math.nan
        return self._change(self.step, batch)

    def like(
        self,
        channels: Iterable[Channel | str],
        times: np.ndarray,
        markers: Mapping[str, Any] | None = None,
    ) -> ForwardModel:
        """The same unknowns, delays and steps with other channels, times (s) and markers.

        Nothing is added to what is shown.
        """
        own = {name: list(at) for name, at in self.markers.items()}
        return ForwardModel(
            self.encounter,
            self.unknowns,
            channels,
            times,
            delays=self.delays,
            markers=own if markers is None else markers,
            step=self.step,
            options=self.options,
        )

    def thinned(self, kept: np.ndarray) -> ForwardModel:
        """The same model with some of its times, less exact: for a first search.

        What is compiled is shared.
        """
        name = tuple(int(k) for k in kept)
        if name not in self._thinned:
            self._thinned[name] = self._thin(kept)
        return self._thinned[name]

    @cached_property
    def _thinned(self) -> dict[tuple[int, ...], ForwardModel]:
        return {}

    def _thin(self, kept: np.ndarray) -> ForwardModel:
        return self._with(
            self.times[kept], self._given_step, max(self.tolerance, self.options.first_tolerance)
        )

    def _with(self, times: np.ndarray, step: float | None, tolerance: float) -> ForwardModel:
        return ForwardModel(
            self.encounter,
            self.unknowns,
            self.channels,
            times,
            delays=self.delays,
            biases=self.biases,
            markers={name: list(at) for name, at in self.markers.items()},
            step=step,
            tolerance=tolerance,
            threads=self.threads,
            options=self.options,
        )

    # --- the step ------------------------------------------------------------------------------

    @cached_property
    def step(self) -> float:
        """The step of the integration (s)."""
        if self._given_step is not None:
            return self._given_step
        longest = self._spacing / math.ceil(self._spacing / self.options.longest_step - 1e-9)
        period = self.motion.law.period
        if period is not None:
            # A sampled law needs whole steps in its period; its command is constant in between.
            return period / math.ceil(period / min(longest, 0.02) - 1e-9)
        # The scenario may be at rest until something is known of the target.
        away = self.unknowns.scale * self.options.aside
        places = np.stack([self.unknowns.start, self.unknowns.start + away], axis=1)
        motion = self._programs.fingerprint
        follows = motion, places.tobytes(), self._clock.tobytes(), self.tolerance, longest
        name = None if motion is None else follows
        return _STEPS.of(name, lambda: self._halved(longest, places))

    def _halved(self, step: float, places: np.ndarray) -> float:
        """The step (s), halved until no value at the places (n, 2) is wrong by too much."""
        for _ in range(8):
            if self._change(step, places) <= self.tolerance:
                break
            step /= 2.0
        return step

    def finer(self, step: float) -> ForwardModel:
        """The same model with another step of the integration (s)."""
        return self._with(self.times, step, self.tolerance)

    @cached_property
    def _spacing(self) -> float:
        if len(self._clock) < 2:
            return max(abs(float(self._clock[0])), 1e-3)
        steps = np.diff(self._clock)
        # Bursts of samples do not ask for short steps in between.
        return max(float(np.median(steps)), self.options.burst * float(np.mean(steps)))

    def _change(self, step: float, theta: np.ndarray) -> float:
        """How far values at θ (n, places) are wrong; infinite where shorter steps may save them.

        A motion that is lost with shorter steps, too, is no measure, but for that of the first.
        """
        once, twice = (self._values(theta, step=h) for h in (step, step / 2.0))
        there, saved = np.isfinite(once), np.isfinite(twice)
        if (saved & ~there).any() or not there[:, 0].all():
            return math.inf
        both = there & saved
        gaps = np.abs(once[both] - twice[both]) / (1.0 + np.abs(twice[both]))
        return float(gaps.max(initial=0.0)) * 16.0 / 15.0

    def _batch(self, theta: Any) -> tuple[np.ndarray, bool]:
        return batch_of(theta, self.unknowns.names)

    @cached_property
    def _lead(self) -> tuple[float, float] | None:
        if "time" not in self.unknowns.groups:
            return None
        end = min(0.0, float(self._clock[0]))
        return end - self.options.lead, end

    @property
    def _has_before(self) -> bool:
        return self._lead is not None or bool(self._clock[0] < 0.0)

    # --- running -------------------------------------------------------------------------------

    def _values(self, theta: np.ndarray, step: float | None = None) -> np.ndarray:
        start, _ = self._programs.begun((theta,), (np.zeros_like(theta),))
        p = start["p"]
        run = self._programs.values(self.step if step is None else step)
        moving = {k: p[k] for k in self._programs.moving}
        x = self._sampling.trajectory(run, start["x"], moving, lambda state: (state, None))[0]
        values = self._sampling.observed((x, None), p, None)[0]
        return values.reshape(-1, theta.shape[1])


def _chunks(theta: np.ndarray, most: int) -> list[np.ndarray]:
    pieces = max(1, math.ceil(theta.shape[1] / most))
    return np.array_split(theta, pieces, axis=1)
