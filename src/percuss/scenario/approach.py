"""The motion before the contact."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from percuss.encounter.errors import Path, shown
from percuss.scenario.block import Block, Length, Time
from percuss.scenario.control import Control, NoControlBlock, WithDump
from percuss.scenario.errors import Problem
from percuss.scenario.fields import Choice, Quantity
from percuss.scenario.impact import BounceBlock, CompliantBlock

if TYPE_CHECKING:
    from percuss.scenario.model import Scenario

PLANNED_LAWS = ("pd", "computed-torque")
"""Laws that follow a plan of base and joints to a meeting, where `match` follows the target."""


class MeetBlock(Block):
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


class ApproachBlock(Block):
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
    meet: MeetBlock | None = Field(
        default=None, description="Where to be when; for laws match, pd and computed-torque."
    )
    control: Control = Field(
        default_factory=NoControlBlock, description="Control before the contact; default none."
    )


def approach_rules(scenario: Scenario) -> Iterator[Problem]:
    """How contact is found, and a meeting that can be kept."""
    approach, impact, at = scenario.approach, scenario.impact, ("approach",)
    if approach is None:
        return
    if impact.closure in ("pulse", "published"):
        allowed = "pin, weld, bounce or compliant"
        yield Problem(
            ("impact", "closure"), f"with approach must be {allowed}, got {impact.closure!r}"
        )
    radius = approach.capture_radius
    if approach.contact == "point" and radius is None:
        message = "is missing: how close in m the tool must come to the contact point, such as 2 cm"
        yield Problem((*at, "capture-radius"), f"{message}; or contact: surface")
    normal = impact.normal if isinstance(impact, (BounceBlock, CompliantBlock)) else None
    if approach.contact == "surface" and normal is not None:
        message = "does not go with approach.contact surface, whose shape has its own normals"
        yield Problem(("impact", "normal"), f"{message}, got {shown(list(normal))}")
    if approach.contact == "surface" and radius is not None:
        yield Problem((*at, "capture-radius"), f"is for contact point, got {radius:g}")
    if approach.observe is not None and approach.observe >= approach.timeout:
        limits = f"less than the timeout, {approach.timeout:g} s"
        yield Problem((*at, "observe"), f"must be {limits}, got {approach.observe:g}")
    yield from _meeting_rules(approach, (*at, "meet"))
    law = approach.control.law
    if law == "match" and approach.meet is None:
        yield Problem((*at, "meet"), "is missing: law match needs the time of meeting, {at: 30 s}")
    if isinstance(approach.control, WithDump) and approach.control.dump is not None:
        yield Problem((*at, "control", "dump"), "is for after the grasp: use it in control")
    if law == "detumble":
        yield Problem(
            (*at, "control", "law"), "'detumble' is for after the grasp: use it in control"
        )


def _meeting_rules(approach: ApproachBlock, at: Path) -> Iterator[Problem]:
    meet, control = approach.meet, approach.control
    if meet is None:
        return
    go = approach.observe or 0.0
    if not go < meet.at < approach.timeout:
        limits = f"after {go:g} s (observe) and before the timeout, {approach.timeout:g} s"
        yield Problem((*at, "at"), f"must be {limits}, got {meet.at:g}")
    if control.law not in ("match", *PLANNED_LAWS):
        yield Problem(
            at, f"is for approach.control.law match, pd or computed-torque, not for {control.law}"
        )
    if control.law in PLANNED_LAWS and control.given("goal"):
        where = ("approach", "control", "goal")
        yield Problem(where, "does not go with approach.meet, which says where to go")
    if meet.given("base") and control.law == "match":
        message = "is for laws pd and computed-torque; with match the base is held"
        yield Problem((*at, "base"), f"{message}, got {meet.base!r}")
