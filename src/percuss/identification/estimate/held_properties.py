"""What the numbers hang on: properties of the target that are taken as they are stated.

Whoever asks for the velocity alone takes mass, inertia and contact point for exact. Two things are
said of that. A score test (Rao's) asks the residuals whether another value of what is held would
fit better: they are projected onto what such a change would show beyond all that is asked for. And
the standard deviations are computed once more as if what is held were not known, so that it is
plain which of them are those of a target that is known exactly. Where the residuals doubt what is
held, that is done where it fits best, and the estimates there are told, too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from percuss.identification.data.sensors import Sensors
from percuss.identification.estimate.fit import Fit
from percuss.identification.estimate.held_biases import with_unknown_biases
from percuss.identification.estimate.held_closure import CLOSURE, closure_condition
from percuss.identification.estimate.held_elsewhere import elsewhere, secant_sigmas
from percuss.identification.estimate.held_freed import FreedProperties
from percuss.identification.estimate.information import Information, information
from percuss.identification.estimate.residuals import Weighting
from percuss.identification.forward.choice import Model
from percuss.identification.forward.unknowns import Unknowns

BIASES = "biases"
"""What a condition on the sensors is called, beside `PROPERTIES`."""
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
        property: of `PROPERTIES`, `BIASES` of the sensors, or the `CLOSURE`.
        sigmas: standard deviations if it were not known, within its plausible range, by the names
            of the estimates that would be wider, in their units; None of what would not be known.
        words: a sentence.
        values: estimates of these if it were not known, where the residuals doubt it.
    """

    property: str
    sigmas: Mapping[str, float | None]
    words: str
    values: Mapping[str, float] = field(default_factory=dict[str, float])


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
    names = [model.unknowns.names[k] for k in np.flatnonzero(given)]
    own = dict(zip(model.unknowns.names, found.sigmas, strict=True))
    stated = {name: own[name] for name in names}
    noise = {channel.kind: sensors[channel.kind].noise for channel in model.channels}
    options = found.information.options
    weighting = Weighting(model, noise, options)
    others = _bias_conditions(weighting, found, table=table, own=stated)
    otherwise = closure_condition(weighting, found, sensors, table=table, own=stated)
    if otherwise is not None:
        others = (*others, HeldCondition(CLOSURE, *otherwise))
    if not groups:
        return HeldProperties(conditions=others)
    freed = FreedProperties.of(weighting, groups, sensors, table=table)
    theta = freed.unknowns.standing_for(model.unknowns, found.theta)
    rest, rows = freed.residuals(theta)
    everything = information(freed.unknowns, theta, rows, priors=False, options=options)
    scores = _scores(freed.unknowns, groups, rest, rows)
    doubted = {s.properties for s in scores if s.p < options.residual_tests.doubt}
    conditions = []
    values = {name: x for name, x in zip(own, found.values, strict=True) if name in stated}
    for group in groups:
        at = everything.of(_columns(freed.unknowns, (*model.unknowns.groups, group)))
        best: dict[str, float] = {}
        is_doubted = (group,) in doubted
        if is_doubted or (group == "mass" and model.encounter.shape is not None):
            # Alone the mass of a shape takes the inertia with it.
            alone = FreedProperties.of(weighting, (group,), sensors, table=table)
            at, there = alone.known(found.theta, options.descent.steps if is_doubted else 0)
            if is_doubted:
                best = {name: float(there[at.names.index(name)]) for name in stated}
        moved = _columns(freed.unknowns, (group,))
        covered: dict[str, float] = {}
        if stated and not _well_known(at, [freed.unknowns.names[k] for k in np.flatnonzero(moved)]):
            held = _columns(freed.unknowns, groups)
            places = elsewhere(freed.weighting, table, theta, held=held, moved=moved)
            covered = secant_sigmas(freed.unknowns.names, values, places, options.valleys.tail)
        wider = _wider(at, stated, covered)
        if wider:
            freely = {k: x for k, x in best.items() if wider.get(k) is not None}
            words = _in_words(group, wider, own, freed.unknowns, values=freely)
            conditions.append(HeldCondition(group, wider, words, freely))
    return HeldProperties(groups, scores, _sigmas(everything, names), (*conditions, *others))


def _bias_conditions(
    weighting: Weighting, found: Fit, *, table: np.ndarray, own: dict[str, float]
) -> tuple[HeldCondition, ...]:
    """The condition that no sensor has a bias nobody knows of, where an estimate hangs on it.

    Biases beyond what a record may begin away from the scenario are refused.
    """
    unknowns, options = weighting.model.unknowns, weighting.options
    counted = weighting.counted(weighting.table(table))[..., 0]
    at = with_unknown_biases(unknowns, found, counted, options.outliers.gross)
    wider = _wider(at, own)
    if not wider:
        return ()
    words = (
        "the sensors are taken to have no biases but those that are stated: were they unknown, "
        f"there would be {_losses(wider, own, unknowns)}"
    )
    return (HeldCondition(BIASES, wider, words),)


def _well_known(at: Information, names: list[str]) -> bool:
    """Whether the record tells these quantities so well that a change which is no small one would
    show: slopes then tell all that hangs on them."""
    k = [at.names.index(name) for name in names]
    least = at.options.observability.aside / at.options.acceptance.apart
    return bool((at.known[k] & (at.sigmas[k] < least * at.ranges[k])).all())


def _wider(
    at: Information, own: Mapping[str, float], covered: Mapping[str, float] | None = None
) -> dict[str, float | None]:
    """Standard deviations of the estimates `own` that are wider there than stated, by name.

    They are no narrower than `covered` has them.
    """
    most, least = at.options.observability.conditional, covered or {}
    sigmas = {
        name: None if sigma is None else max(sigma, least.get(name, 0.0))
        for name, sigma in _sigmas(at, list(own)).items()
    }
    return {k: sigma for k, sigma in sigmas.items() if sigma is None or sigma > most * own[k]}


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
    own: Mapping[str, float],
    unknowns: Unknowns,
    *,
    values: Mapping[str, float],
) -> str:
    """What hangs on a property, in a sentence."""
    return (
        f"{_WORDS[group]} is taken to be exactly as stated: were it unknown, there would be "
        f"{_losses(wider, own, unknowns, values)} (to have that, add {group} to the unknowns)"
    )


def _losses(
    wider: Mapping[str, float | None],
    own: Mapping[str, float],
    unknowns: Unknowns,
    values: Mapping[str, float] | None = None,
) -> str:
    """Standard deviations beside those that are stated, with the estimates that would be other
    ones, and what would get no number."""
    units = dict(zip(unknowns.names, unknowns.units, strict=True))
    losses = [
        f"{name} {_beside(values, name, sigma)}± {sigma:.2g} {units[name]} "
        f"instead of ± {own[name]:.2g}"
        for name, sigma in wider.items()
        if sigma is not None
    ]
    lost = [name for name, sigma in wider.items() if sigma is None]
    if lost:
        losses.append(f"no number for {', '.join(lost)}")
    return "; ".join(losses)


def _beside(values: Mapping[str, float] | None, name: str, sigma: float) -> str:
    """An estimate to two digits of its standard deviation, where there is one."""
    if values is None or name not in values:
        return ""
    return f"{values[name]:.{max(0, 1 - math.floor(math.log10(sigma)))}f} "
