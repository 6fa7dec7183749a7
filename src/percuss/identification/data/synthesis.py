"""Measurements made from an encounter: its motion after the impact as sensors would show it."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from percuss.encounter.encounter import Encounter
from percuss.encounter.failure import Progress
from percuss.encounter.integration import integrate_motion
from percuss.encounter.observation import Observation
from percuss.encounter.phase import Phase
from percuss.encounter.recording import continuous
from percuss.encounter.simulation import Simulation, carry_out
from percuss.identification.data.biases import bias_of, orientation_bias, turned
from percuss.identification.data.channels import Channel, all_kinds, all_names, channels_of
from percuss.identification.data.measured_columns import Measured
from percuss.identification.data.sensors import Sensor, Sensors
from percuss.identification.data.shown import ShownMotion, after_impact
from percuss.model.errors import ModelError, closest
from percuss.model.systems import System
from percuss.scenario import Scenario
from percuss.scenario.simulation import simulate

MOST_SAMPLES = 2_000_000
"""Times of one record of measurements."""


def synthesise(
    encounter: Encounter | Scenario,
    sensors: Sensors,
    seed: int = 0,
    names: Iterable[str] | None = None,
    *,
    rate: float | None = None,
    duration: float | None = None,
    noise: bool = True,
    progress: Progress | None = None,
    allow_code: bool = False,
) -> Measured:
    """What the sensors would have shown after the first impact of an encounter.

    Args:
        encounter: what is carried out, or a scenario that describes it.
        seed: of the noise and of the samples that are lost; every channel has random numbers of
            its own, which do not depend on what else is measured.
        names: of the columns; default every channel of every sensor.
        rate: samples a second (Hz) of all sensors, instead of their own.
        duration: of the record (s) from the first impact, at most until the end of the run, which
            is the default.
        noise: False leaves noise away, but not bias, delay and losses.
        progress: takes the share of the motion done, from 0 to 1.
        allow_code: whether Python files that a scenario names (`law: python`) may run.

    Returns:
        Samples at k/rate, k = 1, 2, …, after the first impact, blank where a sensor has none.

    Example:
        >>> import percuss
        >>> from percuss.identification.data.sensors import sensors_of
        >>> scenario = percuss.load("scenarios/thesis-1.yaml")
        >>> sensors = sensors_of({"joint": {"noise": 1e-4, "rate": 10}})
        >>> synthesise(scenario, sensors, seed=1)
        <Measured 100 times to 10 s: joint.joint1, joint.joint2>
    """
    if isinstance(encounter, Scenario):
        simulation = simulate(encounter, progress=progress, allow_code=allow_code)
    else:
        simulation = carry_out(encounter, progress)
    return measure(simulation, sensors, seed, names, rate=rate, duration=duration, noise=noise)


def measure(
    simulation: Simulation,
    sensors: Sensors,
    seed: int = 0,
    names: Iterable[str] | None = None,
    *,
    rate: float | None = None,
    duration: float | None = None,
    noise: bool = True,
) -> Measured:
    """What the sensors would have shown from the first impact of a run on; see `synthesise`."""
    phases = after_impact(simulation)
    chaser = phases[0].observation.assembly.chaser
    if names is None:
        names = names_of(chaser, sensors)
    channels = channels_of(chaser, names)
    if not channels:
        raise ModelError("nothing is measured: no sensor has a channel on this chaser")
    plan = _Plan(
        phases=phases,
        channels=channels,
        sensors=sensors,
        rate=rate,
        duration=_length(phases, duration),
    )
    _refuse(plan)
    shown = plan.shown
    columns: dict[str, np.ndarray] = {}
    for group in plan.groups:
        columns |= _sampled(group, plan, shown, seed, noise=noise)
    # In the order asked for, without times at which no sensor shows anything.
    table = np.stack([columns[channel.name] for channel in channels])
    kept = np.isfinite(table).any(axis=0)
    if not kept.any():
        raise ModelError("no sample is left: rates too low, delays too long or all samples missing")
    return Measured(
        plan.times[kept],
        {channel.name: row[kept] for channel, row in zip(channels, table, strict=True)},
    )


def names_of(chaser: System, sensors: Sensors) -> tuple[str, ...]:
    """Names of every channel of every sensor."""
    kinds = [kind for kind in all_kinds() if kind in sensors and kind != "marker"]
    other = "base.orientation" if chaser.is_planar else "base.angle"
    if other in kinds:
        right = "base.angle" if chaser.is_planar else "base.orientation"
        what = "planar" if chaser.is_planar else "spatial"
        raise ModelError(f"sensors: a {what} chaser has {right}, got {other}")
    axes = "xy" if chaser.is_planar else "xyz"
    markers = [f"marker.{name}.{axis}" for name in sensors.markers for axis in axes]
    return (*all_names(chaser, kinds), *markers)


# --- when -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Group:
    """Channels that one device gives: sampled, and lost, together."""

    kind: str
    part: str
    channels: tuple[Channel, ...]

    @property
    def key(self) -> str:
        return f"{self.kind} {self.part}"


@dataclass(frozen=True)
class _Plan:
    """Which device is sampled when, in seconds after the impact."""

    phases: tuple[Phase, ...]
    channels: tuple[Channel, ...]
    sensors: Sensors
    rate: float | None
    duration: float

    @cached_property
    def groups(self) -> tuple[_Group, ...]:
        found: dict[tuple[str, str], list[Channel]] = {}
        for channel in self.channels:
            found.setdefault((channel.kind, channel.part), []).append(channel)
        return tuple(_Group(kind, part, tuple(own)) for (kind, part), own in found.items())

    def sensor(self, group: _Group) -> Sensor:
        return self.sensors[group.kind]

    def times_of(self, group: _Group) -> np.ndarray:
        """When a device gives samples."""
        rate = self.sensor(group).rate if self.rate is None else self.rate
        count = int(np.floor(self.duration * rate * (1 + 1e-12)))
        if count > MOST_SAMPLES:
            raise ModelError(
                f"{group.kind}: {self.duration:g} s at {rate:g} Hz are {count} samples; at most "
                f"{MOST_SAMPLES} are made"
            )
        times = np.minimum(np.arange(1, count + 1) / rate, self.duration)
        return times[times >= self.sensor(group).delay]

    @cached_property
    def times(self) -> np.ndarray:
        """The times at which any device has a sample (s)."""
        return np.unique(np.concatenate([self.times_of(group) for group in self.groups]))

    @property
    def chaser(self) -> System:
        return self.phases[0].observation.assembly.chaser

    @cached_property
    def shown(self) -> _ShownParts:
        """The motion at every time that some sensor shows: integrated to those times."""
        asked = [self.times_of(group) - self.sensor(group).delay for group in self.groups]
        times = np.unique(np.concatenate([[0.0], *asked]))
        first, parts = self.phases[0].begin, list[ShownMotion]()
        for k, phase in enumerate(self.phases):
            begin, end = phase.begin - first, phase.end - first
            last = k == len(self.phases) - 1
            own = times[(times >= begin) & ((times < end) | last)]
            if not len(own):
                continue
            parts.append(_integrated(phase, own, own - begin, max(self.duration - begin, 0.0)))
        return _ShownParts(tuple(parts), times)


@dataclass(frozen=True)
class _ShownParts:
    """True values over `times` (s after the first impact), of one phase after the other."""

    parts: tuple[ShownMotion, ...]
    times: np.ndarray

    def values(self, channel: Channel, markers: Mapping[str, Sequence[float]]) -> np.ndarray:
        """The true values of a channel, (times,)."""
        return np.concatenate([part.values(channel, markers) for part in self.parts])

    def attitude(self) -> np.ndarray:
        """World ← base (times, 4), unit quaternions without jumps of sign."""
        return continuous(np.concatenate([part.attitude() for part in self.parts]))


def _integrated(phase: Phase, times: np.ndarray, since: np.ndarray, whole: float) -> ShownMotion:
    """A phase at some times of the record, which are `since` its own beginning (s)."""
    wanted = since if since[0] == 0.0 else np.concatenate([[0.0], since])
    if len(wanted) == 1:
        wanted = np.append(wanted, min(whole, phase.end - phase.begin))
    observation = phase.observation
    begin = float(observation.motion.time[0])
    motion = integrate_motion(observation.equations, begin + wanted, phase.integration)
    first = 0 if since[0] == 0.0 else 1
    at = motion.recorded[first : first + len(since)]
    return ShownMotion(Observation(observation.equations, motion, observation.origin), times, at)


def _length(phases: tuple[Phase, ...], duration: float | None) -> float:
    whole = phases[-1].end - phases[0].begin
    if duration is None:
        return whole
    if not 0 < duration <= whole * (1 + 1e-12):
        raise ModelError(f"duration must be > 0 and ≤ {whole:g} s, the motion's, got {duration!r}")
    return min(duration, whole)


def _refuse(plan: _Plan) -> None:
    """ModelError where sensors and chaser do not fit together."""
    markers, axes = plan.sensors.markers, 2 if plan.chaser.is_planar else 3
    for group in plan.groups:
        if group.kind == "marker" and group.part not in markers:
            raise ModelError(
                f"marker {group.part!r}: sensors.yaml does not say where it sits on the target "
                f"(marker.points).{closest(group.part, markers)}"
            )
        if group.kind == "marker" and len(markers[group.part]) != axes:
            raise ModelError(
                f"marker {group.part!r}: must have {axes} numbers, got {markers[group.part]}"
            )


def _sampled(
    group: _Group, plan: _Plan, shown: _ShownParts, seed: int, *, noise: bool
) -> dict[str, np.ndarray]:
    """Columns of a device over all times of the record, NaN where it has no sample."""
    sensor, chaser = plan.sensor(group), plan.chaser
    own = plan.times_of(group)
    places = np.searchsorted(shown.times, own - sensor.delay)
    random = _random(seed, group.key)
    sigma = sensor.noise if noise else 0.0
    lost = random.random(len(own)) < sensor.missing
    rows: list[np.ndarray] = []
    if group.kind == "base.orientation":
        turns = sigma * random.standard_normal((len(own), 3))
        turns += orientation_bias(plan.sensors)
        turned_by = turned(shown.attitude()[places].T, turns.T)
        rows = [turned_by[channel.index] for channel in group.channels]
    else:
        for channel in group.channels:
            # Of its own, so that it does not matter which other axes are measured.
            errors = _random(seed, channel.name).standard_normal(len(own))
            true = shown.values(channel, plan.sensors.markers)[places]
            rows.append(true + bias_of(channel, chaser, plan.sensors) + sigma * errors)
    columns: dict[str, np.ndarray] = {}
    at = np.searchsorted(plan.times, own)
    for channel, row in zip(group.channels, rows, strict=True):
        column = np.full(len(plan.times), np.nan)
        column[at] = np.where(lost, np.nan, row)
        columns[channel.name] = column
    return columns


def _random(seed: int, name: str) -> np.random.Generator:
    """Random numbers of their own for everything that has a name."""
    if not isinstance(seed, (int, np.integer)) or seed < 0:
        raise ModelError(f"seed must be a whole number ≥ 0, got {seed!r}")
    return np.random.default_rng([int(seed), zlib.crc32(name.encode())])
