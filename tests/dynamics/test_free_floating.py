"""Free-floating arms: generalized Jacobian, conserved momentum, singularities, disturbance."""

from __future__ import annotations

import math
from importlib import import_module
from typing import Any, cast

import jax
import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

import percuss
from percuss.adapters import to_pinocchio
from percuss.algebra import Force, Vector3
from percuss.dynamics import (
    all_rates,
    attitude_map,
    base_disturbance,
    base_disturbance_map,
    base_motion_map,
    base_rates,
    center_of_mass,
    floating_motion,
    generalized_jacobian,
    generalized_task_jacobian,
    hybrid_dynamics,
    mass_matrix,
    momentum,
    momentum_drift,
    nearest_singularity,
    reaction_null_space,
    reactionless,
    singularities_along,
    singularity_map,
    total_mass,
)
from percuss.dynamics.sampled_zeros import crossings
from percuss.kinematics import (
    coordinate_rates,
    determinant,
    frame_pose,
    frame_velocity,
    jacobian,
    quintic,
    spline,
    two_link_angles,
)
from percuss.model import BaseMode, Joint, ModelError, Planar
from tests.strategies import Case, cases
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
    v = all_rates(system, q, joints, wanted, "free-floating")
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
    v = all_rates(SEVEN, q, joints, given_momentum, "attitude-controlled")
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
        assert not base_rates(SEVEN, q, joints, given_momentum, mode).any()


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
    with jax.enable_x64(True):
        traced = jax.jit(lambda x: generalized_jacobian(TWO, x, "tool"))(q)
    assert_same(traced, number, "JAX", 1e-12)
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
    with jax.enable_x64(True):
        traced = jax.jit(lambda p: all_rates(TWO, q, joints, p))(np.array([px, py, Lz]))
    assert_same(traced, expected, "traced", 1e-12, scale=1.0)
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
        lambda: all_rates(TWO, q, joints, given_momentum, "attitude-controlled"),
        lambda: all_rates(TWO, q, joints, given_momentum, "fixed"),
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


# --- check values -------------------------------------------------------------------------------


def test_determinants_of_the_case_study() -> None:
    """PHYSICS section 6: elbow case 2 at the start of the circle."""
    angles = two_link_angles(1.0, 1.0, 1.4, 1.2).negative
    q = np.array([0.0, 0.0, 0.0, *angles], float)
    floating = determinant(generalized_task_jacobian(TWO, q, "tool", "planar position"))
    fixed = determinant(generalized_task_jacobian(TWO, q, "tool", "planar position", "fixed"))
    assert_same(floating, -0.24725502, "free-floating", 2e-8)
    assert_same(fixed, -0.71414284, "fixed", 1e-8)


def test_dynamic_singularities_of_the_case_study() -> None:
    q = [0.0, 0.0, 0.0, math.pi / 2, 0.0]
    found = singularities_along(TWO, q, "tool", "joint2", task="planar position")
    assert_same(found, (-2.9388798, 0.2718164), "q2 at q1 = 90°", 2e-8)
    for q2 in found:
        at = np.array([1.0, -2.0, 0.7, math.pi / 2, q2])
        Jg = generalized_task_jacobian(TWO, at, "tool", "planar position")
        assert np.linalg.svd(Jg)[1][-1] < 1e-14, "singular wherever the base is"


def test_published_dynamic_singularity() -> None:
    """Papadopoulos & Dubowsky: q = (-65°, -11.41°)."""
    robot = percuss.robot("papadopoulos")
    q = [0.0, 0.0, 0.0, math.radians(-65), 0.0]
    found = np.degrees(singularities_along(robot, q, "tool", "joint2", task="planar position"))
    assert np.abs(found + 11.41).min() < 0.005
    near = nearest_singularity(
        robot, [0, 0, 0, math.radians(-65), -0.3], "tool", task="planar position"
    )
    Jg = generalized_task_jacobian(robot, near, "tool", "planar position")
    assert abs(float(determinant(Jg))) < 1e-13  # type: ignore[arg-type]
    assert np.abs(near[3:] - [math.radians(-65), -0.3]).max() < 0.15


