"""What happens where an attempt has landed on an event: the last correction, actions, the end."""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np

from percuss.kernel.rollouts.attempt import Attempt, Status
from percuss.kernel.rollouts.events import EventStage
from percuss.kernel.rollouts.methods.trial import Trial
from percuss.kernel.rollouts.problem import Event
from percuss.kernel.rollouts.roots import newton_shift
from percuss.kernel.rollouts.sides import DUE, JUST_CROSSED, THROWN, TOUCHED, UNKNOWN, is_due
from percuss.kernel.tracing.derivatives import hold

Array = Any

MOST_STALLS = 64.0
"""Landings in a row without time going on, and one more for each event that may happen at the same
instant, after which the events count as accumulated."""


class EventArrival:
    """Lands on the event that was found.

    Of those at the very same instant the first in the list happens now; the others are due, and
    the next attempts take them one by one.
    """

    def __init__(self, attempt: Attempt, stage: EventStage) -> None:
        self.at = attempt
        self.stage = stage
        self.ready: list[Array] = []
        """Whether each event happens here: now, or as soon as those before it have."""
        self.values: list[Array] = []
        """Of each event where it has landed."""

    def polished(self, trial: Trial) -> tuple[Array, Array]:
        """Time and state moved along the motion onto the event that is landed on.

        The shift itself is that of the event landed on, its derivative that of the one that
        happens: at the same instant, but a perturbation may move one without the other.
        """
        at, state = self.at, self.at.state
        shift = np.zeros(())
        rates = hold(trial.rates)
        narrowed = (state["origin"] >= 0.0) & (state["landing"] > 0.0)
        most = np.where(narrowed, 4.0 * at.near(), 0.1 * state["landing"])
        chosen = [self.stage.arrived & (state["which"] == k) for k in range(self.count)]
        moves = [newton_shift(v, hold(s), np.inf) for v, s in self.stage.ends]
        fixed = [hold(move) for move in moves]
        for k in range(self.count):
            move = np.where(np.abs(fixed[k]) <= most, fixed[k], 0.0)
            shift = np.where(chosen[k], move, shift)
        changes = []
        for k, event in enumerate(at.problem.events):
            beside = self.coincides(k, event, shift)
            landed = chosen[k] & self.genuine(k)
            self.ready.append(landed if beside is None else landed | beside)
            # Not where the value jumps. At the very beginning of a step there is nowhere to
            # move, but a perturbed start would be on zero a little later; and where a kink
            # made the search narrow, the value is zero as far as its rounding tells.
            value = hold(self.stage.ends[k][0])
            smooth = np.abs(value) <= self.zero(event)
            smooth = smooth | (np.abs(fixed[k]) <= most)
            smooth = smooth if beside is None else smooth | beside
            changes.append(np.where(self.happens(k) & smooth, moves[k] - fixed[k], 0.0))
        carried = functools.reduce(operator.add, changes)
        shift = shift + carried
        return at.t1 + shift, at.problem.project(trial.z + shift * rates)

    def happens(self, k: int) -> Array:
        """Whether event k happens now: the first that is ready."""
        if k == 0:
            return self.ready[0]
        return self.ready[k] & ~functools.reduce(operator.or_, self.ready[:k])

    @property
    def count(self) -> int:
        return len(self.at.problem.events)

    def zero(self, event: Event) -> float:
        return event.band(self.at.problem.dtype)

    def genuine(self, k: int) -> Array:
        """Rounding around the zero just left may look like the next one; its slope does not."""
        state = self.at.state
        doubtful = (state["side"][k] == JUST_CROSSED) | (state["landing"] <= self.at.near())
        _, slope = hold(self.stage.ends[k])
        turned = self.stage.readings[k].side * slope <= 0.0
        return ~doubtful | turned | (state["landing"] == 0.0)

    def coincides(self, k: int, event: Event, shift: Array) -> Array | None:
        """Whether another event's value is on zero too, on its way across.

        Not in a step of no length: what happens then was found before. None when there is no
        other event.
        """
        value, slope, move = hold((*self.stage.ends[k], shift))
        value = value + slope * move
        self.values.append(value)
        if self.count == 1:
            return None
        side = self.stage.readings[k].side
        here = np.abs(value) <= np.maximum(self.zero(event), np.abs(slope) * self.at.near())
        crosses = side * slope < 0.0
        if event.direction:
            crosses = crosses & (side == -float(event.direction))
        state = self.at.state
        others = (state["which"] != k) & (state["landing"] != 0.0)
        return self.stage.arrived & others & here & crosses

    def act(self, t1: Array, z1: Array) -> Array:
        """Bookkeeping and action; returns the state to go on with."""
        problem, state, new = self.at.problem, self.at.state, self.at.new
        after, jumps = z1, []
        status, which = state["status"], new["which"]
        counts, times, speeds, happened = [], [], [], []
        x = problem.unflatten(z1)
        u = problem.command(t1, z1, self.at.held, self.at.memory, self.at.p)
        for k, event in enumerate(problem.events):
            here = self.happens(k)
            stops = here if event.terminal is True else np.asarray(False)
            acts = here
            if callable(event.terminal):
                stops = here & event.terminal(t1, x, u, self.at.p)
                acts = here & ~stops
            if event.action is not None:
                changed = problem.flatten_state(event.action(t1, x, u, self.at.p))
                changed = problem.project(np.concatenate([changed, z1[problem.size :]]))
                after = np.where(acts, changed, after)
                jumps.append(acts)
            counts.append(state["event_count"][k] + np.where(here, 1.0, 0.0))
            status = np.where(stops, float(Status.EVENT), status)
            if event.most is not None:
                enough = here & ~stops & (counts[k] >= float(event.most))
                status = np.where(enough, float(Status.EVENT_LIMIT), status)
                stops = stops | enough
            which = np.where(stops, float(k), which)
            times.append(np.where(here, t1, state["event_time"][k]))
            slope = hold(self.stage.ends[k][1])
            fastest = np.maximum(np.abs(slope), np.abs(state["speed"][k]))
            # One that was due before has its speed from then: an action may have turned it.
            crosses = self.ready[k]
            if self.count > 1:
                crosses = crosses & ~is_due(state["side"][k])
            speeds.append(np.where(crosses, np.sign(slope) * fastest, state["speed"][k]))
            happened.append(here)
        new |= {
            "side": self.sides(t1, z1, after, jumps, happened=happened),
            "event_count": np.stack(counts),
            "event_time": np.stack(times),
            "speed": np.stack(speeds),
        }
        self.count_stalls(t1, status, which)
        return after

    def sides(
        self, t1: Array, z1: Array, after: Array, acts: list[Array], *, happened: list[Array]
    ) -> Array:
        """Side of each value after a step that was taken."""
        at, state, sides = self.at, self.at.state, []
        for k, event in enumerate(at.problem.events):
            look, reading, zero = self.stage.looks[k], self.stage.readings[k], self.zero(event)
            before = value = self.values[k]
            if acts:
                before, value = (at.call(event.value, t1, z) for z in (z1, after))
                before, value = hold((before, value))
            # One that was crossed on the way here, but not landed on, is still to come.
            missed = self.stage.arrived & reading.crossing
            side = np.where(missed, reading.side, reading.after)
            exact = state["origin"] >= 0.0
            stays = True
            if self.count > 1:
                side, thrown = self.side_beside(k, side, before, value, acts=acts)
                exact, stays = exact & ~is_due(state["side"][k]), ~thrown
            # Landed on, and left there, unless the value jumps or was thrown off.
            left = np.where(exact, look.blur, np.abs(before))
            # One that jumps may be seen, by rounding, where it came from.
            hidden = exact & (reading.side * before > 0.0) & (value == before)
            stays = stays & ((np.abs(value) <= left + zero) | hidden)
            just = np.where(stays, JUST_CROSSED, UNKNOWN)
            sides.append(np.where(happened[k], just, side))
        return np.stack(sides)

    def side_beside(
        self, k: int, side: Array, before: Array, value: Array, *, acts: list[Array]
    ) -> tuple[Array, Array]:
        """Side of a value while another event happens, and whether that one threw it off.

        `before` and `value` are those before and after the action.
        """
        state, look = self.at.state, self.stage.looks[k]
        known, reach = state["side"][k], self.zero(self.at.problem.events[k]) + look.blur
        # Where time stood still nothing was learnt: a step of no length has no slope to tell on
        # which side a value leaves its zero.
        still = state["landing"] == 0.0
        side = np.where(still, known, side)
        thrown = known == THROWN
        if acts:
            # An action moves the other events' values too: their sides are read anew, but for
            # one that has just passed through zero and is still there.
            jumps = functools.reduce(operator.or_, acts)
            own = (known == JUST_CROSSED) | (known == TOUCHED)
            own = own & (np.abs(value) <= np.where(still, np.abs(before), 0.0) + reach)
            passes = own & (look.end_slope * state["speed"][k] > 0.0)
            anew = np.where(passes, JUST_CROSSED, np.where(own, TOUCHED, UNKNOWN))
            side = np.where(jumps, anew, side)
            thrown = thrown | (jumps & (np.abs(value) > np.abs(before) + reach))
        waits = self.ready[k] | is_due(known)
        return np.where(waits, np.where(thrown, THROWN, DUE), side), thrown

    def count_stalls(self, t1: Array, status: Array, which: Array) -> None:
        """Events that follow one another without time going on end the case."""
        at, state, new = self.at, self.at.state, self.at.new
        stuck = self.stage.arrived & (t1 - at.t <= at.near())
        stalls = np.where(stuck, state["stalls"] + 1.0, 0.0)
        piled = (stalls >= MOST_STALLS + self.count) & (status == state["status"])
        new |= {
            "stalls": stalls,
            "status": np.where(piled, float(Status.ACCUMULATED), status),
            "which": which,
        }
