"""JAX transformations over functions that return poses, forces and dictionaries of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy

import percuss
from percuss import Force, Frame, ModelError
from tests.tracers import jax, jnp, needs_jax, slopes

THESIS = percuss.robot("thesis")
Q = np.array([0.1, 0.2, 0.3, 0.4, 0.5])
V = np.array([0.5, -0.4, 0.3, -0.2, 0.1])


@needs_jax
def test_poses_momenta_and_reactions_leave_jit_and_vmap() -> None:
    with jax.enable_x64(True):
        pose = jax.jit(lambda q: percuss.frame_pose(THESIS, q, "tool"))(Q)
        expected = percuss.frame_pose(THESIS, Q, "tool")
        np.testing.assert_allclose(pose.matrix(), expected.matrix(), atol=1e-15)
        batch = np.stack([Q, 2 * Q])
        momenta = jax.vmap(lambda q: percuss.momentum(THESIS, q, V))(batch)
        assert isinstance(momenta, Force)
        second = percuss.momentum(THESIS, 2 * Q, V)
        assert float(momenta.angular.z[1]) == pytest.approx(second.angular.z)  # type: ignore[index]
        reactions = jax.jit(lambda q: percuss.joint_reactions(THESIS, q, V, V))(Q)
        assert float(reactions["joint2"].linear.x) == pytest.approx(
            percuss.joint_reactions(THESIS, Q, V, V)["joint2"].linear.x
        )


def test_the_point_of_contact_can_be_differentiated() -> None:
    push = Force.of([0.0, 1.0, 0.0, 0.0, 0.0, 0.0])

    def turn(x: Any) -> Any:
        wrenches = [(Frame.point("link2", (x, 0.0, 0.0)), push)]
        return percuss.forward_dynamics(THESIS, Q, V, None, wrenches=wrenches)[4]

    difference = (turn(1.5 + 1e-6) - turn(1.5 - 1e-6)) / 2e-6
    for way, slope in slopes(turn, 1.5).items():
        assert slope == pytest.approx(difference, rel=1e-6), way


def test_wrenches_may_be_plain_numbers() -> None:
    a = percuss.forward_dynamics(THESIS, Q, V, None, wrenches={"tool": [1.0, 2.0, 0, 0, 0, 3.0]})
    force = Force.of([1.0, 2.0, 0.0, 0.0, 0.0, 3.0])
    np.testing.assert_array_equal(
        a, percuss.forward_dynamics(THESIS, Q, V, None, wrenches={"tool": force})
    )
    with pytest.raises(ValueError, match="wrench at tool must have 6 entries"):
        percuss.forward_dynamics(THESIS, Q, V, None, wrenches={"tool": [1.0, 2.0]})


def test_derivatives_are_finite_at_no_turn_and_at_half_a_turn() -> None:
    cube = percuss.robot("cube")
    start = percuss.neutral(cube)
    for end in (start, np.array([0.0, 0, 0, 0, 1, 0, 0])):
        for way, found in slopes(lambda q: percuss.difference(cube, start, q), end).items():
            assert np.isfinite(found).all(), way


def test_symbols_do_not_mix_with_batches_or_jax_values() -> None:
    loaded = THESIS.with_parameters({"link1.mass": sympy.Symbol("m")})
    values = [np.ones((5, 3))] if jax is None else [np.ones((5, 3)), jnp.asarray(Q)]
    for q in values:
        with pytest.raises(TypeError, match="SymPy expressions cannot be combined"):
            percuss.mass_matrix(loaded, q)


def test_what_is_not_determined_is_said() -> None:
    rod = percuss.free_body(percuss.rod("needle", 1.0, 1.0))
    with pytest.raises(ModelError, match=r"nothing resists one of its rates \(base\.vx.*'needle'"):
        percuss.forward_dynamics(rod, percuss.neutral(rod), np.zeros(6))
    arm = percuss.robot("demo-7")
    with pytest.raises(ValueError, match=r"quaternion .* is zero"):
        percuss.mass_matrix(arm, np.zeros(14))
    with pytest.raises(ValueError, match="reference must be one of 'world-aligned', 'body'"):
        percuss.jacobian(THESIS, Q, "tool", "world")
    with pytest.raises(TypeError, match="q: not a scalar: str"):
        percuss.mass_matrix(THESIS, ["a", 0, 0, 0, 0])
