"""Loads of a circular orbit against closed forms, many digits, potentials and Pinocchio."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf

from percuss.algebra import Pose, Quaternion, Rotation, Vector3
from percuss.algebra.scalars import pack
from percuss.dynamics import CircularOrbit, forward_dynamics, orbital_loads
from percuss.dynamics.orbit import EARTH_GRAVITATIONAL_PARAMETER, EARTH_RADIUS, FIELDS
from percuss.kernel import fingerprint
from percuss.kernel.tracing.derivatives import jvp
from percuss.kinematics import coordinate_rates, poses
from percuss.model import Body, robot
from percuss.model.errors import ModelError
from tests.strategies import Array, Case, cases
from tests.tracers import traced
from tests.truth.compare import assert_same
from tests.truth.test_pinocchio import Both, pin

LEO: Any = CircularOrbit.at_altitude(500e3)
NEAR: dict[str, Any] = {field: CircularOrbit(20.0, field, 1800.0) for field in FIELDS}
"""Orbits whose loads are as large as everything else: n = 0.47 rad/s, 20 m from the planet."""

numbers = st.floats(-1.0, 1.0)
vectors = st.tuples(numbers, numbers, numbers)


def floats(vector: Any) -> Array:
    return np.array([float(x) for x in vector])


# --- the orbit ----------------------------------------------------------------------------------


def test_low_orbit_has_the_period_that_everybody_knows() -> None:
    assert EARTH_GRAVITATIONAL_PARAMETER == 3.986004418e14
    assert EARTH_RADIUS == 6378137.0
    assert LEO.semi_major_axis == 6878137.0
    assert float(LEO.mean_motion) == pytest.approx(math.sqrt(3.986004418e14 / 6878137.0**3))
    assert float(LEO.period) / 60 == pytest.approx(94.616, abs=1e-3)
    day: Any = CircularOrbit(42_164_170.0)
    assert float(day.period) == pytest.approx(86164.1, abs=0.1), "geostationary: a sidereal day"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"semi_major_axis": -7e6}, "semi_major_axis must be finite and > 0 m, got -7e"),
        ({"semi_major_axis": 0.0}, "semi_major_axis must be finite and > 0 m, got 0"),
        ({"semi_major_axis": math.nan}, "semi_major_axis must be finite"),
        ({"semi_major_axis": math.inf}, "semi_major_axis must be finite"),
        ({"semi_major_axis": "far"}, "semi_major_axis must be a scalar"),
        ({"semi_major_axis": 7e6, "field": "linear"}, "field must be one of clohessy-wiltshire"),
        ({"semi_major_axis": 7e6, "gravitational_parameter": 0.0}, "gravitational_parameter must"),
    ],
)
def test_what_is_no_orbit_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ModelError, match=said):
        CircularOrbit(**given)


@given(vectors, vectors, st.floats(-1e4, 1e4))
def test_local_frame_and_world_are_inverse(place: Any, velocity: Any, t: float) -> None:
    there = LEO.from_local(t, Vector3(*place), Vector3(*velocity))
    back = LEO.to_local(t, *there)
    np.testing.assert_allclose(floats(back[0]), place, atol=1e-15, rtol=0)
    np.testing.assert_allclose(floats(back[1]), velocity, atol=1e-15, rtol=0)


def test_rest_in_the_local_frame_turns_with_it() -> None:
    n = float(LEO.mean_motion)
    position, velocity = LEO.from_local(0.0, Vector3(0.0, 10.0, 3.0), Vector3.zero())
    np.testing.assert_array_equal(floats(position), [0.0, 10.0, 3.0])
    np.testing.assert_allclose(floats(velocity), [-10.0 * n, 0.0, 0.0], rtol=1e-15)


# --- the field ----------------------------------------------------------------------------------


@given(vectors, vectors, st.floats(0.0, 6000.0))
def test_field_is_that_of_clohessy_and_wiltshire(place: Any, velocity: Any, t: float) -> None:
    """ẍ = 3n²x + 2nẏ, ÿ = −2nẋ, z̈ = −n²z, as seen in the local frame."""
    n = float(LEO.mean_motion)
    x, _, z = place
    vx, vy, _ = velocity
    seen = np.array([3 * n**2 * x + 2 * n * vy, -2 * n * vx, -(n**2) * z])
    spin = np.array([0.0, 0.0, n])
    carried = np.cross(spin, np.cross(spin, place)) + 2 * np.cross(spin, velocity)
    c, s = math.cos(n * t), math.sin(n * t)
    wanted = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ (seen + carried)
    position, _ = LEO.from_local(t, Vector3(*place), Vector3(*velocity))
    found = floats(LEO.acceleration(LEO.angle(t), position))
    np.testing.assert_allclose(found, wanted, atol=1e-18, rtol=1e-12)


def two_body(orbit: Any, angle: float, place: Any) -> Array:
    """−μ(R + c)/|R + c|³ + μR/R₀³ with fifty digits."""
    with mp.workdps(50):
        radius, mu = mpf(orbit.semi_major_axis), mpf(orbit.gravitational_parameter)
        outward = (mp.cos(mpf(angle)), mp.sin(mpf(angle)), mpf(0))
        here = [radius * e for e in outward]
        there = [a + mpf(float(b)) for a, b in zip(here, place, strict=True)]
        size = mp.sqrt(sum(a * a for a in there))
        pairs = zip(there, here, strict=True)
        return np.array([float(-mu * a / size**3 + mu * b / radius**3) for a, b in pairs])


@given(vectors, st.floats(-0.5, 6.0), st.floats(0.0, 7.0))
def test_exact_field_keeps_its_digits(place: Any, exponent: float, angle: float) -> None:
    """From metres to a thousand kilometres; a plain difference has ten digits less at a metre."""
    orbit: Any = CircularOrbit.at_altitude(500e3, "two-body")
    there = 10.0**exponent * np.array(place)
    wanted = two_body(orbit, angle, there)
    found = floats(orbit.acceleration(angle, Vector3(*there.tolist())))
    size = float(orbit.mean_motion) ** 2 * np.abs(there).max() + 1e-30
    assert np.abs(found - wanted).max() <= 5e-15 * size


@pytest.mark.parametrize("angle", [0.0, 0.7, 2.9])
def test_linear_field_is_the_limit_of_the_exact_one(angle: float) -> None:
    """What the first order leaves out shrinks with the square of the distance: 100 for 10."""
    exact: Any = CircularOrbit.at_altitude(500e3, "two-body")
    way = np.array([0.6, -0.5, 0.4])
    sizes = 10.0 ** np.arange(2, 6)
    off = []
    for size in sizes:
        place = Vector3(*(size * way).tolist())
        both = [floats(orbit.acceleration(angle, place)) for orbit in (LEO, exact)]
        off.append(np.linalg.norm(both[1] - both[0]))
    ratios = np.divide(off[1:], off[:-1])
    assert (np.abs(ratios / 100.0 - 1.0) < [1e-3, 1e-2, 1e-1]).all(), ratios
    # Second order: 3 n²/(2 R₀) (c·c R̂ + 2 (R̂·c) c − 5 (R̂·c)² R̂), its size at a hundred metres.
    n, outward = float(LEO.mean_motion), np.array([math.cos(angle), math.sin(angle), 0.0])
    c = sizes[0] * way
    along = outward @ c
    second = c @ c * outward + 2 * along * c - 5 * along**2 * outward
    expected = 1.5 * n**2 / LEO.semi_major_axis * np.linalg.norm(second)
    assert off[0] == pytest.approx(expected, rel=1e-4)


def points_of(body: Body) -> tuple[float, Array]:
    """Mass and places (6, 3), in body axes from the centre of mass, of six equal points with the
    inertia of a body: a pair on each principal axis."""
    moments, axes = np.linalg.eigh(np.asarray(body.inertia.array(), float))
    second = 0.5 * moments.sum() - moments  # ∫ x² dm along each axis
    assert second.min() > 0.0
    share = float(body.mass) / 6  # type: ignore[arg-type]
    arms = axes * np.sqrt(second / (2 * share))
    return share, np.concatenate([arms.T, -arms.T])


@pytest.mark.parametrize("field", FIELDS)
@given(vectors, st.tuples(numbers, numbers, numbers), st.floats(0.0, 6.3))
def test_force_and_torque_are_those_on_the_points_of_a_body(
    field: str, place: Any, turn: Any, angle: float
) -> None:
    """Linear: exactly, for a body of any size. Exact field: the torque up to (size/R₀)² of it, and
    the force up to (size/R₀)² of the weight, 3/2 n²/R₀ (2 JR̂ + (tr J − 5 R̂·JR̂) R̂)."""
    body = Body("long", 12.0, (0.0, 0.0, 0.0), {"xx": 3.0, "yy": 7.0, "zz": 6.0, "xy": 0.5})
    radius = 1e5
    orbit = CircularOrbit(radius, field, radius**3)  # n = 1 rad/s
    rotation = Quaternion(1.0, *turn).normalized().to_rotation()
    center = np.array(place) * 3.0
    share, arms = points_of(body)
    axes = np.asarray(rotation.array(), float)
    forces, moments = np.zeros(3), np.zeros(3)
    for arm in arms @ axes.T:
        pull = share * floats(orbit.acceleration(angle, Vector3(*(center + arm).tolist())))
        forces += pull
        moments += np.cross(arm, pull)
    there = Vector3(*center.tolist())
    force = 12.0 * floats(orbit.acceleration(angle, there))
    moment = floats(orbit.torque(angle, there, body, rotation))
    if field == "two-body":
        outward = np.array([math.cos(angle), math.sin(angle), 0.0])
        J = axes @ np.asarray(body.inertia.array(), float) @ axes.T
        more = 2 * J @ outward + (np.trace(J) - 5 * outward @ J @ outward) * outward
        force = force - 1.5 / radius * more
    slack = 1e-13 if field == "clohessy-wiltshire" else 1e-7
    assert np.abs(moment - moments).max() < slack * 20.0
    assert np.abs(force - forces).max() < slack * 100.0


# --- systems ------------------------------------------------------------------------------------


def potential(orbit: Any, system: Any, angle: float, q: Any) -> Any:
    """U of all bodies at a fixed angle: first order, ½ m n² (c² − 3 (R̂·c)²) + ³⁄₂ n² R̂ᵀJR̂."""
    n = float(orbit.mean_motion)
    outward = Vector3(math.cos(angle), math.sin(angle), 0.0)
    total: Any = 0.0
    placed = poses(system, q)
    for body in system.bodies:
        pose = placed[body.name]
        c = pose.act(body.com)
        along: Any = outward.dot(c)
        away: Any = c.dot(c)
        seen = pose.rotation.inverse() @ outward
        spread: Any = seen.dot(body.inertia @ seen)
        total = total + 0.5 * n**2 * body.mass * (away - 3.0 * along * along)
        total = total + 1.5 * n**2 * spread
    return total


@given(cases(max_bodies=5), st.floats(0.0, 6.3))
@settings(max_examples=30)
def test_power_is_the_loss_of_potential(case: Case, angle: float) -> None:
    """Virtual work for joints of all kinds: at a fixed θ, −dU along any velocity."""
    orbit, system, state = NEAR["clohessy-wiltshire"], case.system, case.state
    rates = np.asarray(coordinate_rates(system, state.q, state.v), float)
    _, change = jvp(lambda q: potential(orbit, system, angle, q), (state.q,), (rates,))
    found = orbital_loads(orbit, system, angle, state.q, v=state.v)
    size = 1.0 + abs(float(change))
    assert float(found.power) == pytest.approx(-float(change), abs=1e-11 * size)  # type: ignore[arg-type]


@pytest.mark.parametrize("field", FIELDS)
@given(cases(max_bodies=6))
@settings(max_examples=30)
def test_accelerations_are_pinocchios(field: str, case: Case) -> None:
    """The formulas once more, on the places and inertias of bodies that Pinocchio finds."""
    orbit, state, both, angle = NEAR[field], case.state, Both(case), 0.8
    forces = pin.StdVec_Force()
    forces.extend([pin.Force.Zero() for _ in range(both.model.njoints)])
    outward = 20.0 * np.array([math.cos(angle), math.sin(angle), 0.0])
    mu, squared = 1800.0, 1800.0 / 20.0**3
    for node in case.system.tree:
        body, at = node.body, both.data.oMf[both.twin.frame_ids[node.body.name]]
        c = at.act(floats(body.com))
        J = at.rotation @ np.asarray(body.inertia.array(), float) @ at.rotation.T
        if field == "two-body":
            there = outward + c
            away = np.linalg.norm(there)
            pull = -mu * there / away**3 + mu * outward / 20.0**3
            turn = 3 * mu / away**5 * np.cross(there, J @ there)
        else:
            unit = outward / 20.0
            pull = squared * (3 * unit * (unit @ c) - c)
            turn = 3 * squared * np.cross(unit, J @ unit)
        pull = float(body.mass) * pull  # type: ignore[arg-type]
        joint = both.twin.joint_ids[node.joint.name]
        forces[joint] += both.data.oMi[joint].actInv(pin.Force(pull, turn + np.cross(c, pull)))
    found = pin.aba(both.model, both.data, both.Q, both.V, both.TAU, forces)
    theirs = both.twin.accelerations_back(state.q, state.v, found)
    loads = orbital_loads(orbit, case.system, angle, state.q, v=state.v)
    ours = forward_dynamics(case.system, state.q, state.v, state.tau, wrenches=loads.wrenches)
    assert_same(ours, theirs, f"accelerations in the field {field}", 1e-11)


@pytest.mark.parametrize("field", FIELDS)
def test_total_is_the_sum_of_the_wrenches(field: str) -> None:
    arm = robot("demo-7")
    rng = np.random.default_rng(3)
    q, v = rng.normal(size=arm.coordinate_count), rng.normal(size=arm.rate_count)
    q[3:7] /= np.linalg.norm(q[3:7])
    loads = orbital_loads(NEAR[field], arm, 0.3, q, v=v)
    linear, angular = np.zeros(3), np.zeros(3)
    placed = poses(arm, q)
    for frame, wrench in loads.wrenches:
        at = floats((placed[frame.body] @ frame.placement).position)
        linear += floats(wrench.linear)
        angular += floats(wrench.angular) + np.cross(at, floats(wrench.linear))
    np.testing.assert_allclose(floats(loads.outside.linear), linear, rtol=1e-13)
    np.testing.assert_allclose(floats(loads.outside.angular), angular, rtol=1e-13)
    assert len(loads.wrenches) == len([b for b in arm.bodies if not b.is_massless])


# --- scalars ------------------------------------------------------------------------------------


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("name", ["thesis", "cube"])
def test_every_scalar_gives_the_same(field: str, name: str) -> None:
    """Floats, SymPy symbols, batches of NumPy and tracers: one function."""
    system, orbit = robot(name), NEAR[field]
    rng = np.random.default_rng(5)
    q, v = rng.normal(size=system.coordinate_count), rng.normal(size=system.rate_count)
    if not system.is_planar:
        q[3:7] /= np.linalg.norm(q[3:7])

    def total(angle: Any, q: Any, v: Any) -> list[Any]:
        found = orbital_loads(orbit, system, angle, q, v=v)
        return [found.power, *found.outside.linear, *found.outside.angular]

    wanted = np.array([float(x) for x in total(0.6, q, v)])
    for kind, value in traced(lambda a, b, c: pack(total(a, b, c)), 0.6, q, v).items():
        np.testing.assert_allclose(np.asarray(value), wanted, rtol=1e-13, atol=1e-13, err_msg=kind)
    symbols = sympy.symbols(f"a q:{len(q)} v:{len(v)}")
    values = dict(zip(symbols, [0.6, *q, *v], strict=True))
    written = total(symbols[0], symbols[1 : 1 + len(q)], symbols[1 + len(q) :])
    # Expressions of a point in a plane may be plain numbers.
    found = [float(sympy.sympify(x).evalf(20, subs=values)) for x in written]
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)
    batch = total(np.full(3, 0.6), np.repeat(q[:, None], 3, 1), np.repeat(v[:, None], 3, 1))
    for entry, number in zip(batch, wanted, strict=True):
        np.testing.assert_allclose(np.broadcast_to(entry, 3), number, rtol=1e-13, atol=1e-13)


def test_its_own_numbers_may_be_symbols() -> None:
    radius, mu = sympy.symbols("R mu", positive=True)
    orbit = CircularOrbit(radius, "clohessy-wiltshire", mu)
    assert sympy.simplify(orbit.mean_motion - sympy.sqrt(mu / radius**3)) == 0  # type: ignore[operator]
    assert fingerprint(orbit) is None
    assert fingerprint(LEO) is not None
    assert len({fingerprint(some) for some in (LEO, *NEAR.values())}) == 3


def test_a_round_body_is_not_turned() -> None:
    ball = Body("ball", 3.0, (0.0, 0.0, 0.0), (2.0, 2.0, 2.0))
    turned = Rotation.about(Vector3(0.0, 0.6, 0.8), 0.7)
    for orbit in NEAR.values():
        torque = orbit.torque(0.4, Pose.at((1.0, -2.0, 0.5)).position, ball, turned)
        assert np.abs(floats(torque)).max() < 1e-15
