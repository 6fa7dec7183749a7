"""Numbers of chaser and target: where they are, how they move, and what their bodies are like."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from percuss.algebra.arrays import Coordinates, Rates
from percuss.algebra.linear import minus, plus
from percuss.algebra.poses import Pose
from percuss.algebra.rotations import Quaternion
from percuss.algebra.scalars import Scalar, mul, to_scalar
from percuss.encounter.bounds import (
    ANY,
    DIRECTION,
    FRICTION,
    LENGTH,
    MASS,
    MOMENT,
    POSITIVE,
    REAL,
    Bound,
)
from percuss.encounter.entries import Entries, Entry, Key, Scalars, indexed
from percuss.encounter.field_numbers import NOT_A_NUMBER
from percuss.encounter.physical import unphysical
from percuss.model.bodies import Body
from percuss.model.joints import Fixed, Free, Planar, Revolute
from percuss.model.parameters import parameters
from percuss.model.systems import Joint, System

MOMENTS = ("xx", "yy", "zz", "xy", "xz", "yz")
_AXES = "xyz"
_HELD = f"{NOT_A_NUMBER}: the base is held and does not move"
_ODD = f"{NOT_A_NUMBER}: the base is on a joint that has coordinates of another kind"
_OUT = f"{NOT_A_NUMBER}: it would take a planar system out of the plane"


@dataclass(frozen=True)
class BodyNumbers:
    """The numbers of one of the two systems of an encounter, `owner` "chaser" or "target".

    `q` and `v` are its coordinates and rates at the start. Positions and linear velocities are
    those of the frame of the base body; world axes.
    """

    owner: str
    system: System
    q: Coordinates
    v: Rates

    @cached_property
    def entries(self) -> Entries:
        """All of them, by name."""
        found = Entries.none()
        found.add(self._pose())
        found.add(self._velocity())
        found.add(self._joints())
        found.add(self._parameters())
        return found

    # --- the base -----------------------------------------------------------------------------

    def _pose(self) -> Entries:
        joint, planar, found = self.system.base_joint, self.system.is_planar, Entries.none()
        position, turn = f"{self.owner}.position", f"{self.owner}.orientation"
        if planar:
            turn = f"{self.owner}.angle"
        if isinstance(joint.motion, Fixed) and joint.child_placement.is_identity:
            place = tuple(to_scalar(x) for x in joint.placement.position)[: 2 if planar else 3]
            key: Key = (self.owner, "base", "position")
            found.numbers[position] = Entry(place, "m", LENGTH, indexed(key, len(place)))
            rotation, key = joint.placement.rotation, (self.owner, "base", "turn")
            if planar:
                angle = to_scalar(rotation.angle_about_z())
                found.numbers[turn] = Entry(angle, "rad", ANY, ((*key, 0),))
            else:
                whole = tuple(to_scalar(x) for x in rotation.to_quaternion())
                keys = indexed(key, 4)
                found.numbers[turn] = Entry(
                    value=whole, unit="", bound=DIRECTION, keys=keys, spread=_normalised
                )
            return found
        if not _is_usual(joint):
            found.refused.update({position: _ODD, turn: _ODD})
            return found
        count = 2 if isinstance(joint.motion, Planar) else 3
        own = self._keys("q", self.system.node(joint.child).coordinates)
        # Coordinates are from the joint's origin, which may stand beside the world's.
        offset = [to_scalar(x) for x in joint.placement.position][:count]
        q = tuple(to_scalar(self.q[key[-1]]) for key in own)
        place = plus(q[:count], offset)
        found.numbers[position] = Entry(
            value=place,
            unit="m",
            bound=ANY,
            keys=own[:count],
            spread=lambda x: minus(x, offset),
        )
        if count == 2:
            found.numbers[turn] = Entry(q[2], "rad", ANY, own[2:])
        else:
            found.numbers[turn] = Entry(
                value=q[3:], unit="", bound=DIRECTION, keys=own[3:], spread=_normalised
            )
        return found

    def _velocity(self) -> Entries:
        joint, found = self.system.base_joint, Entries.none()
        linear, angular = (f"{self.owner}.velocity.{kind}" for kind in ("linear", "angular"))
        if not _is_usual(joint):
            why = _HELD if isinstance(joint.motion, Fixed) else _ODD
            found.refused.update({linear: why, angular: why})
            return found
        own = self._keys("v", self.system.node(joint.child).rates)
        v = tuple(to_scalar(self.v[key[-1]]) for key in own)
        count = 2 if isinstance(joint.motion, Planar) else 3
        found.numbers[linear] = Entry(v[:count], "m/s", ANY, own[:count])
        turning = v[2] if count == 2 else v[3:]
        found.numbers[angular] = Entry(turning, "rad/s", ANY, own[count:])
        return found

    def _keys(self, what: str, where: slice) -> tuple[Key, ...]:
        return tuple((self.owner, what, k) for k in range(where.start, where.stop))

    # --- joints -------------------------------------------------------------------------------

    def _joints(self) -> Entries:
        """Coordinates and rates of all joints in order, and by name."""
        found = Entries.none()
        joints = self.system.movable_joints
        if not joints:
            return found
        for name, what, state in (
            (f"{self.owner}.joints", "q", self.q),
            (f"{self.owner}.velocity.joints", "v", self.v),
        ):
            every: list[Key] = []
            units: list[str] = []
            for joint in joints:
                node = self.system.node(joint.child)
                keys = self._keys(what, node.coordinates if what == "q" else node.rates)
                unit = _unit(joint) if what == "q" else joint.motion.rate_units[0]
                values = tuple(to_scalar(state[key[-1]]) for key in keys)
                value = values[0] if len(keys) == 1 else values
                found.numbers[f"{name}.{joint.name}"] = Entry(value, unit, ANY, keys)
                every += keys
                units.append(unit)
            values = tuple(to_scalar(state[key[-1]]) for key in every)
            unit = " or ".join(dict.fromkeys(units))
            found.numbers[name] = Entry(values, unit, ANY, tuple(every))
        return found

    # --- masses, inertias, lengths ------------------------------------------------------------

    def _parameters(self) -> Entries:
        found = Entries.none()
        for name, value in parameters(self.system).items():
            full = f"{self.owner}.parameters.{name}"
            if self.system.is_planar and self._leaves_plane(name):
                found.refused[full] = _OUT
                continue
            unit, bound = self._rule(name)
            key: Key = (self.owner, "parameter", name)
            found.numbers[full] = Entry(to_scalar(value), unit, bound, (key,))
        return found

    def _leaves_plane(self, name: str) -> bool:
        """Whether a parameter takes a placement or an axis of a planar system out of the plane."""
        owner, _, last = name.rpartition(".")
        if owner.endswith("placement"):
            return last in ("roll", "pitch", "z")
        if not owner.endswith(".axis"):
            return False
        motion = self.system.joint(owner.removesuffix(".axis")).motion.uncoupled
        return last in "xy" if isinstance(motion, Revolute) else last == "z"

    def _rule(self, name: str) -> tuple[str, Bound]:
        owner, _, last = name.rpartition(".")
        if last == "mass":
            return "kg", MASS
        if owner == "gravity":
            return "m/s²", REAL
        if owner.endswith(".inertia"):
            return "kg m²", moment_bound(self._body(owner.removesuffix(".inertia")), last)
        if owner.endswith(".com") or (owner.endswith("placement") and last in _AXES):
            return "m", LENGTH
        if owner.endswith("placement"):
            return "rad", ANY
        if owner.endswith(".friction"):
            units = {"viscous": "N m s/rad or N s/m", "coulomb": "N m or N"}
            bound = POSITIVE if last == "smoothing" else FRICTION
            return units.get(last, "rad/s or m/s"), bound
        if owner.endswith(".axis"):
            return "", self._axis_bound(owner.removesuffix(".axis"), last)
        return "", ANY

    def _axis_bound(self, joint: str, last: str) -> Bound:
        """An entry of an axis may be zero unless the others are."""
        axis: Any = self.system.joint(joint).motion.uncoupled
        others = [getattr(axis.axis, k) for k in _AXES if k != last]
        if any(not (isinstance(x, float) and x == 0.0) for x in others):
            return ANY
        return Bound("other than 0", lambda x: np.isfinite(x) & (x != 0))

    def _body(self, name: str) -> Body:
        return self.system.node(name).body


def tensor_of(body: Body) -> tuple[Scalar, ...]:
    """Entries xx, yy, zz, xy, xz, yz of the inertia about the centre of mass (kg m²)."""
    return tuple(to_scalar(x) for x in body.inertia)


def moment_bound(body: Body, moment: str) -> Bound:
    """What one entry of an inertia may be while the others are as they are."""
    if body.planar_only:
        return MOMENT

    def possible(x: Any) -> Any:
        x = np.asarray(x, float)
        others = np.asarray(tensor_of(body), float)
        tensors = np.repeat(others[:, None], x.size, axis=1)
        tensors[MOMENTS.index(moment)] = x.ravel()
        return (unphysical(np.ones(x.size), tensors) == "").reshape(x.shape)

    return Bound("that the inertia of a body can have beside its other entries", possible)


def _possible_tensor(values: np.ndarray) -> np.ndarray:
    return unphysical(np.ones(values.shape[1:]), values) == ""


TENSOR = Bound("xx yy zz xy xz yz, that a body can have", REAL.entry, _possible_tensor)


def plate(moments: Scalars) -> Scalars:
    """The tensor of a thin plate in the x-y plane with one moment about z (kg m²)."""
    half = mul(0.5, moments[0])
    return half, half, moments[0], 0.0, 0.0, 0.0


def _normalised(quaternion: Scalars) -> Scalars:
    return tuple(Quaternion(*quaternion).normalized())


def _is_usual(joint: Joint) -> bool:
    """Whether the coordinates of a base joint are position and turn of the base in world axes."""
    free = isinstance(joint.motion, (Free, Planar)) and joint.child_placement.is_identity
    return free and Pose(joint.placement.rotation).is_identity


def _unit(joint: Joint) -> str:
    units = {"rad/s": "rad", "m/s": "m"}
    if joint.motion.coordinate_count > joint.motion.rate_count:
        return ""
    return units[joint.motion.rate_units[0]]
