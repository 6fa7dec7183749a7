"""Plans meet the grip when followed, say what they need, and refuse what cannot be."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import percuss
from percuss import ModelError
from percuss.control import computed_torque, gains
from percuss.control.guidance import meeting_plan, plan_needs, when_to_go
from percuss.control.guidance.arrival import arriving
from percuss.control.guidance.plan import Plan
from percuss.control.guidance.prediction import predicted_state
from percuss.control.guidance.tool_axis import forward_axis
from percuss.kinematics import NoSolutionError, Task
from tests.control.guidance.encounters import Scene, scene
from tests.strategies import Array
from tests.tracers import slopes

AT, SPEED = 20.0, 0.01


def plan_of(s: Scene, base: str = "stay", **options: Any) -> Plan:
    given: dict[str, Any] = {"at": AT, "closing_speed": SPEED, "go": 1.0} | options
    return meeting_plan(
        s.chaser, s.q, s.tool, s.target, q_t=s.q_t, v_t=s.v_t, grip=s.grip, base=base, **given
    )


def contact_surface(robot: str, mode: str) -> Scene:
    """The target beyond the tool, its grip towards the chaser, so that the arm can reach it."""
    s = scene(robot, mode)
    pose = percuss.frame_pose(s.chaser, s.q, s.tool)
    axis = np.asarray((pose.rotation @ forward_axis(s.chaser, s.tool)).array(), float)
    grip = s.target.frame(s.grip).placement.position
    inward = -np.asarray(grip.array(), float)
    if s.chaser.is_planar:
        angle = math.atan2(axis[1], axis[0]) - math.atan2(inward[1], inward[0])
        q_t = np.array([0.0, 0.0, angle])
        v_t = np.array([-0.001, 0.002, 0.01])
    else:
        half = axis + inward / np.linalg.norm(inward)
        turn = np.r_[0.0, half / np.linalg.norm(half)]  # a half turn takes inward to the axis
        q_t = np.r_[0.0, 0.0, 0.0, turn]
        v_t = np.array([-0.001, 0.002, 0.001, 0.004, -0.003, 0.005])
    off = s.waiting - np.asarray(percuss.frame_pose(s.target, q_t, s.grip).position.array(), float)
    count = 2 if s.chaser.is_planar else 3
    q_t[:count] += off[:count] - 0.1 * axis[:count]
    return Scene(s.chaser, s.target, s.tool, s.grip, s.q, q_t, v_t)


CASES = [
    ("thesis", "fixed", "stay", 20.0),
    ("thesis", "free-flying", "stay", 20.0),
    ("thesis", "free-flying", "move", 20.0),
    ("air-bearing-3r", "free-flying", "stay", 4.0),
    ("demo-7", "fixed", "stay", 20.0),
    ("demo-7", "free-flying", "move", 20.0),
]


@pytest.mark.parametrize(("robot", "mode", "base", "at"), CASES)
def test_followed_plans_meet_the_grip(robot: str, mode: str, base: str, at: float) -> None:
    s = contact_surface(robot, mode)
    plan = plan_of(s, base, at=at)
    kp, kd = gains(2.0, 1.0, s.chaser.rate_count)
    law = computed_torque(s.plant, plan.goal, kp, kd)
    q, v, _ = s.fly(law, [0.0, 1.0, at])
    count = s.chaser.coordinate_count
    assert np.abs(q[1][:count] - s.q).max() < 1e-12, "it moved before it was to go"
    offset, velocity = s.apart(q[-1], v[-1])
    assert np.abs(offset).max() < 1e-9, f"misses by {np.abs(offset).max():.1e} m"
    body = percuss.frame_pose(s.plant.system, q[-1], "target_target")
    grip = s.target.frame(s.grip).placement.position
    inward = -np.asarray((body.rotation @ grip).array(), float)
    inward /= np.linalg.norm(inward)
    assert np.abs(velocity - SPEED * inward).max() < 1e-9
    system = s.plant.system
    tool, held = (
        np.asarray(percuss.frame_velocity(system, q[-1], v[-1], f).angular.array(), float)
        for f in (s.tool, s.grip)
    )
    turning = np.abs(tool - held).max()
    if plan.matched in (Task.POSE, Task.PLANAR_POSE):
        assert turning < 1e-9, f"turns {turning:.1e} rad/s differently"
    else:
        assert len(s.q) in (2, 5), "only an arm of two joints may leave the rotation unmatched"
    if plan.task in (Task.POSE, Task.PLANAR_POSE):
        pose = percuss.frame_pose(system, q[-1], s.tool)
        axis = np.asarray((pose.rotation @ forward_axis(s.chaser, s.tool)).array(), float)
        assert np.abs(axis - inward).max() < 1e-8, "the tool does not point into the target"
    if base == "move":
        first = 3 if s.chaser.is_planar else 7
        assert np.abs(q[-1][first:count] - s.q[first:]).max() < 1e-9, "the arm left its posture"


def test_kinetic_energy_of_the_rates_is_least() -> None:
    """Any other rates that move the tool so cost more energy."""
    s = contact_surface("demo-7", "free-flying")
    plan = plan_of(s, "move")
    J = np.asarray(percuss.jacobian(s.chaser, plan.coordinates, s.tool), float)
    null = np.linalg.svd(J)[2][6:].T
    M = np.asarray(percuss.mass_matrix(s.chaser, plan.coordinates), float)
    slope = null.T @ M @ plan.rates
    assert np.abs(slope).max() < 1e-9, "the rates are not those of least kinetic energy"


def test_arriving_goal_is_consistent() -> None:
    """Rates and accelerations are the derivatives of the coordinates, orientations included."""
    robot = percuss.robot("demo-7").with_mode("free-flying")
    rng = np.random.default_rng(5)
    q0 = np.asarray(percuss.neutral(robot), float)
    q1 = np.asarray(percuss.integrate(robot, q0, rng.normal(size=13)), float)
    v1 = 0.1 * rng.normal(size=13)
    goal = arriving(robot, q0, q1, v1, go=2.0, at=7.0)
    end = [np.asarray(part, float) for part in goal(7.0)]
    np.testing.assert_allclose(end[0], q1, atol=1e-12)
    np.testing.assert_allclose(end[1], v1, atol=1e-12)
    start = [np.asarray(part, float) for part in goal(1.0)]
    np.testing.assert_allclose(start[0], q0, atol=1e-15)
    assert not np.any(start[1]), "at rest before it goes"
    for t in (3.1, 5.0, 6.9, 7.5):
        q, v, a = (np.asarray(part, float) for part in goal(t))
        for slope in slopes(lambda x: goal(x)[0], t).values():
            np.testing.assert_allclose(slope, percuss.coordinate_rates(robot, q, v), atol=1e-9)
        for slope in slopes(lambda x: goal(x)[1], t).values():
            np.testing.assert_allclose(slope, a, atol=1e-9)


def test_forward_axes_of_library_robots() -> None:
    assert tuple(forward_axis(percuss.robot("demo-7"), "tool")) == (0.0, 0.0, 1.0)
    assert tuple(forward_axis(percuss.robot("thesis"), "tool")) == (1.0, 0.0, 0.0)


def test_a_tumbling_target_is_predicted_by_integration_too() -> None:
    """A target of two bodies has no closed form; one whose hinge is stiff moves like one body."""
    target = percuss.robot("two-arms").with_mode("free-floating")
    q = np.array([0.1, 0.2, 0.3, 0.4, -0.5, 0.6, 0.2])
    v = np.array([0.1, 0.0, 0.2, -0.1, 0.3, 0.1, -0.2])
    before = percuss.momentum(target, q, v).array(), percuss.kinetic_energy(target, q, v)
    then = predicted_state(target, q, v, 5.0)
    after = percuss.momentum(target, *then).array(), percuss.kinetic_energy(target, *then)
    np.testing.assert_allclose(after[0], before[0], atol=1e-10)
    assert after[1] == pytest.approx(before[1], rel=1e-9)


# --- refusals ---------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["free-floating", "attitude-controlled"])
def test_floating_bases_are_pointed_to_matching(mode: str) -> None:
    with pytest.raises(ModelError, match=r"match_tool"):
        plan_of(scene("thesis", mode))


def test_out_of_reach_says_by_how_much() -> None:
    s = contact_surface("thesis", "fixed")
    beyond = s.q_t + np.array([4.0, 0.0, 0.0])
    far = Scene(s.chaser, s.target, s.tool, s.grip, s.q, beyond, s.v_t)
    with pytest.raises(NoSolutionError, match=r"out of reach by \d") as raised:
        plan_of(far)
    q, _ = predicted_state(far.target, far.q_t, far.v_t, AT)
    grip = np.asarray(percuss.frame_pose(far.target, q, s.grip).position.array(), float)
    missing = math.hypot(*(grip[:2] - [1.0, 2.0])) - 5.0
    assert raised.value.missing == pytest.approx(missing, rel=1e-9)


def test_a_singular_meeting_is_refused() -> None:
    """The stretched arm reaches the grip but cannot follow it outwards."""
    s = scene("thesis", "fixed")
    place = percuss.frame_pose(s.chaser, [0.0, 0.0], "tool").position.array()
    grip = np.asarray(s.target.frame(s.grip).placement.position.array(), float)
    q_t = np.r_[np.asarray(place, float)[:2] - grip[:2], 0.0]
    still = Scene(s.chaser, s.target, s.tool, s.grip, np.zeros(2), q_t, np.zeros(3))
    with pytest.raises(ModelError, match="singular"):
        plan_of(still)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"base": "jump"}, "'stay' or 'move'"),
        ({"base": "move"}, "fixed"),
        ({"at": 0.5}, "later than go"),
        ({"go": -1.0}, "go ≥ 0"),
        ({"at": math.nan}, "later than go"),
        ({"closing_speed": -1.0}, "closing-speed"),
        ({"closing_speed": math.inf}, "closing-speed"),
        ({"align": True}, "takes 3 joints"),
        ({"posture": (0.0,)}, "coordinates must be 2"),
        ({"tool_axis": (0.0, 0.0)}, "tool-axis"),
    ],
)
def test_impossible_plans_are_refused(change: dict[str, Any], words: str) -> None:
    with pytest.raises(ModelError, match=words):
        plan_of(contact_surface("thesis", "fixed"), **change)


def test_plane_and_space_do_not_mix() -> None:
    s, other = scene("thesis", "fixed"), scene("demo-7", "fixed")
    with pytest.raises(ModelError, match="not both"):
        meeting_plan(
            s.chaser,
            s.q,
            s.tool,
            other.target,
            q_t=other.q_t,
            v_t=other.v_t,
            grip=other.grip,
            at=AT,
            closing_speed=SPEED,
        )


# --- needs and times --------------------------------------------------------------------------


def peaks(plan: Plan) -> tuple[Array, Array]:
    times = np.linspace(plan.go, plan.at, 801)
    states = [plan.goal(float(t)) for t in times]
    rates = np.array([v for _, v, _ in states], float)
    torques = np.array(
        [percuss.inverse_dynamics(plan.chaser, q, v, a) for q, v, a in states], float
    )
    return np.abs(rates).max(axis=0), np.abs(torques).max(axis=0)


def test_needs_are_those_of_the_motion() -> None:
    s = contact_surface("demo-7", "free-flying")
    plan = plan_of(s)
    needs = plan_needs(plan)
    rates, torques = peaks(plan)
    np.testing.assert_allclose([n.most for n in needs.rates], rates[6:], rtol=2e-3)
    np.testing.assert_allclose([n.most for n in needs.efforts], torques[6:], rtol=2e-3)
    assert needs.is_within
    assert needs.hardest_rate.limit == 0.2
    assert "within the limits" in str(needs)
    assert needs.thrust > 0, "holding the base against the arm takes thrust"


def test_a_hurried_plan_says_what_is_too_much() -> None:
    s = contact_surface("demo-7", "fixed")
    needs = plan_needs(plan_of(s, at=1.3))
    assert not needs.is_within
    assert any("Too much" in sentence and "0.2 rad/s" in sentence for sentence in needs.sentences)
    assert needs.hardest_rate.share > 1
    with pytest.raises(ModelError, match="samples"):
        plan_needs(plan_of(s), samples=1)


def times_of(s: Scene, base: str = "stay", **options: Any) -> Any:
    given = {"earliest": 5.0, "latest": 60.0, "count": 6, "closing_speed": SPEED} | options
    return when_to_go(
        s.chaser, s.q, s.tool, s.target, q_t=s.q_t, v_t=s.v_t, grip=s.grip, base=base, **given
    )


def test_the_best_time_needs_the_least() -> None:
    s = contact_surface("demo-7", "fixed")
    table = times_of(s)
    assert len(table.candidates) == 6
    feasible = [c for c in table.candidates if c.is_feasible]
    assert table.best in feasible
    shares = [c.needs.hardest_rate.share for c in feasible]
    assert table.best.needs.hardest_rate.share == min(shares)
    assert f"Meet at {table.best.at:.4g} s" in table.words
    q, v = predicted_state(s.target, s.q_t, s.v_t, table.best.at)
    speed = percuss.frame_velocity(s.target, q, v, s.grip).linear.norm()
    assert table.best.grip_speed == pytest.approx(speed, rel=1e-12)
    assert len(str(table).splitlines()) == 9


def test_times_out_of_reach_are_told() -> None:
    s = contact_surface("thesis", "fixed")
    away = Scene(s.chaser, s.target, s.tool, s.grip, s.q, s.q_t, np.array([0.2, 0.2, 0.0]))
    table = times_of(away)
    assert table.candidates[-1].why_not.startswith("out of reach by")
    beyond = s.q_t + np.array([9.0, 0.0, 0.0])
    gone = Scene(s.chaser, s.target, s.tool, s.grip, s.q, beyond, s.v_t)
    none = times_of(gone, count=2)
    assert none.best is None
    assert "None of 2 times is feasible" in none.words


def test_a_base_that_moves_goes_where_it_needs_least_thrust() -> None:
    s = contact_surface("thesis", "free-flying")
    table = times_of(s, "move", duration=20.0)
    assert all(c.is_feasible for c in table.candidates)
    assert table.best.needs.thrust == min(c.needs.thrust for c in table.candidates)
    assert "least thrust" in table.words
    assert table.candidates[-1].plan.go == pytest.approx(40.0)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"earliest": 0.0}, "earliest"),
        ({"latest": 1.0}, "earliest"),
        ({"count": 0}, "count"),
        ({"count": 2.5}, "count"),
        ({"duration": -1.0}, "duration"),
    ],
)
def test_impossible_timetables_are_refused(change: dict[str, Any], words: str) -> None:
    with pytest.raises(ModelError, match=words):
        times_of(scene("thesis", "fixed"), **change)
