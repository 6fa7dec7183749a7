"""Bounces with friction: every way of sliding, against a march in tiny steps of impulse."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from percuss.algebra import Pose
from percuss.dynamics import mass_matrix
from percuss.impact import Contact, Jump, bounce
from percuss.impact.friction import SlidingLaw, frictional_impulse
from percuss.kinematics import frame_pose, jacobian
from percuss.model import Body, Frame, disk, free_body, rod
from tests.impact.captures import (
    Capture,
    approaching,
    captures,
    following,
    random_contact,
    three,
)
from tests.strategies import Array


def law_of(tangential: Any, coupling: Any, normal: Any, friction: float, e: float) -> SlidingLaw:
    """The law of a bounce from arrays."""
    rows = [[float(x) for x in row] for row in np.asarray(tangential)]
    return SlidingLaw(
        tangential=rows,
        coupling=[float(x) for x in coupling],
        normal=float(normal),
        friction=friction,
        restitution=e,
    )


def impulse_of(law: SlidingLaw, slip: Any, approach: float) -> tuple[float, np.ndarray]:
    """Impulse along the normal and along the tangents (N s)."""
    along, across = frictional_impulse(law, [float(x) for x in slip], approach)
    return float(np.asarray(along)), np.array(across, float)


@dataclass(frozen=True)
class Meeting:
    """A contact along tangents and normal: u = (slip, v_n), W by dense matrices."""

    W: Array
    u: Array
    axes: Array
    """Tangents and normal by rows, world frame."""

    def impulse(self, jump: Jump) -> Array:
        """On the target, along tangents and normal."""
        return self.axes @ -three(jump.impulse)

    def slip_after(self, jump: Jump) -> Array:
        return (self.u + self.W @ self.impulse(jump))[:-1]


def meeting(contact: Contact, normal: Array) -> Meeting:
    n = np.append(normal, 0.0) if contact.is_planar else np.array(normal)
    n = n / np.linalg.norm(n)
    if contact.is_planar:
        axes = np.array([[-n[1], n[0], 0.0], n])
    else:
        left = np.linalg.svd(n.reshape(1, 3))[2][1:]
        axes = np.array([*left, n])
    W, u = np.zeros((3, 3)), np.zeros(3)
    for sign, system, q, v, frame in (
        (-1, contact.chaser, contact.chaser_coordinates, contact.chaser_rates, contact.tool),
        (1, contact.target, contact.target_coordinates, contact.target_rates, contact.grip),
    ):
        J = jacobian(system, q, frame)[:3]
        if system.rate_count:
            W += J @ np.linalg.solve(mass_matrix(system, q), J.T)
        u += sign * J @ np.asarray(v)
    return Meeting(axes @ W @ axes.T, axes @ u, axes)


# --- the march ----------------------------------------------------------------------------------


def marched(at: Meeting, friction: float, e: float, step: float) -> Array:
    """Impulse on the target along tangents and normal, by implicit steps of Coulomb's law.

    Each step finds the slip at its end: zero if a force within the cone can do that, else
    along -force. First order in the step, the last of which is cut where the work is returned.
    """
    d = len(at.u) - 1
    T, b, c = at.W[:d, :d], at.W[:d, d], at.W[d, d]
    values, turned = np.linalg.eigh(T)
    values, coupled = [float(x) for x in values], [float(x) for x in turned.T @ b]
    slip = [float(x) for x in turned.T @ at.u[:d]]
    v, p, pushed, taken, given = float(at.u[d]), 0.0, [0.0] * d, 0.0, 0.0
    while True:
        free = [s + step * k for s, k in zip(slip, coupled, strict=True)]
        force = [-x / (step * t) for x, t in zip(free, values, strict=True)]
        if math.hypot(*force) > friction:
            speed = _end_speed(free, [step * friction * t for t in values])
            slip = [
                x / (1 + step * friction * t / speed) for x, t in zip(free, values, strict=True)
            ]
            force = [-friction * s / math.hypot(*slip) for s in slip]
        else:
            slip = [0.0] * d
        stiffness = float(c) + sum(k * f for k, f in zip(coupled, force, strict=True))
        size, end = step, v + stiffness * step
        if v < 0 <= end:
            taken += v * v / (2 * stiffness)
            size, v = step + v / stiffness, 0.0
            p += step - size
            pushed = [x + f * (step - size) for x, f in zip(pushed, force, strict=True)]
        work = size * (v + end) / 2
        if v < 0:
            taken -= work
        else:
            owed = e * e * taken - given
            if work >= owed:
                root = math.sqrt(v * v + 2 * stiffness * owed)
                size = 2 * owed / (v + root) if owed > 0 else 0.0
                p += size
                pushed = [x + f * size for x, f in zip(pushed, force, strict=True)]
                return np.array([*(turned @ np.array(pushed)), p])
            given += work
        p += size
        pushed = [x + f * size for x, f in zip(pushed, force, strict=True)]
        v = end


def _end_speed(free: list[float], resisted: list[float]) -> float:
    """r with |x / (1 + k / r)| = r, by bisection."""
    low, high = 0.0, math.hypot(*free)
    for _ in range(52):
        middle = 0.5 * (low + high)
        ends = math.hypot(*(x / (middle + k) for x, k in zip(free, resisted, strict=True)))
        low, high = (middle, high) if ends > 1.0 else (low, middle)
    return high


def assert_as_marched(
    at: Meeting, jump: Jump, friction: float, e: float, steps: int = 2000, within: float = 2e-3
) -> None:
    found = at.impulse(jump)
    theirs = marched(at, friction, e, float(found[-1]) / steps)
    error = float(np.linalg.norm(theirs - found) / np.linalg.norm(found))
    assert error < within, f"impulse {found}, marched {theirs}: they differ by {error:.1e}"


# --- every way of sliding, in the plane ----------------------------------------------------------


def rod_on_a_block(angle: float, slip: float, spin: float = 0.0) -> Contact:
    """A rod comes down on a heavy block with its lower end, at an angle to the ground."""
    block = free_body(disk("block", 5.0, 1e4), planar=True)
    stick = free_body(rod("stick", 1.0, 1.0), planar=True)
    tool, grip = Frame("top", "block", Pose.at((0.0, 5.0))), Frame("end", "stick")
    rates = (slip, -1.0, spin)
    return Contact(
        chaser=block,
        target=stick,
        tool=tool,
        grip=grip,
        chaser_coordinates=(0, 0, 0),
        chaser_rates=(0, 0, 0),
        target_coordinates=(0.0, 5.0, angle),
        target_rates=rates,
    )


@pytest.mark.parametrize("e", [0.0, 0.4, 1.0])
@pytest.mark.parametrize(
    ("regime", "angle", "slip", "friction"),
    [
        ("slides on", 1.0, 3.0, 0.1),
        ("slides on", 1.0, -3.0, 0.1),
        ("sticks", 1.2, 0.2, 1.5),
        ("sticks", 1.2, -0.2, 1.5),
        ("slides back", 0.8, 0.1, 0.1),
        ("slides back", 2.3, -0.1, 0.1),
        ("sticks from rest", 1.2, 0.0, 1.5),
        ("slides from rest", 0.8, 0.0, 0.1),
        ("jams", 0.9, -0.5, 1.9),
    ],
)
def test_every_way_of_sliding(
    regime: str, angle: float, slip: float, friction: float, e: float
) -> None:
    contact = rod_on_a_block(angle, slip)
    normal = np.array([0.0, 1.0])
    jump = bounce(contact, e, friction, normal)
    at = meeting(contact, normal)
    start, end = float(at.u[0]), float(at.slip_after(jump)[0])
    tangential, p = at.impulse(jump)
    if regime == "slides on":
        assert start * end > 0
        assert math.isclose(tangential, -friction * p * math.copysign(1, start), rel_tol=1e-14)
    elif regime in ("sticks", "sticks from rest", "jams"):
        assert abs(end) < 1e-14
        assert abs(tangential) < friction * p
    elif regime == "slides back":
        assert start * end < 0
        assert abs(tangential) < friction * p, "friction changed its sign on the way"
    else:
        assert start == 0
        assert abs(end) > 1e-3
    if regime == "jams":
        stiffness = at.W[1, 1] - friction * math.copysign(1, start) * at.W[0, 1]
        assert stiffness < 0, "compression grows while it slides"
    if regime != "jams" or e > 0:
        assert_as_marched(at, jump, friction, e)


@given(captures(), st.floats(0.05, 2.0), st.sampled_from([0.0, 0.3, 0.7, 1.0]))
@settings(max_examples=8)
def test_random_bounces_as_marched(capture: Capture, friction: float, e: float) -> None:
    contact = capture.contact
    rng = np.random.default_rng(capture.seed)
    normal = approaching(contact, rng.normal(size=2 if contact.is_planar else 3))
    jump = bounce(contact, e, friction, normal)
    assert_as_marched(meeting(contact, normal), jump, friction, e)


# --- in space -------------------------------------------------------------------------------------


def in_space(seed: int) -> tuple[Contact, Array]:
    rng = np.random.default_rng(seed)
    contact = random_contact(rng, 3, planar=False)
    return contact, approaching(contact, rng.normal(size=3))


@pytest.mark.parametrize("e", [0.0, 0.6])
@pytest.mark.parametrize("seed", range(5))
def test_sliding_on_in_space_turns(seed: int, e: float) -> None:
    contact, normal = in_space(seed)
    jump = bounce(contact, e, 0.05, normal)
    at = meeting(contact, normal)
    start, end = at.u[:2], at.slip_after(jump)
    assert np.linalg.norm(end) > 1e-6
    turned = start[0] * end[1] - start[1] * end[0]
    assert abs(turned) > 1e-9 * np.linalg.norm(start) * np.linalg.norm(end)
    assert_as_marched(at, jump, 0.05, e)


def test_smaller_steps_come_closer() -> None:
    for seed, friction in ((2, 0.1), (3, 0.9)):
        contact, normal = in_space(seed)
        jump = bounce(contact, 0.6, friction, normal)
        assert_as_marched(meeting(contact, normal), jump, friction, 0.6, 12_000, 2e-4)


def test_sticking_and_sliding_away_in_space() -> None:
    """From slow slip: one in the cone sticks, one outside leaves along the only way out."""
    seen = set()
    for seed in range(7):
        contact, normal = in_space(seed)
        at = meeting(contact, normal)
        T, b = at.W[:2, :2], at.W[:2, 2]
        needed = float(np.linalg.norm(np.linalg.solve(T, b)))
        for friction in (0.7 * needed, 1.3 * needed):
            slow = replace(contact, target_rates=_slowed(contact, at, 1e-3))
            now = meeting(slow, normal)
            jump = bounce(slow, 0.5, friction, normal)
            end = now.slip_after(jump)
            size = np.linalg.norm(now.u)
            if friction > needed:
                assert np.linalg.norm(end) < 1e-12 * size, "sticks"
                seen.add("sticks")
            else:
                unit = end / np.linalg.norm(end)
                drive = b - friction * T @ unit
                assert drive @ unit > 0, "leads away from rest"
                # Close to the way out, which slip that never stopped approaches only.
                across = abs(drive[0] * unit[1] - drive[1] * unit[0])
                assert across < 0.05 * np.linalg.norm(b)
                seen.add("slides away")
            assert_as_marched(now, jump, friction, 0.5)
    assert seen == {"sticks", "slides away"}


def _slowed(contact: Contact, at: Meeting, factor: float) -> Array:
    """Target rates with the slip scaled down and the normal velocity kept."""
    wanted = at.axes[:2].T @ ((factor - 1.0) * at.u[:2])
    linear = np.array(contact.target_rates, float)
    linear[:3] += wanted
    return linear


def test_slip_that_stops_exactly_in_space_slides_back_along_the_way_out() -> None:
    """Head-on along an axis of symmetry first, then across: rest is reached, then left."""
    found = 0
    rng = np.random.default_rng(11)
    for _ in range(60):
        B = rng.normal(size=(3, 3))
        W = B @ B.T + 0.05 * np.eye(3)
        T, b = W[:2, :2], W[:2, 2]
        friction = 0.6 * float(np.linalg.norm(np.linalg.solve(T, b)))
        slip = -0.05 * b / np.linalg.norm(b)
        law = law_of(T, b, float(W[2, 2]), friction, 0.8)
        p, pushed = impulse_of(law, slip, -1.0)
        end = slip + b * p + T @ pushed
        unit = end / np.linalg.norm(end)
        drive = b - friction * T @ unit
        across = drive[0] * unit[1] - drive[1] * unit[0]
        if abs(across) < 1e-12 * np.linalg.norm(b) and unit @ slip < 0:
            found += 1
    assert found > 6


def test_pressed_together_again_before_all_work_is_returned() -> None:
    """In space the turning slip can make friction press the points together a second time."""
    W = np.array([[0.043, 0.097, 0.043], [0.097, 1.204, 0.075], [0.043, 0.075, 0.072]])
    u, friction = np.array([16.2, -17.0, -1.0]), 1.87
    law = law_of(W[:2, :2], W[:2, 2], float(W[2, 2]), friction, 1.0)
    p, pushed = impulse_of(law, u[:2], -1.0)
    theirs = marched(Meeting(W, u, np.eye(3)), friction, 1.0, p / 5000)
    assert np.linalg.norm(theirs - [*pushed, p]) < 2e-3 * p
    # With e = 1 the impact would have ended long before, had it not been compressed again.
    first = impulse_of(replace(law, restitution=0.0), u[:2], -1.0)[0]
    assert p > 5 * first
    impulse = np.array([*pushed, p])
    assert u @ impulse + 0.5 * impulse @ W @ impulse < 0


@given(st.integers(0, 2**32 - 1), st.floats(0.0, 2.0), st.floats(0.0, 1.0))
@settings(max_examples=100)
def test_the_law_of_a_bounce(seed: int, friction: float, e: float) -> None:
    """On any mobility: in the cone, apart at the end, and no more energy than before."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 3))
    B = rng.normal(size=(d + 1, d + 1))
    W = B @ B.T + 10 ** rng.uniform(-4, 0) * np.eye(d + 1)
    u = rng.normal(size=d + 1) * 10 ** rng.uniform(-4, 2)
    u[:d] *= rng.choice([0.0, 1e-9, 1.0, 1e3])
    u[d] = -abs(u[d])
    law = law_of(W[:d, :d], W[:d, d], float(W[d, d]), friction, e)
    p, pushed = impulse_of(law, u[:d], float(u[d]))
    impulse = np.append(pushed, p)
    assert np.linalg.norm(pushed) <= friction * p * (1 + 1e-12), "friction cone"
    size = np.linalg.norm(u) + np.linalg.norm(np.abs(W) @ np.abs(impulse))
    assert (u + W @ impulse)[d] >= -1e-12 * size, "the points part"
    work = u @ impulse + 0.5 * impulse @ W @ impulse
    scale = np.abs(u) @ np.abs(impulse) + 0.5 * np.abs(impulse) @ np.abs(W) @ np.abs(impulse)
    assert work <= 1e-14 * scale, "energy grows"


