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
COMPLIANT_LAWS = ("linear", "hunt-crossley", "bilateral")
SLIP_SPEED = 1e-3
"""Default of impact.slip-speed (m/s)."""

BELONGS: dict[str, tuple[str, ...]] = {
    "restitution": ("bounce", "compliant"),
    "friction": ("bounce", "compliant"),
    "normal": ("bounce", "compliant"),
    "law": ("compliant",),
    "slip-speed": ("compliant",),
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
    law: Annotated[str, Choice(COMPLIANT_LAWS)] | None = Field(
        default=None,
        description="Compliant: force against indentation, `linear` or `hunt-crossley` (default), "
        "which can only push; `bilateral`: a linear spring between the contact points that also "
        "pulls.",
    )
    slip_speed: Annotated[float, Quantity("m/s", above=0)] | None = Field(
        default=None,
        description="Compliant: slip speed around which friction builds up, "
        "μ F v/√(v² + slip-speed²); default 1 mm/s.",
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


class Meet(Block):
    """When the tool is to reach the contact point, and how fast it then closes in."""

    at: Time = Field(description="Time of the meeting, from the start of the run.")
    closing_speed: Annotated[float, Quantity("m/s", least=0)] = Field(
        default=0.0,
        description="Of the tool towards the target at the meeting; default 0: velocities match.",
    )
    base: Annotated[str, Choice(("stay", "move"))] = Field(
        default="stay",
        description="For laws pd and computed-torque: whether the base stays where it is or flies "
        "to where the arm meets the target as it is now.",
    )


class Approach(Block):
    """Motion before the contact; the target's position is given then."""

    capture_radius: Length | None = Field(
        default=None, description="Contact when the points are this close; for contact point."
    )
    contact: Annotated[str, Choice(("point", "surface"))] = Field(
        default="point",
        description="`point`: the tool within capture-radius of the contact point; `surface`: it "
        "touches the target's shape anywhere, along the shape's normal.",
    )
    timeout: Time = Field(description="Give up after.")
    observe: Time | None = Field(
        default=None, description="Hold still that long before setting out; default not at all."
    )
    meet: Meet | None = Field(
        default=None, description="Where to be when; for laws match, pd and computed-torque."
    )
    control: Control = Field(
        default_factory=lambda: Control(), description="Control before the contact; default none."
    )
