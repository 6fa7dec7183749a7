"""The general time loop: every case has its own time, steps, events and status.

One iteration is one attempt: sample the controller if it is due, try a step, judge it, look for
events, and take it, shorten it, or land on an event. A case that is done or has failed holds its
state, so that it cannot touch the others.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from percuss.kernel import fixed_step
from percuss.kernel.fixed_step import chosen, final_value
from percuss.kernel.problem import Event, Problem
from percuss.kernel.roots import bracketed_root, newton_shift
from percuss.kernel.statistics import (
    Final,
    FirstCrossing,
    Integral,
    crossed_between,
    crossed_by_jump,
    seen,
)
from percuss.kernel.steppers import (
    RK4,
    Adaptive,
    Trial,
    dormand_prince_step,
    first_step,
    hermite,
    rk4_step,
    step_factor,
)

Array = Any
State = dict[str, Any]

TARGETS = {name: np.zeros(()) for name in ("start", "end", "most")}
"""A segment: from the common start to `end` (s), with at most `most` attempts in all."""
SMOOTH = ("x", "t", "u", "memory", "statistics", "rates", "event_time")

RUNNING = -1.0
JUST_CROSSED = 2.0
"""Side of an event's value right after the event: rounding hides its sign, its slope tells."""
NO_LANDING = -1.0


class Status(enum.IntEnum):
    """How a case ended."""

    DONE = 0
    """Reached the end."""
    EVENT = 1
    """Stopped by a terminal event."""
    MAX_STEPS = 2
    """Cut by its limit of steps."""
    STEP_UNDERFLOW = 3
    """Needs steps too small to advance: a pole, or tolerances below rounding."""
    NOT_FINITE = 4
    """The state or its rates became NaN or infinite; the state is the last finite one."""


def carries_rates(problem: Problem) -> bool:
    """Whether the rates at the end of a step are those at the start of the next."""
    adaptive = isinstance(problem.method, Adaptive)
    return adaptive and problem.controller is None and not problem.events


def start_state(problem: Problem) -> State:
    """What the loop keeps for a case; x and t are filled in by the caller."""
    state = fixed_step.start_state(problem)
    zero, count = np.zeros(()), len(problem.events)
    state |= {"t": zero, "status": np.full((), RUNNING), "attempts": zero, "steps": zero}
    if isinstance(problem.method, Adaptive):
        del state["n"]
        state |= {"h": zero, "error": np.ones(())}
    if carries_rates(problem):
        state["rates"] = np.zeros_like(state["x"])
    if problem.sampled:
        state["samples"] = zero
    if count:
        state |= {
            "side": np.zeros(count),
            "landing": np.full((), NO_LANDING),
            "which": np.full((), -1.0),
            "event_time": np.full(count, np.nan),
            "event_count": np.zeros(count),
        }
    return state