def test_fixed_arms_are_singular_when_stretched_and_free_ones_elsewhere() -> None:
    grid = {"joint1": np.linspace(-3, 3, 25), "joint2": np.linspace(-3, 3, 25)}
    options: dict[str, Any] = {"task": "planar position"}
    fixed = singularity_map(TWO, np.zeros(5), "tool", grid, mode="fixed", **options)
    assert_same(
        fixed.values,
        np.broadcast_to(np.sin(grid["joint2"]), (25, 25)),
        "l1 l2 sin q2 on a base at rest",
        1e-13,
    )
    floating = singularity_map(TWO, np.zeros(5), "tool", grid, **options)
    assert np.ptp(np.sign(floating.values[:, 12])) > 0, "stretched is not singular everywhere"
    assert floating.joints == ("joint1", "joint2")
    smallest = singularity_map(
        TWO, np.zeros(5), "tool", grid, measure="smallest singular value", **options
    )
    assert (smallest.values >= 0).all()
    place, value = smallest.least()
    assert value == smallest.values.min()
    assert place.shape == (2,)


def test_singularities_of_an_arm_with_joints_to_spare() -> None:
    """Three joints for two rows: no determinant, the smallest singular value tells."""
    links = [percuss.PlanarLink(1.0, mass) for mass in (4.0, 3.0, 2.0)]
    base = percuss.Body.planar("base", 40.0, 6.667)
    robot = percuss.planar_arm(links, base=base, mount=(0.5, 0.0))
    found = singularities_along(
        robot, np.zeros(6), "tool", "joint3", task="planar position", samples=180
    )
    assert np.abs(found).min() < 1e-6, "outstretched along the line of the base: no motion in x"
    Jg = generalized_task_jacobian(robot, np.zeros(6), "tool", "planar position")
    assert np.linalg.svd(Jg)[1][-1] < 1e-14
    bent = [0, 0, 0, 0.4, 0.9, 0.0]
    assert not singularities_along(robot, bent, "tool", "joint3", task="planar position").size


@pytest.mark.parametrize("samples", [10, 11, 180, 721])
@pytest.mark.parametrize(
    ("between", "expected"),
    [
        ((-math.pi, math.pi), [-math.pi, 0.0, math.pi]),
        ((0.0, math.pi), [0.0, math.pi]),
        ((-math.pi, 0.0), [-math.pi, 0.0]),
        ((-1.0, math.pi), [0.0, math.pi]),
        ((0.1, 3.0), []),
    ],
)
def test_singularities_at_the_ends_of_the_interval(
    between: tuple[float, float], expected: list[float], samples: int
) -> None:
    """On a base at rest stretched and folded arms are singular: sin q2 = 0, ends included."""
    options: dict[str, Any] = {"task": "planar position", "mode": "fixed", "samples": samples}
    found = singularities_along(TWO, [0, 0, 0, 1, 0], "tool", "joint2", between=between, **options)
    assert len(found) == len(expected)
    assert_same(found, expected, "zeros of the determinant", 1e-14, scale=1.0)
    three = percuss.robot("air-bearing-3r")
    at = [0, 0, 0, 0.4, 0, 0]
    found = singularities_along(three, at, "tool", "joint2", between=between, **options)
    assert len(found) == len(expected)
    assert_same(found, expected, "minima of the smallest singular value", 1e-9, scale=1.0)


@given(st.floats(-3.0, 3.0), st.floats(0.0, 3.0), st.floats(0.0, 3.0), st.booleans())
@settings(max_examples=20)
def test_each_singularity_is_found_once(q1: float, below: float, above: float, spare: bool) -> None:
    system = percuss.robot("air-bearing-3r") if spare else TWO
    q = [0, 0, 0, q1, 0, 0][: system.coordinate_count]
    between = (-below - 1e-3, above + 1e-3)
    found = singularities_along(
        system, q, "tool", "joint2", task="planar position", mode="fixed", between=between
    )
    assert found.shape == (1,)
    assert abs(found[0]) < 1e-9


def test_zeros_that_do_not_change_the_sign() -> None:
    """(1 - cos x)^n touches zero; flat zeros are one, not a row of samples."""
    points = np.linspace(-1.0, 2.0, 100)
    for power in (1, 2, 3):
        for function in (
            lambda x, n=power: (1 - np.cos(x)) ** n,
            lambda x, n=power: -((1 - np.cos(x - 2.0)) ** n),
            lambda x, n=power: x ** (2 * n + 1),
        ):
            values = function(points)
            zero = 1e-12 * float(np.abs(values).max())
            found = crossings(points, values, function, zero)
            assert found.shape == (1,)
            assert min(abs(found[0]), abs(found[0] - 2)) < 2e-2, "flat zeros are wide"
            assert abs(function(found[0])) <= zero


