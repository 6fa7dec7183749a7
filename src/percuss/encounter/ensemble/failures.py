"""Cases of an ensemble that could not go on: in which phase, why, and what makes it so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

import percuss.kernel as kernel
from percuss.encounter.approach import ApproachTask
from percuss.encounter.assembly import Assembly
from percuss.encounter.causes import cause_of
from percuss.encounter.encounter import Encounter
from percuss.encounter.equations import Equations
from percuss.encounter.failure import Halt
from percuss.encounter.laws.meeting_plans import planned
from percuss.encounter.method import TOLERANCES, Integration
from percuss.encounter.phase_integrator import blamed
from percuss.kernel.rollouts.methods import Method
from percuss.model.errors import ModelError

PLANNING = "planning the approach"
APPROACH = "the approach"
FLIGHT = "the flight between bounces"
CONTACT = "the contact"
AFTER = "the motion after the contact"

REASONS = {
    kernel.Status.MAX_STEPS: "too many steps were needed",
    kernel.Status.STEP_UNDERFLOW: "the steps became too small",
    kernel.Status.NOT_FINITE: "the state was no longer finite",
    kernel.Status.EVENT_LIMIT: "an event happened too often",
    kernel.Status.ACCUMULATED: "events followed one another without time going on",
}


@dataclass(frozen=True, kw_only=True)
class StoppedCases:
    """Where a motion could not go on; times (s) by its own clock, states flat.

    Attributes:
        step: s, mean length of its steps.
        equations: makes those of the case.
    """

    begin: float
    time: float
    end: float
    step: float
    start: np.ndarray
    state: np.ndarray
    equations: Callable[[], Equations]


@dataclass(frozen=True)
class Failure:
    """Cases that failed in the same phase for the same reason.

    Attributes:
        phase: in words.
        reason: in words.
        cases: their indices; the first is the example.
        stop: where the example stopped; None where it never began.
        start: coordinates and rates of an example that never began, chaser and target.
    """

    phase: str
    reason: str
    cases: np.ndarray
    stop: StoppedCases | None = None
    start: tuple[np.ndarray, np.ndarray] | None = None

    def __str__(self) -> str:
        count = "1 case" if len(self.cases) == 1 else f"{len(self.cases):,} cases"
        return f"{count} failed in {self.phase}: {self.reason}"


def together(failures: Sequence[Failure]) -> tuple[Failure, ...]:
    """Failures of one phase and reason as one, whose example is that of the first."""
    same: dict[tuple[str, str], list[Failure]] = {}
    for failure in failures:
        same.setdefault((failure.phase, failure.reason), []).append(failure)
    return tuple(
        replace(first, cases=np.concatenate([one.cases for one in (first, *others)]))
        for first, *others in same.values()
    )


def integration_of_method(method: Method) -> Integration:
    """How an ensemble integrates, in the words of a single run."""
    if isinstance(method, kernel.RK4):
        return Integration("rk4", step=method.step)
    names = {kernel.Dop853: "dop853", kernel.Rosenbrock: "rosenbrock"}
    name = names.get(type(method), "dormand-prince")
    # A method may be closer than a single run could ask for, or looser.
    relative = min(max(method.relative, TOLERANCES[0]), TOLERANCES[1])
    return Integration(name, relative, most_steps=method.most_steps)


def explained(failure: Failure, encounter: Encounter, assembly: Assembly, method: Method) -> str:
    """A failure with what makes it so, found out from its first case.

    Args:
        assembly: chaser and target side by side.
    """
    said = f"{failure}, in case {failure.cases[0]} for one"
    stop = failure.stop
    if stop is None:
        assert failure.start is not None
        return f"{said}. {_unplanned(encounter, assembly.starting_at(*failure.start))}"
    stopped = f"{said}, which stopped at {stop.time:.6g} s of {stop.end:.6g} s."
    if stop.step == 0.0:
        return f"{stopped} {_at_once(stop)}"
    equations = stop.equations()
    q, v, h, angle = (stop.start[equations.slices[name]] for name in ("q", "v", "wheels", "orbit"))
    assembly = equations.assembly.starting_at(q, v)
    equations = equations.begun_with(assembly, h, orbit_angle=angle)
    halt = Halt(
        failure.reason,
        time=stop.time,
        end=stop.end,
        state=stop.state,
        step=stop.step,
        times=np.array([stop.begin, stop.time]),
        states=np.stack([stop.start, stop.state], axis=1),
    )
    before = failure.phase in (APPROACH, FLIGHT) and encounter.approach is not None
    part = encounter.approach if before else encounter
    assert part is not None
    law = blamed(part.control, "approach.control" if before else "control")
    lasting = "approach.timeout" if before else "duration"
    cause = cause_of(equations, halt, integration_of_method(method), law, lasting=lasting)
    return f"{stopped} {cause}"


def _at_once(stop: StoppedCases) -> str:
    """Why not even a first step was taken."""
    if not np.isfinite(stop.start).all():
        return "What makes it so: it starts in a state that is not finite."
    return (
        "What makes it so: at the start its rates are not finite, or so large that even the "
        "shortest step leads out of what numbers can hold."
    )


def _unplanned(encounter: Encounter, assembly: Assembly) -> str:
    """What stands in the way of a plan."""
    try:
        assert encounter.approach is not None
        planned(ApproachTask(encounter.approach, assembly, encounter.orbit))
    except ModelError as error:
        return str(error)
    return "A plan exists for it alone."


def first_stops(
    status: np.ndarray,
    times: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    states: tuple[np.ndarray, np.ndarray],
    equations: Callable[[int], Equations],
) -> dict[kernel.Status, StoppedCases]:
    """Where the first case of each way to fail stopped.

    Args:
        times: begin, time reached, end and mean step of each case (s).
        states: flat, at the begin and where each stopped.
        equations: of the case at a place.
    """
    found: dict[kernel.Status, StoppedCases] = {}
    for one in REASONS:
        places = np.flatnonzero(status == one)
        if len(places):
            k = int(places[0])
            begin, time, end, step = (float(x[k]) for x in times)
            start, state = (x[:, k].copy() for x in states)
            found[one] = StoppedCases(
                begin=begin,
                time=time,
                end=end,
                step=step,
                start=start,
                state=state,
                equations=partial(equations, k),
            )
    return found
