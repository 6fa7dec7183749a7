"""Motion of systems in which joints follow others: conserved, and the same on every scalar."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from scipy.integrate import solve_ivp

import percuss
from percuss import kernel
from percuss.algebra import Pose, Vector3
from percuss.dynamics import (
    forward_dynamics,
    inverse_dynamics,
    joint_reactions,
    kinetic_energy,
    mass_matrix,
    momentum,
)
from percuss.kinematics import coordinate_rates, frame_pose
from percuss.model import (
    WORLD,
    Body,
    Free,
    Friction,
    Joint,
    Mimic,
    ModelError,
    Prismatic,
    Revolute,
    System,
    box,
    rod,
)
from tests.strategies import Case, State, coupled_cases, random_state
from tests.tracers import slopes, traced
from tests.truth.compare import assert_same
from tests.truth.symbols import evaluate


def gripper() -> System:
    """A free-floating arm with two coupled fingers and a thumb that follows one of them."""
    joints = (
        Joint("base", Free(), WORLD, "base"),
        Joint(
            name="shoulder",
            motion=Revolute((0, 1, 0)),
            parent="base",
            child="palm",
            placement=Pose.at((0.5, 0.0, 0.2)),
        ),
        Joint(
            name="left",
            motion=Prismatic((0, 1, 0)),
            parent="palm",
            child="left finger",
            placement=Pose.at((1.0, 0.1, 0.0)),
        ),
        Joint(
            name="right",
            motion=Mimic(Prismatic((0, 1, 0)), "left", -1.2, 0.01),
            parent="palm",
            child="right finger",
            placement=Pose.at((1.0, -0.1, 0.0)),
        ),
        Joint(
            name="thumb",
            motion=Mimic(Revolute((0, 0, 1)), "right", 3.0, 0.1),
            parent="left finger",
            child="thumb",
            placement=Pose.at((0.2, 0.0, 0.0)),
        ),
    )
    bodies = (
        box("base", (1.0, 0.8, 0.6), 100.0),
        rod("palm", 1.0, 8.0),
        box("left finger", (0.3, 0.05, 0.05), 1.5),
        box("right finger", (0.3, 0.05, 0.05), 2.5),
        replace(box("thumb", (0.2, 0.04, 0.04), 0.7), com=Vector3(0.1, 0.0, 0.0)),
    )
    return System("gripper", bodies, joints)


def state_of(system: System, seed: int = 3) -> State:
    return random_state(np.random.default_rng(seed), system)


def test_a_floating_gripper_keeps_energy_and_momentum() -> None:
    """Over ten seconds, with nothing acting on it."""
    system = gripper()
    start = state_of(system)
    x0 = np.concatenate([start.q, 0.3 * start.v])
    size = system.coordinate_count

    def change(_: float, x: Any) -> Any:
        q, v = x[:size], x[size:]
        return np.concatenate([coordinate_rates(system, q, v), forward_dynamics(system, q, v)])

    motion = solve_ivp(change, (0.0, 10.0), x0, "DOP853", rtol=1e-12, atol=1e-13)
    assert motion.success
    assert np.abs(motion.y[8] - x0[8]).max() > 0.1, "the fingers move"

    def kept(x: Any) -> Any:
        q, v = x[:size], x[size:]
        return [*momentum(system, q, v).array(), kinetic_energy(system, q, v)]

    totals = np.array([kept(x) for x in motion.y.T], float)
    assert_same(totals, np.broadcast_to(totals[0], totals.shape), "totals", 1e-11)


def test_the_leader_carries_what_its_followers_resist() -> None:
    """A slide whose follower moves 1.2 times as far the other way: m_eff = m₁ + 1.44 m₂ + …"""
    system = gripper()
    M = mass_matrix(system, np.array([0.0, 0, 0, 1, 0, 0, 0, 0.0, 0.0]))
    turned = 0.7 * 0.01 + 0.7 / 12 * (0.2**2 + 0.04**2)  # about the thumb's joint
    own = 1.5 + 1.44 * 2.5 + 0.7 + 3.6**2 * turned
    angle = 3.0 * 0.01 + 0.1
    coupling = 2 * -3.6 * 0.7 * 0.1 * np.cos(angle)
    assert M[7, 7] == pytest.approx(own + coupling, rel=1e-12)


@given(coupled_cases(max_bodies=6, friction=True))
@settings(max_examples=8)
def test_compiled_kernels_give_the_same_numbers(case: Case) -> None:
    system, s = case.system, case.state
    forward = kernel.compile(lambda q, v, tau: forward_dynamics(system, q, v, tau), s.q, s.v, s.tau)
    backward = kernel.compile(lambda q, v, a: inverse_dynamics(system, q, v, a), s.q, s.v, s.a)
    states = [random_state(np.random.default_rng(k), system) for k in range(4)]
    q, v, tau = (np.stack([getattr(x, k) for x in states], -1) for k in ("q", "v", "tau"))
    condition = max(np.linalg.cond(mass_matrix(system, x.q)) for x in states)
    for k, x in enumerate(states):
        ours = forward_dynamics(system, x.q, x.v, x.tau)
        found = forward(q, v, tau)[:, k]
        assert_same(found, ours, "accelerations", max(1e-12, 1e-15 * condition), scale=1.0)
        back = inverse_dynamics(system, x.q, x.v, x.tau)
        assert_same(backward(q, v, tau)[:, k], back, "forces", 1e-12, scale=1.0)


def test_symbols_jax_and_batches_give_the_same_numbers() -> None:
    system = gripper().with_gravity((0.3, -0.2, -9.81))
    joints = tuple(
        replace(j, friction=Friction(0.3, 0.2, 0.1)) if j.name in ("left", "right") else j
        for j in system.joints
    )
    system = replace(system, joints=joints).with_mode("fixed")
    s = state_of(system)
    ours = forward_dynamics(system, s.q, s.v, s.tau)
    q, v = (sympy.symbols(f"{name}0:2") for name in "qv")
    tau = sympy.symbols("tau0:2")
    symbolic = forward_dynamics(system, sympy.Matrix(q), sympy.Matrix(v), sympy.Matrix(tau))
    values = dict(zip((*q, *v, *tau), (*s.q, *s.v, *s.tau), strict=True))
    assert_same(evaluate(symbolic, values).ravel(), ours, "SymPy", 1e-12)
    for tracer, found in traced(lambda *x: forward_dynamics(system, *x), s.q, s.v, s.tau).items():
        assert_same(np.asarray(found), ours, tracer, 1e-12)
    twice = lambda x: np.stack([x, x], -1)  # noqa: E731
    batch = forward_dynamics(system, twice(s.q), twice(s.v), twice(s.tau))
    assert_same(batch[:, 1], ours, "NumPy batch", 1e-12)


def test_multipliers_are_scalars_of_any_kind() -> None:
    """The derivative of where a finger is by the multiplier is the leader's coordinate."""
    m = sympy.Symbol("m")
    system = gripper().with_parameters({"right.mimic.multiplier": m}).with_mode("fixed")
    q = sympy.symbols("q0:2")
    y = frame_pose(system, sympy.Matrix(q), "right finger").position.y
    assert sympy.diff(y, m) == q[1]
    plain = gripper().with_mode("fixed")
    s = state_of(plain)

    def effort(multiplier: Any) -> Any:
        changed = plain.with_parameters({"right.mimic.multiplier": multiplier})
        return inverse_dynamics(changed, s.q, s.v, s.a)[1]

    step = 1e-6
    differences = (effort(-1.2 + step) - effort(-1.2 - step)) / (2 * step)
    for way, slope in slopes(effort, -1.2).items():
        assert float(slope) == pytest.approx(differences, rel=1e-8), way


