"""Contacts of many cases with a surface: bounces, once or until slow, and surfaces that yield."""

from __future__ import annotations

from typing import Any

import numpy as np

from percuss.impact.compliant_mass import damping_for
from percuss.model.errors import ModelError
from percuss.model.names import BaseMode
from percuss.simulate.encounter import STUCK
from percuss.simulate.ensemble.cases import Cases
from percuss.simulate.ensemble.facing import FacingProgram, facing_program, first_contact
from percuss.simulate.ensemble.failures import AFTER, CONTACT, FLIGHT
from percuss.simulate.ensemble.programs import Programs
from percuss.simulate.ensemble.result import Outcome
from percuss.simulate.touching import ON_SURFACE


def bounce_off(programs: Programs, cases: Cases, some: np.ndarray) -> np.ndarray:
    """Bounces, once or until the points meet slowly; returns the cases to be grasped then."""
    caught = [np.zeros(0, int)]
    for facing, group in _faced(programs, cases, some):
        if programs.scenario.impact.repeat is None:
            _bounce_once(programs, cases, facing, group)
        else:
            caught += _bounce_until_slow(programs, cases, facing, group)
    return np.sort(np.concatenate(caught))


def _faced(
    programs: Programs, cases: Cases, some: np.ndarray
) -> list[tuple[FacingProgram, np.ndarray]]:
    """The cases by what their tools face: the target's shape, or a plane of their own."""
    scenario = programs.scenario
    met = first_contact(programs)(cases.q[:, some], cases.v[:, some])
    if scenario.approach is None:
        cases.p = programs.begun(cases.q, cases.v)
    for name, values in (("at", met.at), ("outward", met.outward)):
        cases.p[name] = np.full((3, len(cases)), np.nan)
        cases.p[name][:, some] = values
    cases.found["contact_speed"][some] = met.speed
    if scenario.approach is not None and scenario.approach.contact == "surface":
        return [(facing_program(programs, True), some)]
    shaped = (np.abs(met.off) < ON_SURFACE) & (met.tilt < ON_SURFACE)
    groups = [
        (facing_program(programs, True), some[shaped]),
        (facing_program(programs, False), some[~shaped]),
    ]
    return [(facing, group) for facing, group in groups if len(group)]


def _conserves(programs: Programs) -> bool:
    return programs.before.chaser.mode != BaseMode.FIXED


def _bounce_once(programs: Programs, cases: Cases, facing: FacingProgram, some: np.ndarray) -> None:
    struck = facing.bounce(cases.q[:, some], cases.v[:, some], cases.parameters(some))
    cases.hit(some, struck, _conserves(programs))
    cases.v[:, some] = struck.v
    flow = programs.apart
    x = cases.started(some, flow)
    p = programs.begun(cases.q[:, some], cases.v[:, some])
    moved = flow(x, p, 0.0, programs.scenario.duration)
    cases.carry(some, flow, moved, cases.time[some])
    cases.over(some, Outcome.BOUNCED)
    cases.fail(some, moved, AFTER)


def _bounce_until_slow(
    programs: Programs, cases: Cases, facing: FacingProgram, some: np.ndarray
) -> list[np.ndarray]:
    """Bounce after bounce, all cases at a time, decided as in a single run."""
    repeat = programs.scenario.impact.repeat
    assert repeat is not None
    caught: list[np.ndarray] = []
    while len(some):
        struck = facing.bounce(cases.q[:, some], cases.v[:, some], cases.parameters(some))
        assert struck.closing is not None
        assert struck.parting is not None
        assert struck.parting_speed is not None
        slow = struck.speed < repeat.below
        full = ~slow & (cases.impacts[some] >= repeat.most)
        late = (cases.impacts[some] > 0) & (struck.closing < STUCK * repeat.below)
        late = late & ~slow & ~full
        caught.append(some[slow])
        cases.over(some[full], Outcome.UNFINISHED)
        cases.over(some[late], Outcome.ACCUMULATED)
        goes = ~(slow | full | late)
        some, struck = some[goes], struck.only(goes)
        cases.hit(some, struck, _conserves(programs))
        cases.v[:, some] = struck.v
        assert struck.parting is not None
        assert struck.parting_speed is not None
        stays = struck.parting > -(STUCK**2) * repeat.below
        slow = stays & (struck.parting_speed < repeat.below)
        caught.append(some[slow])
        cases.over(some[stays & ~slow], Outcome.ACCUMULATED)
        some = _fly(programs, cases, facing, some[~stays])
    return caught


