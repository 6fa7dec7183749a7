"""The tool meets the grip of a tumbling target when and as fast as was asked."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import percuss
from percuss import ModelError, kernel
from percuss.control import TreePlant, rest_to_rest
from percuss.control.guidance import match_tool, plan_meeting
from percuss.control.guidance.prediction import predicted_state
from percuss.kernel import fingerprint
from tests.control.closed_loop import linear_error
from tests.control.guidance.encounters import MODES, Scene, scene
from tests.strategies import Array

GO, AT, SPEED = 1.0, 6.0, 0.012
FREQUENCY, RATIO = 1.7, 0.8


def meet(s: Scene, **options: Any) -> Any:
    given: dict[str, Any] = {"go": GO, "at": AT, "closing_speed": SPEED} | options
    return plan_meeting(s.target, s.q_t, s.v_t, s.grip, tool_position=s.waiting, **given)


def law_of(s: Scene, meeting: Any = None, **options: Any) -> Any:
    options = {"posture": s.q} | options
    meeting = meet(s) if meeting is None else meeting
    return match_tool(
        s.plant,
        s.tool,
        s.grip,
        meeting,
        natural_frequency=FREQUENCY,
        damping_ratio=RATIO,
        **options,
    )


def direction(s: Scene, q: Array) -> Array:
    """The approach direction in the world."""
    turn = percuss.frame_pose(s.plant.system, q, "target_target").rotation
    return np.array((turn @ meet(s).approach_direction).array(), float)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("robot", ["thesis", "air-bearing-3r", "two-arms", "demo-7"])
def test_tool_meets_grip_in_time(robot: str, mode: str) -> None:
    s = scene(robot, mode)
    q, v, _ = s.fly(law_of(s), [0.0, GO, 0.5 * (GO + AT), AT])
    assert np.abs(s.apart(q[0], v[0])[0]).max() > 0.05, "the grip is away at first"
    waited = percuss.frame_pose(s.plant.system, q[1], s.tool).position.array()
    assert np.abs(waited - s.waiting).max() < 1e-10, "the tool moved before it was to go"
    offset, velocity = s.apart(q[-1], v[-1])
    assert np.abs(offset).max() < 1e-9, f"{robot}, {mode}: misses by {np.abs(offset).max():.1e} m"
    off = np.abs(velocity - SPEED * direction(s, q[-1])).max()
    assert off < 1e-9, f"{robot}, {mode}: closes {off:.1e} m/s differently"
    if mode == "free-floating":
        drift = np.abs(np.diff(s.momenta(q, v), axis=0)).max()
        assert drift < 1e-11, f"{robot}: momentum of the chaser changed by {drift:.1e}"
    if mode == "attitude-controlled":
        held = s.q[2] if s.chaser.is_planar else s.q[3:7]
        now = q[-1][2] if s.chaser.is_planar else q[-1][3:7]
        assert np.abs(now - held).max() < 1e-10, "the attitude is held by the wheels"
        assert np.abs(q[-1][:2] - s.q[:2]).max() > 1e-6, "nothing holds the base's position"
    if mode == "free-flying":
        count = 3 if s.chaser.is_planar else 7
        assert np.abs(q[-1][:count] - s.q[:count]).max() < 1e-10, "the base is held"


@pytest.mark.parametrize(
    ("robot", "mode"), [("thesis", "free-floating"), ("demo-7", "free-flying")]
)
def test_error_obeys_the_linear_equation(robot: str, mode: str) -> None:
    """A chaser that moves at the start: its tool's error dies out as the closed form says."""
    s = scene(robot, mode)
    rng = np.random.default_rng(2)
    v0 = 0.02 * rng.normal(size=s.chaser.rate_count)
    times = np.linspace(0.0, AT, 13)
    meeting = meet(s)
    q, v, _ = s.fly(law_of(s, meeting), times, v0)
    start = percuss.frame_velocity(s.chaser, s.q, v0, s.tool).linear.array()
    kp, kd = FREQUENCY**2, 2 * RATIO * FREQUENCY
    expected = linear_error(np.zeros(3), np.asarray(start, float), kp, kd, times)
    for t, x, u, wanted in zip(times, q, v, expected, strict=True):
        tool = percuss.frame_pose(s.plant.system, x, s.tool).position.array()
        place = s.waiting if t < GO else tool - s.apart(x, u)[0] + meeting.path(float(t))[0]
        off = np.abs(tool - place - wanted).max()
        assert off < 1e-10, f"{robot}, {mode}: at {t} s the error is off by {off:.1e} m"