@given(st.integers(0, 2**32 - 1), st.floats(0.0, 2.0), st.floats(0.0, 1.0))
@settings(max_examples=30)
def test_turning_slip_does_not_care_for_the_axes(seed: int, friction: float, e: float) -> None:
    """The same to rounding whatever the tangents, mirrored too, in any units."""
    rng = np.random.default_rng(seed)
    B = rng.normal(size=(3, 3))
    W = B @ B.T + 0.05 * np.eye(3)
    slip = rng.normal(size=2)
    law = law_of(W[:2, :2], W[:2, 2], float(W[2, 2]), friction, e)
    p, pushed = impulse_of(law, slip, -1.0)
    angle = rng.uniform(0, 2 * np.pi)
    R = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    R = R @ np.diag([1.0, rng.choice([-1.0, 1.0])])
    fast, heavy = 1e4, 1e-7
    turned = law_of(R @ W[:2, :2] @ R.T / heavy, R @ W[:2, 2] / heavy, W[2, 2] / heavy, friction, e)
    p2, pushed2 = impulse_of(turned, R @ slip * fast, -fast)
    size = math.hypot(p, *pushed)
    assert abs(p2 / (fast * heavy) - p) < 5e-12 * size
    assert np.linalg.norm(R.T @ pushed2 / (fast * heavy) - pushed) < 5e-12 * size


