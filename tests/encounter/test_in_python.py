"""Encounters without any file: made in Python, carried out, compared and refused."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import percuss
from percuss.control import user_law
from percuss.encounter.approach import Law
from percuss.encounter.ensemble.ensemble import Ensemble
from percuss.encounter.goals import GoalPoints
from tests.encounter.scenes import SPATIAL, THESIS, scene

SCENARIOS = Path(__file__).parents[2] / "scenarios"


def cube(**changes: Any) -> percuss.Encounter:
    """A seven-joint arm on a satellite, and a cube that comes at it, turning."""
    given: dict[str, Any] = {
        "chaser": percuss.robot("demo-7"),
        "target": percuss.free_body(percuss.box("target", (0.8, 0.8, 0.8), mass=120.0)),
        "grip": (-0.4, 0.0, 0.0),
        "target_rates": (-0.05, 0.0, 0.0, 0.0, 0.0, 0.1),
        "closure": percuss.Weld(),
        "duration": 1.0,
    }
    return percuss.Encounter(**given | changes)


def braked(count: int, t: Any, q: Any, v: Any, memory: Any) -> Any:
    """A law of a user: rates are braked, each by itself."""
    del t, q
    return -1.0 * v[:count], memory


def pushed(**changes: Any) -> percuss.Encounter:
    """The same arm alone, pushed at its tool."""
    alone = {"target": None, "grip": None, "target_rates": None}
    return cube(**alone | {"closure": percuss.Pulse((10.0, 0.0, 0.0), 0.01)} | changes)


@pytest.mark.parametrize(
    "closure",
    [
        percuss.Pin(),
        percuss.Weld(),
        percuss.Bounce(0.5, friction=0.2),
        percuss.Compliant(1e4, restitution=0.6),
        percuss.Compliant(1e3, damping=5.0, law="bilateral"),
    ],
    ids=lambda closure: closure.name,
)
def test_momentum_is_conserved_without_any_file(closure: Any) -> None:
    encounter = cube(closure=closure)
    result = percuss.simulate(encounter)
    balance = result.encounter.balance
    brought = 120.0 * 0.05
    assert balance.linear_momentum is not None
    assert balance.linear_momentum < 1e-9 * brought, "linear momentum is not conserved"
    assert balance.energy < 1e-9, "energy and work do not add up"
    assert (result.encounter.status == "captured") == closure.captures


@pytest.mark.parametrize(
    "law",
    [
        percuss.PD(natural_frequency=1.0),
        percuss.PD(kp=[0.0] * 6 + [5.0] * 7, kd=[0.0] * 6 + [5.0] * 7),
        percuss.ComputedTorque(natural_frequency=1.0, damping_ratio=0.7),
        percuss.ComputedTorque(
            natural_frequency=1.0, goal=percuss.MoveTo(joints=[0.1] * 7, within=0.5)
        ),
        percuss.FeedForward(goal=percuss.MoveTo(joints={"shoulder_yaw": 0.2}, within=0.5)),
        percuss.Detumble(2.0),
        percuss.UserLaw(lambda plant: user_law(partial(braked, plant.own_rates))),
    ],
    ids=lambda law: law.name,
)
def test_every_law_drives_a_capture_made_in_python(law: Law) -> None:
    result = percuss.simulate(cube(control=law))
    assert result.encounter.balance.energy < 1e-8, "energy and work do not add up"
    assert max(result.encounter.peak.control[6:]) > 0.0, "nothing drove the joints"
    assert result.summary["control"]["law"] == law.name


def test_a_scenario_and_its_encounter_have_the_same_motion() -> None:
    for scenario in (scene(THESIS), scene(SPATIAL)):
        by_file, alone = percuss.run(scenario), percuss.simulate(scenario.encounter)
        for name in ("coordinates", "rates", "energy"):
            np.testing.assert_array_equal(by_file.record[name], alone.record[name])
        assert by_file.encounter.impacts == alone.encounter.impacts


def test_encounters_are_equal_where_their_numbers_are() -> None:
    assert cube() == cube()
    assert cube(name="another title") == cube()
    assert cube(duration=2.0) != cube()
    assert cube(closure=percuss.Pin()) != cube()
    assert cube(control=percuss.PD(natural_frequency=1.0)) != cube()
    heavier = percuss.free_body(percuss.box("target", (0.8, 0.8, 0.8), mass=121.0))
    assert cube(target=heavier) != cube()
    assert len({cube(), cube(), cube(duration=2.0)}) == 2


def test_scenarios_are_equal_only_if_what_they_describe_is() -> None:
    one = percuss.load(SCENARIOS / "thesis-1.yaml")
    assert one.encounter == percuss.load(SCENARIOS / "thesis-1.yaml").encounter
    other = percuss.with_overrides(one, {"target.mass": 16})
    assert one.encounter != other.encounter
    assert one != other


def test_numbers_are_equal_whatever_holds_them_and_stay_as_they_are() -> None:
    rates = np.array([-0.05, 0.0, 0.0, 0.0, 0.0, 0.1])
    encounter = cube(target_rates=rates)
    assert encounter == cube(target_rates=tuple(rates)) == cube(target_rates=rates.tolist())
    rates[:] = 99.0
    assert encounter == cube()
    with pytest.raises(ValueError, match="read-only"):
        encounter.target_rates[0] = 99.0
    pushes = [percuss.Pulse(force, 0.01) for force in ((1, 0, 0), [1.0, 0.0, 0.0])]
    assert Ensemble(pushed(closure=pushes[1]))().words == "1 pushed"


def test_results_of_other_bodies_have_another_hash() -> None:
    heavier = percuss.free_body(percuss.box("target", (0.8, 0.8, 0.8), mass=240.0))
    one, other = (percuss.simulate(e) for e in (cube(), cube(target=heavier)))
    assert one.record.attributes["hash"] != other.record.attributes["hash"]
    assert one.record.attributes["hash"] == percuss.simulate(cube()).record.attributes["hash"]


def test_a_law_of_a_user_is_sampled_where_it_is_asked_for() -> None:
    def make(plant: Any) -> Any:
        return user_law(partial(braked, plant.own_rates))

    continuous, sampled = (
        percuss.simulate(cube(control=percuss.UserLaw(make, period))) for period in (None, 0.1)
    )
    commands = sampled.record["control"][:, 6]
    assert len(np.unique(commands)) <= 12, "ten samples in a second are held"
    assert len(np.unique(continuous.record["control"][:, 6])) > 400


def test_what_is_wrong_with_many_cases_of_a_scenario_is_told_of_the_scenario() -> None:
    changes = {
        "chaser.parameters.link1.com.x": 0,
        "control.compensation": "{rule: force}",
    }
    scenario = percuss.load(SCENARIOS / "ic2.yaml", changes)
    for run in (
        percuss.run,
        lambda given: Ensemble(given)(),
        lambda given: percuss.simulate(given, vary={"duration": [0.5, 1.0]}),
    ):
        with pytest.raises(percuss.ScenarioError, match=r"^control\.law: "):
            run(scenario)


def test_a_target_meets_the_tool_where_nothing_else_is_said() -> None:
    encounter = cube()
    assert encounter.contact is not None
    tool = np.array(encounter.contact.point.array(), float)
    centre = encounter.target_coordinates[:3]
    np.testing.assert_allclose(centre - tool, [0.4, 0.0, 0.0], atol=1e-15)


def test_a_meeting_made_in_python() -> None:
    """The planned approach of a shipped mission, its parts put together by hand."""
    shipped = percuss.load(SCENARIOS / "mission-3d.yaml").encounter
    assert shipped.approach is not None
    again = replace(shipped, approach=replace(shipped.approach, timeout=shipped.approach.timeout))
    assert again == shipped
    sooner = percuss.Meet(at=5.0, closing_speed=0.01)
    with pytest.raises(percuss.EncounterError, match=r"approach\.meet\.at: must be after 10"):
        replace(shipped, approach=replace(shipped.approach, meet=sooner))


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"duration": 0.0}, r"duration: must be a time in s > 0, got 0"),
        ({"duration": np.nan}, r"duration: must be a time in s > 0, got nan"),
        ({"duration": "5"}, r"duration: must be a time in s > 0, got '5'"),
        ({"samples": 2.5}, r"output\.samples: must be a whole number, two or more, got 2\.5"),
        ({"closure": percuss.Weld}, r"impact\.closure: must be a closure, such as percuss\.Weld"),
        ({"control": "pd"}, r"control\.law: must be a law, such as percuss\.PD"),
        ({"chaser": "demo-7"}, r"chaser: must be a system, such as percuss\.robot"),
        (
            {"approach": percuss.Approach(5.0, percuss.NoControl(), 0.01)},
            r"approach: is for a target that is met, which closure pulse has not",
        ),
        ({"samples": 1}, r"output\.samples: must be a whole number, two or more, got 1"),
        ({"tool": "hand"}, r"tool: .*no frame or body 'hand'"),
        ({"chaser_rates": [0.0] * 12}, r"chaser\.rates: must have 13 entries.*got 12"),
        ({"chaser_coordinates": 3.0}, r"chaser\.coordinates: must have 14 entries.*got 3"),
        ({"chaser_rates": [np.inf] * 13}, r"chaser\.rates\[1\]: must be finite, got inf"),
        (
            {"chaser_coordinates": [0.0] * 3 + [2.0] + [0.0] * 10},
            r"chaser\.coordinates: entries 4 to 7 must be a unit quaternion.*length 2",
        ),
        ({"closure": percuss.Weld()}, r"target: is missing: closure weld needs a target"),
        ({"control": percuss.HoldTool(1.0)}, r"control\.law: 'hold-tool' is for before"),
        (
            {"control": percuss.PD(natural_frequency=1.0, limits=percuss.ActuatorLimits([1.0]))},
            r"control\.limits\.joints: must be one number, or 7, one for each joint, got 1",
        ),
        (
            {"control": percuss.PD(natural_frequency=1.0, goal=percuss.MoveTo(joints=[1.0]))},
            r"control\.goal\.joints: must have 7 entries",
        ),
        (
            {"control": percuss.PD(natural_frequency=1.0, goal=percuss.MoveTo(position=[1, 0, 0]))},
            r"control\.goal\.position: nothing drives that motion of the base",
        ),
    ],
)
def test_what_cannot_be_is_refused_by_its_field(changes: dict[str, Any], told: str) -> None:
    with pytest.raises(percuss.EncounterError, match=told):
        pushed(**changes)


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: percuss.Bounce(1.5), r"impact\.restitution: must be a number from 0 to 1"),
        (lambda: percuss.Bounce(np.nan), r"impact\.restitution: must be a number from 0 to 1"),
        (lambda: percuss.Bounce(0.5, -0.1), r"impact\.friction: must be a number ≥ 0, got -0\.1"),
        (lambda: percuss.Compliant(0.0, damping=1.0), r"impact\.stiffness: must be a stiffness"),
        (lambda: percuss.Compliant(1e3), r"needs damping or restitution, got neither"),
        (lambda: percuss.Pulse((1.0, 0.0), -1.0), r"impact\.duration: must be a time in s > 0"),
        (
            lambda: percuss.Pulse((np.nan, 0.0), 1.0),
            r"impact\.force: must be made of finite numbers, got nan",
        ),
        (lambda: percuss.Pulse((1.0,), 1.0), r"impact\.force: must be two or three numbers"),
        (lambda: percuss.Pulse((0, 0, 0, 50.0), 1.0), r"impact\.force: must be two or three"),
        (lambda: percuss.Bounce(0.5, normal=(0, 0, 0)), r"impact\.normal: must not be zero"),
        (lambda: percuss.Repeat(1e-3, most=0), r"impact\.repeat\.most: must be 1 or more, got 0"),
        (
            lambda: percuss.Compliant(1e4, restitution=0.5, law="bilateral"),
            r"impact\.restitution: does not go with law bilateral, got 0\.5",
        ),
        (
            lambda: percuss.Compliant(1e4, damping=1.0, law="soft"),
            r"impact\.law: must be one of .*hunt-crossley.*, got 'soft'",
        ),
        (lambda: percuss.PD(), r"control\.natural-frequency: is missing: law pd needs it"),
        (lambda: percuss.PD(-1.0), r"control\.natural-frequency: must be finite and > 0, got -1"),
        (lambda: percuss.PD(1.0, kp=2.0), r"control\.kp: does not go with natural-frequency"),
        (lambda: percuss.ComputedTorque(kd=1.0), r"control\.kp: is missing: kd and kp go"),
        (lambda: percuss.HoldTool(np.nan), r"control\.natural-frequency: must be finite and > 0"),
        (lambda: percuss.Detumble(-1.0), r"control\.time-constant: must be a time in s > 0"),
        (
            lambda: cube(grip=(np.nan, 0.0, 0.0)),
            r"target\.contact: must be a point of finite numbers in m, got nan",
        ),
        (
            lambda: cube(
                target=percuss.free_body(percuss.disk("d", 1.0, mass=1.0), planar=True),
                target_rates=None,
            ),
            r"target: 'd' is on a planar joint on the world; it has to be free",
        ),
        (
            lambda: cube(
                target_coordinates=(0.3, 0.0, 3.0, 1.0, 0.0, 0.0, 0.0),
                approach=percuss.Approach(1.0, percuss.NoControl()),
            ),
            r"target\.position: puts the tool .* m inside the target at the start",
        ),
        (lambda: percuss.Repeat(0.0), r"impact\.repeat\.below: must be a speed in m/s > 0"),
        (
            lambda: cube(control=percuss.ImpactCompensation()),
            r"control\.law: 'ic2' acts on a force with a duration",
        ),
        (
            lambda: cube(approach=percuss.Approach(10.0, percuss.NoControl(), 0.02)),
            r"target\.position: is missing: approach needs",
        ),
        (lambda: cube(grip=None), r"target\.contact: is missing"),
        (
            lambda: cube(target_coordinates=[9.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]),
            r"target\.contact: the contact points are .* m apart",
        ),
    ],
)
def test_parts_that_cannot_be_are_refused(make: Any, told: str) -> None:
    with pytest.raises(percuss.EncounterError, match=told):
        make()


def test_goals_tell_where_to_be_when() -> None:
    robot = percuss.robot("demo-7")
    q = np.concatenate([np.zeros(3), [1.0, 0.0, 0.0, 0.0], np.full(7, 0.3)])
    stay = percuss.Stay().points(robot, q)
    assert isinstance(stay, GoalPoints)
    np.testing.assert_array_equal(stay.knots, [q])
    to = percuss.MoveTo(joints={"shoulder_pitch": 1.0}, within=3.0).points(robot, q)
    np.testing.assert_array_equal(to.times, [0.0, 3.0])
    np.testing.assert_array_equal(to.knots[1][7:], [0.3, 1.0, *[0.3] * 5])
    path = percuss.PassThrough((1.0, 2.0), ([0.1] * 7, [0.2] * 7)).points(robot, q)
    np.testing.assert_array_equal(path.knots[:, 7:], [[0.1] * 7, [0.2] * 7])


def test_bodies_in_an_orbit_of_which_one_moment_is_known_are_told_once() -> None:
    known = {"target__inertia": 7.5, "orbit": {"altitude": "500 km"}, "duration": 0.1}
    scenario = scene(THESIS, **known)
    said = "orbit: of 'target' one moment of inertia is known; gravity gradient turns them as it"
    for result in (percuss.run(scenario), percuss.simulate(scenario.encounter)):
        warnings = result.encounter.warnings
        assert sum(line.startswith(said) for line in warnings) == 1, warnings
    whole = percuss.simulate(replace(scenario.encounter, orbit=None))
    assert not any("one moment of inertia" in line for line in whole.encounter.warnings)
