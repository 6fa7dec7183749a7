"""How chaser and target meet: the closure and what it needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import Field

from percuss.encounter import closures
from percuss.encounter.phases import Closure
from percuss.impact.contact_laws import CONTACT_LAWS, USUAL_LAW, ContactLaw
from percuss.scenario.block import Block, Length, Time
from percuss.scenario.control import Control
from percuss.scenario.fields import Choice, Count, Quantity, plain_float, plain_numbers
from percuss.scenario.lists import Vector
from percuss.sources.published import Published

COMPLIANT_LAWS = tuple(CONTACT_LAWS)
STIFFNESS_UNITS = tuple(dict.fromkeys(law.stiffness_unit for law in CONTACT_LAWS.values()))
DAMPING_UNITS = tuple(dict.fromkeys(law.damping_unit for law in CONTACT_LAWS.values()))
_FIRST_LAW = {law.stiffness_unit: law.name for law in reversed(CONTACT_LAWS.values())}
"""The first law of contact with each unit of stiffness."""
_STIFFNESSES = " or ".join(f"{unit} ({_FIRST_LAW[unit]})" for unit in STIFFNESS_UNITS)


@dataclass(frozen=True)
class ClosureKind:
    """A closure as the file has it.

    Attributes:
        closure: its type.
        make: makes it from an `Impact`; the rules have seen that nothing is missing.
        keys: the keys that belong to it, besides `closure`.
        needs: keys without which it is nothing, with what they are.
    """

    closure: type[Closure]
    make: Callable[[Any], Closure]
    keys: tuple[str, ...] = ()
    needs: Mapping[str, str] = field(default_factory=dict[str, str])


CLOSURE_KINDS: dict[str, ClosureKind] = {
    "pin": ClosureKind(closures.Pin, lambda _: closures.Pin()),
    "weld": ClosureKind(closures.Weld, lambda _: closures.WELD),
    "published": ClosureKind(Published, lambda _: Published()),
    "bounce": ClosureKind(
        closures.Bounce,
        lambda impact: closures.Bounce(
            float(impact.restitution),
            float(impact.friction or 0.0),
            plain_numbers(impact.normal),
            None if impact.repeat is None else impact.repeat.value(),
        ),
        ("restitution", "friction", "normal", "repeat"),
        {"restitution": "a number from 0 to 1"},
    ),
    "compliant": ClosureKind(
        closures.Compliant,
        lambda impact: closures.Compliant(
            stiffness=float(impact.stiffness),
            damping=plain_float(impact.damping),
            restitution=plain_float(impact.restitution),
            law=impact.law or USUAL_LAW,
            friction=float(impact.friction or 0.0),
            slip_speed=float(impact.slip_speed or closures.SLIP_SPEED),
            normal=plain_numbers(impact.normal),
        ),
        ("restitution", "friction", "normal", "law", "slip-speed", "stiffness", "damping"),
        {"stiffness": f"a number in {_STIFFNESSES} > 0"},
    ),
    "pulse": ClosureKind(
        closures.Pulse,
        lambda impact: closures.Pulse(
            tuple(map(float, impact.force)), float(impact.duration), impact.frame == "link"
        ),
        ("force", "frame", "duration"),
        {
            "force": "a vector in N, on the chaser at the tool",
            "duration": "a time in s > 0, such as 10 ms",
        },
    ),
}
"""The closures by their names in the file: one of your own is a class, and an entry here."""


def closures_of(key: str) -> tuple[str, ...]:
    """The closures that a key belongs to."""
    return tuple(name for name, kind in CLOSURE_KINDS.items() if key in kind.keys)


class Repeat(Block):
    """Bounces again and again, then closes."""

    below: Annotated[float, Quantity("m/s", above=0)] = Field(
        description="Relative speed below which the grasp closes."
    )
    then: Annotated[str, Choice(("pin", "weld"))] = Field(
        default="weld", description="How it closes."
    )
    most: Annotated[int, Count(1, 10_000)] = Field(default=20, description="Bounces at most.")

    def value(self) -> closures.Repeat:
        """The same as an encounter has it."""
        then = closures.Pin() if self.then == "pin" else closures.WELD
        return closures.Repeat(float(self.below), then, self.most)


class Impact(Block):
    """What happens at the contact."""

    closure: Annotated[str, Choice(CLOSURE_KINDS)] = Field(
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
    stiffness: Annotated[float, Quantity(STIFFNESS_UNITS, above=0)] | None = Field(
        default=None, description="Compliant: N/m (linear) or N/m^1.5."
    )
    damping: Annotated[float, Quantity(DAMPING_UNITS, least=0)] | None = Field(
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

    @property
    def contact_law(self) -> ContactLaw:
        """The law of a compliant contact."""
        return CONTACT_LAWS[self.law or USUAL_LAW]


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
