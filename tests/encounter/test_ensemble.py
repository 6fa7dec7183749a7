"""Ensembles against single runs: the grasp, the motion after it, and the approach before it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from percuss import kernel
from percuss.encounter.ensemble.ensemble import Ensemble
from percuss.encounter.ensemble.machine import machine_of
from percuss.encounter.outcome import Outcome
from percuss.scenario import Scenario
from tests.encounter.batches import (
    DRIFTING,
    PLANAR,
    arrays,
    balanced,
    compare,
    ensemble_of,
    near,
    spatial,
    spread,
)
from tests.encounter.scenes import scene

PLANAR_SPREAD = (0.02, 0.02, 0.05)
SPATIAL_SPREAD = (0.02, 0.02, 0.02, 0.05, 0.05, 0.05)
HOLD = {"law": "computed-torque", "natural-frequency": 1.5}


def approached(**settings: Any) -> Scenario:
    approach = {"capture-radius": 0.05, "timeout": 8} | settings.pop("approach", {})
    target = {f"target__{key}": value for key, value in DRIFTING.items()}
    return scene(PLANAR, approach=approach, **target, **settings)


@pytest.mark.parametrize(
    "settings",
    [
        {"impact__closure": "pin", "chaser__mode": "free-flying", "control": HOLD},
        {
            "chaser__mode": "attitude-controlled",
            "control": {
                "law": "detumble",
                "time-constant": 0.7,
                "limits": {"wheels": 0.2},
                "dump": {"torque": 0.1, "after": 1.0},
            },
        },
        {"chaser__mode": "fixed", "impact__closure": "pin", "gravity": [0.1, -0.2]},
        {
            "control": {
                "law": "computed-torque",
                "natural-frequency": 1.0,
                "goal": {"joints": [0.5, -1.0], "within": "1.5 s"},
                "believes": {"target.mass": 20},
            }
        },
    ],
    ids=["pin", "wheels", "fixed base", "goal"],
)
def test_grasp_and_motion_after_are_those_of_single_runs(settings: dict[str, Any]) -> None:
    scenario = scene(PLANAR, **settings)
    rates = spread(scenario, PLANAR_SPREAD, 4, 3)
    batch = ensemble_of(scenario)(target_rates=rates)
    assert batch.words == "4 captured"
    balanced(batch)
    compare(scenario, rates, batch, state=1e-9)


class TestApproach:
    scenario = approached()
    ensemble = ensemble_of(scenario)

    @settings(max_examples=3, deadline=None)
    @given(seed=st.integers(0, 2**32 - 1))
    def test_captures_and_misses_are_those_of_single_runs(self, seed: int) -> None:
        rates = spread(self.scenario, PLANAR_SPREAD, 4, seed)
        batch = self.ensemble(target_rates=rates)
        assert batch.status[0] == Outcome.CAPTURED
        balanced(batch)
        compare(self.scenario, rates, batch, state=1e-9)

    def test_every_case_is_what_it_is_alone(self) -> None:
        rates = spread(self.scenario, PLANAR_SPREAD, 7, 5)
        together = self.ensemble(target_rates=rates)
        for k in range(7):
            alone = self.ensemble(target_rates=rates[:, k : k + 1])
            for name, value in arrays(alone).items():
                np.testing.assert_array_equal(
                    value[..., 0], getattr(together, name)[..., k], err_msg=name
                )

    def test_a_case_without_numbers_leaves_the_others_alone(self) -> None:
        rates = spread(self.scenario, PLANAR_SPREAD, 5, 6)
        sound = self.ensemble(target_rates=rates)
        rates[0, 2], rates[1, 4] = np.nan, np.inf
        broken = self.ensemble(target_rates=rates)
        others = [0, 1, 3]
        assert (broken.status[[2, 4]] == Outcome.FAILED).all()
        for name, value in arrays(sound).items():
            np.testing.assert_array_equal(
                value[..., others], getattr(broken, name)[..., others], err_msg=name
            )

    def test_tool_within_reach_from_the_start_grasps_at_once(self) -> None:
        place = np.array([1.8026657618793 + 0.31, 0.2441980414909799, 0.0])
        batch = self.ensemble(target_coordinates=place)
        assert batch.status[0] == Outcome.CAPTURED
        assert batch.contact_time[0] == 0.0
        assert batch.closest_distance[0] == pytest.approx(0.01, abs=1e-9)

    def test_no_cases_at_all(self) -> None:
        batch = self.ensemble(target_rates=np.zeros((3, 0)))
        assert len(batch) == 0
        assert batch.words == "no cases"


class TestFlyBys:
    """At 1 m/s the contact point is within 2 cm for 0.04 s, and nothing asks for short steps."""

    radius = 0.02
    scenario = approached(approach={"capture-radius": radius})
    ensemble = ensemble_of(scenario, None)
    tool = np.array([1.8026657618793, 0.2441980414909799])

    def test_straight_ones_are_met_where_geometry_says(self) -> None:
        y = np.linspace(-0.025, 0.025, 12)
        places = np.stack([np.full(12, self.tool[0] + 3.7), self.tool[1] + y, np.zeros(12)])
        rates = np.repeat([[-1.0], [0.0], [0.0]], 12, axis=1)
        batch = self.ensemble(target_coordinates=places, target_rates=rates)
        hits = np.abs(y) < self.radius
        assert (batch.status == np.where(hits, Outcome.CAPTURED, Outcome.MISSED)).all()
        way = 3.4 - np.sqrt(np.maximum(self.radius**2 - y**2, 0.0))
        near(batch.contact_time[hits], way[hits], 1e-9, "time of contact")
        near(batch.closest_distance[~hits], np.abs(y[~hits]), 1e-9, "closest approach")
        near(batch.closest_time[~hits], np.full((~hits).sum(), 3.4), 1e-7, "when")

    def test_tumbling_ones_are_met_when_a_fine_grid_says(self) -> None:
        rng, count = np.random.default_rng(11), 200
        spin, when, angle = (
            rng.uniform(-3, 3, count),
            rng.uniform(1, 6, count),
            rng.uniform(0, 6.28, count),
        )
        heading = rng.uniform(0, 6.28, count)
        velocity = np.stack([np.cos(heading), np.sin(heading)])
        miss = rng.uniform(0.0, 0.04, count) * rng.choice([-1.0, 1.0], count)

        def grip(t: np.ndarray) -> np.ndarray:
            """Contact point relative to the target's centre (2, cases) at times (cases,)."""
            turned = angle + spin * t
            return -0.3 * np.stack([np.cos(turned), np.sin(turned)])

        # The contact points pass the tool, `miss` to the side of it, at the times `when`.
        side = np.stack([-velocity[1], velocity[0]])
        start = self.tool[:, None] + miss * side - grip(when) - velocity * when
        batch = self.ensemble(
            target_coordinates=np.concatenate([start, angle[None]]),
            target_rates=np.concatenate([velocity, spin[None]]),
        )
        times = np.arange(0.0, 8.0, 2e-4)
        closest, first = np.full(count, np.inf), np.full(count, np.nan)
        for t in times:
            apart = start + velocity * t + grip(np.full(count, t)) - self.tool[:, None]
            distance = np.linalg.norm(apart, axis=0)
            closest = np.minimum(closest, distance)
            first = np.where(np.isnan(first) & (distance < self.radius), t, first)
        met = closest < self.radius - 1e-5
        free = closest > self.radius + 1e-5
        assert met.sum() > 50
        assert free.sum() > 20
        assert (batch.status[met] == Outcome.CAPTURED).all()
        assert (batch.status[free] == Outcome.MISSED).all()
        near(batch.contact_time[met], first[met], 2e-4, "time of contact")
        near(batch.closest_distance[free], closest[free], 1e-6, "closest approach")


