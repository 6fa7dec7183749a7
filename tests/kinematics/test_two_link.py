"""The planar 2R arm in closed form: both elbows, and what is missing out of reach."""

from __future__ import annotations

import math
from typing import Any, cast

import numpy as np
import pytest
import sympy
from hypothesis import assume, given
from hypothesis import strategies as st

import percuss
from percuss.algebra import Pose
from percuss.algebra.scalars import pack
from percuss.kinematics import UnreachableError, frame_pose, two_link_angles
from percuss.kinematics.two_link import two_link_solutions
from percuss.model import Frame, Limits, ModelError, PlanarLink, Revolute, System, planar_arm
from tests.tracers import slopes, traced
from tests.truth.compare import assert_same

LENGTHS = st.floats(0.1, 3.0)
ANGLES = st.floats(-3.1, 3.1)


def test_case_study() -> None:
    """PHYSICS: the circle of the 2R paper starts at (1.4, 1.2)."""
    found = two_link_angles(1.0, 1.0, 1.4, 1.2)
    assert_same(found.positive, (0.31092686, 0.79539883), "elbow 1", 1e-8)
    assert_same(found.negative, (1.1063257, -0.79539883), "elbow 2", 5e-8)


@given(LENGTHS, LENGTHS, ANGLES, ANGLES)
def test_both_elbows_reach_the_target(l1: float, l2: float, q1: float, q2: float) -> None:
    x = l1 * math.cos(q1) + l2 * math.cos(q1 + q2)
    y = l1 * math.sin(q1) + l2 * math.sin(q1 + q2)
    assume(math.hypot(x, y) > 1e-3)
    for a, b in two_link_angles(l1, l2, x, y):
        tip = l1 * np.exp(1j * a) + l2 * np.exp(1j * (a + b))  # type: ignore[operator]
        assert abs(tip - (x + 1j * y)) < 1e-12 * (l1 + l2) / math.hypot(x, y) * 10
    found = two_link_angles(l1, l2, x, y)
    assert found.positive[1] >= 0 >= found.negative[1]  # type: ignore[operator]
    signed = found.positive if q2 >= 0 else found.negative
    assert abs(math.remainder(signed[1] - q2, math.tau)) < 1e-6  # type: ignore[operator]


@given(LENGTHS, LENGTHS, st.floats(1e-6, 5.0), ANGLES)
def test_out_of_reach_says_by_how_much(l1: float, l2: float, gap: float, angle: float) -> None:
    far = l1 + l2 + gap
    with pytest.raises(UnreachableError, match="out of reach by") as error:
        two_link_angles(l1, l2, far * math.cos(angle), far * math.sin(angle))
    assert error.value.missing == pytest.approx(gap, rel=1e-6, abs=1e-12)
    assert isinstance(error.value, ModelError)


def test_too_near() -> None:
    with pytest.raises(UnreachableError, match=r"too near by 0\.5 m: .* 1\.5 m") as error:
        two_link_angles(2.0, 0.5, 1.0, 0.0)
    assert error.value.missing == pytest.approx(0.5)


def test_at_the_edge_of_reach_both_are_the_same() -> None:
    for a, b in two_link_angles(1.0, 1.0, 2.0 + 1e-13, 0.0):
        assert abs(a) < 1e-6  # type: ignore[arg-type]
        assert abs(b) < 1e-6  # type: ignore[arg-type]


def anywhere(rng: np.random.Generator) -> Pose:
    """A random pose in the plane."""
    x, y, angle = rng.normal(size=3)
    return Pose.planar(x, y, angle)


