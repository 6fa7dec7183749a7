"""PlannerSettings: what is refused, what is promised."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import percuss
from percuss import ModelError
from percuss.percussion.planner import Planner, PlannerSettings, plan_percussion
from percuss.percussion.planner.uncertainty import errors_for, more_errors
from tests.percussion.planner.scenes import TWO_LINKS, scene

SMALL: dict[str, Any] = {"starts": 6, "samples": 256}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"objective": "sum"}, "objective must be one of total, largest"),
        ({"keep": "contakt"}, "'contact'"),
        ({"free": ("attitude",)}, "free must be one of contact, approach"),
        ({"over": "median"}, "over must be one of worst, mean"),
        ({"overlap": "no"}, "overlap must be one of avoid, allow"),
        ({"tolerance": {"joint": 0.1}}, "tolerance of must be one of joints"),
        ({"tolerance": {"joints": -0.1}}, "≥ 0 rad"),
        ({"tolerance": {"spin": float("nan")}}, "finite"),
        ({"weights": {"joints": -1.0}}, "weight of joints"),
        ({"weights": {"joints": 0.0}}, "nothing to plan for"),
        ({"weights": {}}, "nothing to plan for"),
        ({"starts": 0}, "starts must be a whole number from 1"),
        ({"samples": True}, "samples must be a whole number"),
        ({"seed": -1}, "seed must be"),
        ({"length": 0.0}, "length must be > 0 m"),
    ],
)
def test_wishes_that_make_no_sense_are_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ModelError, match=words):
        PlannerSettings(**given)


@pytest.mark.parametrize(
    ("settings", "planner_settings", "words"),
    [
        ({"impact__closure": "published"}, {}, "a plan is for pin, weld, bounce"),
        ({}, {"weights": {"joint3": 1.0}}, "no 'joint3' to weigh"),
        (
            {"impact": {"closure": "bounce", "restitution": 0.5},
             "target__velocity": {"linear": [1.0, 1.0]}},
            {},
            "do not approach",
        ),
        (
            {"chaser": {"robot": "2r-fixed", "joints": [0.4, 1.2]}},
            {"free": ("approach",)},
            "the base cannot turn",
        ),
        (
            {"chaser": {"robot": "2r-fixed", "joints": [0.4, 1.2]}},
            {"weights": {"rate": 1.0}},
            "does not turn",
        ),
        (
            {"target": {"mass": 5, "inertia": 2.0, "contact": [0.1, 0.2]}},
            {"free": ("contact",)},
            "contact cannot be chosen",
        ),
        (
            {"approach": {"capture-radius": 0.1, "timeout": 5}, "target__position": [3.0, 3.0]},
            {},
            "approach",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_planned_is_refused(
    settings: dict[str, Any], planner_settings: dict[str, Any], words: str
) -> None:
    with pytest.raises(ModelError, match=words):
        Planner(scene(TWO_LINKS, **settings), PlannerSettings(**planner_settings))


def test_same_seed_same_plan() -> None:
    scenario = percuss.Scenario(**TWO_LINKS)
    planner_settings = PlannerSettings(seed=3, tolerance={"velocity": 0.02}, **SMALL)
    first, again = (plan_percussion(scenario, planner_settings) for _ in range(2))
    assert first.summary() == again.summary()
    assert first.text == again.text


def test_a_plan_for_errors_bears_them_better() -> None:
    """Over errors that neither has seen, the robust plan's worst case is not above the other's."""
    scenario = percuss.Scenario(**TWO_LINKS)
    tolerance = {"joints": 0.03, "contact": 0.05, "velocity": 0.03, "spin": 0.1}
    robust = plan_percussion(scenario, PlannerSettings(tolerance=tolerance, starts=8, samples=512))
    plain = plan_percussion(scenario, PlannerSettings(starts=8, samples=512))
    assert plain.after.nominal <= robust.after.nominal * (1 + 1e-9)
    judge = Planner(scenario, PlannerSettings(tolerance=tolerance))
    judge.errors = more_errors(judge.problem, judge.settings, 7)
    worst = judge.costs(np.column_stack([robust.x, plain.x]))
    assert worst[0] <= worst[1] * (1 + 1e-6), "planning for errors made the worst case worse"
    assert robust.search.judged is not None
    assert robust.search.judged == pytest.approx(robust.after.cost, rel=0.02)


def test_errors_keep_to_their_box() -> None:
    planner = Planner(percuss.Scenario(**TWO_LINKS), PlannerSettings())
    for over in ("worst", "mean"):
        planner_settings = PlannerSettings(tolerance={"joints": 0.1, "velocity": 0.2}, over=over)
        for errors in (
            errors_for(planner.problem, planner_settings),
            more_errors(planner.problem, planner_settings, 1),
        ):
            assert not errors[:, 0].any(), "the first errors are none"
            parts = planner.problem.error_parts
            assert np.abs(errors[parts["joints"]]).max() <= 0.1
            assert np.abs(errors[parts["velocity"]]).max() <= 0.2
            assert not errors[parts["spin"]].any()
            assert not errors[parts["contact"]].any()


def test_planned_text_loads_as_the_planned_scenario() -> None:
    scenario = percuss.Scenario(**TWO_LINKS)
    plan = plan_percussion(scenario, PlannerSettings(free=("approach", "contact"), **SMALL))
    loaded = percuss.loads(plan.text)
    assert loaded == plan.scenario
    assert plan.text.startswith("# Planned by percuss cop plan")
    summary = plan.summary()
    assert summary["after"]["cost"] < summary["before"]["cost"]
    assert summary["random"]["count"] == 256
    assert 0.0 <= summary["random"]["share_better"] <= 1.0


def test_nothing_better_is_said_plainly() -> None:
    """The thesis's straight arm already feels least of the pin."""
    first = plan_percussion(percuss.Scenario(**TWO_LINKS), PlannerSettings(**SMALL))
    again = plan_percussion(first.scenario, PlannerSettings(**SMALL))
    assert again.improvement < 1e-6
    if np.array_equal(again.x, again.problem.initial):
        assert "nothing better" in again.sentences[0]
