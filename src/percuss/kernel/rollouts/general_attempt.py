"""One attempt of the general time loop, from sampling to judgement."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

import numpy as np

from percuss.kernel.rollouts import pace
from percuss.kernel.rollouts.accumulation import accumulated
from percuss.kernel.rollouts.arrival import EventArrival
from percuss.kernel.rollouts.attempt import (
    RUNNING,
    Attempt,
    State,
    Status,
    all_finite,
    carries_rates,
)
from percuss.kernel.rollouts.events import EventStage
from percuss.kernel.rollouts.fixed_step import chosen
from percuss.kernel.rollouts.methods import RK4, ErrorControlled
from percuss.kernel.rollouts.methods.control import first_step
from percuss.kernel.rollouts.methods.dense import hermite
from percuss.kernel.rollouts.methods.rk4 import rk4_step
from percuss.kernel.rollouts.methods.trial import StepEquation, Trial
from percuss.kernel.tracing.derivatives import hold

Array = Any

TAKEN = ("x", "t", "n", "steps", "rates", "piece")
TAKEN += ("side", "event_count", "event_time", "speed", "stalls")
"""What changes only when a step is taken."""


class GeneralAttempt(Attempt):
    """One attempt of one case, from sampling to judgement."""

    def run(self) -> tuple[State, Array]:
        state, problem = self.state, self.problem
        alive = (state["status"] == RUNNING) & (self.t < self.end)
        self.sample()
        if carries_rates(problem):
            self.k1, healthy = state["rates"], True
        else:
            self.k1 = self.rates(self.t, self.z)
            healthy = all_finite(self.z) & all_finite(self.k1)
        too_small = self.choose_step()
        trial = self.attempt()
        finite = all_finite(trial.z) & all_finite(trial.rates)
        if isinstance(problem.method, ErrorControlled):
            accepted = self.control(trial, finite)
            # The first attempt fetches the rates where they are carried; if it is a step, one that
            # leads nowhere is tried again, shorter.
            fetched = self.first if carries_rates(problem) else False
            bad = (fetched & ~finite) | ~np.asarray(healthy)
        else:
            accepted, bad = finite, ~finite
        new = self.new
        new["attempts"] = state["attempts"] + 1.0
        good = accepted & ~bad & ~too_small & alive
        events = EventStage(self) if problem.events else None
        if events is not None:
            good = events.find(trial, good)
            bad = bad | events.lost
        self.take(trial, good, events)
        if events is not None:
            piled = np.where(events.rests, float(Status.ACCUMULATED), new["status"])
            new["status"] = piled
        status = np.where(too_small, float(Status.STEP_UNDERFLOW), new["status"])
        status = np.where(bad, float(Status.NOT_FINITE), status)
        out = new["attempts"] >= self.most
        if isinstance(problem.method, ErrorControlled):
            out = out | self.foresee()
        out = out & (status == RUNNING) & (new["t"] < self.end)
        new["status"] = np.where(out, float(Status.MAX_STEPS), status)
        # What a good step alone changes is held already.
        held = {key: value for key, value in state.items() if key not in TAKEN}
        new |= chosen(alive, {key: new[key] for key in held}, held)
        return new, (new["status"] == RUNNING) & (new["t"] < self.end)

    def foresee(self) -> Array:
        """Whether the case will not come to its end; notes how far it has come."""
        state, new = self.state, self.new
        kept = {key: state[key] for key in pace.start_state()}
        noted, hopeless = pace.looked(
            kept, new["t"], new["attempts"], state["finish"], most=self.most
        )
        new |= noted
        return hopeless

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
            "samples": state["samples"] + np.where(due, 1.0, 0.0),
        }

    def sample_time(self, index: Array) -> Array:
        """The time (s) of a sample; on the grid of RK4 in the very bits of the grid."""
        assert self.problem.controller is not None
        if isinstance(self.problem.method, RK4):
            return self.start + index * float(self.problem.samples_every) * self.problem.method.step
        return self.start + index * self.problem.controller.period

    def choose_step(self) -> Array:
        """Sets h and the time it leads to; tells whether the step is too small to go on."""
        problem, state, method = self.problem, self.state, self.problem.method
        boundary = self.boundary
        if problem.sampled:
            boundary = np.minimum(boundary, self.sample_time(self.new["samples"]))
        if isinstance(method, RK4):
            grid = self.start + (state["n"] + 1.0) * method.step
            self.on_grid = grid <= boundary + self.near()
            boundary = np.where(self.on_grid & (grid < boundary - self.near()), grid, boundary)
            self.proposal = boundary - self.t
            too_small = np.asarray(False)
        else:
            assert problem.norm is not None
            if carries_rates(problem):
                self.proposal = np.where(self.first, 0.0, state["h"])
            else:
                self.proposal = np.where(self.first, self.first_step(self.k1), state["h"])
            smallest = np.maximum(method.smallest_step, 16.0 * self.eps * np.abs(self.t))
            too_small = (self.proposal < smallest) & ~self.first
        self.reaches = self.t + self.proposal >= boundary - self.near()
        self.limited = self.t + self.proposal > boundary
        # Differentiated where it ends at a given time; the chosen length itself is not.
        self.h = np.where(self.reaches, boundary - self.t, hold(self.proposal))
        self.t1 = np.where(self.reaches, boundary, self.t + self.h)
        if problem.events:
            self.lands = state["landing"] >= 0.0
            width = state["landing"] - np.maximum(state["origin"], 0.0)
            self.arrives = self.lands & ((state["origin"] < 0.0) | (width <= self.near()))
            self.h = np.where(self.lands, hold(state["landing"]), self.h)
            self.t1 = np.where(self.lands, self.t + self.h, self.t1)
            too_small = too_small & ~self.lands
        return too_small

    def first_step(self, k: Array) -> Array:
        method, norm = self.problem.method, self.problem.norm
        assert isinstance(method, ErrorControlled)
        if method.first_step is not None:
            return np.asarray(method.first_step, np.float64)
        assert norm is not None
        size = self.problem.size
        z, k = hold((self.z[:size], k[:size]))
        guess = first_step(norm, z, k)
        return np.clip(guess, method.smallest_step, method.largest_step)

    def attempt(self) -> Trial:
        """The step, its end projected."""
        problem = self.problem
        if isinstance(problem.method, ErrorControlled):
            motion = StepEquation(self.rates, self.linearised)
            trial = problem.method.trial(motion, self.t, self.z, self.h, k1=self.k1)
            return replace(trial, z=problem.project(trial.z))
        z1 = problem.project(rk4_step(self.rates, self.t, self.z, self.h, k1=self.k1))
        end = self.rates(self.t1, z1)
        return Trial(
            start=self.z,
            z=z1,
            rates=end,
            error=lambda _: np.zeros(()),
            powers=functools.cache(lambda: hermite(self.z, self.k1, z1, end, self.h)),
        )

    def control(self, trial: Trial, finite: Array) -> Array:
        """Whether the error allows the step; proposes the next one."""
        method, norm, size = self.problem.method, self.problem.norm, self.problem.size
        assert isinstance(method, ErrorControlled)
        assert norm is not None
        old, new = hold((self.z[:size], trial.z[:size]))
        scale = norm.scale(old, new)
        measure = trial.error(lambda *errors: norm([hold(e[:size]) for e in errors], old, scale))
        measure = np.where(finite, measure, np.inf)
        accepted = finite & (measure <= 1.0)
        h = hold(self.h)
        longer = h * method.control.factor(measure, self.state["error"], accepted)
        # A step cut short by a boundary says little about how long the next may be.
        kept = hold(self.proposal)
        longer = np.where(accepted & self.limited, np.maximum(longer, kept), longer)
        if carries_rates(self.problem):
            longer = np.where(self.first, self.first_step(trial.rates), longer)
        self.new["h"] = np.minimum(longer, method.largest_step)
        self.new["error"] = method.control.noted(measure, self.state["error"], accepted)
        return accepted

    def take(self, trial: Trial, good: Array, events: EventStage | None) -> None:
        """The new state, where the step is good."""
        problem, state, new = self.problem, self.state, self.new
        t1, z1 = self.t1, trial.z
        arrival = None if events is None else EventArrival(self, events)
        if arrival is not None:
            t1, z1 = arrival.polished(trial)
        kept = accumulated(self, trial, t1, z1, good=good)
        if arrival is not None:
            z1 = arrival.act(t1, z1)
            keys = ("side", "event_count", "event_time", "speed", "stalls", "status")
            new |= {key: np.where(good, new[key], state[key]) for key in keys}
        counted = 1.0 if not carries_rates(problem) else np.where(self.first, 0.0, 1.0)
        new |= {
            "x": np.where(good, z1, self.z),
            "t": np.where(good, t1, self.t),
            "steps": state["steps"] + np.where(good, counted, 0.0),
            "statistics": kept,
        }
        if carries_rates(problem):
            new["rates"] = np.where(good, trial.rates, self.k1)
        if "piece" in state:
            size = problem.size
            taken = {
                "t": self.t,
                "h": self.h,
                "start": self.z[:size],
                "powers": np.stack([power[:size] for power in trial.powers()]),
            }
            new["piece"] = chosen(good, taken, state["piece"])
        if isinstance(problem.method, RK4):
            advance = self.reaches & self.on_grid
            if problem.events:
                # A landing that ends on the grid, or beyond it by rounding.
                grid = self.start + (state["n"] + 1.0) * problem.method.step
                advance = np.where(self.lands, t1 >= grid - self.near(), advance)
            new["n"] = state["n"] + np.where(good & advance, 1.0, 0.0)
        if problem.controller is not None and not problem.sampled:
            remembered = problem.law(self.t, self.z, self.memory, self.p)[1]
            new["memory"] = chosen(good, remembered, self.memory)
