"""On the thesis system, the lecture's arm and the 2R arm the formulations agree as polynomials.

All masses, lengths, centres of mass, inertias and gravity are symbols: the equations agree for
every value they can have, not for some.
"""

from __future__ import annotations

from typing import Any

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from percuss.dynamics import coriolis_forces, gravity_forces, mass_matrix
from percuss.dynamics.formulations import (
    equations_from_energies,
    homogeneous_kinetic_energy,
    is_identically_zero,
    lagrange_equations,
    symbolic_system,
)
from percuss.dynamics.formulations.closed_forms import closed_forms
from percuss.dynamics.formulations.homogeneous_equations import (
    homogeneous_bias_forces,
    homogeneous_mass_matrix,
)
from percuss.dynamics.formulations.identities import normal_form
from percuss.dynamics.formulations.lecture import lecture_bias_forces, lecture_mass_matrix
from percuss.dynamics.formulations.symbols import SymbolicSystem
from percuss.dynamics.formulations.trigonometric import TrigRing
from percuss.kinematics import jacobian
from percuss.model import ModelError, free_body, robot
from percuss.model.bodies import box

NAMES = ("thesis", "lecture", "2r-fixed")


def falling(name: str) -> SymbolicSystem:
    """The robot on symbols, with gravity in any direction of the plane."""
    system = robot(name).with_gravity((1.5, -2.5, 0.0))
    return symbolic_system(system, ["tool"])


def state(symbolic: SymbolicSystem) -> tuple[Any, Any]:
    q, v = symbolic.coordinates, symbolic.rates
    return sympy.Matrix([x.symbol for x in q]), sympy.Matrix([x.symbol for x in v])


def assert_equal(ours: Any, theirs: Any, law: str) -> None:
    __tracebackhide__ = True
    for k, (a, b) in enumerate(zip(ours, theirs, strict=True)):
        assert is_identically_zero(a - b), f"{law}: entry {k} differs"


@pytest.mark.parametrize("name", NAMES)
def test_all_formulations_are_the_same_polynomials(name: str) -> None:
    symbolic = falling(name)
    system, (q, v) = symbolic.system, state(symbolic)
    M = mass_matrix(system, q)
    c, g = coriolis_forces(system, q, v), gravity_forces(system, q)

    classic = lagrange_equations(system, list(q), list(v))
    assert_equal(classic.mass_matrix, M, "classic Lagrange, M")
    assert_equal(classic.coriolis_forces, c, "classic Lagrange, C")
    assert_equal(classic.gravity_forces, g, "classic Lagrange, ∂U/∂q")

    assert_equal(homogeneous_mass_matrix(system, q), M, "Tr(L J Lᵀ)")
    assert_equal(homogeneous_bias_forces(system, q, v), c + g, "Φ ⊗ L")
    T = homogeneous_kinetic_energy(system, q, v)
    M_of_T, c_of_T, _ = equations_from_energies(T, 0, list(q), list(v))
    assert_equal(M_of_T, M, "Lagrange on ½ Tr(W J Wᵀ), M")
    assert_equal(c_of_T, c, "Lagrange on ½ Tr(W J Wᵀ), C")

    assert_equal(lecture_mass_matrix(system, q), M, "Σ Jᵀ M J")
    assert_equal(lecture_bias_forces(system, q, v), c + g, "the lecture's h")

    closed = closed_forms(symbolic, ["tool"])
    J = jacobian(system, q, "tool")
    for ours, theirs, law in (
        ([x for row in closed.mass_matrix for x in row], M, "closed form of M"),
        (closed.coriolis_forces, c, "closed form of C"),
        (closed.gravity_forces, g, "closed form of G"),
        ([x for row in closed.jacobians["tool"] for x in row], J, "closed form of J"),
    ):
        assert_equal([x.as_expression() for x in ours], theirs, law)


def test_a_wrong_formula_is_found() -> None:
    """One missing rate in one term: the difference is seen for what it is."""
    symbolic = falling("thesis")
    q, v = state(symbolic)
    c = coriolis_forces(symbolic.system, q, v)
    a2, l1, m2 = sympy.symbols("a2 l1 m2")
    wrong = a2 * l1 * m2 * sympy.sin(q[4]) * v[3] ** 2  # without the base's turning
    assert not is_identically_zero(c[4] - wrong)
    right = a2 * l1 * m2 * sympy.sin(q[4]) * (v[2] + v[3]) ** 2
    assert is_identically_zero(c[4] - right)


