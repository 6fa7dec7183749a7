"""What laws and plans know of the numbers in which cases differ."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import percuss
from percuss.encounter.errors import EncounterError
from percuss.encounter.numbers import EncounterNumbers
from tests.encounter.batches import PLANAR
from tests.encounter.many import EXACT, assert_cases_are_runs, case_of, drawn, drawn_of, single
from tests.encounter.scenes import scene

SCENARIOS = Path(__file__).parents[2] / "scenarios"
CASES = 5
COMPARED = [1, 3]
MASSES = {"target.mass": 0.3, "chaser.parameters.link1.mass": 0.3}
LAWS: dict[str, Any] = {
    "computed torque": percuss.ComputedTorque(natural_frequency=2.0, damping_ratio=0.7),
    "pd by frequency": percuss.PD(natural_frequency=1.0),
    "detumble": percuss.Detumble(1.0),
}


def driven(law: Any) -> percuss.Encounter:
    """A planar arm on a satellite that grasps a disk, and a law."""
    return replace(scene(PLANAR, chaser__mode="free-flying").encounter, control=law)


@pytest.mark.parametrize("law", LAWS)
def test_laws_believe_the_nominal_bodies(law: str) -> None:
    encounter = driven(LAWS[law])
    numbers = EncounterNumbers(encounter)
    vary = drawn_of(numbers, MASSES, CASES, seed=6)
    found = percuss.simulate(encounter, vary=vary, threads=1)
    assert encounter.target is not None
    believed = percuss.Belief(encounter.chaser, encounter.target)

    def believing(control: Any) -> Any:
        return replace(control, believes=believed)

    def run(k: int) -> percuss.Result:
        truth = numbers.encounter_of(case_of(vary, COMPARED[k]))
        return percuss.simulate(replace(truth, control=believing(truth.control)))

    assert_cases_are_runs(found.isel(case=COMPARED), run)
    known = percuss.simulate(encounter, vary=vary, knows="truth", threads=1)
    apart = np.abs(known["final.coordinates"] - found["final.coordinates"]).max("coordinate")
    assert (apart.values[1:] > 1e-6).all(), "it makes no difference what the law knows"


def test_what_is_named_is_known() -> None:
    encounter = driven(LAWS["computed torque"])
    vary = drawn_of(EncounterNumbers(encounter), MASSES, CASES, seed=6)
    found = {
        str(knows): percuss.simulate(encounter, vary=vary, knows=knows, threads=1, ask=[])
        for knows in ("nominal", [], "truth", list(vary), ["target.mass"])
    }
    assert found["nominal"].equals(found["[]"]), "knowing nothing is another thing than nominal"
    assert found["truth"].equals(found[str(list(vary))]), "knowing all is another thing than truth"
    some = found["['target.mass']"]["final.rates"].values[1:]
    for other in ("nominal", "truth"):
        assert (np.abs(some - found[other]["final.rates"].values[1:]).max(axis=1) > 1e-7).all()


def test_gains_of_a_law_are_its_own() -> None:
    encounter = driven(LAWS["computed torque"])
    vary = {"control.natural-frequency": np.array([1.0, 2.0, 3.0])}
    nominal, truth = (
        percuss.simulate(encounter, vary=vary, knows=knows, threads=1)
        for knows in ("nominal", "truth")
    )
    np.testing.assert_allclose(
        nominal["final.coordinates"], truth["final.coordinates"], rtol=0, atol=1e-10
    )
    assert np.ptp(nominal["final.coordinates"].values[:, 2]) > 1e-6, "the gains do not matter"


class TestPlans:
    """A mission whose chaser plans where to meet the target, and holds on to the plan."""

    scenario = percuss.with_overrides(
        percuss.load(SCENARIOS / "mission-3d.yaml"), {"integration": EXACT, "duration": 2}
    )

    def test_the_plan_is_the_nominal_one(self) -> None:
        """A target elsewhere does not move the tool, which goes where it would have met it."""
        moved = drawn(self.scenario, {"target.position": 0.1, "target.mass": 0.2}, 4, seed=2)
        times = np.linspace(0.0, 39.0, 14)
        found = percuss.simulate(
            self.scenario, vary=moved, signals=["tool_position"], times=times, threads=1, ask=[]
        )
        assert found["status"].values[0] == "captured"
        tool = found["tool_position"].values
        alike = np.broadcast_to(tool[0], tool[1:].shape)
        np.testing.assert_allclose(
            tool[1:], alike, atol=1e-8, err_msg="the tool knows where the target is"
        )
        assert (found["status"].values[1:] == "missed").all(), "the target is met by chance"
        known = percuss.simulate(self.scenario, vary=moved, knows="truth", threads=1, ask=[])
        assert (known["status"] == "captured").all(), "a known target is missed"

    def test_plans_are_made_for_the_arms_that_are_known(self) -> None:
        """Masses of links, the tool's start and the contact point are those of each case."""
        spreads = {
            "chaser.parameters.link3.mass": 0.5,
            "chaser.parameters.satellite.mass": 0.3,
            "chaser.joints": 0.02,
            "target.contact": 0.1,
        }
        vary = drawn(self.scenario, spreads, CASES, seed=3)
        found = percuss.simulate(self.scenario, vary=vary, knows="truth", threads=1)
        assert (found["status"] == "captured").all()
        assert_cases_are_runs(
            found.isel(case=COMPARED), lambda k: single(self.scenario, case_of(vary, COMPARED[k]))
        )


