"""Plans of a meeting with the target: for the tool, or for base and joints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from percuss.algebra.scalars import is_constant
from percuss.algebra.vectors import Vector3
from percuss.control import guidance
from percuss.control.guidance.meeting import Meeting
from percuss.control.guidance.plan import Plan
from percuss.control.guidance.rendezvous import Rendezvous
from percuss.encounter.approach import Approach, ApproachTask, Meet
from percuss.encounter.assembly import Assembly
from percuss.encounter.contact_geometry import shape_of
from percuss.encounter.errors import EncounterError
from percuss.kinematics.frames import frame_velocity
from percuss.model.errors import ModelError
from percuss.model.systems import Frame

Made = TypeVar("Made")


def tool_meeting(task: ApproachTask, place: Vector3) -> Meeting:
    """The meeting of a tool at a place (m, world) with the target's contact point."""
    assembly, go = task.assembly, task.approach.observe
    meet = asked_meeting(task.approach)
    moving = None
    if is_constant(go) and go == 0.0:
        own_q = assembly.coordinates[: assembly.chaser.coordinate_count]
        own_v = assembly.rates[: assembly.chaser.rate_count]
        moving = frame_velocity(assembly.chaser, own_q, own_v, assembly.tool).linear
    return _made(
        guidance.plan_meeting,
        *_target(assembly),
        grip_of(assembly),
        tool_position=place,
        go=go,
        at=meet.at,
        closing_speed=meet.closing_speed,
        approach_direction=inward_of(task.approach, assembly),
        tool_velocity=moving,
        orbit=task.orbit,
    )


def planned(task: ApproachTask) -> Plan:
    """The path of base and joints to the meeting."""
    return _made(rendezvous(task).plan, task.approach.observe, asked_meeting(task.approach).at)


def rendezvous(task: ApproachTask, *, compiled: bool = False) -> Rendezvous:
    """Chaser and target whose meeting is planned, as they start; `compiled` pays for many."""
    assembly, meet = task.assembly, asked_meeting(task.approach)
    chaser = assembly.chaser
    target, q_t, v_t = _target(assembly)
    return _made(
        Rendezvous.of,
        chaser,
        assembly.coordinates[: chaser.coordinate_count],
        assembly.tool,
        target,
        q_t=q_t,
        v_t=v_t,
        grip=grip_of(assembly),
        closing_speed=meet.closing_speed,
        base=meet.base,
        approach_direction=inward_of(task.approach, assembly),
        compiled=compiled,
        orbit=task.orbit,
    )


def asked_meeting(approach: Approach) -> Meet:
    """The meeting that an approach asks for; EncounterError where it asks for none."""
    if approach.meet is None:
        message = f"is missing: law {approach.control.name} needs the time of meeting, {{at: 30 s}}"
        raise EncounterError(("approach", "meet"), message)
    return approach.meet


def inward_of(approach: Approach, assembly: Assembly) -> Any:
    """The direction into the target's surface at the contact point, target's frame.

    None where the tool goes for the target's centre.
    """
    if not approach.by_surface:
        return None
    assert assembly.target is not None
    surface = shape_of(assembly.target)
    assert surface is not None
    return -surface.normal(grip_of(assembly).placement.position)


def grip_of(assembly: Assembly) -> Frame:
    """The target's contact point; there is one wherever something is met."""
    assert assembly.grip is not None
    return assembly.grip


def _made(make: Callable[..., Made], *arguments: Any, **options: Any) -> Made:
    """What a planner makes; what stands in its way is the encounter's."""
    try:
        return make(*arguments, **options)
    except ModelError as error:
        raise EncounterError(("approach", "meet"), str(error)) from None


def _target(assembly: Assembly) -> tuple[Any, Any, Any]:
    """The target with its coordinates and rates at the start."""
    q, v = assembly.chaser.coordinate_count, assembly.chaser.rate_count
    assert assembly.target is not None
    return assembly.target, assembly.coordinates[q:], assembly.rates[v:]
