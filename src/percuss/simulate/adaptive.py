"""DOP853 over compiled equations, which ends at the sign change of what is watched."""

from __future__ import annotations

from typing import Any

import numpy as np

from percuss.simulate.equations import Equations
from percuss.simulate.failure import Progress, SimulationError
from percuss.simulate.method import MOST_STEPS, Integration, merged
from percuss.simulate.watching import Watch

BETWEEN = 1e-2
"""How much closer the steps are than asked for: states between them are interpolated, with an
error some ten times that of the steps."""


def integrate_adaptively(
    equations: Equations,
    times: np.ndarray,
    integration: Integration,
    watch: Watch | None = None,
    progress: Progress | None = None,
) -> tuple[np.ndarray, np.ndarray, int, int | None]:
    """Times (s), states (entries, time), steps, and which signal ended it (None: the end).

    The times hold those asked for up to the end, and others between them.
    """
    solver = _solver(equations, times[0], equations.start, times[-1], integration)
    taken, states = [times[:1]], [equations.start[:, None]]
    begin, end = float(times[0]), float(times[-1])
    steps, ended = 0, None
    while solver.status == "running":
        before, x_before = float(solver.t), np.array(solver.y)
        _step(solver, end, integration)
        steps += 1
        if steps > MOST_STEPS:
            raise _stopped(solver, end, f"{MOST_STEPS} steps were not enough", integration)
        wanted = _within_step(times, before, float(solver.t), steps)
        dense = solver.dense_output()
        if watch is not None:
            looked = np.concatenate([[before], wanted])
            looked, found = watch.first(looked, dense, begins=steps == 1)
            wanted = looked[1:]
            if found is not None:
                when, ended = found
                x_end = _to(equations, before, x_before, when, integration)
                wanted = np.append(wanted[wanted < when], when)
                taken.append(wanted)
                states.append(np.column_stack([dense(wanted[:-1]), x_end]))
                break
        taken.append(wanted)
        states.append(dense(wanted))
        if wanted[-1] == solver.t:
            states[-1][:, -1] = solver.y
        if progress is not None:
            progress((float(solver.t) - begin) / (end - begin))
    return np.concatenate(taken), np.concatenate(states, axis=1), steps, ended


def _to(
    equations: Equations, t: float, x: np.ndarray, end: float, integration: Integration
) -> np.ndarray:
    """The state at `end`, integrated there: better than what the step's interpolation gives."""
    if end <= t:
        return x
    solver = _solver(equations, t, x, end, integration)
    while solver.status == "running":
        _step(solver, end, integration)
    return np.array(solver.y)


def _solver(
    equations: Equations, t: float, x: np.ndarray, end: float, integration: Integration
) -> Any:
    from scipy.integrate import DOP853

    evaluate = equations.compiled.single()
    row = np.empty(equations.size + 1)

    def rates(t: float, x: np.ndarray) -> np.ndarray:
        row[0], row[1:] = t, x
        return evaluate(row)[: equations.size]

    return DOP853(
        rates,
        float(t),
        x,
        float(end),
        rtol=max(2.3e-14, BETWEEN * integration.relative_tolerance),
        atol=BETWEEN * integration.absolute_tolerance,
    )


def _step(solver: Any, end: float, integration: Integration) -> None:
    solver.step()
    if solver.status == "failed" or not np.isfinite(solver.y).all():
        raise _stopped(solver, end, "the step became too small", integration)


def _within_step(times: np.ndarray, begin: float, end: float, steps: int) -> np.ndarray:
    """Times after the beginning of a step at which to look at it, those asked for included.

    Fewer a step when there are very many steps: they are short then.
    """
    count = 16 if steps <= 1_000 else 4 if steps <= 20_000 else 1
    asked = times[np.searchsorted(times, begin, "right") : np.searchsorted(times, end, "right")]
    inner = begin + (end - begin) * np.arange(1, count + 1) / count
    inner[-1] = end
    return inner if not len(asked) else merged(asked, inner, (end - begin) / (8 * count))


def _stopped(solver: Any, end: float, why: str, integration: Integration) -> SimulationError:
    fastest = float(np.nanmax(np.abs(solver.f)))
    return SimulationError(
        f"the motion stopped at {solver.t:.6g} s of {end:.6g} s: {why} at relative tolerance "
        f"{integration.relative_tolerance:g}, with rates of change up to {fastest:.2g}. Two causes "
        "are usual: gains far above what the bodies' inertia asks for (lower them), and a motion "
        "that runs away because some actuators are at their limits while others are not limited "
        "(see control.limits). integration {method: rk4, step: …} goes on regardless."
    )
