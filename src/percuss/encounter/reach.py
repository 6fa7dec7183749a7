"""Whether the target of an approach is where the tool can get: by distances alone, beforehand."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from percuss.algebra.vectors import Vector3
from percuss.control.guidance.prediction import predicted_state
from percuss.control.guidance.rendezvous import refuse_floating
from percuss.dynamics.composite import center_of_mass, momentum, total_mass
from percuss.encounter.encounter import Encounter
from percuss.encounter.start import Start
from percuss.kinematics.frames import frame_pose
from percuss.kinematics.inverse.chain import Span, ToolChain, chain_to, distance
from percuss.kinematics.tasks import Task
from percuss.model.errors import ModelError
from percuss.model.joints import Free, Planar
from percuss.model.names import BaseMode

FAR = 100.0
"""Distance over the arm's span from which a target counts as far: ways of a hundred arms' lengths
are flown by orbital manoeuvres, which are not modelled, and usually are a slip of a unit."""
_PEAK = 1.875
"""Largest speed over mean speed of the polynomial of degree five from rest to rest."""


@dataclass(frozen=True)
class Reach:
    """How far the contact point is at a time, and how far the tool gets.

    `away` is the distance of the contact point from where the arm begins, or from the common
    centre of mass of a chaser that floats; `least` and `most` bound that of the tool (m).
    """

    away: float
    least: float
    most: float
    of: str
    """What the distances are counted from, in words."""

    @property
    def missing(self) -> float:
        """How much the tool lacks (m); 0 where distances alone do not forbid it."""
        slack = 1e-9 * max(1.0, self.away)
        if self.away > self.most + slack:
            return self.away - self.most
        return self.least - self.away if self.away < self.least - slack else 0.0


def unreachable(encounter: Encounter) -> str | None:
    """Why the meeting that an approach asks for cannot be, in a sentence; None where it may be.

    Counted are lengths of links and ranges of joints that slide, not angles: what passes here may
    still be out of reach, what does not is.
    """
    approach = encounter.approach
    if approach is None or approach.meet is None:
        return None
    if approach.control.preparation(approach) == "plan":
        try:
            refuse_floating(encounter.start.chaser)
        except ModelError as error:
            return str(error)
    if approach.meet.base == "move":
        return None
    start, at = encounter.start, approach.meet.at
    reach = reach_at(start, at)
    radius = approach.capture_radius or 0.0
    missing = 0.0 if reach is None else reach.missing - radius
    if reach is None or not missing > 0.0:
        return None
    bound = (
        f"the tool gets at most {metres(reach.most)} away from it"
        if reach.away > reach.most
        else f"the tool gets no nearer to it than {metres(reach.least)}"
    )
    return (
        f"the contact point is out of reach by {metres(missing)}: at {at:g} s it "
        f"will be {metres(reach.away)} from {reach.of}, and {bound}. "
        f"{far_away(encounter) or remedy(encounter)}"
    )


def far_away(encounter: Encounter) -> str | None:
    """A sentence that a target is so far away that an arm hardly matters; None if it is not."""
    approach, start = encounter.approach, encounter.start
    if approach is None or start.target is None or start.grip is None:
        return None
    chain = tool_chain(start)
    if chain is None:
        return None
    span = chain.span(start.chaser_coordinates).most
    tool = frame_pose(start.chaser, start.chaser_coordinates, start.tool).position
    grip = frame_pose(start.target, start.target_coordinates, start.grip).position
    apart = distance(chain.task, tool, grip)
    if not apart > FAR * span:
        return None
    said = (
        f"target.position: the contact point is {metres(apart)} from the tool at the start, "
        f"{apart / span:,.0f} times the {metres(span)} that the arm spans. Only the last metres "
        "of an approach are modelled: is the unit right (m)? Else begin nearer"
    )
    meet = approach.meet
    if meet is None or meet.base != "move":
        return said
    lasting = meet.at - approach.observe
    return (
        f"{said}, or meet later: to be there at {meet.at:g} s the base must fly at up to "
        f"{_PEAK * apart / lasting:.3g} m/s"
    )


def reach_at(start: Start, at: float) -> Reach | None:
    """The contact point at the time `at` (s) of its flight; None where nothing bounds the tool.

    A chaser that floats without a force from outside keeps its centre of mass in uniform motion,
    so that is what distances are counted from.
    """
    chain = tool_chain(start)
    if chain is None or start.target is None or start.grip is None:
        return None
    q = start.chaser_coordinates
    span = chain.span(q)
    state = start.target_coordinates, start.target_rates
    then, _ = predicted_state(start.target, *state, at, orbit=start.orbit)
    grip = frame_pose(start.target, then, start.grip).position
    if start.chaser.mode in (BaseMode.FIXED, BaseMode.FREE_FLYING):
        away = distance(chain.task, grip, span.origin)
        return Reach(away, span.least, span.most, f"{span.joint!r}, where the arm begins")
    falls = any(float(x) != 0.0 for x in start.chaser.gravity)  # type: ignore[arg-type]
    if falls or start.orbit is not None:
        return None
    most = span.most + _farthest(start, chain, span)
    away = distance(chain.task, grip, _drifted(start, at))
    return Reach(away, 0.0, most, "the chaser's centre of mass, about which its base floats")


def tool_chain(start: Start) -> ToolChain | None:
    """The joints that carry the tool; None where there are none."""
    chaser = start.chaser
    carrying = [node.joint.motion for node in chaser.ancestors(chaser.node(start.tool.body))]
    if not any(m.rate_count and not isinstance(m, (Free, Planar)) for m in carrying):
        return None
    task = Task.PLANAR_POSITION if chaser.is_planar else Task.POSITION
    return chain_to(chaser, start.tool, task)


def _farthest(start: Start, chain: ToolChain, span: Span) -> float:
    """How far any body's centre of mass can be from where its part of the arm begins (m).

    The common centre of mass is among those of the bodies, so that the tool is never farther
    from it than the arm's span and this.
    """
    chaser, q = start.chaser, start.chaser_coordinates
    outboard = {node.body.name for node in chain.nodes}
    found = [0.0]
    for body in chaser.bodies:
        pose = frame_pose(chaser, q, body.name)
        begin = pose.position if body.name in outboard else span.origin
        found.append(distance(chain.task, pose.act(body.com), begin))
    return max(found)


def _drifted(start: Start, at: float) -> Vector3:
    """The chaser's centre of mass after `at` (s) without a force from outside, world (m)."""
    chaser, q = start.chaser, start.chaser_coordinates
    carried = momentum(chaser, q, start.chaser_rates).linear
    mass = float(np.asarray(total_mass(chaser)))
    return center_of_mass(chaser, q) + carried * (at / mass)


def remedy(encounter: Encounter) -> str:
    """What brings a contact point within reach, in a sentence."""
    mode = encounter.start.chaser.mode
    nearer = (
        "Begin nearer (target.position, chaser.position), or meet at another time "
        "(approach.meet.at; percuss approach lists them)"
    )
    if mode == BaseMode.FIXED:
        return f"{nearer}."
    if mode == BaseMode.FREE_FLYING:
        return (
            f"{nearer}, or let the base fly there: approach.meet.base: move, with the law pd or "
            "computed-torque."
        )
    return (
        f"{nearer}, or give the base thrusters: chaser.mode: free-flying and "
        "approach.meet.base: move, with the law pd or computed-torque."
    )


def metres(length: float) -> str:
    """A length with a unit that fits.

    >>> metres(3596.86), metres(0.85), metres(0.0042)
    ('3.6 km', '0.85 m', '4.2 mm')
    """
    if math.isinf(length):
        return "any distance"
    if length >= 1000.0:
        return f"{length / 1000.0:.3g} km"
    return f"{length:.3g} m" if length >= 0.01 else f"{length * 1000.0:.3g} mm"
