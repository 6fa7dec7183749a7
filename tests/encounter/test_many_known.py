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
from tests.encounter.many import EXACT, assert_cases_are_runs, case_of, drawn, drawn_of
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

    def test_what_a_plan_cannot_follow_is_told(self) -> None:
        vary = {"target.contact": np.array([[-0.6, 0.1, 0.2], [-0.6, 0.1, 0.25]])}
        with pytest.raises(percuss.ModelError, match="knows: a plan"):
            percuss.simulate(self.scenario, vary=vary, knows="truth")


def test_a_name_that_does_not_vary_cannot_be_known() -> None:
    with pytest.raises(EncounterError, match="knows"):
        percuss.simulate(
            driven(LAWS["detumble"]), vary={"target.mass": [10.0]}, knows=["chaser.joints"]
        )
