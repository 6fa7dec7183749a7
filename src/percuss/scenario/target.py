"""The target's part of a scenario: its body, where it is touched and how it moves."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import Field

from percuss.model.systems import System
from percuss.scenario.block import (
    Angle,
    Block,
    Inertia,
    Length,
    Mass,
    Orientation,
    Point,
    Shape,
    Shorthand,
    Size,
)
from percuss.scenario.fields import Quantity
from percuss.scenario.from_library import FromLibrary
from percuss.scenario.lists import OneOrMore, Vector


class ContactPlace(Shorthand):
    """Where the target is touched, in its own frame, from its centre of mass."""

    forms: ClassVar[str] = "a point, or a mapping with angle (on the rim of a disk)"
    short: ClassVar[dict[str, Any]] = Vector(Quantity("m")).schema()

    angle: Angle | None = Field(
        default=None, description="Planar: polar angle of the point on the rim, needs a radius."
    )
    point: Point | None = Field(default=None, description="The point itself.")

    @classmethod
    def expand(cls, value: Any) -> Any:
        return {"point": value} if isinstance(value, list) else value


class TargetVelocity(Block):
    """Velocity just before the impact (with `approach`: at the start)."""

    linear: Annotated[tuple[float, ...], Vector(Quantity("m/s"))] | None = Field(
        default=None,
        description="Of its centre of mass, world frame (in an orbit see `orbit.velocities`); "
        "default zero.",
    )
    angular: Annotated[float | tuple[float, ...], OneOrMore(Quantity("rad/s"), (3,))] | None = (
        Field(
            default=None,
            description="World frame (in an orbit see `orbit.velocities`); a number if planar; "
            "default zero.",
        )
    )


class Target(Block):
    """What is captured: a body of its own, or an object of the library."""

    object: Annotated[str | System, FromLibrary("target")] | None = Field(
        default=None,
        description="An object of the library, or a system of one body, as `chaser.robot`; mass "
        "and inertia given here replace its own.",
    )
    shape: Shape | None = Field(
        default=None,
        description="`disk` with radius (planar), `box` with size, `cylinder` or `sphere` "
        "(spatial).",
    )
    mass: Mass | None = Field(default=None, description="Mass.")
    radius: Length | None = Field(default=None, description="Of a disk, cylinder or sphere.")
    length: Length | None = Field(
        default=None, description="Of a cylinder, along z of the target frame."
    )
    size: Size | None = Field(
        default=None, description="Edges of a box; with mass and inertia, of the box that is drawn."
    )
    inertia: Inertia | None = Field(
        default=None,
        description="About the centre of mass, target frame; default that of the shape.",
    )
    contact: ContactPlace | None = Field(
        default=None, description="The point that is touched; default the object's frame `grip`."
    )
    position: Point | None = Field(
        default=None, description="With `approach` only: of the centre of mass at the start, world."
    )
    angle: Angle | None = Field(
        default=None,
        description="Planar; default the angle of the tool's link + π − γ, where γ is the "
        "polar angle of the contact point.",
    )
    orientation: Orientation | None = Field(
        default=None, description="Spatial: world ← target; default not turned."
    )
    velocity: TargetVelocity = Field(
        default_factory=lambda: TargetVelocity(), description="Default at rest."
    )