@given(captures(), st.floats(0.0, 1.0))
@settings(max_examples=10)
def test_little_friction_is_nearly_none(capture: Capture, e: float) -> None:
    contact = capture.contact
    normal = approaching(contact, np.random.default_rng(capture.seed).normal(size=3))
    if contact.is_planar:
        normal = approaching(contact, np.random.default_rng(capture.seed).normal(size=2))
    smooth, rubbed = (three(bounce(contact, e, mu, normal).impulse) for mu in (0.0, 1e-9))
    assert np.linalg.norm(smooth - rubbed) < 1e-6 * np.linalg.norm(smooth)


def test_without_slip_or_coupling_friction_does_nothing() -> None:
    """Two balls head-on."""
    rng = np.random.default_rng(5)
    ball = Body("ball", 2.0, (0, 0, 0), (0.3, 0.3, 0.3))  # type: ignore[arg-type]
    other = replace(ball, name="other", mass=3.0)
    chaser, target = free_body(ball), free_body(other)
    tool, grip = (
        Frame("front", "ball", Pose.at((1, 0, 0))),
        Frame("front", "other", Pose.at((-1, 0, 0))),
    )
    still = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    moved = (2.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    e = float(rng.uniform())
    contact = Contact(
        chaser=chaser,
        target=target,
        tool=tool,
        grip=grip,
        chaser_coordinates=still,
        chaser_rates=(0.0,) * 6,
        target_coordinates=moved,
        target_rates=(-1, 0, 0, 0, 0, 0),
    )
    jump = bounce(contact, e, 0.9)
    assert np.allclose(three(jump.impulse), [-(1 + e) * 6 / 5, 0, 0], atol=1e-15)
    sliding = replace(contact, target_rates=(-1, 0.5, 0, 0, 0, 0))
    later = bounce(sliding, e, 0.01)
    assert math.isclose(later.impulse.x, -(1 + e) * 6 / 5, rel_tol=1e-14)  # type: ignore[arg-type]
    assert math.isclose(later.impulse.y, 0.01 * (1 + e) * 6 / 5, rel_tol=1e-14)  # type: ignore[arg-type]


@given(captures(), st.floats(0.0, 2.0))
@settings(max_examples=15)
def test_points_that_part_are_left_alone(capture: Capture, friction: float) -> None:
    contact = capture.contact
    rng = np.random.default_rng(capture.seed)
    away = -approaching(contact, rng.normal(size=2 if contact.is_planar else 3))
    jump = bounce(contact, 0.5, friction, away)
    assert not three(jump.impulse).any()
    assert np.array_equal(jump.chaser_rates, contact.chaser_rates)
    assert np.array_equal(jump.target_rates, contact.target_rates)


@given(captures(), st.floats(0.0, 2.0))
@settings(max_examples=15)
def test_after_a_bounce_the_points_part(capture: Capture, friction: float) -> None:
    contact = capture.contact
    rng = np.random.default_rng(capture.seed)
    normal = approaching(contact, rng.normal(size=2 if contact.is_planar else 3))
    jump = bounce(contact, 0.5, friction, normal)
    later = following(contact, jump)
    assert jump.normal is not None
    relative = three(later.grip_velocity.linear - later.tool_velocity.linear)
    assert three(jump.normal) @ relative > 0
    again = bounce(later, 0.5, friction, normal)
    assert not three(again.impulse).any()


def test_the_default_normal_points_from_the_contact_to_the_target() -> None:
    for planar in (True, False):
        contact = random_contact(np.random.default_rng(8), 3, planar)
        jump = bounce(contact, 0.5, 0.1)
        assert jump.normal is not None
        body = contact.target.base
        pose = frame_pose(contact.target, contact.target_coordinates, body.name)
        towards = three(pose.act(body.com) - contact.point)
        assert np.allclose(three(jump.normal), towards / np.linalg.norm(towards), atol=1e-14)
