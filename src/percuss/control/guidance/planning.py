"""Plan the meeting of a tool with a grip in flight."""

from __future__ import annotations

from typing import Any

from percuss.algebra.arrays import Coordinates, Rates
from percuss.control.guidance.plan import STAY, Plan
from percuss.control.guidance.rendezvous import Rendezvous
from percuss.dynamics.orbit import CircularOrbit
from percuss.model.systems import Frame, System


def meeting_plan(
    chaser: System,
    q: Coordinates,
    tool: str | Frame,
    target: System,
    *,
    q_t: Coordinates,
    v_t: Rates,
    grip: str | Frame,
    at: float,
    closing_speed: float,
    base: str = STAY,
    go: float = 0.0,
    approach_direction: Any = None,
    tool_axis: Any = None,
    align: bool | None = None,
    posture: Any = None,
    seed: int = 0,
    orbit: CircularOrbit | None = None,
) -> Plan:
    """Where joints and base must be, and how they must move, to meet a grip in flight at `at`.

    The tool is to be at the grip with its forward axis along the approach direction, moving as
    the grip does and, relative to it, at the closing speed along that direction.

    Args:
        chaser: fixed or free-flying; what floats cannot be planned so, see `match_tool`.
        q: its coordinates until `go`, at rest.
        tool: a frame of the chaser.
        target: in free flight, with coordinates `q_t` and rates `v_t` at t = 0.
        grip: a frame of the target.
        at: when they meet (s), after `go`.
        closing_speed: m/s, ≥ 0.
        base: "stay", or "move" to where the arm meets the grip in its posture.
        approach_direction: in the frame of the grip's body, 3 or 2 numbers; default from the
            grip to the target's centre of mass.
        tool_axis: which way the tool points, in its own frame; default away from its last joint.
        align: whether the tool must point along the approach direction; default if the arm has
            joints enough for a whole pose, or the base moves.
        posture: coordinates of the chaser whose joints are preferred at the meeting; default q.
        seed: of the search for joint coordinates.
        orbit: in which the target flies, t = 0 being when world and local orbital axes coincide.

    Raises:
        ModelError: with the distance that is missing when the grip is out of reach then.
    """
    problem = Rendezvous.of(
        chaser,
        q,
        tool,
        target,
        q_t=q_t,
        v_t=v_t,
        grip=grip,
        closing_speed=closing_speed,
        base=base,
        approach_direction=approach_direction,
        tool_axis=tool_axis,
        align=align,
        posture=posture,
        seed=seed,
        orbit=orbit,
    )
    return problem.plan(go, at)
