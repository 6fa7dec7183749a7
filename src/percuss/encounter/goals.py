"""Where a law is to bring the chaser: stay, move to a place, or pass through points in time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from percuss.algebra.arrays import Coordinates
from percuss.algebra.poses import Pose
from percuss.algebra.rotations import Rotation
from percuss.algebra.scalars import (
    Scalar,
    as_array,
    is_constant,
    is_symbolic_matrix,
    pack,
    sub,
    to_scalar,
)
from percuss.control import hold, rest_to_rest
from percuss.control.goals import Goal, through
from percuss.control.plant import Plant
from percuss.encounter.errors import EncounterError, Path, shown
from percuss.encounter.postures import (
    coordinates_at,
    joint_coordinates,
    joint_values,
    with_joints,
)
from percuss.encounter.requirements import (
    is_sequence,
    require,
    require_joints,
    require_kind,
    require_vector,
)
from percuss.kinematics.frames import frame_pose
from percuss.model.checks import is_finite, is_not_negative, is_positive, violates
from percuss.model.names import BaseMode
from percuss.model.systems import System

_AT: Path = ("control", "goal")


@dataclass(frozen=True)
class GoalPoints:
    """Coordinates of the chaser to be at, `knots` (n, nq), at `times` (n,) in s, any scalar.

    One knot is held from the start. Two from time 0 are a motion from rest to rest; any other
    number is a path through the knots. After the last time the last knot is held.
    """

    times: Any
    knots: Any

    def goal(self, plant: Plant) -> Goal:
        """The goal over time, for the chaser of a plant."""
        if len(self.times) == 1:
            return hold(plant, self.knots[0])
        if len(self.times) == 2 and self.times[0] == 0:
            return rest_to_rest(plant, self.knots[0], self.knots[1], to_scalar(self.times[1]))
        return through(plant, [float(time) for time in self.times], self.knots)


def _knots(*places: Any) -> Any:
    """Coordinates at several times, each (nq,), as one array; symbols one after the other."""
    if any(map(is_symbolic_matrix, places)):
        return places
    return pack([tuple(place) for place in places])


class Destination(Protocol):
    """Where a law is to bring the chaser, told relative to where it is when the law begins."""

    def points(self, system: System, q: Coordinates, at: Path = _AT) -> GoalPoints:
        """The points in time of a chaser that is at `q` (nq,) when the law begins.

        EncounterError, whose path begins with `at`, for what does not fit the chaser.
        """
        ...


@dataclass(frozen=True)
class Stay:
    """Hold the pose in which the law begins."""

    def points(self, system: System, q: Coordinates, at: Path = _AT) -> GoalPoints:
        """One knot: where the chaser is."""
        del system, at
        return GoalPoints(np.zeros(1), _knots(as_array(q)))


STAY = Stay()


@dataclass(frozen=True)
class MoveTo:
    """Move to a place: at once (a step), or from rest to rest within a time.

    What is not given stays as it is when the law begins. With a base that flies its `position` (m)
    and its `rotation` world ← base can be given; in the plane the `angle` (rad), full turns
    counted; with wheels only the latter two.
    """

    joints: Any = None
    """Coordinates (rad, m) by joint name, or all of them in order."""
    position: Any = None
    angle: Scalar | None = None
    rotation: Rotation | None = None
    within: Scalar | None = None
    """Time to get there (s); None: at once."""

    def __post_init__(self) -> None:
        if self.joints is not None:
            require_joints((*_AT, "joints"), self.joints)
        if self.position is not None:
            require_vector((*_AT, "position"), self.position, "numbers in m")
        if self.angle is not None:
            require((*_AT, "angle"), self.angle, is_finite, "a finite angle in rad")
        if self.rotation is not None:
            require_kind((*_AT, "orientation"), self.rotation, Rotation, "a percuss.Rotation")
        if self.within is None:
            return
        require((*_AT, "within"), self.within, is_positive, "a time in s > 0")
        if all(x is None for x in (self.joints, self.position, self.angle, self.rotation)):
            what = "needs something to reach: joints, position, angle or orientation"
            raise EncounterError((*_AT, "within"), f"{what}, got {shown(self.within)} s alone")

    def points(self, system: System, q: Coordinates, at: Path = _AT) -> GoalPoints:
        """The end, or start and end."""
        start = as_array(q)
        end = self._base_at_goal(system, start, at)
        if self.joints is not None:
            given = joint_values(system, self.joints, (*at, "joints"))
            named = self.joints if isinstance(self.joints, Mapping) else given
            held = joint_coordinates(system, start)
            end = with_joints(system, end, held | {name: given[name] for name in named})
        if self.within is None:
            return GoalPoints(np.zeros(1), _knots(end))
        within = to_scalar(self.within)
        # A start at zero is known also where the end is not.
        times = np.array([0.0, within]) if is_constant(within) else (0.0, within)
        return GoalPoints(times, _knots(start, end))

    def _base_at_goal(self, system: System, q: Coordinates, at: Path) -> Any:
        """`q` with the base where the goal says."""
        turns = self.angle is not None or self.rotation is not None
        if self.position is None and not turns:
            return q
        if system.is_planar and self.rotation is not None:
            key, value = self._turn
            message = f"is for a chaser in space, {system.name!r} is planar: give angle"
            raise EncounterError((*at, key), f"{message}, got {shown(value)}")
        if not system.is_planar and self.angle is not None:
            message = f"is for a planar chaser, {system.name!r} is in space: give rotation"
            raise EncounterError((*at, "angle"), f"{message}, got {shown(self.angle)}")
        flies = system.mode == BaseMode.FREE_FLYING
        turned = flies or system.mode == BaseMode.ATTITUDE_CONTROLLED
        if (self.position is not None and not flies) or not turned:
            key, value = "position", self.position
            if self.position is None:
                key, value = ("angle", self.angle) if self.angle is not None else self._turn
            raise EncounterError(
                (*at, key),
                f"nothing drives that motion of the base in mode {system.mode}; use mode "
                f"free-flying, got {shown(value)}",
            )
        pose = frame_pose(system, q, system.base.name)
        position = pose.position if self.position is None else Pose.at(self.position).position
        angle = self.angle
        if self.rotation is not None:
            rotation = self.rotation
        elif angle is not None:
            rotation = Pose.planar(0.0, 0.0, angle).rotation
        else:
            rotation = pose.rotation
            angle = to_scalar(q[system.node(system.base.name).coordinates][2])
        held = joint_coordinates(system, q)
        return coordinates_at(system, Pose(rotation, position), angle, held)

    @property
    def _turn(self) -> tuple[str, Any]:
        """The key of the rotation, and the rotation as a quaternion (w, x, y, z)."""
        assert self.rotation is not None
        return "orientation", [to_scalar(x) for x in self.rotation.to_quaternion()]


@dataclass(frozen=True)
class PassThrough:
    """A path of the joints through points at times (s), from and to rest; the base stays."""

    times: tuple[float, ...]
    joints: tuple[Any, ...]
    """Joint coordinates (rad, m) at each time: by name, or all of them in order."""

    def __post_init__(self) -> None:
        at, times = (*_AT, "times"), self.times
        if not is_sequence(times) or len(times) < 2:
            raise EncounterError(at, f"must be two or more, in s, got {shown(times)}")
        for k, time in enumerate(times):
            require((*at, k), time, is_not_negative, "a time in s ≥ 0")
        if any(violates(sub(b, a), is_positive) for a, b in pairwise(map(to_scalar, times))):
            raise EncounterError(at, f"must increase, got {shown(list(times))} s")
        at = (*_AT, "joints")
        if not is_sequence(self.joints) or len(self.joints) != len(times):
            what = f"must have one set per time, {len(times)} of them"
            raise EncounterError(at, f"{what}, got {shown(self.joints)}")
        for k, row in enumerate(self.joints):
            require_joints((*at, k), row)

    def points(self, system: System, q: Coordinates, at: Path = _AT) -> GoalPoints:
        """All knots."""
        start = as_array(q)
        knots = [
            with_joints(system, start, joint_values(system, row, (*at, "joints", k)))
            for k, row in enumerate(self.joints)
        ]
        return GoalPoints(np.array(self.times), _knots(*knots))
