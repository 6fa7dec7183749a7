"""Integration of a single run: high order and adaptive, or fixed steps on request."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import percuss.kernel as kernel
from percuss.encounter.adaptive import integrate_adaptively
from percuss.encounter.equations import Equations
from percuss.encounter.events import ZERO, EventSignals
from percuss.encounter.failure import (
    WHY,
    Halt,
    Progress,
    SimulationError,
    StiffError,
    UnfinishedError,
)
from percuss.encounter.method import (
    Integration,
    RecordedMotion,
    cubics,
    kernel_method,
    merged,
    recorded,
    recording_method,
    refuse_many,
)
from percuss.kernel import trees
from percuss.kernel.rollouts.result import RolloutResult

RECORDED = "dop853"
"""The method whose steps are recorded, with dense output between their ends."""
FIXED = 200_000
"""Fixed steps up to which the state is kept at the end of each."""
FINE = 4000
"""Intervals at least at whose ends an integration inside the kernel is looked at."""


def integrate_motion(
    equations: Equations,
    times: np.ndarray,
    integration: Integration,
    progress: Progress | None = None,
    *,
    watch: EventSignals | None = None,
) -> RecordedMotion:
    """Integrate from times[0] to times[-1] (s), or to where what is watched ends it.

    The motion holds at least these times. A law with memory must have a period: it is sampled
    and held, and the integration lands on every sample.
    """
    law = equations.law
    _refuse_not_finite(equations, float(times[0]))
    if watch is not None and (over := watch.over_at_once(float(times[0]))) is not None:
        return _none_at_all(equations, float(times[0]), integration, over)
    if times[-1] <= times[0]:
        return _none_at_all(equations, float(times[0]), integration, None)
    if law.period is not None:
        return _sampled(equations, times, integration, watch)
    if law.memory is not None:
        raise SimulationError(
            "a control law with memory needs a period (s) at which it is sampled: "
            "without one its memory would depend on the integration's steps"
        )
    try:
        every, states, steps, ended = _integrated(
            equations, times, integration, watch, progress=progress
        )
    except StiffError as error:
        integration = replace(integration, method="rosenbrock", reason=str(error))
        every, states, steps, ended = _in_kernel(equations, times, integration, watch)
    rates, commands = equations.compiled(every, states)
    return RecordedMotion(
        time=every,
        states=states,
        rates=rates,
        commands=commands,
        recorded=recorded(every, times),
        steps=steps,
        integration=integration,
        ended=ended,
    )


def _integrated(
    equations: Equations,
    times: np.ndarray,
    integration: Integration,
    watch: EventSignals | None,
    *,
    progress: Progress | None,
) -> tuple[np.ndarray, np.ndarray, int, int | None]:
    """Times (s), states (entries, time), steps, and which signal ended it (None: the end)."""
    if integration.method != RECORDED:
        return _in_kernel(equations, times, integration, watch)

    def look(t: float, x: np.ndarray) -> None:
        _refuse_stiff(equations, integration, watch, end=float(times[-1]), t=t, x=x)

    refuse = look if integration.automatic else None
    run = _rollout(equations, integration, watch)
    return integrate_adaptively(
        run, equations.start, times, integration, progress=progress, refuse_stiff=refuse
    )


def _refuse_stiff(
    equations: Equations,
    integration: Integration,
    watch: EventSignals | None,
    *,
    end: float,
    t: float,
    x: np.ndarray,
) -> None:
    """A StiffError where an explicit method would go on with short steps for stability alone."""
    run = _rollout(equations, replace(integration, method="rosenbrock"), watch)
    try:
        found = kernel.stiffness(run, x, time=t)
    except kernel.KernelError:
        # The rates have no derivative here, and a stiff method would need it: nothing to change to.
        return
    if found.is_stiff(end - t):
        raise StiffError(
            f"the motion decays at up to {found.decay:.3g} 1/s: for stability alone dop853 would "
            f"take {found.steps(end - t, kernel.Dop853):.2g} steps to {end:g} s"
        )


def _none_at_all(
    equations: Equations, begin: float, integration: Integration, ended: int | None
) -> RecordedMotion:
    """A motion that is over before it begins."""
    every, states = np.array([begin]), equations.start[:, None]
    rates, commands = equations.compiled(every, states)
    return RecordedMotion(
        time=every,
        states=states,
        rates=rates,
        commands=commands,
        recorded=np.array([0]),
        steps=0,
        integration=integration,
        ended=ended,
    )


def _in_kernel(
    equations: Equations, times: np.ndarray, integration: Integration, watch: EventSignals | None
) -> tuple[np.ndarray, np.ndarray, int, int | None]:
    """Integrated inside the kernel: at the ends of fixed steps, or on a fine grid."""
    begin, end = float(times[0]), float(times[-1])
    refuse_many(end - begin, integration)
    run = _rollout(equations, integration, watch)
    grid = np.linspace(begin, end, FINE + 1)
    step = integration.step if integration.method == "rk4" else None
    fixed = step is not None and (end - begin) / step <= FIXED
    if step is not None and fixed:
        count = int((end - begin) / step * (1 - 1e-12)) + 1
        grid = np.append(begin + np.arange(count) * step, end)
    every = merged(times, grid, 1e-9 * (end - begin))
    result = run(equations.start, times=grid if fixed else every, start=begin)
    steps = int(result.steps)
    if not fixed:
        return *_reached(result, every), steps, _ended(result)
    # Steps are not cut short for the times asked for: between them the cubic is as good.
    at, states = _reached(result, grid)
    wanted = np.append(every[every < at[-1]], at[-1])
    between = cubics(wanted, at, states, equations.compiled(at, states)[0])
    return wanted, between, steps, _ended(result)


def _rollout(
    equations: Equations, integration: Integration, watch: EventSignals | None
) -> kernel.Rollout:
    """The integration of the equations inside the kernel."""

    def rates(t: Any, x: Any, u: Any, p: Any) -> Any:
        del u, p
        return equations.rates(t, x)[0]

    events = _events(watch)
    return equations.kept(
        ("rollout", replace(integration, reason=""), _kind(watch)),
        lambda: kernel.rollout(
            rates,
            state=np.zeros(equations.size),
            method=recording_method(integration)
            if integration.method == RECORDED
            else kernel_method(integration),
            quaternions=equations.assembly.quaternions,
            events=events,
            single=True,
            key=kernel.fingerprint(rates, events),
        ),
    )


def _kind(watch: EventSignals | None) -> Any:
    """What of a watch determines the events of a rollout."""
    return None if watch is None else watch.signals


def _events(watch: EventSignals | None) -> list[kernel.Event]:
    """The signals as events of a rollout."""
    if watch is None:
        return []

    def value(falling: Any) -> Any:
        return lambda t, x, u, p: falling(t, x)  # noqa: ARG005

    return [
        kernel.Event(value(falling), direction=-1, terminal=True, zero=ZERO, resolved=True)
        for falling in watch.falling
    ]


def _reached(result: RolloutResult, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The times that were reached with their states; the last is where the motion ended."""
    status = int(result.status)
    states = np.asarray(result.trajectory)
    if status == kernel.Status.EVENT:
        end = float(result.time)
        kept = times < end
        final = np.asarray(result.state)[:, None]
        return np.append(times[kept], end), np.concatenate([states[:, kept], final], axis=1)
    if status != kernel.Status.DONE:
        too_many = {kernel.Status.MAX_STEPS: f"{int(result.steps):,} steps were not enough"}
        why = (WHY | too_many)[kernel.Status(status)]
        time, end, step = float(result.time), float(times[-1]), _mean_step(result, times)
        finite = np.flatnonzero(np.isfinite(states).all(axis=0))
        last = np.asarray(result.state)
        if not np.isfinite(last).all():
            time, last = float(times[finite[-1]]), states[:, finite[-1]]
        raise UnfinishedError(
            Halt(
                f"{why}.",
                time=time,
                end=end,
                state=last,
                step=step,
                times=times[finite],
                states=states[:, finite],
            )
        )
    return times, states


