"""What holds a robot together during an impact: joints free, locked or driven, and the base."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from percuss.model.errors import ModelError, choices, closest
from percuss.model.joints import Free, Planar
from percuss.model.systems import System, unknown


class JointState(StrEnum):
    """What a joint does in the instant of an impact."""

    FREE = "free"
    """Nothing acts along its axis. Also a motor whose torque stays finite: in no time it gives
    no impulse, whatever its control law."""
    LOCKED = "locked"
    """A brake: its rate does not change, and the brake carries the impulse along the axis."""
    DRIVEN = "driven"
    """An ideal drive that keeps the rate as commanded, whatever impulse that takes of the motor."""

    @classmethod
    def _missing_(cls, value: object) -> JointState:
        raise _refusal("a joint", value, [member.value for member in cls])


class BaseState(StrEnum):
    """What the base does in the instant of an impact."""

    FREE = "free"
    """Nothing holds it. Also an attitude-controlled base: wheels give finite torques."""
    HELD_ATTITUDE = "held attitude"
    """The ideal limit of attitude control: it slides but does not turn."""
    FIXED = "fixed"
    """Bolted down: it neither slides nor turns."""

    @classmethod
    def _missing_(cls, value: object) -> BaseState:
        raise _refusal("the base", value, [member.value for member in cls])


@dataclass(frozen=True)
class Holding:
    """State of the base, and of the joints by name; joints that are not named are free.

    A base that the model puts on the ground stays there, whatever `base` says.
    """

    base: BaseState | str = BaseState.FREE
    joints: Mapping[str, JointState | str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "base", BaseState(self.base))
        states = {name: JointState(state) for name, state in self.joints.items()}
        object.__setattr__(self, "joints", states)

    @staticmethod
    def all_joints(system: System, state: JointState | str, base: BaseState | str) -> Holding:
        """Every movable joint of the arms in one state."""
        return Holding(base, {joint.name: state for joint in system.movable_joints})

    def state(self, name: str) -> JointState:
        return JointState(self.joints.get(name, JointState.FREE))

    def mask(self, system: System) -> tuple[bool, ...]:
        """For each rate of the system, whether it is held; shape (nv,)."""
        movable = {joint.name for joint in system.movable_joints}
        for name in self.joints:
            if name not in movable:
                raise unknown("movable joint", name, movable, system)
        held: list[bool] = []
        for joint in system.joints:
            is_base = joint is system.base_joint and isinstance(joint.motion, (Free, Planar))
            for unit in joint.motion.rate_units:
                if is_base:
                    turns = unit == "rad/s" and self.base == BaseState.HELD_ATTITUDE
                    held.append(turns or self.base == BaseState.FIXED)
                else:
                    held.append(self.state(joint.name) != JointState.FREE)
        return tuple(held)


def _refusal(what: str, value: object, allowed: list[str]) -> ModelError:
    return ModelError(
        f"{what} is one of {choices(value, allowed)} in an impact, got {value!r}."
        f"{closest(value, allowed)}"
    )
