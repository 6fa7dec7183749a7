"""The course of many encounters: the same steps as a single one, for all cases at once."""

from __future__ import annotations

import numpy as np

from percuss.control.settling import SETTLED
from percuss.model.names import BaseMode
from percuss.simulate.ensemble.cases import Cases
from percuss.simulate.ensemble.contacts import bounce_off, give_way
from percuss.simulate.ensemble.failures import AFTER, APPROACH, CONTACT, PLANNING
from percuss.simulate.ensemble.foresight import Parameters
from percuss.simulate.ensemble.programs import Programs
from percuss.simulate.ensemble.result import Outcome
from percuss.simulate.stabilisation import NO_RATE

TURN = 2.0 * np.pi


def run_course(programs: Programs, cases: Cases) -> None:
    """Carry out all cases; what comes of them is in their account."""
    scenario = programs.scenario
    closure, some = scenario.impact.closure, np.arange(len(cases))
    if closure == "pulse":
        _push(programs, cases, some)
        return
    if scenario.approach is not None:
        if closure in ("pin", "weld"):
            # While the one is compiled the other is written down.
            for flow in (programs.coming, programs.held(closure)):
                flow.prepare()
        some = _approach(programs, cases, some)
    cases.touched(some)
    if not len(some):
        return
    if closure in ("pin", "weld"):
        _grasp(programs, cases, some, closure)
    elif closure == "bounce":
        caught = bounce_off(programs, cases, some)
        if len(caught):
            assert scenario.impact.repeat is not None
            _grasp(programs, cases, caught, scenario.impact.repeat.then)
    else:
        give_way(programs, cases, some)


def _push(programs: Programs, cases: Cases, some: np.ndarray) -> None:
    """A given force on the chaser alone, then what it leaves."""
    scenario = programs.scenario
    lasting = scenario.impact.duration
    assert lasting is not None
    p = programs.begun(cases.q, cases.v)
    flow = programs.pushed
    moved = flow(cases.started(some, flow), p, 0.0, lasting)
    cases.carry(some, flow, moved)
    cases.fail(some, moved, CONTACT)
    axes = flow.part(moved.state, "load_impulse")
    cases.found["impulse"][: len(axes)] = axes
    cases.found["impulse"][len(axes) :] = 0.0
    cases.found["energy_lost"][:] = -flow.part(moved.state, "load_work")[0]
    cases.found["peak_force"][:] = moved.peaks["force"]
    cases.found["touching"][:], cases.found["touches"][:] = lasting, 1
    cases.found["contact_time"][:] = 0.0
    p = {name: value[:, ~moved.failed] for name, value in p.items()}
    some = some[~moved.failed]
    flow = programs.apart
    moved = flow(cases.started(some, flow), p, lasting, scenario.duration)
    cases.carry(some, flow, moved)
    cases.over(some, Outcome.PUSHED)
    cases.fail(some, moved, AFTER)


def _approach(programs: Programs, cases: Cases, some: np.ndarray) -> np.ndarray:
    """Until the tools touch; returns the cases in which they do."""
    approach = programs.scenario.approach
    assert approach is not None
    go = approach.observe or 0.0
    cases.p = programs.foresight.numbers(cases.q, cases.v)
    unplanned = ~np.isfinite(cases.p.get("plan", np.zeros((0, len(cases))))).all(axis=0)
    cases.refuse(some[unplanned], PLANNING, "there is no plan")
    some = some[~unplanned]
    met: list[np.ndarray] = []
    if go:
        hit, some = _leg(programs, cases, some, "waiting", 0.0, go, 0.0)
        met.append(hit)
    hit, some = _leg(programs, cases, some, "coming", go, approach.timeout, programs.origin)
    cases.over(some, Outcome.MISSED)
    return np.sort(np.concatenate([*met, hit]))


