"""The impacts of the thesis's two simulations, to the digits printed and beyond."""

from __future__ import annotations

import math

import numpy as np
import pytest

from percuss import kernel
from percuss.dynamics import forward_dynamics, kinetic_energy, mass_matrix, momentum
from percuss.impact import assess, bounce, pin, weld
from percuss.impact.contact import mobility
from percuss.impact.outcome import Impact
from percuss.kinematics import (
    coordinate_rates,
    jacobian,
    join_configuration,
    join_velocity,
    planar_angle,
    split_configuration,
    split_velocity,
)
from percuss.model import Attachment
from percuss.sources.published import published
from percuss.sources.published.plant import PublishedPlant
from tests.impact.captures import POSE, six, thesis, three

CLOSURES = {"published": published, "pin": pin, "weld": weld}

# closure: chaser rates, target rates, impulse, energy, linear momentum x, angular momentum
FIRST = {
    "published": (
        (-0.0035555556, 0, 0, -0.112, 0.47822222),
        (-0.43911111, 0, -0.43911111),
        (-2.56, 0),
        3.2933333,
        -9.1466667,
        67.32,
    ),
    "pin": (
        (-0.0025575448, 0, 0, -0.08056266, 0.34398977),
        (-0.87723785, 0, 0.2455243),
        (-1.8414322, 0),
        6.5792839,
        -15,
        120,
    ),
    "weld": (
        (-0.002441009, 0, 0, -0.076891782, 0.33401139),
        (-0.87713588, 0, 0.25711961),
        (-1.8429618, 0),
        6.5785191,
        -15,
        120,
    ),
}


def outcome(closure: str, simulation: int) -> Impact:
    contact = thesis(simulation)
    return assess(contact, CLOSURES[closure](contact), closure)


@pytest.mark.parametrize("closure", FIRST)
def test_simulation_1(closure: str) -> None:
    rates, target, impulse, energy, linear, angular = FIRST[closure]
    found = outcome(closure, 1)
    np.testing.assert_allclose(found.chaser_rates, rates, rtol=5e-8, atol=1e-14)
    np.testing.assert_allclose(found.target_rates, target, rtol=5e-8, atol=1e-14)
    np.testing.assert_allclose(found.impulse, (*impulse, 0), rtol=5e-8, atol=1e-14)
    np.testing.assert_allclose([found.energy_before, found.energy_after], [7.5, energy], rtol=5e-8)
    np.testing.assert_allclose(found.linear_momentum_before, [-15, 0, 0], atol=1e-13)
    np.testing.assert_allclose(found.linear_momentum_after, [linear, 0, 0], rtol=1e-8, atol=1e-13)
    np.testing.assert_allclose(found.angular_momentum_before, [0, 0, 120], atol=1e-12)
    np.testing.assert_allclose(found.angular_momentum_after, [0, 0, angular], rtol=1e-12)
    moment = -0.085435313 if closure == "weld" else 0.0
    np.testing.assert_allclose(found.moment, [0, 0, moment], rtol=1e-7, atol=0)


@pytest.mark.parametrize("closure", FIRST)
def test_simulation_2_where_all_closures_coincide(closure: str) -> None:
    found = outcome(closure, 2)
    np.testing.assert_allclose(found.chaser_rates, [0, -1 / 9, 0, 0, 0], atol=1e-15)
    np.testing.assert_allclose(found.target_rates, [0, -1 / 9, 0], atol=1e-15)
    np.testing.assert_allclose(found.impulse, [0, -40 / 3, 0], atol=1e-14)
    assert math.isclose(found.energy_after, 5 / 6, rel_tol=1e-14)


@pytest.mark.parametrize(
    ("e", "size", "base", "target"),
    [
        (0.0, 13.333333, -0.11111111, -0.11111111),
        (0.5, 20.0, -0.16666667, 0.33333333),
        (1.0, 26.666667, -0.22222222, 0.77777778),
    ],
)
@pytest.mark.parametrize("friction", [0.0, 0.4])
def test_bounces_of_simulation_2(
    e: float, size: float, base: float, target: float, friction: float
) -> None:
    """Head-on: friction has nothing to rub."""
    contact = thesis(2)
    found = assess(contact, bounce(contact, e, friction), "bounce")
    assert found.effective_mass is not None
    assert found.normal is not None
    assert math.isclose(found.effective_mass, 40 / 3, rel_tol=1e-15)
    np.testing.assert_allclose(found.normal, [0, 1, 0], atol=1e-15)
    np.testing.assert_allclose(found.impulse, [0, -size, 0], rtol=3e-8, atol=1e-13)
    np.testing.assert_allclose(found.impulse, [0, -(1 + e) * 40 / 3, 0], atol=1e-13)
    np.testing.assert_allclose(found.chaser_rates, [0, base, 0, 0, 0], rtol=4e-8, atol=1e-14)
    np.testing.assert_allclose(found.target_rates, [0, target, 0], rtol=4e-8, atol=1e-14)
    lost = 0.5 * (1 - e**2) * 40 / 3
    assert math.isclose(found.energy_before - found.energy_after, lost, abs_tol=1e-13)


@pytest.mark.parametrize("friction", [0.0, 0.5])
def test_simulation_1_is_tangential_so_a_bounce_gives_no_impulse(friction: float) -> None:
    contact = thesis(1)
    found = assess(contact, bounce(contact, 0.5, friction), "bounce")
    np.testing.assert_allclose(found.impulse, 0, atol=1e-14)
    assert found.energy_after == found.energy_before == 7.5
    assert any("no impulse" in warning for warning in found.warnings)


