"""What the actuators of a chaser can do at most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from percuss.algebra.scalars import Scalar, pack, to_scalar
from percuss.encounter.equations import ANY_WHEELS, WheelUse
from percuss.encounter.errors import EncounterError, Path, shown
from percuss.encounter.requirements import is_sequence, require, require_each
from percuss.model.checks import is_not_negative, is_positive
from percuss.model.joints import Free, Planar
from percuss.model.systems import System


@dataclass(frozen=True)
class ActuatorLimits:
    """The largest commands, where they differ from the model's own.

    Attributes:
        joints: N m or N, one number for all joints or one each; None: the model's.
        base: N m or N, one number for all freedoms of the base, or in the plane x, y and angle, in
            space the force and then the torque; None: the model's.
        wheels: angular momentum that the wheels of an attitude-controlled base hold (N m s); None:
            any.
    """

    joints: Any = None
    base: Any = None
    wheels: float | None = None

    def __post_init__(self) -> None:
        path: Path = ("control", "limits")
        for key, value in (("joints", self.joints), ("base", self.base)):
            if value is not None:
                require_each((*path, key), value, _is_limit, "a limit in N m or N ≥ 0")
        if self.wheels is not None:
            momentum = "an angular momentum in N m s > 0"
            require((*path, "wheels"), self.wheels, is_positive, momentum)


@dataclass(frozen=True)
class Dump:
    """Thrusters that take the momentum out of the wheels again.

    Attributes:
        torque: of the thrusters on the base, against the wheels' momentum (N m).
        after: when they begin, after the impact (s).
        lever_arm: of the thrusters (m), to tell the propellant's impulse; None: it is not told.
    """

    torque: float
    after: float = 0.0
    lever_arm: float | None = None

    def __post_init__(self) -> None:
        path: Path = ("control", "dump")
        require((*path, "torque"), self.torque, is_positive, "a torque in N m > 0")
        require((*path, "after"), self.after, is_not_negative, "a time in s ≥ 0")
        if self.lever_arm is not None:
            require((*path, "lever-arm"), self.lever_arm, is_positive, "a length in m > 0")


def _is_limit(x: Any) -> Any:
    """≥ 0; infinite for none."""
    return x >= 0


MODELS_OWN = ActuatorLimits()


def effort_limits(limits: ActuatorLimits, system: System, at: Path = ("control", "limits")) -> Any:
    """Largest |u| for each rate of the chaser (N or N m), shape (nv,); infinite for none.

    What the limits leave out is the model's own; what nothing drives has 0.
    """
    result: list[Scalar] = [0.0] * system.rate_count
    for node in system.independent:
        result[node.rates] = [to_scalar(node.limits.effort)] * len(result[node.rates])
    joints = system.movable_joints
    base = system.node(system.base.name)
    if limits.joints is not None:
        values = each(limits.joints, len(joints), "joint", (*at, "joints"))
        for joint, value in zip(joints, values, strict=True):
            own = system.node(joint.child).rates
            result[own] = [to_scalar(value)] * len(result[own])
    if limits.base is not None:
        if not isinstance(base.joint.motion, (Free, Planar)):
            message = "there is no base that moves (mode fixed)"
            raise EncounterError((*at, "base"), f"{message}, got {shown(limits.base)}")
        count = len(base.joint.motion.rate_units)
        values = each(limits.base, count, "base freedom", (*at, "base"))
        result[base.rates] = [to_scalar(value) for value in values]
    return pack(x if driven else 0.0 for driven, x in zip(system.actuated, result, strict=True))


def each(value: Any, count: int, what: str, at: Path) -> tuple[Any, ...]:
    """One value for each of `count`, from one for all or from as many."""
    if not is_sequence(value):
        return (value,) * count
    if len(value) != count:
        allowed = f"must be one number, or {count}, one for each {what}"
        raise EncounterError(at, f"{allowed}, got {len(value)}")
    return tuple(value)


def wheel_use(limits: ActuatorLimits, dump: Dump | None) -> WheelUse:
    """What the wheels can hold, and how they are unloaded."""
    if dump is None:
        return ANY_WHEELS if limits.wheels is None else WheelUse(limits.wheels)
    return WheelUse(limits.wheels, dump.torque, dump.after)
