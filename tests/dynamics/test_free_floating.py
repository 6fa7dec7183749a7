"""Free-floating arms: generalized Jacobian, given momentum, what is refused."""

from __future__ import annotations

import math
from importlib import import_module
from typing import Any, cast

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

import percuss
from percuss.algebra import Force, Vector3
from percuss.dynamics import (
    floating_motion,
    momentum,
    reaction_null_space,
    singularities_along,
    singularity_map,
)
from percuss.dynamics.dynamic_singularities import nearest_singularity
from percuss.dynamics.free_floating import (
    all_rates,
    base_motion_map,
    base_rates,
    generalized_jacobian,
    momentum_drift,
)
from percuss.kinematics import (
    frame_pose,
    frame_velocity,
    jacobian,
    quintic,
)
from percuss.model import BaseMode, Joint, ModelError, Planar
from tests.oracles import to_pinocchio
from tests.strategies import Case, cases
from tests.tracers import traced
from tests.truth.compare import assert_same

pin: Any = import_module("pinocchio")

SEEDS = st.integers(0, 2**32 - 1)
TWO = percuss.robot("2r-floating")
SEVEN = percuss.robot("demo-7")
FLOATING = cases(max_bodies=5, kinds=("revolute", "prismatic"), base=("free", "planar"))


def on_one_base(case: Case) -> bool:
    return sum(joint.parent == percuss.WORLD for joint in case.system.joints) == 1


# --- the generalized Jacobian -------------------------------------------------------------------


@given(FLOATING)
def test_momentum_is_what_was_given(case: Case) -> None:
    """Base rates from joint rates and momentum: the bodies then have that momentum together."""
    system, q = case.system, case.state.q
    if not on_one_base(case):
        return
    base = system.node(system.base.name)
    joints = np.delete(case.state.v, range(base.rates.start, base.rates.stop))
    wanted = momentum(system, q, case.state.v).array()
    v = all_rates(system, q, joints, wanted, mode="free-floating")
    assert_same(v, case.state.v, "rates from momentum", 1e-10, scale=10.0)
    for frame in (system.frames[0].name, system.base.name):
        Jg = generalized_jacobian(system, q, frame, mode="free-floating")
        drift = momentum_drift(system, q, frame, wanted, mode="free-floating")
        velocity = frame_velocity(system, q, case.state.v, frame).array()
        assert_same(Jg @ joints + drift, velocity, "velocity = J_g q̇ + drift", 1e-10, scale=10.0)


@given(FLOATING)
@settings(max_examples=30)
def test_pinocchio_gives_the_same_generalized_jacobian(case: Case) -> None:
    system, q = case.system, case.state.q
    if not on_one_base(case):
        return
    twin = to_pinocchio(system)
    data = twin.model.createData()
    Q, P = twin.coordinates(q), twin.rate_matrix(q)
    M = pin.crba(twin.model, data, Q)
    M = P.T @ (np.triu(M) + np.triu(M, 1).T) @ P
    pin.computeJointJacobians(twin.model, data, Q)
    pin.updateFramePlacements(twin.model, data)
    name = system.frames[0].name
    world = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    J = pin.getFrameJacobian(twin.model, data, twin.frame_ids[name], world)
    J = J.reshape(6, -1) @ P
    rates = system.node(system.base.name).rates
    b = np.arange(rates.start, rates.stop)
    m = np.delete(np.arange(system.rate_count), b)
    theirs = J[:, m] - J[:, b] @ np.linalg.solve(M[np.ix_(b, b)], M[np.ix_(b, m)])
    ours = generalized_jacobian(system, q, name, mode="free-floating")
    if m.size:
        assert_same(ours, theirs, "generalized Jacobian", 1e-11, scale=1.0)


