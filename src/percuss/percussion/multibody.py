"""What every joint and the base of a robot feel of an impact on any of its links.

The instant of an impact is the dynamics at rest, without gravity, with impulses for forces and
velocity jumps for accelerations. No joint is fixed in space: the whole tree gives way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from percuss.algebra.arrays import Coordinates
from percuss.algebra.linear import minus, solve_symmetric
from percuss.algebra.motions import Force, Motion
from percuss.algebra.poses import Pose
from percuss.algebra.scalars import Scalar, add
from percuss.algebra.vectors import Vector3
from percuss.dynamics.hybrid import hybrid_dynamics
from percuss.dynamics.inverse import joint_reactions
from percuss.impact.contact import Contact, velocity_jump, weightless
from percuss.kinematics.frames import frame_pose, frame_velocity
from percuss.model.checks import padded
from percuss.model.errors import ModelError
from percuss.model.joints import Free, Planar
from percuss.model.systems import WORLD, Frame, System
from percuss.percussion.holding import Holding


@dataclass(frozen=True)
class JointLoad:
    """What passes through a joint: impulse on its outboard link, about the joint, link axes.

    `reaction` is all of it (N s, N m s). `effort` is its part along the joint's free motions, one
    entry each (N m s or N s): zero for a free joint, what the brake of a locked or the motor of a
    driven one has to give. `bearing` is the size of the force without that part (N s): for a
    revolute joint simply |force|.
    """

    reaction: Force
    effort: tuple[Scalar, ...]
    bearing: Scalar


@dataclass(frozen=True)
class ImpactReactions:
    """What an impact on a robot did.

    `rate_jump` (nv,) is the jump of all rates (m/s, rad/s); `joints` the load on each joint, by
    name, without those that carry nothing (a base floating on the world). `base_motion` is the
    jump of the base's velocity at its frame, world axes; `base_hold` the impulse that whatever
    holds the base puts on it, about its frame, world axes: zero for a free base. `impulse` is
    what came in, at the frame that was struck, world axes.
    """

    rate_jump: Any
    joints: Mapping[str, JointLoad]
    base_motion: Motion
    base_hold: Force
    impulse: Force


def impact_reactions(
    system: System, q: Coordinates, at: str | Frame, impulse: Any, *, holding: Holding | None = None
) -> ImpactReactions:
    """Reactions to an impulse at a frame of the system, in the configuration q.

    Args:
        q: coordinates, shape (nq,); scalars of any kind.
        at: the frame, body or point (`Frame.point(body, position)`) that is struck.
        impulse: force (N s) in world axes, two or three entries; or a `Force` with a moment
            about the frame's origin.
        holding: which joints are locked or driven, and what holds the base; default all free.
    """
    holding = holding or Holding()
    still, frame = weightless(system), system.frame(at)
    push = impulse if isinstance(impulse, Force) else _push(impulse)
    zeros = (0.0,) * system.rate_count
    mask = holding.mask(system)
    jump = hybrid_dynamics(
        still, q, zeros, None, a=zeros, prescribed=mask, wrenches=[(frame, push)]
    )
    loads = joint_reactions(still, q, zeros, jump, wrenches=[(frame, push)])
    base = frame_velocity(system, q, jump, system.base.name)
    return ImpactReactions(
        rate_jump=jump,
        joints={
            joint.name: _load(system, joint.name, loads[joint.name])
            for joint in system.joints
            if not _floats(system, joint.name)
        },
        base_motion=base,
        base_hold=_base_hold(still, q, loads, mask),
        impulse=push,
    )


def capture_reactions(
    contact: Contact, closure: str = "pin", holding: Holding | None = None
) -> ImpactReactions:
    """Reactions of the chaser as it captures a target: the impulse that closes the gap in motion.

    With W the velocity that the contact points gain per impulse, of chaser and target together,
    W P = v_target - v_tool. `closure` "pin" closes the points' velocities (a force), "weld" the
    angular velocities too (force and moment). With everything free that is `percuss.impact.pin`
    and `weld`; here joints may be locked or driven and the base held.
    """
    if closure not in ("pin", "weld"):
        raise ModelError(f"closure must be 'pin' or 'weld', got {closure!r}")
    chaser, target, q = contact.chaser, contact.target, contact.chaser_coordinates
    mask = (holding or Holding()).mask(chaser)
    rows = _rows(contact.is_planar, closure)
    zeros = (0.0,) * chaser.rate_count
    columns: list[list[Scalar]] = []
    for row in rows:
        unit = Force.of([1.0 if k == row else 0.0 for k in range(6)])
        pushed = [(contact.tool, unit)]
        ours = hybrid_dynamics(
            weightless(chaser), q, zeros, None, a=zeros, prescribed=mask, wrenches=pushed
        )
        theirs = velocity_jump(target, contact.target_coordinates, contact.grip, unit)
        tool = list(frame_velocity(chaser, q, ours, contact.tool))
        grip = list(frame_velocity(target, contact.target_coordinates, theirs, contact.grip))
        columns.append([add(tool[k], grip[k]) for k in rows])
    gap = list(minus(contact.grip_velocity, contact.tool_velocity))
    found = solve_symmetric(columns, [gap[k] for k in rows])
    entries: list[Scalar] = [0.0] * 6
    for row, value in zip(rows, found, strict=True):
        entries[row] = value
    return impact_reactions(chaser, q, contact.tool, Force.of(entries), holding=holding)


def _rows(is_planar: bool, closure: str) -> tuple[int, ...]:
    """Which of the six velocities close: all that the two systems can have."""
    linear = (0, 1) if is_planar else (0, 1, 2)
    if closure == "pin":
        return linear
    return (0, 1, 5) if is_planar else (0, 1, 2, 3, 4, 5)


def _push(impulse: Any) -> Force:
    try:
        return Force(padded(impulse, "impulse"), Vector3.zero())
    except (TypeError, ValueError) as error:
        raise ModelError(f"{error}; a moment comes with percuss.Force") from error


def _floats(system: System, name: str) -> bool:
    joint = system.joint(name)
    return joint.parent == WORLD and isinstance(joint.motion, (Free, Planar))


def _load(system: System, name: str, reaction: Force) -> JointLoad:
    joint = system.joint(name)
    back = joint.child_placement.rotation.inverse()
    # The joint's own motions at its origin, in the axes of the link.
    axes = [Motion(back @ s.linear, back @ s.angular) for s in joint.motion.uncoupled.subspace]
    effort = tuple(axis.dot(reaction) for axis in axes)
    force = reaction.linear
    for axis in axes:
        # A slide carries nothing along itself: that part is its drive's.
        force = force - axis.linear * axis.linear.dot(reaction.linear)
    return JointLoad(reaction, effort, force.norm())


def _base_hold(
    system: System, q: Coordinates, loads: Mapping[str, Force], mask: tuple[bool, ...]
) -> Force:
    """The load through the base joint, about the base frame's origin, world axes."""
    joint = system.base_joint
    origin = joint.child_placement.act_inverse(Vector3.zero())
    own = Pose(position=origin).act(loads[joint.name])
    turn = frame_pose(system, q, system.base.name).rotation
    hold = Force(turn @ own.linear, turn @ own.angular)
    if not isinstance(joint.motion, Free) and not (
        isinstance(joint.motion, Planar) and system.is_planar
    ):
        return hold
    # What nothing holds carries nothing: the recursion leaves rounding there.
    own_mask = mask[system.node(joint.child).rates]
    units = joint.motion.rate_units
    slides, turns = (
        any(h for h, u in zip(own_mask, units, strict=True) if u == unit)
        for unit in ("m/s", "rad/s")
    )
    return Force(
        hold.linear if slides else Vector3.zero(), hold.angular if turns else Vector3.zero()
    )
