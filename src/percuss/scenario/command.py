"""What the control block means for the chaser at hand: limits, gains and goals in its order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from percuss.algebra.poses import Pose
from percuss.kinematics.frames import frame_pose
from percuss.model.joints import Free, Planar, Revolute
from percuss.model.names import BaseMode
from percuss.model.systems import System
from percuss.scenario.control import Control, Goal
from percuss.scenario.errors import Path, UnbuildableError, shown
from percuss.scenario.fields import Measured
from percuss.scenario.state import coordinates_at, joint_values, rotation_of
from percuss.scenario.units import in_words, parse_unit

if TYPE_CHECKING:
    from percuss.scenario.model import Scenario


@dataclass(frozen=True)
class GoalPoints:
    """Coordinates of the chaser to be at, `knots` (n, nq), at `times` (n,) in s.

    One knot is held from the start. Two from time 0 are a motion from rest to rest; any other
    number is a path through the knots. After the last time the last knot is held.
    """

    times: np.ndarray
    knots: np.ndarray


def goal_points(control: Control, system: System, q: Any, at: Path = ("control",)) -> GoalPoints:
    """The goal of a control block for a chaser that is at `q` at the impact."""
    goal, where = control.goal, (*at, "goal")
    start = np.asarray(q, float)
    if goal.is_initial:
        return GoalPoints(np.zeros(1), start[None])
    if goal.times is not None:
        knots = []
        for k, row in enumerate(goal.joints or ()):
            joints = joint_values(system, row, (*where, "joints", k))
            knots.append(_with_joints(system, start, joints))
        return GoalPoints(np.array(goal.times), np.array(knots))
    end = _moved_base(system, goal, start, where)
    if goal.joints is not None:
        held = _joints_of(system, start)
        given = joint_values(system, goal.joints, (*where, "joints"))
        named = dict(goal.joints) if isinstance(goal.joints, dict) else given
        end = _with_joints(system, end, held | {name: given[name] for name in named})
    if goal.within is None:
        return GoalPoints(np.zeros(1), end[None])
    return GoalPoints(np.array([0.0, goal.within]), np.array([start, end]))


def effort_limits(control: Control, system: System, at: Path = ("control",)) -> np.ndarray:
    """Largest |u| for each rate of the chaser (N or N m), shape (nv,); infinite for none.

    What `control.limits` leaves out is the model's own; what nothing drives has 0.
    """
    where = (*at, "limits")
    result = np.empty(system.rate_count)
    for node in system.independent:
        result[node.rates] = float(node.limits.effort)
    joints = system.movable_joints
    base = system.node(system.base.name)
    limits = control.limits
    if limits is not None and limits.joints is not None:
        values = _each(limits.joints, len(joints), "joint", (*where, "joints"))
        for joint, value in zip(joints, values, strict=True):
            unit = "N m" if isinstance(joint.motion, Revolute) else "N"
            _check_unit(value, (unit,), (*where, "joints"), f"for joint {joint.name!r}")
            result[system.node(joint.child).rates] = float(value)
    if limits is not None and limits.base is not None:
        if not isinstance(base.joint.motion, (Free, Planar)):
            message = "there is no base that moves (mode fixed)"
            raise UnbuildableError((*where, "base"), f"{message}, got {shown(limits.base)}")
        units = base.joint.motion.rate_units
        values = _each(limits.base, len(units), "base freedom", (*where, "base"))
        driven = system.actuated[base.rates]
        for value, unit, drives in zip(values, units, driven, strict=True):
            if drives:
                force, what = ("N m", "a torque") if unit == "rad/s" else ("N", "a force")
                _check_unit(value, (force,), (*where, "base"), f"for {what} on the base")
        result[base.rates] = [float(value) for value in values]
    return np.where(system.actuated, result, 0.0)


_PD_UNITS = {
    ("kp", "m/s"): ("N/m",),
    ("kp", "rad/s"): ("N m/rad", "N m"),
    ("kd", "m/s"): ("N s/m",),
    ("kd", "rad/s"): ("N m s/rad", "N m s"),
}


def gain_list(value: Any, system: System, at: Path, law: str = "") -> np.ndarray:
    """A gain for every rate of the chaser from one number or a list, shape (nv,).

    Those of `pd` differ in unit from rate to rate; where one is given with a unit it must fit.
    """
    values = _each(value, system.rate_count, "generalized velocity", at)
    if law == "pd":
        rates = zip(values, system.rate_names, system.rate_units, system.actuated, strict=True)
        for gain, name, unit, driven in rates:
            allowed = _PD_UNITS.get((str(at[-1]), unit))
            if driven and allowed is not None:
                _check_unit(gain, allowed, at, f"for {name}")
    return np.array([float(x) for x in values])


def check_command(scenario: Scenario, system: System, q: Any) -> None:
    """UnbuildableError for what does not fit the chaser."""
    blocks: list[tuple[Path, Control]] = [(("control",), scenario.control)]
    if scenario.approach is not None:
        blocks.append((("approach", "control"), scenario.approach.control))
    for at, control in blocks:
        for key in ("natural-frequency", "damping-ratio", "kp", "kd"):
            value = getattr(control, key.replace("-", "_"))
            if value is not None:
                gain_list(value, system, (*at, key), control.law)
        goal_points(control, system, q, at)
        effort_limits(control, system, at)
        _check_wheels(control, system, at)


def _check_wheels(control: Control, system: System, at: Path) -> None:
    """Wheels belong to an attitude-controlled base."""
    if system.mode == BaseMode.ATTITUDE_CONTROLLED:
        return
    message = f"is for mode attitude-controlled, which has wheels, not for {system.mode}"
    if control.limits is not None and control.limits.wheels is not None:
        got = f"got {control.limits.wheels:g}"
        raise UnbuildableError((*at, "limits", "wheels"), f"{message}, {got}")
    if control.dump is not None:
        raise UnbuildableError((*at, "dump"), f"{message}, got {control.dump.torque:g} N m")


def _each(value: Any, count: int, what: str, at: Path) -> tuple[Any, ...]:
    if not isinstance(value, tuple):
        return (value,) * count
    if len(value) != count:
        allowed = f"must be one number, or {count}, one for each {what}"
        raise UnbuildableError(at, f"{allowed}, got {len(value)}")
    return value


def _check_unit(value: Any, units: tuple[str, ...], at: Path, what: str) -> None:
    dimension = value.dimension if isinstance(value, Measured) else None
    if dimension is None or dimension in [parse_unit(unit).dimension for unit in units]:
        return
    given = in_words(dimension)
    raise UnbuildableError(
        at,
        f"{what} must be in {' or '.join(units)}, got {float(value):g}, which is {given}; "
        "where units differ give a list, one entry for each",
    )


def _joints_of(system: System, q: np.ndarray) -> dict[str, float]:
    return {
        joint.name: float(q[system.node(joint.child).coordinates][0])
        for joint in system.movable_joints
    }


def _with_joints(system: System, q: np.ndarray, joints: dict[str, float]) -> np.ndarray:
    result = q.copy()
    for name, value in joints.items():
        result[system.node(system.joint(name).child).coordinates] = value
    return result


def _moved_base(system: System, goal: Goal, q: np.ndarray, at: Path) -> np.ndarray:
    """`q` with the base where the goal says."""
    turns = goal.angle is not None or goal.orientation is not None
    if goal.position is None and not turns:
        return q
    moves = system.mode == BaseMode.FREE_FLYING
    if (goal.position is not None and not moves) or not (
        moves or system.mode == BaseMode.ATTITUDE_CONTROLLED
    ):
        turned = goal.angle is not None
        key = "position" if goal.position is not None else "angle" if turned else "orientation"
        value = getattr(goal, key)
        value = value.model_dump(exclude_unset=True) if hasattr(value, "model_dump") else value
        raise UnbuildableError(
            (*at, key),
            f"nothing drives that motion of the base in mode {system.mode}; use mode free-flying, "
            f"got {shown(value)}",
        )
    pose = frame_pose(system, q, system.base.name)
    position = pose.position if goal.position is None else Pose.at(goal.position).position
    angle = goal.angle
    if goal.orientation is not None:
        rotation = rotation_of(goal.orientation).rotation
    elif angle is not None:
        rotation = Pose.planar(0.0, 0.0, angle).rotation
    else:
        rotation = pose.rotation
        angle = float(q[system.node(system.base.name).coordinates][2])
    return coordinates_at(system, Pose(rotation, position), angle, _joints_of(system, q))
