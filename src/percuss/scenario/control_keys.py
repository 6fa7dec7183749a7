"""Keys of control blocks: those of all laws, and those that several laws have."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from pydantic import Field

from percuss.encounter.approach import Law
from percuss.encounter.belief import Belief
from percuss.encounter.errors import Path, shown
from percuss.encounter.laws.user import LawMaker
from percuss.scenario.actuators import ActuatorLimitsBlock, DumpBlock
from percuss.scenario.beliefs import Beliefs, belief_rules
from percuss.scenario.block import Time, dashed
from percuss.scenario.errors import Problem
from percuss.scenario.fields import Choice, NumberWithUnit, Quantity
from percuss.scenario.goal import GoalBlock
from percuss.scenario.lists import FrozenDict, OneOrMore
from percuss.scenario.units import in_words, parse_unit
from percuss.scenario.variants import Needed, Variant

GAINS = ("natural_frequency", "damping_ratio", "kp", "kd")
BY_FREQUENCY = "natural-frequency in rad/s > 0 (with damping-ratio)"
MOST_SAMPLES = 1_000_000
"""Of a sampled law in one run: a millisecond for a quarter of an hour, minutes to compute."""

CONTROLS: dict[str, type[Control]] = {}
"""The laws by their names in the file: a law of your own is a block, and an entry here."""


@dataclass(frozen=True)
class Known:
    """What a law needs that its block does not hold.

    Attributes:
        belief: what the law takes the bodies for; None: for what they are.
        from_file: the maker of the law in the Python file that a block names.
    """

    belief: Belief | None
    from_file: Callable[[Any], LawMaker]


class Control(Variant):
    """The control law.

    Each of `CONTROLS` is a subclass with the keys of its law; `makes` is the law's type.
    """

    tag = "law"
    kinds = CONTROLS
    makes: ClassVar[type[Law]]

    law: Annotated[str, Choice(CONTROLS)] = Field(
        default="none",
        description="`ic2` compensates impacts while a force is felt; `python` calls a function "
        "of yours.",
    )

    def value(self, known: Known) -> Law:
        """The law as an encounter has it: by default its type, of the block's values."""
        belief = {} if known.belief is None else {"believes": known.belief}
        return self.makes(**self.plain("believes"), **belief)

    @property
    def gains(self) -> dict[str, Any]:
        """The gains that are given, by name, with the units they were written with."""
        return {name: getattr(self, name) for name in GAINS if name in self.model_fields_set}

    def rules(self, at: Path, duration: float) -> Iterator[Problem]:
        """Yield what is wrong of the block's keys beside each other, and of where it stands.

        `duration` is the longest time that the law drives the chaser (s).
        """
        del duration
        if self.makes.only == "before" and at == ("control",):
            message = f"{self.law!r} is for before the contact: use it in approach.control"
            yield Problem((*at, "law"), message)


# --- keys that several laws have ---------------------------------------------------------------

Gain = float | tuple[float, ...]
Frequency = Annotated[Gain, OneOrMore(Quantity(("rad/s", "1/s"), above=0))]
DampingRatio = Annotated[
    Annotated[Gain, OneOrMore(Quantity("", least=0))] | None,
    Field(description="With natural-frequency; default 1."),
]
_KP = Quantity(("1/s^2", "N/m", "N m/rad", "N m"), least=0)
_KD = Quantity(("1/s", "N s/m", "N m s/rad", "N m s"), least=0)