def test_plan_of_base_and_joints_is_made_for_every_case() -> None:
    scenario = approached(
        chaser__mode="free-flying",
        target__velocity={"linear": [-0.06, 0.01], "angular": 0.02},
        approach={
            "capture-radius": 0.02,
            "observe": 1,
            "meet": {"at": 5, "closing-speed": 0.02},
            "control": {"law": "computed-torque", "natural-frequency": 2.0},
        },
    )
    rates = spread(scenario, (0.01, 0.01, 0.02), 3, 4)
    rates[0, 2] = 2.0  # out of reach by the time of the meeting
    batch = ensemble_of(scenario)(target_rates=rates)
    assert batch.words == "2 captured, 1 failed"
    balanced(batch)
    compare(scenario, rates[:, :2], batch)


def test_spatial_encounters_are_those_of_single_runs(tmp_path: Path) -> None:
    place = _in_the_way(spatial(tmp_path))
    scenario = spatial(
        tmp_path,
        **{
            "target.position": place,
            "approach": {"contact": "surface", "timeout": 8},
            "impact.closure": "pin",
            "control": {"law": "detumble", "time-constant": 1.0},
        },
    )
    rates = spread(scenario, SPATIAL_SPREAD, 3, 8)
    batch = ensemble_of(scenario)(target_rates=rates)
    assert batch.status[0] == Outcome.CAPTURED
    balanced(batch)
    compare(scenario, rates, batch, state=1e-8)