@pytest.mark.parametrize(("robot", "mode"), [("thesis", "fixed"), ("demo-7", "free-floating")])
def test_after_a_bounce_it_returns_at_the_closing_speed(robot: str, mode: str) -> None:
    """Thrown back along the approach direction: ρ̇ = c + (ρ̇₀ - c) e^(-2ζωt), however far away."""
    s = scene(robot, mode, away=0.0)
    start = meet(s, go=0.0, at=1e-3)
    d = direction(s, np.concatenate([s.q, s.q_t]))
    system = s.plant.system
    grip = percuss.frame_velocity(s.target, s.q_t, s.v_t, s.grip)
    wanted = np.asarray(grip.linear.array(), float) - 0.05 * d
    J = np.asarray(percuss.jacobian(s.chaser, s.q, s.tool), float)[:3]
    v0 = np.linalg.pinv(J) @ wanted
    times = np.array([0.0, 1e-3, 0.5, 1.0, 3.0])
    late = replace(start, go=-2.0, at=-1.0)
    q, v, _ = s.fly(law_of(s, late), times, v0)
    kd = 2 * RATIO * FREQUENCY
    for t, x, u in zip(times, q, v, strict=True):
        offset, velocity = s.apart(x, u)
        spin = percuss.frame_velocity(system, x, u, s.grip).angular.array()
        turning = velocity - np.cross(np.asarray(spin, float), offset)
        along = float(turning @ direction(s, x))
        expected = SPEED + (-0.05 - SPEED) * math.exp(-kd * t)
        assert along == pytest.approx(expected, abs=1e-10), f"closing at {t} s"
        across = offset - direction(s, x) * (offset @ direction(s, x))
        assert np.abs(across).max() < 1e-10, "it strays sideways"


def test_gravity_bends_both_paths() -> None:
    s = scene("thesis", "fixed", gravity=(0.0, -0.02))
    q, v, _ = s.fly(law_of(s), [0.0, AT])
    assert np.abs(s.apart(q[-1], v[-1])[0]).max() < 1e-9


def test_base_moves_while_the_tool_meets() -> None:
    """The posture may be a goal: a free-flying base travels meanwhile."""
    s = scene("thesis", "free-flying")
    end = s.q + np.array([0.3, -0.2, 0.1, 0.0, 0.0])
    goal = rest_to_rest(s.plant, s.q, end, AT)
    q, v, _ = s.fly(law_of(s, posture=goal), [0.0, AT])
    assert np.abs(s.apart(q[-1], v[-1])[0]).max() < 1e-9
    assert np.abs(q[-1][:3] - end[:3]).max() < 1e-9


def test_a_wrong_belief_misses() -> None:
    s = scene("thesis", "free-floating")
    plant = TreePlant(s.plant.system.with_parameters({"base.mass": 60.0}), s.plant.own)
    law = match_tool(
        plant,
        s.tool,
        s.grip,
        meet(s),
        natural_frequency=FREQUENCY,
        damping_ratio=RATIO,
        posture=s.q,
    )
    q, v, _ = s.fly(law, [0.0, AT])
    assert np.abs(s.apart(q[-1], v[-1])[0]).max() > 1e-5, "a wrong model goes unnoticed"


def test_all_kinds_of_scalars_agree() -> None:
    for robot, mode in (("thesis", "free-floating"), ("demo-7", "attitude-controlled")):
        s = scene(robot, mode)
        law = law_of(s)
        q = np.concatenate([s.q, s.q_t])
        rng = np.random.default_rng(0)
        v = np.concatenate([0.1 * rng.normal(size=s.chaser.rate_count), s.v_t])
        compiled = kernel.compile(lambda t, q, v, law=law: law.command(t, q, v, None)[0], 0.0, q, v)
        many = [np.repeat(x[:, None], 3, axis=1) for x in (q, v)]
        times = np.array([0.4, 3.0, 6.5])
        batch = law.command(times, *many, None)[0]
        for k, t in enumerate(times.tolist()):
            plain = law.command(t, q, v, None)[0]
            np.testing.assert_allclose(compiled(t, q, v), plain, rtol=1e-9, atol=1e-9)
            np.testing.assert_allclose(batch[:, k], plain, rtol=1e-9, atol=1e-9)


