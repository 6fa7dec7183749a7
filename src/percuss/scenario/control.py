"""What drives the chaser after the impact, and how the motion is integrated."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

from pydantic import Field

from percuss.encounter import laws
from percuss.encounter.actuation import ActuatorLimits as Limits
from percuss.encounter.actuation import Dump as Unloading
from percuss.encounter.approach import Law
from percuss.encounter.belief import Belief
from percuss.encounter.errors import shown
from percuss.encounter.goals import Destination
from percuss.encounter.laws.user import LawMaker
from percuss.encounter.method import MOST_STEPS
from percuss.scenario.block import Angle, Block, Length, Name, Orientation, Point, Shorthand, Time
from percuss.scenario.compensation import Compensation
from percuss.scenario.errors import RefusedError
from percuss.scenario.fields import Choice, Count, Quantity, Reader, Text, plain_float
from percuss.scenario.lists import ByName, FrozenDict, OneOrMore, Vector

PLANNED_LAWS = ("pd", "computed-torque")
"""Laws that follow a plan of base and joints to a meeting, where `match` follows the target."""
GAINS = ("natural-frequency", "damping-ratio", "kp", "kd")


@dataclass(frozen=True)
class Given:
    """What a control block gives, without the units it was written with.

    Attributes:
        control: the block itself, a `Control`, for what belongs to one law alone.
        gains: those given, by the names that the laws have for them.
        goal, belief, limits, dump: the parts that laws have in common.
        from_file: makes the law in the block's Python file from the plant.
    """

    control: Any
    gains: Mapping[str, Any]
    goal: Destination
    belief: Belief | None
    limits: Limits
    dump: Unloading | None
    from_file: LawMaker


@dataclass(frozen=True)
class LawKind:
    """A law as the file has it.

    Attributes:
        law: its type.
        make: makes it from what a block gives; the rules have seen that nothing is missing.
        keys: the keys that belong to it, besides `law`.
        needs: keys without which it is nothing, with what they are.
        gains: the gains that it needs, in words; empty for a law that does without.
    """

    law: type[Law]
    make: Callable[[Given], Law]
    keys: tuple[str, ...] = ()
    needs: Mapping[str, str] = field(default_factory=dict[str, str])
    gains: str = ""


_BY_FREQUENCY = "natural-frequency in rad/s > 0 (with damping-ratio)"
_EITHER = f"{_BY_FREQUENCY}, or kp and kd"
_TRACKING = (*GAINS, "goal", "believes", "limits", "dump")

LAW_KINDS: dict[str, LawKind] = {
    "none": LawKind(laws.NoControl, lambda _: laws.NO_CONTROL),
    "pd": LawKind(
        laws.PD,
        lambda g: laws.PD(**g.gains, goal=g.goal, believes=g.belief, limits=g.limits, dump=g.dump),
        _TRACKING,
        gains=_EITHER,
    ),
    "feed-forward": LawKind(
        laws.FeedForward,
        lambda g: laws.FeedForward(g.goal, g.belief, g.limits),
        ("goal", "believes", "limits"),
    ),
    "computed-torque": LawKind(
        laws.ComputedTorque,
        lambda g: laws.ComputedTorque(
            **g.gains, goal=g.goal, believes=g.belief, limits=g.limits, dump=g.dump
        ),
        _TRACKING,
        gains=_EITHER,
    ),
    "detumble": LawKind(
        laws.Detumble,
        lambda g: laws.Detumble(plain_float(g.control.time_constant), g.belief, g.limits, g.dump),
        ("time-constant", "believes", "limits", "dump"),
        {"time-constant": "a time in s, such as 10 s"},
    ),
    "hold-tool": LawKind(
        laws.HoldTool,
        lambda g: laws.HoldTool(**g.gains, limits=g.limits),
        ("natural-frequency", "damping-ratio", "limits"),
        gains=_BY_FREQUENCY,
    ),
    "match": LawKind(
        laws.MatchTarget,
        lambda g: laws.MatchTarget(**g.gains, limits=g.limits),
        ("natural-frequency", "damping-ratio", "limits"),
        gains=_BY_FREQUENCY,
    ),
    "ic2": LawKind(
        laws.ImpactCompensation,
        lambda g: laws.ImpactCompensation(
            **g.gains,
            goal=g.goal,
            believes=g.belief,
            limits=g.limits,
            period=plain_float(g.control.period),
            **g.control.compensation.values(),
        ),
        (*GAINS, "goal", "believes", "limits", "period", "compensation"),
    ),
    "python": LawKind(
        laws.UserLaw,
        lambda g: laws.UserLaw(
            g.from_file, plain_float(g.control.period), g.belief, g.limits, g.dump
        ),
        ("believes", "limits", "dump", "file", "function", "period", "memory"),
        {"file": "the path of a Python file"},
    ),
}
"""The laws by their names in the file: a law of your own is a class, and an entry here."""

TOOL_LAWS = tuple(name for name, kind in LAW_KINDS.items() if kind.law.only == "before")
"""Laws that move the tool, before the grasp."""


def laws_of(key: str) -> tuple[str, ...]:
    """The laws that a key belongs to."""
    return tuple(name for name, kind in LAW_KINDS.items() if key in kind.keys)


METHODS = ("auto", "dop853", "rosenbrock", "dormand-prince", "rk4")

_VALUE = Quantity(("rad", "m"))


class _GoalJoints(Reader):
    """Joint coordinates of a goal: one set of them, or a list of lists."""

    @property
    def unit(self) -> str:
        return _VALUE.unit

    def read(self, value: Any) -> Any:
        if isinstance(value, list) and value and all(isinstance(row, list) for row in value):
            return tuple(Vector(_VALUE, ()).read(row) for row in value)
        return ByName(_VALUE).read(value)

    def schema(self) -> dict[str, Any]:
        rows = {"type": "array", "items": Vector(_VALUE, ()).schema()}
        return {"anyOf": [rows, *ByName(_VALUE).schema()["anyOf"]]}


class Goal(Shorthand):
    """Where the chaser is to go: stay, move to a place, or follow points in time."""

    forms: ClassVar[str] = "initial, or a mapping with joints, position, angle, within, times …"
    short: ClassVar[dict[str, Any]] = {"enum": ["initial"]}

    joints: Annotated[Any, _GoalJoints()] | None = Field(
        default=None,
        description="Joint coordinates to reach, or one list of them per time in `times`; "
        "default those at the impact.",
    )
    position: Point | None = Field(
        default=None, description="Of the base frame, world; default that at the impact."
    )
    angle: Angle | None = Field(
        default=None, description="Planar: of the base; default that at the impact."
    )
    orientation: Orientation | None = Field(
        default=None, description="Spatial: of the base; default that at the impact."
    )
    within: Time | None = Field(
        default=None, description="Time to get there, from rest to rest; default at once (a step)."
    )
    times: Annotated[tuple[float, ...], Vector(Quantity("s", least=0), ())] | None = Field(
        default=None, description="Times after the impact of the points in `joints`, increasing."
    )

    @classmethod
    def expand(cls, value: Any) -> Any:
        return {} if value == "initial" else value

    @property
    def is_initial(self) -> bool:
        return not self.model_fields_set


class ActuatorLimits(Block):
    """What the actuators can do at most."""

    joints: (
        Annotated[
            float | tuple[float, ...], OneOrMore(Quantity(("N m", "N"), least=0, infinite=True))
        ]
        | None
    ) = Field(default=None, description="Of the joints, one number for all or one each.")
    base: (
        Annotated[
            float | tuple[float, ...], OneOrMore(Quantity(("N m", "N"), least=0, infinite=True))
        ]
        | None
    ) = Field(
        default=None,
        description="Of the base: one number for all, or x, y, angle (planar), x, y, z "
        "force then torque (spatial).",
    )
    wheels: Annotated[float, Quantity("N m s", above=0)] | None = Field(
        default=None,
        description="Angular momentum that the wheels of an attitude-controlled base can hold; "
        "default any.",
    )


class Dump(Block):
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


class _Beliefs(Reader):
    """Values by path."""

    def read(self, value: Any) -> FrozenDict:
        if not isinstance(value, dict):
            what = "a mapping from paths to values, such as {target.mass: 14}"
            raise RefusedError(f"must be {what}, got {shown(value)}")
        for path, entry in value.items():
            if isinstance(entry, (list, dict)):
                raise RefusedError(f"{path!r} must be a number, got {shown(entry)}")
        return FrozenDict(value)

    def schema(self) -> dict[str, Any]:
        return {"type": "object", "additionalProperties": {"type": ["number", "string"]}}


_FREQUENCY = Quantity(("rad/s", "1/s"), above=0)
_KP = Quantity(("1/s^2", "N/m", "N m/rad", "N m"), least=0)
_KD = Quantity(("1/s", "N s/m", "N m s/rad", "N m s"), least=0)


class Control(Block):
    """The control law."""

    law: Annotated[str, Choice(LAW_KINDS)] = Field(
        default="none",
        description="`ic2` compensates impacts while a force is felt; `python` calls a function "
        "of yours.",
    )
    natural_frequency: Annotated[float | tuple[float, ...], OneOrMore(_FREQUENCY)] | None = Field(
        default=None,
        description="Of the error's motion; one number, or one per generalized velocity.",
    )
    damping_ratio: Annotated[float | tuple[float, ...], OneOrMore(Quantity("", least=0))] | None = (
        Field(default=None, description="With natural-frequency; default 1.")
    )
    kp: Annotated[float | tuple[float, ...], OneOrMore(_KP)] | None = Field(
        default=None, description="Gain on the error: 1/s^2 (computed torque), N m/rad or N/m (pd)."
    )
    kd: Annotated[float | tuple[float, ...], OneOrMore(_KD)] | None = Field(
        default=None,
        description="Gain on its rate: 1/s (computed torque), N m s/rad or N s/m (pd).",
    )
    time_constant: Time | None = Field(
        default=None, description="Detumble: rates fall to 1/e in that time."
    )
    goal: Goal = Field(
        default_factory=lambda: Goal(), description="Default `initial`: the pose at the impact."
    )
    believes: Annotated[FrozenDict, _Beliefs()] = Field(
        default_factory=FrozenDict,
        description="Inertial parameters of the controller's model that differ from the truth, "
        "by path: `{target.mass: 14, chaser.arm[2].mass: 9}`.",
    )
    limits: ActuatorLimits | None = Field(default=None, description="Default: the model's.")
    dump: Dump | None = Field(
        default=None, description="Attitude-controlled: unload the wheels; default not."
    )
    file: Annotated[str, Text("the path of a Python file")] | None = Field(
        default=None,
        description="Python: file with the law, beside the scenario or below it; runs only where "
        "allowed (`--allow-code`).",
    )
    function: Name | None = Field(
        default=None, description="Python: name of the function; default `law`."
    )
    period: Time | None = Field(
        default=None,
        description="Python, ic2: sampled and held at this period; default continuous.",
    )
    memory: Annotated[tuple[float, ...], Vector(Quantity(), ())] | None = Field(
        default=None, description="Python: the memory at the start, numbers; default none."
    )
    compensation: Compensation = Field(
        default_factory=lambda: Compensation(),
        description="Ic2: how impacts are compensated; without gains joints are free otherwise.",
    )


class Integration(Block):
    """How the motion is integrated."""

    method: Annotated[str, Choice(METHODS)] = Field(
        default="auto",
        description="`auto` is `dop853`, or `rosenbrock` where the motion turns out to be stiff, "
        "which is said; `dormand-prince` for laws that are sampled. `rk4` keeps its step.",
    )
    step: Time | None = Field(default=None, description="Of `rk4`, which needs it.")
    relative_tolerance: Annotated[float, Quantity("", least=1e-14, most=0.1)] | None = Field(
        default=None, description="Of the adaptive methods; default 1e-10."
    )
    most_steps: Annotated[int, Count(1, 100_000_000)] = Field(
        default=MOST_STEPS,
        description="Steps of a motion at most: it is given up there, or where far more are "
        "foreseen; refused ones count. Of other methods than `dop853`, whose steps are recorded, "
        "5 (`rosenbrock`), 40 (`dormand-prince`, and `dop853` in ensembles) or 200 (`rk4`) count "
        "as one.",
    )


class Output(Block):
    """What is kept of the motion."""

    samples: Annotated[int, Count(2, 1_000_000)] = Field(
        default=501, description="Equally spaced times that are kept."
    )
