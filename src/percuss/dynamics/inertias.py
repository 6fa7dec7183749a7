"""What the bodies of a system weigh, for the algorithms that need to know."""

from __future__ import annotations

from percuss.algebra.inertias import SpatialInertia
from percuss.model.errors import ModelError
from percuss.model.systems import System


def body_inertias(system: System) -> tuple[SpatialInertia, ...]:
    """The inertia of each body in its own frame; entries follow `system.tree`.

    A system none of whose bodies has mass is refused.
    """
    refuse_massless(system)
    return tuple(node.body.spatial_inertia for node in system.tree)


def regrouped_inertias(system: System) -> tuple[SpatialInertia, ...]:
    """Inertias of other bodies with which the system moves as with its own; follows `system.tree`.

    What a joint does not feel of its child is carried by the parent, from the tips to the base:
    mass and moments that are zero then need no arithmetic. They are not those of bodies that could
    be built, and forces through the joints other than along their axes are not those of the system.
    """
    inertias = list(body_inertias(system))
    for node in reversed(system.tree):
        joint, i = node.joint, node.index
        parts = joint.motion.shared_out(joint.child_placement.act(inertias[i]))
        if parts is None:
            continue
        felt, carried = parts
        inertias[i] = joint.child_placement.act_inverse(felt)
        if node.parent is not None:
            inertias[node.parent] = inertias[node.parent] + joint.placement.act(carried)
    return tuple(inertias)


def refuse_massless(system: System) -> None:
    """Refuse dynamics of a system that was read for its kinematics only."""
    if system.is_massless:
        raise ModelError(
            f"system {system.name!r} has no mass anywhere, so it has kinematics only: give its "
            "bodies mass and inertia to ask for its dynamics"
        )
