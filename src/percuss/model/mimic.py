"""Joints that follow another, as gears and linkages make them: q = multiplier q_leader + offset.

A follower has no coordinate of its own. In the tree it stands at the coordinate and the rate of
its leader, so that every algorithm that walks the tree moves it along; what an algorithm sums up
on the rates is Gᵀ x, with the matrix G of the coupling v_free = G v.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from percuss.algebra.motions import Motion
from percuss.algebra.poses import Pose
from percuss.algebra.scalars import Scalar, is_constant, plain, terms
from percuss.algebra.vectors import Vector3
from percuss.model.checks import as_scalar, is_finite, shown, violates
from percuss.model.errors import ModelError
from percuss.model.joint_motion import JointMotion, Scalars
from percuss.model.single_joints import Prismatic, Revolute


@dataclass(frozen=True, init=False)
class Mimic(JointMotion):
    """Turns or slides as another joint tells it: q = multiplier · q_leader + offset.

    `leader` names a revolute or prismatic joint of the same system; `multiplier` is in units of
    this joint's coordinate per unit of the leader's, `offset` (rad or m) in units of this one's.
    What the methods take and give are the coordinate and the rate of the *leader*, which are
    the only ones there are.
    """

    motion: Revolute | Prismatic
    leader: str
    multiplier: Scalar
    offset: Scalar
    coordinate_names = ()
    rate_names = ()
    rate_units = ()

    def __init__(
        self,
        motion: Revolute | Prismatic,
        leader: str,
        multiplier: Any = 1.0,
        offset: Any = 0.0,
    ) -> None:
        """`multiplier` and `offset` are scalars of any kind; numbers must be finite."""
        if not isinstance(motion, (Revolute, Prismatic)):
            raise ModelError(
                f"a joint that follows another is revolute or prismatic, got {motion!r}"
            )
        if not isinstance(leader, str) or not leader:
            raise ModelError(
                f"the leader of a follower must be the name of a joint, got {leader!r}"
            )
        object.__setattr__(self, "motion", motion)
        object.__setattr__(self, "leader", leader)
        for field, given in (("multiplier", multiplier), ("offset", offset)):
            value = as_scalar(given, f"mimic {field}")
            if violates(value, is_finite):
                raise ModelError(f"mimic {field} must be finite, got {shown(value)}")
            object.__setattr__(self, field, value)

    @property
    def axis(self) -> Vector3:
        """The unit axis of the motion, joint frame."""
        return self.motion.axis

    @property
    def uncoupled(self) -> JointMotion:
        return self.motion

    @property
    def subspace(self) -> tuple[Motion, ...]:
        """The motion of the child per unit of the leader's rate: multiplier · S."""
        (axis,) = self.motion.subspace
        return (axis * self.multiplier,)

    def coordinate(self, leader: Scalar) -> Scalar:
        """The coordinate (rad or m) of the joint that follows, at a coordinate of its leader."""
        return plain(terms(self.multiplier) * leader + self.offset)

    def leader_at(self, coordinate: Scalar) -> Scalar:
        """The leader's coordinate at which this joint has the given one (rad or m)."""
        if is_constant(self.multiplier) and self.multiplier == 0:
            raise ModelError(
                f"a follower with multiplier 0 stays at its offset {shown(self.offset)} and does "
                f"not tell where its leader {self.leader!r} is"
            )
        return plain((terms(coordinate) - self.offset) / self.multiplier)

    def pose(self, q: Scalars) -> Pose:
        return self.motion.pose((self.coordinate(q[0]),))

    def coordinates(self, pose: Pose) -> Scalars:
        return (self.leader_at(self.motion.coordinates(pose)[0]),)

    def neutral(self) -> Scalars:
        return (self.leader_at(0.0),)

    def reverse(self) -> Mimic:
        return Mimic(self.motion.reverse(), self.leader, self.multiplier, self.offset)

    def reverse_coordinates(self, q: Scalars) -> Scalars:
        return q
