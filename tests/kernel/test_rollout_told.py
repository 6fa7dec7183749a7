"""What a rollout is told beside the rates, and the command in force at chosen times."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import percuss.kernel as kernel
from percuss.kernel.rollouts.statistics import InForce


@pytest.mark.parametrize("method", [kernel.RK4(0.01), kernel.Adaptive(1e-9), kernel.Dop853(1e-9)])
def test_an_integrand_may_come_with_the_rates(method: Any) -> None:
    """Of the oscillator x'' = -p x: ∫ x² dt over a period is π / ω³ for a speed of 1."""

    def told(t: Any, x: Any, u: Any, p: Any) -> Any:
        del t, u
        return (x[1], -p * x[0]), {"square": x[0] * x[0]}

    run = kernel.rollout(
        told,
        state=(0.0, 0.0),
        parameters=0.0,
        method=method,
        statistics={"square": kernel.Integral()},
        backend="numpy",
    )
    stiffness = np.array([1.0, 4.0])
    found = run((0.0, 1.0), stiffness, duration=2.0 * np.pi / np.sqrt(stiffness))
    np.testing.assert_allclose(
        found.statistics["square"], np.pi / stiffness**1.5, rtol=1e-6, err_msg="∫ x² dt is off"
    )


@pytest.mark.parametrize(
    "method", [kernel.RK4(0.05), kernel.Adaptive(1e-9), kernel.Dop853(1e-9)], ids=lambda m: str(m)
)
def test_the_command_in_force_is_that_of_the_last_sample(method: Any) -> None:
    """A law that counts its samples: at the time of a sample the new one is in force."""
    run = kernel.rollout(
        lambda t, x, u, p: u,  # noqa: ARG005
        state=0.0,
        controller=kernel.Controller(lambda t, x, m, p: (m + 1.0, m + 1.0), 0.0, 0.1),  # noqa: ARG005
        method=method,
        statistics={"command": InForce(lambda t, x, u, p: u)},  # noqa: ARG005
        backend="numpy",
    )
    times = np.array([0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3])
    found = run(np.zeros(2), duration=np.array([0.3, 0.4]), times=times)
    wanted = [1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 4.0]
    np.testing.assert_allclose(
        found.in_force["command"].T, [wanted, wanted], err_msg="not the command that is held"
    )
