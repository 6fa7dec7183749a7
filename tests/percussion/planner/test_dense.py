"""On small arms the plan is as good as the best of a dense grid."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import percuss
from percuss.percussion.planner import Planner, PlannerSettings, plan_percussion
from tests.percussion.planner.scenes import BOUNCE, THREE_LINKS, TWO_LINKS, scene

WISHES: dict[str, dict[str, Any]] = {
    "joints": {},
    "mix": {"weights": {"joints": 1.0, "base": 0.5, "rate": 3.0}},
    "largest": {"objective": "largest"},
    "one joint": {"weights": {"joint2": 1.0}},
    "robust": {"tolerance": {"joints": 0.02, "velocity": 0.01}},
    "robust mean": {"tolerance": {"contact": 0.02, "spin": 0.02}, "over": "mean"},
}


def grid(planner: Planner, count: int) -> np.ndarray:
    """Allowed choices on a grid of all joint angles, (entries, n)."""
    axes = [np.linspace(-np.pi, np.pi, count, endpoint=False)] * len(planner.problem.joints)
    x = np.array(list(itertools.product(*axes))).T
    return x[:, planner.feasible.clear(x)]


def assert_as_good(planner: Planner, found: Any, best: float, what: str) -> None:
    assert found.after.cost <= 1.01 * best, (
        f"{what}: the plan feels {found.after.cost:.6g} N s, the best of a dense grid {best:.6g}"
    )
    x = found.x[:, None]
    assert planner.feasible.clear(x).all(), f"{what}: bodies are inside each other"
    assert found.search.stationarity < 1e-4, f"{what}: not a local optimum"


@pytest.mark.parametrize(
    ("name", "overlap"), [("joints", "allow"), *((name, "avoid") for name in WISHES)]
)
def test_two_links(name: str, overlap: str) -> None:
    settings = PlannerSettings(starts=8, samples=512, overlap=overlap, **WISHES[name])
    scenario = percuss.Scenario(**TWO_LINKS)
    planner = Planner(scenario, settings)
    best = float(planner.costs(grid(planner, 151)).min())
    assert_as_good(planner, planner.plan(), best, f"two links, {name}")


@pytest.mark.parametrize("closure", ["pin", "weld", "bounce"])
def test_three_links(closure: str) -> None:
    base = {**THREE_LINKS, **BOUNCE} if closure == "bounce" else THREE_LINKS
    scenario = scene(base, impact__closure=closure)
    planner = Planner(scenario, PlannerSettings(starts=10, samples=1024))
    best = float(planner.costs(grid(planner, 61)).min())
    assert_as_good(planner, planner.plan(), best, f"three links, {closure}")


def test_two_links_with_the_contact_on_the_rim() -> None:
    """Joints and contact angle together against a grid over all three."""
    scenario = percuss.Scenario(**TWO_LINKS)
    settings = PlannerSettings(free=("contact",), starts=12, samples=1024, overlap="allow")
    planner = Planner(scenario, settings)
    angles = np.linspace(-np.pi, np.pi, 61, endpoint=False)
    q1, q2, rim = (a.ravel() for a in np.meshgrid(angles, angles, angles))
    x = np.array([q1, q2, np.cos(rim), np.sin(rim)])
    best = float(planner.costs(x).min())
    found = planner.plan()
    assert_as_good(planner, found, best, "contact on the rim")
    point = found.settings["target.contact"]
    assert np.hypot(*point) == pytest.approx(0.5, abs=1e-12), "the contact left the rim"


def test_three_links_along_their_self_motion() -> None:
    """With the contact kept a three-link arm has one freedom, which is searched densely."""
    scenario = percuss.Scenario(**THREE_LINKS)
    planner = Planner(scenario, PlannerSettings(keep="contact", starts=12, samples=1024))
    many = planner.sample(30_000, seed=9)
    found = planner.plan()
    assert_as_good(planner, found, float(many.costs.min()), "self-motion")
    before, after = scenario.contact.point, found.scenario.contact.point  # type: ignore[union-attr]
    gap = np.linalg.norm(np.array((before - after).array(), float))
    assert gap < 1e-9, f"the contact moved by {gap:.2g} m"


def test_limits_hold_and_may_be_where_the_plan_ends() -> None:
    base = {**TWO_LINKS, "chaser": {**TWO_LINKS["chaser"]}}
    del base["chaser"]["robot"]
    links = [
        {"length": 1.0, "mass": 30, "com": 0.3, "inertia": 3.33,
         "limits": {"lower": -0.7, "upper": 0.1}},
        {"length": 1.0, "mass": 20, "com": 0.3, "inertia": 2.5,
         "limits": {"lower": 0.9, "upper": 1.4}},
    ]  # fmt: skip
    base["chaser"] |= {"base": {"mass": 300, "inertia": 50}, "mount": [0.5, 0.5], "arm": links}
    found = plan_percussion(percuss.Scenario(**base), PlannerSettings(starts=6, samples=512))
    assert -0.7 <= found.x[0] <= 0.1
    assert 0.9 <= found.x[1] <= 1.4
    at_limit = np.isclose(found.x, [-0.7, 0.9]) | np.isclose(found.x, [0.1, 1.4])
    assert at_limit.any()
    assert found.search.stationarity < 1e-6, "the reactions of limits are not part of the gradient"
