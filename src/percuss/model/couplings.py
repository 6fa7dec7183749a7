"""Joints that follow others, seen as a whole: leaders, ranges, and the tree without couplings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from percuss.algebra.scalars import is_constant, mul, plain, terms
from percuss.model.checks import shown
from percuss.model.errors import ModelError, choices, closest
from percuss.model.joints import JointMotion, Mimic, Prismatic, Revolute

if TYPE_CHECKING:
    from percuss.model.systems import Joint, Limits, System

_ROUNDING = 1e-12
"""By which a follower's range may be narrower than its leader's (rad or m) through rounding of
(limit - offset) / multiplier alone; the leader's own limit then stands."""


def led_directly(joints: Sequence[Joint]) -> tuple[Joint, ...]:
    """The joints with every follower led by a joint that has a coordinate of its own.

    A follower of a follower, q = m₂ (m₁ q₀ + o₁) + o₂, becomes one of the first leader. Leaders
    that do not exist, that follow in a circle or that have not one coordinate are refused.
    """
    if not any(isinstance(joint.motion, Mimic) for joint in joints):
        return tuple(joints)
    known = {joint.name: joint for joint in joints}
    return tuple(
        replace(joint, motion=_led(joint, joint.motion, known))
        if isinstance(joint.motion, Mimic)
        else joint
        for joint in joints
    )


def _led(joint: Joint, mimic: Mimic, known: dict[str, Joint]) -> Mimic:
    path = [joint.name]
    while True:
        leader = known.get(mimic.leader)
        if leader is None:
            raise ModelError(
                f"joint {joint.name!r} follows {mimic.leader!r}, which does not exist."
                f"{closest(mimic.leader, list(known))} There are: "
                f"{choices(mimic.leader, [name for name in known if name != joint.name])}"
            )
        if leader.name in path:
            circle = " → ".join(repr(name) for name in (*path, leader.name))
            raise ModelError(
                f"joints follow each other in a circle: {circle}; one of them must lead"
            )
        if not isinstance(leader.motion, Mimic):
            break
        path.append(leader.name)
        ahead = leader.motion
        mimic = Mimic(
            mimic.motion,
            ahead.leader,
            mul(mimic.multiplier, ahead.multiplier),
            plain(terms(mimic.multiplier) * ahead.offset + mimic.offset),
        )
    if not isinstance(leader.motion, (Revolute, Prismatic)):
        raise ModelError(
            f"joint {joint.name!r} follows {leader.name!r}, which is {leader.motion.kind}: a "
            "leader is revolute or prismatic, with one coordinate"
        )
    return mimic


def followed_by(joint: Joint, joints: Iterable[Joint]) -> tuple[Joint, ...]:
    """The followers of a joint, in order."""
    return tuple(
        other
        for other in joints
        if isinstance(other.motion, Mimic) and other.motion.leader == joint.name
    )


def led_by(motion: JointMotion, rename: Callable[[str], str]) -> JointMotion:
    """A joint motion with its leader renamed, if it has one."""
    return replace(motion, leader=rename(motion.leader)) if isinstance(motion, Mimic) else motion


def narrowed_limits(limits: Limits, followers: Iterable[Joint]) -> Limits:
    """A leader's limits of position and speed, narrowed by those of its followers.

    A follower's limits are on its own coordinate; its effort counts for nothing, because no
    motor of its own drives it. Multipliers and limits that are not plain numbers cannot be
    compared and narrow nothing.
    """
    for follower in followers:
        mimic, own = follower.motion, follower.limits
        assert isinstance(mimic, Mimic)
        m, o = mimic.multiplier, mimic.offset
        numbers: tuple[Any, ...] = (m, o, own.lower, own.upper, limits.lower, limits.upper)
        if not all(is_constant(x) for x in numbers) or m == 0:
            continue
        low, high = sorted(((own.lower - o) / m + 0.0, (own.upper - o) / m + 0.0))
        speeds: tuple[Any, ...] = (limits.speed, own.speed)
        speed = limits.speed
        if all(is_constant(x) for x in speeds):
            speed = min(limits.speed, own.speed / abs(m))  # type: ignore[arg-type]
        limits = replace(
            limits,
            lower=low if low > limits.lower + _ROUNDING else limits.lower,
            upper=high if high < limits.upper - _ROUNDING else limits.upper,
            speed=speed,
        )
    return limits


def check_ranges(system: System) -> None:
    """Refuse a leader whose range and those of its followers have nothing in common."""
    for joint in system.joints:
        followers = followed_by(joint, system.joints)
        limits = joint.limits
        for follower in followers:
            before, limits = limits, narrowed_limits(limits, [follower])
            lower, upper = limits.lower, limits.upper
            if is_constant(lower) and is_constant(upper) and lower > upper:
                raise ModelError(
                    f"joint {follower.name!r} {followed(follower.motion)}, but no position of "
                    f"{joint.name!r} within {shown(before.lower)} … {shown(before.upper)} keeps it "
                    f"within its own limits {shown(follower.limits.lower)} … "
                    f"{shown(follower.limits.upper)}"
                )


def followed(motion: Any) -> str:
    """What a follower does, for tables and messages: "follows finger * -1 + 0.02"."""
    assert isinstance(motion, Mimic)
    m, o = motion.multiplier, motion.offset
    factor = "" if is_constant(m) and m == 1 else f" * {shown(m)}"
    more = "" if is_constant(o) and o == 0 else f" + {shown(o)}".replace("+ -", "- ")
    return f"follows {motion.leader}{factor}{more}"


def uncoupled(system: System) -> System:
    """The tree without its couplings: each follower has a coordinate of its own.

    Coordinates and rates follow the order of `joints`, as always.
    """
    return replace(
        system,
        joints=tuple(replace(joint, motion=joint.motion.uncoupled) for joint in system.joints),
    )