def _leg(
    programs: Programs,
    cases: Cases,
    some: np.ndarray,
    name: str,
    begin: float,
    end: float,
    origin: float,
) -> tuple[np.ndarray, np.ndarray]:
    """One stretch of the approach: the cases that touch in it, and those that go on."""
    if not len(some):
        return some, some
    flow = programs.waiting if name == "waiting" else programs.coming
    x = cases.started(some, flow)
    moved = flow(x, cases.parameters(some), begin - origin, end - begin)
    cases.carry(some, flow, moved, origin)
    _note_closest(programs, cases, some, moved.extras[2], moved.extras[3] + origin)
    cases.fail(some, moved, APPROACH)
    return some[moved.ended], some[~moved.ended & ~moved.failed]


def _note_closest(
    programs: Programs, cases: Cases, some: np.ndarray, lowest: np.ndarray, when: np.ndarray
) -> None:
    approach = programs.scenario.approach
    assert approach is not None
    distance = lowest
    if approach.contact == "point":
        assert approach.capture_radius is not None
        distance = np.sqrt(np.maximum(lowest + approach.capture_radius**2, 0.0))
    nearer = ~(cases.found["closest_distance"][some] <= distance)
    cases.found["closest_distance"][some[nearer]] = distance[nearer]
    cases.found["closest_time"][some[nearer]] = when[nearer]


def _grasp(programs: Programs, cases: Cases, some: np.ndarray, closure: str) -> None:
    """The grasp closes; the motion after it."""
    grasp, flow = programs.grasp(closure), programs.held(closure)
    struck = grasp(*cases.state_of(some))
    cases.hit(some, struck, programs.before.chaser.mode != BaseMode.FIXED)
    assert struck.pose is not None
    own_q, own_v = cases.stage.chaser.coordinate_count, cases.stage.chaser.rate_count
    p = programs.held_parameters(closure, {"pose": struck.pose, "held": struck.q})
    x = cases.started(some, flow, struck.q, struck.v)
    moved = flow(x, p, 0.0, programs.scenario.duration)
    cases.add(some, moved)
    if programs.machine.settling:
        settled = _settled(programs, closure, x, p, moved.peaks.get("groups"))
        cases.found["settling_time"][some] = settled
    q, v = flow.part(moved.state, "q"), flow.part(moved.state, "v")
    held = {name: p[name] for name in grasp.like}
    target_q, target_v = (np.asarray(part) for part in grasp.target_state(q, v, held))
    if programs.before.is_planar:
        # The joint that holds the target starts at zero: whole turns are the target's.
        target_q = target_q.copy()
        then = np.asarray(grasp.target_state(struck.q, struck.v, held)[0])[2]
        target_q[2] += TURN * np.round((cases.q[own_q + 2, some] - then) / TURN)
    chaser, target = (q[:own_q], v[:own_v]), (target_q, target_v)
    cases.end(some, Outcome.CAPTURED, chaser, target, cases.time[cases.at(some)] + moved.time)
    cases.status[some[moved.failed]] = int(Outcome.FAILED)
    cases.note(some, moved, AFTER)


def _settled(
    programs: Programs, closure: str, x: np.ndarray, p: Parameters, peaks: np.ndarray | None
) -> np.ndarray:
    """Since when (s after the grasp) every driven rate is within 2 % of its peak; NaN: not yet.

    The peaks being known, the motion is computed once more to see when that is.
    """
    if peaks is None:
        return np.full(x.shape[1], np.nan)
    flow = programs.held(closure, settling=True)
    # What never moves has nothing to settle.
    bounds = np.where(peaks <= NO_RATE, 1.0, SETTLED * peaks)
    moved = flow(x, p | {"bounds": bounds}, 0.0, programs.scenario.duration)
    rests = (np.sqrt(flow.peaks.groups(moved.state)) <= bounds).all(axis=0)
    when = np.where(np.isnan(moved.settled), 0.0, moved.settled)
    return np.where(rests & ~moved.failed, when, np.nan)
