"""What an actuation cannot do, in plain sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from percuss.algebra.scalars import is_constant
from percuss.control.plant import Plant, TreePlant
from percuss.dynamics.composite import total_mass
from percuss.model.errors import ModelError
from percuss.model.names import BaseMode


def advice(
    plant: Plant,
    mode: BaseMode | str,
    *,
    linear_momentum: Sequence[float] | None = None,
    angular_momentum: Sequence[float] | None = None,
    mass: float | None = None,
    held: bool = True,
) -> tuple[str, ...]:
    """Sentences on what this actuation cannot do; none when it can do everything.

    Args:
        mode: of the base.
        linear_momentum: of what moves together after the impact, N s, world axes.
        angular_momentum: of the same about its centre of mass, N m s, world axes.
        mass: of the same, kg; default that of the plant's tree.
        held: whether the target is held; if not, its motion is nobody's to control.
    """
    mode = BaseMode(mode)
    push = _size(linear_momentum, "linear_momentum (N s)")
    turn = _size(angular_momentum, "angular_momentum (N m s)")
    drift = _drift(plant, push, mass)
    said = {
        BaseMode.FIXED: _fixed,
        BaseMode.FREE_FLOATING: _free_floating,
        BaseMode.ATTITUDE_CONTROLLED: _attitude_controlled,
        BaseMode.FREE_FLYING: _free_flying,
    }[mode](push, turn, drift)
    return (*said, *_idle(plant), *(_swing(plant) if held else ()))


def _fixed(push: float | None, turn: float | None, drift: str) -> list[str]:
    del push, turn, drift
    return []


def _free_floating(push: float | None, turn: float | None, drift: str) -> list[str]:
    said = [
        "The base is free-floating: nothing drives it, so only the joints are controlled, and the "
        "base moves and turns as conservation of momentum demands."
    ]
    if push:
        said.append(
            f"The linear momentum after the impact, {push:.4g} N s, cannot be removed by the "
            f"joints{drift}."
        )
    if turn:
        said.append(
            f"The angular momentum after the impact, {turn:.4g} N m s about the centre of mass, "
            "cannot be removed either: with the joints at rest the whole keeps turning."
        )
    return said


def _attitude_controlled(push: float | None, turn: float | None, drift: str) -> list[str]:
    said = [
        "The base is attitude-controlled: wheels turn it, nothing pushes it, so its position is "
        "not controlled."
    ]
    if turn:
        said.append(
            f"To stop the rotation the wheels must absorb {turn:.4g} N m s of angular momentum "
            "and keep it; see the wheel momentum in the results, and compare it with the wheels' "
            "capacity."
        )
    if push:
        said.append(
            f"The linear momentum after the impact, {push:.4g} N s, cannot be removed by wheels "
            f"and joints{drift}."
        )
    return said


def _free_flying(push: float | None, turn: float | None, drift: str) -> list[str]:
    del drift
    said = [
        "The base is free-flying, not free-floating: the control needs forces and torques on the "
        "base (thrusters and wheels) besides the joints' motors."
    ]
    if push or turn:
        carried = [f"{push:.4g} N s"] if push else []
        carried += [f"{turn:.4g} N m s"] if turn else []
        said.append(f"Those take {' and '.join(carried)} of momentum out of the system.")
    return said


def _idle(plant: Plant) -> list[str]:
    """Joints of the chaser that no motor drives, the base aside."""
    if not isinstance(plant, TreePlant):
        return []
    system = plant.system
    base = system.node(system.base_joint.child).rates
    names = [
        system.rate_names[k]
        for k, driven in enumerate(plant.actuated)
        if not driven and not base.start <= k < base.stop
    ]
    if not any(plant.actuated):
        return ["No actuator drives anything: every control law leaves the motion free."]
    if not names:
        return []
    return [f"No motor drives {', '.join(names)}: it moves freely and follows no goal."]


def _swing(plant: Plant) -> list[str]:
    count = plant.rate_count - plant.own_rates
    if not count:
        return []
    rates = "1 rate is" if count == 1 else f"{count} rates are"
    return [
        f"The target's motion relative to the tool is not actuated ({rates} free): without "
        "friction in the grasp it keeps swinging, and forces on the chaser that hold it still "
        "never vanish."
    ]


def _drift(plant: Plant, push: float | None, mass: float | None) -> str:
    if mass is None and isinstance(plant, TreePlant):
        whole = total_mass(plant.system)
        mass = whole if is_constant(whole) else None
    if not push or mass is None:
        return ""
    if not (mass > 0 and math.isfinite(mass)):
        raise ModelError(f"mass must be finite and > 0 kg, got {mass!r}")
    return f": the centre of mass drifts on at {push / mass:.4g} m/s"


def _size(vector: Sequence[float] | None, what: str) -> float | None:
    """The length of a vector; None when it is not given, or is zero to rounding."""
    if vector is None:
        return None
    size = float(np.linalg.norm(np.asarray(list(vector), float)))
    if not math.isfinite(size):
        raise ModelError(f"{what} must be finite, got {list(vector)}")
    return size if size > 1e-12 else None
