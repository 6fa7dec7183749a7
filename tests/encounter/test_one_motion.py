"""One impact and one motion as functions of the inputs of an encounter."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from percuss.encounter.ensemble.machine import Machine
from percuss.encounter.ensemble.one_motion import OneMotion
from percuss.encounter.ensemble.template import NUMBERS, Template
from percuss.encounter.equations import Equations
from percuss.kernel.rollouts.methods import RK4
from percuss.model.errors import ModelError
from percuss.scenario import load
from percuss.scenario.numbers import ScenarioNumbers

SCENARIOS = Path(__file__).parents[2] / "scenarios"
NAMES = ("target.mass", "target.inertia", "target.contact")


@pytest.mark.parametrize("closure", ["pin", "weld"])
@pytest.mark.parametrize("name", ["thesis-1", "pin-3d"])
def test_a_body_in_the_hand_moves_alike_in_any_frame(name: str, closure: str) -> None:
    """A law that is not told the inputs keeps the target in its own frame, else in the tool's."""
    scenario = load(SCENARIOS / f"{name}.yaml", {"impact.closure": closure})
    rng = np.random.default_rng(1)
    found: list[tuple[np.ndarray, np.ndarray]] = []
    for known in (frozenset(NAMES), frozenset[str]()):
        template = Template(scenario.encounter, ScenarioNumbers(scenario), NAMES, known)
        motion = OneMotion(template, Machine(RK4(1.0)))
        begun = motion.begun({NUMBERS: 1.1 * template.like[NUMBERS]})
        p = {key: np.asarray(value, float) for key, value in begun["p"].items()}
        assert ("body" in p) == bool(known)
        q, v = (np.asarray(begun[key], float) for key in ("q", "v"))
        equations = motion.equations(p)
        faster = v + (rng.normal(size=len(v)) if not found else found[0][0][len(q) :] - v)
        x = np.concatenate([q, faster])
        zero = np.zeros(equations.size - len(x))
        rates = np.asarray(equations.driven(0.0, np.concatenate([x, zero]), _still(equations)))
        found.append((x, rates[: len(x)]))
    np.testing.assert_allclose(found[1][0], found[0][0], rtol=0, atol=1e-12)
    np.testing.assert_allclose(found[1][1], found[0][1], rtol=1e-9, atol=1e-9)


def _still(equations: Equations) -> np.ndarray:
    return np.zeros(equations.chaser.rate_count)


def test_more_than_one_impact_is_refused() -> None:
    scenario = load(SCENARIOS / "mission-3d.yaml")
    with pytest.raises(ModelError, match="more than one impact in no time"):
        OneMotion(Template(scenario.encounter), Machine(RK4(1.0)))
