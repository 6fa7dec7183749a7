"""Integration of a single run: high order and adaptive, or fixed steps on request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import percuss.kernel as kernel
from percuss.simulate.equations import Equations
from percuss.simulate.failure import Progress, SimulationError

MOST_STEPS = 200_000
FINE = 4000
"""Intervals at least at whose ends an integration inside the kernel is looked at."""
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
    """States (entries, time), their rates, and commands (chaser rates, time) at times (s).

    `recorded` are the indices of the times that were asked for. The others lie between them,
    where the integrator was: peaks and balances are taken at all.
    """

    time: np.ndarray
    states: np.ndarray
    rates: np.ndarray
    commands: np.ndarray
    recorded: np.ndarray
    steps: int


def integrate_motion(
    equations: Equations,
    times: np.ndarray,
    integration: Integration,
    progress: Progress | None = None,
) -> Motion:
    """Integrate from times[0] to times[-1] (s); the motion holds at least these times.

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
    _refuse_not_finite(equations)
    if integration.method == "dop853":
        every, states, steps = _dop853(equations, times, integration, progress)
    else:
        every, states, steps = _in_kernel(equations, times, integration)
    rates, commands = equations.compiled(every, states)
    return Motion(every, states, rates, commands, np.searchsorted(every, times), steps)


def _in_kernel(
    equations: Equations, times: np.ndarray, integration: Integration
) -> tuple[np.ndarray, np.ndarray, int]:
    """Integrated inside the kernel: at the ends of fixed steps, or on a fine grid."""
    end = float(times[-1])
    run = kernel.rollout(
        lambda t, x, u, p: equations.rates(t, x)[0],  # noqa: ARG005
        state=np.zeros(equations.size),
        method=_method(integration),
        quaternions=equations.stage.quaternions,
    )
    grid = np.linspace(0.0, end, FINE + 1)
    step = integration.step if integration.method == "rk4" else None
    fixed = step is not None and end / step <= MOST_STEPS
    if step is not None and fixed:
        grid = np.append(np.arange(int(end / step * (1 - 1e-12)) + 1) * step, end)
    every = _merged(times, grid, 1e-9 * end)
    result = run(equations.start, times=grid if fixed else every)
    steps = int(result.steps)
    if not fixed:
        return every, _trajectory(result, every), steps
    # Steps are not cut short for the times asked for: between them the cubic is as good.
    states = _trajectory(result, grid)
    return every, _hermite(every, grid, states, equations.compiled(grid, states)[0]), steps


def _hermite(
    wanted: np.ndarray, times: np.ndarray, states: np.ndarray, rates: np.ndarray
) -> np.ndarray:
    """States (entries, wanted) on the cubics through states and rates (entries, times)."""
    k = np.clip(np.searchsorted(times, wanted, "right") - 1, 0, len(times) - 2)
    h = times[k + 1] - times[k]
    s = (wanted - times[k]) / h
    change, before, after = states[:, k + 1] - states[:, k], h * rates[:, k], h * rates[:, k + 1]
    bend = 3.0 * change - 2.0 * before - after
    return states[:, k] + s * (before + s * (bend + s * (before + after - 2.0 * change)))


def _merged(times: np.ndarray, others: np.ndarray, apart: float) -> np.ndarray:
    """Both, in order; those of the others that are next to one of the times are left out."""
    place = np.clip(np.searchsorted(times, others), 1, len(times) - 1)
    gap = np.minimum(np.abs(others - times[place - 1]), np.abs(others - times[place]))
    return np.union1d(times, others[gap > apart])


def _dop853(
    equations: Equations, times: np.ndarray, integration: Integration, progress: Progress | None
) -> tuple[np.ndarray, np.ndarray, int]:
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
    taken, states = [times[:1]], [equations.start[:, None]]
    steps = 0
    while solver.status == "running":
        before = float(solver.t)
        solver.step()
        steps += 1
        if solver.status == "failed" or not np.isfinite(solver.y).all():
            raise _stopped(solver, end, "the step became too small", integration)
        if steps > MOST_STEPS:
            raise _stopped(solver, end, f"{MOST_STEPS} steps were not enough", integration)
        wanted = _within_step(times, before, float(solver.t), steps)
        taken.append(wanted)
        states.append(solver.dense_output()(wanted))
        if progress is not None:
            progress(float(solver.t) / end)
    states[-1][:, -1] = solver.y
    return np.concatenate(taken), np.concatenate(states, axis=1), steps


def _within_step(times: np.ndarray, begin: float, end: float, steps: int) -> np.ndarray:
    """Times after the beginning of a step at which to look at it, those asked for included.

    Fewer a step when there are very many steps: they are short then.
    """
    count = 16 if steps <= 1_000 else 4 if steps <= 20_000 else 1
    asked = times[np.searchsorted(times, begin, "right") : np.searchsorted(times, end, "right")]
    inner = begin + (end - begin) * np.arange(1, count + 1) / count
    inner[-1] = end
    return inner if not len(asked) else _merged(asked, inner, (end - begin) / (8 * count))


def _refuse_not_finite(equations: Equations) -> None:
    """Rates that are no numbers at the start would never let a first step be chosen."""
    rates, command = equations.compiled(0.0, equations.start)
    if not np.isfinite(command).all():
        raise SimulationError(
            f"the control law commands {command.tolist()} at the start: not all of them finite"
        )
    if not np.isfinite(rates).all():
        raise SimulationError("the equations of motion are not finite at the start of the motion")


def _sampled(equations: Equations, times: np.ndarray, integration: Integration) -> Motion:
    """A law sampled at k·period and held: states by the kernel, commands by playing it again."""
    law = equations.law
    period = law.period
    assert period is not None
    samples = np.arange(int(np.floor(times[-1] / period * (1 + 1e-12))) + 1) * period
    every = _merged(times, samples, 1e-9 * period)
    # A sample next to a time asked for is that time.
    places = np.clip(np.searchsorted(every, samples - 1e-6 * period), 0, len(every) - 1)
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
    result = run(equations.start, times=every)
    states = _trajectory(result, every)

    memory: Any = law.memory
    commands = np.empty((equations.stage.plant.own_rates, len(samples)))
    for k, place in enumerate(places):
        commands[:, k], memory = equations.compiled_law(samples[k], states[:, place], memory)
    held = commands[
        :, np.clip(np.searchsorted(places, np.arange(len(every)), "right") - 1, 0, None)
    ]
    driven = kernel.compile(equations.driven, np.zeros(equations.size), commands[:, 0])
    rates = driven(states, held)
    recorded = np.searchsorted(every, times)
    return Motion(every, states, rates, held, recorded, int(result.steps))


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
