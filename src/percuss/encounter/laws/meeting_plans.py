"""Plans of a meeting with the target: for the tool, or for base and joints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from percuss.algebra.scalars import is_constant
from percuss.algebra.vectors import Vector3
from percuss.control import guidance
from percuss.control.guidance.rendezvous import Rendezvous
from percuss.encounter.approach import Approach, Meet, Way
from percuss.encounter.errors import EncounterError
from percuss.encounter.stage import Stage
from percuss.encounter.touching import shape_of
from percuss.kinematics.frames import frame_velocity
from percuss.model.errors import ModelError
from percuss.model.systems import Frame

Made = TypeVar("Made")


def tool_meeting(way: Way, place: Vector3) -> guidance.Meeting:
    """The meeting of a tool at a place (m, world) with the target's contact point."""
    stage, go = way.stage, way.approach.observe
    meet = asked_meeting(way.approach)
    moving = None
    if is_constant(go) and go == 0.0:
        own_q = stage.coordinates[: stage.chaser.coordinate_count]
        own_v = stage.rates[: stage.chaser.rate_count]
        moving = frame_velocity(stage.chaser, own_q, own_v, stage.tool).linear
    return _made(
        guidance.plan_meeting,
        *_target(stage),
        grip_of(stage),
        tool_position=place,
        go=go,
        at=meet.at,
        closing_speed=meet.closing_speed,
        approach_direction=inward_of(way.approach, stage),
        tool_velocity=moving,
        orbit=way.orbit,
    )


def planned(way: Way) -> guidance.Plan:
    """The path of base and joints to the meeting."""
    return _made(rendezvous(way).plan, way.approach.observe, asked_meeting(way.approach).at)


def rendezvous(way: Way, *, compiled: bool = False) -> Rendezvous:
    """Chaser and target whose meeting is planned, as they start; `compiled` pays for many."""
    stage, meet = way.stage, asked_meeting(way.approach)
    chaser = stage.chaser
    target, q_t, v_t = _target(stage)
    return _made(
        Rendezvous.of,
        chaser,
        stage.coordinates[: chaser.coordinate_count],
        stage.tool,
        target,
        q_t=q_t,
        v_t=v_t,
        grip=grip_of(stage),
        closing_speed=meet.closing_speed,
        base=meet.base,
        approach_direction=inward_of(way.approach, stage),
        compiled=compiled,
        orbit=way.orbit,
    )


def asked_meeting(approach: Approach) -> Meet:
    """The meeting that an approach asks for; EncounterError where it asks for none."""
    if approach.meet is None:
        message = f"is missing: law {approach.control.name} needs the time of meeting, {{at: 30 s}}"
        raise EncounterError(("approach", "meet"), message)
    return approach.meet


def inward_of(approach: Approach, stage: Stage) -> Any:
    """Into the target's surface at the contact point, target's frame; None: to its centre."""
    if not approach.by_surface:
        return None
    assert stage.target is not None
    surface = shape_of(stage.target)
    assert surface is not None
    return -surface.normal(grip_of(stage).placement.position)


def grip_of(stage: Stage) -> Frame:
    """The target's contact point; there is one wherever something is met."""
    assert stage.grip is not None
    return stage.grip


def _made(make: Callable[..., Made], *arguments: Any, **options: Any) -> Made:
    """What a planner makes; what stands in its way is the encounter's."""
    try:
        return make(*arguments, **options)
    except ModelError as error:
        raise EncounterError(("approach", "meet"), str(error)) from None


def _target(stage: Stage) -> tuple[Any, Any, Any]:
    """The target with its coordinates and rates at the start."""
    q, v = stage.chaser.coordinate_count, stage.chaser.rate_count
    assert stage.target is not None
    return stage.target, stage.coordinates[q:], stage.rates[v:]