def test_singular_everywhere_is_said() -> None:
    """Outstretched, the arm stays singular however its first joint turns."""
    complaint = r"singular everywhere along 'joint1' between -3.14159 and 3.14159: the {}"
    options: dict[str, Any] = {"task": "planar position", "mode": "fixed"}
    with pytest.raises(ModelError, match=complaint.format("determinant")):
        singularities_along(TWO, np.zeros(5), "tool", "joint1", **options)
    three = percuss.robot("air-bearing-3r")
    with pytest.raises(ModelError, match=complaint.format("smallest singular value")):
        singularities_along(three, np.zeros(6), "tool", "joint1", **options)
    nearly = singularities_along(TWO, [0, 0, 0, 0, 1e-6], "tool", "joint1", **options)
    assert nearly.size == 0, "nearly singular everywhere is not singular"


@given(SEEDS)
@settings(max_examples=20)
def test_the_base_does_not_matter(seed: int) -> None:
    """Turning or moving the base turns the generalized Jacobian: its singular values stay."""
    rng = np.random.default_rng(seed)
    joints = rng.uniform(-3, 3, 7)
    values = []
    for _ in range(2):
        turn = rng.normal(size=4)
        q = np.concatenate([rng.normal(size=3), turn / np.linalg.norm(turn), joints])
        values.append(np.linalg.svd(generalized_jacobian(SEVEN, q, "tool"))[1])
    assert_same(values[0], values[1], "singular values", 1e-12)


# --- motion -------------------------------------------------------------------------------------


@given(SEEDS, st.booleans())
@settings(max_examples=8)
def test_momentum_is_conserved_along_random_joint_motion(seed: int, planar: bool) -> None:
    """The centre of mass moves on at p / m although only velocities were integrated (≤ 1e-10)."""
    system = percuss.robot("air-bearing-3r") if planar else SEVEN
    rng = np.random.default_rng(seed)
    count = 3 if planar else 7
    knots = rng.uniform(-1, 1, (5, count))
    path = spline([0.0, 1.0, 2.0, 3.0, 4.0], knots)
    given_momentum = rng.normal(size=6) * ([1, 1, 0, 0, 0, 1] if planar else np.ones(6))
    q = np.array(percuss.neutral(system))
    moved = floating_motion(system, q, path, np.linspace(0, 4, 9), momentum=given_momentum)
    assert_same(
        moved.momenta(), np.tile(given_momentum, (9, 1)), "momentum, body by body", 1e-12, 1.0
    )
    centers = np.array([center_of_mass(system, row).array() for row in moved.q], float)
    drift = np.outer(moved.times, given_momentum[:3] / cast(float, total_mass(system)))
    assert np.abs(centers - centers[0] - drift).max() < 1e-10, "the centre of mass goes straight"
    assert_same(moved.q[:, -count:], path.sample(moved.times)[0].T, "joints as given")


def test_the_tool_goes_where_the_integrated_generalized_jacobian_says() -> None:
    """∫ (J_g q̇ + drift) dt from the start is forward kinematics at the end (≤ 1e-10)."""
    path = quintic(np.zeros(7), np.linspace(-0.8, 0.9, 7), 3.0)
    given_momentum = np.array([2.0, -1.0, 0.5, 0.3, -0.2, 0.4])
    q = np.array(percuss.neutral(SEVEN))
    dense = floating_motion(SEVEN, q, path, np.linspace(0, 3, 121), momentum=given_momentum)
    speeds = np.array(
        [
            np.asarray(generalized_jacobian(SEVEN, at, "tool"), float)[:3] @ path(t)[1]
            + momentum_drift(SEVEN, at, "tool", given_momentum)[:3]
            for t, at in zip(dense.times, dense.q, strict=True)
        ]
    )
    assert_same(speeds, dense.velocities("tool")[:, :3], "velocity of the tool", 1e-12, 1.0)
    # Boole's rule on the dense samples.
    h = dense.times[1]
    weights = np.tile([14.0, 32.0, 12.0, 32.0], 30) * 2 * h / 45
    weights = np.append(weights, 7.0 * 2 * h / 45)
    weights[0] = 7.0 * 2 * h / 45
    way = dense.positions("tool")[-1] - dense.positions("tool")[0]
    assert np.abs(weights @ speeds - way).max() < 1e-10
    assert len(dense.poses("tool")) == 121


def test_dynamics_agrees_with_momentum() -> None:
    """Joint torques that cause the joint motion move the base as momentum says."""
    path = quintic([0.1, -0.3], [1.2, 0.8], 2.0)
    q = np.array([0.0, 0.0, 0.0, 0.1, -0.3])
    by_momentum = floating_motion(TWO, q, path, [0.0, 1.0, 2.0], compiled=False)

    def rates(t: float, x: Any) -> Any:
        at, v = x[:5], x[5:]
        wanted = [0.0, 0.0, 0.0, *path(t)[2]]
        a = hybrid_dynamics(TWO, at, v, None, wanted, [False] * 3 + [True] * 2)
        return np.concatenate([coordinate_rates(TWO, at, v), np.asarray(a, float)])

    start = np.concatenate([q, np.zeros(5)])
    found = solve_ivp(rates, (0, 2), start, method="DOP853", rtol=1e-11, atol=1e-12)
    assert_same(found.y[:5, -1], by_momentum.q[-1], "where everything is in the end", 1e-9)