def test_fingerprints_tell_laws_apart() -> None:
    s = scene("thesis", "free-floating")
    first, same = fingerprint(law_of(s)), fingerprint(law_of(s))
    assert first is not None
    assert first == same
    assert fingerprint(law_of(s, meet(s, at=7.0))) != first
    assert fingerprint(law_of(s, posture_frequency=1.0)) != first
    assert fingerprint(law_of(s, singular_below=0.3)) != first


def test_meeting_is_predicted() -> None:
    s = scene("demo-7", "free-flying")
    meeting = meet(s)
    r, dr, ddr = (np.asarray(x, float) for x in meeting.path(GO))
    q, v = predicted_state(s.target, s.q_t, s.v_t, GO)
    grip = np.asarray(percuss.frame_pose(s.target, q, s.grip).position.array(), float)
    np.testing.assert_allclose(r, s.waiting - grip, atol=1e-14)
    speed = np.asarray(percuss.frame_velocity(s.target, q, v, s.grip).linear.array(), float)
    np.testing.assert_allclose(dr, -speed, atol=1e-14)
    ahead, behind = (
        percuss.frame_velocity(
            s.target, *predicted_state(s.target, s.q_t, s.v_t, GO + h), s.grip
        ).linear.array()
        for h in (1e-4, -1e-4)
    )
    np.testing.assert_allclose(ddr, -(ahead - behind) / 2e-4, atol=1e-8)
    end = [np.asarray(x, float) for x in meeting.path(AT)]
    np.testing.assert_allclose(end[0], 0.0, atol=1e-14)
    assert np.linalg.norm(end[1]) == pytest.approx(SPEED, rel=1e-12)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"at": 0.5}, "later than go"),
        ({"at": math.nan}, "finite"),
        ({"go": math.inf}, "finite"),
        ({"closing_speed": -0.1}, "closing-speed"),
        ({"approach_direction": (0.0, 0.0)}, "length > 0"),
        ({"approach_direction": (math.nan, 1.0)}, "approach-direction"),
    ],
)
def test_impossible_meetings_are_refused(change: dict[str, Any], words: str) -> None:
    with pytest.raises(ModelError, match=words):
        meet(scene("thesis", "fixed"), **change)


def test_impossible_laws_are_refused() -> None:
    s = scene("thesis", "fixed")
    meeting = meet(s)
    with pytest.raises(ModelError, match="does not belong to the chaser"):
        match_tool(
            s.plant, s.grip, s.tool, meeting, natural_frequency=1.0, damping_ratio=1.0, posture=s.q
        )
    with pytest.raises(ModelError, match="same tree"):
        match_tool(
            s.plant, s.tool, "link1", meeting, natural_frequency=1.0, damping_ratio=1.0, posture=s.q
        )
    with pytest.raises(ModelError, match="natural-frequency"):
        match_tool(
            s.plant, s.tool, s.grip, meeting, natural_frequency=0.0, damping_ratio=1.0, posture=s.q
        )
    with pytest.raises(ModelError, match="damping-ratio"):
        match_tool(
            s.plant, s.tool, s.grip, meeting, natural_frequency=1.0, damping_ratio=-1.0, posture=s.q
        )
    with pytest.raises((ModelError, ValueError), match="entries"):
        match_tool(
            s.plant,
            s.tool,
            s.grip,
            meeting,
            natural_frequency=1.0,
            damping_ratio=1.0,
            posture=s.q[:1],
        )
    with pytest.raises(ModelError, match="singular_below"):
        match_tool(
            s.plant,
            s.tool,
            s.grip,
            meeting,
            natural_frequency=1.0,
            damping_ratio=1.0,
            posture=s.q,
            singular_below=-1.0,
        )
    with pytest.raises(ModelError, match="frame or body"):
        match_tool(
            s.plant, s.tool, "gripp", meeting, natural_frequency=1.0, damping_ratio=1.0, posture=s.q
        )
