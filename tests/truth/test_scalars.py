"""The same functions on floats, SymPy symbols, JAX values and NumPy batches: the same numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy

from percuss.algebra import Pose
from percuss.dynamics import (
    bias_forces,
    center_of_mass,
    forward_dynamics,
    gravity_forces,
    inverse_dynamics,
    joint_friction,
    joint_reactions,
    kinetic_energy,
    mass_matrix,
    momentum,
    momentum_matrix,
    potential_energy,
)
from percuss.kernel.tracing.derivatives import jvp
from percuss.kinematics import (
    coordinate_rates,
    difference,
    frame_acceleration,
    frame_pose,
    frame_velocity,
    integrate,
    jacobian,
    jacobian_time_derivative,
)
from percuss.model import WORLD, Frame, Friction, Joint, System
from tests.strategies import (
    Array,
    State,
    random_body,
    random_motion,
    random_pose,
    random_state,
)
from tests.tracers import jax, jnp, needs_jax, slopes
from tests.truth.compare import assert_same, derivative
from tests.truth.symbols import evaluate

TOLERANCE = 1e-13


def chain(*kinds: str) -> System:
    """A chain of joints of these kinds, with friction where a joint can have it."""
    rng = np.random.default_rng(3)
    count = range(len(kinds))
    bodies = tuple(random_body(rng, f"b{i}") for i in count)
    rubs = ("revolute", "prismatic", "spherical")
    joints = tuple(
        Joint(
            name=f"j{i}",
            motion=random_motion(rng, kinds[i]),
            parent=f"b{i - 1}" if i else WORLD,
            child=f"b{i}",
            placement=random_pose(rng) if i else Pose.identity(),
            friction=Friction(0.3, 0.2, 0.1) if kinds[i] in rubs else Friction(),
        )
        for i in count
    )
    frames = (Frame("tool", f"b{len(kinds) - 1}", random_pose(rng)),)
    return System(" ".join(kinds), bodies, joints, frames, gravity=(0.3, -0.2, -9.81))  # type: ignore[arg-type]


SYSTEMS = {
    system.name: system
    for system in (
        chain("planar", "revolute", "prismatic"),
        chain("free", "revolute"),
        chain("revolute", "spherical"),
    )
}

Function = Callable[[System, Any, Any, Any], Any]

FUNCTIONS: dict[str, Function] = {
    "forward_dynamics": lambda s, q, v, x: forward_dynamics(s, q, v, x),
    "inverse_dynamics": lambda s, q, v, x: inverse_dynamics(s, q, v, x),
    "bias_forces": lambda s, q, v, _: bias_forces(s, q, v),
    "gravity_forces": lambda s, q, _, __: gravity_forces(s, q),
    "joint_friction": lambda s, _, v, __: joint_friction(s, v),
    "joint_reactions": lambda s, q, v, x: joint_reactions(s, q, v, x)["j1"].array(),
    "mass_matrix": lambda s, q, _, __: mass_matrix(s, q),
    "momentum_matrix": lambda s, q, _, __: momentum_matrix(s, q, "com"),
    "momentum": lambda s, q, v, _: momentum(s, q, v, "com").array(),
    "kinetic_energy": lambda s, q, v, _: kinetic_energy(s, q, v),
    "potential_energy": lambda s, q, _, __: potential_energy(s, q),
    "center_of_mass": lambda s, q, _, __: center_of_mass(s, q).array(),
    "frame_pose": lambda s, q, _, __: frame_pose(s, q, "tool").matrix(),
    "frame_velocity": lambda s, q, v, _: frame_velocity(s, q, v, "tool").array(),
    "frame_acceleration": lambda s, q, v, x: frame_acceleration(s, q, v, x, frame="tool").array(),
    "jacobian": lambda s, q, _, __: jacobian(s, q, "tool", "body"),
    "jacobian_time_derivative": lambda s, q, v, _: jacobian_time_derivative(s, q, v, "tool"),
    "coordinate_rates": lambda s, q, v, _: coordinate_rates(s, q, v),
    "integrate": lambda s, q, v, _: integrate(s, q, v, 0.3),
    "difference": lambda s, q, v, _: difference(s, q, integrate(s, q, v, 0.3)),
}

each_system = pytest.mark.parametrize("name", SYSTEMS)
each_function = pytest.mark.parametrize("function", FUNCTIONS)


def state_of(system: System, seed: int = 0) -> State:
    return random_state(np.random.default_rng(seed), system)


def on_floats(function: str, system: System, state: State) -> Array:
    """On tuples of Python floats."""
    q, v, tau = (tuple(map(float, x)) for x in (state.q, state.v, state.tau))
    return np.asarray(FUNCTIONS[function](system, q, v, tau), float)


@each_function
@each_system
def test_symbols(name: str, function: str) -> None:
    system, state = SYSTEMS[name], state_of(SYSTEMS[name])
    q = sympy.symbols(f"q:{system.coordinate_count}", real=True)
    v = sympy.symbols(f"v:{system.rate_count}", real=True)
    x = sympy.symbols(f"x:{system.rate_count}", real=True)
    expressions = FUNCTIONS[function](system, q, v, x)
    numbers = np.concatenate([state.q, state.v, state.tau])
    values = dict(zip((*q, *v, *x), map(float, numbers), strict=True))
    ours = evaluate(expressions, values)
    expected = on_floats(function, system, state).ravel()
    assert_same(ours, expected, f"{function} on symbols", TOLERANCE)


@needs_jax
@each_system
def test_jax(name: str) -> None:
    system, state = SYSTEMS[name], state_of(SYSTEMS[name])
    with jax.enable_x64(True):
        q, v, x = (jnp.asarray(values) for values in (state.q, state.v, state.tau))
        for function, call in FUNCTIONS.items():
            result = call(system, q, v, x)
            assert isinstance(result, jax.Array), f"{function} on JAX values gives {type(result)}"
            expected = on_floats(function, system, state)
            assert_same(result, expected, f"{function} on JAX values", TOLERANCE)


@needs_jax
@each_system
def test_jax_keeps_single_precision(name: str) -> None:
    """With 64 bits off, JAX values stay 32 bits wide through the whole computation."""
    system, state = SYSTEMS[name], state_of(SYSTEMS[name])
    with jax.enable_x64(False):
        q, v, x = (jnp.asarray(values, "float32") for values in (state.q, state.v, state.tau))
        result = forward_dynamics(system, q, v, x)
        assert result.dtype == jnp.float32
        expected = on_floats("forward_dynamics", system, state)
        assert_same(result, expected, "forward dynamics in single precision", 1e-3)


@each_function
@each_system
def test_batches(name: str, function: str) -> None:
    """A batch is the last axis: q of shape (nq, batch)."""
    system = SYSTEMS[name]
    states = [state_of(system, seed) for seed in range(5)]
    q, v, x = (
        np.stack([getattr(state, key) for state in states], axis=-1) for key in ("q", "v", "tau")
    )
    result = np.asarray(FUNCTIONS[function](system, q, v, x))
    expected = np.stack([on_floats(function, system, state) for state in states], axis=-1)
    assert_same(result, expected, f"{function} on a batch", TOLERANCE)


# --- derivatives ----------------------------------------------------------------------------------


@each_system
def test_derivative_of_forward_dynamics(name: str) -> None:
    """The derivative along a motion is what central differences give."""
    system, state = SYSTEMS[name], state_of(SYSTEMS[name])
    dq = np.asarray(coordinate_rates(system, state.q, state.v))

    def along(t: float) -> Any:
        q, v = state.q + t * dq, state.v + t * state.a
        return forward_dynamics(system, q, v, state.tau + t * state.a)

    expected = derivative(along, step=1e-3)
    point, tangent = (state.q, state.v, state.tau), (dq, state.a, state.a)

    def accelerations(q: Any, v: Any, x: Any) -> Any:
        return forward_dynamics(system, q, v, x)

    found = [jvp(accelerations, point, tangent)]
    if jax is not None:
        with jax.enable_x64(True):
            found.append(jax.jvp(accelerations, point, tangent))
    for value, slope in found:
        assert_same(value, along(0.0), "value of forward dynamics", TOLERANCE)
        assert_same(slope, expected, "derivative of forward dynamics", 1e-9)


@each_system
def test_derivatives_at_zero_rotation_are_finite(name: str) -> None:
    """integrate and difference are smooth at rest, where |ω| has no derivative."""
    system, state = SYSTEMS[name], state_of(SYSTEMS[name])
    units = np.eye(system.rate_count)
    q, rest = state.q, np.zeros(system.rate_count)
    expected = np.stack([coordinate_rates(system, q, unit) for unit in units], axis=-1)
    for way, found in slopes(lambda v: integrate(system, q, v), rest).items():
        assert_same(found, expected, f"d integrate / dv at rest, {way}", TOLERANCE)
    for way, found in slopes(
        lambda v: difference(system, q, integrate(system, q, v)), rest
    ).items():
        assert_same(found, units, f"difference undoes integrate to first order, {way}", TOLERANCE)
    ways = slopes(lambda end: difference(system, q, end), q)
    for way, found in ways.items():
        assert np.all(np.isfinite(found)), f"d difference / d end at no difference, {way}: {found}"
        assert_same(found, ways["forward"], f"{way} gives the same slopes", TOLERANCE)


def test_second_derivative_of_integrate_at_rest() -> None:
    system = chain("spherical")
    q = np.array([1.0, 0.0, 0.0, 0.0])

    def first(v: Any, direction: np.ndarray) -> Any:
        return jvp(lambda v: integrate(system, q, v), (v,), (direction,))[1]

    columns = [slopes(lambda v, unit=unit: first(v, unit), np.zeros(3)) for unit in np.eye(3)]
    for way in columns[0]:
        second = np.stack([column[way] for column in columns], axis=-1)
        # cos(|v|/2) = 1 - |v|²/8 + …
        assert_same(second[0], -np.eye(3) / 4, f"d² cos(|v|/2) / dv², {way}", TOLERANCE)
        assert_same(second[1:], np.zeros((3, 3, 3)), f"the vector part is odd, {way}", TOLERANCE)
