"""DOP853 over compiled equations, which ends at the sign change of what is watched."""

from __future__ import annotations

import numpy as np

from percuss.dynamics.dop853 import Dop853, Point, Step, StepUnderflowError
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
    begin, end = float(times[0]), float(times[-1])
    method = _method(equations, end, integration)
    point = method.start(begin, equations.start)
    taken, states = [times[:1]], [equations.start[:, None]]
    steps, ended = 0, None
    while point.t < end:
        step = _step(method, point, integration)
        point = step.end
        steps += 1
        if steps > MOST_STEPS:
            raise _stopped(point, end, f"{MOST_STEPS} steps were not enough", integration)
        wanted = _within_step(times, step.begin.t, point.t, steps)
        state = method.interpolation(step)
        if watch is not None:
            looked = np.concatenate([[step.begin.t], wanted])
            looked, found = watch.first(looked, state, begins=steps == 1)
            wanted = looked[1:]
            if found is not None:
                when, ended = found
                x_end = _to(equations, step.begin, when, integration)
                wanted = np.append(wanted[wanted < when], when)
                taken.append(wanted)
                states.append(np.column_stack([state(wanted[:-1]), x_end]))
                break
        taken.append(wanted)
        states.append(state(wanted))
        if wanted[-1] == point.t:
            states[-1][:, -1] = point.x
        if progress is not None:
            progress((point.t - begin) / (end - begin))
    return np.concatenate(taken), np.concatenate(states, axis=1), steps, ended


def _to(equations: Equations, start: Point, end: float, integration: Integration) -> np.ndarray:
    """The state at `end`, integrated there: better than what the step's interpolation gives."""
    if end <= start.t:
        return start.x
    method = _method(equations, end, integration)
    point = method.start(start.t, start.x)
    while point.t < end:
        point = _step(method, point, integration).end
    return point.x


def _method(equations: Equations, end: float, integration: Integration) -> Dop853:
    """Integration of the compiled equations up to `end` (s)."""
    evaluate = equations.compiled.single()
    row = np.empty(equations.size + 1)

    def rates(t: float, x: np.ndarray) -> np.ndarray:
        row[0], row[1:] = t, x
        return evaluate(row)[: equations.size]

    return Dop853(
        rates,
        end,
        relative=max(2.3e-14, BETWEEN * integration.relative_tolerance),
        absolute=BETWEEN * integration.absolute_tolerance,
    )


def _step(method: Dop853, point: Point, integration: Integration) -> Step:
    too_small = "the step became too small"
    try:
        step = method.step(point)
    except StepUnderflowError as error:
        raise _stopped(point, method.end, too_small, integration) from error
    if not np.isfinite(step.end.x).all():
        raise _stopped(step.end, method.end, too_small, integration)
    return step


def _within_step(times: np.ndarray, begin: float, end: float, steps: int) -> np.ndarray:
    """Times after the beginning of a step at which to look at it, those asked for included.

    Fewer a step when there are very many steps: they are short then.
    """
    count = 16 if steps <= 1_000 else 4 if steps <= 20_000 else 1
    asked = times[np.searchsorted(times, begin, "right") : np.searchsorted(times, end, "right")]
    inner = begin + (end - begin) * np.arange(1, count + 1) / count
    inner[-1] = end
    return inner if not len(asked) else merged(asked, inner, (end - begin) / (8 * count))


def _stopped(point: Point, end: float, why: str, integration: Integration) -> SimulationError:
    fastest = float(np.nanmax(np.abs(point.rate)))
    return SimulationError(
        f"the motion stopped at {point.t:.6g} s of {end:.6g} s: {why} at relative tolerance "
        f"{integration.relative_tolerance:g}, with rates of change up to {fastest:.2g}. Two causes "
        "are usual: gains far above what the bodies' inertia asks for (lower them), and a motion "
        "that runs away because some actuators are at their limits while others are not limited "
        "(see control.limits). integration {method: rk4, step: …} goes on regardless."
    )
