"""What the actuators can do, and how wheels are unloaded."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from percuss.encounter import actuation
from percuss.scenario.block import Length, ValueBlock
from percuss.scenario.fields import Quantity, plain, plain_numbers
from percuss.scenario.lists import OneOrMore

_Efforts = Annotated[
    float | tuple[float, ...], OneOrMore(Quantity(("N m", "N"), least=0, infinite=True))
]


class ActuatorLimitsBlock(ValueBlock):
    """What the actuators can do at most."""

    joints: _Efforts | None = Field(
        default=None, description="Of the joints, one number for all or one each."
    )
    base: _Efforts | None = Field(
        default=None,
        description="Of the base: one number for all, or x, y, angle (planar), x, y, z "
        "force then torque (spatial).",
    )
    wheels: Annotated[float, Quantity("N m s", above=0)] | None = Field(
        default=None,
        description="Angular momentum that the wheels of an attitude-controlled base can hold; "
        "default any.",
    )

    def value(self) -> actuation.ActuatorLimits:
        return actuation.ActuatorLimits(
            plain_numbers(self.joints), plain_numbers(self.base), plain(self.wheels)
        )


class DumpBlock(ValueBlock):
    """Thrusters that take the momentum out of the wheels again."""

    torque: Annotated[float, Quantity("N m", above=0)] = Field(
        description="Of the thrusters on the base, against the wheels' momentum."
    )
    after: Annotated[float, Quantity("s", least=0)] = Field(
        default=0.0, description="Begins that long after the impact; default at once."
    )
    lever_arm: Length | None = Field(
        default=None, description="Of the thrusters, to tell the propellant's impulse."
    )

    def value(self) -> actuation.Dump:
        return actuation.Dump(plain(self.torque), plain(self.after), plain(self.lever_arm))
