"""How two bodies go on after they have met: the velocities just after an instantaneous impact.

A plastic closure projects the motions of the two systems, in the metric of kinetic energy, onto
the motions of the tree in which the target hangs from the tool. Momentum of chaser and target
together is kept, energy is lost, and no constraint has to be solved.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from percuss.algebra.arrays import Coordinates, Rates
from percuss.algebra.linear import minus
from percuss.algebra.motions import Force
from percuss.algebra.scalars import Scalar, pack
from percuss.algebra.vectors import Vector3
from percuss.dynamics.composite import momentum
from percuss.dynamics.forward import forward_dynamics
from percuss.impact.contact import Contact, about, weightless
from percuss.kinematics.attachments import join_configuration, split_velocity
from percuss.kinematics.trees import tree_poses, tree_velocities
from percuss.model.attach import Attachment
from percuss.model.systems import Frame, System


@dataclass(frozen=True)
class Jump:
    """Velocities just after an impact, and the impulse that made them.

    `impulse` (N s) and `moment` (N m s, about the contact point) act on the chaser, world axes.
    The opposite acts on the target. `passes_moment` says whether the closure can pass one on.
    `normal` and `effective_mass` (kg) belong to a bounce.
    `conserves` says whether momentum is kept by how the velocities are found.
    """

    conserves: ClassVar[bool] = True

    chaser_rates: Any
    target_rates: Any
    impulse: Vector3
    moment: Vector3
    normal: Vector3 | None = None
    effective_mass: Scalar | None = None
    passes_moment: bool = False


def pin(contact: Contact) -> Jump:
    """The contact points stay together; the target turns freely about them.

    A pin joint in the plane, a ball joint in space: the impulse is a force without a moment.
    """
    attachment = pinned(contact)
    jump = _plastic(contact, attachment)
    return Jump(jump.chaser_rates, jump.target_rates, jump.impulse, Vector3.zero())


def weld(contact: Contact) -> Jump:
    """A rigid grasp: from now on the target moves with the tool. A force and a moment."""
    return _plastic(contact, contact.attached("fixed"))


def pinned(contact: Contact) -> Attachment:
    """The tree after `pin`."""
    return contact.attached("pin" if contact.is_planar else "spherical")


def _plastic(contact: Contact, attachment: Attachment) -> Jump:
    """M v⁺ = Σ Jᵢᵀ hᵢ: the momenta hᵢ that the bodies had, put on the joined tree at rest."""
    q = join_configuration(attachment, contact.chaser_coordinates, contact.target_coordinates)
    joined = weightless(attachment.joined)
    momenta = [
        *_body_momenta(contact.chaser, contact.chaser_coordinates, contact.chaser_rates),
        *_body_momenta(contact.target, contact.target_coordinates, contact.target_rates),
    ]
    at_rest = (0.0,) * joined.rate_count
    after = forward_dynamics(joined, q, at_rest, None, wrenches=momenta)
    chaser_rates, target_rates = split_velocity(attachment, q, after)

    change = pack(minus(list(target_rates), list(contact.target_rates)))
    on_target = about(contact.point, momentum(contact.target, contact.target_coordinates, change))
    impulse, moment = -on_target.linear, -on_target.angular
    return Jump(chaser_rates, target_rates, impulse, moment, passes_moment=True)


def _body_momenta(system: System, q: Coordinates, v: Rates) -> list[tuple[Frame, Force]]:
    """Momentum of each body about its own frame's origin, world axes."""
    poses = tree_poses(system, q)
    velocities = tree_velocities(poses, v).bodies
    pairs: list[tuple[Frame, Force]] = []
    for node, pose, velocity in zip(system.tree, poses.world_poses(), velocities, strict=True):
        own = node.body.spatial_inertia @ velocity
        turned = Force(pose.rotation @ own.linear, pose.rotation @ own.angular)
        pairs.append((Frame(node.body.name, node.body.name), turned))
    return pairs
