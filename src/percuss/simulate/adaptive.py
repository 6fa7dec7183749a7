"""DOP853 over compiled equations, which ends at the sign change of what is watched."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from percuss.simulate.equations import Equations
from percuss.simulate.failure import Halt, Progress, UnfinishedError
from percuss.simulate.method import BETWEEN, Integration, merged
from percuss.simulate.pace import Pace
from percuss.simulate.watching import Watch

EVALUATIONS = 15
"""Of the equations for a step and what is between its ends; steps that are refused count too."""
LOOK = 0.5
"""Steps that a look at what is watched for counts as: about 0.15 ms against 0.3 ms for a step of a
planar arm. Where the distance to a target goes up and down, each turn is looked for."""

TOO_SMALL = "the step became too small"

States = Callable[[Any], np.ndarray]
"""Times within a step → states (entries, times)."""


def integrate_adaptively(
    equations: Equations,
    times: np.ndarray,
    integration: Integration,
    watch: Watch | None = None,
    progress: Progress | None = None,
) -> tuple[np.ndarray, np.ndarray, int, int | None]:
    """Times (s), states (entries, time), steps, and which signal ended it (None: the end).

    The times increase, hold those asked for up to the end, and others between them. A motion
    that is over where it begins has one time only.

    Raises:
        UnfinishedError: the steps become too small, or far too many of them are needed.
    """
    solver = _solver(equations, times[0], equations.start, times[-1], integration)
    taken, states = [times[:1]], [equations.start[:, None]]
    begin, end = float(times[0]), float(times[-1])
    steps, ended = 0, None
    pace = Pace(begin, end, integration.most_steps, watch is not None)
    looks = _Looks()
    while solver.status == "running":
        before, x_before = float(solver.t), np.array(solver.y)
        if not _step(solver):
            raise _stopped(solver, end, TOO_SMALL, integration, None, taken, states)
        steps += 1
        hopeless = pace.reached(solver.nfev / EVALUATIONS + LOOK * looks.count, float(solver.t))
        wanted = _within_step(times, before, float(solver.t), steps)
        dense = solver.dense_output()
        if watch is not None:
            looked = np.concatenate([[before], wanted])
            looked, found = watch.first(looked, looks.at(dense), begins=steps == 1)
            wanted = looked[1:]
            if found is not None:
                when, ended = found
                if when <= before:
                    # It is over where the step began, and that is there already.
                    break
                x_end = _to(equations, before, x_before, when, integration)
                wanted = np.append(wanted[wanted < when], when)
                taken.append(wanted)
                states.append(np.column_stack([dense(wanted[:-1]), x_end]))
                break
        if hopeless is not None:
            raise _stopped(solver, end, hopeless, integration, pace.step, taken, states)
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
        if not _step(solver):
            begin = [np.array([t])], [x[:, None]]
            raise _stopped(solver, end, TOO_SMALL, integration, None, *begin)
    return np.array(solver.y)


class _Looks:
    """Counts how often states within a step are looked at."""

    def __init__(self) -> None:
        self.count = 0

    def at(self, dense: States) -> States:
        def state(t: Any) -> np.ndarray:
            self.count += 1
            return dense(t)

        return state


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


def _step(solver: Any) -> bool:
    """One step, and whether there was one."""
    with np.errstate(all="ignore"):
        # A step that leaves what numbers can hold is taken again, shorter.
        solver.step()
    return solver.status != "failed" and bool(np.isfinite(solver.y).all())


def _within_step(times: np.ndarray, begin: float, end: float, steps: int) -> np.ndarray:
    """Times after the beginning of a step at which to look at it, those asked for included.

    Fewer a step when there are very many steps: they are short then.
    """
    count = 16 if steps <= 1_000 else 4 if steps <= 20_000 else 1
    asked = times[np.searchsorted(times, begin, "right") : np.searchsorted(times, end, "right")]
    inner = begin + (end - begin) * np.arange(1, count + 1) / count
    inner[-1] = end
    return inner if not len(asked) else merged(asked, inner, (end - begin) / (8 * count))


def _stopped(
    solver: Any,
    end: float,
    why: str,
    integration: Integration,
    step: float | None,
    taken: list[np.ndarray],
    states: list[np.ndarray],
) -> UnfinishedError:
    """At the last state that was reached; without `step` (s) the last one's length counts."""
    is_finite = bool(np.isfinite(solver.y).all())
    time, state = (solver.t, solver.y) if is_finite else (solver.t_old, solver.y_old)
    length = float(solver.h_abs) if step is None else step
    why = f"at relative tolerance {integration.relative_tolerance:g}, {why}."
    way = np.concatenate(taken), np.concatenate(states, axis=1)
    return UnfinishedError(Halt(why, float(time), end, np.array(state), length, *way))
