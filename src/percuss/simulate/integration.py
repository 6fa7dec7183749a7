"""Integration of a single run: high order and adaptive, or fixed steps on request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import percuss.kernel as kernel
from percuss.simulate.equations import Equations
from percuss.simulate.outside import Progress, SimulationError

METHODS = ("dop853", "rk4", "dormand-prince")
MOST_STEPS = 200_000
BETWEEN = 1e-2
"""How much closer the steps are than asked for: states between them are interpolated, with an
error some ten times that of the steps."""


@dataclass(frozen=True)
class Integration:
    """How to integrate: DOP853 to a relative tolerance, RK4 with a fixed step (s), or
    Dormand–Prince 5(4) inside the kernel, which also takes laws that are sampled in time."""

    method: str = "dop853"
    relative_tolerance: float = 1e-10
    step: float | None = None

    @property
    def absolute_tolerance(self) -> float:
        """Of every entry of the state, in its SI unit: two digits below the relative one."""
        return 1e-2 * self.relative_tolerance


@dataclass(frozen=True)
class Motion:
    """States (entries, time), their rates, and commands (chaser rates, time) at times (s)."""

    time: np.ndarray
    states: np.ndarray
    rates: np.ndarray
    commands: np.ndarray
    steps: int


def integrate_motion(
    equations: Equations,
    times: np.ndarray,
    integration: Integration,
    progress: Progress | None = None,
) -> Motion:
    """Integrate from times[0] to times[-1] and return the motion at `times` (s).

    A law with memory must have a period: it is sampled and held, and the integration lands on
    every sample.
    """
    law = equations.law
    if law.period is not None:
        return _sampled(equations, times, integration)
    if law.memory is not None:
        raise SimulationError(
            "a control law with memory needs a period (s) at which it is sampled: "
            "without one its memory would depend on the integration's steps"
        )
    if integration.method == "dop853":
        states, steps = _dop853(equations, times, integration, progress)
    else:
        run = kernel.rollout(
            lambda t, x, u, p: equations.rates(t, x)[0],  # noqa: ARG005
            state=np.zeros(equations.size),
            method=_method(integration),
            quaternions=equations.stage.quaternions,
        )
        result = run(equations.start, times=times)
        states, steps = _trajectory(result, times), int(result.steps)
    rates, commands = equations.compiled(times, states)
    return Motion(times, states, rates, commands, steps)


def _dop853(
    equations: Equations, times: np.ndarray, integration: Integration, progress: Progress | None
) -> tuple[np.ndarray, int]:
    from scipy.integrate import DOP853

    evaluate = equations.compiled.single()
    row = np.empty(equations.size + 1)

    def rates(t: float, x: np.ndarray) -> np.ndarray:
        row[0], row[1:] = t, x
        return evaluate(row)[: equations.size]

    end = float(times[-1])
    solver = DOP853(
        rates,
        float(times[0]),
        equations.start,
        end,
        rtol=max(2.3e-14, BETWEEN * integration.relative_tolerance),
        atol=BETWEEN * integration.absolute_tolerance,
    )
    states = np.empty((equations.size, len(times)))
    states[:, 0] = equations.start
    done, steps = 1, 0
    while solver.status == "running":
        solver.step()
        steps += 1
        if solver.status == "failed" or not np.isfinite(solver.y).all():
            raise _stopped(solver, end, "the step became too small", integration)
        if steps > MOST_STEPS:
            raise _stopped(solver, end, f"{MOST_STEPS} steps were not enough", integration)
        reached = int(np.searchsorted(times, solver.t, "right"))
        if reached > done:
            states[:, done:reached] = solver.dense_output()(times[done:reached])
            done = reached
        if progress is not None:
            progress(float(solver.t) / end)
    states[:, -1] = solver.y
    return states, steps


def _sampled(equations: Equations, times: np.ndarray, integration: Integration) -> Motion:
    """A law sampled at k·period and held: states by the kernel, commands by playing it again."""
    law = equations.law
    period = law.period
    assert period is not None
    samples = np.arange(int(np.floor(times[-1] / period * (1 + 1e-12))) + 1) * period
    grid = np.union1d(samples, times)
    run = kernel.rollout(
        lambda t, x, u, p: equations.driven(x, u),  # noqa: ARG005
        state=np.zeros(equations.size),
        method=_method(integration),
        controller=kernel.Controller(
            lambda t, x, memory, p: equations.command(t, x, memory),  # noqa: ARG005
            law.memory,
            period,
        ),
        quaternions=equations.stage.quaternions,
    )
    result = run(equations.start, times=grid)
    states = _trajectory(result, grid)

    memory: Any = law.memory
    commands = np.empty((equations.stage.plant.own_rates, len(samples)))
    for k, place in enumerate(np.searchsorted(grid, samples)):
        commands[:, k], memory = equations.compiled_law(samples[k], states[:, place], memory)
    held = np.clip(np.searchsorted(samples, times, "right") - 1, 0, None)
    chosen = states[:, np.searchsorted(grid, times)]
    rates = kernel.compile(equations.driven, np.zeros(equations.size), commands[:, 0])(
        chosen, commands[:, held]
    )
    return Motion(times, chosen, rates, commands[:, held], int(result.steps))


def _method(integration: Integration) -> kernel.RK4 | kernel.Adaptive:
    if integration.method == "rk4":
        if integration.step is None:
            raise SimulationError("integration: rk4 needs a step (s)")
        return kernel.RK4(integration.step)
    return kernel.Adaptive(
        integration.relative_tolerance, integration.absolute_tolerance, most_steps=10 * MOST_STEPS
    )


def _trajectory(result: kernel.RolloutResult, times: np.ndarray) -> np.ndarray:
    if int(result.status) != kernel.Status.DONE:
        status = kernel.Status(int(result.status)).name.lower().replace("_", " ")
        raise SimulationError(
            f"the motion stopped at {float(result.time):.6g} s of {times[-1]:.6g} s: {status}. "
            "Stiff gains or a step too large for them are the usual cause."
        )
    return np.asarray(result.trajectory)


def _stopped(solver: Any, end: float, why: str, integration: Integration) -> SimulationError:
    fastest = float(np.nanmax(np.abs(solver.f)))
    return SimulationError(
        f"the motion stopped at {solver.t:.6g} s of {end:.6g} s: {why} at relative tolerance "
        f"{integration.relative_tolerance:g}, with rates of change up to {fastest:.2g}. Two causes "
        "are usual: gains far above what the bodies' inertia asks for (lower them), and a motion "
        "that runs away because some actuators are at their limits while others are not limited "
        "(see control.limits). integration {method: rk4, step: …} goes on regardless."
    )
