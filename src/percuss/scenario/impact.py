"""How chaser and target meet: a block for each closure, with the keys that belong to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, ClassVar

from pydantic import Field

from percuss.encounter import closures
from percuss.encounter.errors import Path, shown
from percuss.encounter.phase_machine import Closure
from percuss.impact.contact_laws import CONTACT_LAWS, USUAL_LAW, ContactLaw
from percuss.scenario.block import Time, ValueBlock
from percuss.scenario.errors import Problem
from percuss.scenario.fields import Choice, Count, NumberWithUnit, Quantity, plain
from percuss.scenario.lists import Vector
from percuss.scenario.units import parse_unit
from percuss.scenario.variants import Needed, Variant
from percuss.sources.published.closure import Published as PublishedClosure

STIFFNESS_UNITS = tuple(dict.fromkeys(law.stiffness_unit for law in CONTACT_LAWS.values()))
DAMPING_UNITS = tuple(dict.fromkeys(law.damping_unit for law in CONTACT_LAWS.values()))
_FIRST_LAW = {law.stiffness_unit: law.name for law in reversed(CONTACT_LAWS.values())}
"""The first law of contact with each unit of stiffness."""
_STIFFNESSES = " or ".join(f"{unit} ({_FIRST_LAW[unit]})" for unit in STIFFNESS_UNITS)

IMPACTS: dict[str, type[ImpactBlock]] = {}
"""The closures by their names in the file: one of your own is a block, and an entry here."""


class ImpactBlock(Variant):
    """What happens at the contact.

    Each of `IMPACTS` is a subclass with the keys of its closure; `makes` is the closure's type.
    """

    tag = "closure"
    kinds = IMPACTS
    makes: ClassVar[type[Closure]]

    closure: Annotated[str, Choice(IMPACTS)] = Field(
        description="`pin`: the points stay together (a ball joint in space); `weld`: a rigid "
        "grasp; `published`: as in the thesis, planar, loses momentum; `bounce`; `compliant`; "
        "`pulse`: a given force, needs no target."
    )

    def value(self) -> Closure:
        """The closure as an encounter has it: by default its type, of the block's values."""
        return self.makes(**self.plain())

    def rules(self, at: Path) -> Iterator[Problem]:
        """Yield what is wrong of the block's keys beside each other."""
        del at
        yield from ()


Restitution = Annotated[float, Quantity("", least=0, most=1)]
Friction = Annotated[
    float,
    Quantity("", least=0),
    Field(description="Bounce, compliant: Coulomb's coefficient."),
]
Normal = Annotated[
    Annotated[tuple[float, ...], Vector(Quantity())] | None,
    Field(
        description="Bounce, compliant: world frame, from chaser to target, any length; "
        "default from the contact point to the target's centre of mass.",
    ),
]


class PinBlock(ImpactBlock):
    """The points stay together."""

    makes = closures.Pin


class WeldBlock(ImpactBlock):
    """A rigid grasp."""

    makes = closures.Weld


class PublishedBlock(ImpactBlock):
    """The closure that the thesis published, which loses momentum."""

    makes = PublishedClosure


class RepeatBlock(ValueBlock):
    """Bounces again and again, then closes."""

    below: Annotated[float, Quantity("m/s", above=0)] = Field(
        description="Relative speed below which the grasp closes."
    )
    then: Annotated[str, Choice(("pin", "weld"))] = Field(
        default="weld", description="How it closes."
    )
    most: Annotated[int, Count(1, 10_000)] = Field(default=20, description="Bounces at most.")

    def value(self) -> closures.Repeat:
        then = closures.Pin() if self.then == "pin" else closures.WELD
        return closures.Repeat(plain(self.below), then, self.most)