def test_lecture_equations_of_motion() -> None:
    """Two equal rods of mass m and length l: the lecture's printed equations."""
    symbolic = symbolic_system(robot("lecture"))
    m, l, g = sympy.symbols("m l g")
    rods: dict[Any, Any] = {}
    for k in "12":
        rods |= dict(
            zip(sympy.symbols(f"m{k} a{k} I{k} l{k}"), (m, l / 2, m * l**2 / 12, l), strict=True)
        )
    q, v = state(symbolic)
    M = mass_matrix(symbolic.system, q).subs(rods)
    c = coriolis_forces(symbolic.system, q, v).subs(rods)
    G = gravity_forces(symbolic.system, q).subs(rods)
    c2, s2 = sympy.cos(q[1]), sympy.sin(q[1])
    c1, c12 = sympy.cos(q[0]), sympy.cos(q[0] + q[1])
    third = sympy.Rational(1, 3)
    printed_M = m * l**2 * sympy.Matrix([[5 * third + c2, third + c2 / 2], [third + c2 / 2, third]])
    printed_h = m * l**2 * s2 / 2 * sympy.Matrix([-(2 * v[0] * v[1] + v[1] ** 2), v[0] ** 2])
    printed_G = m * g * l * sympy.Matrix([3 * c1 / 2 + c12 / 2, c12 / 2])
    assert is_identically_zero(M - printed_M)
    assert is_identically_zero(c - printed_h)
    assert is_identically_zero(G - printed_G)


ANGLES = sympy.symbols("a b")


@given(
    st.lists(st.integers(-3, 3), min_size=2, max_size=2),
    st.lists(st.integers(-3, 3), min_size=2, max_size=2),
)
@settings(max_examples=40, deadline=None)
def test_addition_formulas_hold(n: list[int], m: list[int]) -> None:
    x, y = (sum(k * angle for k, angle in zip(ks, ANGLES, strict=True)) for ks in (n, m))
    sin, cos = sympy.sin, sympy.cos
    assert is_identically_zero(cos(x) * cos(y) - sin(x) * sin(y) - cos(x + y))
    assert is_identically_zero(sin(x) ** 2 + cos(x) ** 2 - 1)
    assert is_identically_zero((sin(x) + cos(y)) ** 3 - (sin(x) + cos(y)) * (sin(x) + cos(y)) ** 2)
    assert is_identically_zero(sin(x) - sin(y)) == (x == y)


def test_halves_constants_quotients_and_tangents() -> None:
    a, b, m = sympy.symbols("a b m")
    sin, cos, half = sympy.sin, sympy.cos, sympy.Rational(1, 2)
    assert is_identically_zero(cos(a) - 1 + 2 * sin(a / 2) ** 2)
    assert is_identically_zero(sin(a + half) - sin(a) * cos(half) - cos(a) * sin(half))
    assert not is_identically_zero(sin(a + half) - sin(a))
    assert is_identically_zero(1 / (1 + sympy.tan(a) ** 2) - cos(a) ** 2)
    assert is_identically_zero(m * sin(a) / m - sin(a))
    assert is_identically_zero(a * sin(b) - sin(b) * a)
    assert not is_identically_zero(a - sin(a))
    assert is_identically_zero(sympy.zeros(2, 2))
    assert is_identically_zero(0)
    assert not is_identically_zero(sympy.Matrix([[0, m], [0, 0]]))


def test_what_cannot_be_decided_is_refused() -> None:
    a = sympy.Symbol("a")
    with pytest.raises(ModelError, match="is rounded"):
        is_identically_zero(0.1 * sympy.sin(a))
    with pytest.raises(ModelError, match="cannot read sqrt"):
        is_identically_zero(sympy.sqrt(a) - 1)
    with pytest.raises(ModelError, match="cannot read exp"):
        is_identically_zero(sympy.exp(a))
    with pytest.raises(ModelError, match="must be a sum of symbols"):
        is_identically_zero(sympy.sin(a**2))
    with pytest.raises(ModelError, match="zero for all values"):
        is_identically_zero(1 / (sympy.sin(a) ** 2 + sympy.cos(a) ** 2 - sympy.cos(a - a)))
    spatial = symbolic_system(free_body(box("body", (1, 1, 1), 1.0)))
    with pytest.raises(ModelError, match="is free; closed forms are for"):
        closed_forms(spatial)


def test_normal_form_is_differentiated_like_the_expression() -> None:
    a, b, m = sympy.symbols("a b m")
    x = m * sympy.sin(a + 2 * b) * sympy.cos(a / 2) + a * b**2 * sympy.cos(b)
    for symbol in (a, b, m):
        ring = TrigRing.of([x, sympy.diff(x, symbol)])
        assert not (ring.convert(x).derivative(symbol) - ring.convert(sympy.diff(x, symbol)))
    assert is_identically_zero(normal_form(x).as_expression() - x)