@dataclass
class _Step:
    """One attempt of one case."""

    problem: Problem
    state: State
    start: Array
    end: Array
    most: Array
    p: Any

    def __post_init__(self) -> None:
        self.eps = float(np.finfo(self.problem.dtype).eps)
        self.new = dict(self.state)
        self.t, self.z = self.state["t"], self.state["x"]
        self.held, self.memory = self.state.get("u"), self.state.get("memory")
        self.first = self.state["attempts"] == 0.0

    def run(self) -> tuple[State, Array]:
        state, problem = self.state, self.problem
        alive = (state["status"] == RUNNING) & (self.t < self.end)
        self.sample()
        if carries_rates(problem):
            self.k1, healthy = state["rates"], True
        else:
            self.k1 = self.rates(self.t, self.z)
            healthy = jnp.all(jnp.isfinite(self.z)) & jnp.all(jnp.isfinite(self.k1))
        too_small = self.choose_step()
        trial = self.attempt()
        finite = jnp.all(jnp.isfinite(trial.z)) & jnp.all(jnp.isfinite(trial.rates))
        if isinstance(problem.method, Adaptive):
            accepted = self.control(trial, finite)
            bad = jnp.where(self.first, ~finite, False) | ~jnp.asarray(healthy)
        else:
            accepted, bad = finite, ~finite
        new = self.new
        new["attempts"] = state["attempts"] + 1.0
        good = accepted & ~bad & ~too_small
        good = self.find_events(trial, good) if problem.events else good
        self.take(trial, good)
        status = jnp.where(too_small, float(Status.STEP_UNDERFLOW), new["status"])
        status = jnp.where(bad, float(Status.NOT_FINITE), status)
        out = (status == RUNNING) & (new["attempts"] >= self.most) & (new["t"] < self.end)
        new["status"] = jnp.where(out, float(Status.MAX_STEPS), status)
        new = chosen(alive, new, state)
        return new, (new["status"] == RUNNING) & (new["t"] < self.end)

    def rates(self, t: Array, z: Array) -> Array:
        return self.problem.rates(t, z, self.held, self.memory, self.p)

    def call(self, quantity: Any, t: Array, z: Array) -> Array:
        return self.problem.call(quantity, t, z, self.held, self.memory, self.p)

    def value_and_slope(self, quantity: Any, t: Array, z: Array, k: Array) -> tuple[Array, Array]:
        return self.problem.value_and_slope(quantity, t, z, k, self.held, self.memory, self.p)

    def sample(self) -> None:
        """Command and memory, where a sample is due."""
        problem, state = self.problem, self.state
        if not problem.sampled:
            return
        due = self.t >= self.sample_time(state["samples"]) - self.near()
        command = problem.law(self.t, self.z, self.memory, self.p)
        self.held, self.memory = chosen(due, command, (self.held, self.memory))
        # Kept even when the step that follows is not.
        self.new |= {
            "u": self.held,
            "memory": self.memory,
            "samples": state["samples"] + jnp.where(due, 1.0, 0.0),
        }

    def sample_time(self, index: Array) -> Array:
        """Of a sample; on the grid of RK4 in the very bits of the grid."""
        assert self.problem.controller is not None
        if isinstance(self.problem.method, RK4):
            return self.start + index * float(self.problem.samples_every) * self.problem.method.step
        return self.start + index * self.problem.controller.period

    def near(self) -> Array:
        """Times closer than this are the same."""
        size = jnp.maximum(jnp.abs(self.t), jnp.abs(self.end))
        return 4.0 * self.eps * size

    def choose_step(self) -> Array:
        """Sets h and the time it leads to; tells whether the step is too small to go on."""
        problem, state, method = self.problem, self.state, self.problem.method
        boundary = self.end
        if problem.sampled:
            boundary = jnp.minimum(boundary, self.sample_time(self.new["samples"]))
        if isinstance(method, RK4):
            grid = self.start + (state["n"] + 1.0) * method.step
            self.on_grid = grid <= boundary + self.near()
            boundary = jnp.where(self.on_grid & (grid < boundary - self.near()), grid, boundary)
            self.proposal = boundary - self.t
            too_small = jnp.asarray(False)
        else:
            assert problem.norm is not None
            if carries_rates(problem):
                self.proposal = jnp.where(self.first, 0.0, state["h"])
            else:
                self.proposal = jnp.where(self.first, self.first_step(self.k1), state["h"])
            smallest = jnp.maximum(method.smallest_step, 16.0 * self.eps * jnp.abs(self.t))
            too_small = (self.proposal < smallest) & ~self.first
        self.reaches = self.t + self.proposal >= boundary - self.near()
        self.limited = self.t + self.proposal > boundary
        # Differentiated where it ends at a given time; the chosen length itself is not.
        self.h = jnp.where(self.reaches, boundary - self.t, jax.lax.stop_gradient(self.proposal))
        self.t1 = jnp.where(self.reaches, boundary, self.t + self.h)
        if problem.events:
            self.lands = state["landing"] >= 0.0
            self.h = jnp.where(self.lands, jax.lax.stop_gradient(state["landing"]), self.h)
            self.t1 = jnp.where(self.lands, self.t + self.h, self.t1)
            too_small = too_small & ~self.lands
        return too_small

    def first_step(self, k: Array) -> Array:
        method, norm = self.problem.method, self.problem.norm
        assert isinstance(method, Adaptive)
        if method.first_step is not None:
            return jnp.asarray(method.first_step, jnp.float64)
        assert norm is not None
        size = self.problem.size
        z, k = jax.lax.stop_gradient((self.z[:size], k[:size]))
        guess = first_step(norm, z, k)
        return jnp.clip(guess, method.smallest_step, method.largest_step)

    def attempt(self) -> Trial:
        """The step, its end projected."""
        problem = self.problem
        if isinstance(problem.method, Adaptive):
            trial = dormand_prince_step(self.rates, self.t, self.z, self.h, self.k1)
            return Trial(problem.project(trial.z), trial.rates, trial.error, trial.dense)
        z1 = problem.project(rk4_step(self.rates, self.t, self.z, self.h, self.k1))
        end = self.rates(self.t1, z1)
        return Trial(z1, end, jnp.zeros(()), hermite(self.z, self.k1, z1, end, self.h))

    def control(self, trial: Trial, finite: Array) -> Array:
        """Whether the error allows the step; proposes the next one."""
        method, norm, size = self.problem.method, self.problem.norm, self.problem.size
        assert isinstance(method, Adaptive)
        assert norm is not None
        old, new, error = jax.lax.stop_gradient((self.z[:size], trial.z[:size], trial.error[:size]))
        measure = norm(error, old, norm.scale(old, new))
        measure = jnp.where(finite, measure, jnp.inf)
        accepted = finite & (measure <= 1.0)
        h = jax.lax.stop_gradient(self.h)
        longer = h * step_factor(measure, self.state["error"], accepted)
        # A step cut short by a boundary says little about how long the next may be.
        kept = jax.lax.stop_gradient(self.proposal)
        longer = jnp.where(accepted & self.limited, jnp.maximum(longer, kept), longer)
        if carries_rates(self.problem):
            longer = jnp.where(self.first, self.first_step(trial.rates), longer)
        self.new["h"] = jnp.minimum(longer, method.largest_step)
        self.new["error"] = jnp.where(accepted, jnp.maximum(measure, 1e-4), self.state["error"])
        return accepted

    # --- events -------------------------------------------------------------------------------

    def find_events(self, trial: Trial, good: Array) -> Array:
        """Looks for sign changes in a good step; where there is one the step is not taken."""
        state = self.state
        shares, sides, crossings = [], [], []
        self.before = []
        for k, event in enumerate(self.problem.events):
            at_start, slope = jax.lax.stop_gradient(
                self.value_and_slope(event.value, self.t, self.z, self.k1)
            )
            at_end = jax.lax.stop_gradient(self.call(event.value, self.t1, trial.z))
            known = state["side"][k]
            just = known == JUST_CROSSED
            heading = jnp.where(slope != 0.0, jnp.sign(slope), -float(event.direction))
            here = jnp.where(at_start != 0.0, jnp.sign(at_start), jnp.sign(slope))
            side = jnp.where(just, heading, jnp.where(known == 0.0, here, known))
            crossing = (side != 0.0) & (side * at_end <= 0.0)
            if event.direction:
                crossing = crossing & (side == -float(event.direction))
            share = self.search(trial, event, just, at_start, slope, side, at_end)
            crossings.append(crossing)
            shares.append(jnp.where(crossing, share, 2.0))
            sides.append(jnp.where(at_end != 0.0, jnp.sign(at_end), side))
            self.before.append(side)
        self.crossings = jnp.stack(crossings)
        earliest, which = shares[0], jnp.zeros(())
        for k, share in enumerate(shares[1:], start=1):
            sooner = share < earliest
            earliest = jnp.where(sooner, share, earliest)
            which = jnp.where(sooner, float(k), which)
        found = good & ~self.lands & (earliest <= 1.0)
        landing = jax.lax.stop_gradient(jnp.where(found, earliest * self.h, NO_LANDING))
        self.new["landing"] = landing
        self.new["which"] = jnp.where(found, which, state["which"])
        self.side_after = jnp.stack(sides)
        if isinstance(self.problem.method, Adaptive):
            # The step was fine; only its length was not.
            kept = jax.lax.stop_gradient(self.proposal)
            keep = found | self.lands
            self.new["h"] = jnp.where(keep, kept, self.new["h"])
            good = good | (self.lands & jnp.all(jnp.isfinite(trial.z)))
        return good & ~found

    def search(
        self,
        trial: Trial,
        event: Event,
        just: Array,
        at_start: Array,
        slope: Array,
        side: Array,
        at_end: Array,
    ) -> Array:
        """Share of the step at which the value changes sign.

        Right after an event the step begins on a zero of the value, to rounding: it is divided
        out, so that only the next one is found.
        """
        tiny = float(np.finfo(self.problem.dtype).tiny)

        def value(share: Array) -> Array:
            found = self.on_dense(trial, event, share)
            deflated = (found - at_start) / jnp.maximum(share, tiny)
            return jnp.where(just, deflated, found)

        low = jnp.where(just, jnp.abs(slope * self.h), jnp.abs(at_start))
        low = side * jnp.maximum(jax.lax.stop_gradient(low), tiny)
        high = jnp.where(just, at_end - at_start, at_end)
        return bracketed_root(value, low, high, event.rounds)

    def on_dense(self, trial: Trial, event: Event, share: Array) -> Array:
        """An event's value within the step; the search is not differentiated."""
        at = (self.t + share * self.h, trial.dense(share), self.held, self.memory, self.p)
        return self.problem.call(event.value, *jax.lax.stop_gradient(at))

    def take(self, trial: Trial, good: Array) -> None:
        """The new state, where the step is good."""
        problem, state, new = self.problem, self.state, self.new
        t1, z1 = self.t1, trial.z
        if problem.events:
            t1, z1 = self.polished(trial)
        kept = self.statistics(trial, t1, z1, good)
        if problem.events:
            t1, z1 = self.act(t1, z1, good)
        counted = 1.0 if not carries_rates(problem) else jnp.where(self.first, 0.0, 1.0)
        new |= {
            "x": jnp.where(good, z1, self.z),
            "t": jnp.where(good, t1, self.t),
            "steps": state["steps"] + jnp.where(good, counted, 0.0),
            "statistics": kept,
        }
        if carries_rates(problem):
            new["rates"] = jnp.where(good, trial.rates, self.k1)
        if isinstance(problem.method, RK4):
            advance = self.reaches & self.on_grid
            if problem.events:
                # A landing that ends on the grid, or beyond it by rounding.
                grid = self.start + (state["n"] + 1.0) * problem.method.step
                advance = jnp.where(self.lands, t1 >= grid - self.near(), advance)
            new["n"] = state["n"] + jnp.where(good & advance, 1.0, 0.0)
        if problem.controller is not None and not problem.sampled:
            remembered = problem.law(self.t, self.z, self.memory, self.p)[1]
            new["memory"] = chosen(good, remembered, self.memory)

    def polished(self, trial: Trial) -> tuple[Array, Array]:
        """Time and state moved along the motion onto the event that is landed on."""
        shift = jnp.zeros(())
        rates = jax.lax.stop_gradient(trial.rates)
        self.genuine = []
        for k, event in enumerate(self.problem.events):
            value, slope = self.value_and_slope(event.value, self.t1, trial.z, rates)
            move = newton_shift(value, jax.lax.stop_gradient(slope), 0.1 * self.state["landing"])
            shift = jnp.where(self.lands & (self.state["which"] == k), move, shift)
            # Rounding around the zero just left may look like the next one.
            doubtful = self.state["side"][k] == JUST_CROSSED
            doubtful = doubtful | (self.state["landing"] <= self.near())
            self.genuine.append(~doubtful | (self.before[k] * slope <= 0.0))
        return self.t1 + shift, trial.z + shift * rates

    def act(self, t1: Array, z1: Array, good: Array) -> tuple[Array, Array]:
        """Bookkeeping and actions of the event landed on."""
        problem, state, new = self.problem, self.state, self.new
        size = problem.size
        after, jumps = z1, jnp.asarray(False)
        status, counts, times = state["status"], [], []
        happened = []
        u = problem.command(t1, z1, self.held, self.memory, self.p)
        for k, event in enumerate(problem.events):
            here = good & self.lands & (state["which"] == k) & self.genuine[k]
            happened.append(here)
            counts.append(state["event_count"][k] + jnp.where(here, 1.0, 0.0))
            times.append(jnp.where(here, t1, state["event_time"][k]))
            if event.action is not None:
                x = problem.flatten_state(event.action(t1, problem.unflatten(z1), u, self.p))
                after = jnp.where(here, problem.project(jnp.concatenate([x, z1[size:]])), after)
                jumps = jumps | here
            if event.terminal:
                status = jnp.where(here, float(Status.EVENT), status)
        sides = []
        for k, event in enumerate(problem.events):
            # A jump moves the other events' values too: their sides are read anew.
            side = jnp.where(jumps, 0.0, self.side_after[k])
            # One that was crossed just as this one, but not landed on, is still to come.
            missed = self.lands & self.crossings[k] & ~jumps
            side = jnp.where(missed, state["side"][k], side)
            side = jnp.where(happened[k], JUST_CROSSED, side)
            sides.append(jnp.where(good, side, state["side"][k]))
            del event
        new |= {
            "side": jnp.stack(sides),
            "status": status,
            "event_count": jnp.stack(counts),
            "event_time": jnp.stack(times),
        }
        return t1, after

    # --- statistics ---------------------------------------------------------------------------

    def statistics(self, trial: Trial, t1: Array, z1: Array, good: Array) -> State:
        """Extremes and crossings at the start of the step and, before any jump, at its end."""
        acts = any(event.action is not None for event in self.problem.events)
        result: State = {}
        for name, statistic in self.problem.statistics.items():
            kept = self.state["statistics"][name]
            if isinstance(statistic, FirstCrossing):
                now = self.value_and_slope(statistic.value, self.t, self.z, self.k1)
                kept = crossed_by_jump(statistic, kept, self.t, *now)
                then = self.value_and_slope(statistic.value, t1, z1, trial.rates)
                kept = chosen(good, crossed_between(statistic, kept, t1, *then), kept)
            elif not isinstance(statistic, (Integral, Final)):
                kept = seen(statistic, kept, self.call(statistic.value, self.t, self.z))
                if acts:
                    end = seen(statistic, kept, self.call(statistic.value, t1, z1))
                    kept = chosen(good, end, kept)
            result[name] = kept
        return result


def step(problem: Problem, state: State, segment: State, p: Any) -> tuple[State, Array]:
    """One attempt, and whether the case wants another before the segment's end."""
    return _Step(problem, state, segment["start"], segment["end"], segment["most"], p).run()


def observe(problem: Problem, state: State, segment: State, p: Any) -> State:
    """State, statistics and bookkeeping at the end of a segment."""
    del segment
    t, z = state["t"], state["x"]
    held, memory = state.get("u"), state.get("memory")
    found: State = {}
    for name, statistic in problem.statistics.items():
        kept = state["statistics"][name]
        if isinstance(statistic, FirstCrossing):
            value = problem.call(statistic.value, t, z, held, memory, p)
            kept = crossed_by_jump(statistic, kept, t, value, value)
        found[name] = final_value(problem, name, kept, t, z, held, memory, p)
    keys = ("t", "status", "steps", "attempts")
    keys += ("which", "event_time", "event_count") if problem.events else ()
    return {"x": z[: problem.size], "statistics": found} | {key: state[key] for key in keys}
