"""One body on a fixed axis: values of the paper's robot, eq. (7) from first principles."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from percuss import ModelError, robot
from percuss.percussion import AxisBody, ratio_of, reaction_ratio
from percuss.percussion.fixed_axis import (
    displacement,
    impact_coefficient,
    impact_distance,
    reaction,
    reaction_of,
)

Array = NDArray[np.float64]

LINK_1 = AxisBody(30.0, 0.3, 3.33)
LINK_2 = AxisBody(20.0, 0.3, 2.5)

axis_bodies = st.builds(
    AxisBody,
    mass=st.floats(0.1, 100.0),
    com=st.floats(0.05, 2.0),
    inertia=st.floats(0.01, 50.0),
)
angles = st.floats(0.0, math.pi)
places = st.floats(-3.0, 3.0)


@pytest.mark.parametrize(
    ("body", "cop", "about", "distribution", "tip"),
    [
        (LINK_1, 0.67, 6.03, 0.55223881, 1.4925373),
        (LINK_2, 0.71666667, 4.3, 0.58139535, 1.3953488),
    ],
)
def test_table_1_of_the_paper(
    body: AxisBody, cop: float, about: float, distribution: float, tip: float
) -> None:
    assert body.percussion_distance == pytest.approx(cop, abs=5e-9)
    assert body.inertia_about_axis == pytest.approx(about, rel=1e-15)
    assert body.mass_distribution == pytest.approx(distribution, abs=5e-9)
    assert impact_coefficient(body, 1.0) == pytest.approx(tip, abs=5e-8)


def test_links_of_a_robot_are_bodies_on_an_axis() -> None:
    system = robot("percussion")
    assert AxisBody.of(system.node("link2").body) == LINK_2


def test_a_blow_on_the_tip_is_felt_with_395_newtons_per_kilonewton() -> None:
    assert 1000 * float(reaction_ratio(LINK_2, 1.0, math.pi / 2)) == pytest.approx(395.3, abs=0.05)  # type: ignore[arg-type]


@given(axis_bodies, places, angles)
def test_equation_7(body: AxisBody, at: float, angle: float) -> None:
    c = float(impact_coefficient(body, at))  # type: ignore[arg-type]
    squared = 1.0 + (c * c - 2.0 * c) * math.sin(angle) ** 2
    assert float(reaction_ratio(body, at, angle)) ** 2 == pytest.approx(  # type: ignore[arg-type]
        squared, abs=4e-15 * (1 + abs(c)) ** 2
    )


@given(axis_bodies, places)
def test_coefficient_distance_and_displacement_say_the_same(body: AxisBody, at: float) -> None:
    c = impact_coefficient(body, at)
    size = 1.0 + abs(at)
    assert float(impact_distance(body, c)) == pytest.approx(at, abs=1e-14 * size)  # type: ignore[arg-type]
    by_displacement = 1.0 + float(body.mass_distribution) * float(displacement(body, at))  # type: ignore[arg-type]
    assert by_displacement == pytest.approx(float(c), abs=1e-13 * (1 + abs(float(c))))  # type: ignore[arg-type]


@given(axis_bodies, places, angles)
def test_the_reaction_to_any_impulse_at_any_point(body: AxisBody, at: float, angle: float) -> None:
    """Off the line from axis to CoM an impulse acts as where its line of action crosses it."""
    impulse = np.array([-math.cos(angle), -math.sin(angle)])
    expected = reaction_of(impact_coefficient(body, at), angle)
    for slide in (0.0, 0.7, -1.3):
        point = np.array([at, 0.0]) + slide * impulse
        found = reaction(body, point, impulse)
        assert np.allclose(np.array(found, float), np.array(expected, float), atol=1e-11)


def test_a_blow_at_the_centre_of_percussion_is_not_felt() -> None:
    for body in (LINK_1, LINK_2):
        assert float(reaction_ratio(body, body.percussion_distance, math.pi / 2)) < 3e-16  # type: ignore[arg-type]


def test_limits_of_mass_distribution() -> None:
    assert math.isinf(float(AxisBody(1.0, 0.0, 1.0).percussion_distance))  # type: ignore[arg-type]
    assert AxisBody(1.0, 0.0, 1.0).mass_distribution == 1.0
    point_mass = AxisBody(1.0, 2.0, 0.0)
    assert (point_mass.mass_distribution, point_mass.percussion_distance) == (0.0, 2.0)


def pulse_ratio(body: AxisBody, at: float, angle: float, duration: float, rate: float) -> float:
    """∫|reaction| for a finite pulse, from Newton's equations of a free body pinned at a point.

    Coordinates are those of the centre of mass and the angle; the pin is a constraint with
    multipliers; fourth-order Runge-Kutta; the impact point and force are fixed to the body.
    """
    mass, r, central = (float(x) for x in (body.mass, body.com, body.inertia))  # type: ignore[arg-type]
    magnitude = 1.0 / duration

    def change(state: Array) -> tuple[Any, Any]:
        theta, spin = state[2], state[5]
        c, s = math.cos(theta), math.sin(theta)
        turn = np.array([[c, -s], [s, c]])
        force = magnitude * turn @ np.array([-math.cos(angle), -math.sin(angle)])
        arm = turn @ np.array([at - r, 0.0])
        pin = turn @ np.array([-r, 0.0])
        system = np.zeros((5, 5))
        system[:3, :3] = np.diag([mass, mass, central])
        system[3:, :3] = [[1.0, 0.0, -pin[1]], [0.0, 1.0, pin[0]]]
        system[:3, 3:] = -system[3:, :3].T
        torque = arm[0] * force[1] - arm[1] * force[0]
        right = np.array([*force, torque, *(spin**2 * pin)])
        solved = np.linalg.solve(system, right)
        return np.concatenate([state[3:], solved[:3]]), turn.T @ solved[3:]

    state = np.array([r, 0.0, 0.0, 0.0, rate * r, rate])
    step, total = duration / 8, np.zeros(2)
    for _ in range(8):
        (k1, n1), (k2, n2) = change(state), change(state + step / 2 * change(state)[0])
        k3, n3 = change(state + step / 2 * k2)
        k4, n4 = change(state + step * k3)
        state = state + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        total += step / 6 * (n1 + 2 * n2 + 2 * n3 + n4)
    return float(np.linalg.norm(total))


@given(axis_bodies, st.floats(-2.0, 2.0), angles, st.floats(-1.0, 1.0))
@settings(max_examples=15, deadline=None)
def test_short_pulses_tend_to_equation_7(
    body: AxisBody, at: float, angle: float, rate: float
) -> None:
    """The error of a pulse shrinks as fast as its duration, and nothing else remains."""
    exact = float(reaction_ratio(body, at, angle))  # type: ignore[arg-type]
    gain = abs(at) / float(body.inertia_about_axis)  # type: ignore[arg-type]
    swing = float(body.mass) * float(body.com) * (abs(rate) + gain) ** 2  # type: ignore[arg-type]
    for duration in (1e-3, 1e-4, 1e-5):
        error = abs(pulse_ratio(body, at, angle, duration, rate) - exact)
        assert error <= 1.01 * duration * swing + 1e-11 * (1 + exact), (
            f"a pulse of {duration} s is off by {error} at C_ID {impact_coefficient(body, at)}"
        )


def test_batches_and_symbols() -> None:
    import sympy

    at = np.array([0.1, 0.5, 1.0])
    ratios = np.asarray(reaction_ratio(LINK_2, at, math.pi / 2))
    assert ratios == pytest.approx([float(reaction_ratio(LINK_2, x, math.pi / 2)) for x in at])  # type: ignore[arg-type]
    m, r, i, at_symbol = sympy.symbols("m r I l", positive=True)
    body = AxisBody(m, r, i)
    assert sympy.simplify(body.percussion_beyond_com - i / (m * r)) == 0  # type: ignore[operator]
    phi = sympy.Symbol("phi", real=True)
    c = impact_coefficient(body, at_symbol)
    equation_7 = 1 + (c * c - 2 * c) * sympy.sin(phi) ** 2  # type: ignore[operator]
    difference = sympy.simplify(ratio_of(c, phi) ** 2 - equation_7)  # type: ignore[operator]
    assert difference == 0


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ((0.0, 0.3, 1.0), "mass must be finite and > 0 kg, got 0"),
        ((1.0, math.nan, 1.0), "com must be finite m, got nan"),
        ((1.0, 0.3, -1.0), "inertia must be finite and ≥ 0 kg m², got -1"),
        ((1.0, 0.0, 0.0), "nothing resists its rotation"),
        (("a", 0.0, 0.0), "mass must be a scalar, got 'a'"),
    ],
)
def test_bodies_that_cannot_be_are_refused(values: Any, words: str) -> None:
    with pytest.raises(ModelError, match=words):
        AxisBody(*values)
