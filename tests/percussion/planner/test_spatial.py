"""On robots in space the plan is among the best of thousands of random configurations."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import percuss
from percuss.percussion.planner import PlannerSettings, plan_percussion
from percuss.report.percussion_plan_figure import distribution_figure, plan_figure
from tests.percussion.planner.scenes import ROBOTS, SCENARIOS

FILES = {
    "demo-7": SCENARIOS / "pin-3d.yaml",
    "iiwa": ROBOTS / "iiwa.yaml",
    "six joints": ROBOTS / "six.yaml",
}


@pytest.mark.parametrize("name", FILES)
def test_place_among_random_reachable_configurations(name: str, tmp_path: Path) -> None:
    scenario = percuss.load(FILES[name], {"duration": 0.2})
    settings = PlannerSettings(keep="contact", starts=5, samples=3000)
    plan = plan_percussion(scenario, settings)
    costs = plan.sample.costs
    assert costs.size == 3000, f"{name}: {costs.size} random reachable configurations"
    quantile = float(np.quantile(costs, 0.001))
    assert plan.after.cost < quantile, (
        f"{name}: the plan feels {plan.after.cost:.5g} N s and is better than "
        f"{100 * (1 - plan.place):.4g} % of random configurations, not than 99.9 % "
        f"({quantile:.5g} N s)"
    )
    assert plan.verification.difference < 1e-11, f"{name}: the run contradicts the plan"
    assert not plan.warnings, f"{name}: {plan.warnings}"
    if name == "demo-7":
        plan_figure(plan).savefig(tmp_path / "plan.png")
        distribution_figure({name: plan}).savefig(tmp_path / "place.png")
        assert (tmp_path / "plan.png").stat().st_size > 20_000
