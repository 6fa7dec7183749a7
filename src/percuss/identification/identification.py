"""What the target did before the impact, found from measurements after it, step by step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from percuss.identification.data.biases import unbiased
from percuss.identification.data.channels import Channel
from percuss.identification.data.measured_columns import Measured
from percuss.identification.data.sensors import Sensors
from percuss.identification.estimate.checks import Checks, check_residuals
from percuss.identification.estimate.first_instants import refuse_misfit
from percuss.identification.estimate.fit import Fit
from percuss.identification.estimate.following import followed
from percuss.identification.estimate.held_properties import ScoreTest, held_properties
from percuss.identification.estimate.information import against_time
from percuss.identification.estimate.jump import jump_map
from percuss.identification.estimate.outliers import robust_fit
from percuss.identification.estimate.plausibility import examined
from percuss.identification.estimate.residuals import Weighting
from percuss.identification.forward.choice import Model, model_for
from percuss.identification.forward.impact_motion import PLASTIC
from percuss.identification.forward.known import Described, KnownEncounter
from percuss.identification.forward.scene import Scene, scene_of
from percuss.identification.forward.unknowns import Unknowns
from percuss.identification.observability.combinations import after_impact
from percuss.identification.observability.remedies import remedies
from percuss.identification.observability.words import (
    Combination,
    in_words,
    known_combinations,
    place_of,
    unobservable,
    weak,
)
from percuss.identification.options import DEFAULT, SearchOptions
from percuss.identification.posterior.posterior import posterior as posterior_of
from percuss.identification.result import History, Identification, JumpAccount
from percuss.model.errors import ModelError, closest

ProgressReport = Callable[[float], None]
"""A function that takes the share of the work done, from 0 to 1."""


def identify(
    encounter: Described | KnownEncounter,
    measured: Measured,
    sensors: Sensors,
    unknown: Iterable[str] = ("velocity",),
    *,
    starts: int = 8,
    seed: int = 0,
    advice: bool = True,
    posterior: bool = False,
    samples: int = 2000,
    robust: bool = False,
    progress: ProgressReport | None = None,
    allow_code: bool = False,
    options: SearchOptions = DEFAULT,
) -> Identification:
    """What the target did before the impact, from what was measured after it.

    A record that cannot be one of this encounter is refused before anything is fitted: ModelError
    says what is odd about it, see `percuss.identification.estimate.plausibility.examined`.

    Args:
        encounter: what is known, or a scenario that describes it, from the contact on; its values
            of the unknowns are where the search begins.
        measured: as of `read_measured` or `synthesise`.
        sensors: noise of every kind that is measured, biases and delays that are known, where
            markers sit; and how well the robot's own state at the impact is known, if it is
            among the unknowns.
        unknown: groups of `percuss.identification.forward.unknowns.GROUPS`, and any numbers of the
            encounter by the names that `percuss.simulate(vary=…)` takes, `impact.friction`.
        starts: searches, from different places.
        seed: of these places.
        advice: False does not look for what would make weak quantities known.
        posterior: True draws `samples` from the full posterior, by NUTS.
        robust: True leaves out samples that are farther from their neighbours, or from the fit,
            than smooth motion and the noise allow; `Identification.left_out` names them.
        progress: takes the share of the work done, from 0 to 1.
        allow_code: whether a Python file that a scenario names (`law: python`) may run.
        options: the numbers by which it searches, judges, refuses, warns and words.
    """
    known = KnownEncounter.of(encounter)
    known = known.with_code_allowed() if allow_code else known
    known.refuse_code()
    report = progress or (lambda _: None)
    report(0.0)
    chaser = known.start.chaser
    unknowns = Unknowns(known, unknown, robot=sensors.robot or None)
    _refuse_guessing(unknowns)
    own = measured.of(chaser)
    _refuse_undescribed(own.channels(chaser), sensors)
    clean = examined(
        unbiased(own, sensors, chaser), sensors, unknowns, robust=robust, options=options
    )
    with _numbers_in_words():
        return _identified(
            model_of(clean, sensors, unknowns, options),
            clean,
            sensors,
            asked=_Asked(
                starts=starts,
                seed=seed,
                advice=advice,
                samples=samples if posterior else None,
                robust=robust,
                options=options,
            ),
            report=report,
        )


@dataclass(frozen=True)
class _Asked:
    """How an identification is to be made; `samples` of the posterior, None for none."""

    starts: int
    seed: int
    advice: bool
    samples: int | None
    robust: bool
    options: SearchOptions


def _identified(
    model: Model, clean: Measured, sensors: Sensors, *, asked: _Asked, report: ProgressReport
) -> Identification:
    """Fit what has been examined, and say what is known."""
    encounter, unknowns, seed = model.encounter, model.unknowns, asked.seed
    starts, options = asked.starts, asked.options
    noise = {channel.kind: sensors[channel.kind].noise for channel in model.channels}
    table = np.stack(list(clean.columns.values()))
    report(0.05)
    weighting = Weighting(model, noise, options)
    refuse_misfit(weighting, weighting.table(table), starts, seed)
    report(0.1)
    begun = model

    def fitted(values: np.ndarray) -> tuple[Model, Fit]:
        return followed(begun, values, noise, starts=starts, seed=seed, options=options)

    if asked.robust:
        clean, (model, found) = robust_fit(clean, noise, fitted, options)
        table = np.stack(list(clean.columns.values()))
    else:
        model, found = fitted(table)
    # A posterior takes as long as everything else.
    half = 0.5 if asked.samples else 1.0
    report(0.6 * half)
    scene = scene_of(unknowns, found.theta)
    ends, sigmas = against_time(unknowns, found.theta, found.slopes, model.times, options=options)
    at_rest = bool(found.settled[found.known].all())
    hidden = unobservable(found.information, scene)
    weakly = weak(found.information, found.sigmas)
    report(0.75 * half)
    ways = remedies(model, sensors, found) if asked.advice else ()
    report(half)
    drawn = None
    if asked.samples:
        drawn = posterior_of(
            model,
            table,
            noise,
            found,
            method="nuts",
            samples=asked.samples,
            seed=seed,
            progress=lambda share: report(0.5 + 0.5 * share),
        )
    distinct = _distinct(found)
    held = held_properties(
        model, found, sensors, table=table, given=found.known & distinct & found.settled
    )
    report(1.0)
    return Identification(
        encounter=encounter,
        measured=clean,
        sensors=sensors,
        model=model,
        fit=found,
        fitted=model(found.theta).reshape(table.shape),
        checks=_checked(found, model, table, held.scores),
        distinct=distinct,
        combinations=_combined(unknowns, found, scene) if at_rest else (),
        unobservable=hidden,
        weak=weakly,
        jump=jump_account(encounter, options),
        history=History(ends, sigmas),
        remedies=ways,
        notes=clean.notes,
        posterior=drawn,
        held=held,
        seed=seed,
    )


def model_of(
    measured: Measured,
    sensors: Sensors,
    unknowns: Unknowns,
    options: SearchOptions = DEFAULT,
) -> Model:
    """What the sensors show for any values of the unknowns, at the times of the measurements."""
    channels = measured.channels(unknowns.encounter.start.chaser)
    kinds = {channel.kind for channel in channels}
    delays = {kind: sensors[kind].delay for kind in kinds if sensors[kind].delay}
    return model_for(
        unknowns.encounter,
        unknowns,
        channels,
        measured.time,
        delays=delays,
        markers=dict(sensors.markers),
        options=options.integration,
    )


def _refuse_undescribed(channels: Iterable[Channel], sensors: Sensors) -> None:
    """ModelError where the sensors do not say how well, or of what, a column is measured."""
    for channel in channels:
        _ = sensors[channel.kind]
        if channel.kind == "marker" and channel.part not in sensors.markers:
            raise ModelError(
                f"{channel.name}: the sensors do not say where marker {channel.part!r} sits on the "
                f"target (marker.points).{closest(channel.part, sensors.markers)}"
            )


def jump_account(
    encounter: Described | KnownEncounter, options: SearchOptions = DEFAULT
) -> JumpAccount | None:
    """What the jump of the robot's velocity alone tells; None where it is not that of a grasp."""
    known = KnownEncounter.of(encounter)
    if known.closure.name not in PLASTIC:
        return None
    jump = jump_map(known)
    velocity = Unknowns(known, ["velocity"])
    scene = scene_of(velocity, velocity.start)
    said = in_words(
        jump.null_space,
        jump.names,
        jump.units,
        velocity.ranges,
        scene=scene,
        options=options.observability,
    )
    return JumpAccount(jump.rank, jump.names, said)