@given(SEEDS)
def test_modes(seed: int) -> None:
    """Attitude-controlled the base only slides; held by thrusters it does not move."""
    rng = np.random.default_rng(seed)
    q = np.array([*rng.normal(size=3), 1.0, *rng.normal(size=10)])
    joints, given_momentum = rng.normal(size=7), rng.normal(size=6)
    v = all_rates(SEVEN, q, joints, given_momentum, mode="attitude-controlled")
    assert not v[3:6].any(), "wheels hold the attitude"
    linear = momentum(SEVEN, q, v).linear.array()
    assert_same(linear, given_momentum[:3], "linear momentum", 1e-12, scale=1.0)
    Jg = generalized_jacobian(SEVEN, q, "tool", mode="attitude-controlled")
    drift = momentum_drift(SEVEN, q, "tool", given_momentum, mode="attitude-controlled")
    velocity = frame_velocity(SEVEN, q, v, "tool").array()
    assert_same(Jg @ joints + drift, velocity, "velocity of the tool", 1e-12, scale=1.0)
    held = jacobian(SEVEN, q, "tool")[:, 6:]
    for mode in ("free-flying", "fixed"):
        assert_same(generalized_jacobian(SEVEN, q, "tool", mode=mode), held, mode)
        assert not base_rates(SEVEN, q, joints, given_momentum, mode=mode).any()


def test_a_heavy_base_hardly_moves() -> None:
    """J_g tends to the Jacobian on a fixed base as 1 / base mass."""
    q = np.array([0.0, 0.0, 0.0, 0.4, -0.9])
    fixed = jacobian(TWO, q, "tool")[:, 3:]
    gaps = []
    for factor in (1e3, 1e4):
        heavy = TWO.with_parameters({"base.mass": 100 * factor, "base.inertia.zz": 20 * factor})
        gaps.append(np.abs(generalized_jacobian(heavy, q, "tool") - fixed).max())
    assert gaps[0] / gaps[1] == pytest.approx(10, rel=1e-2)


def test_every_scalar() -> None:
    q = np.array([0.3, -0.2, 0.5, 0.4, -0.9])
    number = generalized_jacobian(TWO, q, "tool")
    for tracer, found in traced(lambda x: generalized_jacobian(TWO, x, "tool"), q).items():
        assert_same(found, number, tracer, 1e-12)
    batch = generalized_jacobian(TWO, np.stack([q, 2 * q], axis=1), "tool")
    assert_same(batch[..., 0], number, "a batch", 1e-12)
    symbols = sympy.symbols("x y t a b")
    closed = generalized_jacobian(TWO, symbols, "tool")
    values = dict(zip(symbols, q, strict=True))
    assert_same(np.array(closed.subs(values), float), number, "symbols", 1e-11)


# --- momentum that is given ---------------------------------------------------------------------


@given(SEEDS)
@settings(max_examples=8)
def test_planar_momentum_in_three_numbers(seed: int) -> None:
    rng = np.random.default_rng(seed)
    q, joints = rng.normal(size=5), rng.normal(size=2)
    px, py, Lz = rng.normal(size=3)
    full = Force(Vector3(px, py, 0.0), Vector3(0.0, 0.0, Lz))
    expected = all_rates(TWO, q, joints, full)
    for same in ((px, py, Lz), np.array([px, py, Lz]), full.array(), list(full)):
        assert_same(all_rates(TWO, q, joints, same), expected, "rates")
    got = momentum(TWO, q, expected).array()
    assert_same(got, full.array(), "momentum", 1e-12, scale=1.0)
    numbers = np.array([px, py, Lz])
    for tracer, found in traced(lambda p: all_rates(TWO, q, joints, p), numbers).items():
        assert_same(found, expected, tracer, 1e-12, scale=1.0)
    batch = base_rates(TWO, q, joints, np.array([[px, 0.0], [py, 0.0], [Lz, 0.0]]))
    assert_same(batch[:, 0], expected[:3], "a batch", 1e-12, scale=1.0)
    path = quintic(q[3:], q[3:] + joints, 1.0)
    moved = floating_motion(TWO, q, path, [0.0, 1.0], momentum=(px, py, Lz), compiled=False)
    assert_same(moved.momenta()[1], full.array(), "momentum at the end", 1e-11, scale=1.0)