def test_the_matrices_of_the_pin() -> None:
    """(4.10) with Λ = (J_O M_O⁻¹ J_Oᵀ)⁻¹ instead of the pseudo-inverse."""
    contact = thesis(1, rates=(0.1, -0.2, 0.3, -0.4, 0.5))
    p, psi = np.array(contact.chaser_rates), np.array(contact.target_rates)
    M = mass_matrix(contact.chaser, contact.chaser_coordinates)
    M_O = mass_matrix(contact.target, contact.target_coordinates)
    J = jacobian(contact.chaser, contact.chaser_coordinates, "tool")[:2]
    J_O = jacobian(contact.target, contact.target_coordinates, "grip")[:2]
    inertia = np.linalg.inv(J_O @ np.linalg.solve(M_O, J_O.T))
    after = np.linalg.solve(M + J.T @ inertia @ J, M @ p + J.T @ inertia @ J_O @ psi)
    impulse = -inertia @ (J @ after - J_O @ psi)
    jump = pin(contact)
    np.testing.assert_allclose(jump.chaser_rates, after, atol=1e-13)
    np.testing.assert_allclose(three(jump.impulse)[:2], impulse, rtol=1e-12)
    W = np.array(mobility(contact.chaser, contact.chaser_coordinates, contact.tool).array())
    np.testing.assert_allclose(W[:2, :2], J @ np.linalg.solve(M, J.T), atol=1e-14)
    assert not W[2].any()
    assert not W[:, 2].any()


# --- free motion after --------------------------------------------------------------------------

AT_10_S = {
    "published": (1.0201251, 2.5912765, math.pi / 2, 1.264582, 0.63069392),
    "pin": (0.86385934, 2.8880422, math.pi / 2, 1.5838892, -0.33408078),
    "weld": (0.87111412, 2.8936798, math.pi / 2, 1.6367699, -0.31258264),
}


def integrated(accelerations: kernel.Kernel, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    from scipy.integrate import solve_ivp

    size = len(q)

    def rates(_: float, y: np.ndarray) -> np.ndarray:
        return np.concatenate([y[size:], accelerations(y[:size], y[size:])])

    start = np.concatenate([q, v])
    return solve_ivp(rates, (0, 10), start, method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]


@pytest.mark.parametrize("closure", ["pin", "weld"])
def test_free_motion_after_pin_and_weld(closure: str) -> None:
    contact = thesis(1)
    jump = CLOSURES[closure](contact)
    attachment: Attachment = contact.attached({"pin": "pin", "weld": "fixed"}[closure])
    joined = attachment.joined
    q = join_configuration(attachment, contact.chaser_coordinates, contact.target_coordinates)
    v = join_velocity(attachment, q, jump.chaser_rates, jump.target_rates)
    size = joined.rate_count
    compiled = kernel.compile(
        lambda q, v: forward_dynamics(joined, q, v), np.zeros(size), np.zeros(size)
    )
    end = integrated(compiled, q, v)
    q_end, v_end = end[:size], end[size:]
    np.testing.assert_allclose(q_end[:5], AT_10_S[closure], rtol=1e-7)
    if closure == "pin":
        _, q_target = split_configuration(attachment, q_end)
        # The grasp starts at an angle in (-π, π], so that full turns may be left out.
        assert abs(math.remainder(q_target[2] - 5.9866119, 2 * math.pi)) < 1e-7
    np.testing.assert_allclose(
        six(momentum(joined, q_end, v_end)), [-15, 0, 0, 0, 0, 120], atol=1e-9
    )
    energy = float(kinetic_energy(joined, q_end, v_end))  # type: ignore[arg-type]
    assert math.isclose(energy, FIRST[closure][3], rel_tol=5e-8)
    chaser_rates, _ = split_velocity(attachment, q_end, v_end)
    np.testing.assert_allclose(coordinate_rates(contact.chaser, q_end[:5], chaser_rates), v_end[:5])


def test_free_motion_after_the_published_closure() -> None:
    """Its energy is conserved, which hides that its momentum drifts."""
    contact = thesis(1)
    plant = PublishedPlant(contact)
    zero = np.zeros(5)
    compiled = kernel.compile(lambda q, v: plant.accelerations(q, v, zero), zero, zero)
    jump = published(contact)
    end = integrated(compiled, np.array(POSE), jump.chaser_rates)
    q, v = end[:5], end[5:]
    np.testing.assert_allclose(q, AT_10_S["published"], rtol=1e-7)
    center, velocity = plant.target_state(q, v)
    drifted = six(momentum(contact.chaser, q, v))
    vx, vy, spin = velocity
    found = (
        drifted[0] + 15 * vx,
        drifted[1] + 15 * vy,
        drifted[5] + 7.5 * spin + 15 * (center[0] * vy - center[1] * vx),
    )
    np.testing.assert_allclose(found, (-9.3115509, -1.271459, 60.056816), rtol=1e-7)
    turned = planar_angle(contact.chaser, q, "tool") - math.pi / 2  # type: ignore[operator]
    assert math.isclose(center[2], 4.212388980384690 + turned, rel_tol=1e-14), "(4.21)"

    def energy(q: np.ndarray, v: np.ndarray) -> float:
        chaser = float(kinetic_energy(contact.chaser, q, v))  # type: ignore[arg-type]
        vx, vy, spin = plant.target_state(q, v)[1]
        return chaser + 0.5 * (15 * (vx**2 + vy**2) + 7.5 * spin**2)

    start = energy(np.array(POSE), jump.chaser_rates)
    assert math.isclose(energy(q, v), start, rel_tol=1e-11), "½ ṗᵀ M′ ṗ is conserved"
    assert math.isclose(start, FIRST["published"][3], rel_tol=5e-8)
