"""Closures and laws in files: each kind has its own keys, and another may be entered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import pytest
from pydantic import Field

import percuss
from percuss import kernel
from percuss.encounter import closures
from percuss.encounter.actuation import ActuatorLimits
from percuss.encounter.goals import MoveTo
from percuss.encounter.phase_machine import Closure
from percuss.scenario import Scenario, ScenarioError, json_schema, loads, with_overrides
from percuss.scenario.control import CONTROLS, WithLimits
from percuss.scenario.fields import Quantity
from percuss.scenario.impact import IMPACTS, ImpactBlock, Restitution
from percuss.scenario.variants import Needed
from tests.scenario.examples import PLANAR


def changed(**blocks: str) -> Scenario:
    return with_overrides(loads(PLANAR), blocks)


def refused(**blocks: str) -> list[str]:
    with pytest.raises(ScenarioError) as caught:
        changed(**blocks)
    return [f"{problem.path[-1]}: {problem.message}" for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("block", "closure"),
    [
        ("{closure: pin}", closures.Pin()),
        ("{closure: weld}", closures.Weld()),
        ("{closure: bounce, restitution: 1}", closures.Bounce(1.0)),
        (
            "{closure: bounce, restitution: 0.5, friction: 0.2, normal: [0, 2], "
            "repeat: {below: 1 mm/s, then: pin}}",
            closures.Bounce(0.5, 0.2, (0.0, 2.0), closures.Repeat(1e-3, closures.Pin())),
        ),
        (
            "{closure: compliant, law: linear, stiffness: 2 kN/m, damping: 3 N s/m}",
            closures.Compliant(2000.0, damping=3.0, law="linear"),
        ),
        (
            "{closure: pulse, force: [1 kN, 0], duration: 10 ms, frame: link}",
            closures.Pulse((1000.0, 0.0), 0.01, in_link=True),
        ),
    ],
)
def test_a_block_makes_its_closure(block: str, closure: Closure) -> None:
    made = changed(impact=block).encounter.closure
    assert made == closure
    assert kernel.fingerprint(made) == kernel.fingerprint(closure)


@pytest.mark.parametrize(
    ("block", "law"),
    [
        ("{}", percuss.NoControl()),
        ("{law: detumble, time-constant: 5 s}", percuss.Detumble(5.0)),
        (
            "{law: pd, kp: 3, kd: [1 N s/m, 1, 1, 2, 2], goal: {joints: [0, 90 deg]}, "
            "limits: {joints: 4 N m}}",
            percuss.PD(
                kp=3.0,
                kd=(1.0, 1.0, 1.0, 2.0, 2.0),
                goal=MoveTo((0.0, 1.5707963267948966)),
                limits=ActuatorLimits(4.0),
            ),
        ),
        ("{law: computed-torque, natural-frequency: 2}", percuss.ComputedTorque(2.0)),
        ("{law: feed-forward}", percuss.FeedForward()),
    ],
)
def test_a_block_makes_its_law(block: str, law: Any) -> None:
    made = changed(control=block).encounter.control
    assert made == law
    assert kernel.fingerprint(made) == kernel.fingerprint(law)


@pytest.mark.parametrize(
    ("block", "messages"),
    [
        (
            "{closure: pin, restitution: 0.5}",
            ["restitution: is for closure bounce or compliant, not for pin, got 0.5"],
        ),
        (
            "{closure: pulse, slip-speed: 1 mm/s}",
            [
                "slip-speed: is for closure compliant, not for pulse, got 0.001",
                "force: is missing: closure pulse needs a vector in N, on the chaser at the tool",
                "duration: is missing: closure pulse needs a time in s > 0, such as 10 ms",
            ],
        ),
        (
            "{closure: weld, repeat: {belo: 1}}",
            [
                "belo: unknown key 'belo', got belo: 1. Did you mean 'below'? "
                "Allowed here: below, then, most",
                "below: is missing. Give below: Relative speed below which the grasp closes; "
                "in m/s",
            ],
        ),
        (
            "{closure: pinn, restitution: 3}",
            [
                "closure: must be one of pin, weld, published, bounce, compliant, pulse, "
                "got 'pinn'. Did you mean 'pin'?",
                "restitution: must be a number ≥ 0 and ≤ 1, got 3",
            ],
        ),
        (
            "{closure: pin, restitutio: 1}",
            [
                "restitutio: unknown key 'restitutio', got restitutio: 1. Did you mean "
                "'restitution'? Allowed here: closure, restitution, friction, normal, law, "
                "slip-speed, stiffness, damping, force, frame, duration, repeat"
            ],
        ),
    ],
)
def test_keys_of_another_closure_are_told_from_unknown_ones(
    block: str, messages: list[str]
) -> None:
    assert refused(impact=block) == messages


def test_keys_of_another_law_are_told_with_its_name() -> None:
    assert refused(control="{kp: 1}") == [
        "kp: is for law pd or computed-torque or ic2, not for none, got 1.0"
    ]
    assert refused(control="{law: match}") == [
        "natural-frequency: is missing: law match needs natural-frequency in rad/s > 0 "
        "(with damping-ratio)"
    ]


@pytest.mark.parametrize("kinds", [IMPACTS, CONTROLS], ids=["closures", "laws"])
def test_every_kind_is_entered_under_the_name_of_what_it_makes(kinds: dict[str, Any]) -> None:
    assert [kind.makes.name for kind in kinds.values()] == list(kinds)


@dataclass(frozen=True)
class Snap(Closure):
    """Rebounds where it is fast."""

    name: ClassVar[str] = "snap"
    below: float
    restitution: float

    def happen(self, phases: Any, some: Any) -> None:
        phases.grasp(some, closures.WELD)


class SnapBlock(ImpactBlock):
    """Grasps what comes slowly."""

    makes = Snap

    below: Annotated[float, Quantity("m/s", above=0), Needed("a speed")] = Field(description="One.")
    restitution: Restitution = Field(default=0.25, description="Two.")


def test_a_closure_that_is_entered_is_read_refused_and_in_the_schema(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert refused(impact="{closure: snap}")[0].startswith("closure: must be one of pin")
    monkeypatch.setitem(IMPACTS, "snap", SnapBlock)
    assert changed(impact="{closure: snap, below: 8 cm/s}").encounter.closure == Snap(0.08, 0.25)
    assert refused(impact="{closure: snap}") == ["below: is missing: closure snap needs a speed"]
    assert refused(impact="{closure: pin, below: 3}") == [
        "below: is for closure snap, not for pin, got 3.0"
    ]
    schema = json_schema()["$defs"]
    assert {"$ref": "#/$defs/SnapBlock"} in schema["ImpactBlock"]["oneOf"]
    assert schema["SnapBlock"]["required"] == ["closure", "below"]
    assert schema["SnapBlock"]["properties"]["closure"]["enum"] == ["snap"]


class BrakeBlock(WithLimits):
    """A law of the test's own."""

    makes = percuss.Detumble

    time_constant: Annotated[float, Quantity("s", above=0)] = Field(description="How long.")


def test_a_law_that_is_entered_drives_before_and_after(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CONTROLS, "brake", BrakeBlock)
    scenario = changed(control="{law: brake, time-constant: 3 s, limits: {joints: 2}}")
    assert scenario.encounter.control == percuss.Detumble(3.0, limits=ActuatorLimits(2.0))
    assert refused(control="{law: brake}") == [
        "time-constant: is missing. Give time-constant: How long; in s"
    ]
