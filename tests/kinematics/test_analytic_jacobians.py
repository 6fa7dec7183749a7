"""Analytic Jacobians are derivatives of the numbers that describe a pose."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import assume, given, settings

import percuss
from percuss.algebra import Rotation
from percuss.kinematics import analytic_jacobian, frame_pose, integrate, jacobian, planar_angle
from percuss.kinematics.analytic_jacobians import (
    analytic_jacobian_time_derivative,
    orientation_rate_matrix,
)
from percuss.model import ModelError, System
from tests.oracles import to_pinocchio
from tests.strategies import Case, cases, planar_systems, random_coordinates
from tests.tracers import traced
from tests.truth.compare import assert_same, derivative
from tests.truth.symbols import evaluate

pin: Any = import_module("pinocchio")


def numbers(system: System, q: Any, frame: str, representation: str) -> np.ndarray:
    """Position and orientation as the representation writes them."""
    pose = frame_pose(system, q, frame)
    roll, pitch, yaw = pose.rotation.to_rpy()
    x, y, z = pose.position
    turn = {
        "rpy": [roll, pitch, yaw],
        "zyx": [yaw, pitch, roll],
        "quaternion": list(pose.rotation.to_quaternion()),
    }
    if representation == "planar":
        return np.array([x, y, planar_angle(system, q, frame)], float)
    return np.array([x, y, z, *turn[representation]], float)


def assume_regular(case: Case, frame: str) -> None:
    """Away from pitch ±90°, from half turns and from jumps of the angles by a turn."""
    pose = frame_pose(case.system, case.state.q, frame)
    roll, pitch, yaw = (float(x) for x in pose.rotation.to_rpy())  # type: ignore[arg-type]
    w = float(pose.rotation.to_quaternion().w)  # type: ignore[arg-type]
    assume(abs(pitch) < 1.4 and max(abs(roll), abs(yaw)) < 3.0 and w > 0.05)


@given(cases(max_bodies=5))
@settings(max_examples=30)
@pytest.mark.parametrize("representation", ["rpy", "zyx", "quaternion"])
def test_derivative_of_the_numbers(representation: str, case: Case) -> None:
    system, q, v = case.system, case.state.q, 0.3 * case.state.v
    name = system.frames[0].name
    assume_regular(case, name)
    rates = np.asarray(analytic_jacobian(system, q, name, representation), float) @ v
    slope = derivative(
        lambda t: numbers(system, integrate(system, q, v, t), name, representation), 2e-4
    )
    assert_same(rates, slope, f"rates of {representation}", 1e-8, scale=10.0)


@given(cases(max_bodies=5))
@settings(max_examples=30)
@pytest.mark.parametrize("representation", ["rpy", "zyx", "quaternion"])
def test_time_derivative_of_the_jacobian(representation: str, case: Case) -> None:
    system, q, v = case.system, case.state.q, 0.3 * case.state.v
    name = system.frames[0].name
    assume_regular(case, name)
    ours = analytic_jacobian_time_derivative(system, q, v, name, representation=representation)
    theirs = derivative(
        lambda t: analytic_jacobian(system, integrate(system, q, v, t), name, representation), 5e-4
    )
    scale = 1.0 + float(np.abs(analytic_jacobian(system, q, name, representation)).max()) ** 2
    assert_same(ours, theirs, f"dJ/dt of {representation}", 1e-8, scale=scale)


@given(planar_systems())
@settings(max_examples=20)
def test_planar_pose(system: System) -> None:
    rng = np.random.default_rng(system.rate_count)
    q, v = random_coordinates(rng, system), rng.normal(size=system.rate_count)
    rates = analytic_jacobian(system, q, "tool", "planar") @ v
    slope = derivative(lambda t: numbers(system, integrate(system, q, v, t), "tool", "planar"))
    assert_same(rates, slope, "rates of x, y, angle", 1e-10, scale=1.0)
    change = analytic_jacobian_time_derivative(system, q, v, "tool", representation="planar")
    slope = derivative(
        lambda t: analytic_jacobian(system, integrate(system, q, v, t), "tool", "planar")
    )
    assert_same(change, slope, "dJ/dt of the planar pose", 1e-10, scale=1.0)


@given(cases(max_bodies=4))
@settings(max_examples=30)
def test_pinocchio_agrees_on_roll_pitch_yaw(case: Case) -> None:
    system, q, v = case.system, case.state.q, case.state.v
    name = system.frames[0].name
    assume_regular(case, name)
    twin = to_pinocchio(system)
    data = twin.model.createData()
    Q, V = twin.coordinates(q), twin.rates(q, v)
    pin.computeJointJacobiansTimeVariation(twin.model, data, Q, V)
    pin.framesForwardKinematics(twin.model, data, Q)
    frame, world = twin.frame_ids[name], pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    P, dP = twin.rate_matrix(q), twin.rate_matrix_derivative(q, v)
    shape = (6, twin.model.nv)
    J = pin.getFrameJacobian(twin.model, data, frame, world).reshape(shape)
    dJ = pin.getFrameJacobianTimeVariation(twin.model, data, frame, world).reshape(shape)
    rpy = pin.rpy.matrixToRpy(data.oMf[frame].rotation)
    E = pin.rpy.computeRpyJacobian(rpy, world)
    turns = np.linalg.solve(E, J[3:] @ P)
    ours = np.asarray(analytic_jacobian(system, q, name), float)
    scale = 1 / np.cos(rpy[1])
    assert_same(ours[3:], turns, "rates of roll, pitch, yaw", 1e-12, scale)
    dE = pin.rpy.computeRpyJacobianTimeDerivative(rpy, ours[3:] @ v, world)
    drift = np.linalg.solve(E, dJ[3:] @ P + J[3:] @ dP - dE @ turns)
    change = analytic_jacobian_time_derivative(system, q, v, name)
    assert_same(change[3:], drift, "dJ/dt of roll, pitch, yaw", 1e-11, scale=scale**3 * 10)


def test_every_scalar_gives_the_same() -> None:
    system = percuss.robot("demo-7").with_mode("fixed")
    q = np.linspace(-0.9, 0.8, 7)
    symbols = sympy.symbols("q1:8")
    for representation in ("rpy", "quaternion"):
        number = np.asarray(analytic_jacobian(system, q, "tool", representation), float)
        found = traced(lambda x, r=representation: analytic_jacobian(system, x, "tool", r), q)
        for tracer, values in found.items():
            assert_same(values, number, f"{representation} by {tracer}")
        batch = analytic_jacobian(system, np.stack([q, q], axis=1), "tool", representation)
        assert_same(batch[..., 1], number, f"{representation} on a batch")
    small = percuss.robot("2r-fixed")
    closed = analytic_jacobian(small, symbols[:2], "tool", "rpy")
    values = dict(zip(symbols, q[:2], strict=False))
    number = analytic_jacobian(small, q[:2], "tool", "rpy")
    assert_same(evaluate(closed, values).reshape(6, 2), number, "rpy in symbols")


def test_angular_velocity_is_no_derivative_of_angles() -> None:
    """The geometric and the analytic Jacobian differ in rotation and agree in position."""
    system = percuss.robot("demo-7").with_mode("fixed")
    q = np.linspace(0.1, 0.7, 7)
    geometric, analytic = jacobian(system, q, "tool"), analytic_jacobian(system, q, "tool")
    assert_same(analytic[:3], geometric[:3], "linear rows")
    assert np.abs(analytic[3:] - geometric[3:]).max() > 0.1


def test_refused() -> None:
    upright = Rotation.from_rpy(0.0, np.pi / 2, 0.0)
    with pytest.raises(ModelError, match=r"pitch is ±90°.*'quaternion'"):
        orientation_rate_matrix(upright, "rpy")
    assert orientation_rate_matrix(upright, "quaternion").shape == (4, 3)
    with pytest.raises(ModelError, match="representation must be one of 'rpy'"):
        analytic_jacobian(percuss.robot("demo-7"), np.zeros(14), "tool", "xyz")
    spatial = percuss.robot("demo-7").with_mode("fixed")
    for call in (
        lambda: analytic_jacobian(spatial, np.zeros(7), "tool", "planar"),
        lambda: analytic_jacobian_time_derivative(
            spatial, np.zeros(7), np.zeros(7), "tool", representation="planar"
        ),
    ):
        with pytest.raises(ModelError, match="not planar"):
            call()
