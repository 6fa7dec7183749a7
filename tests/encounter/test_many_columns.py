"""Every number that the summary of a single run tells of a case is a column of many cases."""

from __future__ import annotations

import pytest

import percuss
from tests.encounter.batches import PLANAR
from tests.encounter.many import found_columns
from tests.encounter.scenes import scene
from tests.encounter.summaries import is_in_summary, summary_value, without_column
from tests.encounter.test_many import LIMITED, PLAIN, stored

UNLOADED = {"law": "detumble", "time-constant": 1.0, "dump": {"torque": 0.3, "after": 0.2}}
REPEATED = {"closure": "bounce", "restitution": 0.5, "repeat": {"below": 0.1}}

SCENARIOS: dict[str, percuss.Scenario] = {
    "pin": PLAIN["pin in space"][0],
    "weld with thrusters": scene(PLANAR, chaser__mode="free-flying", control=LIMITED),
    "bounce": PLAIN["bounce, pd"][0],
    "bounces": scene(PLANAR, impact=REPEATED),
    "compliant": PLAIN["hunt-crossley with restitution, approach"][0],
    "spring": PLAIN["bilateral, detumble"][0],
    "pulse": PLAIN["pulse, ic2"][0],
    "miss": stored("miss"),
    "fixed base": PLAIN["weld, computed torque, fixed base"][0],
    "wheels that are unloaded": scene(
        PLANAR,
        chaser__mode="attitude-controlled",
        control=UNLOADED | {"limits": {"wheels": 0.05}},
    ),
    "mission with approach, wheels": stored("air-bearing", duration=1),
    "mission in space, thrusters": stored("mission-3d", duration=1),
    "orbit": stored("orbit-3d", duration=1),
}


@pytest.mark.parametrize("kind", SCENARIOS)
def test_columns_are_the_numbers_of_a_summary(kind: str) -> None:
    """Of each side, what the other does not have is listed, so that more has to be thought of."""
    scenario = SCENARIOS[kind]
    found = percuss.simulate(scenario, vary={"duration": [0.5]}, threads=1)
    summary = percuss.run(percuss.with_overrides(scenario, {"duration": 0.5})).summary
    missing = without_column(summary, [str(name) for name in found.data_vars])
    assert not missing, f"no column tells {', '.join(missing)}"
    for name in found_columns(found):
        if is_in_summary(summary, name):
            summary_value(summary, name, found[name])  # raises where there is none
