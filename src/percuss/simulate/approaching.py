"""The laws that drive the chaser before the contact."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from percuss import guidance
from percuss.algebra.vectors import Vector3
from percuss.control import ControlLaw, Goal, hold, no_control, saturated
from percuss.kinematics.frames import frame_pose, frame_velocity
from percuss.model.errors import ModelError
from percuss.scenario import Scenario, ScenarioError, effort_limits
from percuss.simulate.law_files import law_from_file
from percuss.simulate.stage import Stage
from percuss.simulate.steering import Gains, goal_of, known_law
from percuss.simulate.touching import shape_of

Made = TypeVar("Made")


@dataclass(frozen=True)
class Approaching:
    """Laws before the contact: `waiting` while the target is observed, then `coming`.

    Both have the clock of the run where `one_clock` says so; else the second one's clock begins
    when it sets out.
    """

    waiting: ControlLaw
    coming: ControlLaw
    one_clock: bool
    plan: guidance.Plan | None = None


@dataclass(frozen=True)
class Foreseen:
    """What the laws of an approach need and is known already: a meeting, a goal, gains."""

    meeting: guidance.Meeting | None = None
    goal: Goal | None = None
    tuned: Gains | None = None


def approaching(scenario: Scenario, stage: Stage, foreseen: Foreseen | None = None) -> Approaching:
    """The laws of the approach, with their limits; planned here where nothing is foreseen."""
    known = Foreseen() if foreseen is None else foreseen
    assert scenario.approach is not None
    control, meet = scenario.approach.control, scenario.approach.meet
    limits = effort_limits(control, stage.chaser, ("approach", "control"))
    if control.law == "none":
        law = no_control(stage.plant)
        return Approaching(law, law, one_clock=True)
    if control.law in ("match", "hold-tool"):
        law = saturated(_tool_law(scenario, stage, known.meeting), limits)
        return Approaching(law, law, one_clock=True)
    if control.law == "python":
        law = law_from_file(scenario, control, "approach.control", stage.plant)
        law = saturated(law, limits)
        return Approaching(law, law, one_clock=True)
    if meet is not None:
        plan = planned(scenario, stage) if known.goal is None else None
        goal = known.goal if plan is None else plan.goal
        assert goal is not None
        law = saturated(known_law(scenario, control, stage, goal, known.tuned), limits)
        return Approaching(law, law, one_clock=True, plan=plan)
    waiting = known_law(scenario, control, stage, _staying(stage), known.tuned)
    goal = goal_of(control, stage) if known.goal is None else known.goal
    coming = known_law(scenario, control, stage, goal, known.tuned)
    return Approaching(saturated(waiting, limits), saturated(coming, limits), one_clock=False)


def _staying(stage: Stage) -> Goal:
    return hold(stage.plant, stage.coordinates[: stage.chaser.coordinate_count])


def _tool_law(scenario: Scenario, stage: Stage, meeting: guidance.Meeting | None) -> ControlLaw:
    approach = scenario.approach
    assert approach is not None
    assert stage.grip is not None
    control = approach.control
    own_q = stage.coordinates[: stage.chaser.coordinate_count]
    place = frame_pose(stage.chaser, own_q, stage.tool).position
    damping = 1.0 if control.damping_ratio is None else control.damping_ratio
    tuned = (control.natural_frequency, damping)
    if control.law == "hold-tool":
        return guidance.hold_tool(stage.plant, stage.tool, place, *tuned, posture=own_q)
    if meeting is None:
        meeting = _meeting(scenario, stage, place)
    where = (stage.plant, stage.tool, stage.grip, meeting)
    return guidance.match_tool(*where, *tuned, posture=own_q, orbit=scenario.start.orbit)


def _meeting(scenario: Scenario, stage: Stage, place: Vector3) -> guidance.Meeting:
    """Of a tool at a place with the target's contact point."""
    approach = scenario.approach
    assert approach is not None
    assert stage.grip is not None
    meet, go = approach.meet, approach.observe or 0.0
    assert meet is not None
    moving = None
    if go == 0.0:
        own_q = stage.coordinates[: stage.chaser.coordinate_count]
        own_v = stage.rates[: stage.chaser.rate_count]
        moving = frame_velocity(stage.chaser, own_q, own_v, stage.tool).linear
    return _in_scenario(
        guidance.plan_meeting,
        *_target(stage),
        stage.grip,
        place,
        go=go,
        at=meet.at,
        closing_speed=meet.closing_speed,
        approach_direction=inward_of(scenario, stage),
        tool_velocity=moving,
        orbit=scenario.start.orbit,
    )


def planned(scenario: Scenario, stage: Stage) -> guidance.Plan:
    """The path of base and joints to the meeting."""
    approach = scenario.approach
    assert approach is not None
    assert approach.meet is not None
    assert stage.grip is not None
    meet = approach.meet
    chaser = stage.chaser
    return _in_scenario(
        guidance.meeting_plan,
        chaser,
        stage.coordinates[: chaser.coordinate_count],
        stage.tool,
        *_target(stage),
        stage.grip,
        at=meet.at,
        go=approach.observe or 0.0,
        closing_speed=meet.closing_speed,
        base=meet.base,
        approach_direction=inward_of(scenario, stage),
        orbit=scenario.start.orbit,
    )


def _in_scenario(make: Callable[..., Made], *arguments: Any, **options: Any) -> Made:
    """What a planner makes; what stands in its way is the scenario's."""
    try:
        return make(*arguments, **options)
    except ModelError as error:
        raise ScenarioError(f"approach.meet: {error}") from None


def _target(stage: Stage) -> tuple[Any, Any, Any]:
    """The target with its coordinates and rates at the start."""
    q, v = stage.chaser.coordinate_count, stage.chaser.rate_count
    assert stage.target is not None
    return stage.target, stage.coordinates[q:], stage.rates[v:]


def inward_of(scenario: Scenario, stage: Stage) -> Any:
    """Into the target's surface at the contact point, target's frame; None: to its centre."""
    approach = scenario.approach
    assert approach is not None
    assert stage.target is not None
    assert stage.grip is not None
    if approach.contact != "surface":
        return None
    surface = shape_of(stage.target)
    assert surface is not None
    return -surface.normal(stage.grip.placement.position)
