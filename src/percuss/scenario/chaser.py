"""The chaser's part of a scenario: its bodies, where it is and how it moves."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, Field

from percuss.encounter.errors import shown
from percuss.scenario.block import MODES, Angle, Block, Name, Orientation, Point, Shorthand
from percuss.scenario.errors import RefusedError
from percuss.scenario.fields import Choice, Quantity, Reader
from percuss.scenario.links import JointRate, Links
from percuss.scenario.lists import ByName, FrozenDict, Names, OneOrMore, Vector
from percuss.scenario.vehicle import Arm, Base, Joints, ModelSource

JointRates = Annotated[FrozenDict | tuple[float, ...], ByName(JointRate)]


class _At(Reader):
    """A place on a link: a distance along it, or a point."""

    @property
    def unit(self) -> str:
        return "m"

    @property
    def quantity(self) -> Quantity:
        return Quantity("m")

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

    forms: ClassVar[str] = "the name of a frame, or a mapping with frame, arm, link, at"
    short: ClassVar[dict[str, Any]] = {"type": "string", "minLength": 1}

    frame: Name | None = Field(
        default=None, description="A frame or link by name; with `arm`, by its name in the model."
    )
    arm: Name | None = Field(
        default=None, description="Which of several arms; default the first (planar)."
    )
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

    @property
    def quantity(self) -> Quantity:
        return Quantity("m")

    def read(self, value: Any) -> tuple[float, ...] | FrozenDict:
        point = Vector(Quantity("m"), (2,))
        if not isinstance(value, dict):
            return point.read(value)
        return FrozenDict({name: point.read(entry) for name, entry in value.items()})

    def schema(self) -> dict[str, Any]:
        point = Vector(Quantity("m"), (2,)).schema()
        return {"anyOf": [point, {"type": "object", "additionalProperties": point}]}


class ChaserVelocity(Block):
    """Velocity just before the impact (with `approach`: at the start)."""

    linear: Annotated[tuple[float, ...], Vector(Quantity("m/s"))] | None = Field(
        default=None,
        description="Of the base frame's origin, world frame (in an orbit see `orbit.velocities`); "
        "default zero.",
    )
    angular: Annotated[float | tuple[float, ...], OneOrMore(Quantity("rad/s"), (3,))] | None = (
        Field(
            default=None,
            description="Of the base, world frame (in an orbit see `orbit.velocities`); a number "
            "if planar; default zero.",
        )
    )
    joints: JointRates | None = Field(
        default=None, description="Joint rates, like `joints`; default zero."
    )


class Chaser(ModelSource):
    """The robot: arms on a base, a model file, a saved system, or a robot of the library."""

    base: Base | None = Field(
        default=None,
        description="The body under the arm or arms; may be left out in mode `fixed`.",
    )
    mount: Annotated[Any, _Mount()] | None = Field(
        default=None,
        description="Planar: joint 1 in the base frame (or a mapping of them by arm); "
        "default the base's centre of mass.",
    )
    mode: Annotated[str, Choice(MODES)] | None = Field(
        default=None,
        description="What the base can do; default `free-floating`, or the robot's own.",
    )
    arm: Links | None = Field(default=None, description="Planar: links from the base outwards.")
    arms: Annotated[dict[str, Arm], AfterValidator(FrozenDict)] | None = Field(
        default=None,
        description="Several arms by name: lists of links (planar), or models (spatial), whose "
        "bodies, joints and frames get the arm's name and `_` in front.",
    )
    parameters: Annotated[FrozenDict, ByName(Quantity(), listed=False)] | None = Field(
        default=None,
        description="Of models: values that replace their own, by name, such as `link3.mass`, "
        "in SI units.",
    )
    tool: Tool | None = Field(
        default=None,
        description="The point that touches; default the end of the (first planar, only spatial) "
        "arm.",
    )
    position: Point | None = Field(
        default=None,
        description="Of the base frame, world; of a model, that of its root. Default the origin.",
    )
    angle: Angle | None = Field(default=None, description="Planar: of the base.")
    orientation: Orientation | None = Field(
        default=None, description="Spatial: world ← base; default not turned."
    )
    joints: Joints | None = Field(
        default=None,
        description="Joint coordinates, by name or a list in the order of the joints that are "
        "neither locked nor follow another, or `usual`: the posture that the library gives its "
        "robot; default zero.",
    )
    locked: Annotated[tuple[str, ...], Names()] | None = Field(
        default=None,
        description="Joints that are held, by name, where `joints` puts them by name; default "
        "at zero.",
    )
    velocity: ChaserVelocity = Field(
        default_factory=lambda: ChaserVelocity(), description="Default at rest."
    )
