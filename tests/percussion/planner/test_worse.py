"""What a plan makes worse is said, with the factor, and told from what hardly counts."""

from __future__ import annotations

import math
from typing import Any

import pytest

import percuss
from percuss.percussion.planner import PlannerSettings, plan_percussion
from percuss.percussion.planner.result import PercussionPlan
from percuss.percussion.planner.worse import MORE, Worse
from tests.percussion.planner.scenes import SCENARIOS, TWO_LINKS

SMALL: dict[str, Any] = {"starts": 3, "samples": 128}


@pytest.fixture(scope="module")
def for_the_base() -> PercussionPlan:
    """Only the base's momentum counts; nothing is asked of joints and of the base's rate."""
    return plan_percussion(
        percuss.Scenario(**TWO_LINKS), PlannerSettings(weights={"base": 1.0}, **SMALL)
    )


def test_everything_that_got_worse_is_listed_with_its_factor(for_the_base: PercussionPlan) -> None:
    before, after = for_the_base.before, for_the_base.after
    pairs = {name: (before.joints[name], after.joints[name]) for name in before.joints}
    pairs["base momentum"] = (before.base_momentum, after.base_momentum)
    pairs["base rate"] = (before.base_rate, after.base_rate)
    expected = {name: now / was for name, (was, now) in pairs.items() if now > MORE * was}
    assert set(expected) == {"joint1", "joint2", "base rate"}, "the capture is chosen for that"
    assert {one.name: one.factor for one in for_the_base.worse} == pytest.approx(expected)
    assert all(not one.counted for one in for_the_base.worse)
    said = next(text for text in for_the_base.sentences if "worse than before" in text)
    for name, factor in expected.items():
        assert f"{name} {factor:.3g} times as large" in said
    assert "not among the weights" in said
    listed = for_the_base.summary()["worse"]
    assert [one["name"] for one in listed] == [one.name for one in for_the_base.worse]
    assert listed[0]["factor"] == max(one["factor"] for one in listed)


def test_what_the_weights_count_is_called_traded() -> None:
    """The base's rate is all that counts: joints that feel more of it are the price."""
    scenario = percuss.load(SCENARIOS / "offset-mount.yaml")
    weights = {"rate": 1.0, "joints": 1e-9}
    plan = plan_percussion(scenario, PlannerSettings(weights=weights, **SMALL))
    traded = [one for one in plan.worse if one.counted]
    assert traded
    assert any("for the sake of the rest" in text for text in plan.sentences)


def test_rounding_and_what_was_not_moved_are_not_worse() -> None:
    """A straight push: the base's rate is rounding before and after."""
    plan = plan_percussion(percuss.load(SCENARIOS / "thesis-2.yaml"), PlannerSettings(**SMALL))
    assert plan.after.base_rate > 10.0 * plan.before.base_rate
    assert plan.worse == ()
    assert not any("worse" in text for text in plan.sentences)


def test_something_out_of_nothing_has_no_factor() -> None:
    born = Worse("base rate", "rad/s", 0.0, 0.08, counted=False)
    assert math.isinf(born.factor)
    assert born.words == "base rate, of which there was none (0 → 0.08 rad/s)"
    grown = Worse("base rate", "rad/s", 9.31e-4, 0.0801, counted=False)
    assert grown.words == "base rate 86 times as large (0.000931 → 0.0801 rad/s)"
