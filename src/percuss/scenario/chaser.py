"""The chaser's part of a scenario: its bodies, where it is and how it moves."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, Field

from percuss.scenario.block import (
    MODES,
    Angle,
    Block,
    Inertia,
    Length,
    Mass,
    Name,
    Orientation,
    Point,
    Shape,
    Shorthand,
    Size,
)
from percuss.scenario.errors import RefusedError, shown
from percuss.scenario.fields import Choice, Quantity, Reader, Text
from percuss.scenario.links import JointRate, JointValue, Links
from percuss.scenario.lists import ByName, FrozenDict, OneOrMore, Vector


class Base(Block):
    """The body that carries the arms of a planar chaser; its frame is where `position` is."""

    shape: Shape | None = Field(default=None, description="`disk` with radius, `box` with size.")
    mass: Mass = Field(description="Mass.")
    radius: Length | None = Field(default=None, description="Of a disk.")
    size: Size | None = Field(default=None, description="Edges [x, y] of a box.")
    inertia: Inertia | None = Field(
        default=None, description="About the centre of mass; default that of the shape."
    )
    com: Point | None = Field(
        default=None, description="Centre of mass in the base frame; default its origin."
    )


class Arm(Shorthand):
    """One of several arms."""

    forms: ClassVar[str] = "a list of links, or a mapping with mount, angle, links"
    short: ClassVar[dict[str, Any]] = {"type": "array", "items": {"$ref": "#/$defs/Link"}}

    mount: Annotated[tuple[float, ...], Vector(Quantity("m"), (2,))] | None = Field(
        default=None, description="Joint 1 in the base frame; default the base's centre of mass."
    )
    angle: Angle = Field(
        default=0.0, description="Direction of the arm at zero joints, in the base frame."
    )
    links: Links = Field(description="From the base outwards.")

    @classmethod
    def expand(cls, value: Any) -> Any:
        return {"links": value} if isinstance(value, list) else value


class _At(Reader):
    """A place on a link: a distance along it, or a point."""

    @property
    def unit(self) -> str:
        return "m"

    def read(self, value: Any) -> float | tuple[float, ...]:
        return OneOrMore(Quantity("m"), (2, 3)).read(value)

    def schema(self) -> dict[str, Any]:
        return OneOrMore(Quantity("m"), (2, 3)).schema()


class _LinkName(Reader):
    """A link by number, counted from 1 at the base, or by name."""

    def read(self, value: Any) -> int | str:
        if isinstance(value, str) and value.strip():
            return value
        if isinstance(value, int) and not isinstance(value, bool) and value >= 1:
            return value
        raise RefusedError(
            f"must be the number of a link from 1 on, or its name, got {shown(value)}"
        )

    def schema(self) -> dict[str, Any]:
        return {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "string", "minLength": 1}]}


class Tool(Shorthand):
    """The point of the chaser that touches."""

    forms: ClassVar[str] = "the name of a frame, or a mapping with link, at, arm"
    short: ClassVar[dict[str, Any]] = {"type": "string", "minLength": 1}

    frame: Name | None = Field(default=None, description="A frame or link by name.")
    arm: Name | None = Field(default=None, description="Which of several arms; default the first.")
    link: Annotated[int | str, _LinkName()] | None = Field(
        default=None, description="Number of the link from the base (planar, from 1) or its name."
    )
    at: Annotated[float | tuple[float, ...], _At()] | None = Field(
        default=None,
        description="Distance along the link (planar) or point in the link frame; "
        "default its end (planar) or its origin (spatial).",
    )

    @classmethod
    def expand(cls, value: Any) -> Any:
        return {"frame": value} if isinstance(value, str) else value


class _Mount(Reader):
    """Where the arm or, by name, the arms are mounted."""

    @property
    def unit(self) -> str:
        return "m"

    def read(self, value: Any) -> tuple[float, ...] | FrozenDict:
        point = Vector(Quantity("m"), (2,))
        if not isinstance(value, dict):
            return point.read(value)
        return FrozenDict({name: point.read(entry) for name, entry in value.items()})

    def schema(self) -> dict[str, Any]:
        point = Vector(Quantity("m"), (2,)).schema()
        return {"anyOf": [point, {"type": "object", "additionalProperties": point}]}


USUAL = "usual"
"""Stands for the posture that the library gives a robot."""


class _JointPositions(Reader):
    """Joint coordinates as a list or by name, or the word `usual`."""

    @property
    def unit(self) -> str:
        return JointValue.unit

    def read(self, value: Any) -> FrozenDict | tuple[float, ...] | str:
        if value == USUAL:
            return USUAL
        if isinstance(value, str):
            raise RefusedError(
                f"must be a list, or a mapping by joint name, of numbers in {self.unit}, or the "
                f"word {USUAL} with a robot of the library, got {shown(value)}"
            )
        return ByName(JointValue).read(value)

    def schema(self) -> dict[str, Any]:
        return {"anyOf": [{"enum": [USUAL]}, *ByName(JointValue).schema()["anyOf"]]}


Joints = Annotated[FrozenDict | tuple[float, ...] | str, _JointPositions()]
JointRates = Annotated[FrozenDict | tuple[float, ...], ByName(JointRate)]


class ChaserVelocity(Block):
    """Velocity just before the impact (with `approach`: at the start)."""

    linear: Annotated[tuple[float, ...], Vector(Quantity("m/s"))] | None = Field(
        default=None, description="Of the base frame's origin, world frame; default zero."
    )
    angular: Annotated[float | tuple[float, ...], OneOrMore(Quantity("rad/s"), (3,))] | None = (
        Field(
            default=None, description="Of the base, world frame; a number if planar; default zero."
        )
    )
    joints: JointRates | None = Field(
        default=None, description="Joint rates, like `joints`; default zero."
    )


class Chaser(Block):
    """The robot: an arm or arms on a base (planar), a URDF file, or a robot of the library."""

    base: Base | None = Field(
        default=None,
        description="Planar: the body under the arms; may be left out in mode `fixed`.",
    )
    mount: Annotated[Any, _Mount()] | None = Field(
        default=None,
        description="Joint 1 in the base frame (or a mapping of them by arm); "
        "default the base's centre of mass.",
    )
    mode: Annotated[str, Choice(MODES)] | None = Field(
        default=None,
        description="What the base can do; default `free-floating`, or the robot's own.",
    )
    arm: Links | None = Field(default=None, description="Planar: links from the base outwards.")
    arms: Annotated[dict[str, Arm], AfterValidator(FrozenDict)] | None = Field(
        default=None, description="Planar: several arms by name."
    )
    urdf: Annotated[str, Text("the path of a URDF file")] | None = Field(
        default=None, description="URDF file, relative to the scenario; its root link is the base."
    )
    robot: Name | None = Field(
        default=None, description="A robot of the library (`percuss robots`)."
    )
    parameters: Annotated[FrozenDict, ByName(Quantity(), listed=False)] | None = Field(
        default=None,
        description="With `urdf` or `robot`: values that replace the model's own, by name, such "
        "as `link3.mass`, in SI units.",
    )
    tool: Tool | None = Field(
        default=None, description="The point that touches; default the end of the (first) arm."
    )
    position: Point | None = Field(
        default=None, description="Of the base frame, world; default the origin."
    )
    angle: Angle | None = Field(default=None, description="Planar: of the base.")
    orientation: Orientation | None = Field(
        default=None, description="Spatial: world ← base; default not turned."
    )
    joints: Joints | None = Field(
        default=None,
        description="Joint coordinates, a list in the order of the joints or by name, or `usual`: "
        "the posture that the library gives its robot; default zero.",
    )
    velocity: ChaserVelocity = Field(
        default_factory=lambda: ChaserVelocity(), description="Default at rest."
    )
