"""The forward model of any contact: from the unknowns to what the sensors show, phase by phase."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

import numpy as np

import percuss.kernel as kernel
from percuss.encounter.ensemble.asked import Asked
from percuss.encounter.ensemble.history import Histories, Signal
from percuss.encounter.ensemble.vary import ManyCases, Variation, Varied
from percuss.identification.data.channels import Channel, channels_of
from percuss.identification.forward.kept import LastMade
from percuss.identification.forward.known import Described, KnownEncounter
from percuss.identification.forward.model_input import batch_of, by_kind, marker_point, rising
from percuss.identification.forward.readings import Readings, refuse_channels
from percuss.identification.forward.tried import DURATION, TriedEncounter
from percuss.identification.forward.unknowns import Unknowns
from percuss.kernel.duals import slope_of, value_of
from percuss.model.errors import ModelError

CLOSURES = ("pin", "weld", "bounce", "compliant")
"""Contacts that can be identified."""
LANES = 60
"""Directions of cases that are followed at once: of more, those that are slow would be gathered at
every sample, which takes longer than the motion between two of them."""
_LASTING = 1.0 + 1e-9
"""How much longer motion is followed than there are samples: rounding must not lose the last."""
_SHOWN = "shown"
_KEPT: LastMade[Variation] = LastMade(4)
"""Variations by what they follow from, for models like one that is gone."""


class EngineModel:
    """θ → measured values and their derivatives, of any number of a scenario as an unknown.

    All of the encounter from the first contact on is carried out as `percuss.simulate` does with
    `vary`: contact in time, bounces again and again, the motion after a grasp. Derivatives are
    those of what it computes, exact to the tolerance of the integration. Values are in the order
    of the channels, within each in that of the times: m = channels · times. A batch of θ is the
    last axis everywhere; what cannot be computed is NaN. Control laws know the numbers that are
    tried, unless the scenario has a `believes` block.

    Args:
        encounter: what is known, or a scenario that describes it.
        unknowns: what is not.
        channels: what is measured, or names of it.
        times: of the samples (s after the first contact), rising.
        delays: s, by kind of measurement: a value shows the state that long before its time.
        biases: by kind, in the unit of the channel: added to what is shown; not of orientations.
        markers: points of the target by name, in its frame from its centre of mass (m).
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
        threads: int | None = None,
    ) -> None:
        self.encounter, self.unknowns = KnownEncounter.of(encounter), unknowns
        self.threads = threads
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
        own = self.times[None, :] - np.array(
            [[self.delays.get(c.kind, 0.0)] for c in self.channels]
        )
        self._clock, places = np.unique(np.round(own, 12), return_inverse=True)
        self._places = places.reshape(own.shape)
        self._refuse()

    def _refuse(self) -> None:
        closure = self.encounter.closure.name
        if self.encounter.orbit is not None:
            raise ModelError(
                "orbit: an identification does not account for the loads of an orbit, which would "
                "be read as motion of the target; leave orbit out of the scenario"
            )
        if closure not in CLOSURES:
            raise ModelError(
                f"impact.closure: an identification needs one of {', '.join(CLOSURES)}, got "
                f"{closure!r}"
            )
        refuse_channels(self.channels, self.markers)
        if closure not in ("pin", "weld"):
            for channel in self.channels:
                if channel.kind == "tool_force":
                    raise ModelError(
                        f"{channel.name!r}: the force at the tool is known of a target in the "
                        f"hand (pin, weld), not of the closure {closure}; leave the channel out"
                    )
        if self._clock[0] < 0.0:
            raise ModelError(
                f"times: a sample shows the state {-float(self._clock[0]):.3g} s before the "
                "impact (its time less the sensor's delay), and motion is followed from the "
                "impact on here; leave out what is earlier"
            )
        if "time" in self.unknowns.groups:
            raise ModelError(
                "time: cannot be unknown together with contact that takes time or comes again "
                f"and again (the closure {closure}), of which samples begin at the first contact"
            )

    # --- results -------------------------------------------------------------------------------

    def __call__(self, theta: Any) -> np.ndarray:
        """Values (m,) of θ (n,), or (m, batch) of θ (n, batch)."""
        batch, single = batch_of(theta, self.unknowns.names)
        parts = [self._values(part) for part in _pieces(batch, LANES)]
        values = np.concatenate(parts, axis=-1)
        return values[:, 0] if single else values

    def linearised(self, theta: Any) -> tuple[np.ndarray, np.ndarray]:
        """(values, derivatives by θ): (m,) and (m, n), or (m, batch) and (m, n, batch)."""
        batch, single = batch_of(theta, self.unknowns.names)
        parts = [self.linearised_part(part) for part in self.parts(batch)]
        values = np.concatenate([part[0] for part in parts], axis=-1)
        slopes = np.concatenate([part[1] for part in parts], axis=-1)
        return (values[:, 0], slopes[..., 0]) if single else (values, slopes)

    def parts(self, theta: np.ndarray) -> list[np.ndarray]:
        """A batch cut into those that `linearised_part` takes at once."""
        return _pieces(theta, max(1, LANES // len(self.unknowns)))

    def linearised_part(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Values (m, batch) and derivatives (m, n, batch) of a batch that is not too large."""
        count, batch = theta.shape
        # Lane d · batch + b is direction d of case b.
        seeds = np.repeat(np.eye(count + 1)[:, :count], batch, axis=1)
        varied = self._varied(np.tile(theta, count))
        found = self._variation.towards(varied, seeds, self._histories)
        shown, along = self._shown(found, count * batch)
        shape = (len(self.channels) * len(self.times), count, batch)
        return shown[:, :batch], along.reshape(shape)

    def step_error(self, theta: Any) -> float:
        """NaN: steps are chosen anew for every θ, so that they are as exact everywhere."""
        batch_of(theta, self.unknowns.names)
        return math.nan

    def like(
        self,
        channels: Iterable[Channel | str],
        times: np.ndarray,
        markers: Mapping[str, Any] | None = None,
    ) -> EngineModel:
        """The same unknowns and delays with other channels, times (s) and markers.

        What is compiled is shared; nothing is added to what is shown.
        """
        own = {name: list(at) for name, at in self.markers.items()}
        return EngineModel(
            self.encounter,
            self.unknowns,
            channels,
            times,
            delays=self.delays,
            markers=own if markers is None else markers,
            threads=self.threads,
        )

    def thinned(self, kept: np.ndarray) -> EngineModel:
        """The same model with some of its times: for a first search. What is compiled is shared."""
        name = tuple(int(k) for k in kept)
        if name not in self._thinned:
            made = self.like(self.channels, self.times[kept])
            made.biases = self.biases
            self._thinned[name] = made
        return self._thinned[name]

    @cached_property
    def _thinned(self) -> dict[tuple[int, ...], EngineModel]:
        return {}

    # --- the numbers of the encounter ----------------------------------------------------------

    @cached_property
    def _tried(self) -> TriedEncounter:
        return TriedEncounter(self.unknowns)

    @property
    def _names(self) -> tuple[str, ...]:
        """The numbers that differ between cases: θ, and how long the motion is followed."""
        return (*self._tried.parts, DURATION)

    @property
    def _lasting(self) -> float:
        """How long the motion is followed (s)."""
        return max(float(self._clock[-1]) * _LASTING, 1e-9)

    def _varied(self, theta: np.ndarray) -> Varied:
        inputs = tuple(self._tried.number(name) for name in self._names)
        lasting = np.full((1, theta.shape[1]), self._lasting)
        return Varied(inputs, np.concatenate([theta, lasting]))

    # --- running -------------------------------------------------------------------------------

    @cached_property
    def _variation(self) -> Variation:
        """The encounter compiled for these unknowns, taken again where it was used before."""
        tried = self._tried

        def made() -> Variation:
            return Variation(
                tried.nominal,
                tried,
                self._names,
                knows=tried.known | {DURATION},
                asked=Asked.of(()),
                threads=self.threads,
            )

        return _KEPT.of(kernel.fingerprint((tried, self.threads)), made)

    @cached_property
    def _histories(self) -> Histories:
        readings = Readings(self.channels, tuple(self.markers.items()))
        signal = Signal(readings.entries, "", "", "what the sensors show")
        return Histories((), tuple(self._clock.tolist()), ((_SHOWN, signal),))

    def _values(self, theta: np.ndarray) -> np.ndarray:
        found = self._variation(self._varied(theta), histories=self._histories)
        return self._shown(found, theta.shape[1])[0]

    def _shown(self, found: ManyCases, lanes: int) -> tuple[np.ndarray, np.ndarray]:
        """Values and slopes (m, lanes); NaN of cases that could not be carried out."""
        shape = (len(self.channels), len(self._clock), lanes)
        values, slopes = np.full(shape, np.nan), np.full(shape, np.nan)
        table = found.result.history.get(_SHOWN)
        if table is not None:
            values[..., found.places], slopes[..., found.places] = value_of(table), slope_of(table)
        chosen = np.arange(len(self.channels))[:, None], self._places
        biases = np.array([self.biases.get(c.kind, 0.0) for c in self.channels])[:, None, None]
        values, slopes = values[chosen] + biases, slopes[chosen]
        return values.reshape(-1, lanes), slopes.reshape(-1, lanes)


def _pieces(theta: np.ndarray, most: int) -> list[np.ndarray]:
    return np.array_split(theta, max(1, math.ceil(theta.shape[1] / most)), axis=1)
