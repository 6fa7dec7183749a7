"""Events within one attempt: find them, land on them, act."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from percuss.kernel.rollouts.attempt import JUST_CROSSED, NO_LANDING, Attempt, Status
from percuss.kernel.rollouts.problem import Event
from percuss.kernel.rollouts.roots import bracketed_root, newton_shift
from percuss.kernel.rollouts.steppers import Adaptive, Trial

Array = Any


class EventStage:
    """The events of one attempt, in the order find, polished, act.

    Where a step that could be taken crosses an event, it is not taken: its length to the sign
    change is kept as `landing`, and the next attempt steps exactly there.
    """

    def __init__(self, attempt: Attempt) -> None:
        self.at = attempt
        self.before: list[Array] = []
        self.genuine: list[Array] = []

    def find(self, trial: Trial, good: Array) -> Array:
        """Looks for sign changes in a good step; where there is one the step is not taken."""
        state = self.at.state
        shares, sides, crossings = [], [], []
        for k, event in enumerate(self.at.problem.events):
            at_start, slope = jax.lax.stop_gradient(
                self.at.value_and_slope(event.value, self.at.t, self.at.z, self.at.k1)
            )
            at_end = jax.lax.stop_gradient(self.at.call(event.value, self.at.t1, trial.z))
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
        found = good & ~self.at.lands & (earliest <= 1.0)
        landing = jax.lax.stop_gradient(jnp.where(found, earliest * self.at.h, NO_LANDING))
        self.at.new["landing"] = landing
        self.at.new["which"] = jnp.where(found, which, state["which"])
        self.side_after = jnp.stack(sides)
        if isinstance(self.at.problem.method, Adaptive):
            # The step was fine; only its length was not.
            kept = jax.lax.stop_gradient(self.at.proposal)
            keep = found | self.at.lands
            self.at.new["h"] = jnp.where(keep, kept, self.at.new["h"])
            good = good | (self.at.lands & jnp.all(jnp.isfinite(trial.z)))
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
        tiny = float(np.finfo(self.at.problem.dtype).tiny)

        def value(share: Array) -> Array:
            found = self.on_dense(trial, event, share)
            deflated = (found - at_start) / jnp.maximum(share, tiny)
            return jnp.where(just, deflated, found)

        low = jnp.where(just, jnp.abs(slope * self.at.h), jnp.abs(at_start))
        low = side * jnp.maximum(jax.lax.stop_gradient(low), tiny)
        high = jnp.where(just, at_end - at_start, at_end)
        return bracketed_root(value, low, high, event.rounds)

    def on_dense(self, trial: Trial, event: Event, share: Array) -> Array:
        """An event's value within the step; the search is not differentiated."""
        at = (
            self.at.t + share * self.at.h,
            trial.dense(share),
            self.at.held,
            self.at.memory,
            self.at.p,
        )
        return self.at.problem.call(event.value, *jax.lax.stop_gradient(at))

    def polished(self, trial: Trial) -> tuple[Array, Array]:
        """Time and state moved along the motion onto the event that is landed on."""
        shift = jnp.zeros(())
        rates = jax.lax.stop_gradient(trial.rates)
        for k, event in enumerate(self.at.problem.events):
            value, slope = self.at.value_and_slope(event.value, self.at.t1, trial.z, rates)
            move = newton_shift(value, jax.lax.stop_gradient(slope), 0.1 * self.at.state["landing"])
            shift = jnp.where(self.at.lands & (self.at.state["which"] == k), move, shift)
            # Rounding around the zero just left may look like the next one.
            doubtful = self.at.state["side"][k] == JUST_CROSSED
            doubtful = doubtful | (self.at.state["landing"] <= self.at.near())
            self.genuine.append(~doubtful | (self.before[k] * slope <= 0.0))
        return self.at.t1 + shift, self.at.problem.project(trial.z + shift * rates)

    def act(self, t1: Array, z1: Array, good: Array) -> tuple[Array, Array]:
        """Bookkeeping and actions of the event landed on."""
        problem, state, new = self.at.problem, self.at.state, self.at.new
        size = problem.size
        after, jumps = z1, jnp.asarray(False)
        status, counts, times = state["status"], [], []
        happened = []
        u = problem.command(t1, z1, self.at.held, self.at.memory, self.at.p)
        for k, event in enumerate(problem.events):
            here = good & self.at.lands & (state["which"] == k) & self.genuine[k]
            happened.append(here)
            counts.append(state["event_count"][k] + jnp.where(here, 1.0, 0.0))
            times.append(jnp.where(here, t1, state["event_time"][k]))
            if event.action is not None:
                x = problem.flatten_state(event.action(t1, problem.unflatten(z1), u, self.at.p))
                after = jnp.where(here, problem.project(jnp.concatenate([x, z1[size:]])), after)
                jumps = jumps | here
            if event.terminal:
                status = jnp.where(here, float(Status.EVENT), status)
        sides = []
        for k in range(len(problem.events)):
            # A jump moves the other events' values too: their sides are read anew.
            side = jnp.where(jumps, 0.0, self.side_after[k])
            # One that was crossed just as this one, but not landed on, is still to come.
            missed = self.at.lands & self.crossings[k] & ~jumps
            side = jnp.where(missed, state["side"][k], side)
            side = jnp.where(happened[k], JUST_CROSSED, side)
            sides.append(jnp.where(good, side, state["side"][k]))
        new |= {
            "side": jnp.stack(sides),
            "status": status,
            "event_count": jnp.stack(counts),
            "event_time": jnp.stack(times),
        }
        return t1, after
