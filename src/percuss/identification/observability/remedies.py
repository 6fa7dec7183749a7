"""What would make weak and hidden quantities known: a longer record, a marker, a manoeuvre."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from percuss.identification.data.sensors import Sensors
from percuss.identification.estimate.fit import Fit
from percuss.identification.estimate.information import Information
from percuss.identification.estimate.residuals import Weighting
from percuss.identification.forward.choice import Model
from percuss.identification.forward.model import ForwardModel
from percuss.identification.observability.candidates import excitations
from percuss.identification.observability.excitation import Excitation
from percuss.identification.observability.manoeuvre import ExcitedModel
from percuss.identification.observability.promises import blind_to, places_of, promised
from percuss.identification.observability.proposal import propose
from percuss.kernel import KernelError
from percuss.model.errors import ModelError


class Remedies(tuple[str, ...]):
    """Sentences on what would help; `manoeuvre` is the swing of a joint that one is about."""

    manoeuvre: Excitation | None

    def __new__(cls, words: Iterable[str] = (), manoeuvre: Excitation | None = None) -> Remedies:
        made = super().__new__(cls, words)
        made.manoeuvre = manoeuvre
        return made

    def __getnewargs__(self) -> tuple[tuple[str, ...], Excitation | None]:
        return tuple(self), self.manoeuvre


def remedies(model: Model, sensors: Sensors, found: Fit) -> Remedies:
    """What would help; empty where everything is known well.

    Each is computed: the information of the same motion, seen for longer or with a marker, and
    of the motion with a joint swung. Samples that the record lacks are lacking there too. What is
    promised holds for all targets that fit as well, see `promised`.
    """
    now = found.information
    poor = (now.sigmas > now.options.observability.weak * now.ranges) | ~found.known
    poor &= ~now.nuisance
    if not poor.any():
        return Remedies()
    if found.rms > now.options.advice.misfit:
        return Remedies(
            [
                f"what would help is not looked for: the model does not fit (residuals "
                f"{found.rms:.3g} times the noise), so it cannot tell"
            ]
        )
    noise = {channel.kind: sensors[channel.kind].noise for channel in model.channels}
    there = samples_there(found)
    tries: dict[str, Callable[[], str | Excitation]] = {
        "a longer record": lambda: _with_longer(model, noise, found, there, poor=poor),
        "a marker on the target": lambda: _with_marker(
            model, sensors, noise, found, there=there, poor=poor
        ),
    }
    if isinstance(model, ForwardModel):
        quick = model
        tries["a swing of one joint"] = lambda: _manoeuvre(quick, noise, found, there, poor=poor)
    if _has_markers(model):
        del tries["a marker on the target"]
    said: list[str] = []
    no_help: list[str] = []
    failures: list[str] = []
    swing: Excitation | None = None
    for what, looked_at in tries.items():
        try:
            gain = looked_at()
        except (ModelError, KernelError, np.linalg.LinAlgError) as error:
            # Advice must not cost the answer; why there is none is said.
            failures.append(f"whether {what} would help could not be told: {error}")
            continue
        if isinstance(gain, Excitation):
            swing = gain
            said.append(swing.words)
        elif gain:
            said.append(gain)
        else:
            no_help.append(what)
    if not said and no_help:
        names = ", ".join(n for n, p in zip(now.names, poor, strict=True) if p)
        said.append(_no_help(no_help, names))
    return Remedies([*said, *failures], swing)


def _no_help(tried: Sequence[str], names: str) -> str:
    """Words that none of what was looked at would tell more of these quantities."""
    if len(tried) == 1:
        return f"{tried[0]} would not tell more of {names}"
    return f"neither {' nor '.join(tried)} would tell more of {names}"


def samples_there(found: Fit) -> np.ndarray:
    """Which samples the record has, (components, times).

    A sample that is missing has no residual and no slopes; one that is there has some.
    """
    slopes = found.slopes.reshape(*found.residuals.shape, -1)
    return (found.residuals != 0.0) | (slopes != 0.0).any(axis=-1)


def _information(
    model: Model, noise: Mapping[str, float], found: Fit, there: np.ndarray
) -> Information:
    """Information in the motion that fits, from the samples that are `there`."""
    places = places_of(found)
    values, slopes = model.linearised(places)
    weighting = Weighting(model, noise, found.information.options)
    return _promised(weighting, found, places, values, slopes=slopes, there=there)


def _promised(
    weighting: Weighting,
    found: Fit,
    places: np.ndarray,
    values: np.ndarray,
    *,
    slopes: np.ndarray,
    there: np.ndarray,
) -> Information:
    """What `promised` tells, from values (m, k) at places (n, k) and slopes (m, n, k)."""
    model = weighting.model
    # Whatever is measured will do: only differences between the places matter.
    first = values[:, :1].reshape(len(model.channels), len(model.times), 1)
    table = np.repeat(first, places.shape[1], axis=2)
    residuals, rows = weighting.whitened(table, values, slopes)
    weights = there.reshape(-1, 1)
    shown, slopes = residuals * weights, rows * weights[..., None]
    return promised(model.unknowns, found, places, shown, slopes=slopes)


def _with_longer(
    model: Model,
    noise: Mapping[str, float],
    found: Fit,
    there: np.ndarray,
    *,
    poor: np.ndarray,
) -> str:
    """What a record that goes on as it was, with the same rates and the same losses, would gain."""
    count = found.information.options.advice.longer
    times = goes_on(model.times, count)
    longer = model.like(model.channels, times)
    after = _information(longer, noise, found, np.tile(there, (1, count)))
    gain = _gain(found, after, poor)
    now, then = float(model.times[-1]), float(times[-1])
    return f"a record of {then:.3g} s instead of {now:.3g} s would help: {gain}" if gain else ""


def goes_on(times: np.ndarray, count: int) -> np.ndarray:
    """Rising times (s) of a record repeated `count` times over, one sample after another.

    A record that begins a sample after the impact goes on at once where it ended; one that begins
    at the impact goes on a sample later, so that no time comes twice.
    """
    first, last = float(times[0]), float(times[-1])
    spacing = last if len(times) < 2 else float(np.median(np.diff(times)))
    shift = max(last, last - first + spacing)
    if not shift > 0.0:
        raise ModelError(f"times: a record of one sample at {last:g} s has no length to go on for")
    return np.concatenate([times + k * shift for k in range(count)])


def _has_markers(model: Model) -> bool:
    return any(channel.kind == "marker" for channel in model.channels)


def _with_marker(
    model: Model,
    sensors: Sensors,
    noise: Mapping[str, float],
    found: Fit,
    *,
    there: np.ndarray,
    poor: np.ndarray,
) -> str:
    """What a marker across the centre of mass from the contact point would gain."""
    start = model.encounter.start
    assert start.grip is not None
    point = [-float(np.asarray(x)) for x in start.grip.placement.position]
    if math.hypot(*point) < 1e-3:
        point[0] = 0.1
    axes = "xy" if model.encounter.is_planar else "xyz"
    names = [channel.name for channel in model.channels]
    names += [f"marker.looked at.{axis}" for axis in axes]
    usual = found.information.options.advice.marker_noise
    sigma = sensors["marker"].noise if "marker" in sensors else usual
    marked = model.like(names, model.times, {"looked at": point[: len(axes)]})
    always = np.ones((len(axes), there.shape[1]), bool)
    kept = np.concatenate([there, always])
    after = _information(marked, {**noise, "marker": sigma}, found, kept)
    gain = _gain(found, after, poor)
    what = f"a marker on the target, seen to {sigma * 1e3:g} mm,"
    return f"{what} would help: {gain}" if gain else ""


def _manoeuvre(
    model: ForwardModel,
    noise: Mapping[str, float],
    found: Fit,
    there: np.ndarray,
    *,
    poor: np.ndarray,
) -> Excitation | str:
    """The swing of a joint that tells most; an empty text where none tells more."""
    options = found.information.options
    best = propose(model, noise, found.theta, there=there, options=options)
    after = _swung(model, noise, found, there, swing=best)
    best = replace(best, before=_information_now(found), after=after)
    names = np.array(model.unknowns.names)[poor]
    helps = any(best.factors.get(name, 0.0) > options.advice.worth for name in names)
    return best if helps else ""


def _swung(
    model: ForwardModel,
    noise: Mapping[str, float],
    found: Fit,
    there: np.ndarray,
    *,
    swing: Excitation,
) -> Information:
    """Information in the motion under a manoeuvre."""
    options = found.information.options
    excited = ExcitedModel(model, options.advice.resolved)
    joints = [joint.name for joint in model.encounter.start.chaser.movable_joints]
    option = (joints.index(swing.joint), swing.cycles, swing.amplitude)
    lane = excitations(excited, [option])[:, 1:]
    places = places_of(found)
    parts = [excited.excited(theta, lane) for theta in places.T]
    values = np.concatenate([part[0] for part in parts], axis=-1)
    slopes = np.concatenate([part[1] for part in parts], axis=-1)
    weighting = Weighting(model, noise, options)
    return _promised(weighting, found, places, values, slopes=slopes, there=there)


def _information_now(found: Fit) -> Information:
    """What this record tells; nothing of quantities that get no number."""
    lost = found.information.known & ~found.known
    return blind_to(found.information, lost)


def _gain(found: Fit, after: Information, poor: np.ndarray) -> str:
    """In words, what of the poor quantities becomes known or much better known."""
    before = found.information
    parts: list[str] = []
    for k in np.flatnonzero(poor & after.known):
        unit = "" if before.units[k] == "1" else f" {before.units[k]}"
        sigma = f"± {after.sigmas[k]:.2g}{unit}"
        if not found.known[k]:
            parts.append(f"{before.names[k]} would be known to {sigma}")
        elif after.sigmas[k] * before.options.advice.worth < before.sigmas[k]:
            parts.append(f"{before.names[k]} to {sigma} instead of ± {before.sigmas[k]:.2g}{unit}")
    return ", ".join(parts)
