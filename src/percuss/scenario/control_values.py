"""Numbers of control blocks as an encounter has them, without the units they were written with."""

from __future__ import annotations

from percuss.encounter.actuation import MODELS_OWN, ActuatorLimits, Dump
from percuss.encounter.goals import Destination, MoveTo, PassThrough, Stay
from percuss.scenario.control import Control, Goal
from percuss.scenario.fields import plain_float, plain_floats, plain_numbers
from percuss.scenario.lists import FrozenDict
from percuss.scenario.state import rotation_of


def limits_of(control: Control) -> ActuatorLimits:
    """The limits of the actuators that a control block gives."""
    given = control.limits
    if given is None:
        return MODELS_OWN
    return ActuatorLimits(
        plain_numbers(given.joints), plain_numbers(given.base), plain_float(given.wheels)
    )


def dump_of(control: Control) -> Dump | None:
    """How wheels are unloaded, None where they are not."""
    given = control.dump
    if given is None:
        return None
    return Dump(float(given.torque), float(given.after), plain_float(given.lever_arm))


def destination_of(goal: Goal) -> Destination:
    """The goal that a goal block describes."""
    if goal.is_initial:
        return Stay()
    if goal.times is not None:
        return PassThrough(
            plain_floats(goal.times), tuple(plain_floats(row) for row in goal.joints or ())
        )
    joints = goal.joints
    if isinstance(joints, FrozenDict):
        joints = FrozenDict({name: float(value) for name, value in joints.items()})
    elif joints is not None:
        joints = plain_floats(joints)
    turn = None if goal.orientation is None else rotation_of(goal.orientation).rotation
    position = None if goal.position is None else plain_floats(goal.position)
    return MoveTo(joints, position, plain_float(goal.angle), turn, plain_float(goal.within))
