"""What a user meets at a prompt: names by tab completion, and values that fit on a screen."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import percuss
from percuss.control.guidance import meeting_plan, when_to_go
from percuss.encounter.ensemble.ensemble import Ensemble
from percuss.percussion.planner import PlannerSettings, plan_percussion
from percuss.scenario.simulation import simulate
from percuss.symbolic import derive

SHORT = 500
LATER = ("Result", "Scenario", "ScenarioError", "load", "loads", "run", "simulate")


def test_every_public_name_is_found_by_tab_completion() -> None:
    assert set(percuss.__all__) <= set(dir(percuss))
    assert set(LATER) <= set(percuss.__all__)
    for name in percuss.__all__:
        assert getattr(percuss, name) is not None
    assert len(percuss.__all__) == len(set(percuss.__all__)), "each once"
    assert dir(percuss) == sorted(dir(percuss))


def test_listing_the_names_imports_nothing_heavy() -> None:
    code = "import sys, percuss; dir(percuss); print([m for m in sys.modules if 'simulate' in m])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@cache
def scenario() -> percuss.Scenario:
    return percuss.load("scenarios/thesis-1.yaml", {"duration": "1 s"})


@cache
def identified() -> Any:
    sensors = percuss.Sensors({"joint": {"noise": 1e-4}, "base.position": {"noise": 1e-3}})
    measured = percuss.synthesise(scenario(), sensors, seed=1)
    unknown = ["velocity", "mass"]
    return percuss.identify(scenario(), measured, sensors, unknown, starts=2, advice=False)


@cache
def planned() -> Any:
    return plan_percussion(
        percuss.load("scenarios/thesis-2.yaml"), PlannerSettings(starts=2, samples=64)
    )


@cache
def met() -> tuple[Any, Any]:
    start = percuss.load("scenarios/mission-3d.yaml").start
    assert start.target is not None
    assert start.grip is not None
    where = (start.chaser, start.chaser_coordinates, start.tool, start.target)
    there: dict[str, Any] = {
        "q_t": start.target_coordinates,
        "v_t": start.target_rates,
        "grip": start.grip,
        "closing_speed": 0.01,
        "base": "move",
    }
    times = {"earliest": 30.0, "latest": 50.0, "count": 3}
    return meeting_plan(*where, **there, at=40.0), when_to_go(*where, **there, **times)


MADE: dict[str, Callable[[], Any]] = {
    "Result": lambda: percuss.run(scenario()),
    "Result of a miss": lambda: percuss.run(percuss.load("scenarios/miss.yaml")),
    "Record": lambda: percuss.run(scenario()).record,
    "Scenario": scenario,
    "System": lambda: percuss.robot("demo-7"),
    "Start": lambda: scenario().start,
    "Contact": lambda: scenario().contact,
    "Simulation": lambda: simulate(scenario()),
    "Encounter": lambda: simulate(scenario()).encounter,
    "Impact": lambda: simulate(scenario()).impact,
    "Identification": identified,
    "Fit": lambda: identified().fit,
    "Information": lambda: identified().fit.information,
    "Checks": lambda: identified().checks,
    "History": lambda: identified().history,
    "Measured": lambda: identified().measured,
    "Sensors": lambda: identified().sensors,
    "plan.Plan": planned,
    "plan.Sample": lambda: planned().sample,
    "guidance.Plan": lambda: met()[0],
    "guidance.Timetable": lambda: met()[1],
    "Ensemble": lambda: Ensemble(scenario()),
    "EnsembleResult": lambda: Ensemble(scenario())(
        target_rates=np.outer([-1.0, 0.0, 0.0], np.linspace(0.5, 1.5, 64))
    ),
    "Derivation": lambda: derive("thesis")[0],
}


@pytest.mark.parametrize("name", list(MADE))
def test_what_a_prompt_shows_is_short(name: str) -> None:
    shown = repr(MADE[name]())
    assert len(shown) < SHORT, f"{len(shown)} characters: {shown[:200]} …"
    assert " object at 0x" not in shown


def test_a_result_tells_its_name_end_and_numbers() -> None:
    shown = repr(MADE["Result"]())
    for words in ("thesis simulation 1", "captured", "1.84 N s", "7.5 → 6.58 J", "conserved"):
        assert words in shown
    assert repr(MADE["Result of a miss"]()).startswith("<Result 'a miss': missed by")


def test_an_identification_tells_what_it_found() -> None:
    shown = repr(identified())
    for name in identified().estimate:
        assert name in shown
    assert "residuals" in shown


def test_a_system_is_named_at_a_prompt_and_printed_as_a_table() -> None:
    arm = percuss.robot("demo-7")
    assert repr(arm).startswith("<System 'demo-7'")
    assert "13 rates" in repr(arm)
    assert str(arm).count("\n") > 5