def test_attitude_controlled_motion_keeps_the_attitude() -> None:
    path = quintic(np.zeros(7), np.full(7, 0.5), 2.0)
    q = np.array(percuss.neutral(SEVEN))
    moved = floating_motion(SEVEN, q, path, [0.0, 2.0], mode="attitude-controlled")
    assert_same(moved.q[-1, 3:7], (1.0, 0.0, 0.0, 0.0), "the base does not turn")
    com = [center_of_mass(SEVEN, row).array() for row in moved.q]
    assert_same(com[1], com[0], "the centre of mass stays", 1e-11)
    free = floating_motion(SEVEN, q, path, [0.0, 2.0])
    assert np.abs(free.q[-1, 3:7] - [1, 0, 0, 0]).max() > 1e-3


# --- reaction null space and disturbance --------------------------------------------------------


@given(SEEDS)
def test_motions_to_which_the_base_does_not_react(seed: int) -> None:
    rng = np.random.default_rng(seed)
    q = np.array([*np.zeros(3), 1.0, 0.0, 0.0, 0.0, *rng.uniform(-2, 2, 7)])
    basis = reaction_null_space(SEVEN, q)
    assert basis.shape == (7, 4), "seven joints, three axes of the base"
    rates = basis @ rng.normal(size=4)
    turning = base_rates(SEVEN, q, rates)[3:]
    assert np.abs(turning).max() < 1e-13, "the base does not turn"
    still = reaction_null_space(SEVEN, q, still="base")
    assert still.shape == (7, 1)
    assert np.abs(base_rates(SEVEN, q, still[:, 0])).max() < 1e-12, "it does not move at all"
    wish = rng.normal(size=7)
    nearest = reactionless(SEVEN, q, wish)
    assert np.abs(base_rates(SEVEN, q, nearest)[3:]).max() < 1e-13
    assert_same(basis @ basis.T @ wish, nearest, "the nearest of them", 1e-11)


def test_reactionless_motion_traced() -> None:
    q, wish = np.array([0.0, 0.0, 0.0, 0.4, -0.9]), np.array([0.3, 0.7])
    with jax.enable_x64(True):
        traced = jax.jit(lambda x: reactionless(TWO, x, wish))(q)
    assert_same(traced, reactionless(TWO, q, wish), "JAX", 1e-12)


@given(SEEDS)
def test_disturbance(seed: int) -> None:
    rng = np.random.default_rng(seed)
    q = np.array([*np.zeros(3), 1.0, 0.0, 0.0, 0.0, *rng.uniform(-2, 2, 7)])
    found = base_disturbance(SEVEN, q)
    worst = base_rates(SEVEN, q, found.largest_direction)[3:]
    assert_same(np.linalg.norm(worst), found.largest, "the base turns as said", 1e-12)
    assert np.abs(base_rates(SEVEN, q, found.smallest_direction)[3:]).max() < 1e-13
    some = rng.normal(size=7)
    turning = np.linalg.norm(base_rates(SEVEN, q, some)[3:])
    assert turning <= found.largest * np.linalg.norm(some) * (1 + 1e-12)
    assert_same(found.map, base_motion_map(SEVEN, q)[3:], "angular rows of the base's motion")
    assert "shoulder_yaw" in str(found)


def test_disturbance_over_joints() -> None:
    robot = percuss.robot("air-bearing-3r")
    grid = {"joint2": np.linspace(-2, 2, 9), "joint3": np.linspace(-1, 1, 5)}
    found = base_disturbance_map(robot, np.zeros(6), grid)
    assert found.values.shape == (9, 5)
    at = np.array([0, 0, 0, 0, grid["joint2"][2], grid["joint3"][1]])
    assert found.values[2, 1] == pytest.approx(base_disturbance(robot, at).largest, rel=1e-12)
    assert attitude_map(robot, at).shape == (1, 3)
    B = np.asarray(attitude_map(robot, at), float)
    M = np.asarray(mass_matrix(robot, at), float)
    solved = -np.linalg.solve(M[:3, :3], M[:3, 3:])[2:]
    assert_same(B, solved, "-M_bb⁻¹ M_bm", 1e-12)


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