class BounceBlock(ImpactBlock):
    """The points part again."""

    makes = closures.Bounce

    restitution: Annotated[Restitution, Needed("a number from 0 to 1")] = Field(
        description="Bounce: energetic coefficient, Newton's when frictionless."
    )
    friction: Friction = 0.0
    normal: Normal = None
    repeat: RepeatBlock | None = Field(default=None, description="Bounce: until slow, then close.")

    def rules(self, at: Path) -> Iterator[Problem]:
        yield from _normal_rules(self.normal, at)


class CompliantBlock(ImpactBlock):
    """A surface, or a spring between the points, that gives way."""

    makes = closures.Compliant

    restitution: Restitution | None = Field(
        default=None, description="Compliant: instead of damping."
    )
    friction: Friction = 0.0
    normal: Normal = None
    law: Annotated[str, Choice(CONTACT_LAWS)] = Field(
        default=USUAL_LAW,
        description="Compliant: force against indentation, `linear` or `hunt-crossley`, which can "
        "only push; `bilateral`: a linear spring between the contact points that also pulls.",
    )
    slip_speed: Annotated[float, Quantity("m/s", above=0)] = Field(
        default=closures.SLIP_SPEED,
        description="Compliant: slip speed around which friction builds up, "
        "μ F v/√(v² + slip-speed²).",
    )
    stiffness: Annotated[
        float, Quantity(STIFFNESS_UNITS, above=0), Needed(f"a number in {_STIFFNESSES} > 0")
    ] = Field(description="Compliant: N/m (linear) or N/m^1.5.")
    damping: Annotated[float, Quantity(DAMPING_UNITS, least=0)] | None = Field(
        default=None, description="Compliant: N s/m (linear) or N s/m^2.5."
    )

    @property
    def contact_law(self) -> ContactLaw:
        return CONTACT_LAWS[self.law]

    def rules(self, at: Path) -> Iterator[Problem]:
        yield from _normal_rules(self.normal, at)
        if (self.damping is None) == (self.restitution is None):
            got = "got both" if self.damping is not None else "got neither"
            yield Problem(at, f"closure compliant needs damping or restitution, {got}")
        law = self.contact_law
        if not law.only_pushes:
            for key in ("friction", "normal", "slip-speed", "restitution"):
                if self.given(key):
                    value = shown(getattr(self, key.replace("-", "_")))
                    yield Problem((*at, key), f"does not go with law {law.name}, got {value}")
        elif self.given("slip-speed") and not self.friction:
            yield Problem((*at, "slip-speed"), f"goes with friction > 0, got {self.slip_speed:g}")
        for key, value, unit in (
            ("stiffness", self.stiffness, law.stiffness_unit),
            ("damping", self.damping, law.damping_unit),
        ):
            allowed = (None, parse_unit(unit).dimension)
            if isinstance(value, NumberWithUnit) and value.dimension not in allowed:
                message = f"of law {law.name} must be in {unit}, got {float(value):g}"
                yield Problem((*at, key), message)


class PulseBlock(ImpactBlock):
    """A given force on the chaser."""

    makes = closures.Pulse

    force: Annotated[
        tuple[float, ...],
        Vector(Quantity("N")),
        Needed("a vector in N, on the chaser at the tool"),
    ] = Field(description="Pulse: on the chaser at the tool.")
    frame: Annotated[str, Choice(("world", "link"))] = Field(
        default="world", description="Pulse: axes of the force."
    )
    duration: Annotated[Time, Needed("a time in s > 0, such as 10 ms")] = Field(
        description="Pulse: how long the force acts."
    )

    def value(self) -> closures.Pulse:
        return closures.Pulse(self.force, self.duration, self.frame == "link")


IMPACTS |= {
    "pin": PinBlock,
    "weld": WeldBlock,
    "published": PublishedBlock,
    "bounce": BounceBlock,
    "compliant": CompliantBlock,
    "pulse": PulseBlock,
}


def _normal_rules(normal: tuple[float, ...] | None, at: Path) -> Iterator[Problem]:
    if normal is not None and sum(x * x for x in normal) < 1e-12:
        yield Problem(
            (*at, "normal"), f"must not be zero, got {shown(list(normal))}; any length else"
        )
