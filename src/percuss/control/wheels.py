"""Reaction wheels of an attitude-controlled base: where the torque on it comes from."""

from __future__ import annotations

from typing import Any

from percuss.algebra.scalars import neg, pack, unpack
from percuss.algebra.vectors import Vector3
from percuss.control.plant import Plant
from percuss.model.joints import Free
from percuss.model.names import BaseMode
from percuss.model.systems import System


def wheel_rates(plant: Plant, u: Any) -> Any:
    """ḣ of the wheels' angular momentum h in world axes (N m), under the commands u.

    The command on the base's angular rates is the torque that the wheels exert on the base; the
    base exerts the opposite on the wheels: ḣ = -u. Together with the momentum of the tree, h is
    conserved. (A wheel's own rotor is part of the base's mass.) The base is that of the plant's
    `system`; a plant without one has no wheels.

    Returns:
        Shape (1,) in the plane (about its normal), (3,) in space, and (0,) unless the base is
        attitude-controlled.
    """
    system = getattr(plant, "system", None)
    if not isinstance(system, System) or system.mode != BaseMode.ATTITUDE_CONTROLLED:
        return pack([])
    base = system.node(system.base_joint.child)
    entries = unpack(u, plant.own_rates, "u", system.rate_names[: plant.own_rates])
    torques = entries[base.rates]
    if not isinstance(base.joint.motion, Free):
        return pack([neg(torques[-1])])
    # The rates are along the axes of the joint frame, which may be turned in the world.
    return pack(-(base.joint.placement.rotation @ Vector3(*torques[3:])))
