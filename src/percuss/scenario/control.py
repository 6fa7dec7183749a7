"""What drives the chaser: a block for each law, with the keys that belong to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from percuss.encounter.approach import Law
from percuss.encounter.errors import Path, shown
from percuss.encounter.laws.compensating import ImpactCompensation
from percuss.encounter.laws.tool import HoldTool, MatchTarget
from percuss.encounter.laws.tracking import PD, ComputedTorque, Detumble, FeedForward, NoControl
from percuss.encounter.laws.user import UserLaw
from percuss.scenario.block import Name, Time
from percuss.scenario.compensation import CompensationBlock, compensation_rules
from percuss.scenario.control_keys import (
    CONTROLS,
    Control,
    Known,
    ToTool,
    WithBelief,
    WithDump,
    WithGains,
    WithGoal,
    WithLimits,
    WithPeriod,
)
from percuss.scenario.errors import Problem
from percuss.scenario.fields import Quantity, Text
from percuss.scenario.lists import Vector
from percuss.scenario.variants import Needed


class NoControlBlock(Control):
    """Nothing drives the chaser."""

    makes = NoControl


class PDBlock(WithDump, WithLimits, WithBelief, WithGoal, WithGains):
    """Every driven rate by itself, towards the goal."""

    makes = PD
    kp_units = ("N/m", "N m/rad", "N m")
    kd_units = ("N s/m", "N m s/rad", "N m s")


class FeedForwardBlock(WithLimits, WithBelief, WithGoal):
    """What the goal's motion takes, without looking."""

    makes = FeedForward


class ComputedTorqueBlock(WithDump, WithLimits, WithBelief, WithGoal, WithGains):
    """The dynamics of the model, towards the goal."""

    makes = ComputedTorque


class DetumbleBlock(WithDump, WithLimits, WithBelief):
    """All rates fall together."""

    makes = Detumble

    time_constant: Annotated[Time, Needed("a time in s, such as 10 s")] = Field(
        description="Detumble: rates fall to 1/e in that time."
    )


class HoldToolBlock(ToTool):
    """The tool stays where it is."""

    makes = HoldTool


class MatchBlock(ToTool):
    """The tool follows the contact point."""

    makes = MatchTarget


class ImpactCompensationBlock(WithPeriod, WithLimits, WithBelief, WithGoal, WithGains):
    """Impacts are compensated while a force is felt."""

    makes = ImpactCompensation
    needs_gains = False

    compensation: CompensationBlock = Field(
        default_factory=CompensationBlock,
        description="Ic2: how impacts are compensated; without gains joints are free otherwise.",
    )

    def value(self, known: Known) -> Law:
        return ImpactCompensation(
            **self.plain("believes", "compensation"),
            believes=known.belief,
            **self.compensation.values(),
        )

    def rules(self, at: Path, duration: float) -> Iterator[Problem]:
        if at != ("control",):
            yield Problem((*at, "law"), "'ic2' answers a contact: use it in control")
        yield from compensation_rules(self.compensation, (*at, "compensation"), self.period)
        yield from super().rules(at, duration)


_FILE = "the path of a Python file"


class PythonBlock(WithPeriod, WithDump, WithLimits, WithBelief):
    """A function in a Python file."""

    makes = UserLaw

    file: Annotated[str, Text(_FILE), Needed(_FILE)] = Field(
        description="Python: file with the law, beside the scenario or below it; runs only where "
        "allowed (`--allow-code`)."
    )
    function: Name = Field(default="law", description="Python: name of the function.")
    memory: Annotated[tuple[float, ...], Vector(Quantity(), ())] | None = Field(
        default=None, description="Python: the memory at the start, numbers; default none."
    )

    def value(self, known: Known) -> Law:
        given = self.plain("believes", "file", "function", "memory")
        return UserLaw(known.from_file(self), believes=known.belief, **given)

    def rules(self, at: Path, duration: float) -> Iterator[Problem]:
        if self.memory is not None and self.period is None:
            message = "is missing: a law with memory is sampled, at a period in s such as 10 ms"
            yield Problem((*at, "period"), message)
        if not self.function.isidentifier():
            message = f"must be the name of a Python function, got {shown(self.function)}"
            yield Problem((*at, "function"), message)
        yield from super().rules(at, duration)


CONTROLS |= {
    "none": NoControlBlock,
    "pd": PDBlock,
    "feed-forward": FeedForwardBlock,
    "computed-torque": ComputedTorqueBlock,
    "detumble": DetumbleBlock,
    "hold-tool": HoldToolBlock,
    "match": MatchBlock,
    "ic2": ImpactCompensationBlock,
    "python": PythonBlock,
}