def _checked(found: Fit, model: Model, table: np.ndarray, scores: tuple[ScoreTest, ...]) -> Checks:
    """Tests of the residuals where something was measured."""
    there = np.stack([np.isfinite(table[list(c.channels)]).all(axis=0) for c in found.components])
    residuals = np.where(there, found.residuals, np.nan)
    names = [c.name for c in found.components for _ in model.times]
    times = np.tile(model.times, len(found.components))
    information = _of_theta(found, model)
    return check_residuals(
        residuals.ravel(),
        times,
        names,
        found.slopes,
        information=information,
        held=scores,
        options=found.information.options.residual_tests,
    )


def _of_theta(found: Fit, model: Model) -> np.ndarray:
    """Fisher information about θ at the estimate, priors included (n, n)."""
    return found.slopes.T @ found.slopes + np.diag(1.0 / model.unknowns.priors**2)


def _combined(unknowns: Unknowns, found: Fit, scene: Scene) -> tuple[Combination, ...]:
    """What is known although its parts are not; nothing where a number changes the target."""
    if any(name.startswith("target.") for name in unknowns.numbers):
        return ()
    places = [*found.alike.T, *(other.theta for other in found.others)]
    return known_combinations(
        found.information,
        scene,
        found.quantities,
        more=lambda: after_impact(unknowns, found.theta),
        elsewhere=[place_of(unknowns, theta) for theta in places],
    )


def _distinct(found: Fit) -> np.ndarray:
    """Which quantities are the same in all minima that fit equally well (n,).

    By the standard deviations that are told of them, where those of a bent valley are narrower.
    """
    same = np.ones(len(found.quantities), bool)
    known = found.information
    apart = known.options.acceptance.apart * np.fmin(known.observable_sigmas, found.sigmas)
    for other in found.others:
        same &= np.abs(other.quantities - found.values) <= apart
    return same


def _refuse_guessing(unknowns: Unknowns) -> None:
    if "velocity" not in unknowns.groups and not unknowns.encounter.has_velocity:
        raise ModelError(
            "target.velocity: it is neither given nor among the unknowns. Ask for it (--unknown "
            "velocity,…), or give it: velocity: {linear: [0, 0], angular: 0} for a target at rest"
        )


@contextmanager
def _numbers_in_words() -> Iterator[None]:
    """ModelError for what breaks down in the arithmetic of a search."""
    try:
        yield
    except (np.linalg.LinAlgError, ArithmeticError) as error:
        raise ModelError(
            f"the search broke down ({error}): no motion near these measurements can be computed. "
            "Look at their units, times and noise, and ask for fewer unknowns"
        ) from error
