"""DOP853 over compiled equations, which ends at the sign change of what is watched."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from percuss.dynamics.dop853 import Dop853, Point, Step, StepUnderflowError
from percuss.kernel.rollouts.stiffness import MANY
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

FIRST_ASKED = 256
"""Steps after which it is asked for the first time whether a motion is stiff; then after twice as
many each time. A run of some hundred steps is over before that, and asking costs as much."""

States = Callable[[np.ndarray], np.ndarray]
"""Times within a step → states (entries, times)."""


def integrate_adaptively(
    equations: Equations,
    times: np.ndarray,
    integration: Integration,
    watch: Watch | None = None,
    progress: Progress | None = None,
    refuse_stiff: Callable[[float, np.ndarray], None] | None = None,
) -> tuple[np.ndarray, np.ndarray, int, int | None]:
    """Times (s), states (entries, time), steps, and which signal ended it (None: the end).

    The times increase, hold those asked for up to the end, and others between them. A motion
    that is over where it begins has one time only.

    Where many steps are foreseen, `refuse_stiff`(t, x) is asked now and then whether it is for
    stability alone.

    Raises:
        UnfinishedError: the steps become too small, or far too many of them are needed.
        StiffError: another method would be much quicker.
    """
    begin, end = float(times[0]), float(times[-1])
    rates = _Rates(equations)
    method = _method(rates, end, integration)
    point = method.start(begin, equations.start)
    taken, states = [times[:1]], [equations.start[:, None]]
    steps, ended = 0, None
    pace = Pace(begin, end, integration.most_steps, watch is not None)
    looks, ask = _Looks(), FIRST_ASKED
    while point.t < end:
        step = _step(method, point)
        if step is None:
            raise _stopped(point, end, TOO_SMALL, integration, point.step, taken, states)
        point = step.end
        steps += 1
        hopeless = pace.reached(rates.count / EVALUATIONS + LOOK * looks.count, point.t)
        wanted = _within_step(times, step.begin.t, point.t, steps)
        state = method.interpolation(step)
        if watch is not None:
            looked = np.concatenate([[step.begin.t], wanted])
            looked, found = watch.first(looked, looks.at(state), begins=steps == 1)
            wanted = looked[1:]
            if found is not None:
                when, ended = found
                if when <= step.begin.t:
                    # It is over where the step began, and that is there already.
                    break
                x_end = _to(equations, step.begin, when, integration)
                wanted = np.append(wanted[wanted < when], when)
                taken.append(wanted)
                states.append(np.column_stack([state(wanted[:-1]), x_end]))
                break
        if refuse_stiff is not None and steps == ask:
            ask *= 2
            if hopeless is not None or pace.foreseen() > MANY:
                refuse_stiff(point.t, point.x)
        if hopeless is not None:
            raise _stopped(point, end, hopeless, integration, pace.step, taken, states)
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
    method = _method(_Rates(equations), end, integration)
    point = method.start(start.t, start.x)
    while point.t < end:
        step = _step(method, point)
        if step is None:
            begin = [np.array([start.t])], [start.x[:, None]]
            raise _stopped(point, end, TOO_SMALL, integration, point.step, *begin)
        point = step.end
    return point.x


class _Looks:
    """Counts how often states within a step are looked at."""

    def __init__(self) -> None:
        self.count = 0

    def at(self, states: States) -> States:
        def state(t: np.ndarray) -> np.ndarray:
            self.count += 1
            return states(t)

        return state


class _Rates:
    """The compiled equations, (t, x) → dx/dt, and how often they were evaluated."""

    def __init__(self, equations: Equations) -> None:
        self.count = 0
        self._evaluate = equations.compiled.single()
        self._row = np.empty(equations.size + 1)

    def __call__(self, t: float, x: np.ndarray) -> np.ndarray:
        self.count += 1
        self._row[0], self._row[1:] = t, x
        return self._evaluate(self._row)[: len(x)]


def _method(rates: _Rates, end: float, integration: Integration) -> Dop853:
    """Integration of the compiled equations up to `end` (s)."""
    return Dop853(
        rates,
        end,
        relative=max(2.3e-14, BETWEEN * integration.relative_tolerance),
        absolute=BETWEEN * integration.absolute_tolerance,
    )


def _step(method: Dop853, point: Point) -> Step | None:
    """One step, where there is one."""
    try:
        step = method.step(point)
    except StepUnderflowError:
        return None
    return step if np.isfinite(step.end.x).all() else None


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
    point: Point,
    end: float,
    why: str,
    integration: Integration,
    step: float,
    taken: list[np.ndarray],
    states: list[np.ndarray],
) -> UnfinishedError:
    """At a point that was reached, with steps of so many seconds."""
    why = f"at relative tolerance {integration.relative_tolerance:g}, {why}."
    way = np.concatenate(taken), np.concatenate(states, axis=1)
    return UnfinishedError(Halt(why, point.t, end, point.x, step, *way))