@given(st.integers(0, 2**32 - 1), st.booleans())
def test_any_mounting(seed: int, floating: bool) -> None:
    """Bent links, a tool off the axis, joints that turn backwards, a base anywhere."""
    rng = np.random.default_rng(seed)
    system = percuss.robot("2r-floating" if floating else "2r-fixed")
    joints = []
    for joint in system.joints:
        motion = joint.motion
        if isinstance(motion, Revolute):
            motion = Revolute((0.0, 0.0, float(rng.choice([-1.0, 1.0]))))
        placement = anywhere(rng)
        is_base = joint is system.base_joint and floating
        joints.append(
            type(joint)(
                joint.name,
                motion,
                joint.parent,
                joint.child,
                joint.placement if is_base else placement,
                Pose.identity() if is_base else anywhere(rng),
            )
        )
    tool = Frame("hand", "link2", anywhere(rng))
    bent = type(system)("bent", system.bodies, tuple(joints), (tool,))
    q = rng.uniform(-3, 3, bent.coordinate_count)
    place = frame_pose(bent, q, "hand").position
    found = two_link_solutions(bent, (place.x, place.y), at=q, frame="hand")
    known = []
    for angles in found:
        at = np.array([*q[:-2], *angles], float)
        reached = frame_pose(bent, at, "hand").position
        assert_same(reached.array(), place.array(), "where the tool is", 1e-11, scale=1.0)
        known.append(np.abs(np.remainder(at - q + math.pi, math.tau) - math.pi).max())
    assert min(known) < 1e-6, "one of both is the configuration we came from"


def test_every_scalar() -> None:
    x, y = sympy.symbols("x y", real=True)
    closed: Any = two_link_angles(1, 1, x, y).positive
    point = {x: sympy.Rational(7, 5), y: sympy.Rational(6, 5)}
    numbers = [float(angle.subs(point)) for angle in closed]
    assert_same(numbers, (0.31092685703559836, 0.7953988301841439), "symbols", 1e-13)

    def angles(point: Any) -> Any:
        return pack(two_link_angles(1.0, 1.0, *point).positive)

    arm = percuss.robot("2r-fixed")
    direct = percuss.jacobian(arm, numbers, "tool")[:2]
    for way, J in slopes(angles, np.array([1.4, 1.2])).items():
        assert_same(J @ direct, np.eye(2), f"its derivative, {way}, inverts the Jacobian", 1e-12)
    batch = two_link_angles(1.0, 1.0, np.array([1.4, 0.5]), np.array([1.2, 0.5])).negative
    assert_same(np.array(batch)[:, 0], (1.1063256872197422, -0.7953988301841439), "a batch")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((0.0, 1.0, 1.0, 0.0), "length1 must be finite and > 0 m, got 0"),
        ((1.0, -2.0, 1.0, 0.0), "length2 must be finite and > 0 m, got -2"),
        ((1.0, 1.0, math.nan, 0.0), r"x must be finite \(m\), got nan"),
        ((1.0, 1.0, 0.0, math.inf), "y must be finite"),
        ((1.0, 1.0, 0.0, 0.0), "angle of joint 1 is free"),
    ],
)
def test_refused(arguments: Any, complaint: str) -> None:
    with pytest.raises(ModelError, match=complaint):
        two_link_angles(*arguments)


def test_other_arms_are_refused() -> None:
    for system in (
        percuss.robot("air-bearing-3r"),
        percuss.robot("demo-7"),
        planar_arm([PlanarLink(1.0, 1.0), PlanarLink(1.0, 1.0, joint="prismatic")]),
    ):
        with pytest.raises(ModelError, match=r"no planar arm of two revolute joints.*any chain"):
            two_link_solutions(system, (0.5, 0.5))


# --- limits -------------------------------------------------------------------------------------


def limited_arm(one: Limits, other: Limits) -> System:
    return planar_arm([PlanarLink(1.0, 1.0, limits=one), PlanarLink(1.0, 1.0, limits=other)])


def test_the_elbow_outside_the_limits_is_marked() -> None:
    target = (1.4, 1.2)
    free = two_link_angles(1.0, 1.0, *target)
    found = two_link_solutions(limited_arm(Limits(), Limits(0.0, 2.5)), target)
    assert found.allowed == (True, False)
    assert list(found) == [found.positive], "iteration gives what the joints can do"
    assert_same(found.positive, free.positive, "the elbow within", 1e-14)
    assert_same(found.negative, free.negative, "the other, as it would be", 1e-14)
    found = two_link_solutions(limited_arm(Limits(1.0, 2.0), Limits()), target)
    assert found.allowed == (False, True)


