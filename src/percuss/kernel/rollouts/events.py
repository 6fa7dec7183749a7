"""Events within one attempt: find them, land on them, act."""

from __future__ import annotations

import functools
import operator
from typing import Any, NamedTuple

import numpy as np

from percuss.kernel.rollouts.attempt import NO_LANDING, SMOOTH_LANDING, Attempt, all_finite
from percuss.kernel.rollouts.jets import jet
from percuss.kernel.rollouts.methods import ErrorControlled
from percuss.kernel.rollouts.methods.trial import Trial
from percuss.kernel.rollouts.problem import Event
from percuss.kernel.rollouts.resolution import LOOKS, SHORTEST, step_factor
from percuss.kernel.rollouts.roots import Bracket, bracketed, hermite_top
from percuss.kernel.rollouts.sides import EventSides, Look, Reading, is_due, read
from percuss.kernel.tracing.derivatives import hold
from percuss.kernel.tracing.parts import Part

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
        if isinstance(at.problem.method, ErrorControlled):
            good = good | (at.lands & all_finite(trial.z))
        landings, repeats, losses = [], [], []
        for k, event in enumerate(at.problem.events):
            look, reading = self.look(k, trial, event)
            mine = at.lands & (state["which"] == k)
            value, slope = hold(self.ends[k])
            # Zero, and flat: the end of the sign may lie before.
            plateau = mine & (state["origin"] < 0.0) & (state["landing"] > 0.0)
            plateau = plateau & (value == 0.0) & (slope == 0.0)
            halves = plateau | (mine & (state["origin"] >= 0.0))
            landing, least = self.search(trial, event, look, reading, halves=halves)
            landings.append(landing)
            repeats.append(plateau)
            losses.append(np.isnan(look.start) | np.isnan(look.end) | np.isnan(least))
        longer = self.longer(trial)
        if longer is not None:
            good = good & (at.lands | (longer >= 1.0))
        first, which = _earliest(landings)
        arrives = at.arrives & ~functools.reduce(operator.or_, repeats)
        self.lost = good & functools.reduce(operator.or_, losses)
        good = good & ~self.lost
        self.rests, resting = self.at_rest(good)
        good = good & ~self.rests
        found = good & ~arrives & (first.key <= 1.0)
        h = hold(at.h)
        origin = np.where(first.origin < 0.0, SMOOTH_LANDING, first.origin * h)
        new["landing"] = np.where(found, first.goal * h, NO_LANDING)
        new["origin"] = np.where(found, origin, SMOOTH_LANDING)
        new["which"] = np.where(found, which, np.where(self.rests, resting, state["which"]))
        if isinstance(at.problem.method, ErrorControlled):
            # The step was fine; only its length was not.
            kept = hold(at.proposal)
            new["h"] = np.where(found | at.lands, kept, new["h"])
            if longer is not None:
                new["h"] = np.where(at.lands, new["h"], np.minimum(new["h"], longer * h))
        self.arrived = good & arrives
        return good & ~found

    def longer(self, trial: Trial) -> Array | None:
        """The factor by which the step may be longer for every value to be resolved to show in it.

        The step is too long for that where it is below 1. None where there is no such value, or no
        choice.
        """
        at, factors = self.at, []
        for event, look, reading in zip(at.problem.events, self.looks, self.readings, strict=True):
            if event.resolved and isinstance(at.problem.method, ErrorControlled):
                between = [self.found_on(trial, event, np.asarray(share)) for share in LOOKS]
                factors.append(step_factor(look, reading, hold(at.h), hold(between), eps=at.eps))
        if not factors:
            return None
        span = at.state["finish"] - at.state["begin"]
        factor = functools.reduce(np.minimum, factors)
        return np.where(hold(at.h) <= SHORTEST * span, np.maximum(factor, 1.0), factor)

    def at_rest(self, good: Array) -> tuple[Array, Array]:
        """Where an event would repeat itself without end, once all that are due have happened."""
        at, side = self.at, self.at.state["side"]
        rests = good & ~at.lands & functools.reduce(operator.or_, (r.rests for r in self.readings))
        if len(self.readings) > 1:
            rests = rests & ~functools.reduce(operator.or_, map(is_due, side))
        which = np.zeros(())
        for k, reading in enumerate(self.readings[1:], 1):
            which = np.where(reading.rests, float(k), which)
        return rests, which

    def watch(self, k: int) -> EventSides:
        problem = self.at.problem
        event, others = problem.events[k], problem.events[:k] + problem.events[k + 1 :]
        return EventSides(
            direction=event.direction,
            acts=event.action is not None,
            beside=bool(others),
            disturbed=any(other.action is not None for other in others),
            zero=event.band(problem.dtype),
            eps=self.at.eps,
        )

    def look(self, k: int, trial: Trial, event: Event) -> tuple[Look, Reading]:
        """The value of an event over the step, and what to make of it."""
        at, state = self.at, self.at.state
        others = (at.held, at.memory, at.p)

        def along(t: Array, z: Array, motion: Any, bend: Array, *others: Any) -> Any:
            return jet(lambda t, z: at.problem.call(event.value, t, z, *others), t, z, motion, bend)

        # One function for both ends of the step: its code is long.
        both = Part(along, whole=True)
        start, first, second = both(at.t, at.z, (at.h, at.h * at.k1), trial.bend(), *others)
        motion, straight = (np.ones(()), hold(trial.rates)), np.zeros_like(at.z)
        end, end_slope, _ = both(at.t1, trial.z, motion, straight, *others)
        self.ends.append((end, end_slope))
        rounding = BLUR * at.near()
        blur, brief = np.abs(end_slope) * rounding, np.abs(at.h) <= rounding
        look = Look(*hold((start, first, second, end, end_slope, blur, brief)))
        speed = state["speed"][k] * hold(at.h)
        reading = read(look, state["side"][k], speed, self.watch(k))
        self.readings.append(reading)
        self.looks.append(look)
        return look, reading

    def search(
        self, trial: Trial, event: Event, look: Look, reading: Reading, *, halves: Array
    ) -> tuple[Landing, Array]:
        """Where the value changes sign, and the smallest size it was seen to have.

        A zero at the very beginning, to rounding, is divided out, so that only the next one is
        found. A value that goes across and comes back within the step is caught at the bottom
        of its dip.
        """
        tiny = float(np.finfo(self.at.problem.dtype).tiny)
        side, divides = reading.side, reading.on_zero
        shift = np.where(reading.late, side * event.band(self.at.problem.dtype), 0.0)
        h = hold(self.at.h)
        outside = (look.start, look.slope, look.end, look.end_slope * h)
        outside = tuple(-side * v for v in outside)
        bottom = hermite_top(np.ones(()), *outside)
        dip = self.found_on(trial, event, bottom)
        dips = ~reading.crossing & ~divides & (side * dip <= 0.0) & (bottom < 1.0)
        if event.direction:
            dips = dips & (side == -float(event.direction))
        dips = dips & (side != 0.0)

        offset, least_divisor = (
            np.where(divides, -look.start, shift),
            np.where(divides, tiny, 1.0),
        )

        def value(share: Array) -> Array:
            found = self.found_on(trial, event, share)
            return (found + offset) / np.maximum(share, least_divisor)

        last = np.where(dips, bottom, 1.0)
        low = np.abs(np.where(divides, look.slope, look.start + shift))
        high = np.where(dips, dip, look.end + offset)
        begin = np.where(halves, np.maximum(self.at.state["origin"], 0.0), 0.0)
        begin = begin / np.where(halves & (h > 0.0), h, 1.0)
        low = side * np.maximum(low, tiny)
        made: Bracket = bracketed(
            value, low, high, event.rounds, begin=begin, end=last, halve=halves
        )
        small, large = (f(np.abs(low), np.abs(high)) for f in (np.minimum, np.maximum))
        close = made.least <= np.maximum(RESOLVED * small, 4.0 * self.at.eps * large)
        resolved = (reading.shallow | close) & ~halves
        guess = np.where(reading.shallow, reading.back, made.guess)
        crossing = reading.crossing | dips
        key = np.where(resolved, guess, made.low)
        goal = np.where(resolved, guess, made.high)
        origin = np.where(resolved, SMOOTH_LANDING, made.low)
        key, goal, origin = (np.where(reading.at_once, 0.0, v) for v in (key, goal, origin))
        return Landing(np.where(crossing, key, 2.0), goal, origin), made.least

    def found_on(self, trial: Trial, event: Event, share: Array) -> Array:
        """An event's value within the step, for the search, which is not differentiated."""
        at = self.at
        point = (at.t + share * at.h, trial.dense(share), at.held, at.memory, at.p)
        return at.problem.call(event.value, *hold(point))


def _earliest(landings: list[Landing]) -> tuple[Landing, Array]:
    """The first of several, in time and then in the list, and which it is."""
    first, which = landings[0], np.zeros(())
    for k, landing in enumerate(landings[1:], 1):
        sooner = landing.key < first.key
        first = Landing(*(np.where(sooner, a, b) for a, b in zip(landing, first, strict=True)))
        which = np.where(sooner, float(k), which)
    return first, which
