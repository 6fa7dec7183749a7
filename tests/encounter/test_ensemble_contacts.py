"""Ensembles against single runs: bounces, contacts that take time, and pulses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import percuss
from percuss.encounter.outcome import Outcome
from percuss.encounter.recorded_phases import sequence_of
from percuss.scenario.simulation import simulate
from tests.encounter.batches import (
    DRIFTING,
    PLANAR,
    balanced,
    compare,
    ensemble_of,
    near,
    spatial,
    spread,
)
from tests.encounter.scenes import scene

SPREAD = (0.02, 0.02, 0.05)
SURFACE = {"contact": "surface", "timeout": 9}
PLACED = {f"target__{key}": value for key, value in DRIFTING.items()}
BOUNCE = {"closure": "bounce", "restitution": 0.6, "friction": 0.3}


def test_one_bounce_and_the_motion_after() -> None:
    law = {"law": "pd", "natural-frequency": 2.0}
    scenario = scene(PLANAR, impact=BOUNCE | {"normal": [1.0, 0.2]}, control=law)
    rates = spread(scenario, SPREAD, 4, 1)
    batch = ensemble_of(scenario)(target_rates=rates)
    assert batch.words == "4 bounced"
    balanced(batch)
    compare(scenario, rates, batch, state=1e-9)


class TestBouncesUntilSlow:
    """The tool keeps closing in, bounces off the disk again and again, and grasps it when slow."""

    scenario = scene(
        PLANAR,
        target__position=[2.3, 0.1],
        target__angle=0.0,
        target__velocity={"linear": [-0.02, 0.01], "angular": 0.02},
        approach={
            "contact": "surface",
            "timeout": 9,
            "observe": 1,
            "meet": {"at": 4, "closing-speed": 0.06},
            "control": {"law": "match", "natural-frequency": 2.0},
        },
        impact=BOUNCE | {"repeat": {"below": 0.02, "then": "pin", "most": 6}},
        control={"law": "detumble", "time-constant": 1.0},
    )

    def test_cases_are_single_runs(self) -> None:
        rates = spread(self.scenario, (0.01, 0.01, 0.02), 4, 2)
        batch = ensemble_of(self.scenario)(target_rates=rates)
        assert (batch.status == Outcome.CAPTURED).any()
        assert (batch.impacts >= 3).any()
        balanced(batch)
        compare(self.scenario, rates, batch, peaks=1e-3)


@pytest.mark.parametrize(
    ("impact", "ends"),
    [
        ({"restitution": 0.5, "friction": 0.4, "repeat": {"below": 0.01, "most": 1}}, "bounced"),
        ({"restitution": 0.0, "friction": 0.0, "repeat": {"below": 0.1}}, "captured"),
    ],
)
def test_bounces_without_an_approach_end_as_single_runs(impact: dict[str, Any], ends: str) -> None:
    scenario = scene(
        PLANAR,
        impact={"closure": "bounce"} | impact,
        target__velocity={"linear": [-0.12, 0.05], "angular": 0.1},
    )
    rates = spread(scenario, (0.01, 0.005, 0.02), 3, 3)
    batch = ensemble_of(scenario)(target_rates=rates)
    assert Outcome(batch.status[0]).name.lower() == ends
    balanced(batch)
    compare(scenario, rates, batch)


def test_a_slide_that_cannot_be_grasped_accumulates() -> None:
    impact = {"closure": "bounce", "restitution": 0.0, "repeat": {"below": 0.01}}
    scenario = scene(PLANAR, impact=impact, target__velocity__linear=[-0.12, 0.05])
    batch = ensemble_of(scenario)()
    assert sequence_of(scenario.encounter).status == "accumulated"
    assert batch.words == "1 accumulated"
    assert batch.impacts[0] == 1


def test_a_pressed_surface_is_bounced_off_as_often_as_allowed() -> None:
    # A strong pull towards the target brings the tool back after each bounce.
    law = {"law": "computed-torque", "natural-frequency": 3.0, "goal": {"joints": [0.5, -0.7]}}
    scenario = scene(
        PLANAR,
        chaser__mode="fixed",
        impact={
            "closure": "bounce",
            "restitution": 0.9,
            "normal": [1, 0],
            "repeat": {"below": 1e-3, "most": 2},
        },
        control=law,
    )
    rates = spread(scenario, (0.01, 0.0, 0.0), 2, 4)
    batch = ensemble_of(scenario)(target_rates=rates)
    runs = compare(scenario, rates, batch)
    assert [run.status for run in runs] == ["unfinished", "unfinished"]


@pytest.mark.parametrize(
    "impact",
    [
        {"stiffness": 2000, "restitution": 0.5, "friction": 0.2},
        {"law": "linear", "stiffness": 600, "damping": 15},
        {"law": "bilateral", "stiffness": 500, "damping": 20},
    ],
    ids=["hunt-crossley", "linear", "bilateral"],
)
def test_contacts_that_take_time_are_those_of_single_runs(impact: dict[str, Any]) -> None:
    approach = {"approach": SURFACE} | PLACED if impact.get("law") == "linear" else {}
    scenario = scene(PLANAR, impact={"closure": "compliant"} | impact, **approach)
    rates = spread(scenario, SPREAD, 3, 5)
    batch = ensemble_of(scenario)(target_rates=rates)
    assert batch.words == ("3 held" if impact.get("law") == "bilateral" else "3 bounced")
    balanced(batch)
    runs = compare(scenario, rates, batch, time=1e-8)
    for k, run in enumerate(runs):
        assert batch.touches[k] == len(run.lasting_contacts)
        lasted = sum(contact.duration for contact in run.lasting_contacts)
        assert abs(batch.touching[k] - lasted) < 1e-7
        peak = max(contact.peak_force for contact in run.lasting_contacts)
        assert abs(batch.peak_force[k] - peak) < 1e-4 * peak
        # Nothing from outside: what the contact takes is missing afterwards.
        assert batch.energy_lost[k] >= 0.0


def test_a_law_after_a_pulse_holds_the_pose_before_it() -> None:
    """Its goal is where each case began, not where the pulse left it."""
    pulse = {"closure": "pulse", "force": [3.0, -1.0], "duration": 0.5}
    scenario = scene(PLANAR, impact=pulse, control={"law": "pd", "natural-frequency": 2.0})
    batch = ensemble_of(scenario)()
    final = percuss.run(scenario).summary["final"]
    near(batch.coordinates[:, 0], final["coordinates"], 1e-9, "coordinates")


def test_pulse_on_the_chaser_alone() -> None:
    document = {key: value for key, value in PLANAR.items() if key != "target"}
    document |= {
        "impact": {"closure": "pulse", "force": [-30, 5], "frame": "link", "duration": 0.1},
        "control": {"law": "detumble", "time-constant": 1.0},
    }
    rates = np.zeros((5, 3))
    rates[3:, 1:] = 0.1, -0.2
    batch = ensemble_of(percuss.Scenario(**document))(chaser_rates=rates)
    assert batch.words == "3 pushed"
    balanced(batch)
    for k in range(3):
        document["chaser"] = PLANAR["chaser"] | {"velocity": {"joints": rates[3:, k].tolist()}}
        observation = simulate(percuss.Scenario(**document)).phases[-1].observation
        near(batch.coordinates[:, k], observation.q[:, -1], 1e-10, "coordinates")
        near(batch.rates[:, k], observation.v[:, -1], 1e-10, "rates")


def test_sampled_law_of_a_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "law.py").write_text(
        "def law(t, q, v, memory):\n"
        "    memory = 0.9 * memory + q[4]\n"
        "    return [0.0, 0.0, 0.0, -2.0 * v[3], -0.1 * memory[0] - v[4]], memory\n",
        encoding="utf-8",
    )
    law = {"law": "python", "file": "law.py", "period": 0.05, "memory": [0.0]}
    scenario = scene(PLANAR, control=law).with_code_allowed()
    rates = spread(scenario, SPREAD, 3, 6)
    batch = ensemble_of(scenario)(target_rates=rates)
    balanced(batch)
    compare(scenario, rates, batch, state=1e-9)


def test_friction_in_space_is_that_of_single_runs(tmp_path: Path) -> None:
    impact = {"closure": "bounce", "restitution": 0.5, "friction": 0.3}
    scenario = spatial(tmp_path, impact=impact)
    rates = spread(scenario, (0.02,) * 3 + (0.05,) * 3, 3, 7)
    batch = ensemble_of(scenario)(target_rates=rates)
    assert batch.words == "3 bounced"
    balanced(batch)
    compare(scenario, rates, batch, state=1e-8)
