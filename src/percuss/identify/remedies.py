"""What would make weak and hidden quantities known: a longer record, a marker, a manoeuvre."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from percuss.identify.excitation import propose
from percuss.identify.fit import Fit
from percuss.identify.information import Information, information
from percuss.identify.model import ForwardModel
from percuss.identify.residuals import Weighting
from percuss.identify.sensors import Sensors
from percuss.identify.words import WEAK
from percuss.model.errors import ModelError

LONGER = 2.0
"""How much longer a record is looked at."""
MARKER_NOISE = 1e-3
"""Of a marker on the target that is looked at (m)."""
_WORTH = 2.0
"""By how much a standard deviation must fall for a remedy to be worth a word."""


def remedies(model: ForwardModel, sensors: Sensors, found: Fit) -> tuple[str, ...]:
    """Sentences on what would help; empty where everything is known well.

    Each is computed: the information of the same motion, seen for longer or with a marker.
    """
    now = found.information
    poor = (now.sigmas > WEAK * now.ranges) | ~now.known
    poor &= ~now.nuisance
    if not poor.any():
        return ()
    noise = {channel.kind: sensors[channel.kind].noise for channel in model.channels}
    said: list[str] = []
    longer = _longer(model)
    end = LONGER * float(model.times[-1])
    tried = _manoeuvre(model, noise, found, poor)
    gains = [
        _gain(now, _information(longer, noise, found), poor),
        None if _has_markers(model) else _with_marker(model, sensors, noise, found, poor),
    ]
    words = (
        f"a record of {end:.3g} s instead of {float(model.times[-1]):.3g} s",
        f"a marker on the target, seen to {MARKER_NOISE * 1e3:g} mm",
    )
    for gain, what in zip(gains, words, strict=True):
        if gain:
            said.append(f"{what} would help: {gain}")
    if tried:
        said.append(tried)
    if not said:
        names = ", ".join(n for n, p in zip(now.names, poor, strict=True) if p)
        said.append(
            f"neither a longer record nor a marker on the target nor a swing of one joint would "
            f"tell more of {names}"
        )
    return tuple(said)


def _information(model: ForwardModel, noise: Mapping[str, float], found: Fit) -> Information:
    """Of the motion at the estimate, all samples there."""
    weighting = Weighting(model, noise)
    values, slopes = model.linearised(found.theta[:, None])
    table = values.reshape(len(model.channels), len(model.times), 1)
    _, rows = weighting.whitened(table, values, slopes)
    return information(model.unknowns, found.theta, rows[..., 0])


def _longer(model: ForwardModel) -> ForwardModel:
    times = model.times
    step = float(np.median(np.diff(times))) if len(times) > 1 else float(times[0])
    count = math.ceil((LONGER - 1.0) * float(times[-1]) / step)
    return _like(
        model, model.channels, np.append(times, times[-1] + step * np.arange(1, count + 1))
    )


def _like(
    model: ForwardModel, channels: Sequence[object], times: np.ndarray, **more: object
) -> ForwardModel:
    markers = {name: list(at) for name, at in model.markers.items()}
    given: dict[str, object] = {"delays": model.delays, "markers": markers, "step": model.step}
    return ForwardModel(model.scenario, model.unknowns, channels, times, **(given | more))  # type: ignore[arg-type]


def _has_markers(model: ForwardModel) -> bool:
    return any(channel.kind == "marker" for channel in model.channels)


def _with_marker(
    model: ForwardModel,
    sensors: Sensors,
    noise: Mapping[str, float],
    found: Fit,
    poor: np.ndarray,
) -> str:
    """What a marker across the centre of mass from the contact point would gain."""
    start = model.scenario.start
    assert start.grip is not None
    point = [-float(np.asarray(x)) for x in start.grip.placement.position]
    if math.hypot(*point) < 1e-3:
        point[0] = 0.1
    axes = "xy" if model.scenario.is_planar else "xyz"
    names = [channel.name for channel in model.channels]
    names += [f"marker.looked at.{axis}" for axis in axes]
    sigma = sensors["marker"].noise if "marker" in sensors else MARKER_NOISE
    seen = _like(model, names, model.times, markers={"looked at": point[: len(axes)]})
    return _gain(found.information, _information(seen, {**noise, "marker": sigma}, found), poor)


def _manoeuvre(
    model: ForwardModel, noise: Mapping[str, float], found: Fit, poor: np.ndarray
) -> str:
    """The swing of a joint that tells most, empty where none tells more."""
    if model.motion.law.period is not None or "time" in model.unknowns.groups:
        return ""
    try:
        best = propose(model, noise, found.theta)
    except ModelError as error:
        return f"no manoeuvre of the joints is proposed: {error}"
    names = np.array(model.unknowns.names)[poor]
    return best.words if any(best.factors.get(name, 0.0) > _WORTH for name in names) else ""


def _gain(before: Information, after: Information, poor: np.ndarray) -> str:
    """In words, what of the poor quantities becomes known or much better known."""
    parts: list[str] = []
    for k in np.flatnonzero(poor & after.known):
        unit = "" if before.units[k] == "1" else f" {before.units[k]}"
        sigma = f"± {after.sigmas[k]:.2g}{unit}"
        if not before.known[k]:
            parts.append(f"{before.names[k]} would be known to {sigma}")
        elif after.sigmas[k] * _WORTH < before.sigmas[k]:
            parts.append(f"{before.names[k]} to {sigma} instead of ± {before.sigmas[k]:.2g}{unit}")
    return ", ".join(parts)
