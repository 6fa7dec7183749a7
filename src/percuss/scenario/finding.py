"""The places of a scenario's numbers by their names: `target.mass`, `chaser.arm[2].length` …"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from percuss.encounter.errors import Path, shown_path
from percuss.model.errors import closest
from percuss.model.names import BaseMode
from percuss.scenario.block import Block, content, dashed
from percuss.scenario.document import parse_path
from percuss.scenario.errors import ScenarioError
from percuss.scenario.fields import Quantity, plain_numbers
from percuss.scenario.goal import GoalBlock
from percuss.scenario.joint_places import JointPlaces
from percuss.scenario.links import VISCOUS, JointFriction, JointLimitsBlock
from percuss.scenario.places import Place, Route, field_place, is_not_zero
from percuss.scenario.variants import Variant
from percuss.scenario.vehicle import Arm
from percuss.scenario.whole_values import SPECIAL, WholeValues, value_of

if TYPE_CHECKING:
    from percuss.scenario.model import Scenario

SETTINGS = ("integration", "output")
"""Blocks of numbers on which no motion depends."""
SAME_FOR_ALL = ("period", "delay", "memory")
"""Fields of control blocks that say when a law is computed and what it remembers."""

_NO_NUMBER = "is not a number that can vary"


@dataclass(frozen=True)
class Places:
    """The places of the numbers of one scenario, whose joints are all given by name."""

    scenario: Scenario

    # --- by name ------------------------------------------------------------------------------

    def find(self, name: str) -> Place:
        """The place of a number; ScenarioError where there is none of that name."""
        path = parse_path(name)
        head, last = path[0], path[-1]
        if head in SETTINGS:
            raise ScenarioError(f"{name}: {_NO_NUMBER}: it is a setting of the computation")
        special = JointPlaces(self.scenario, self.unknown).find(name, path)
        if special is not None:
            return special
        if isinstance(last, int):
            whole = self._vector_at(path[:-1])
            if whole is not None and last < len(whole.value):
                return whole.entry(last)
        return self._field(name, path)

    def candidates(self) -> Iterator[str]:
        """Names that may be those of numbers; `find` knows which are."""
        yield from JointPlaces(self.scenario, self.unknown).candidates()
        yield from _names(self.scenario, ())

    def unknown(self, name: str) -> ScenarioError:
        """The error that there is no number of a name, with the nearest one that there is."""
        others = [each for each in self.candidates() if each != name]
        return ScenarioError(
            f"{name}: there is no such number in the scenario.{closest(name, others)}"
        )

    # --- fields -------------------------------------------------------------------------------

    def _vector_at(self, path: Path) -> Place | None:
        """The vector of which an entry is meant, if it is one."""
        try:
            whole = self.find(shown_path(path))
        except ScenarioError:
            return None
        return whole if whole.is_vector else None

    def _field(self, name: str, path: Path) -> Place:
        route: Route = ()
        holder: Any = self.scenario
        quantity: Quantity | None = None
        for depth, part in enumerate(path):
            if holder is None:
                given = f"{shown_path(path[:depth])} is not given in the scenario"
                raise ScenarioError(f"{name}: {given}, so there is nothing to vary")
            if isinstance(holder, Arm) and isinstance(part, int):
                holder, route = holder.links, (*route, "links")  # an arm may be its links alone
            if isinstance(holder, Block):
                field = self._field_name(name, holder, part)
                block, _, reader = content(type(holder).model_fields[field])
                quantity = None if reader is None else reader.quantity
                route = (*route, field)
                if block is not None and block in SPECIAL:
                    return WholeValues(self.scenario, self.unknown).find(
                        name, block, route, path[depth + 1 :]
                    )
                holder = value_of(self.scenario, holder, field, route)
            else:
                holder = self._part(name, holder, part)
                route = (*route, part)
        return self._number(name, route, holder, quantity)

    def _field_name(self, name: str, block: Block, part: str | int) -> str:
        """The field of a block that a part of a name stands for."""
        if isinstance(block, JointLimitsBlock) and part in (0, 1):
            return ("lower", "upper")[int(part)]
        for field in type(block).model_fields:
            if dashed(field) == part:
                return field
        if isinstance(block, Variant):
            kinds = block.kinds.items()
            owners = [each for each, kind in kinds if part in kind.keys()]  # noqa: SIM118
            if owners:
                of = f"is for {block.tag} {' or '.join(owners)}"
                raise ScenarioError(f"{name}: {of}, not for {getattr(block, block.tag)}")
        raise self.unknown(name)

    def _part(self, name: str, holder: Any, part: str | int) -> Any:
        """What is at a position of a list, or at a key of a mapping."""
        if isinstance(holder, tuple) and isinstance(part, int) and part < len(holder):
            return holder[part]
        if isinstance(holder, Mapping) and part in holder:
            return holder[part]
        raise self.unknown(name)

    def _number(self, name: str, route: Route, value: Any, quantity: Quantity | None) -> Place:
        if isinstance(value, JointFriction) and value.model_fields_set == {"viscous"}:
            return field_place((*route, "viscous"), float(value.viscous), VISCOUS)
        if _holds_blocks(value):
            inside = ", ".join(filter(self._can_vary, _names(value, parse_path(name)))) or "none"
            raise ScenarioError(f"{name}: is no number itself. Numbers in it: {inside}")
        if quantity is None and value is not None:
            raise ScenarioError(f"{name}: {_NO_NUMBER}")
        if route[-1] in SAME_FOR_ALL and "control" in route:
            why = "what says when a law is computed, or what it remembers, is the same in all cases"
            raise ScenarioError(f"{name}: {_NO_NUMBER}: {why}")
        if self._is_on_spline(route):
            why = "the points of a path through several are the same in all cases"
            raise ScenarioError(f"{name}: {_NO_NUMBER}: {why}")
        if value is None or quantity is None:
            raise ScenarioError(
                f"{name}: is not given in the scenario and has no value of its own; give it one, "
                "and it can vary"
            )
        if isinstance(value, Mapping):
            ways = ", ".join(f"{name}.{key}" for key in value)
            raise ScenarioError(f"{name}: is given by name; vary one of {ways}")
        place = field_place(route, plain_numbers(value), quantity)
        if route[-1] == "normal":
            return replace(place, check=is_not_zero, more=", not all zero")
        return place

    def _can_vary(self, name: str) -> bool:
        try:
            self.find(name)
        except ScenarioError:
            return False
        return True

    def _is_on_spline(self, route: Route) -> bool:
        """Whether it is one of the points in time of a goal."""
        holder: Any = self.scenario
        for part in route:
            if isinstance(holder, GoalBlock):
                return holder.times is not None
            holder = getattr(holder, str(part), None)
        return False


def holds_still(scenario: Scenario, name: str) -> bool:
    """Whether a name is that of a velocity of a base that is fixed."""
    moves = scenario.start.chaser.mode != BaseMode.FIXED
    return not moves and name.startswith(("chaser.velocity.linear", "chaser.velocity.angular"))


def _holds_blocks(value: Any) -> bool:
    """Whether a value is a block, or a list or a mapping of blocks."""
    several = value.values() if isinstance(value, Mapping) else value
    listed = isinstance(several, (tuple, Collection)) and not isinstance(several, str)
    return isinstance(value, Block) or (listed and any(isinstance(x, Block) for x in several))


def _names(holder: Any, path: Path) -> Iterator[str]:
    """Names of what stands in blocks below a path and is of a number's kind."""
    if isinstance(holder, Block):
        for field, info in type(holder).model_fields.items():
            block, _, reader = content(info)
            below = (*path, dashed(field))
            value = getattr(holder, field)
            if below[0] in SETTINGS:
                continue
            if block in SPECIAL:
                yield shown_path(below)
                yield from (shown_path((*below, key)) for key in SPECIAL[block])
            elif block is not None:
                yield from _names(value, below)
            elif reader is not None and reader.quantity is not None:
                yield shown_path(below)
                if isinstance(value, Mapping):
                    yield from (shown_path((*below, key)) for key in value)
    elif isinstance(holder, tuple):
        for k, each in enumerate(holder):
            yield from _names(each, (*path, k))
    elif isinstance(holder, Mapping):
        for key, each in holder.items():
            yield from _names(each, (*path, key))
