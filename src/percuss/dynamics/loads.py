"""Loads on a system besides its own inertia: friction in the joints, wrenches from outside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from percuss.algebra.arrays import Rates
from percuss.algebra.motions import Force
from percuss.algebra.scalars import Scalar, dot, is_constant, mul, pack, plain, sqrt, terms, unpack
from percuss.kinematics.trees import TreePoses
from percuss.model.joints import Mimic, Scalars
from percuss.model.systems import Frame, Friction, System

Wrench = Force | Sequence[Scalar]
"""A `Force`, or six scalars: force (N), then moment (N m)."""

Wrenches = Mapping["str | Frame", Wrench] | Sequence[tuple["str | Frame", Wrench]]
"""Wrenches by frame, or pairs (frame, wrench): world axes, moment about the frame's origin.

Pairs allow frames that cannot be keys, such as a point whose position is being differentiated.
"""


def joint_friction(system: System, v: Rates) -> Any:
    """Generalized friction forces at rates v, opposing motion: shape (nv,), N m or N.

    -(viscous + coulomb / √(|v|² + smoothing²)) v for each joint, |v| over the joint's rates. A
    joint that follows another rubs at its own rate, multiplier · v, and hands multiplier times
    its friction to its leader.
    """
    return pack(friction_forces(system, unpack(v, system.rate_count, "v", system.rate_names)))


def friction_forces(system: System, v: Scalars) -> Scalars:
    """Generalized friction forces (N, N m) of the joints at rates v, on scalars.

    Joints with friction have Q = 1, so v is local too.
    """
    forces: list[Scalar] = [0.0] * system.rate_count
    for node in system.independent:
        rates = v[node.rates]
        factor = _friction_factor(node.joint.friction, rates)
        forces[node.rates] = tuple(-mul(factor, rate) for rate in rates)
    for joint in system.followers:
        assert isinstance(joint.motion, Mimic)
        k, multiplier = system.node(joint.child).rates.start, joint.motion.multiplier
        rate = mul(multiplier, v[k])
        factor = _friction_factor(joint.friction, (rate,))
        forces[k] = plain(forces[k] - multiplier * (terms(factor) * rate))
    return tuple(forces)


def _friction_factor(friction: Friction, rates: Scalars) -> Scalar:
    if is_constant(friction.coulomb) and friction.coulomb == 0:
        return friction.viscous
    s = terms(friction.smoothing)
    speed = sqrt(dot(rates, rates) + s * s)
    return plain(friction.viscous + friction.coulomb / speed)


def body_wrenches(poses: TreePoses, wrenches: Wrenches | None) -> tuple[Force, ...]:
    """The wrenches summed up on each body, in its own frame; entries follow `system.tree`."""
    system = poses.system
    totals = [Force.zero() for _ in system.tree]
    if not wrenches:
        return tuple(totals)
    world = poses.world_poses()
    pairs = wrenches.items() if isinstance(wrenches, Mapping) else wrenches
    for named, given in pairs:
        frame = system.frame(named)
        wrench = given if isinstance(given, Force) else Force.of(given, f"wrench at {frame.name}")
        index = system.node(frame.body).index
        back = (world[index].rotation @ frame.placement.rotation).inverse()
        in_frame = Force(back @ wrench.linear, back @ wrench.angular)
        totals[index] = totals[index] + frame.placement.act(in_frame)
    return tuple(totals)
