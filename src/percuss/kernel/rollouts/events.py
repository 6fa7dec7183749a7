"""Events within one attempt: find them, land on them, act."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from percuss.kernel.rollouts.attempt import NO_LANDING, SMOOTH_LANDING, Attempt
from percuss.kernel.rollouts.problem import Event
from percuss.kernel.rollouts.roots import Bracket, bracketed, hermite_top
from percuss.kernel.rollouts.sides import Look, Reading, is_due, read
from percuss.kernel.rollouts.steppers import Adaptive, Trial

Array = Any

RESOLVED = 1e-9
"""A search that came this close to zero, as a share of the smaller value at the ends, has found a
zero; one that has not may have a jump before it, and is continued by bisection."""
BLUR = 8.0
"""Times as close as this many times `Attempt.near` may be those of the same zero."""


class Landing(NamedTuple):
    """Where an event was found, as shares of the step."""

    key: Array
    """Not after the event: what decides which of several events comes first."""
    goal: Array
    """Where to step next."""
    origin: Array
    """Beginning of what is still to be searched, SMOOTH_LANDING when nothing is."""


class EventStage:
    """Looks for events in one attempt; `Arrival` then acts on them.

    Where a step that could be taken crosses an event, it is not taken: its length to the sign
    change is kept as `landing`, and the next attempt steps exactly there. Where the search did
    not come near zero the value jumps: then the bracket, from `origin` to `landing`, is kept,
    and the next attempts go on halving it until rounding is all that is left.
    """

    def __init__(self, attempt: Attempt) -> None:
        self.at = attempt
        self.looks: list[Look] = []
        self.readings: list[Reading] = []
        self.ends: list[tuple[Array, Array]] = []
        """Value and slope (1/s) of each event at the end of the step, differentiable."""

    def find(self, trial: Trial, good: Array) -> Array:
        """Looks for sign changes in a good step; where there is one the step is not taken.

        Sets `lost` where a value is not a number and `rests` where an event would repeat itself
        without end.
        """
        at, state, new = self.at, self.at.state, self.at.new
        if isinstance(at.problem.method, Adaptive):
            good = good | (at.lands & jnp.all(jnp.isfinite(trial.z)))
        first, which = Landing(jnp.full((), 2.0), jnp.zeros(()), jnp.zeros(())), jnp.zeros(())
        lost = rests = repeated = jnp.asarray(False)
        resting, due = jnp.zeros(()), jnp.asarray(False)
        for k, event in enumerate(at.problem.events):
            look, reading = self.look(k, trial, event)
            mine = at.lands & (state["which"] == k)
            value, slope = jax.lax.stop_gradient(self.ends[k])
            # Zero, and flat: the end of the sign may lie before.
            plateau = mine & (state["origin"] < 0.0) & (state["landing"] > 0.0)
            plateau = plateau & (value == 0.0) & (slope == 0.0)
            halves = plateau | (mine & (state["origin"] >= 0.0))
            landing, least = self.search(trial, event, look, reading, halves)
            sooner = landing.key < first.key
            first = Landing(*(jnp.where(sooner, a, b) for a, b in zip(landing, first, strict=True)))
            which = jnp.where(sooner, float(k), which)
            repeated = repeated | plateau
            lost = lost | jnp.isnan(look.start) | jnp.isnan(look.end) | jnp.isnan(least)
            rests, due = rests | reading.rests, due | is_due(state["side"][k])
            resting = jnp.where(reading.rests, float(k), resting)
        arrives = at.arrives & ~repeated
        self.lost = good & lost
        self.rests = good & rests & ~at.lands & ~lost & ~due
        good = good & ~self.lost & ~self.rests
        found = good & ~arrives & (first.key <= 1.0)
        h = jax.lax.stop_gradient(at.h)
        origin = jnp.where(first.origin < 0.0, SMOOTH_LANDING, first.origin * h)
        new["landing"] = jnp.where(found, first.goal * h, NO_LANDING)
        new["origin"] = jnp.where(found, origin, SMOOTH_LANDING)
        new["which"] = jnp.where(found, which, jnp.where(self.rests, resting, state["which"]))
        if isinstance(at.problem.method, Adaptive):
            # The step was fine; only its length was not.
            kept = jax.lax.stop_gradient(at.proposal)
            new["h"] = jnp.where(found | at.lands, kept, new["h"])
        self.arrived = good & arrives
        return good & ~found

    def look(self, k: int, trial: Trial, event: Event) -> tuple[Look, Reading]:
        """The value of an event over the step, and what to make of it."""
        at, state = self.at, self.at.state

        def slope(share: Array) -> tuple[Array, Array]:
            """Slope by the share of the step, and the value."""
            one = jnp.ones_like(share)
            value, change = jax.jvp(lambda s: self.on_dense(trial, event, s), (share,), (one,))
            return change, value

        zero_share = jnp.zeros(())
        first, second, start = jax.jvp(
            slope, (zero_share,), (jnp.ones_like(zero_share),), has_aux=True
        )
        rates = jax.lax.stop_gradient(trial.rates)
        self.ends.append(at.value_and_slope(event.value, at.t1, trial.z, rates))
        end, end_slope = self.ends[k]
        blur = BLUR * jnp.abs(end_slope) * at.near()
        look = Look(*jax.lax.stop_gradient((start, first, second, end, end_slope, blur)))
        zero = event.band(at.problem.dtype)
        speed = state["speed"][k] * jax.lax.stop_gradient(at.h)
        acts = event.action is not None
        reading = read(look, state["side"][k], speed, event.direction, acts, zero, at.eps)
        self.readings.append(reading)
        self.looks.append(look)
        return look, reading

    def search(
        self, trial: Trial, event: Event, look: Look, reading: Reading, halves: Array
    ) -> tuple[Landing, Array]:
        """Where the value changes sign, and the smallest size it was seen to have.

        A zero at the very beginning, to rounding, is divided out, so that only the next one is
        found. A value that goes across and comes back within the step is caught at the bottom
        of its dip.
        """
        tiny = float(np.finfo(self.at.problem.dtype).tiny)
        side, divides = reading.side, reading.on_zero
        shift = jnp.where(reading.late, side * event.band(self.at.problem.dtype), 0.0)
        h = jax.lax.stop_gradient(self.at.h)
        outside = (look.start, look.slope, look.end, look.end_slope * h)
        outside = tuple(-side * v for v in outside)
        bottom = hermite_top(jnp.ones(()), *outside)
        dip = self.found_on(trial, event, bottom)
        dips = ~reading.crossing & ~divides & (side * dip <= 0.0) & (bottom < 1.0)
        if event.direction:
            dips = dips & (side == -float(event.direction))
        dips = dips & (side != 0.0)

        def value(share: Array) -> Array:
            found = self.found_on(trial, event, share)
            return jnp.where(
                divides, (found - look.start) / jnp.maximum(share, tiny), found + shift
            )

        last = jnp.where(dips, bottom, 1.0)
        low = jnp.abs(jnp.where(divides, look.slope, look.start + shift))
        high = jnp.where(dips, dip, jnp.where(divides, look.end - look.start, look.end + shift))
        begin = jnp.where(halves, jnp.maximum(self.at.state["origin"], 0.0), 0.0)
        begin = begin / jnp.where(halves & (h > 0.0), h, 1.0)
        low = side * jnp.maximum(low, tiny)
        made: Bracket = bracketed(
            value, low, high, event.rounds, begin=begin, end=last, halve=halves
        )
        small, large = (f(jnp.abs(low), jnp.abs(high)) for f in (jnp.minimum, jnp.maximum))
        close = made.least <= jnp.maximum(RESOLVED * small, 4.0 * self.at.eps * large)
        resolved = (reading.shallow | close) & ~halves
        guess = jnp.where(reading.shallow, reading.back, made.guess)
        crossing = reading.crossing | dips
        key = jnp.where(resolved, guess, made.low)
        goal = jnp.where(resolved, guess, made.high)
        origin = jnp.where(resolved, SMOOTH_LANDING, made.low)
        key, goal, origin = (jnp.where(reading.at_once, 0.0, v) for v in (key, goal, origin))
        return Landing(jnp.where(crossing, key, 2.0), goal, origin), made.least

    def on_dense(self, trial: Trial, event: Event, share: Array) -> Array:
        """An event's value within the step."""
        at = self.at
        return at.call(event.value, at.t + share * at.h, trial.dense(share))

    def found_on(self, trial: Trial, event: Event, share: Array) -> Array:
        """The same for the search, which is not differentiated."""
        at = self.at
        point = (at.t + share * at.h, trial.dense(share), at.held, at.memory, at.p)
        return at.problem.call(event.value, *jax.lax.stop_gradient(point))
