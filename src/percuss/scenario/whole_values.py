"""Blocks that stand for one value, such as an inertia, and values that a scenario leaves out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from percuss.encounter.errors import Path
from percuss.scenario.block import Block, Inertia, Orientation
from percuss.scenario.errors import ScenarioError
from percuss.scenario.fields import Quantity, plain_entries, plain_numbers
from percuss.scenario.places import (
    TENSOR,
    Place,
    Route,
    at,
    field_place,
    is_not_zero,
    only_place,
    tensor_place,
)
from percuss.scenario.shaped import planar_body, solid_body
from percuss.scenario.state import rotation_of
from percuss.scenario.target import ContactPlace
from percuss.scenario.vehicle import ArmMount

if TYPE_CHECKING:
    from percuss.scenario.model import Scenario

SPECIAL: Mapping[Any, tuple[str, ...]] = {
    Orientation: ("rpy",),
    Inertia: TENSOR,
    ContactPlace: ("angle",),
    ArmMount: (),
}
"""Blocks that stand for one value, and the parts of it that have names."""


@dataclass(frozen=True)
class WholeValues:
    """The places of what blocks stand for; `unknown` makes the error for a name that is none."""

    scenario: Scenario
    unknown: Callable[[str], ScenarioError]

    def find(self, name: str, block: type[Block], route: Route, rest: Path) -> Place:
        """The place of the value of a block, or of the part of it that the rest of a path names."""
        if block is Orientation:
            return self._turn(name, route, rest)
        if block is Inertia:
            return self._inertia(name, route, rest)
        if block is ArmMount:
            return self._mount(name, route, rest)
        return self._contact(name, route, rest)

    def _turn(self, name: str, route: Route, rest: Path) -> Place:
        """A quaternion (w, x, y, z), or roll, pitch and yaw (rad)."""
        given: Orientation | None = at(self.scenario, route)
        if given is None and (self.scenario.is_planar or "goal" in route):
            raise ScenarioError(
                f"{name}: is not given in the scenario, so there is nothing to vary"
            )
        rotation = rotation_of(given).rotation
        if rest == ("rpy",):
            rpy = None if given is None else given.rpy
            angles = plain_entries(rotation.to_rpy() if rpy is None else rpy)
            return only_place(route, "rpy", Orientation, angles, quantity=Quantity("rad"))
        if rest not in ((), ("quaternion",)):
            raise self.unknown(name)
        quaternion = None if given is None else given.quaternion
        value = plain_entries(rotation.to_quaternion() if quaternion is None else quaternion)
        place = only_place(route, "quaternion", Orientation, value, quantity=Quantity())
        return replace(place, check=is_not_zero, more=", w, x, y, z, not all zero")

    def _inertia(self, name: str, route: Route, rest: Path) -> Place:
        """The one moment of a planar body, the tensor of one in space, or an entry of it."""
        given: Any = at(self.scenario, route)
        tensor = self._tensor(name, route)
        moment = Quantity("kg m^2", above=0)
        if self.scenario.is_planar and rest in ((), ("moment",)):
            return only_place(route, "moment", Inertia, tensor[2], quantity=moment)
        if rest[1:] or (rest and rest[0] not in TENSOR):
            raise self.unknown(name)
        if self.scenario.is_planar:
            whole = name.rpartition(".")[0]
            raise ScenarioError(f"{name}: in the plane there is one moment of inertia: {whole}")
        if not rest:
            return tensor_place(route, tensor)
        k = TENSOR.index(str(rest[0]))
        kind = moment if k < 3 else Quantity("kg m^2")
        if given is None:
            return replace(tensor_place(route, tensor).entry(k), quantity=kind)
        return field_place((*route, str(rest[0])), tensor[k], kind)

    def _tensor(self, name: str, route: Route) -> tuple[float, ...]:
        """About the centre of mass (kg m²), as the body has it that a block describes."""
        target, given = self.scenario.start.target, self.scenario.chaser.base
        if route[0] == "target":
            body = None if target is None else target.base
        elif given is None or given.mass is None:
            body = None
        elif self.scenario.is_planar:
            body = planar_body("base", given, ("chaser", "base"))
        else:
            body = solid_body("base", given, given.mass)
        if body is None:
            raise ScenarioError(
                f"{name}: is not given in the scenario, so there is nothing to vary"
            )
        entries: Any = body.inertia
        return tuple(float(x) for x in entries)

    def _mount(self, name: str, route: Route, rest: Path) -> Place:
        """The point of the base where an arm is mounted (m)."""
        given: Any = at(self.scenario, route)
        if given is None or given.point is None or rest not in ((), ("point",)):
            raise ScenarioError(f"{name}: is not given in the scenario as a point that could vary")
        return only_place(
            route, "point", ArmMount, plain_numbers(given.point), quantity=Quantity("m")
        )

    def _contact(self, name: str, route: Route, rest: Path) -> Place:
        """The point on the target (m), or its angle on the rim (rad)."""
        given, grip = at(self.scenario, route), self.scenario.start.grip
        if rest == ("angle",):
            if given is None or given.angle is None:
                raise ScenarioError(f"{name}: the contact is given as a point: vary target.contact")
            return field_place((*route, "angle"), float(given.angle), Quantity("rad"))
        if rest not in ((), ("point",)) or grip is None:
            raise self.unknown(name)
        count = 2 if self.scenario.is_planar else 3
        position: Any = grip.placement.position
        point = tuple(float(x) for x in position)[:count]
        return only_place(route, "point", ContactPlace, point, quantity=Quantity("m"))


def value_of(scenario: Scenario, holder: Block, field: str, route: Route) -> Any:
    """What a field holds, or the value that it stands for where it is left out."""
    value = getattr(holder, field)
    if value is not None:
        return value
    start = scenario.start
    planar = scenario.is_planar
    origin = (0.0,) * (2 if planar else 3)
    match route:
        case ("chaser", "position") | ("chaser" | "target", "velocity", "linear"):
            return origin
        case ("chaser" | "target", "velocity", "angular"):
            return 0.0 if planar else origin
        case ("chaser", "angle") if planar:
            return 0.0
        case ("target", "angle") if planar:
            return float(start.target_coordinates[2])
        case ("target", "mass"):
            assert start.target is not None
            return start.target.base.mass
        case ("gravity",) if scenario.orbit is None:
            return tuple(start.chaser.gravity)[: len(origin)]
        case (*_, "damping_ratio") if getattr(holder, "natural_frequency", None) is not None:
            return 1.0
        case _:
            return None