REACHING: dict[str, Any] = {
    "name": "an arm that reaches for a disk from where its base is",
    "chaser": {
        "base": {"shape": "disk", "mass": 60, "radius": 0.5},
        "mount": [0.5, 0],
        "mode": "fixed",
        "arm": [
            {"length": 0.9, "mass": 4},
            {"length": 0.7, "mass": 3},
            {"length": 0.4, "mass": 1},
        ],
        "joints": [0.7, -1.2, 0.4],
    },
    "target": {
        "shape": "disk",
        "mass": 12,
        "radius": 0.3,
        "contact": {"angle": "180 deg"},
        "position": [2.5, 0.3],
        "angle": 0.1,
        "velocity": {"linear": [-0.01, 0.005], "angular": 0.02},
    },
    "approach": {
        "capture-radius": "1 cm",
        "timeout": 12,
        "observe": 1,
        "meet": {"at": 9, "closing-speed": "2 cm/s", "base": "stay"},
        "control": {"law": "computed-torque", "natural-frequency": 2.0, "damping-ratio": 1.0},
    },
    "impact": {"closure": "weld"},
    "integration": EXACT,
    "duration": 1,
}


@pytest.mark.parametrize("mode", ["fixed", "free-flying"])
def test_arms_of_other_lengths_reach_for_the_target(mode: str) -> None:
    """By inverse kinematics of their own, from bases of their own, as far as they can."""
    scenario = scene(REACHING, chaser__mode=mode)
    spreads = {
        "chaser.arm[1].length": 0.1,
        "chaser.arm[2].mass": 0.5,
        "chaser.arm[3].length": 0.2,
        "chaser.position": 0.05,
        "chaser.angle": 0.05,
        "target.contact.angle": 0.05,
    }
    vary = drawn(scenario, spreads, CASES, seed=4)
    vary["chaser.position"][4] -= 5.0  # from there nothing is in reach
    found = percuss.simulate(scenario, vary=vary, knows="truth", threads=1)
    assert found["status"].values.tolist() == ["captured"] * 4 + ["failed"]
    assert_cases_are_runs(
        found.isel(case=COMPARED), lambda k: single(scenario, case_of(vary, COMPARED[k]))
    )
    nominal = percuss.simulate(scenario, vary=vary, threads=1, ask=[])
    assert (nominal["status"].values[1:] != "captured").all(), "what is not known is met"


def test_a_name_that_does_not_vary_cannot_be_known() -> None:
    with pytest.raises(EncounterError, match="knows"):
        percuss.simulate(
            driven(LAWS["detumble"]), vary={"target.mass": [10.0]}, knows=["chaser.joints"]
        )
