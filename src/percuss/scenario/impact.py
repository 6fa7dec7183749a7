"""How chaser and target meet: the closure and what it needs."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from percuss.scenario.block import Block, Length, Time
from percuss.scenario.control import Control
from percuss.scenario.fields import Choice, Count, Quantity
from percuss.scenario.lists import Vector

CLOSURES = ("pin", "weld", "published", "bounce", "compliant", "pulse")
INSTANTANEOUS = ("pin", "weld", "published", "bounce")

BELONGS: dict[str, tuple[str, ...]] = {
    "restitution": ("bounce", "compliant"),
    "friction": ("bounce", "compliant"),
    "normal": ("bounce", "compliant"),
    "law": ("compliant",),
    "stiffness": ("compliant",),
    "damping": ("compliant",),
    "force": ("pulse",),
    "frame": ("pulse",),
    "duration": ("pulse",),
    "repeat": ("bounce",),
}
"""The closures that each key is for."""


class Repeat(Block):
    """Bounces again and again, then closes."""

    below: Annotated[float, Quantity("m/s", above=0)] = Field(
        description="Relative speed below which the grasp closes."
    )
    then: Annotated[str, Choice(("pin", "weld"))] = Field(
        default="weld", description="How it closes."
    )
    most: Annotated[int, Count(1, 10_000)] = Field(default=20, description="Bounces at most.")


class Impact(Block):
    """What happens at the contact."""

    closure: Annotated[str, Choice(CLOSURES)] = Field(
        description="`pin`: the points stay together (a ball joint in space); `weld`: a rigid "
        "grasp; `published`: as in the thesis, planar, loses momentum; `bounce`; `compliant`; "
        "`pulse`: a given force, needs no target."
    )
    restitution: Annotated[float, Quantity("", least=0, most=1)] | None = Field(
        default=None,
        description="Bounce: energetic coefficient, Newton's when frictionless. Compliant: "
        "instead of damping.",
    )
    friction: Annotated[float, Quantity("", least=0)] | None = Field(
        default=None, description="Bounce, compliant: Coulomb's coefficient."
    )
    normal: Annotated[tuple[float, ...], Vector(Quantity())] | None = Field(
        default=None,
        description="Bounce, compliant: world frame, from chaser to target, any length; "
        "default from the contact point to the target's centre of mass.",
    )
    law: Annotated[str, Choice(("linear", "hunt-crossley"))] | None = Field(
        default=None, description="Compliant: force against indentation; default `hunt-crossley`."
    )
    stiffness: Annotated[float, Quantity(("N/m", "N/m^1.5"), above=0)] | None = Field(
        default=None, description="Compliant: N/m (linear) or N/m^1.5."
    )
    damping: Annotated[float, Quantity(("N s/m", "N s/m^2.5"), least=0)] | None = Field(
        default=None, description="Compliant: N s/m (linear) or N s/m^2.5."
    )
    force: Annotated[tuple[float, ...], Vector(Quantity("N"))] | None = Field(
        default=None, description="Pulse: on the chaser at the tool."
    )
    frame: Annotated[str, Choice(("world", "link"))] | None = Field(
        default=None, description="Pulse: axes of the force; default `world`."
    )
    duration: Time | None = Field(default=None, description="Pulse: how long the force acts.")
    repeat: Repeat | None = Field(default=None, description="Bounce: until slow, then close.")


class Approach(Block):
    """Motion before the contact; the target's position is given then."""

    capture_radius: Length = Field(description="Contact when the points are this close.")
    timeout: Time = Field(description="Give up after.")
    control: Control = Field(
        default_factory=lambda: Control(), description="Control before the contact; default none."
    )
