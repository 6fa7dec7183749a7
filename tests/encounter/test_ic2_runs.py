"""Impact compensation in whole runs: the paper's numbers, repeated impacts, sensors and drives."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import percuss
from percuss.algebra.motions import Force
from percuss.algebra.vectors import Vector3
from percuss.control import ControlLaw, TreePlant, user_law
from percuss.control.plant import Plant
from percuss.dynamics.hybrid import hybrid_forces
from percuss.scenario import ScenarioError
from percuss.scenario.comparison import ic2_comparison
from tests.encounter.scenes import scene

SECTION_6_2: dict[str, Any] = {
    "name": "section 6.2",
    "chaser": {"robot": "percussion", "mode": "free-flying", "joints": ["-90 deg", "90 deg"]},
    "impact": {"closure": "pulse", "force": [0, -100], "frame": "link", "duration": 0.1},
    "control": {"law": "ic2"},
    "duration": 0.1,
}
AT_COP = {"link": "link2", "at": [0.3 + 2.5 / 6, 0]}
SHIPPED = Path(__file__).parents[2] / "scenarios" / "ic2.yaml"


def carried_out(*, law: Any = None, **settings: Any) -> percuss.Result:
    """Section 6.2 with values replaced; `law` makes another law."""
    return percuss.run(scene(SECTION_6_2, **settings), control=law)


def in_contact(result: percuss.Result, name: str) -> np.ndarray:
    return result.record[name][result.record["phase"] == 1]


def felt(result: percuss.Result) -> tuple[float, float]:
    """Largest N2, N1 while the force acts (N)."""
    sizes = np.linalg.norm(in_contact(result, "joint_reaction_force"), axis=-1).max(axis=0)
    return float(sizes[1]), float(sizes[0])


# --- section 6.2 --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "n2", "n1"),
    [
        ({"control": {"law": "none"}}, 36.79, 29.79),
        ({}, 5.27, 0.83),
        ({"control__compensation": {"base-torque": "none"}}, 5.27, 9.56),
        ({"chaser__mode": "free-floating"}, 5.27, 9.56),
        ({"chaser__mode": "attitude-controlled"}, 5.27, 0.83),
        ({"chaser__tool": AT_COP, "control": {"law": "none"}}, 3.96, 1.99),
        ({"chaser__tool": AT_COP}, 5.25, 0.76),
        ({"control__compensation": {"rule": "force"}}, 3.96, 1.99),
        ({"chaser__tool": AT_COP, "control__compensation": {"rule": "force"}}, 3.96, 1.99),
    ],
    ids=[
        "free joints",
        "ic2",
        "no base torque",
        "base that cannot",
        "wheels",
        "free joints at the centre of percussion",
        "ic2 at the centre of percussion",
        "by force",
        "by force at the centre of percussion",
    ],
)
def test_reactions_of_the_papers_robot(settings: dict[str, Any], n2: float, n1: float) -> None:
    result = carried_out(**settings)
    assert felt(result) == (pytest.approx(n2, abs=5e-3), pytest.approx(n1, abs=5e-3))
    assert result.summary["balance"]["energy"] < 1e-9
    assert result.summary["balance"]["angular_momentum"] < 1e-9


def test_torques_at_onset() -> None:
    commands = in_contact(carried_out(), "control")
    np.testing.assert_allclose(commands[0], [0, 0, 28.333333, 28.333333, 28.333333], atol=5e-7)
    np.testing.assert_array_equal(commands[:, :2], 0.0)


def locking(plant: Plant) -> ControlLaw:
    """Motors that hold the joints where they are, whatever force is felt at the tool."""
    assert isinstance(plant, TreePlant)
    system, tool = plant.system, plant.system.frame("tool")

    def hold(t: Any, q: Any, v: Any, memory: Any, force: Any) -> tuple[Any, Any]:
        del t
        push = Force(Vector3(*force), Vector3.zero())
        mask = (False, False, False, True, True)
        return hybrid_forces(
            system, q, v, None, a=(0.0,) * 5, prescribed=mask, wrenches=[(tool, push)]
        ), memory

    return user_law(hold, feels=True)


def test_locked_joints_feel_most() -> None:
    result = carried_out(law=locking)
    n2, n1 = felt(result)
    assert n2 == pytest.approx(71.6, abs=0.05)
    assert n1 == pytest.approx(39.3, abs=0.05)
    joints = result.record["coordinates"][:, 3:]
    np.testing.assert_allclose(joints[result.record["phase"] == 1] - joints[0], 0.0, atol=1e-9)


def test_after_the_pulse_the_normal_law_drives() -> None:
    tracking = {"natural-frequency": 2.0, "damping-ratio": 1.0}
    result = carried_out(control={"law": "ic2"} | tracking, duration=6)
    other = carried_out(control={"law": "computed-torque"} | tracking, duration=6)
    # From the states that the pulse leaves on, both obey ë + 2 ω ė + ω² e = 0.
    after = result.record["phase"] == 2
    time = result.record.time[after] - 0.1
    error = result.record["coordinates"][after] - result.record["coordinates"][0]
    rate = result.record["rates"][after][0]
    decay = np.exp(-2 * time)[:, None]
    expected = decay * (error[0] + (rate + 2 * error[0]) * time[:, None])
    np.testing.assert_allclose(error, expected, atol=1e-8)
    assert felt(result)[0] < 0.2 * felt(other)[0]


# --- when it does not help ----------------------------------------------------------------------


def test_it_is_said_plainly() -> None:
    oblique = carried_out(impact__force=[-50, -100]).summary["advice"]
    assert any("44.7 % of the force acts along the line from joint2" in text for text in oblique)
    there = carried_out(chaser__tool=AT_COP).summary["advice"]
    assert any("centre of percussion of link2 (0.7167 m from joint2)" in text for text in there)
    assert any("there is little for impact compensation to win" in text for text in there)
    alone = carried_out(chaser__mode="free-floating").summary["advice"]
    assert any("The base does not get the torque of the first joint" in text for text in alone)
    good = carried_out().summary["advice"]
    assert len(good) == 1
    assert good[0].startswith("Impact compensation took at most base.angle 28.33 N m, joint1")


def test_along_the_link_nothing_is_won() -> None:
    along = {"impact__force": [-100, 0]}
    free = carried_out(control={"law": "none"}, **along)
    # At onset the force goes straight through joint 2, with or without.
    before, after = (
        float(np.linalg.norm(in_contact(result, "joint_reaction_force")[0, 1]))
        for result in (free, carried_out(**along))
    )
    assert after > 0.9 * before > 10.0


# --- sensors, drives, beliefs -------------------------------------------------------------------


def test_sampling_costs_little_and_delay_much() -> None:
    fast = carried_out(control__period=1e-3)
    assert felt(fast) == (pytest.approx(5.27, abs=0.01), pytest.approx(0.83, abs=0.01))
    late = carried_out(control__period=1e-3, control__compensation={"delay": 5e-3})
    assert felt(late)[0] == pytest.approx(36.79, abs=0.01), "until it is known the joints feel all"
    commands = late.record["control"][:, 4]
    acts = np.abs(commands) > 1.0
    time = late.record.time[acts]
    assert time[0] == pytest.approx(5e-3, abs=1e-6)
    assert 0.1045 < time[-1] < 0.105 + 1e-9, "and what is over is felt as much longer"


def test_drives_with_a_torque_rate() -> None:
    result = carried_out(control__period=1e-3, control__compensation={"torque-rate": 1000})
    time, torque = result.record.time, result.record["control"][:, 4]
    steps = np.abs(np.diff(torque))
    assert steps.max() <= 1.0 + 1e-9, "1 N m within a period of 1 ms"
    assert torque[np.searchsorted(time, 0.02)] == pytest.approx(21.0, abs=1.01)
    assert abs(torque[np.searchsorted(time, 0.1) + 1]) > 20.0, "it cannot stop at once either"


def test_motors_at_their_limits() -> None:
    result = carried_out(control__limits={"joints": 10, "base": 10})
    assert 5.27 < felt(result)[0] < 36.79
    assert max(result.summary["peak"]["control"]) == 10
    assert any("at their limits" in text for text in result.summary["advice"])


def test_a_wrong_impact_point_costs_in_proportion() -> None:
    """By the force rule a wrong point is a wrong torque: at onset its share of what was won."""
    shares = []
    for offset in (0.0, 0.02, 0.04):
        settings = {"rule": "force", "offset": [offset, 0]}
        result = carried_out(control__compensation=settings)
        shares.append(np.linalg.norm(in_contact(result, "joint_reaction_force")[0, 1]))
    assert shares[0] == pytest.approx(0.0, abs=1e-9)
    assert shares[2] == pytest.approx(2 * shares[1], rel=1e-9)
    assert shares[1] == pytest.approx(36.79 * 0.02 / (1 - 0.3 - 2.5 / 6), rel=1e-3)


def test_friction_and_its_compensation() -> None:
    arm = [
        {"length": 1, "mass": 30, "com": 0.3, "inertia": 3.33, "friction": {"coulomb": 8}},
        {"length": 1, "mass": 20, "com": 0.3, "inertia": 2.5, "friction": {"coulomb": 8}},
    ]
    base = {"mass": 300, "inertia": 50}
    chaser = {"base": base, "mount": [0.5, 0.5], "arm": arm, "joints": ["-90 deg", "90 deg"]}
    rough = {"chaser": chaser | {"mode": "free-flying"}}
    found = {
        name: felt(carried_out(control__compensation={"friction": friction}, **rough))
        for name, friction in (
            ("ideal", "ideal"),
            ("none", "none"),
            ("half", {"model": "dry", "coulomb": 4}),
        )
    }
    assert found["ideal"] == (pytest.approx(5.27, abs=5e-3), pytest.approx(0.83, abs=5e-3))
    assert found["none"][0] > found["half"][0] > found["ideal"][0]
    lugre = {"model": "lugre", "stiffness": 4e3, "coulomb": 8, "static": 8.5}
    settings = {"period": 1e-3, "law": "ic2", "compensation": {"friction": lugre}}
    late = carried_out(control=settings, **rough)
    assert felt(late)[0] < found["none"][0]


def test_a_wrong_model_is_worse() -> None:
    arm = [
        {"length": 1, "mass": 30, "com": 0.3, "inertia": 3.33},
        {"length": 1, "mass": 20, "com": 0.3, "inertia": 2.5},
    ]
    base = {"mass": 300, "inertia": 50}
    chaser = {"base": base, "mount": [0.5, 0.5], "arm": arm, "joints": ["-90 deg", "90 deg"]}
    right = carried_out(chaser=chaser | {"mode": "free-flying"})
    control = {"law": "ic2", "believes": {"chaser.arm[2].inertia": 2.0}}
    wrong = carried_out(chaser=chaser | {"mode": "free-flying"}, control=control)
    assert felt(right)[0] == pytest.approx(5.27, abs=5e-3)
    onset = [np.linalg.norm(in_contact(r, "joint_reaction_force")[0, 1]) for r in (right, wrong)]
    assert onset[0] < 1e-9
    assert onset[1] > 1.0


# --- repeated impacts ---------------------------------------------------------------------------


def test_the_shipped_scenario_is_tapped_again_and_again() -> None:
    scenario = percuss.load(SHIPPED)
    comparison = ic2_comparison(scenario)
    ratios = comparison.ratios()
    assert set(ratios) == {"joint1", "joint2"}
    assert max(ratios.values()) < 0.05, "while it lasts the joints feel a twentieth"
    assert comparison.compensated.touches > 5
    assert comparison.normal is not None
    assert comparison.compensated.afterwards["joint2"] > comparison.normal.afterwards["joint2"], (
        "the normal law has more to bring back"
    )
    table = str(comparison)
    assert "force in contact, joint2 (N)" in table
    assert "normal law" in table
    result = percuss.run(scenario)
    forces = [touch["peak_force"] for touch in result.summary["contact"]["touches"]]
    assert all(b < a for a, b in pairwise(forces)), "each with less force"
    assert result.summary["balance"]["energy"] < 1e-7
    assert result.record["gap"].min() > -0.02, "nothing passes through the surface"


def test_a_threshold_leaves_small_taps_to_the_normal_law() -> None:
    scenario = percuss.with_overrides(
        percuss.load(SHIPPED), {"control.compensation": {"threshold": 10}, "duration": 1}
    )
    result = percuss.run(scenario)
    record = result.record
    force = np.linalg.norm(np.nan_to_num(record["contact_force"]), axis=-1)
    pushed = np.abs(record["control"][:, :2]).max(axis=1)
    touching = record["phase"] == 1
    assert pushed[touching & (force > 10.1)].max() == 0.0, "thrusters rest while IC² acts"
    assert pushed[touching & (force < 9.9)].max() > 0.0
    assert result.summary["balance"]["energy"] < 1e-6


def test_a_comparison_needs_the_law() -> None:
    with pytest.raises(ValueError, match=r"control\.law must be ic2 to be compared, got 'none'"):
        ic2_comparison(scene(SECTION_6_2, control={"law": "none"}))


# --- in space -----------------------------------------------------------------------------------


def test_a_seven_joint_arm_in_space() -> None:
    base: dict[str, Any] = {
        "name": "push on a servicer",
        "chaser": {
            "robot": "demo-7",
            "mode": "attitude-controlled",
            "joints": [0.6, 0.9, 0.3, 1.1, -0.4, 0.7, 0.2],
        },
        "impact": {"closure": "pulse", "force": [20, 0, 0], "frame": "link", "duration": 0.02},
        "control": {"law": "ic2"},
        "duration": 0.02,
    }
    found = []
    for law in ("none", "ic2"):
        result = percuss.run(scene(base, control={"law": law}))
        sizes = np.linalg.norm(in_contact(result, "joint_reaction_force"), axis=-1).max(axis=0)
        found.append(sizes)
        assert result.summary["balance"]["angular_momentum"] < 1e-9
    assert (found[1][:5] < 0.5 * found[0][:5]).all(), f"{found[1]} N with, {found[0]} N without"


# --- scenarios ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("control", "message"),
    [
        ({"compensation": {"delay": 0.01}}, r"control\.compensation\.delay: needs control\.period"),
        ({"compensation": {"torque-rate": 1}}, r"torque-rate: needs control\.period"),
        (
            {"period": 1e-3, "compensation": {"delay": 1.5e-3}},
            r"delay: must be a whole number of control\.period, 0\.001 s, got 0\.0015",
        ),
        ({"compensation": {"friction": {"model": "lugre"}}}, "stiffness: is missing"),
        (
            {"compensation": {"friction": {"model": "dry", "stiffness": 5}}},
            "stiffness: is for model lugre, not for dry",
        ),
        ({"compensation": {"rule": "torque"}}, "rule"),
        ({"law": "none", "compensation": {"rule": "force"}}, "compensation: is for law ic2"),
    ],
)
def test_wrong_keys_are_refused(control: dict[str, Any], message: str) -> None:
    with pytest.raises(ScenarioError, match=message):
        scene(SECTION_6_2, control={"law": "ic2"} | control)


def test_an_arm_that_cannot_is_refused() -> None:
    arm = [{"length": 1, "mass": 30}, {"joint": "prismatic", "length": 1, "mass": 20}]
    base = {"mass": 300, "inertia": 50}
    chaser = {"base": base, "arm": arm, "joints": [0, 0], "mode": "free-flying"}
    with pytest.raises(ScenarioError, match=r"control\.law: impact compensation acts through"):
        carried_out(chaser=chaser)
