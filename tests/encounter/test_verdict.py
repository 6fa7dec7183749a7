"""What a run says of the conservation laws: at the impact, and of the motion after it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import percuss
from percuss.encounter.balances import balance_of, residuals_of
from percuss.encounter.simulation import Simulation
from percuss.impact.sizes import momentum_sizes
from percuss.scenario.simulation import simulate
from tests.encounter.scenes import SPATIAL, THESIS, TRACKING, scene

ROOT = Path(__file__).parents[2]
LINE: dict[str, Any] = {"chaser__angle": 0, "chaser__position": [0, 0]}
"""Base at the origin, arm stretched along x: with a target from the right all on one line."""

CASES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "free": (THESIS, {}),
    "line": (THESIS, LINE),
    "controlled": (THESIS, {"impact__closure": "weld", "control": TRACKING}),
    "falling": (THESIS, {"gravity": [0, -9.81]}),
    "published": (THESIS, {"impact__closure": "published"}),
    "bounce": (THESIS, LINE | {"impact": {"closure": "bounce", "restitution": 0.5}}),
    "fixed": (THESIS, {"chaser__mode": "fixed"}),
    "wheels": (SPATIAL, {"control": TRACKING}),
    "spatial fixed": (SPATIAL, {"chaser__mode": "fixed", "chaser__velocity": None}),
}
NAMES = ("energy", "linear_momentum", "angular_momentum")
UNITS = dict(zip(NAMES, ("J", "N s", "N m s"), strict=True))


@pytest.fixture(scope="module", params=CASES, ids=str)
def case(request: pytest.FixtureRequest) -> tuple[str, Simulation]:
    base, changes = CASES[request.param]
    chosen = scene(base, duration=2.0, output={"samples": 41}, **changes)
    return request.param, simulate(chosen)


@pytest.mark.parametrize("closure", ["pin", "weld", "bounce"])
def test_target_on_the_line_of_the_arm(closure: str) -> None:
    """Head-on along a line through the origin: no law is broken, nothing is warned of."""
    impact = {"closure": closure} | ({"restitution": 0.5} if closure == "bounce" else {})
    result = percuss.run(scene(THESIS, **LINE, impact=impact, duration=2.0))
    summary = result.summary
    assert [law["state"] for law in summary["laws"]] == ["kept", "kept", "lost"]
    assert [law["law"] for law in summary["laws"]] == [
        "linear momentum",
        "angular momentum",
        "energy",
    ]
    assert [law["text"] for law in summary["laws"]] == summary["verdict"]
    assert summary["warnings"] == []


def test_no_scenario_of_ours_breaks_a_law() -> None:
    for path in sorted((ROOT / "scenarios").glob("*.yaml")):
        summary = percuss.run(percuss.load(path)).summary
        broken = [law["text"] for law in summary["laws"] if law["state"] == "broken"]
        assert not broken, path.name
        assert not [text for text in summary["warnings"] if "drift" in text], path.name


def test_residuals_are_recorded(case: tuple[str, Simulation]) -> None:
    """The balances over time, whose largest values the summary tells."""
    name, simulation = case
    balance, record = simulation.balance, simulation.record
    assert balance == balance_of(simulation.observation)
    residuals = residuals_of(simulation.observation)
    for law in NAMES:
        most, history = getattr(balance, law), getattr(residuals, law)
        if most is None:
            assert law != "energy"
            assert "fixed" in name
            assert history is None
            assert f"{law}_residual" not in record.variables
            continue
        variable = record.variables[f"{law}_residual"]
        assert variable.dimensions == ("time",)
        assert variable.units == UNITS[law]
        assert variable.frame
        assert most == history.max()
        np.testing.assert_array_equal(
            variable.values, history[simulation.observation.motion.recorded]
        )
        assert variable.values[0] == 0.0, "nothing is missing at the start"


def test_residuals_are_small_but_for_the_published_closure(case: tuple[str, Simulation]) -> None:
    """Thrust, wheels, gravity and friction are accounted for."""
    name, simulation = case
    energy = 1.0 + float(simulation.observation.kinetic_energy.max())
    scales = (energy, *simulation.observation.momentum_sizes)
    for law, scale in zip(NAMES, scales, strict=True):
        most = getattr(simulation.balance, law)
        if name == "published" and law != "energy":
            assert most > 1e-3 * scale, "its equations of motion lose momentum"
        elif most is not None:
            assert most < 1e-9 * scale, f"{law} is out of balance"


def test_sizes_are_the_largest_over_time(case: tuple[str, Simulation]) -> None:
    name, simulation = case
    observation = simulation.observation
    assert len(observation.assembly.plant.passengers) == (name == "published")
    largest = np.zeros(2)
    for k in np.unique(np.linspace(0, len(observation.motion.time) - 1, 40).round().astype(int)):
        now = np.array(
            momentum_sizes(observation.equations.system, observation.q[:, k], observation.v[:, k])
        )
        for passenger in observation.assembly.plant.passengers:
            q, v = passenger.state(observation.q[:, k], observation.v[:, k])
            now = now + momentum_sizes(simulation.contact.target, q, v)
        largest = np.maximum(largest, now)
    found = np.array(observation.momentum_sizes)
    assert np.all(found >= largest * (1 - 1e-12))
    np.testing.assert_allclose(found, largest, rtol=1e-2)
    linear, angular = (np.linalg.norm(part, axis=1).max() for part in observation.momentum)
    assert np.all(found >= np.array([linear, angular]) * (1 - 1e-12))
    if name == "line":
        assert angular < 1e-9 * found[1], "no angular momentum, yet much that it is made of"


def test_control_block_is_told() -> None:
    """As written; a limit that is none is no number of JSON."""
    limits = {"joints": float("inf"), "base": 5}
    control = TRACKING | {"limits": limits}
    told = percuss.run(scene(THESIS, control=control, duration=0.2)).summary["control"]
    assert told == TRACKING | {"limits": {"joints": "inf", "base": 5}}
    free = percuss.run(scene(THESIS, duration=0.2)).summary["control"]
    assert free == {"law": "none"}
