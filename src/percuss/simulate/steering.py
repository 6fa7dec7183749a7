"""From the `control` block of a scenario to the law that drives the chaser after the impact."""

from __future__ import annotations

import runpy
from typing import Any

import numpy as np

from percuss.control import (
    ControlLaw,
    Goal,
    computed_torque,
    feed_forward,
    gains,
    hold,
    no_control,
    pd,
    pd_gains,
    rest_to_rest,
    saturated,
    through,
    user_law,
)
from percuss.scenario import (
    Scenario,
    ScenarioError,
    believed,
    build,
    effort_limits,
    goal_points,
)
from percuss.simulate.stage import Stage, plant_like


def law_of(scenario: Scenario, stage: Stage) -> ControlLaw:
    """The control law of a scenario, with its torque limits."""
    control = scenario.control
    if control.law == "none":
        return no_control(stage.plant)
    law = _from_file(scenario) if control.law == "python" else _known(scenario, stage)
    return saturated(law, effort_limits(control, stage.chaser))


def _known(scenario: Scenario, stage: Stage) -> ControlLaw:
    control = scenario.control
    plant = stage.plant
    if control.believes:
        plant = plant_like(stage, build(believed(scenario)))
    goal = goal_of(scenario, stage)
    if control.law == "feed-forward":
        return feed_forward(plant, goal)
    damping = 1.0 if control.damping_ratio is None else control.damping_ratio
    if control.kp is not None:
        kp, kd = control.kp, 0.0 if control.kd is None else control.kd
    elif control.law == "pd":
        kp, kd = pd_gains(plant, stage.coordinates, control.natural_frequency, damping)
    else:
        kp, kd = gains(control.natural_frequency, damping, plant.own_rates)
    make = pd if control.law == "pd" else computed_torque
    return make(plant, goal, kp, kd)


def goal_of(scenario: Scenario, stage: Stage) -> Goal:
    """Where the law is to bring the chaser: the pose at the impact unless told otherwise."""
    points = goal_points(scenario.control, stage.chaser, stage.contact.chaser_coordinates)
    if len(points.times) == 1:
        return hold(stage.plant, points.knots[0])
    if len(points.times) == 2 and points.times[0] == 0:
        return rest_to_rest(stage.plant, points.knots[0], points.knots[1], float(points.times[1]))
    return through(stage.plant, points.times.tolist(), points.knots)


def _from_file(scenario: Scenario) -> ControlLaw:
    """A user's law from a Python file beside the scenario."""
    control = scenario.control
    path = scenario.folder / (control.file or "")
    name = control.function or "law"
    try:
        names = runpy.run_path(str(path))
    except OSError as error:
        raise ScenarioError(f"control.file: {path} cannot be read: {error.strerror}") from error
    except Exception as error:
        # Whatever the user's file raises is for the user to see.
        cause = f"{type(error).__name__}: {error}"
        raise ScenarioError(f"control.file: {path} fails with {cause}") from error
    if not callable(names.get(name)):
        found = ", ".join(key for key, value in names.items() if callable(value) and key[0] != "_")
        raise ScenarioError(
            f"control.function: {path} has no function {name!r}; it has: {found or 'none'}"
        )
    memory = None if control.memory is None else np.asarray(control.memory, float)
    function = names[name]

    def law(t: Any, q: Any, v: Any, memory: Any) -> tuple[Any, Any]:
        try:
            u, memory = function(t, q, v, memory)
        except Exception as error:
            cause = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
            raise ScenarioError(
                f"control.function: {name!r} in {path} fails with {cause}"
            ) from error
        return u, memory

    return user_law(law, memory, control.period)