@pytest.mark.parametrize(
    ("given_momentum", "complaint"),
    [
        ([0, 0, 2.0, 0, 0, 0], "pz must be 0, .*'2r-floating'.* got 2 N s"),
        ([1, 0, 0, 0.5, 0, 0], "Lx must be 0, .* got 0.5 N m s"),
        ([1, 0, 0, 0, -3.0, 0], "Ly must be 0, .* got -3 N m s"),
        (Force(Vector3(0.0, 0.0, 1.0), Vector3(0.0, 0.0, 0.0)), "pz must be 0"),
        (np.array([[0.0, 0], [0, 0], [0, 1], [0, 0], [0, 0], [0, 0]]), "pz must be 0"),
        ([math.nan, 0, 0, 0, 0, 0], "six finite numbers.*or three.*px, py, Lz, got .nan"),
        ([0, math.inf, 0], "six finite numbers"),
        (Force(Vector3(math.nan, 0.0, 0.0), Vector3(0.0, 0.0, 0.0)), "six finite numbers"),
        ([1.0, 2.0], "six finite numbers"),
        (np.zeros(7), "six finite numbers"),
        (1.0, "six finite numbers"),
        (np.array(1.0), "six finite numbers"),
        ("abcdef", "six finite numbers"),
        ([None] * 6, "six finite numbers"),
    ],
)
def test_impossible_momentum_is_refused(given_momentum: Any, complaint: str) -> None:
    q, joints = np.zeros(5), np.zeros(2)
    path = quintic([0, 0], [1, 1], 1.0)
    for call in (
        lambda: base_rates(TWO, q, joints, given_momentum),
        lambda: all_rates(TWO, q, joints, given_momentum, mode="attitude-controlled"),
        lambda: all_rates(TWO, q, joints, given_momentum, mode="fixed"),
        lambda: momentum_drift(TWO, q, "tool", given_momentum),
        lambda: floating_motion(TWO, q, path, [0.0, 1.0], momentum=given_momentum),
    ):
        with pytest.raises(ModelError, match=complaint):
            call()


def test_momentum_in_space_has_six_entries() -> None:
    at = percuss.neutral(SEVEN)
    with pytest.raises(ModelError, match=r"six finite numbers.*Lz \(N m s\), got"):
        base_rates(SEVEN, at, np.zeros(7), [1.0, 2.0, 3.0])
    with pytest.raises(ModelError, match="no batch"):
        floating_motion(
            TWO, np.zeros(5), quintic([0, 0], [1, 1], 1.0), [0.0, 1.0], momentum=np.zeros((6, 2))
        )


def test_bodies_beside_the_plane_have_angular_momentum_along_it() -> None:
    """Moving at z = 0.3, or skew: Lx and Ly are there, and what momentum() says is accepted."""
    high = percuss.System(
        "high",
        (percuss.Body("base", 2.0, (0.0, 0.0, 0.3), (1.0, 1.0, 1.0)),),
        (Joint("base", Planar(), percuss.WORLD, "base"),),
        mode=BaseMode.FREE_FLOATING,
    )
    v = np.array([0.4, -0.7, 0.2])
    whole = momentum(high, np.zeros(3), v).array()
    assert abs(whole[3:5]).min() > 0.1
    assert_same(base_rates(high, np.zeros(3), [], whole), v, "rates", 1e-13)
    whole[2] = 1.0
    with pytest.raises(ModelError, match="pz must be 0"):
        base_rates(high, np.zeros(3), [], whole)