def _fly(programs: Programs, cases: Cases, facing: FacingProgram, some: np.ndarray) -> np.ndarray:
    """Apart after a bounce; returns the cases in which the tool meets the surface again."""
    if not len(some):
        return some
    flow, origin = facing.flight, programs.origin
    x = cases.started(some, flow)
    begin = cases.time[some] - origin
    lasting = np.full(len(some), programs.scenario.duration)
    moved = flow(x, cases.parameters(some), begin, lasting, just=True)
    cases.carry(some, flow, moved, origin)
    cases.over(some[~moved.ended], Outcome.BOUNCED)
    cases.fail(some, moved, FLIGHT)
    return some[moved.ended]


def give_way(programs: Programs, cases: Cases, some: np.ndarray) -> None:
    """A surface, or a spring, pushes for a while, perhaps again and again."""
    spec = programs.scenario.impact
    bilateral = spec.law == "bilateral"
    groups = _faced(programs, cases, some)
    if bilateral:
        groups = [(facing_program(programs, False), some)]
    for facing, group in groups:
        _give_way(programs, cases, facing, group, bilateral)


def _give_way(
    programs: Programs, cases: Cases, facing: FacingProgram, some: np.ndarray, bilateral: bool
) -> None:
    q, v = cases.q[:, some], cases.v[:, some]
    flow, begun = facing.yielding, cases.time[some]
    p = programs.begun(q, v) | {name: cases.p[name][:, some] for name in ("at", "outward")}
    p["damping"] = _damping(programs, cases, facing, some)[None]
    x = cases.started(some, flow)
    moved = flow(x, p, 0.0, programs.scenario.duration)
    cases.carry(some, flow, moved, begun)
    found = cases.found
    axes = flow.part(moved.state, "load_impulse")
    found["impulse"][:, some] = 0.0
    found["impulse"][: len(axes), some] = axes
    found["energy_lost"][some] = -flow.part(moved.state, "load_work")[0]
    found["peak_force"][some] = moved.peaks["force"]
    if bilateral:
        found["touches"][some], found["touching"][some] = 1, moved.time
    else:
        begins, ends, total = moved.extras
        found["touches"][some] = begins
        found["touching"][some] = total + np.where(begins > ends, moved.time, 0.0)
    cases.over(some, Outcome.HELD if bilateral else Outcome.BOUNCED)
    cases.fail(some, moved, CONTACT)


def _damping(
    programs: Programs, cases: Cases, facing: FacingProgram, some: np.ndarray
) -> np.ndarray:
    """Of each case: given, or what makes the effective mass rebound as asked for."""
    spec = programs.scenario.impact
    if spec.damping is not None:
        return np.full(len(some), float(spec.damping))
    p = {name: cases.p[name][:, some] for name in facing.like}
    mass, speed = facing.effective(cases.q[:, some], cases.v[:, some], p)
    found = np.full(len(some), np.nan)
    comes = (speed > 0.0) & np.isfinite(mass)
    if not comes.any():
        return found
    law: Any = spec.law or "hunt-crossley"
    try:
        found[comes] = damping_for(
            law, spec.restitution, float(spec.stiffness or 0), mass[comes], speed[comes]
        )
    except ModelError as error:
        raise ModelError(f"impact.restitution: {error}") from None
    return found
