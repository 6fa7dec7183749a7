"""From the control blocks of a scenario to the laws that drive the chaser."""

from __future__ import annotations

from typing import Any

from percuss.control import (
    ControlLaw,
    Goal,
    Plant,
    computed_torque,
    detumble,
    feed_forward,
    gains,
    hold,
    no_control,
    pd,
    pd_gains,
    rest_to_rest,
    saturated,
    through,
)
from percuss.control.ic2 import ic2
from percuss.control.ic2_sensing import force_delayed, rate_limited
from percuss.control.joint_friction_models import DryFriction, FrictionModel, LuGre
from percuss.model.errors import ModelError
from percuss.scenario import (
    Scenario,
    ScenarioError,
    believed,
    effort_limits,
    goal_points,
)
from percuss.scenario.compensation import FrictionBelief
from percuss.scenario.control import Control
from percuss.simulate.equations import WheelUse
from percuss.simulate.law_files import law_from_file
from percuss.simulate.stage import Stage, plant_like

Gains = tuple[Any, Any]
"""(kp, kd) on the chaser's rates."""


def law_of(
    scenario: Scenario, stage: Stage, goal: Goal | None = None, tuned: Gains | None = None
) -> ControlLaw:
    """The law after the impact, with its limits; `goal` stands for that of the scenario.

    `tuned` are gains that `tuned_gains` has found already.
    """
    control = scenario.control
    if control.law == "none":
        return no_control(stage.plant)
    if control.law == "python":
        law = law_from_file(scenario, control, "control", stage.plant)
    else:
        goal = goal_of(control, stage) if goal is None else goal
        law = known_law(scenario, control, stage, goal, tuned)
    law = saturated(law, effort_limits(control, stage.chaser))
    rate = control.compensation.torque_rate
    return law if rate is None else rate_limited(law, rate, stage.chaser.rate_count)


def tunes(control: Control) -> bool:
    """Whether a law takes its gains from a frequency and the inertia that it drives."""
    return control.law == "pd" and control.kp is None


def tuned_gains(scenario: Scenario, control: Control, stage: Stage) -> Gains:
    """(kp, kd) of a law that tunes, by the inertia where the stage begins."""
    plant = believed_plant(scenario, control, stage)
    damping = 1.0 if control.damping_ratio is None else control.damping_ratio
    return pd_gains(plant, stage.coordinates, control.natural_frequency, damping)


def known_law(
    scenario: Scenario,
    control: Control,
    stage: Stage,
    goal: Goal,
    tuned: Gains | None = None,
) -> ControlLaw:
    """A law of ours that follows a goal; `tuned` are gains that `tuned_gains` has found already."""
    plant = believed_plant(scenario, control, stage)
    if control.law == "feed-forward":
        return feed_forward(plant, goal)
    if control.law == "ic2":
        return _compensating(control, stage, plant, _normal(control, plant, goal))
    if control.law == "detumble":
        # Wheels that are full cannot answer a target that swings on a pin: there the base is only
        # braked, for what the exact law asks of the joints instead may drive the swing.
        full = control.limits is not None and control.limits.wheels is not None
        return detumble(plant, control.time_constant, passive=full and stage.closure == "pin")
    damping = 1.0 if control.damping_ratio is None else control.damping_ratio
    if control.kp is not None:
        kp, kd = control.kp, 0.0 if control.kd is None else control.kd
    elif tunes(control):
        kp, kd = tuned_gains(scenario, control, stage) if tuned is None else tuned
    else:
        kp, kd = gains(control.natural_frequency, damping, plant.own_rates)
    make = pd if control.law == "pd" else computed_torque
    return make(plant, goal, kp, kd)


def _normal(control: Control, plant: Plant, goal: Goal) -> ControlLaw:
    """What drives the chaser while IC² has nothing to do: computed torque, or nothing."""
    if control.kp is not None:
        return computed_torque(plant, goal, control.kp, control.kd)
    if control.natural_frequency is None:
        return no_control(plant)
    damping = 1.0 if control.damping_ratio is None else control.damping_ratio
    return computed_torque(plant, goal, *gains(control.natural_frequency, damping, plant.own_rates))


def _compensating(control: Control, stage: Stage, plant: Plant, normal: ControlLaw) -> ControlLaw:
    """IC² over a normal law, with what its sensor and its model of friction are like."""
    spec = control.compensation
    try:
        law = ic2(
            plant,
            stage.tool,
            normal,
            rule=spec.rule,
            base_torque=spec.base_torque == "follow",
            threshold=float(spec.threshold),
            friction=_believed_friction(spec.friction),
            offset=[float(x) for x in spec.offset or (0.0, 0.0, 0.0)],
            period=control.period,
        )
    except ModelError as error:
        raise ScenarioError(f"control.law: {error}") from None
    return law if spec.delay is None else force_delayed(law, float(spec.delay))


def _believed_friction(spec: FrictionBelief) -> str | FrictionModel:
    if spec.model == "dry":
        return DryFriction(float(spec.viscous), float(spec.coulomb), float(spec.smoothing))
    if spec.model == "lugre":
        assert spec.stiffness is not None, "the rules ask for it"
        return LuGre(
            float(spec.stiffness),
            float(spec.coulomb),
            float(spec.coulomb if spec.static is None else spec.static),
            float(spec.stribeck),
            float(spec.damping),
            float(spec.viscous),
        )
    return spec.model


def believed_plant(scenario: Scenario, control: Control, stage: Stage) -> Plant:
    """What the controller takes the bodies for."""
    if not control.believes:
        return stage.plant
    start = believed(scenario, control).start
    return plant_like(stage, start.chaser, start.target if stage.target is not None else None)


def goal_of(control: Control, stage: Stage) -> Goal:
    """Where the law is to bring the chaser: the pose it starts in unless told otherwise."""
    own = stage.coordinates[: stage.chaser.coordinate_count]
    points = goal_points(control, stage.chaser, own)
    if len(points.times) == 1:
        return hold(stage.plant, points.knots[0])
    if len(points.times) == 2 and points.times[0] == 0:
        return rest_to_rest(stage.plant, points.knots[0], points.knots[1], float(points.times[1]))
    return through(stage.plant, points.times.tolist(), points.knots)


def wheel_use(control: Control) -> WheelUse:
    """What the wheels can hold, and how they are unloaded."""
    capacity = None if control.limits is None else control.limits.wheels
    if control.dump is None:
        return WheelUse(capacity)
    return WheelUse(capacity, control.dump.torque, control.dump.after)
