"""Where a control law is to bring the chaser."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Annotated, Any, ClassVar

from pydantic import Field

from percuss.encounter.errors import Path, shown
from percuss.encounter.goals import Destination, MoveTo, PassThrough, Stay
from percuss.scenario.block import Angle, Orientation, Point, Shorthand, Time, ValueBlock
from percuss.scenario.body_rules import orientation_rules
from percuss.scenario.errors import Problem
from percuss.scenario.fields import Quantity, Reader, plain, plain_entries
from percuss.scenario.lists import ByName, FrozenDict, Vector
from percuss.scenario.state import rotation_of

_VALUE = Quantity(("rad", "m"))


class _GoalJoints(Reader):
    """Joint coordinates of a goal: one set of them, or a list of lists."""

    @property
    def unit(self) -> str:
        return _VALUE.unit

    @property
    def quantity(self) -> Quantity:
        return _VALUE

    def read(self, value: Any) -> Any:
        if isinstance(value, list) and value and all(isinstance(row, list) for row in value):
            return tuple(Vector(_VALUE, ()).read(row) for row in value)
        return ByName(_VALUE).read(value)

    def schema(self) -> dict[str, Any]:
        rows = {"type": "array", "items": Vector(_VALUE, ()).schema()}
        return {"anyOf": [rows, *ByName(_VALUE).schema()["anyOf"]]}


class GoalBlock(Shorthand, ValueBlock):
    """Where the chaser is to go: stay, move to a place, or follow points in time."""

    forms: ClassVar[str] = "initial, or a mapping with joints, position, angle, within, times …"
    short: ClassVar[dict[str, Any]] = {"enum": ["initial"]}

    joints: Annotated[Any, _GoalJoints()] | None = Field(
        default=None,
        description="Joint coordinates to reach, or one list of them per time in `times`; "
        "default those at the impact.",
    )
    position: Point | None = Field(
        default=None, description="Of the base frame, world; default that at the impact."
    )
    angle: Angle | None = Field(
        default=None, description="Planar: of the base; default that at the impact."
    )
    orientation: Orientation | None = Field(
        default=None, description="Spatial: of the base; default that at the impact."
    )
    within: Time | None = Field(
        default=None, description="Time to get there, from rest to rest; default at once (a step)."
    )
    times: Annotated[tuple[float, ...], Vector(Quantity("s", least=0), ())] | None = Field(
        default=None, description="Times after the impact of the points in `joints`, increasing."
    )

    @classmethod
    def expand(cls, value: Any) -> Any:
        return {} if value == "initial" else value

    @property
    def is_initial(self) -> bool:
        return not self.model_fields_set

    def value(self) -> Destination:
        if self.is_initial:
            return Stay()
        if self.times is not None:
            return PassThrough(
                plain_entries(self.times), tuple(plain_entries(row) for row in self.joints or ())
            )
        joints = self.joints
        if isinstance(joints, FrozenDict):
            joints = FrozenDict({name: plain(value) for name, value in joints.items()})
        elif joints is not None:
            joints = plain_entries(joints)
        turn = None if self.orientation is None else rotation_of(self.orientation).rotation
        position = None if self.position is None else plain_entries(self.position)
        return MoveTo(
            joints=joints,
            position=position,
            angle=plain(self.angle),
            rotation=turn,
            within=plain(self.within),
        )

    def rules(self, at: Path) -> Iterator[Problem]:
        """Yield what is wrong of the goal's keys beside each other."""
        if self.orientation is not None:
            yield from orientation_rules(self.orientation, (*at, "orientation"))
        if self.times is not None:
            yield from self._path_rules(self.times, at)
            return
        if self._rows:
            message = "with several sets of joints needs times: one per set, in s"
            yield Problem((*at, "joints"), f"{message}, got {shown(self.joints)}")
        if self.within is not None and self.model_fields_set == {"within"}:
            what = "needs something to reach: joints, position, angle or orientation"
            yield Problem((*at, "within"), f"{what}, got {self.within:g} s alone")

    @property
    def _rows(self) -> tuple[tuple[float, ...], ...]:
        """The sets of joint coordinates where several are given, else none."""
        joints: Any = self.joints
        several = isinstance(joints, tuple) and any(isinstance(row, tuple) for row in joints)
        return joints if several else ()

    def _path_rules(self, times: tuple[float, ...], at: Path) -> Iterator[Problem]:
        for key in ("within", "position", "angle", "orientation"):
            if self.given(key):
                value = getattr(self, key)
                value = value.model_dump() if hasattr(value, "model_dump") else value
                yield Problem((*at, key), f"does not go with times, got {shown(value)}")
        if not self._rows:
            message = "with times must be a list of lists, one per time"
            yield Problem((*at, "joints"), f"{message}, got {shown(self.joints)}")
        elif len(self._rows) != len(times):
            sizes = f"{len(self._rows)} sets for {len(times)} times"
            yield Problem((*at, "joints"), f"must have one set per time, got {sizes}")
        if len(times) < 2:
            yield Problem((*at, "times"), f"must be two or more, got {shown(list(times))} s")
        if any(b <= a for a, b in pairwise(times)):
            yield Problem((*at, "times"), f"must increase, got {shown(list(times))} s")