class WithGains(Control):
    """A law with gains, by frequency or one by one."""

    needs_gains: ClassVar[bool] = True
    kp_units: ClassVar[tuple[str, ...]] = ("1/s^2",)
    kd_units: ClassVar[tuple[str, ...]] = ("1/s",)

    natural_frequency: Frequency | None = Field(
        default=None,
        description="Of the error's motion; one number, or one per generalized velocity.",
    )
    damping_ratio: DampingRatio = None
    kp: Annotated[Gain, OneOrMore(_KP)] | None = Field(
        default=None, description="Gain on the error: 1/s^2 (computed torque), N m/rad or N/m (pd)."
    )
    kd: Annotated[Gain, OneOrMore(_KD)] | None = Field(
        default=None,
        description="Gain on its rate: 1/s (computed torque), N m s/rad or N s/m (pd).",
    )

    def rules(self, at: Path, duration: float) -> Iterator[Problem]:
        yield from super().rules(at, duration)
        by_frequency = [dashed(name) for name in self.gains if name in GAINS[:2]]
        direct = [name for name in self.gains if name in GAINS[2:]]
        if by_frequency and direct:
            excludes = f"does not go with {by_frequency[0]}"
            value = shown(getattr(self, direct[0]))
            yield Problem((*at, direct[0]), f"{excludes}: give one pair of gains, got {value}")
        elif by_frequency == ["damping-ratio"]:
            message = f"goes with natural-frequency in rad/s, got {shown(self.damping_ratio)}"
            yield Problem((*at, "damping-ratio"), message)
        elif len(direct) == 1:
            missing = "kd" if direct == ["kp"] else "kp"
            yield Problem((*at, missing), f"is missing: {direct[0]} and {missing} go together")
        elif not self.gains and self.needs_gains:
            needed = f"is missing: law {self.law} needs {BY_FREQUENCY}, or kp and kd"
            yield Problem((*at, "natural-frequency"), needed)
        yield from self._unit_rules(self.kp, self.kp_units, (*at, "kp"))
        yield from self._unit_rules(self.kd, self.kd_units, (*at, "kd"))

    def _unit_rules(self, gain: Gain | None, units: tuple[str, ...], at: Path) -> Iterator[Problem]:
        allowed = [parse_unit(unit).dimension for unit in units]
        for entry in gain if isinstance(gain, tuple) else (gain,):
            dimension = entry.dimension if isinstance(entry, NumberWithUnit) else None
            if entry is not None and dimension is not None and dimension not in allowed:
                must = f"of law {self.law} must be in {' or '.join(units)}"
                kind = in_words(dimension)
                yield Problem(at, f"{must}, got {float(entry):g}, which is {kind}")


class WithGoal(Control):
    """A law that goes somewhere."""

    goal: GoalBlock = Field(
        default_factory=GoalBlock, description="Default `initial`: the pose at the impact."
    )

    def rules(self, at: Path, duration: float) -> Iterator[Problem]:
        yield from super().rules(at, duration)
        yield from self.goal.rules((*at, "goal"))


class WithBelief(Control):
    """A law with a model of the bodies."""

    believes: Annotated[FrozenDict, Beliefs()] = Field(
        default_factory=FrozenDict,
        description="Inertial parameters of the controller's model that differ from the truth, "
        "by path: `{target.mass: 14, chaser.arm[2].mass: 9}`.",
    )

    def rules(self, at: Path, duration: float) -> Iterator[Problem]:
        yield from super().rules(at, duration)
        yield from belief_rules(self.believes, (*at, "believes"))


class WithLimits(Control):
    """A law that actuators carry out."""

    limits: ActuatorLimitsBlock | None = Field(default=None, description="Default: the model's.")


class WithDump(Control):
    """A law under which wheels may be unloaded."""

    dump: DumpBlock | None = Field(
        default=None, description="Attitude-controlled: unload the wheels; default not."
    )


class WithPeriod(Control):
    """A law that may be sampled."""

    period: Time | None = Field(
        default=None,
        description="Python, ic2: sampled and held at this period; default continuous.",
    )

    def rules(self, at: Path, duration: float) -> Iterator[Problem]:
        yield from super().rules(at, duration)
        if self.period is not None and duration / self.period > MOST_SAMPLES:
            count = f"{duration / self.period:.0f} samples in {duration:g} s"
            yield Problem(
                (*at, "period"),
                f"of {self.period:g} s makes {count}; allowed are at most {MOST_SAMPLES}: give "
                f"{duration / MOST_SAMPLES:g} s or more",
            )


class ToTool(WithLimits):
    """A law that moves the tool, before the grasp."""

    natural_frequency: Annotated[Frequency, Needed(BY_FREQUENCY)] = Field(
        description="Hold-tool, match: of the error's motion; one number, or one per generalized "
        "velocity."
    )
    damping_ratio: DampingRatio = None
