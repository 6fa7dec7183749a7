"""From measurements to what the target did before the impact, step by step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np

from percuss.identify.biases import unbiased
from percuss.identify.checks import Checks, check_residuals
from percuss.identify.descent import Objective
from percuss.identify.fit import Fit, fit
from percuss.identify.information import against_time
from percuss.identify.jump import jump_map
from percuss.identify.measured import Measured
from percuss.identify.model import ForwardModel
from percuss.identify.posterior import Posterior, nuts
from percuss.identify.remedies import remedies
from percuss.identify.residuals import Weighting
from percuss.identify.result import History, Identification, JumpAccount
from percuss.identify.scene import scene_of
from percuss.identify.sensors import Sensors
from percuss.identify.unknowns import Unknowns
from percuss.identify.words import in_words, known_combinations, unobservable, weak
from percuss.model.errors import ModelError, closest
from percuss.scenario import Scenario

STEPS = 150
"""Of each search at most."""
REST = 0.1
"""A quantity is at rest when one more step would move it by a smaller share of its σ."""

Told = Callable[[float], None]
"""Is told the share of the work done."""


def identify(
    scenario: Scenario,
    measured: Measured,
    sensors: Sensors,
    unknown: Iterable[str] = ("velocity",),
    *,
    starts: int = 8,
    seed: int = 0,
    advice: bool = True,
    posterior: bool = False,
    samples: int = 2000,
    progress: Told | None = None,
) -> Identification:
    """What the target did before the impact, from what was measured after it.

    Args:
        scenario: what is known; its values of the unknowns are where the search begins.
        measured: as of `read_measured` or `synthesise`.
        sensors: noise of every kind that is measured, biases and delays that are known, where
            markers sit; and how well the robot's own state at the impact is known, if it is
            among the unknowns.
        unknown: groups of `percuss.identify.unknowns.GROUPS`.
        starts: searches, from different places.
        seed: of these places.
        advice: False does not look for what would make weak quantities known.
        posterior: True draws `samples` from the full posterior, by NUTS.
        progress: is told the share of the work done.
    """
    told = progress or (lambda _: None)
    told(0.0)
    chaser = scenario.start.chaser
    unknowns = Unknowns(scenario, unknown, robot=sensors.robot or None)
    clean = unbiased(measured.of(chaser), sensors, chaser)
    model = model_of(scenario, clean, sensors, unknowns)
    table = np.stack(list(clean.columns.values()))
    noise = {channel.kind: sensors[channel.kind].noise for channel in model.channels}
    _refuse_empty(clean)
    told(0.1)
    found = fit(model, table, noise, starts=starts, seed=seed, most=STEPS)
    told(0.6)
    scene = scene_of(unknowns, found.theta)
    ends, sigmas = against_time(unknowns, found.theta, found.slopes, model.times)
    settled = _settled(found, unknowns)
    at_rest = bool(settled[found.information.known].all())
    hidden = unobservable(found.information, scene)
    weakly = weak(found.information)
    told(0.75)
    ways = remedies(model, sensors, found) if advice else ()
    told(0.9)
    drawn = _drawn(model, table, noise, found, samples, seed) if posterior else None
    told(1.0)
    return Identification(
        scenario,
        clean,
        sensors,
        model,
        found,
        model(found.theta).reshape(table.shape),
        _checked(found, model, table),
        _distinct(found),
        settled,
        known_combinations(found.information, scene, found.quantities) if at_rest else (),
        hidden,
        weakly,
        jump_account(scenario),
        History(ends, sigmas),
        ways,
        clean.notes,
        drawn,
        seed,
    )


def model_of(
    scenario: Scenario, measured: Measured, sensors: Sensors, unknowns: Unknowns
) -> ForwardModel:
    """What the sensors show for any values of the unknowns, at the times of the measurements."""
    channels = measured.channels(scenario.start.chaser)
    kinds = {channel.kind for channel in channels}
    for channel in channels:
        _ = sensors[channel.kind]
        if channel.kind == "marker" and channel.part not in sensors.markers:
            raise ModelError(
                f"{channel.name}: the sensors do not say where marker {channel.part!r} sits on the "
                f"target (marker.points).{closest(channel.part, sensors.markers)}"
            )
    delays = {kind: sensors[kind].delay for kind in kinds if sensors[kind].delay}
    return ForwardModel(
        scenario, unknowns, channels, measured.time, delays=delays, markers=dict(sensors.markers)
    )


def jump_account(scenario: Scenario) -> JumpAccount | None:
    """What the jump of the robot's velocity alone tells; None for a bounce, which is not linear."""
    if scenario.impact.closure == "bounce":
        return None
    jump = jump_map(scenario)
    velocity = Unknowns(scenario, ["velocity"])
    scene = scene_of(velocity, velocity.start)
    said = in_words(jump.null_space, jump.names, jump.units, velocity.ranges, scene)
    return JumpAccount(jump.rank, jump.names, said)


def _checked(found: Fit, model: ForwardModel, table: np.ndarray) -> Checks:
    """Tests of the residuals where something was measured."""
    there = np.stack([np.isfinite(table[list(c.channels)]).all(axis=0) for c in found.components])
    residuals = np.where(there, found.residuals, np.nan)
    names = [c.name for c in found.components for _ in model.times]
    times = np.tile(model.times, len(found.components))
    information = _of_theta(found, model)
    return check_residuals(residuals.ravel(), times, names, found.slopes, information)


def _of_theta(found: Fit, model: ForwardModel) -> np.ndarray:
    """Fisher information about θ at the estimate, priors included (n, n)."""
    return found.slopes.T @ found.slopes + np.diag(1.0 / model.unknowns.priors**2)


def _drawn(
    model: ForwardModel,
    table: np.ndarray,
    noise: Mapping[str, float],
    found: Fit,
    samples: int,
    seed: int,
) -> Posterior:
    """Samples of the full posterior."""
    weighting = Weighting(model, noise)
    cases = weighting.table(table)

    def local(theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        here = Objective(weighting, cases, np.zeros(theta.shape[1], int)).local(theta)
        # Its gradient points downhill and is per share of the ranges.
        return here.cost, -2.0 * here.gradient / model.unknowns.scale[:, None]

    information = _of_theta(found, model)
    return nuts(model.unknowns, local, found.theta, information, samples=samples, seed=seed)


def _distinct(found: Fit) -> np.ndarray:
    """Which quantities are the same in all minima that fit equally well (n,)."""
    same = np.ones(len(found.quantities), bool)
    for other in found.others:
        same &= np.abs(other.quantities - found.quantities) <= 5.0 * found.information.sigmas
    return same


def _settled(found: Fit, unknowns: Unknowns) -> np.ndarray:
    """Which quantities a further Gauss–Newton step would hardly move (n,).

    Along hidden directions a search creeps without end; what is known need not wait for it.
    """
    away = found.theta / unknowns.priors**2
    downhill = found.slopes.T @ found.residuals.ravel() - away
    by_quantity = np.linalg.solve(unknowns.slopes(found.theta).T, downhill)
    step = found.information.covariance @ by_quantity
    return np.abs(step) <= REST * found.information.sigmas


def _refuse_empty(measured: Measured) -> None:
    for name, values in measured.columns.items():
        if not np.isfinite(values).any():
            raise ModelError(f"{name}: every sample is missing; leave the column out")
