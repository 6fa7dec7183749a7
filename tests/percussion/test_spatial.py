"""One body in space: exact reactions, where they vanish, and the paper's conditions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from percuss import (
    Body,
    Fixed,
    Force,
    Free,
    ModelError,
    Motion,
    Prismatic,
    Revolute,
    Spherical,
    Symmetric3,
    Vector3,
)
from percuss.percussion import AxisBody, JointedBody, ball_joint_impact, zero_reaction
from percuss.percussion.fixed_axis import reaction
from percuss.percussion.spatial import body_reaction, wrench_reaction
from percuss.percussion.zero_reaction import percussion_direction
from tests.strategies import random_body

Array = NDArray[np.float64]
seeds = st.integers(0, 2**32 - 1)


def array(vector: Any) -> Array:
    return np.array(vector.array(), float)


def six_by_six(jointed: JointedBody) -> Array:
    """[m 1, -m r×; m r×, I_c - m r× r×] about the joint."""
    mass, r = float(jointed.body.mass), array(jointed.com)  # type: ignore[arg-type]
    skew = np.cross(np.eye(3), r)
    central = np.array(jointed.body.inertia.array(), float)
    return np.block([[mass * np.eye(3), -mass * skew], [mass * skew, central - mass * skew @ skew]])


def tilted() -> Body:
    """Its z axis is principal at the joint, but its CoM is 0.1 m out of the plane z = 0."""
    return Body(
        "tilted",
        5.0,
        (0.4, 0.0, 0.1),
        Symmetric3(xx=0.4, yy=0.5, zz=0.45, xy=0.0, xz=5 * 0.4 * 0.1),
    )


def skewed() -> Body:
    """Nothing about it is principal or symmetric."""
    inertia = Symmetric3(xx=1.1, yy=0.9, zz=1.3, xy=0.12, xz=-0.2, yz=0.15)
    return Body("skewed", 8.0, (0.5, 0.1, -0.2), inertia)


@given(seeds)
@settings(max_examples=40, deadline=None)
def test_the_constraint_equations_solved_at_once_give_the_same(seed: int) -> None:
    """[𝓘 -Cᵀ; C 0] [Δv; λ] = [F; 0], with C the motions that the joint forbids."""
    rng = np.random.default_rng(seed)
    body, origin, count = random_body(rng, "body"), rng.normal(size=3), int(rng.integers(0, 7))
    axes = np.linalg.qr(rng.normal(size=(6, 6)))[0]
    free, forbidden = axes[:, :count], axes[:, count:].T
    jointed = JointedBody(body, [Motion.of(column) for column in free.T], origin)
    point, push, moment = rng.normal(size=(3, 3))
    found = body_reaction(jointed, point, push, moment)

    wrench = np.concatenate([push, moment + np.cross(point - origin, push)])
    inertia = six_by_six(jointed)
    size = 6 - count
    matrix = np.block([[inertia, -forbidden.T], [forbidden, np.zeros((size, size))]])
    solved = np.linalg.solve(matrix, np.concatenate([wrench, np.zeros(size)]))
    scale = float(np.linalg.norm(wrench)) * np.linalg.cond(inertia)
    assert np.allclose(array(found.velocity), solved[:6], atol=1e-13 * scale * 10)
    assert np.allclose(array(found.reaction), forbidden.T @ solved[6:], atol=1e-13 * scale * 10)


@given(seeds)
@settings(max_examples=30, deadline=None)
def test_a_flat_body_on_a_normal_axis_is_the_planar_case(seed: int) -> None:
    rng = np.random.default_rng(seed)
    mass, central, r = rng.uniform(0.5, 5.0), rng.uniform(0.1, 2.0), rng.uniform(0.1, 1.0)
    flat = Body.planar("flat", mass, central, (r, 0.0))
    point, push = rng.normal(size=(2, 2))
    found = body_reaction(JointedBody(flat, Revolute()), point, push).reaction
    planar = np.array(reaction(AxisBody(mass, r, central), point, push), float)
    assert np.allclose(array(found), [*planar, 0, 0, 0, 0], atol=1e-13)


def test_free_and_fixed_bodies() -> None:
    push = (0.3, -1.0, 2.0)
    loose = body_reaction(JointedBody(skewed(), Free()), (0.2, 0.1, 0.4), push)
    assert np.allclose(array(loose.reaction), 0.0, atol=1e-15)
    held = body_reaction(JointedBody(skewed(), Fixed()), (0.2, 0.1, 0.4), push)
    assert np.allclose(array(held.reaction), -array(held.impulse), atol=0)
    assert held.ratio == pytest.approx(1.0)


def test_a_slide_feels_what_comes_across_it() -> None:
    found = body_reaction(JointedBody(skewed(), Prismatic((1.0, 0.0, 0.0))), (0, 0, 0), (1, 2, 3))
    assert np.allclose(array(found.reaction.linear), [0.0, -2.0, -3.0])


# --- where the reaction vanishes ----------------------------------------------------------------


@given(seeds)
@settings(max_examples=40, deadline=None)
def test_every_revolute_joint_has_a_plane_without_force(seed: int) -> None:
    """m p·r⊥ = I_aa: normal to r⊥, at I_aa / (m |r⊥|) from the axis; only along a × r."""
    rng = np.random.default_rng(seed)
    body, origin, axis = random_body(rng, "body"), rng.normal(size=3), rng.normal(size=3)
    jointed = JointedBody(body, Revolute(axis), origin)
    direction = percussion_direction(jointed)
    found = zero_reaction(jointed, direction, moment=False)
    assert found.kind == "plane"
    a, r = axis / np.linalg.norm(axis), array(jointed.com)
    across = r - (r @ a) * a
    turning = float(a @ np.array(jointed.inertia.second_moment.array(), float) @ a)
    where = float((found.point - origin) @ across) * float(body.mass)  # type: ignore[arg-type]
    assert where == pytest.approx(turning, rel=1e-9)
    for _ in range(3):
        point = found.point + rng.normal(size=2) @ found.spanned
        force = array(body_reaction(jointed, point, direction).reaction.linear)
        assert np.linalg.norm(force) < 1e-9, f"{force} remains at {point}"
    other = zero_reaction(jointed, direction + 0.1 * a, moment=False)
    assert other.kind == "none"
    assert other.remaining == pytest.approx(0.1 / math.hypot(1, 0.1), rel=1e-6)


@given(seeds)
@settings(max_examples=40, deadline=None)
def test_every_ball_joint_has_a_line_without_reaction_for_each_direction_normal_to_r(
    seed: int,
) -> None:
    """Without any symmetry: for a generic body one line, along each direction normal to r."""
    rng = np.random.default_rng(seed)
    body, origin = random_body(rng, "body"), rng.normal(size=3)
    jointed = JointedBody(body, Spherical(), origin)
    direction = np.cross(array(jointed.com), rng.normal(size=3))
    direction /= np.linalg.norm(direction)
    central = np.array(body.inertia.array(), float)
    r = array(jointed.com)
    coupling = abs(direction @ central @ r) / (np.linalg.norm(central) * np.linalg.norm(r))
    if coupling < 1e-2:
        return
    found = zero_reaction(jointed, direction)
    assert found.kind == "line"
    reach = 1 + float(np.linalg.norm(found.point))
    for slide in (0.0, 2.0, -1.0):
        point = found.point + slide * found.spanned[0]
        felt = array(body_reaction(jointed, point, direction).reaction)
        assert np.linalg.norm(felt) < 1e-9 * reach, f"{felt} remains at {point}"
    assert zero_reaction(jointed, direction + 0.2 * r).kind == "none"


@given(seeds)
@settings(max_examples=25, deadline=None)
def test_where_it_cannot_vanish_the_least_reaction_is_given(seed: int) -> None:
    rng = np.random.default_rng(seed)
    jointed = JointedBody(random_body(rng, "body"), Revolute(rng.normal(size=3)))
    direction = rng.normal(size=3)
    found = zero_reaction(jointed, direction, length=0.5)
    assert found.kind == "none"

    def felt(point: Array) -> float:
        parts = array(body_reaction(jointed, point, found.direction).reaction)
        return float(np.linalg.norm(parts / [1, 1, 1, 0.5, 0.5, 0.5]))

    assert felt(found.point) == pytest.approx(found.remaining, rel=1e-9)
    for _ in range(20):
        near = found.point + 10 ** rng.uniform(-3, 1) * rng.normal(size=3)
        assert felt(near) >= found.remaining * (1 - 1e-9)


def test_a_balanced_body_has_no_percussion_direction() -> None:
    balanced = Body("wheel", 2.0, (0.0, 0.0, 0.3), (0.2, 0.2, 0.3))
    with pytest.raises(ModelError, match="on the axis of its joint"):
        percussion_direction(JointedBody(balanced, Revolute()))
    with pytest.raises(ModelError, match="only a revolute joint"):
        percussion_direction(JointedBody(balanced, Spherical()))


# --- the paper's conditions ---------------------------------------------------------------------


def held(found: Any) -> set[str]:
    return {condition.equation for condition in found.conditions if condition.holds}


def test_when_all_conditions_hold_there_is_no_reaction() -> None:
    body = Body("plate", 20.0, (0.3, 0.0, 0.0), (1.25, 1.25, 2.5))
    found = ball_joint_impact(body, (0.3 + 2.5 / 6, 0.0, 0.0), (0.0, -1.0, 0.0))
    assert found.promised
    assert found.ratio < 1e-15
    assert found.impact_coefficient == pytest.approx(1.0)
    assert found.mass_distribution == pytest.approx(0.58139535, abs=5e-9)
    assert found.displacement == pytest.approx(0.0, abs=1e-14)


def test_no_reaction_although_the_centre_of_mass_is_out_of_the_plane() -> None:
    """(33) and the collinearity of (35) are violated: r_t = 0.1 m."""
    found = ball_joint_impact(tilted(), (0.625, 0.0, 0.0), (0.0, 1.0, 0.0))
    assert np.allclose(found.axis, [0, 0, 1])
    assert held(found) == {"(21)", "(25)-(26)", "(32)", "(34)"}
    assert not found.promised
    assert found.ratio < 1e-15


def test_no_reaction_although_no_axis_is_principal() -> None:
    """Everything is violated but (21), which holds at one point of the line; elsewhere it too."""
    jointed = JointedBody(skewed(), Spherical())
    direction = np.cross(array(jointed.com), [0.3, 0.2, 1.0])
    line = zero_reaction(jointed, direction)
    assert line.kind == "line"
    found = ball_joint_impact(skewed(), line.point, direction)
    assert held(found) == {"(21)"}
    assert min(c.residual for c in found.conditions if not c.holds) > 0.01
    assert found.ratio < 1e-14
    elsewhere = ball_joint_impact(skewed(), line.point + 0.2 * line.direction, direction)
    assert held(elsewhere) == set()
    assert elsewhere.ratio < 1e-14


@given(seeds)
@settings(max_examples=40, deadline=None)
def test_the_conditions_are_sufficient(seed: int) -> None:
    """Whenever they are made to hold on a random body, nothing is felt."""
    rng = np.random.default_rng(seed)
    mass, r = rng.uniform(0.5, 10.0), rng.uniform(0.1, 1.0)
    a, b = rng.uniform(0.2, 2.0, 2)
    moments = (a, b, rng.uniform(abs(a - b), a + b))
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    body = Body("b", mass, turn @ [r, 0, 0], turn @ np.diag(moments) @ turn.T)
    arm = r + moments[2] / (mass * r)
    found = ball_joint_impact(body, turn @ [arm, 0, 0], turn @ [0, 1, 0], tolerance=1e-8)
    assert found.promised
    assert found.ratio < 1e-12


def test_the_planar_formula_in_space_is_right_when_t_is_principal_and_in_plane() -> None:
    body = Body("plate", 20.0, (0.3, 0.0, 0.0), (1.25, 1.25, 2.5))
    for angle in (0.4, 1.0, 1.5):
        push = (-math.cos(angle), -math.sin(angle), 0.0)
        found = ball_joint_impact(body, (0.9, 0.0, 0.0), push)
        assert found.predicted_ratio == pytest.approx(found.ratio, rel=1e-13)
    skew = ball_joint_impact(skewed(), (0.9, 0.0, 0.0), (0.0, 1.0, 0.3))
    assert abs(skew.predicted_ratio - skew.ratio) > 0.3 * skew.ratio, "a third off"


def test_hostile_input() -> None:
    with pytest.raises(ModelError, match="must have a moment about the joint"):
        ball_joint_impact(skewed(), (1.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    with pytest.raises(ModelError, match="at most six Motions"):
        JointedBody(skewed(), [1.0, 2.0])  # type: ignore[list-item]
    with pytest.raises(ModelError, match="origin"):
        JointedBody(skewed(), Spherical(), (1.0,))
    with pytest.raises(ModelError, match="direction must be a finite vector"):
        zero_reaction(JointedBody(skewed(), Spherical()), (0.0, 0.0, 0.0))
    with pytest.raises(ModelError, match="length must be finite and > 0 m"):
        zero_reaction(JointedBody(skewed(), Spherical()), (0.0, 1.0, 0.0), length=0.0)


def test_wrenches_and_symbols() -> None:
    import sympy

    m, r, i, l = sympy.symbols("m r I l", positive=True)
    body = Body("link", m, Vector3(r, 0.0, 0.0), Symmetric3(i, i, i))
    jointed = JointedBody(body, Revolute())
    found = body_reaction(jointed, (l, 0.0, 0.0), (0.0, -1.0, 0.0)).reaction
    coefficient = l * r * m / (i + m * r**2)
    assert sympy.simplify(found.linear.y - (1 - coefficient)) == 0  # type: ignore[operator]
    turned = wrench_reaction(jointed, Force.of([0, 0, 0, 0, 0, 1]))
    assert sympy.simplify(turned.reaction.linear.y - m * r / (i + m * r**2)) == 0  # type: ignore[operator]
