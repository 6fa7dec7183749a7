"""What a plan predicts is what the impact does, for any choice, errors and closure."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import percuss
from percuss.percussion.multibody import capture_reactions
from percuss.percussion.planner import Planner, PlannerSettings
from percuss.percussion.planner.planned import planned_scenario
from percuss.percussion.planner.verifying import verified
from tests.percussion.planner.scenes import BOUNCE, SCENARIOS, THREE_LINKS, TWO_LINKS, scene

FIXED = {"chaser": {**TWO_LINKS["chaser"], "robot": "2r-fixed", "velocity": {}}}

CASES: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "pin": (TWO_LINKS, ()),
    "weld, contact and approach free": (THREE_LINKS, ("contact", "approach")),
    "bounce, contact free": ({**TWO_LINKS, **BOUNCE}, ("contact",)),
    "fixed base": ({**TWO_LINKS, **FIXED}, ()),
    "angle by rule": (
        {**TWO_LINKS, "target": {k: v for k, v in TWO_LINKS["target"].items() if k != "angle"}},
        ("contact", "approach"),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_any_choice_is_a_scenario_that_runs_as_predicted(name: str) -> None:
    base, free = CASES[name]
    planner = Planner(percuss.Scenario(**base), PlannerSettings(free=free, length=0.7))
    found = planner.sample(100, seed=5).x[:, :3]
    assert found.shape[1] == 3, f"{name}: no random reachable configurations"
    for x in found.T:
        felt = planner.felt(x)
        proof = verified(planner.problem, planned_scenario(planner.problem, x), felt)
        assert proof.difference < 1e-12, f"{name}: the run differs by {proof.difference:.2g}"


def test_a_spatial_choice_runs_as_predicted() -> None:
    scenario = percuss.load(SCENARIOS / "pin-3d.yaml", {"duration": 0.2})
    planner = Planner(scenario, PlannerSettings(free=("approach",), overlap="allow"))
    (x,) = planner.feasible.drawn(1, np.random.default_rng(3)).T
    scenario = planned_scenario(planner.problem, x)
    proof = verified(planner.problem, scenario, planner.felt(x))
    assert proof.difference < 1e-11
    # The target's motion is a fact: another approach turns the chaser, not the world.
    assert scenario.target == planner.problem.scenario.target
    loads = capture_reactions(scenario.contact).joints  # type: ignore[arg-type]
    for joint, size in planner.felt(x).joints.items():
        assert loads[joint].bearing == pytest.approx(size, rel=1e-9), f"{joint}: reaction impulse"


@pytest.mark.parametrize("name", ["pin", "weld, contact and approach free", "bounce, contact free"])
def test_derivatives_are_those_of_the_values(name: str) -> None:
    base, free = CASES[name]
    planner = Planner(percuss.Scenario(**base), PlannerSettings(free=free))
    rng = np.random.default_rng(1)
    x = planner.sample(100, seed=2).x[:, 0]
    none = planner.problem.no_errors
    errors = np.column_stack([none, 0.01 * rng.normal(size=none.shape)])
    slopes = planner.evaluation.slopes(x, errors)
    step = 1e-6
    for k in range(len(x)):
        ends = [x + sign * step * np.eye(len(x))[k] for sign in (1, -1)]
        high, low = (planner.evaluation.sizes(end[:, None], errors) for end in ends)
        change = (high.squares - low.squares)[..., 0] / (2 * step)
        scale = 1e-3 + float(np.abs(slopes.squares).max())
        np.testing.assert_allclose(slopes.squares_by[..., k], change, atol=1e-6 * scale)
        np.testing.assert_allclose(
            slopes.tool_by[:, k], (high.tool - low.tool)[:, 0] / (2 * step), atol=1e-8
        )


@cache
def planner_of(closure: str) -> Planner:
    return Planner(scene(TWO_LINKS, impact__closure=closure), PlannerSettings())


@settings(max_examples=40, deadline=None)
@given(
    joints=st.tuples(*[st.floats(-3.1, 3.1)] * 2),
    errors=st.tuples(*[st.floats(-0.2, 0.2)] * 7),
    closure=st.sampled_from(["pin", "weld"]),
)
def test_compiled_reactions_are_those_of_the_capture(
    joints: tuple[float, ...], errors: tuple[float, ...], closure: str
) -> None:
    planner = planner_of(closure)
    x, e = np.array(joints), np.array(errors)
    squares = planner.evaluation.sizes(x[:, None], e[:, None]).squares[:, 0, 0]
    found = capture_reactions(planner.problem.meeting(x, e), closure)
    names = planner.problem.felt_by
    forces = [found.joints[name].bearing for name in names]
    scale = max(float(np.max(np.asarray(forces, float))), 1e-3)
    np.testing.assert_allclose(
        np.sqrt(squares[: len(names)]), np.asarray(forces, float), atol=1e-9 * scale,
        err_msg=f"reaction impulses of the {closure} at joints {joints}",
    )  # fmt: skip


def test_errors_are_what_they_say() -> None:
    """An error of a planned value is the same as a scenario with that value off."""
    scenario = percuss.Scenario(**TWO_LINKS)
    planner = Planner(scenario, PlannerSettings())
    encounter = planner.problem
    e = encounter.no_errors.copy()
    parts = encounter.error_parts
    e[parts["joints"]] = (0.03, -0.02)
    e[parts["contact"]] = (0.01, 0.02)
    e[parts["velocity"]] = (0.04, -0.05)
    e[parts["spin"]] = 0.06
    off = scene(
        TWO_LINKS,
        chaser__joints=[-0.47, 1.18],
        target__contact=[-0.39, -0.28],
        target__velocity={"linear": [-0.16, -0.15], "angular": 0.21},
    )
    own = planner.evaluation.sizes(encounter.initial[:, None], e[:, None]).squares[:, 0, 0]
    other = Planner(off, PlannerSettings())
    there = other.evaluation.sizes(
        other.problem.initial[:, None], other.problem.no_errors[:, None]
    ).squares[:, 0, 0]
    np.testing.assert_allclose(own, there, rtol=1e-11)
