"""Bringing the chaser to rest with a target in its hand: rates decay, no pose is sought."""

from __future__ import annotations

from typing import Any

from percuss.algebra.arrays import Coordinates, Rates
from percuss.algebra.scalars import Scalar, div, mul, pack, unpack
from percuss.control.gains import spread
from percuss.control.laws import ControlLaw
from percuss.control.plant import Plant, TreePlant
from percuss.dynamics.composite import total_inertia
from percuss.dynamics.hybrid import hybrid_forces
from percuss.model.errors import ModelError
from percuss.model.joints import Free, Planar, Scalars


def detumble(plant: Plant, time_constant: Any, *, passive: bool = False) -> ControlLaw:
    """u with which every actuated rate of the believed plant decays: v̇ = -v / T.

    Computed torque without a place to go: where the plant is right, v(t) = v(0) exp(-t / T) on
    each actuated rate. What that means depends on what drives the base:

    - free-floating: the joints come to rest, the whole turns and drifts on (`rest_motion`);
    - attitude-controlled: the base stops turning too, and the wheels keep what turned it;
    - free-flying: everything of the chaser stops, the momentum goes out through the thrusters.

    Rates that nothing drives (the swing of a pinned target) move as they must. To hold the base
    still against a swing takes torques that also push; where wheels are full and only half of
    them act, they can pump the swing up. A `passive` law only brakes the base, with

        torque = -(K / T) ω,   force = -(m / T) v   on what is driven,

    m the mass of the whole, K half the trace of its inertia about its centre of mass (in the
    plane that inertia itself), which is no less than any moment. The joints still decay as said.
    Once they rest, no energy is put in whatever the limits leave of that, and a swing dies out.

    Args:
        plant: what the controller believes; the chaser's rates come first.
        time_constant: T > 0, s; one number or one for each of the chaser's rates.
        passive: only brake the base; the plant must be a tree.
    """
    constants = spread(time_constant, plant.own_rates, "time-constant (s)", positive=True)
    if passive and not isinstance(plant, TreePlant):
        raise ModelError(f"passive: the plant must be a TreePlant, got {type(plant).__name__}")

    def command(t: Any, q: Coordinates, v: Rates, memory: Any) -> tuple[Any, Any]:
        del t
        rates = unpack(v, plant.rate_count, "v")[: plant.own_rates]
        wanted = [-div(rate, time) for rate, time in zip(rates, constants, strict=True)]
        if passive and isinstance(plant, TreePlant):
            return _braked(plant, q, v, wanted), memory
        return plant.commands(q, v, pack(wanted)), memory

    return ControlLaw(command)


def _braked(plant: TreePlant, q: Coordinates, v: Rates, wanted: list[Scalar]) -> Any:
    """Commands that brake the base and let the driven joints accelerate as wanted."""
    system, own = plant.system, plant.own_rates
    base = range(own)[system.node(system.base_joint.child).rates]
    floating = isinstance(system.base_joint.motion, (Free, Planar))
    floats = [floating and plant.actuated[k] and k in base for k in range(own)]
    joints = [plant.actuated[k] and not floats[k] for k in range(own)]
    mass, turning = _sizes(system.is_planar, total_inertia(system, q)) if any(floats) else (0, 0)
    brakes: Scalars = tuple(
        mul(turning if system.rate_units[k] == "rad/s" else mass, wanted[k]) if floats[k] else 0.0
        for k in range(own)
    )
    if not any(joints):
        return pack(brakes)
    rest = (0.0,) * (plant.rate_count - own)
    mask = (*joints, *(False for _ in rest))
    forces = hybrid_forces(system, q, v, (*brakes, *rest), a=(*wanted, *rest), prescribed=mask)
    return pack(unpack(forces, plant.rate_count, "forces")[:own])


def _sizes(planar: bool, body: Any) -> tuple[Scalar, Scalar]:
    """Mass (kg) of the whole, and the inertia (kg m²) that scales the torque."""
    central = body.central_inertia
    return body.mass, central.zz if planar else mul(0.5, central.trace())
