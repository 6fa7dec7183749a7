"""What the numbers hang on: properties of the target that are taken as they are stated.

Whoever asks for the velocity alone takes mass, inertia and contact point for exact. Two things are
said of that. A score test (Rao's) asks the residuals whether another value of what is held would
fit better: they are projected onto what such a change would show beyond all that is asked for. And
the standard deviations are computed once more as if what is held were not known, so that it is
plain which of them are those of a target that is known exactly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from percuss.identification.data.sensors import Sensors
from percuss.identification.estimate.fit import Fit
from percuss.identification.estimate.information import Information, information
from percuss.identification.estimate.residuals import Weighting
from percuss.identification.forward.choice import Model, model_for
from percuss.identification.forward.unknowns import Unknowns

PROPERTIES = ("velocity", "mass", "inertia", "contact")
"""Groups that say what the target does and is, and where it is held. Attitude and centre of mass
show only together with the contact point and the inertia, which stand for them, too."""
_WORDS = {
    "velocity": "the velocity",
    "mass": "the mass",
    "inertia": "the inertia about the centre of mass",
    "contact": "where the centre of mass is from the contact point",
}


@dataclass(frozen=True)
class ScoreTest:
    """The score test of held properties: of a right model `statistic` is χ² with `freedom`
    degrees of freedom, and `p` how often it is as large."""

    properties: tuple[str, ...]
    statistic: float
    freedom: int
    p: float


@dataclass(frozen=True)
class HeldCondition:
    """A condition of the standard deviations: that a property of the target is known exactly.

    Attributes:
        property: of `PROPERTIES`.
        sigmas: standard deviations if it were not known, within its plausible range, by the names
            of the estimates that would be wider, in their units; None of what would not be known.
        words: a sentence.
    """

    property: str
    sigmas: Mapping[str, float | None]
    words: str


@dataclass(frozen=True)
class HeldProperties:
    """What is held, whether the residuals speak against it, and what hangs on it.

    Attributes:
        properties: groups of `PROPERTIES` that nobody asked for.
        scores: of each of them, then of all of them together; none where nothing can be tested.
        sigmas: standard deviations of the estimates if none of them were known, by name; None of
            what would not be known.
        conditions: of each property on which an estimate hangs.
    """

    properties: tuple[str, ...] = ()
    scores: tuple[ScoreTest, ...] = ()
    sigmas: Mapping[str, float | None] | None = None
    conditions: tuple[HeldCondition, ...] = ()


def chance_of(statistic: float, freedom: int) -> float:
    """How often χ² with so many degrees of freedom is at least as large."""
    # Late: a command that identifies nothing does without SciPy.
    from scipy.special import gammaincc

    return float(gammaincc(0.5 * freedom, 0.5 * statistic))


def held_groups(unknowns: Unknowns) -> tuple[str, ...]:
    """Groups of `PROPERTIES` that nobody asks for; none where a number changes the target, which
    may be any of its properties."""
    if any(name.startswith("target.") for name in unknowns.numbers):
        return ()
    return tuple(group for group in PROPERTIES if group not in unknowns.groups)


def held_properties(
    model: Model, found: Fit, sensors: Sensors, *, table: np.ndarray, given: np.ndarray
) -> HeldProperties:
    """Test what is held, and say what hangs on it.

    Args:
        table: measured values (channels, times).
        given: which quantities get a number (n,).
    """
    groups = held_groups(model.unknowns)
    if not groups:
        return HeldProperties()
    more = _with_held(model, groups, sensors)
    theta = more.unknowns.standing_for(model.unknowns, found.theta)
    noise = {channel.kind: sensors[channel.kind].noise for channel in model.channels}
    options = found.information.options
    weighting = Weighting(more, noise, options)
    values, slopes = more.linearised(theta[:, None])
    rest, rows = weighting.whitened(weighting.table(table), values, slopes)
    rest, rows = rest[:, 0], rows[..., 0]
    rest, rows = _with_priors(more.unknowns, theta, rest, rows)
    names = [model.unknowns.names[k] for k in np.flatnonzero(given)]
    own = dict(zip(model.unknowns.names, found.sigmas, strict=True))
    everything = information(more.unknowns, theta, rows, priors=False, options=options)
    freed = _sigmas(everything, names)
    conditions = []
    for group in groups:
        at = everything.of(_columns(more.unknowns, (*model.unknowns.groups, group)))
        wider = {
            name: sigma
            for name, sigma in _sigmas(at, names).items()
            if sigma is None or sigma > options.observability.conditional * own[name]
        }
        if wider:
            conditions.append(
                HeldCondition(group, wider, _in_words(group, wider, own, more.unknowns))
            )
    return HeldProperties(
        groups, _scores(more.unknowns, groups, rest, rows), freed, tuple(conditions)
    )


def _with_held(model: Model, groups: tuple[str, ...], sensors: Sensors) -> Model:
    """The same measurements as functions of what is held, too."""
    unknowns = Unknowns(
        model.encounter, [*model.unknowns.groups, *groups], robot=sensors.robot or None
    )
    return model_for(
        model.encounter,
        unknowns,
        model.channels,
        model.times,
        delays=model.delays,
        markers={name: list(at) for name, at in model.markers.items()},
    )


def _with_priors(
    unknowns: Unknowns, theta: np.ndarray, rest: np.ndarray, rows: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """What is known beforehand as measurements of its own, beside the others."""
    known = np.flatnonzero(np.isfinite(unknowns.priors))
    sigma = unknowns.priors[known]
    own = np.eye(len(unknowns))[known] / sigma[:, None]
    return np.concatenate([rest, -theta[known] / sigma]), np.concatenate([rows, own])


def _columns(unknowns: Unknowns, groups: tuple[str, ...]) -> np.ndarray:
    """Which entries of θ belong to these groups (n,)."""
    found = np.zeros(len(unknowns), bool)
    for group in groups:
        found[unknowns.slices[group]] = True
    return found


def _sigmas(at: Information, names: list[str]) -> dict[str, float | None]:
    """Standard deviations by name; None of what is not known."""
    places = {name: at.names.index(name) for name in names}
    return {k: float(at.sigmas[j]) if at.known[j] else None for k, j in places.items()}


def _scores(
    unknowns: Unknowns, groups: tuple[str, ...], rest: np.ndarray, rows: np.ndarray
) -> tuple[ScoreTest, ...]:
    """ScoreTest tests of each group and of all together, where there are several.

    Everything is in units of the plausible ranges, so that directions along which a change as
    large as that shows less than a standard deviation are not tested.
    """
    scaled = rows * unknowns.scale
    held = _columns(unknowns, groups)
    axes, sizes, _ = np.linalg.svd(scaled[:, ~held], full_matrices=False)
    taken = axes[:, sizes > 1.0]
    rest = rest - taken @ (taken.T @ rest)
    found = []
    for some in (*((group,) for group in groups), *([groups] if len(groups) > 1 else [])):
        own = scaled[:, _columns(unknowns, some)]
        axes, sizes, _ = np.linalg.svd(own - taken @ (taken.T @ own), full_matrices=False)
        observable = axes[:, sizes > 1.0]
        if observable.shape[1]:
            statistic = float(np.sum((observable.T @ rest) ** 2))
            freedom = observable.shape[1]
            found.append(ScoreTest(some, statistic, freedom, chance_of(statistic, freedom)))
    return tuple(found)


def _in_words(
    group: str,
    wider: Mapping[str, float | None],
    own: Mapping[str, Any],
    unknowns: Unknowns,
) -> str:
    """What hangs on a property, in a sentence."""
    units = dict(zip(unknowns.names, unknowns.units, strict=True))
    losses = [
        f"{name} ± {sigma:.2g} {units[name]} instead of ± {own[name]:.2g}"
        for name, sigma in wider.items()
        if sigma is not None
    ]
    lost = [name for name, sigma in wider.items() if sigma is None]
    if lost:
        losses.append(f"no number for {', '.join(lost)}")
    return (
        f"{_WORDS[group]} is taken to be exactly as stated: were it unknown, there would be "
        f"{'; '.join(losses)} (to have that, add {group} to the unknowns)"
    )
