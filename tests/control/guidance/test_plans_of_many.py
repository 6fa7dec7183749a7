"""Plans of many cases at once are those of each case, and cost no Python for each."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import percuss
from percuss import ModelError, kernel
from percuss.algebra import Pose, Rotation, Vector3
from percuss.algebra.vectors import Matrix3
from percuss.control.guidance.meeting_frames import MeetingFrames
from percuss.control.guidance.plans_of_many import PlansOfMany
from percuss.control.guidance.prediction import predicted_state
from percuss.control.guidance.rendezvous import Rendezvous
from percuss.control.guidance.tool_axis import pointing
from percuss.kinematics import InverseKinematics, NoSolutionError, stay_near
from percuss.model import Frame, PlanarLink, planar_arm
from tests.control.guidance.encounters import Scene
from tests.control.guidance.test_plan import CASES, SPEED, contact_surface
from tests.kinematics.arms import arms, reachable

Array = np.ndarray


def spread(s: Scene, count: int, seed: int) -> tuple[Array, Array, Array]:
    """Starts of the chaser, coordinates and rates of the target, each (entries, cases)."""
    rng = np.random.default_rng(seed)

    def around(system: percuss.System, q: Any, size: float) -> Array:
        steps = size * rng.normal(size=(count, system.rate_count))
        return np.stack([np.asarray(percuss.integrate(system, q, step)) for step in steps], axis=1)

    rates = np.asarray(s.v_t)[:, None] + 1e-3 * rng.normal(size=(len(s.v_t), count))
    return around(s.chaser, s.q, 0.05), around(s.target, s.q_t, 0.05), rates


def rendezvous(s: Scene, base: str, q: Any, q_t: Any, v_t: Any, **options: Any) -> Rendezvous:
    return Rendezvous.of(
        s.chaser,
        q,
        s.tool,
        s.target,
        q_t=q_t,
        v_t=v_t,
        grip=s.grip,
        closing_speed=SPEED,
        base=base,
        **options,
    )


def flown(s: Scene, q_t: Array, v_t: Array, at: float) -> tuple[Array, Array]:
    ends = [predicted_state(s.target, *pair, at) for pair in zip(q_t.T, v_t.T, strict=True)]
    return np.stack([q for q, _ in ends], axis=1), np.stack([v for _, v in ends], axis=1)


@pytest.mark.parametrize(("robot", "mode", "base", "at"), CASES)
def test_each_case_has_the_plan_it_has_alone(robot: str, mode: str, base: str, at: float) -> None:
    s = contact_surface(robot, mode)
    q, q_t, v_t = spread(s, 8, 3)
    if base == "stay":
        q_t[0, 3] += 100.0  # that one is out of reach
    many = rendezvous(s, base, s.q, s.q_t, s.v_t).plans(q, flown(s, q_t, v_t, at))
    for k, found in enumerate(many.found):
        problem = rendezvous(s, base, q[:, k], q_t[:, k], v_t[:, k])
        try:
            plan = problem.plan(1.0, at)
        except ModelError:
            assert not found, f"case {k} has a plan among many, and none alone"
            continue
        assert found, f"case {k} has a plan alone, and none among many"
        np.testing.assert_allclose(many.coordinates[:, k], plan.coordinates, atol=1e-8)
        np.testing.assert_allclose(many.rates[:, k], plan.rates, atol=1e-8)
    assert many.found.sum() >= 4, "too few plans to compare"
    assert base == "move" or not many.found[3], "a target 100 m away is out of reach"


def grown(s: Scene, numbers: Any) -> MeetingFrames:
    """The chaser with other lengths and masses, and the grip elsewhere on the target."""
    long, heavy, aside = numbers[0], numbers[1], numbers[2]

    def moved(pose: Pose) -> Pose:
        return Pose(pose.rotation, pose.position * long)

    chaser = replace(
        s.chaser,
        bodies=(
            s.chaser.bodies[0],
            *(replace(body, mass=body.mass * heavy) for body in s.chaser.bodies[1:]),
        ),
        joints=(
            s.chaser.joints[0],
            *(replace(one, placement=moved(one.placement)) for one in s.chaser.joints[1:]),
        ),
    )
    tool, grip = s.chaser.frame(s.tool), s.target.frame(s.grip)
    there = grip.placement.position + Vector3(0.0, aside, 0.0)
    return MeetingFrames.of(
        chaser,
        replace(tool, placement=moved(tool.placement)),
        s.target,
        replace(grip, placement=Pose(grip.placement.rotation, there)),
    )


@pytest.mark.parametrize(("robot", "mode", "base", "at"), CASES)
def test_each_case_has_the_plan_of_its_own_arm(robot: str, mode: str, base: str, at: float) -> None:
    """Lengths, masses and the place of the grip differ; each case has the plan it has alone."""
    s, count = contact_surface(robot, mode), 8
    q, q_t, v_t = spread(s, count, 4)
    rng = np.random.default_rng(5)
    numbers = np.stack(
        [rng.uniform(0.97, 1.03, count), rng.uniform(0.5, 2, count), rng.uniform(0, 0.02, count)]
    )
    if base == "stay":
        q_t[0, 3] += 100.0  # that one is out of reach
    problem = rendezvous(s, base, s.q, s.q_t, s.v_t, compiled=True)
    plans = PlansOfMany(
        nominal=problem,
        frames_of=partial(grown, s),
        count=3,
        arms_differ=True,
        compiled=kernel.compile,
    )
    speed = np.full(count, SPEED)
    then = flown(s, q_t, v_t, at)
    many = plans(q, then, speed, numbers)
    for k, found in enumerate(many.found):
        own = grown(s, [float(x) for x in numbers[:, k]])
        try:
            alone = Rendezvous.of(
                own.chaser,
                q[:, k],
                own.tool,
                own.target,
                q_t=q_t[:, k],
                v_t=v_t[:, k],
                grip=own.grip,
                closing_speed=SPEED,
                base=base,
            )
            plan = alone.plan(1.0, at)
        except ModelError:
            assert not found, f"case {k} has a plan among many, and none alone"
            continue
        assert found, f"case {k} has a plan alone, and none among many"
        np.testing.assert_allclose(many.coordinates[:, k], plan.coordinates, atol=1e-8)
        np.testing.assert_allclose(many.rates[:, k], plan.rates, atol=1e-8)
    assert many.found.sum() >= 4, "too few plans to compare"
    assert base == "move" or not many.found[3], "a target 100 m away is out of reach"
    then[0][0, 1] = np.nan
    others = np.arange(count) != 1
    assert (plans(q, then, speed, numbers).found == many.found & others).all(), (
        "a target that is nowhere is met, or hurts others"
    )


@pytest.mark.parametrize("base", ["stay", "move"])
def test_threads_do_not_show(base: str) -> None:
    """A plan has the same bits whatever the number of threads, and whichever others there are."""
    s, count = contact_surface("air-bearing-3r", "free-flying"), 5000
    q, q_t, v_t = spread(s, count, 6)
    numbers = np.random.default_rng(7).uniform(0.98, 1.02, (3, count))
    numbers[2] -= 1.0
    problem = rendezvous(s, base, s.q, s.q_t, s.v_t, compiled=True)
    found = [
        PlansOfMany(
            nominal=problem,
            frames_of=partial(grown, s),
            count=3,
            arms_differ=True,
            compiled=partial(kernel.compile, threads=threads),
            threads=threads,
        )(q[:, :some], (q_t[:, :some], v_t[:, :some]), np.full(some, SPEED), numbers[:, :some])
        for threads, some in ((1, count), (2, count), (1, 7))
    ]
    assert found[0].found.sum() > count / 4
    for other in found[1:]:
        some = other.found.size
        np.testing.assert_array_equal(other.found, found[0].found[:some])
        np.testing.assert_array_equal(other.coordinates, found[0].coordinates[:, :some])
        np.testing.assert_array_equal(other.rates, found[0].rates[:, :some])


def calls_of(function: Any) -> int:
    """How many functions of Python are called."""
    count = 0

    def note(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        del frame, argument
        count += event == "call"

    sys.setprofile(note)
    try:
        function()
    finally:
        sys.setprofile(None)
    return count


def test_no_python_runs_for_each_case() -> None:
    s = contact_surface("demo-7", "free-flying")
    problem = rendezvous(s, "move", s.q, s.q_t, s.v_t)
    compiled = PlansOfMany(
        nominal=problem,
        frames_of=partial(grown, s),
        count=3,
        arms_differ=True,
        compiled=kernel.compile,
    )

    def with_arms(q: Array, then: tuple[Array, Array]) -> Any:
        return compiled(q, then, np.full(q.shape[1], SPEED), np.ones((3, q.shape[1])))

    for plans in (problem.plans, with_arms):
        counts: list[int] = []
        for size in (3, 300):
            q, q_t, v_t = (
                np.repeat(np.asarray(x, float)[:, None], size, axis=1) for x in (s.q, s.q_t, s.v_t)
            )
            plans(q, (q_t, v_t))  # what is kept from the first time is not counted
            counts.append(calls_of(lambda f=plans, x=q, y=(q_t, v_t): f(x, y)))
        # What weak references call when something is given up comes and goes.
        assert abs(counts[1] - counts[0]) < 30, "the work in Python grows with the number of cases"


def test_an_arm_that_is_stretched_out_has_no_plan_there() -> None:
    """Singular where the grip is: the other cases are not touched by it."""
    links = [PlanarLink(length=1.0, mass=2.0), PlanarLink(length=1.0, mass=2.0)]
    chaser = planar_arm(links)
    target = percuss.free_body(percuss.disk("target", radius=0.3, mass=10.0), planar=True)
    grip = Frame("grip", target.base.name, Pose.at((-0.3, 0.0)))
    start = np.array([0.3, 0.4])
    problem = Rendezvous.of(
        chaser,
        start,
        "tool",
        target,
        q_t=[1.5, 0.5, 0.0],
        v_t=np.zeros(3),
        grip=grip,
        closing_speed=0.01,
        base="stay",
    )
    then = np.array([[1.5, 0.5, 0.0], [2.3, 0.0, 0.0], [1.2, 0.9, 0.0]]).T
    starts = np.array([start, [0.0, 0.0], start]).T  # the second is there, stretched out
    still = np.zeros((3, 3))
    frames = MeetingFrames.of(chaser, "tool", target, grip)
    compiled = PlansOfMany(
        nominal=problem,
        frames_of=lambda _: frames,
        count=1,
        arms_differ=False,
        compiled=kernel.compile,
    )
    for plans in (
        problem.plans(starts, (then, still)),
        compiled(starts, (then, still), np.full(3, 0.01), np.zeros((1, 3))),
    ):
        assert plans.found.tolist() == [True, False, True]
        assert np.isfinite(plans.rates[:, plans.found]).all()


unit = st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda v: sum(x * x for x in v) > 0.1)


@given(turn=unit, axis=unit, towards=unit, special=st.sampled_from([None, 1.0, -1.0]))
def test_tools_point_where_they_are_told(
    turn: Any, axis: Any, towards: Any, special: float | None
) -> None:
    """Also where they do already, and where they point the other way; by the shortest turn."""
    now = Rotation.about(Vector3(*np.divide(turn, np.linalg.norm(turn))), 2.0)
    own = Vector3(*np.divide(axis, np.linalg.norm(axis)))
    direction = Vector3(*np.divide(towards, np.linalg.norm(towards)))
    if special is not None:
        direction = (now @ own) * special
    found = pointing(now, own, direction, planar=False)
    np.testing.assert_allclose((found @ own).array(), direction.array(), atol=1e-8)
    step = np.asarray((found @ now.inverse()).matrix.array(), float)
    np.testing.assert_allclose(step @ step.T, np.eye(3), atol=1e-12)
    angle = np.arccos(np.clip((np.trace(step) - 1) / 2, -1, 1))
    apart = np.arccos(np.clip(float((now @ own).dot(direction)), -1, 1))  # type: ignore[arg-type]
    assert abs(angle - apart) < 1e-6, "it turns further than it has to"
    batch = Vector3(*(np.repeat(float(x), 2) for x in direction))  # type: ignore[arg-type]
    both = np.asarray(pointing(now, own, batch, planar=False).matrix.array(), float)
    np.testing.assert_allclose(both[..., 1], found.matrix.array(), atol=1e-14)


@pytest.mark.parametrize("name", ["3r", "7"])
def test_inverse_kinematics_of_each_is_that_of_one(name: str) -> None:
    """Each near coordinates of its own; those beyond the reach are marked."""
    system, task = arms()[name]
    solver = InverseKinematics(system, "tool", task, starts=12)
    targets = reachable(system, task, 12, 5)
    rng = np.random.default_rng(2)
    near = rng.uniform(-0.5, 0.5, (system.coordinate_count, 12))
    found = solver.solve_each(targets, near)
    assert found.success.sum() >= 8
    for k in range(12):
        target = _one(targets, k)
        alone = InverseKinematics(system, "tool", task, near=near[:, k], starts=12)
        try:
            q = alone.solve(target).q
        except NoSolutionError:
            assert not found.success[k]
            continue
        assert found.success[k], f"target {k} is reached alone only"
        np.testing.assert_allclose(found.q[:, k], q, atol=1e-7)


def test_what_cannot_be_solved_for_each_is_refused() -> None:
    system, task = arms()["3r"]
    targets, near = reachable(system, task, 2, 5), np.zeros((system.coordinate_count, 2))
    solver = InverseKinematics(system, "tool", task)
    for wrong in (near[:, :1], near[:-1], np.where(near == 0.0, np.nan, near)):
        with pytest.raises(ModelError, match=r"near must be finite numbers of shape \(\d+, 2\)"):
            solver.solve_each(targets, wrong)
    objective = stay_near(system, near[:, 0])
    with pytest.raises(ModelError, match="solve_each follows no objective"):
        InverseKinematics(system, "tool", task, objective=objective).solve_each(targets, near)
    far = np.array([[100.0], [0.0], [0.0]])
    found = solver.solve_each(far, near[:, :1])
    assert not found.success.any()
    assert found.starts.tolist() == [1], "nothing is tried for what no arm of that length reaches"


def _one(targets: Any, k: int) -> Any:
    """One of many targets."""
    if isinstance(targets, Pose):
        rows: list[list[Any]] = [list(row) for row in targets.rotation.matrix.rows]
        place: list[Any] = list(targets.position)
        turn = Matrix3(*(Vector3(*(float(x[k]) for x in row)) for row in rows))
        return Pose(Rotation(turn), Vector3(*(float(x[k]) for x in place)))
    return np.asarray(targets)[:, k]