def _mean_step(result: RolloutResult, times: np.ndarray) -> float:
    """Length of the steps that were taken, on average (s)."""
    return (float(result.time) - float(times[0])) / max(1, int(result.steps))


def _ended(result: RolloutResult) -> int | None:
    return int(result.event) if int(result.status) == kernel.Status.EVENT else None


def _refuse_not_finite(equations: Equations, begin: float) -> None:
    """Rates that are no numbers at the start would never let a first step be chosen."""
    if equations.law.period is not None:
        return
    rates, command = equations.compiled(begin, equations.start)
    if not np.isfinite(command).all():
        raise SimulationError(
            f"the control law commands {command.tolist()} at the start: not all of them finite"
        )
    if not np.isfinite(rates).all():
        said = "the equations of motion are not finite at the start of the motion"
        if command.any():
            said += f"; the control law commands up to {np.abs(command).max():.3g} (N or N m)"
        raise SimulationError(said)


def _sampled(
    equations: Equations, times: np.ndarray, integration: Integration, watch: EventSignals | None
) -> RecordedMotion:
    """A law sampled at k·period and held: states by the kernel, commands by playing it again."""
    law = equations.law
    period = law.period
    assert period is not None
    begin = float(times[0])
    refuse_many(float(times[-1]) - begin, integration)
    count = int(np.floor((times[-1] - begin) / period * (1 + 1e-12))) + 1
    samples = begin + np.arange(count) * period
    every = merged(times, samples, 1e-9 * period)

    def rates(t: Any, x: Any, u: Any, p: Any) -> Any:
        del p
        return equations.driven(t, x, u)

    command, events = _starting(equations), _events(watch)
    run = equations.kept(
        ("sampled rollout", integration, _kind(watch)),
        lambda: kernel.rollout(
            rates,
            state=np.zeros(equations.size),
            method=kernel_method(integration),
            parameters=law.memory,
            controller=kernel.Controller(command, (0.0, law.memory), period),
            quaternions=equations.assembly.quaternions,
            events=events,
            single=True,
            key=kernel.fingerprint(rates, command, events),
        ),
    )
    result = run(equations.start, equations.memory, times=every, start=begin)
    every, states = _reached(result, every)
    samples = samples[samples <= every[-1] + 1e-6 * period]
    # A sample next to a time asked for is that time.
    places = np.clip(np.searchsorted(every, samples - 1e-6 * period), 0, len(every) - 1)

    memory: Any = equations.memory
    commands = np.empty((equations.assembly.plant.own_rates, len(samples)))
    for k, place in enumerate(places):
        commands[:, k], memory = equations.compiled_law(samples[k], states[:, place], memory)
    held = commands[
        :, np.clip(np.searchsorted(places, np.arange(len(every)), "right") - 1, 0, None)
    ]
    return RecordedMotion(
        time=every,
        states=states,
        rates=equations.compiled_motion(every, states, held),
        commands=held,
        recorded=recorded(every, times),
        steps=int(result.steps),
        integration=integration,
        ended=_ended(result),
        memory=memory,
    )


def _starting(equations: Equations) -> Any:
    """The law with its first memory as a parameter, so that one rollout serves every phase.

    Its own memory is whether it was called before, and what it remembers then.
    """

    def law(t: Any, x: Any, memory: Any, p: Any) -> tuple[Any, Any]:
        called, kept = memory
        now = trees.map_leaves(lambda a, b: np.where(called > 0.5, a, b), kept, p)
        u, kept = equations.command(t, x, now)
        return u, (1.0, kept)

    return law