def test_the_reaction_of_a_follower_holds_its_body() -> None:
    """What a follower's joint exerts accelerates what hangs from it."""
    system = gripper()
    s = state_of(system)
    a = forward_dynamics(system, s.q, s.v, s.tau)
    loads = joint_reactions(system, s.q, s.v, a)
    assert set(loads) == {joint.name for joint in system.joints}
    moved = percuss.frame_acceleration(system, s.q, s.v, a, frame="right finger").linear
    turn = frame_pose(system, s.q, "right finger").rotation
    force = np.array((turn @ loads["right"].linear).array(), float)
    assert_same(force, 2.5 * np.array(moved.array(), float), "m a of the right finger", 1e-12)


def test_a_rate_that_nothing_resists_is_refused() -> None:
    bar = Body("bar", 1.0, (0.0, 0.0, 0.0), (0.0, 1.0, 1.0))  # type: ignore[arg-type]
    other = Body("other", 1.0, (0.0, 0.0, 0.0), (0.0, 1.0, 1.0))  # type: ignore[arg-type]
    joints = (
        Joint("a", Revolute((1, 0, 0)), WORLD, "bar"),
        Joint("b", Mimic(Revolute((1, 0, 0)), "a", 2.0), WORLD, "other"),
    )
    system = System("rods", (bar, other), joints)
    with pytest.raises(ModelError, match="nothing resists the rate 'a'"):
        forward_dynamics(system, [0.1], [0.2], [0.3])
