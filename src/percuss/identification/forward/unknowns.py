"""What is asked for: the unknowns of an identification as one vector of numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import percuss.kernel as kernel
from percuss.algebra.arrays import Coordinates, Rates
from percuss.algebra.poses import Pose
from percuss.algebra.rotations import Quaternion, Rotation
from percuss.algebra.scalars import Scalar, add, div, mul, pack, unpack
from percuss.algebra.vectors import Symmetric3, Vector3
from percuss.encounter.start import Start
from percuss.identification.data.robot_errors import RobotErrors, robot_errors
from percuss.identification.forward.inertia import exp, inertia_of, root_of
from percuss.identification.forward.kept import LastMade
from percuss.identification.forward.known import Described, KnownEncounter
from percuss.identification.forward.numbers import (
    PLAIN,
    quantity_of,
    scale_of,
    theta_of,
)
from percuss.identification.forward.unknown_entries import (
    GROUPS,
    Unknown,
    entries_of,
    ordered,
    restitution_of,
)
from percuss.kinematics.frames import frame_pose
from percuss.kinematics.manifold import integrate
from percuss.model.errors import ModelError

_SLOPES: LastMade[kernel.Jacobian] = LastMade(32)
"""Derivatives of the quantities, by the fingerprint of what they follow from."""

__all__ = ["GROUPS", "Guess", "Unknown", "Unknowns"]


@dataclass(frozen=True)
class Guess:
    """Target and robot just before the impact, of scalars of any kind; SI.

    The centre of mass `com` and the point of `contact` are in the target's frame, whose origin is
    where the encounter has the centre of mass; `inertia` is about the centre of mass, along the
    target's axes; `rotation` is world ← target; `linear` is the velocity of the centre of mass
    and `angular` that of the body, world axes. The impact happens at `time` by the clock of the
    measurements.
    """

    mass: Scalar
    com: Vector3
    inertia: Symmetric3
    rotation: Rotation
    contact: Vector3
    linear: Vector3
    angular: Vector3
    restitution: Scalar
    time: Scalar
    chaser_coordinates: Coordinates
    chaser_rates: Rates


class Unknowns:
    """The chosen unknowns of an encounter: a vector θ, and the quantities that are reported.

    θ and the reported quantities have the same number of entries. They are the same but for
    masses and inertias, of which θ holds logarithms and a root, so that every θ is a body that
    can exist. Where the mass is unknown and the inertia is that of a shape, the inertia scales
    with the mass; one that is given apart is held, see `assumptions`. Of numbers by
    name see `percuss.identification.forward.numbers`.

    Args:
        encounter: what is known, or a scenario that describes it; its values of the unknowns are
            where the search begins.
        groups: of `GROUPS`, and numbers of the encounter by the names that `percuss.simulate`
            takes, `impact.friction`.
        ranges: plausible ranges by group or by name of a quantity, in its unit, instead of the
            usual ones: 1 m/s, 1 rad/s, 1 rad, mass and inertia as large as themselves, lengths
            of the target's size, 0.5 of restitution, 0.05 s.
        robot: standard deviations of the robot's state at the impact, by kind of error; see
            `robot_errors`. Needed for the group `robot`.
    """

    def __init__(
        self,
        encounter: Described | KnownEncounter,
        groups: Iterable[str],
        *,
        ranges: Mapping[str, float] | None = None,
        robot: Mapping[str, float] | None = None,
    ) -> None:
        self.encounter = known = KnownEncounter.of(encounter)
        self.groups = ordered(groups, known)
        self.start_state: Start = known.start
        if "robot" in self.groups and not robot:
            raise ModelError(
                "robot: errors of the robot's state are nuisance, and need standard deviations "
                "that are known beforehand, e.g. {'joint': 1e-4} (rad)"
            )
        self.errors: RobotErrors = robot_errors(
            self.start_state.chaser, (robot or {}) if "robot" in self.groups else {}
        )
        self.entries: tuple[Unknown, ...] = entries_of(
            known, self.groups, self.errors, ranges or {}
        )

    def __len__(self) -> int:
        return len(self.entries)

    def __fingerprint__(self) -> Any:
        """What the functions follow from: not how well anything is known beforehand."""
        return self.encounter, self.errors, [(entry.group, entry.name) for entry in self.entries]

    @property
    def numbers(self) -> tuple[str, ...]:
        """Those of the groups that are numbers by name."""
        return tuple(group for group in self.groups if group not in GROUPS)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the reported quantities: vx, vy, omega, mass, inertia.xx …"""
        return tuple(entry.name for entry in self.entries)

    @property
    def units(self) -> tuple[str, ...]:
        return tuple(entry.unit for entry in self.entries)

    @cached_property
    def ranges(self) -> np.ndarray:
        """Plausible ranges of the reported quantities, shape (n,)."""
        return np.array([entry.range for entry in self.entries])

    @cached_property
    def start(self) -> np.ndarray:
        """θ of the encounter as it is given, shape (n,)."""
        values = [entry.start for entry in self.entries]
        for k, entry in enumerate(self.entries):
            if entry.group == "mass" or (entry.group == "inertia" and self.planar):
                values[k] = math.log(entry.start)
            elif entry.form != PLAIN:
                values[k] = theta_of(entry.form, entry.start)
        if "inertia" in self.groups and not self.planar:
            first = self.slices["inertia"]
            values[first] = root_of(self._tensor()).tolist()
        return np.array(values)

    @cached_property
    def scale(self) -> np.ndarray:
        """Plausible ranges of θ, shape (n,)."""
        scale = self.ranges.copy()
        for k, entry in enumerate(self.entries):
            if entry.group == "mass" or (entry.group == "inertia" and self.planar):
                scale[k] = min(entry.range / entry.start, 3.0)
            elif entry.form != PLAIN:
                scale[k] = scale_of(entry.form, entry.start, entry.range)
        if "inertia" in self.groups and not self.planar:
            first = self.slices["inertia"]
            size = float(np.exp(np.mean(self.start[first][:3])))
            scale[first] = [1.0, 1.0, 1.0, size, size, size]
        return scale

    @cached_property
    def priors(self) -> np.ndarray:
        """Standard deviations known beforehand, infinite where there is none, shape (n,)."""
        return np.array([math.inf if e.prior is None else e.prior for e in self.entries])

    @cached_property
    def slices(self) -> dict[str, slice]:
        """Where each group lies in θ."""
        places: dict[str, slice] = {}
        for k, entry in enumerate(self.entries):
            first = places[entry.group].start if entry.group in places else k
            places[entry.group] = slice(first, k + 1)
        return places

    @property
    def planar(self) -> bool:
        return self.encounter.is_planar

    @cached_property
    def inertia_follows_mass(self) -> bool:
        """Whether the inertia is the shape's at whatever mass: the mass is unknown, and
        no inertia is given apart from it."""
        shaped = self.encounter.shape is not None
        return shaped and "mass" in self.groups and "inertia" not in self.groups

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What is taken for granted of quantities that depend on an unknown, in sentences."""
        known = self.encounter
        if "mass" not in self.groups or "inertia" in self.groups:
            return ()
        if self.inertia_follows_mass:
            return (f"the inertia goes with the mass: it is that of the target's {known.shape}",)
        return (
            f"the inertia is held at what {known.inertia_source} gives, whatever the mass: where "
            "it is not known "
            "apart from the mass, add inertia to the unknowns, or give a shape",
        )

    def standing_for(self, other: Unknowns, theta: np.ndarray) -> np.ndarray:
        """θ of these unknowns (n,) for the target that θ (m,) of other unknowns stands for.

        Everything that the others ask for is asked for here, too.
        """
        found = self.start.copy()
        for group, place in other.slices.items():
            found[self.slices[group]] = theta[place]
        if "inertia" in self.slices and "inertia" not in other.slices:
            tensor = np.array(other.guess(theta).inertia.array(), float)
            root = [math.log(tensor[2, 2])] if self.planar else root_of(tensor)
            found[self.slices["inertia"]] = root
        return found

    # --- of any scalar ---------------------------------------------------------------------

    def guess(self, theta: Any) -> Guess:
        """The state just before the impact that θ stands for."""
        entries = unpack(theta, len(self), "theta", self.names)
        parts = {group: entries[place] for group, place in self.slices.items()}
        start, target = self.start_state, self.start_state.target
        assert target is not None
        assert start.grip is not None
        body = target.base
        q, v = start.chaser_coordinates, start.chaser_rates
        if "robot" in parts:
            steps, faster = self.errors.split(parts["robot"])
            q = integrate(start.chaser, q, steps)
            v = pack(add(float(a), b) for a, b in zip(v, faster, strict=True))
        mass: Scalar = exp(parts["mass"][0]) if "mass" in parts else body.mass
        linear, angular = self._motion(parts)
        return Guess(
            mass=mass,
            com=self._vector(parts.get("com"), Vector3.zero()),
            inertia=self._inertia(parts.get("inertia"), mass),
            rotation=self._rotation(parts.get("attitude")),
            contact=self._vector(parts.get("contact"), start.grip.placement.position),
            linear=linear,
            angular=angular,
            restitution=parts["restitution"][0] if "restitution" in parts else self._restitution,
            time=parts["time"][0] if "time" in parts else 0.0,
            chaser_coordinates=q,
            chaser_rates=v,
        )

    def quantities(self, theta: Any) -> Any:
        """The reported quantities, in the order of `names`, for θ of scalars of any kind."""
        values = list(unpack(theta, len(self), "theta", self.names))
        if "mass" in self.slices:
            place = self.slices["mass"].start
            values[place] = exp(values[place])
        if "inertia" in self.slices:
            place = self.slices["inertia"]
            tensor = self._inertia(tuple(values[place]))
            values[place] = [tensor.zz] if self.planar else list(tensor)
        for k, entry in enumerate(self.entries):
            values[k] = quantity_of(entry.form, values[k])
        return pack(values)

    def slopes(self, theta: np.ndarray) -> np.ndarray:
        """d quantities / dθ at θ (n,) or (n, batch): shape (n, n) or (n, n, batch)."""
        if self._is_plain:
            one = np.eye(len(self))
            return one if np.ndim(theta) == 1 else np.repeat(one[..., None], theta.shape[1], axis=2)
        return np.asarray(self._slopes(np.asarray(theta, float))[0])

    @property
    def _is_plain(self) -> bool:
        """Whether the reported quantities are θ itself."""
        forms = {entry.form for entry in self.entries}
        return forms <= {PLAIN} and not {"mass", "inertia"} & set(self.groups)

    @cached_property
    def _slopes(self) -> kernel.Jacobian:
        key = kernel.fingerprint(self.quantities)
        like = np.zeros(len(self))
        return _SLOPES.of(key, lambda: kernel.jacobian(self.quantities, like, key=key))

    # --- parts -------------------------------------------------------------------------------

    def _motion(self, parts: Mapping[str, tuple[Scalar, ...]]) -> tuple[Vector3, Vector3]:
        known = tuple(float(x) for x in self.start_state.target_rates)
        v: tuple[Scalar, ...] = parts.get("velocity", known)
        if self.planar:
            return Vector3(v[0], v[1], 0.0), Vector3(0.0, 0.0, v[2])
        return Vector3(*v[:3]), Vector3(*v[3:])

    def _vector(self, given: tuple[Scalar, ...] | None, known: Vector3) -> Vector3:
        if given is None:
            return known
        return Vector3(given[0], given[1], known.z) if self.planar else Vector3(*given)

    def _inertia(self, given: tuple[Scalar, ...] | None, mass: Scalar | None = None) -> Symmetric3:
        """About the centre of mass, target axes (kg m²); of a body of this mass (kg)."""
        target = self.start_state.target
        assert target is not None
        if given is None:
            own = target.base.inertia
            if mass is None or not self.inertia_follows_mass:
                return own
            return own * div(mass, target.base.mass)
        if not self.planar:
            return inertia_of(given)
        moment = exp(given[0])
        half = mul(0.5, moment)
        return Symmetric3(half, half, moment)

    def _rotation(self, given: tuple[Scalar, ...] | None) -> Rotation:
        if given is None:
            return self._orientation
        if self.planar:
            return Pose.planar(0.0, 0.0, given[0]).rotation
        turn = Quaternion.from_rotation_vector(Vector3(*given)).to_rotation()
        return turn @ self._orientation

    @cached_property
    def _orientation(self) -> Rotation:
        start = self.start_state
        assert start.target is not None
        return frame_pose(start.target, start.target_coordinates, start.target.base.name).rotation

    @property
    def _restitution(self) -> float:
        return restitution_of(self.encounter)

    def _tensor(self) -> np.ndarray:
        target = self.start_state.target
        assert target is not None
        return np.array(target.base.inertia.array(), float)
