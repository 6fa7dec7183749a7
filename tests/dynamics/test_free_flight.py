"""Free flight of a body: the closed form against integrated dynamics, for minutes and hours."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

import percuss
from percuss import kernel
from percuss.dynamics import forward_dynamics, free_flight, kinetic_energy, momentum
from percuss.dynamics.composite import center_of_mass
from percuss.kinematics.frames import frame_velocity
from percuss.kinematics.manifold import coordinate_rates
from percuss.model import (
    WORLD,
    Body,
    Fixed,
    Frame,
    Free,
    Joint,
    ModelError,
    Planar,
    Revolute,
    System,
    free_body,
)
from tests.strategies import random_body, random_pose, random_state

HOURS = 3 * 3600.0


def random_flyer(rng: np.random.Generator, planar: bool) -> System:
    """A body on a displaced joint, its frame off its centre of mass, under gravity."""
    body = random_body(rng, "target")
    gravity = rng.normal(size=3)
    if planar:
        body = Body.planar("target", 2.0, 0.7, 0.5 * rng.normal(size=2))
        turn, other = rng.uniform(-3, 3, 2).tolist()
        placement = percuss.Pose.at((*rng.normal(size=2), 0.3), rpy=(0.0, 0.0, turn))
        child = percuss.Pose.at(rng.normal(size=2), rpy=(0.0, 0.0, other))
        joint = Joint(
            name="base",
            motion=Planar(),
            parent=WORLD,
            child="target",
            placement=placement,
            child_placement=child,
        )
    else:
        joint = Joint(
            name="base",
            motion=Free(),
            parent=WORLD,
            child="target",
            placement=random_pose(rng),
            child_placement=random_pose(rng),
        )
    return System("flyer", (body,), (joint,), gravity=percuss.Vector3.of(gravity))


def rollout_of(system: System, method: Any) -> Any:
    """ẋ = (q̇, v̇) by forward dynamics, in a compiled time loop."""

    def rates(_t: Any, x: Any, _u: Any, _p: Any) -> Any:
        q, v = x["q"], x["v"]
        return {"q": coordinate_rates(system, q, v), "v": forward_dynamics(system, q, v)}

    like = {"q": np.zeros(system.coordinate_count), "v": np.zeros(system.rate_count)}
    spatial = isinstance(system.base_joint.motion, Free)
    quaternions = [slice(3, 7)] if spatial else []
    return kernel.rollout(rates, state=like, method=method, quaternions=quaternions)


def energy_of(system: System, q: Any, v: Any) -> float:
    """Kinetic energy (J)."""
    return float(np.asarray(kinetic_energy(system, q, v), float))


@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_agrees_with_integrated_dynamics(planar: bool, seed: int) -> None:
    """Two minutes of a body on displaced joint frames; rates of about one."""
    rng = np.random.default_rng(seed)
    system = random_flyer(rng, planar)
    state = random_state(rng, system)
    times = [1.0, 30.0, 120.0]
    run = rollout_of(system, kernel.Adaptive(1e-12, 1e-13))
    flown = run({"q": state.q, "v": state.v}, times=times)
    q, v = free_flight(system, state.q, state.v, times)
    # Falling for two minutes leads kilometres away.
    scale = 1.0 + np.abs(q).max(0)
    assert (np.abs(flown.trajectory["q"] - q).max(0) < 1e-9 * scale).all()
    assert (np.abs(flown.trajectory["v"] - v).max(0) < 1e-9 * scale).all()


@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 2**32 - 1), planar=st.booleans())
def test_momentum_of_the_flight(seed: int, planar: bool) -> None:
    """The centre of mass falls, and about it angular momentum stays, in the world."""
    rng = np.random.default_rng(seed)
    system = random_flyer(rng, planar)
    state = random_state(rng, system)
    times = np.array([0.0, -7.0, 100.0])
    q, v = free_flight(system, state.q, state.v, times)
    start = [np.array(f, float) for f in _measured(system, state.q, state.v)]
    fall = np.array(system.gravity.array(), float)
    if planar:
        fall[2] = 0.0
    for t, q_t, v_t in zip(times, q.T, v.T, strict=True):
        place, speed, spinning = (np.array(f, float) for f in _measured(system, q_t, v_t))
        size = 1.0 + np.abs(place).max()
        np.testing.assert_allclose(speed, start[1] + fall * t, atol=1e-13 * size)
        np.testing.assert_allclose(
            place, start[0] + start[1] * t + 0.5 * fall * t**2, atol=1e-13 * size
        )
        np.testing.assert_allclose(spinning, start[2], atol=1e-11 * size)


def _measured(system: System, q: Any, v: Any) -> tuple[Any, Any, Any]:
    """Centre of mass, its velocity, and angular momentum about it, world axes."""
    body = system.base
    at_com = Frame("com", body.name, percuss.Pose(position=body.com))
    velocity = frame_velocity(system, q, v, at_com).linear
    return (
        center_of_mass(system, q).array(),
        velocity.array(),
        momentum(system, q, v, "com").angular.array(),
    )


def test_bodies_fixed_to_it_fly_along() -> None:
    rng = np.random.default_rng(4)
    bodies = [random_body(rng, name) for name in ("bus", "antenna")]
    joints = [
        Joint("base", Free(), WORLD, "bus"),
        Joint(
            name="bolts", motion=Fixed(), parent="bus", child="antenna", placement=random_pose(rng)
        ),
    ]
    system = System("satellite", tuple(bodies), tuple(joints))
    state = random_state(rng, system)
    q, v = free_flight(system, state.q, state.v, [0.0, 500.0])
    for part in ("linear", "angular"):
        before, after = (
            np.array(getattr(momentum(system, q[:, k], v[:, k]), part).array(), float)
            for k in (0, 1)
        )
        np.testing.assert_allclose(after, before, atol=1e-10)
    energies = [energy_of(system, q[:, k], v[:, k]) for k in (0, 1)]
    assert energies[1] == pytest.approx(energies[0], rel=1e-13)


def test_the_angle_of_a_planar_body_does_not_wrap() -> None:
    q, v = free_flight(percuss.robot("disk"), (1.0, 2.0, 3.0), (0.1, -0.2, 0.5), [0.0, 100.0])
    np.testing.assert_allclose(q[:, 1], [11.0, -18.0, 53.0], rtol=1e-15)
    np.testing.assert_array_equal(v[:, 1], [0.1, -0.2, 0.5])
    one, _ = free_flight(percuss.robot("disk"), (1.0, 2.0, 3.0), (0.1, -0.2, 0.5), 100.0)
    np.testing.assert_array_equal(one, q[:, 1])


# --- a target that tumbles for hours ----------------------------------------------------------

METHODS = {
    "rk4": (kernel.RK4(step=0.05), 1e-12, 1e-12, 3e-9),
    "adaptive": (kernel.Adaptive(1e-12, 1e-14), 1e-10, 1e-10, 2e-8),
}
"""Method, and what it keeps over three hours: energy and angular momentum (relative), attitude."""


@cache
def tumbling() -> tuple[System, Any, Any]:
    """4 °/s about no axis in particular, which is hundreds of turns in three hours."""
    q = np.array([10.0, -3.0, 2.0, 0.5, -0.5, 0.5, 0.5])
    v = np.array([0.003, -0.001, 0.002, 0.03, 0.05, -0.04])
    return percuss.robot("rendezvous-target"), q, v


@pytest.mark.parametrize("name", METHODS)
def test_an_integrated_target_keeps_energy_and_momentum_for_hours(name: str) -> None:
    method, keeps_energy, keeps_momentum, agrees = METHODS[name]
    system, q, v = tumbling()
    times = np.array([60.0, 3600.0, HOURS])
    flown = rollout_of(system, method)({"q": q, "v": v}, times=times).trajectory
    exact = free_flight(system, q, v, times)
    energy = energy_of(system, q, v)
    spinning = np.array(momentum(system, q, v, "com").angular.array(), float)
    size = float(np.linalg.norm(spinning))
    closed = {"q": exact[0], "v": exact[1]}
    for motion, energy_slack, momentum_slack in (
        (flown, keeps_energy, keeps_momentum),
        (closed, 2e-14, 2e-14),
    ):
        for q_t, v_t in zip(motion["q"].T, motion["v"].T, strict=True):
            assert energy_of(system, q_t, v_t) == pytest.approx(energy, rel=energy_slack)
            now = np.array(momentum(system, q_t, v_t, "com").angular.array(), float)
            np.testing.assert_allclose(now, spinning, atol=momentum_slack * size)
    assert np.abs(flown["q"] - exact[0]).max() < agrees
    assert np.abs(flown["v"] - exact[1]).max() < agrees


# --- what is refused --------------------------------------------------------------------------


def test_what_does_not_fly_freely_is_refused() -> None:
    cube = percuss.robot("cube")
    rest = np.zeros(6)
    with pytest.raises(ModelError, match="'2r-fixed' has the joints 'joint1'"):
        free_flight(percuss.robot("2r-fixed"), np.zeros(2), np.zeros(2), 1.0)
    with pytest.raises(ModelError, match="one body on a free or planar joint"):
        free_flight(percuss.robot("thesis"), np.zeros(5), np.zeros(5), 1.0)
    with pytest.raises(ModelError, match=r"coordinates must be 7 finite numbers \(base\.x, "):
        free_flight(cube, np.zeros(6), rest, 1.0)
    with pytest.raises(ModelError, match="rates must be 6 finite numbers"):
        free_flight(cube, percuss.neutral(cube), [np.nan] * 6, 1.0)
    with pytest.raises(ModelError, match="t must be finite"):
        free_flight(cube, percuss.neutral(cube), rest, [np.inf])
    with pytest.raises(ModelError, match="must not be zero"):
        free_flight(cube, np.zeros(7), rest, 1.0)
    with pytest.raises(ModelError, match=r"needs numbers: parameter .* is m"):
        free_flight(free_body(percuss.disk("d", 1.0, sympy.Symbol("m"))), rest, rest, 1.0)  # type: ignore[arg-type]
    rod = free_body(percuss.rod("rod", 1.0, 1.0))
    with pytest.raises(ModelError, match="positive about every axis"):
        free_flight(rod, percuss.neutral(rod), rest, 1.0)
    hinged = System(
        "door", (percuss.box("door", (1, 1, 1), 1.0),), (Joint("hinge", Revolute(), WORLD, "door"),)
    )
    with pytest.raises(ModelError, match=r"'hinge' \(revolute\)"):
        free_flight(hinged, [0.0], [0.0], 1.0)
