"""One body on any joint in space: the exact reaction to an impulse anywhere, in any direction.

With 𝓘 the body's spatial inertia about the joint and S the motions that the joint leaves free,
an impulse F (force and moment about the joint) gives Δv = S x and the joint's reaction R:

    Sᵀ (𝓘 S x - F) = 0,    R = 𝓘 S x - F.

Nothing is assumed about principal axes or symmetry.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from percuss.algebra.inertias import SpatialInertia
from percuss.algebra.linear import solve_symmetric
from percuss.algebra.motions import Force, Motion
from percuss.algebra.poses import Pose
from percuss.algebra.scalars import Scalar, plain, terms
from percuss.algebra.vectors import Vector3
from percuss.model.bodies import Body
from percuss.model.checks import padded
from percuss.model.errors import ModelError
from percuss.model.joints import JointMotion

Freedoms = JointMotion | Sequence[Motion]
"""A joint (its frame parallel to the body's), or unit motions about its origin, body axes."""


@dataclass(frozen=True)
class JointedBody:
    """A body and the joint that holds it at a point.

    `origin` is the joint in the body's frame (m, default the frame's origin), `freedoms` a joint
    such as `Revolute(axis)` or `Spherical()`, or the unit motions that it leaves free. Vectors
    are in the axes of the body's frame throughout.
    """

    body: Body
    freedoms: Freedoms
    origin: Any = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "origin", padded(self.origin, "origin"))
        except (TypeError, ValueError) as error:
            raise ModelError(f"body {self.body.name!r} on a joint: {error}") from error
        if not isinstance(self.freedoms, JointMotion):
            motions = tuple(self.freedoms)
            if len(motions) > 6 or not all(isinstance(motion, Motion) for motion in motions):
                raise ModelError(
                    f"body {self.body.name!r} on a joint: freedoms must be a joint or at most six "
                    f"Motions, got {self.freedoms!r}"
                )
            object.__setattr__(self, "freedoms", motions)

    @property
    def motions(self) -> tuple[Motion, ...]:
        """S: unit motions about the joint's origin."""
        return tuple(
            self.freedoms.subspace if isinstance(self.freedoms, JointMotion) else self.freedoms
        )

    @property
    def inertia(self) -> SpatialInertia:
        """𝓘 about the joint's origin."""
        return self.body.spatial_inertia.moved_back_by(Pose(position=self.origin))

    @property
    def com(self) -> Vector3:
        """r: the centre of mass from the joint (m)."""
        return self.body.com - self.origin


@dataclass(frozen=True)
class BodyReaction:
    """What an impulse does to a body on a joint.

    `reaction` is the impulse of the joint on the body, force (N s) and moment about the joint
    (N m s); `velocity` the jump of the body's velocity, at the joint (m/s, rad/s); `impulse` what
    came in, about the joint.
    """

    reaction: Force
    velocity: Motion
    impulse: Force

    @property
    def ratio(self) -> Scalar:
        """Reaction force per impulse force."""
        return plain(terms(self.reaction.linear.norm()) / self.impulse.linear.norm())


def body_reaction(
    jointed: JointedBody, point: Any, impulse: Any, moment: Any = (0.0, 0.0, 0.0)
) -> BodyReaction:
    """The joint's reaction to an impulse (N s) at a point of the body (m), body axes.

    `point` is in the body's frame; `moment` (N m s) comes on top, about that point.
    """
    at = padded(point, "point") - jointed.origin
    force = padded(impulse, "impulse")
    incoming = Force(force, at.cross(force) + padded(moment, "moment"))
    return wrench_reaction(jointed, incoming)


def wrench_reaction(jointed: JointedBody, incoming: Force) -> BodyReaction:
    """The joint's reaction to an impulsive wrench about the joint, body axes."""
    inertia, motions = jointed.inertia, jointed.motions
    momenta = [inertia @ motion for motion in motions]
    matrix = [[motion.dot(momentum) for momentum in momenta] for motion in motions]
    rates = solve_symmetric(matrix, [motion.dot(incoming) for motion in motions])
    velocity, momentum = Motion.zero(), Force.zero()
    for motion, own, rate in zip(motions, momenta, rates, strict=True):
        velocity = velocity + motion * rate
        momentum = momentum + own * rate
    return BodyReaction(momentum - incoming, velocity, incoming)