def _in_the_way(scenario: Scenario) -> list[float]:
    """A place of the target 0.3 m from where the tool waits."""
    from percuss.kinematics.frames import frame_pose

    start = scenario.start
    tool = frame_pose(start.chaser, start.chaser_coordinates, start.tool).position
    return [float(x) + d for x, d in zip(tool.array(), (0.6, 0.02, -0.03), strict=True)]


def test_default_tolerance_agrees_with_the_single_run() -> None:
    holding = {"control": {"law": "hold-tool", "natural-frequency": 1.0}}
    detumble = {"law": "detumble", "time-constant": 1.0}
    scenario = approached(integration={}, approach=holding, control=detumble)
    rates = spread(scenario, PLANAR_SPREAD, 2, 9)
    batch = Ensemble(scenario, reactions=True)(target_rates=rates)
    runs = compare(scenario, rates, batch, time=1e-7, state=1e-7)
    wanted = np.array([list(run.peak_joint_reaction.values()) for run in runs]).T
    near(batch.peak_reactions, wanted, 1e-4, "forces through the joints")


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("auto", kernel.Dop853),
        ("dormand-prince", kernel.Adaptive),
        ("dop853", kernel.Dop853),
        ("rosenbrock", kernel.Rosenbrock),
    ],
)
def test_a_scenario_may_insist_on_a_method(name: str, kind: type) -> None:
    scenario = approached(integration={"method": name}, control=HOLD)
    ensemble = Ensemble(scenario)
    assert type(ensemble.machine.method) is kind
    rates = spread(scenario, PLANAR_SPREAD, 2, 9)
    compare(scenario, rates, ensemble(target_rates=rates), time=1e-7, state=1e-7)


def test_laws_that_are_sampled_have_a_method_of_shorter_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "law.py").write_text("def law(t, q, v):\n    return 0.0 * v\n", encoding="utf-8")
    sampled = {"law": "python", "file": "law.py", "period": 0.05}
    for laws in ({"control": sampled}, {"approach": {"control": sampled}}):
        scenario = approached(**({"integration": {}, "control": HOLD} | laws))
        assert type(machine_of(scenario.encounter, None).method) is kernel.Adaptive
    scenario = approached(integration={}, control=HOLD)
    assert type(machine_of(scenario.encounter, None).method) is kernel.Dop853
