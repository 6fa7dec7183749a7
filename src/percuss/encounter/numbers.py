"""The numbers of an encounter by the names of a scenario file, and encounters with others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from percuss.algebra.scalars import Scalar, add, div, is_constant, mul, sub, to_scalar
from percuss.dynamics.orbit import EARTH_GRAVITATIONAL_PARAMETER, EARTH_RADIUS
from percuss.encounter.body_numbers import (
    MOMENTS,
    TENSOR,
    BodyNumbers,
    moment_bound,
    plate,
    tensor_of,
)
from percuss.encounter.bounds import LENGTH, MASS, MOMENT, POSITIVE, REAL, Bound
from percuss.encounter.changed_encounter import changed_encounter
from percuss.encounter.encounter import Encounter
from percuss.encounter.entries import Entries, Entry, Key, path_of
from percuss.encounter.errors import EncounterError
from percuss.encounter.field_numbers import NOT_A_NUMBER, FieldNumbers
from percuss.encounter.number import Number
from percuss.encounter.requirements import require
from percuss.encounter.shapes import is_shape
from percuss.model.errors import ModelError, closest
from percuss.model.systems import System

_FOLLOWS = "follows from the tool, at which the contact point is: vary target.contact instead"
_WORDS = (
    "name",
    "chaser.mode",
    "chaser.tool",
    "target.shape",
    "impact.closure",
    "impact.law",
    "control.law",
    "approach.control.law",
    "approach.contact",
    "integration.method",
    "integration.relative-tolerance",
    "integration.step",
    "integration.most-steps",
    "output.samples",
    "collision.on",
    "collision.margin",
)
"""Words, counts, and what says how to compute rather than what happens."""


@dataclass(frozen=True)
class EncounterNumbers:
    """The numbers on which an encounter depends, each by its dotted name.

    Names are those of a scenario file: "target.mass", "chaser.joints", "impact.friction",
    "control.natural-frequency"; any parameter of `percuss.parameters` is
    "chaser.parameters.NAME" or "target.parameters.NAME". Positions, velocities and the contact of
    a target are those of the frame of its base body, which a scenario puts at the centre of mass.
    """

    encounter: Encounter

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all numbers that can be replaced."""
        found = self._entries
        return tuple(name for name in found.numbers if name not in found.refused)

    def number(self, name: str) -> Number:
        """The number of a name; EncounterError with the nearest name where there is none."""
        return self._entry(name).number(name)

    def encounter_of(self, values: Mapping[str, Any]) -> Encounter:
        """The encounter with some numbers replaced, by scalars of any kind.

        Without an approach the target moves along with the tool, so that its contact point stays
        there. EncounterError for a name that is none, for a value of another shape, for two names
        of one number, and for numbers that cannot be, where they are known.
        """
        leaves: dict[Key, Scalar] = {}
        names: dict[Key, str] = {}
        for name, value in values.items():
            new = self._entry(name).leaves(name, value)
            for key in new:
                if key in leaves:
                    message = f"is part of {names[key]}, which is given too: give one of them"
                    raise EncounterError(path_of(name), message)
                names[key] = name
            leaves |= new
        self._scale_shape(leaves, "target.mass" in values)
        try:
            return changed_encounter(self.encounter, leaves)
        except EncounterError:
            raise
        except ModelError as error:
            raise EncounterError(path_of(next(iter(values))), str(error)) from None

    def _entry(self, name: str) -> Entry:
        found = self._entries
        path = path_of(name)
        if name in found.refused:
            raise EncounterError(path, found.refused[name])
        if name in found.numbers:
            return found.numbers[name]
        for part in ("target", "approach", "orbit"):
            if path[0] == part and getattr(self.encounter, part) is None:
                raise EncounterError(path, f"is not given: the encounter has no {part}")
        inside = [known for known in found.numbers if known.startswith(f"{name}.")]
        if inside:
            some = ", ".join(inside[:3])
            raise EncounterError(path, f"{NOT_A_NUMBER}: give one inside it, such as {some}")
        near = closest(name, [*found.numbers, *found.refused])
        raise EncounterError(path, f"there is no such number in the encounter.{near}")

    def _scale_shape(self, leaves: dict[Key, Scalar], heavier: bool) -> None:
        """The inertia of a shape goes with its mass, unless it is given itself."""
        target = self.encounter.target
        if target is None or not heavier or not is_shape(target.base):
            return
        body = target.base
        mass = leaves["target", "parameter", f"{body.name}.mass"]
        # Without this a shape would become a place without mass and inertia, which can exist.
        require(("target", "mass"), mass, MASS.entry, MASS.described("kg", None))
        ratio = div(mass, body.mass)
        moments = ("zz",) if body.planar_only else MOMENTS
        keys: list[Key] = [("target", "parameter", f"{body.name}.inertia.{m}") for m in moments]
        if any(key in leaves for key in keys):
            return
        for key, moment in zip(keys, moments, strict=True):
            leaves[key] = mul(ratio, getattr(body.inertia, moment))

    # --- the names ----------------------------------------------------------------------------

    @cached_property
    def _entries(self) -> Entries:
        given = self.encounter
        found = Entries.none()
        found.refused.update(dict.fromkeys(_WORDS, NOT_A_NUMBER))
        q, v = given.chaser_coordinates, given.chaser_rates
        found.add(BodyNumbers("chaser", given.chaser, q, v).entries)
        if given.target is not None:
            q, v = given.target_coordinates, given.target_rates
            found.add(BodyNumbers("target", given.target, q, v).entries)
            found.add(self._target(given.target))
        joints = tuple(joint.name for joint in given.chaser.movable_joints)
        for prefix, attribute in (
            ("impact", "closure"),
            ("control", "control"),
            ("approach", "approach"),
            ("orbit", "orbit"),
        ):
            part = getattr(given, attribute)
            if part is not None:
                found.add(FieldNumbers(joints).of(part, prefix, (attribute,)))
        found.numbers["duration"] = Entry(
            to_scalar(given.duration), "s", POSITIVE, (("duration",),)
        )
        found.add(self._surroundings())
        return found

    def _target(self, target: System) -> Entries:
        """What a target is: mass, inertia, and where it is touched."""
        found, body = Entries.none(), target.base
        at = lambda name: ("target", "parameter", f"{body.name}.{name}")  # noqa: E731
        found.numbers["target.mass"] = Entry(to_scalar(body.mass), "kg", MASS, (at("mass"),))
        tensor = tensor_of(body)
        keys = tuple(at(f"inertia.{moment}") for moment in MOMENTS)
        if target.is_planar:
            every, spread = (keys[2:3], None) if body.planar_only else (keys, plate)
            found.numbers["target.inertia"] = Entry(
                value=tensor[2], unit="kg m²", bound=MOMENT, keys=every, spread=spread
            )
        else:
            found.numbers["target.inertia"] = Entry(tensor, "kg m²", TENSOR, keys)
            for moment, x, key in zip(MOMENTS, tensor, keys, strict=True):
                bound = moment_bound(body, moment)
                found.numbers[f"target.inertia.{moment}"] = Entry(x, "kg m²", bound, (key,))
        grip = self.encounter.grip
        assert grip is not None, "a target has a contact point"
        point = tuple(to_scalar(x) for x in grip.placement.position)
        point = point[: 2 if target.is_planar else 3]
        places: tuple[Key, ...] = tuple(("grip", k) for k in range(len(point)))
        found.numbers["target.contact"] = Entry(point, "m", LENGTH, places)
        if self.encounter.approach is None:
            found.refused["target.position"] = _FOLLOWS
        return found

    def _surroundings(self) -> Entries:
        """Gravity, and the orbit as a scenario may tell it."""
        found, given = Entries.none(), self.encounter
        orbit = given.orbit
        if orbit is not None:
            found.refused["gravity"] = f"{NOT_A_NUMBER}: in an orbit everything falls alike"
            pull = orbit.gravitational_parameter
            if is_constant(pull) and pull == EARTH_GRAVITATIONAL_PARAMETER:
                radius = orbit.semi_major_axis
                found.numbers["orbit.altitude"] = Entry(
                    value=sub(radius, EARTH_RADIUS),
                    unit="m",
                    bound=Bound(f"> -{EARTH_RADIUS:g}", lambda x: POSITIVE.entry(x + EARTH_RADIUS)),
                    keys=(("orbit", "semi_major_axis"),),
                    spread=lambda x: (add(EARTH_RADIUS, x[0]),),
                )
            return found
        axes = "xy" if given.is_planar else "xyz"
        owners = ["chaser"]
        # A target beside a chaser of the same gravity falls with it.
        if given.target is not None and given.target.gravity == given.chaser.gravity:
            owners.append("target")
        pull = tuple(to_scalar(getattr(given.chaser.gravity, axis)) for axis in axes)
        keys = tuple((o, "parameter", f"gravity.{axis}") for o in owners for axis in axes)
        found.numbers["gravity"] = Entry(
            value=pull, unit="m/s²", bound=REAL, keys=keys, spread=lambda x: x * len(owners)
        )
        return found
