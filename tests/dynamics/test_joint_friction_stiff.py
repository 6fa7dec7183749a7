"""Arms that float freely with dry friction in their joints, by the stiff method of the kernel."""

# ruff: noqa: ARG001, ARG005 - rates take (t, x, u, p) whether they use them or not

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import percuss
from percuss import kernel
from percuss.dynamics.loads import joint_friction
from percuss.model.parameters import with_parameters


def rubbing(name: str, viscous: float, coulomb: float) -> percuss.System:
    """A robot of the library with the same friction (N m s/rad, N m) in every joint."""
    system = percuss.robot(name)
    values: dict[str, Any] = {}
    for key in percuss.parameters(system):
        if key.endswith(".friction.viscous"):
            values[key] = viscous
        if key.endswith(".friction.coulomb"):
            values[key] = coulomb
    return with_parameters(system, values)


def test_a_planar_arm_comes_to_rest_in_its_joints() -> None:
    """Three joints on an air bearing: as by Radau, momentum and energy accounted for."""
    system = rubbing("air-bearing-3r", viscous=0.05, coulomb=0.2)
    nq, nv = system.coordinate_count, system.rate_count

    def rates(t: Any, x: Any, u: Any, p: Any) -> Any:
        q, v = x[:nq], x[nq:]
        return np.concatenate(
            [percuss.coordinate_rates(system, q, v), percuss.forward_dynamics(system, q, v)]
        )

    def power(t: Any, x: Any, u: Any, p: Any) -> Any:
        return x[nq:] @ joint_friction(system, x[nq:])

    run = kernel.rollout(
        rates,
        state=np.zeros(nq + nv),
        method=kernel.Rosenbrock(1e-10, 1e-12),
        statistics={"work": kernel.Integral(power)},
    )
    start = np.zeros(nq + nv)
    start[3:nq] = 0.4, -0.9, 0.6
    start[nq + 2 :] = 0.3, 0.5, -0.7, 0.9
    result = run(start, duration=10.0)
    assert result.status == kernel.Status.DONE
    assert result.steps < 3000
    assert np.abs(result.state[nq + 3 :]).max() < 1e-3, "the joints stick, and creep"
    assert kernel.stiffness(run, result.state).is_stiff(10.0)

    alone = lambda x: rates(0.0, x, None, None)  # noqa: E731
    compiled, jacobian = kernel.compile(alone, start), kernel.jacobian(alone, start)
    oracle = solve_ivp(
        lambda t, x: compiled(x),
        (0.0, 10.0),
        start,
        method="Radau",
        jac=lambda t, x: jacobian(x)[0],
        rtol=1e-10,
        atol=1e-12,
    )
    np.testing.assert_allclose(result.state, oracle.y[:, -1], atol=1e-8)

    def energy(x: np.ndarray) -> Any:
        return percuss.kinetic_energy(system, x[:nq], x[nq:])

    lost = energy(start) - energy(result.state)
    assert result.statistics["work"] == pytest.approx(-lost, rel=1e-8)
