"""Keys of the law ic2: how impacts are compensated, and how well the controller knows them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar

from pydantic import Field

from percuss.control.joint_friction_models import DryFriction, FrictionModel, LuGre
from percuss.encounter.errors import Path, shown
from percuss.scenario.block import Block, Point, Shorthand, Time
from percuss.scenario.errors import Problem
from percuss.scenario.fields import Choice, Quantity, plain, plain_entries

MODELS = ("ideal", "none", "dry", "lugre")
_OF_MODEL = {
    "viscous": ("dry", "lugre"),
    "coulomb": ("dry", "lugre"),
    "smoothing": ("dry",),
    "stiffness": ("lugre",),
    "static": ("lugre",),
    "stribeck": ("lugre",),
    "damping": ("lugre",),
}
_VISCOUS = Quantity(("N m s/rad", "N m s"), least=0)


class FrictionBelief(Shorthand):
    """Joint friction that the controller cancels while it compensates an impact."""

    forms: ClassVar[str] = "ideal, none, or a mapping with model: dry or lugre and its values"
    short: ClassVar[dict[str, Any]] = {"enum": ["ideal", "none"]}

    model: Annotated[str, Choice(MODELS)] = Field(
        default="ideal",
        description="`ideal`: that of the controller's model of the chaser; `none`; `dry`: viscous "
        "and Coulomb's; `lugre`: bristles, needs control.period.",
    )
    viscous: Annotated[float, _VISCOUS] = Field(default=0.0, description="Dry, lugre.")
    coulomb: Annotated[float, Quantity("N m", least=0)] = Field(
        default=0.0, description="Dry, lugre: level while sliding."
    )
    smoothing: Annotated[float, Quantity("rad/s", above=0)] = Field(
        default=1e-3, description="Dry: rate around which it changes sign."
    )
    stiffness: Annotated[float, Quantity(("N m/rad", "N m"), above=0)] | None = Field(
        default=None, description="Lugre: of the bristles."
    )
    static: Annotated[float, Quantity("N m", above=0)] | None = Field(
        default=None, description="Lugre: level at which sliding begins; default coulomb."
    )
    stribeck: Annotated[float, Quantity("rad/s", above=0)] = Field(
        default=1e-2, description="Lugre: rate at which static friction fades."
    )
    damping: Annotated[float, _VISCOUS] = Field(default=0.0, description="Lugre: of the bristles.")

    @classmethod
    def expand(cls, value: Any) -> Any:
        return {"model": value} if isinstance(value, str) else value

    def value(self) -> str | FrictionModel:
        """The model of friction that a law cancels, or the word for it."""
        if self.model == "dry":
            return DryFriction(plain(self.viscous), plain(self.coulomb), plain(self.smoothing))
        if self.model == "lugre":
            assert self.stiffness is not None, "the rules ask for it"
            return LuGre(
                stiffness=plain(self.stiffness),
                coulomb=plain(self.coulomb),
                static=plain(self.coulomb if self.static is None else self.static),
                stribeck=plain(self.stribeck),
                damping=plain(self.damping),
                viscous=plain(self.viscous),
            )
        return self.model


class CompensationBlock(Block):
    """Impact compensation of law ic2, while a force is felt at the tool."""

    rule: Annotated[str, Choice(("acceleration", "force"))] = Field(
        default="acceleration",
        description="`acceleration`: torques from the links' angular accelerations, solved with "
        "the dynamics; `force`: the felt force times its distance from the centre of percussion.",
    )
    base_torque: Annotated[str, Choice(("follow", "none"))] = Field(
        default="follow",
        description="`follow`: a base that can be turned gets the torque of joint 1; `none`.",
    )
    threshold: Annotated[float, Quantity("N", least=0)] = Field(
        default=0.0, description="Force above which it acts; default any."
    )
    friction: FrictionBelief = Field(
        default_factory=lambda: FrictionBelief(),
        description="Joint friction that is cancelled meanwhile; default `ideal`.",
    )
    offset: Point | None = Field(
        default=None,
        description="Where the controller believes the force to act, from the tool, in the axes "
        "of its link; default at the tool.",
    )
    delay: Time | None = Field(
        default=None,
        description="Of the force measurement: a whole number of control.period; default none.",
    )
    torque_rate: Annotated[float, Quantity("N m/s", above=0)] | None = Field(
        default=None,
        description="Most that a torque changes in a second; needs control.period; default any.",
    )

    def values(self) -> dict[str, Any]:
        """The numbers of an `ImpactCompensation`, by its own names."""
        return {
            "rule": self.rule,
            "base_torque": self.base_torque == "follow",
            "threshold": plain(self.threshold),
            "friction": self.friction.value(),
            "offset": plain_entries(self.offset or (0.0, 0.0, 0.0)),
            "delay": plain(self.delay),
            "torque_rate": plain(self.torque_rate),
        }


MOST_DELAYED = 1000
"""Samples of a delay, each of which the compiled law remembers."""


def compensation_rules(
    compensation: CompensationBlock, at: Path, period: float | None
) -> Iterator[Problem]:
    """What the keys ask of each other and of the sampling period."""
    delay, friction = compensation.delay, compensation.friction
    for key, value in (("delay", delay), ("torque-rate", compensation.torque_rate)):
        if value is not None and period is None:
            yield Problem(
                (*at, key), f"needs control.period, a time in s such as 1 ms, got {value:g}"
            )
    if delay is not None and period is not None:
        count = round(delay / period)
        if count < 1 or abs(count * period - delay) > 1e-9 * delay:
            yield Problem(
                (*at, "delay"),
                f"must be a whole number of control.period, {period:g} s, got {delay:g} s",
            )
        elif count > MOST_DELAYED:
            yield Problem(
                (*at, "delay"),
                f"of {delay:g} s is {count} samples of control.period, {period:g} s; allowed are "
                f"at most {MOST_DELAYED}",
            )
    where = (*at, "friction")
    for key, models in _OF_MODEL.items():
        if friction.given(key) and friction.model not in models:
            value = shown(getattr(friction, key))
            yield Problem(
                (*where, key),
                f"is for model {' or '.join(models)}, not for {friction.model}, got {value}",
            )
    if friction.model == "lugre":
        if friction.stiffness is None:
            yield Problem((*where, "stiffness"), "is missing: lugre needs it, in N m/rad")
        if not friction.coulomb > 0:
            yield Problem((*where, "coulomb"), "is missing: lugre needs a level > 0 N m")
        if period is None:
            yield Problem((*where, "model"), "'lugre' remembers, and needs control.period in s")