# --- hostile input ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        (lambda: generalized_jacobian(percuss.robot("2r-fixed"), [0, 0], "tool"), "no base that"),
        (lambda: base_rates(TWO, np.zeros(5), [1.0]), "joint_rates must have 2 entries"),
        (lambda: base_rates(TWO, np.zeros(5), [1.0, 2.0], [1.0]), "momentum"),
        (lambda: generalized_jacobian(TWO, np.zeros(5), "tool", mode="loose"), "loose"),
        (lambda: reaction_null_space(TWO, np.zeros(5), still="tool"), "'attitude' or 'base'"),
        (
            lambda: singularity_map(TWO, np.zeros(5), "tool", {"joint9": [0.0]}, task="position"),
            "no determinant",
        ),
        (
            lambda: singularity_map(
                TWO, np.zeros(5), "tool", {"joint9": [0.0]}, task="planar position"
            ),
            "joint9",
        ),
        (
            lambda: singularity_map(TWO, np.zeros(5), "tool", {}, task="planar position"),
            "grid is empty",
        ),
        (
            lambda: singularity_map(
                TWO, np.zeros(5), "tool", {"base": [0.0]}, task="planar position"
            ),
            "'base' has 3 coordinates",
        ),
        (
            lambda: singularity_map(
                TWO, np.zeros(5), "tool", {"joint1": [math.nan]}, task="planar position"
            ),
            "must be finite",
        ),
        (
            lambda: singularity_map(
                TWO, np.zeros(5), "tool", {"joint1": [0.0]}, task="planar position", measure="det"
            ),
            "measure must be",
        ),
        (
            lambda: singularities_along(
                TWO, np.zeros(5), "tool", "joint2", task="planar position", between=(1.0, 0.0)
            ),
            "between must be two finite values",
        ),
        *(
            (
                lambda n=count: singularities_along(
                    TWO, np.zeros(5), "tool", "joint2", task="planar position", samples=cast(Any, n)
                ),
                "samples must be a whole number ≥ 10, got",
            )
            for count in (1, 2, 9, True, 20.5, None)
        ),
        (
            lambda: nearest_singularity(SEVEN, np.zeros(14), "tool", task="pose"),
            "6×7: only a square one",
        ),
        (
            lambda: floating_motion(TWO, np.zeros(5), quintic([0, 0], [1, 1], 1.0), [0.0]),
            "two or more",
        ),
        (
            lambda: floating_motion(
                TWO.with_parameters({"base.mass": sympy.Symbol("m")}),
                np.zeros(5),
                quintic([0, 0], [1, 1], 1.0),
                [0.0, 1.0],
            ),
            "needs numbers: parameter base.mass is m",
        ),
        (
            lambda: floating_motion(TWO, np.zeros(4), quintic([0, 0], [1, 1], 1.0), [0.0, 1.0]),
            "q must be 5 finite numbers",
        ),
        (
            lambda: floating_motion(
                TWO, np.zeros(5), quintic([0, 0], [1, 1], 1.0), [0.0, 1.0], momentum=[1.0]
            ),
            "momentum must be six finite numbers",
        ),
    ],
)
def test_refused(call: Any, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        call()


def test_a_second_root_is_refused() -> None:
    both = percuss.System(
        "two trees",
        (*TWO.bodies, *percuss.robot("2r-fixed").prefixed("other_").bodies),
        (*TWO.joints, *percuss.robot("2r-fixed").prefixed("other_").joints),
    )
    with pytest.raises(ModelError, match="more on the world than its base: joint 'other_joint1'"):
        base_motion_map(both, np.zeros(7))


def test_tool_pose_of_a_turned_base() -> None:
    """`frame_pose` of the motion is what `poses` gives."""
    path = quintic([0.0, 0.0], [1.0, -1.0], 1.0)
    moved = floating_motion(TWO, np.zeros(5), path, [0.0, 1.0], compiled=False)
    ours = moved.poses("tool")[1].matrix()
    assert_same(ours, frame_pose(TWO, moved.q[1], "tool").matrix(), "pose of the tool")
