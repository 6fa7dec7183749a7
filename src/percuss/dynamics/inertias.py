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


def refuse_massless(system: System) -> None:
    """Refuse dynamics of a system that was read for its kinematics only."""
    if system.is_massless:
        raise ModelError(
            f"system {system.name!r} has no mass anywhere, so it has kinematics only: give its "
            "bodies mass and inertia to ask for its dynamics"
        )