def test_no_elbow_within_the_limits_names_them() -> None:
    arm = limited_arm(Limits(-0.2, 1.2), Limits(-0.5, 0.5))
    message = (
        r"q2 ≥ 0 needs joint2 at 0\.795399 rad, allowed -0\.5 … 0\.5 rad; "
        r"q2 ≤ 0 needs joint2 at -0\.795399 rad, .*limited=False"
    )
    with pytest.raises(ModelError, match=message):
        two_link_solutions(arm, (1.4, 1.2))
    both = two_link_solutions(arm, (1.4, 1.2), limited=False)
    assert both.allowed == (True, True)
    assert len(list(both)) == 2


@given(ANGLES, ANGLES, st.floats(-20, 20), st.floats(0.0, 8.0), st.floats(-20, 20))
def test_solutions_are_within_the_limits_and_nothing_is_missed(
    q1: float, q2: float, lower: float, width: float, other: float
) -> None:
    """Whole turns bring an angle into limits that lie elsewhere."""
    x, y = math.cos(q1) + math.cos(q1 + q2), math.sin(q1) + math.sin(q1 + q2)
    assume(math.hypot(x, y) > 1e-3)
    limits = Limits(lower, lower + width), Limits(other, other + 4.0)
    elbows = list(two_link_angles(1.0, 1.0, x, y))

    def inside(angle: Any, allowed: Limits) -> bool:
        angles = angle + np.arange(-6, 7) * math.tau
        gaps = np.minimum(angles - allowed.lower, allowed.upper - angles)
        assume(np.abs(gaps).min() > 1e-9)  # whether it is on the limit is for rounding to say
        return bool((gaps > 0).any())

    good = [all(inside(a, k) for a, k in zip(pair, limits, strict=True)) for pair in elbows]
    if not any(good):
        with pytest.raises(ModelError, match="no elbow is within the limits"):
            two_link_solutions(limited_arm(*limits), (x, y))
        return
    found = two_link_solutions(limited_arm(*limits), (x, y))
    assert found.allowed == tuple(good)
    for angles in found:
        for angle, allowed in zip(angles, limits, strict=True):
            assert allowed.lower <= angle <= allowed.upper  # type: ignore[operator]
        reached = np.exp(1j * angles[0]) + np.exp(1j * (angles[0] + angles[1]))  # type: ignore[operator]
        assert abs(reached - (x + 1j * y)) < 1e-11 / math.hypot(x, y)


def test_limits_of_batches_and_traced_values_give_nan() -> None:
    arm = limited_arm(Limits(-0.2, 1.2), Limits(0.0, 3.0))
    x, y = np.array([1.4, 0.0, 5.0]), np.array([1.2, -1.0, 0.0])
    with np.errstate(invalid="ignore"):
        found = two_link_solutions(arm, (x, y))
    assert_same(np.array(found.positive)[:, 0], (0.31092685703559836, 0.7953988301841439), "in")
    assert np.isnan(np.array(found.positive)[:, 1:]).all(), "joint1 outside, and out of reach"
    assert np.isnan(np.array(found.negative)).all(), "joint2 outside"
    point = np.array([1.4, 1.2])
    positive = traced(lambda p: pack(two_link_solutions(arm, p).positive), point)
    for tracer, angles in positive.items():
        assert_same(angles, np.array(found.positive)[:, 0], tracer, 1e-13)
    negative = traced(lambda p: pack(two_link_solutions(arm, p).negative), point)
    for tracer, angles in negative.items():
        assert np.isnan(np.asarray(angles)).all(), tracer
    a, b = sympy.symbols("a b", real=True)
    assert two_link_solutions(arm, (a, b)).allowed == (True, True), "symbols are trusted"
    unknown = limited_arm(Limits(lower=cast(Any, a)), Limits())
    with pytest.raises(ModelError, match=r"'joint1': limits must be numbers.*limited=False"):
        two_link_solutions(unknown, (1.4, 1.2))
