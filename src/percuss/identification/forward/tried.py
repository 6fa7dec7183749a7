"""Encounters in which θ is tried: all unknowns of an identification as numbers of an encounter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from percuss.algebra.poses import Pose
from percuss.algebra.rotations import Quaternion, Rotation
from percuss.algebra.scalars import Scalar, add, pack, to_scalar, unpack
from percuss.algebra.vectors import Vector3
from percuss.encounter.changed_encounter import changed_encounter
from percuss.encounter.contact_geometry import contact_surface_at
from percuss.encounter.encounter import Encounter
from percuss.encounter.ensemble.template import Template
from percuss.encounter.entries import Key
from percuss.encounter.number import Number
from percuss.identification.forward.numbers import PLAIN
from percuss.identification.forward.unknowns import Unknowns
from percuss.kinematics.manifold import integrate
from percuss.model.errors import ModelError

TARGET, ROBOT, NUMBERS = "theta.target", "theta.robot", "theta.numbers"
"""The parts of θ, in their order: of the target, errors of the robot's state, and numbers."""
DURATION = "duration"
"""How long the motion is followed (s), which is not a part of θ."""

_MOMENTS = ("xx", "yy", "zz", "xy", "xz", "yz")


@dataclass(frozen=True)
class TriedEncounter:
    """The encounter as a function of θ; see `percuss.encounter.number.Numbered`.

    Its numbers are the parts of θ, and how long the motion lasts. A body of θ has its frame where
    the encounter has it; the centre of mass may be elsewhere in it.
    """

    unknowns: Unknowns

    def __fingerprint__(self) -> Any:
        """What the encounters follow from."""
        return self.unknowns

    @cached_property
    def parts(self) -> Mapping[str, slice]:
        """Where each part that is unknown lies in θ."""
        slices, count = self.unknowns.slices, len(self.unknowns)
        named = [slices[name].start for name in self.unknowns.numbers]
        robot = slices.get("robot")
        third = min(named, default=count)
        second = third if robot is None else robot.start
        ends = {TARGET: slice(0, second), ROBOT: slice(second, third), NUMBERS: slice(third, count)}
        return {name: place for name, place in ends.items() if place.stop > place.start}

    def number(self, name: str) -> Number:
        """A part of θ, or the duration."""
        if name == DURATION:
            return self.unknowns.encounter.numbered.number(name)
        if name not in self.parts:
            raise ModelError(f"{name}: there is no such part of θ: {', '.join(self.parts)}")
        return Number(
            name=name,
            value=self.unknowns.start[self.parts[name]],
            unit="",
            words="θ of numbers that can be",
            allowed=lambda values: self._allowed(self.parts[name], values),
        )

    def _allowed(self, part: slice, values: np.ndarray) -> np.ndarray:
        """Whether a part of θ (entries, cases) is of numbers that can be, (cases,)."""
        unknowns = self.unknowns
        good = np.asarray(np.isfinite(values).all(axis=0))
        for name, place in unknowns.slices.items():
            rows = values[place.start - part.start : place.stop - part.start]
            if not part.start <= place.start < part.stop:
                continue
            if name == "restitution":
                good = good & (rows[0] >= 0.0) & (rows[0] <= 1.0)
            # Of numbers in other forms every θ is one that can be.
            elif name in unknowns.numbers and unknowns.entries[place.start].form == PLAIN:
                number = unknowns.encounter.numbered.number(name)
                good = good & number.allowed(rows if number.value.ndim else rows[0])
        return good

    def encounter_of(self, values: Mapping[str, Any]) -> Encounter:
        """The encounter in which some parts of θ have these values, of any scalars."""
        entries: list[Scalar] = [to_scalar(x) for x in self.unknowns.start]
        for name in values.keys() & self.parts.keys():
            place = self.parts[name]
            entries[place] = unpack(values[name], place.stop - place.start, name)
        encounter = self.at(pack(entries), NUMBERS in values)
        if DURATION in values:
            return changed_encounter(encounter, {(DURATION,): to_scalar(values[DURATION])})
        return encounter

    def at(self, theta: Any, with_numbers: bool = True) -> Encounter:
        """The encounter of θ, with numbers by name as that says or as θ does."""
        unknowns = self.unknowns
        encounter = unknowns.encounter.plain
        if with_numbers and unknowns.numbers:
            encounter = unknowns.encounter.numbered.encounter_of(self._named(theta))
        encounter = self._with_normal(encounter, unknowns.guess(theta).rotation)
        changed = changed_encounter(encounter, self._leaves(encounter, theta))
        return self._with_surface(changed, theta)

    @cached_property
    def nominal(self) -> Encounter:
        """The encounter of the numbers that are given."""
        encounter = self.unknowns.encounter.plain
        return self._with_normal(encounter, self.unknowns.guess(self.unknowns.start).rotation)

    def _with_normal(self, encounter: Encounter, rotation: Rotation) -> Encounter:
        """An encounter whose normal is fixed to the target where it must not be asked for."""
        if self._outward is None:
            return encounter
        normal = tuple(-(rotation @ self._outward))
        return replace(encounter, closure=replace(encounter.closure, normal=normal))  # type: ignore[call-arg]

    def _with_surface(self, encounter: Encounter, theta: Any) -> Encounter:
        """An encounter whose target's shape goes along with a contact point that is tried.

        That is where the tool met the surface, wherever both are from the centre of mass.
        """
        if self._outward is None or "contact" not in self.unknowns.groups:
            return encounter
        target, grip = encounter.target, self.unknowns.encounter.plain.grip
        assert target is not None
        assert grip is not None
        moved = self.unknowns.guess(theta).contact - grip.placement.position
        body = target.base
        visuals = tuple(
            replace(one, placement=Pose(one.placement.rotation, one.placement.position + moved))
            for one in body.visuals
        )
        return replace(encounter, target=replace(target, bodies=(replace(body, visuals=visuals),)))

    @cached_property
    def _outward(self) -> Vector3 | None:
        """Unit normal out of the target's surface, in its frame, where that must not be asked for.

        By default a normal is that of the target's shape, where it leads to the centre of mass,
        or leads there across a plane. Surfaces do not turn where the centre of mass or the contact
        point is tried elsewhere: the normal is that of the encounter as it is given. None for
        closures without a surface, and where the normal is given in world axes.
        """
        encounter = self.unknowns.encounter.plain
        if not {"com", "contact"} & set(self.unknowns.groups):
            return None
        closure = encounter.closure
        if getattr(closure, "normal", 0) is not None or getattr(closure, "pulls", False):
            return None
        contact = encounter.contact
        assert contact is not None
        met = contact_surface_at(contact, None, touched_shape=False)
        return met.surface.normal(contact.grip.placement.position)

    @property
    def known(self) -> frozenset[str]:
        """The parts that laws know: all but the robot's errors."""
        return frozenset(self.parts) - {ROBOT}

    def template(self) -> Template:
        """The encounter with θ as its input."""
        return Template(self.nominal, self, tuple(self.parts), self.known)

    def _named(self, theta: Any) -> dict[str, Any]:
        """The numbers by name."""
        unknowns, found = self.unknowns, dict[str, Any]()
        quantities = unpack(unknowns.quantities(theta), len(unknowns), "quantities")
        for name in unknowns.numbers:
            values = quantities[unknowns.slices[name]]
            is_vector = unknowns.encounter.numbered.number(name).value.ndim > 0
            found[name] = values if is_vector else values[0]
        return found

    def _leaves(self, encounter: Encounter, theta: Any) -> dict[Key, Scalar]:
        """The numbers of an encounter that the groups of unknowns are."""
        unknowns, guess = self.unknowns, self.unknowns.guess(theta)
        entries = unpack(theta, len(unknowns), "theta")
        given = {name: entries[place] for name, place in unknowns.slices.items()}
        target, axes = encounter.target, 2 if unknowns.planar else 3
        assert target is not None
        body = target.base
        leaves: dict[Key, Scalar] = {}

        def of_body(name: str, value: Scalar) -> None:
            leaves["target", "parameter", f"{body.name}.{name}"] = value

        if "mass" in given:
            of_body("mass", guess.mass)
        if "inertia" in given or unknowns.inertia_follows_mass:
            for moment in ("zz",) if body.planar_only else _MOMENTS:
                of_body(f"inertia.{moment}", getattr(guess.inertia, moment))
        if "com" in given:
            for axis, value in zip("xyz", given["com"], strict=False):
                of_body(f"com.{axis}", value)
        for k, value in enumerate(given.get("contact", ())):
            leaves["grip", k] = value
        if "attitude" in given:
            leaves |= _turned(encounter, given["attitude"])
        if given.keys() & {"velocity", "attitude", "com"}:
            # Rates are those of the frame's origin.
            origin = guess.linear - guess.angular.cross(guess.rotation @ guess.com)
            turning = list(guess.angular)
            rates = [*list(origin)[:axes], *(turning if axes == 3 else turning[2:])]
            leaves |= _all("target", "v", rates)
        if "restitution" in given:
            leaves["closure", "restitution"] = guess.restitution
        if "robot" in given:
            leaves |= self._off(encounter, given["robot"])
        return leaves

    def _off(self, encounter: Encounter, errors: tuple[Scalar, ...]) -> dict[Key, Scalar]:
        """Coordinates and rates of the chaser with errors."""
        chaser = encounter.chaser
        steps, faster = self.unknowns.errors.split(errors)
        q = integrate(chaser, encounter.chaser_coordinates, steps)
        v = unpack(encounter.chaser_rates, chaser.rate_count, "rates")
        rates = [add(a, b) for a, b in zip(v, faster, strict=True)]
        coordinates = unpack(q, chaser.coordinate_count, "coordinates")
        return _all("chaser", "q", coordinates) | _all("chaser", "v", rates)


def _all(owner: str, what: str, values: Sequence[Scalar]) -> dict[Key, Scalar]:
    return {(owner, what, k): value for k, value in enumerate(values)}


def _turned(encounter: Encounter, attitude: tuple[Scalar, ...]) -> dict[Key, Scalar]:
    """Coordinates of the target that is turned: by an angle, or from its own by a vector (rad)."""
    if len(attitude) == 1:
        return {("target", "q", 2): attitude[0]}
    q = [to_scalar(x) for x in encounter.target_coordinates[3:7]]
    turned = Quaternion.from_rotation_vector(Vector3(*attitude)) @ Quaternion(*q)
    return {("target", "q", 3 + k): value for k, value in enumerate(turned)}
