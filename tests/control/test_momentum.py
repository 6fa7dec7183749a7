"""What joints cannot remove: least energy, spin and drift; the calmest posture; dump plans."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import percuss
from percuss.control import TreePlant, calmest_posture, dump_plan, rest_motion
from percuss.dynamics import kinetic_energy, momentum, total_inertia
from percuss.model import (
    WORLD,
    Joint,
    Limits,
    ModelError,
    Planar,
    Prismatic,
    Revolute,
    System,
    disk,
    rod,
)
from tests.control.closed_loop import GOAL, small_robot
from tests.control.wheel_loop import captured_plant
from tests.strategies import Case, cases


def totals(system: System, q: Any, v: Any) -> tuple[Any, Any]:
    whole = momentum(system, q, v)
    return whole.linear.array(), whole.angular.array()


# --- at rest but for the whole --------------------------------------------------------------------


@given(case=cases(max_bodies=6))
def test_no_motion_with_this_momentum_has_less_energy(case: Case) -> None:
    """½ ω · H + P² / 2m ≤ T for every motion of every tree, also one with roots of its own."""
    q, v = case.state.q, case.state.v
    rest = rest_motion(case.system, q, *totals(case.system, q, v))
    energy = float(np.asarray(kinetic_energy(case.system, q, v)))
    assert rest.energy <= energy * (1 + 1e-10) + 1e-13


@given(case=cases(max_bodies=6, base=("free",)))
def test_locked_joints_have_just_that_energy(case: Case) -> None:
    system, q = case.system, case.state.q
    if sum(joint.parent == WORLD for joint in system.joints) > 1:
        return
    v = np.zeros(system.rate_count)
    base = system.node(system.base_joint.child).rates
    v[base] = case.state.v[base]
    rest = rest_motion(system, q, *totals(system, q, v))
    energy = float(np.asarray(kinetic_energy(system, q, v)))
    assert rest.energy == pytest.approx(energy, rel=1e-9)
    turn = system.base_joint.placement.rotation.array()
    assert np.abs(rest.spin - turn @ v[base][3:]).max() < 1e-8 * (1 + np.abs(v).max())
    assert np.abs(rest.inertia @ rest.spin - rest.angular_momentum).max() < 1e-8 * (
        1 + np.abs(rest.angular_momentum).max()
    )


def test_the_thesis_after_its_capture() -> None:
    """15 N s and 75 N m s about the common centre of mass are there for good."""
    plant, q, v = captured_plant("free-floating", "weld", True)
    rest = rest_motion(plant.system, q, *totals(plant.system, q, v))
    assert rest.mass == 135.0
    assert np.abs(rest.linear_momentum - [-15.0, 0, 0]).max() < 1e-11
    assert rest.angular_momentum[2] == pytest.approx(75.0, rel=1e-12)
    assert np.linalg.norm(rest.drift) == pytest.approx(15 / 135, rel=1e-12)
    inertia = float(np.asarray(total_inertia(plant.system, q).central_inertia.zz))
    assert rest.spin[2] == pytest.approx(75.0 / inertia, rel=1e-12)
    assert rest.is_steady
    turning, drifting, least = rest.sentences
    assert "turns at" in turning
    assert "75 N m s about the centre of mass" in turning
    assert "drifts at 0.1111 m/s" in drifting
    assert least.startswith(f"{rest.energy:.4g} J")
    plane = rest_motion(plant.system, q, [-15.0, 0.0], totals(plant.system, q, v)[1][2])
    assert plane.energy == pytest.approx(rest.energy, rel=1e-12)


def test_a_tumbling_whole_is_called_so() -> None:
    robot = small_robot("free-floating")
    q = percuss.neutral(robot)
    rest = rest_motion(robot, q, [0, 0, 0], [1.0, 2.0, 3.0])
    assert not rest.is_steady
    assert len(rest.sentences) == 2, "nothing drifts"
    assert "tumbles" in rest.sentences[0]
    assert rest_motion(robot, q, [0, 0, 0], [0, 0, 0]).sentences == ()


def test_impossible_momenta_are_refused() -> None:
    robot = percuss.robot("thesis")
    for bad in ([1.0], [1, 2, 3, 4], [np.nan, 0.0], "fast"):
        with pytest.raises(ModelError, match=r"linear_momentum \(N s\)"):
            rest_motion(robot, GOAL, bad, 0.0)
    for bad in ([1.0, 2.0], math.inf):
        with pytest.raises(ModelError, match="angular_momentum_about_origin"):
            rest_motion(robot, GOAL, [0, 0], bad)


# --- the calmest posture --------------------------------------------------------------------------


def test_a_folded_arm_unfolds() -> None:
    """Found by the search, and by looking at every posture on a grid."""
    plant = TreePlant(percuss.robot("thesis").with_mode("free-floating"))
    q = GOAL.copy()
    q[3:] = 0.4, 2.8
    found = calmest_posture(plant, q, 20.0)
    grid = np.linspace(-math.pi, math.pi, 181)
    second = np.repeat(q[:, None], len(grid), axis=1)
    second[4] = grid
    most = np.asarray(total_inertia(plant.system, second).central_inertia.zz).max()
    assert found.spin == pytest.approx(20.0 / most, rel=1e-6)
    assert abs(math.remainder(found.joints["joint2"], math.tau)) < 1e-3, "the arm is straight"
    assert found.slower < 0.8
    assert found.q[:3].tolist() == q[:3].tolist(), "the base is not moved"
    here = rest_motion(plant.system, found.q, [0, 0], 20.0)
    assert np.linalg.norm(here.spin) == pytest.approx(found.spin, rel=1e-9)
    assert "collisions between its bodies are not looked at" in found.sentence


def test_limits_are_kept() -> None:
    plant = TreePlant(percuss.robot("thesis").with_mode("free-floating"))
    q = GOAL.copy()
    q[4] = 2.8
    found = calmest_posture(plant, q, 20.0, {"joint2": (1.0, 2.9)})
    assert found.joints["joint2"] == pytest.approx(1.0, abs=1e-9)
    assert list(found.joints) == [joint.name for joint in plant.system.movable_joints]


def test_a_sliding_joint_goes_out_to_its_limit() -> None:
    bodies = (disk("base", 0.5, 20.0), rod("boom", 1.0, 3.0))
    joints = (
        Joint("base", Planar(), WORLD, "base"),
        Joint("slide", Prismatic((1, 0, 0)), "base", "boom", limits=Limits(0.0, 2.0)),
    )
    plant = TreePlant(
        System(name="boom", bodies=bodies, joints=joints, frames=(), mode="free-floating")  # type: ignore[arg-type]
    )
    found = calmest_posture(plant, [0, 0, 0, 0.3], [0.0, 0.0, 5.0])
    # Reduced mass times distance squared, and the bodies' own moments.
    inertia = 0.5 * 20 * 0.25 + 3 / 12 + 60 / 23 * 2.5**2
    assert found.joints == {"slide": pytest.approx(2.0)}
    assert found.spin == pytest.approx(5.0 / inertia, rel=1e-12)


def test_in_space_no_posture_of_many_is_calmer() -> None:
    plant, q, _ = captured_plant("free-floating", "weld", False)
    found = calmest_posture(plant, q, [1.0, 2.0, -2.0])
    rng = np.random.default_rng(0)
    for _ in range(200):
        other = q.copy()
        other[7:10] = rng.uniform(-math.pi, math.pi, 3)
        inertia = np.asarray(total_inertia(plant.system, other).central_inertia.array(), float)
        assert 3.0 / np.linalg.eigvalsh(inertia)[-1] >= found.spin * (1 - 1e-9)
        spin = np.linalg.norm(np.linalg.solve(inertia, [1.0, 2.0, -2.0]))
        assert spin >= found.spin * (1 - 1e-9), "no attitude turns slower than the bound"
    assert calmest_posture(plant, q, [1.0, 2.0, -2.0]).q.tolist() == found.q.tolist()


def test_a_base_alone_has_no_choice() -> None:
    plant = TreePlant(percuss.free_body(disk("base", 1.0, 8.0), planar=True))
    found = calmest_posture(plant, [0, 0, 0], 4.0)
    assert (found.joints, found.spin, found.slower) == ({}, 1.0, 1.0)


def test_what_cannot_be_searched_is_refused() -> None:
    plant = TreePlant(percuss.robot("thesis"))
    with pytest.raises(ModelError, match="'elbow' is no driven joint"):
        calmest_posture(plant, GOAL, 1.0, {"elbow": (0.0, 1.0)})
    for bad in ((1.0, 0.0), (math.nan, 1.0)):
        with pytest.raises(ModelError, match="bounds of joint 'joint1'"):
            calmest_posture(plant, GOAL, 1.0, {"joint1": bad})
    with pytest.raises(ModelError, match="starts must be ≥ 1"):
        calmest_posture(plant, GOAL, 1.0, starts=0)
    slide = Joint("slide", Prismatic((1, 0, 0)), "base", "boom")
    base = Joint("base", Planar(), WORLD, "base")
    bodies = (disk("base", 0.5, 20.0), rod("boom", 1.0, 3.0))
    endless = TreePlant(
        System(name="boom", bodies=bodies, joints=(base, slide), frames=(), mode="free-floating")  # type: ignore[arg-type]
    )
    with pytest.raises(ModelError, match="bounds of joint 'slide' must be two finite numbers"):
        calmest_posture(endless, np.zeros(4), 1.0)


def test_one_limit_leaves_one_turn() -> None:
    bodies = (disk("base", 0.5, 20.0), rod("arm", 1.0, 3.0))
    base = Joint("base", Planar(), WORLD, "base")
    place = percuss.Pose.at((0.5, 0.0, 0.0))
    for limits, straight in ((Limits(lower=1.0), math.tau), (Limits(upper=-1.0), -math.tau)):
        hinge = Joint(
            name="hinge",
            motion=Revolute(),
            parent="base",
            child="arm",
            placement=place,
            limits=limits,
        )
        plant = TreePlant(
            System(name="arm", bodies=bodies, joints=(base, hinge), frames=(), mode="free-floating")  # type: ignore[arg-type]
        )
        found = calmest_posture(plant, [0, 0, 0, 2.0 * math.copysign(1, straight)], 1.0)
        assert found.joints["hinge"] == pytest.approx(straight, abs=1e-4)


# --- dump plan ------------------------------------------------------------------------------------


def test_dump_plan() -> None:
    plan = dump_plan([3.0, 0.0, -4.0], 0.2, lever_arm=0.5)
    assert (plan.momentum, plan.duration, plan.angular_impulse) == (5.0, 25.0, 5.0)
    assert plan.propellant_impulse == 10.0
    assert plan.sentence == (
        "To empty the wheels of 5 N m s, thrusters of 0.2 N m take 25 s and 10 N s of propellant "
        "impulse at an arm of 0.5 m."
    )
    bare = dump_plan(-5.0, 0.2)
    assert (bare.momentum, bare.propellant_impulse) == (5.0, None)
    assert bare.sentence.endswith("take 25 s.")
    assert "nothing to dump" in dump_plan([0.0], 0.2).sentence


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf])
def test_impossible_dumps_are_refused(bad: float) -> None:
    with pytest.raises(ModelError, match=r"torque \(N m\) must be finite and > 0"):
        dump_plan(1.0, bad)
    with pytest.raises(ModelError, match=r"lever_arm \(m\) must be finite and > 0"):
        dump_plan(1.0, 1.0, bad)
    with pytest.raises(ModelError, match=r"h \(N m s\)"):
        dump_plan([1.0, 2.0], 1.0)
