"""What a control block asks of the chaser: limits, gains and goals that fit, in their units."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from percuss.algebra.arrays import Coordinates
from percuss.algebra.scalars import pack
from percuss.encounter.actuation import each, effort_limits
from percuss.encounter.errors import EncounterError, Path
from percuss.model.joints import Revolute
from percuss.model.names import BaseMode
from percuss.model.systems import System
from percuss.scenario.actuators import ActuatorLimitsBlock
from percuss.scenario.block import dashed
from percuss.scenario.control import Control, WithDump, WithGoal, WithLimits
from percuss.scenario.fields import NumberWithUnit, plain_entries
from percuss.scenario.goal import GoalBlock
from percuss.scenario.state import joint_values
from percuss.scenario.units import in_words, parse_unit

if TYPE_CHECKING:
    from percuss.scenario.model import Scenario


def _check_goal(goal: GoalBlock, system: System, q: Coordinates, at: Path) -> None:
    """The goal fits the chaser, and its joints are written in their units."""
    goal.value().points(system, q, at)
    if goal.times is not None:
        for k, row in enumerate(goal.joints or ()):
            joint_values(system, row, (*at, "joints", k))
    elif goal.joints is not None:
        joint_values(system, goal.joints, (*at, "joints"))


def _check_limits(limits: ActuatorLimitsBlock, system: System, where: Path) -> None:
    """The limits fit the chaser, and are written in the units of what they limit."""
    effort_limits(limits.value(), system, where)
    joints, base = system.movable_joints, system.node(system.base.name)
    if limits.joints is not None:
        values = each(limits.joints, len(joints), "joint", (*where, "joints"))
        for joint, value in zip(joints, values, strict=True):
            unit = "N m" if isinstance(joint.motion, Revolute) else "N"
            _check_unit(value, (unit,), (*where, "joints"), f"for joint {joint.name!r}")
    if limits.base is not None:
        units, driven = base.joint.motion.rate_units, system.actuated[base.rates]
        values = each(limits.base, len(units), "base freedom", (*where, "base"))
        for value, unit, drives in zip(values, units, driven, strict=True):
            if drives:
                force, what = ("N m", "a torque") if unit == "rad/s" else ("N", "a force")
                _check_unit(value, (force,), (*where, "base"), f"for {what} on the base")


_PD_UNITS = {
    ("kp", "m/s"): ("N/m",),
    ("kp", "rad/s"): ("N m/rad", "N m"),
    ("kd", "m/s"): ("N s/m",),
    ("kd", "rad/s"): ("N m s/rad", "N m s"),
}


def gain_list(value: Any, system: System, at: Path, law: str = "") -> Any:
    """A gain for every rate of the chaser from one number or a list, shape (nv,).

    Those of `pd` differ in unit from rate to rate; where one is given with a unit it must fit.
    """
    values = each(value, system.rate_count, "generalized velocity", at)
    if law == "pd":
        rates = zip(values, system.rate_names, system.rate_units, system.actuated, strict=True)
        for gain, name, unit, driven in rates:
            allowed = _PD_UNITS.get((str(at[-1]), unit))
            if driven and allowed is not None:
                _check_unit(gain, allowed, at, f"for {name}")
    return pack(plain_entries(values))


def check_command(scenario: Scenario, system: System, q: Coordinates) -> None:
    """EncounterError for what does not fit the chaser."""
    for at, control in scenario.controls.items():
        for name, value in control.gains.items():
            gain_list(value, system, (*at, dashed(name)), control.law)
        if isinstance(control, WithGoal):
            _check_goal(control.goal, system, q, (*at, "goal"))
        if isinstance(control, WithLimits) and control.limits is not None:
            _check_limits(control.limits, system, (*at, "limits"))
        _check_wheels(control, system, at)


def _check_wheels(control: Control, system: System, at: Path) -> None:
    """Wheels belong to an attitude-controlled base."""
    if system.mode == BaseMode.ATTITUDE_CONTROLLED:
        return
    message = f"is for mode attitude-controlled, which has wheels, not for {system.mode}"
    limits = control.limits if isinstance(control, WithLimits) else None
    if limits is not None and limits.wheels is not None:
        got = f"got {limits.wheels:g}"
        raise EncounterError((*at, "limits", "wheels"), f"{message}, {got}")
    if isinstance(control, WithDump) and control.dump is not None:
        raise EncounterError((*at, "dump"), f"{message}, got {control.dump.torque:g} N m")


def _check_unit(value: Any, units: tuple[str, ...], at: Path, what: str) -> None:
    dimension = value.dimension if isinstance(value, NumberWithUnit) else None
    if dimension is None or dimension in [parse_unit(unit).dimension for unit in units]:
        return
    given = in_words(dimension)
    raise EncounterError(
        at,
        f"{what} must be in {' or '.join(units)}, got {float(value):g}, which is {given}; "
        "where units differ give a list, one entry for each",
    )
