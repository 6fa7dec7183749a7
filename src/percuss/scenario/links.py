"""Links of planar arms: their bodies, and the limits and friction of their joints."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import Field

from percuss.scenario.block import Block, Length, Mass, Shorthand
from percuss.scenario.fields import Choice, Quantity
from percuss.scenario.lists import Vector

JointValue = Quantity(("rad", "m"))
JointBound = Quantity(("rad", "m"), infinite=True)
JointRate = Quantity(("rad/s", "m/s"))
Effort = Quantity(("N m", "N"), least=0, infinite=True)


class JointLimitsBlock(Shorthand):
    """How far and how fast a joint may go; a run warns when it goes beyond; nothing stops it."""

    forms: ClassVar[str] = "[lower, upper], or a mapping with lower, upper, speed"
    short: ClassVar[dict[str, Any]] = Vector(JointBound, (2,)).schema()

    lower: Annotated[float, JointBound] = Field(
        default=-float("inf"), description="Least coordinate."
    )
    upper: Annotated[float, JointBound] = Field(
        default=float("inf"), description="Largest coordinate."
    )
    speed: Annotated[float, Quantity(("rad/s", "m/s"), least=0, infinite=True)] = Field(
        default=float("inf"), description="Largest speed."
    )

    @classmethod
    def expand(cls, value: Any) -> Any:
        if isinstance(value, list) and len(value) == 2:
            return dict(zip(("lower", "upper"), value, strict=True))
        return value


VISCOUS = Quantity(("N m s/rad", "N m s", "N s/m"), least=0)


class JointFriction(Shorthand):
    """Friction of a joint, against its rate."""

    forms: ClassVar[str] = "a viscous coefficient, or a mapping with viscous, coulomb, smoothing"
    short: ClassVar[dict[str, Any]] = VISCOUS.schema()

    viscous: Annotated[float, VISCOUS] = Field(default=0.0, description="Per joint rate.")
    coulomb: Annotated[float, Quantity(("N m", "N"), least=0)] = Field(
        default=0.0, description="Dry friction."
    )
    smoothing: Annotated[float, Quantity(("rad/s", "m/s"), above=0)] = Field(
        default=1e-3, description="Rate around which dry friction changes sign."
    )

    @classmethod
    def expand(cls, value: Any) -> Any:
        simple = isinstance(value, (int, float, str)) and not isinstance(value, bool)
        return {"viscous": value} if simple else value


class LinkBlock(Block):
    """A link of a planar arm and the joint before it: a slender rod unless told otherwise."""

    joint: Annotated[str, Choice(("revolute", "prismatic"))] = Field(
        default="revolute", description="Joint before the link; a prismatic one slides along it."
    )
    length: Length = Field(description="From its joint to the next.")
    mass: Mass = Field(description="Mass.")
    com: Annotated[float, Quantity("m")] | None = Field(
        default=None,
        description="Centre of mass from its joint along the link; default the middle.",
    )
    inertia: Annotated[float, Quantity("kg m^2", above=0)] | None = Field(
        default=None, description="About its centre of mass; default m l²/12."
    )
    limits: JointLimitsBlock | None = Field(default=None, description="Of the joint; default none.")
    torque: Annotated[float, Effort] | None = Field(
        default=None,
        description="Largest motor torque or force; default unlimited, 0 for no motor.",
    )
    friction: JointFriction | None = Field(default=None, description="Of the joint; default none.")


Links = tuple[LinkBlock, ...]
