"""The motion of one kind of phase for many cases at once."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

import percuss.kernel as kernel
from percuss.algebra.scalars import pack, to_scalar, unpack
from percuss.encounter.approach import Law
from percuss.encounter.ensemble.failures import first_stops
from percuss.encounter.ensemble.history import CONTROL, Histories, SignalTimes
from percuss.encounter.ensemble.lasting_contacts import Bearing
from percuss.encounter.ensemble.machine import Machine
from percuss.encounter.ensemble.measures import Make, Peaks, residuals_between, totals_of
from percuss.encounter.ensemble.motion import MotionOfCases, merged
from percuss.encounter.ensemble.resting import Effort
from percuss.encounter.ensemble.signals import Ending, Pushing, Settling, Watched
from percuss.encounter.ensemble.stiff import chosen_method
from percuss.encounter.ensemble.template import Parameters
from percuss.encounter.loads import Touch
from percuss.encounter.method import refuse_many
from percuss.kernel.duals import array_of, value_of
from percuss.kernel.rollouts.methods import Method
from percuss.kernel.rollouts.statistics import InForce
from percuss.kernel.tracing.parts import Part
from percuss.model.errors import ModelError

_FAR = 1e30
"""More than any signal (SI), and still a number that can be part of a state."""


class Flow:
    """Compiled motion of a kind of phase.

    `make` gives the equations of motion of a case from its parameters, `like` are those of one
    case. What is watched may end the phase (`ending`) or tell when a contact pushes
    (`pushing`). With `settling` it is watched when rates fall to the parameters `bounds`, with
    `integrals` what thrusters and wheels give, or what the joints bear. It is driven by the `law`,
    as the encounter itself has it, and lasts for about `lasting` (s).
    """

    def __init__(
        self,
        machine: Machine,
        make: Make,
        like: Parameters,
        ending: Watched | None = None,
        *,
        pushing: Watched | None = None,
        law: Law,
        lasting: float,
        settling: bool = False,
        integrals: type[Effort] | type[Bearing] | None = None,
    ) -> None:
        self.machine = machine
        self.law = law
        self.lasting = lasting
        self.make = make
        self.like = {name: np.asarray(value, float) for name, value in like.items()}
        self.equations = make(self.like)
        size = self.equations.size
        self.ending = None if ending is None else Ending(make, ending, size)
        self.pushing = (
            None
            if pushing is None
            else Pushing(make, pushing, size, self.equations.slices["load_impulse"])
        )
        looks = machine.reactions, machine.settling, machine.limits
        self.peaks = Peaks(make, self.equations, *looks)
        self.integrals = None if integrals is None else integrals(make, self.equations)
        self.settling = Settling(self.peaks.groups) if settling else None
        self.watch = self.ending or self.pushing or self.settling

    def __fingerprint__(self) -> Any:
        """What the functions follow from: all else is made of it."""
        watched = [None if w is None else w.watched for w in (self.ending, self.pushing)]
        kinds = self.settling is not None, type(self.integrals).__name__
        return self.machine, self.make, self.like, watched, kinds

    @property
    def size(self) -> int:
        return self.equations.size

    def start(self, q: np.ndarray, v: np.ndarray, wheels: np.ndarray | None = None) -> np.ndarray:
        """Flat states (entries, cases); integrals begin at zero, but for the wheels' momentum."""
        slices = self.equations.slices
        x = np.zeros((self.size, q.shape[1]), like=q)
        x[slices["q"]], x[slices["v"]] = q, v
        if wheels is not None:
            x[slices["wheels"]] = wheels
        return x

    def prepare(self, *, slopes: bool) -> None:
        """Begin to compile the motion and what goes with it, and do not wait for it.

        With `slopes` that of cases that carry derivatives along.
        """
        self._rollout.prepare(slopes=slopes)
        _ = self._account, self.ending and self._gap

    def part(self, state: np.ndarray, name: str) -> np.ndarray:
        """q, v, wheels … of flat states."""
        return state[self.equations.slices[name]]

    def __call__(
        self,
        x: np.ndarray,
        p: Parameters,
        begin: Any,
        lasting: Any,
        *,
        just: bool = False,
        sampling: SignalTimes | None = None,
    ) -> MotionOfCases:
        """Move cases from `begin` (s) for the time `lasting` (s), or until the signal ends it.

        `just`: the signal has just changed its sign in all of them. `sampling` says at which times
        of the run signals are kept.
        """
        p = {name: p[name] for name in self.like}
        count = x.shape[1]
        first = np.broadcast_to(array_of(begin), (count,))
        if self.ending is None:
            if self.pushing is not None:
                x = np.concatenate([x, np.zeros((self.pushing.extras, count))])
            return self._motion(x, p, begin, lasting, sampling=sampling)
        gap, slope = map(array_of, self._gap(x, p))
        lowest = np.full(count, _FAR) if just else gap
        whole = np.concatenate([x, np.stack([gap, slope, lowest, first])])
        over = np.zeros(count, bool) if just else gap <= 0.0
        if not over.any():
            return self._motion(whole, p, begin, lasting, sampling=sampling)
        still, rest = self._stayed(whole, first), ~over
        if not rest.any():
            return still
        some = {name: value[:, rest] for name, value in p.items()}
        own_begin, own_lasting = (c[rest] if np.ndim(c) else c for c in (begin, lasting))
        if sampling is not None and np.ndim(sampling.origin):
            sampling = replace(sampling, origin=sampling.origin[rest])
        motion = self._motion(whole[:, rest], some, own_begin, own_lasting, sampling=sampling)
        return merged(still, motion, rest)

    def _motion(
        self,
        x: np.ndarray,
        p: Parameters,
        begin: Any,
        lasting: Any,
        *,
        sampling: SignalTimes | None = None,
    ) -> MotionOfCases:
        if self.machine.asked is not None:
            refuse_many(float(np.max(lasting, initial=0.0)), self.machine.asked)
        found = self._rollout(x, p, start=begin, duration=lasting)
        state, time, status = map(array_of, (found.state, found.time, found.status))
        core, extras = state[: self.size], state[self.size :]
        ended = status == kernel.Status.EVENT
        before, after = x[: self.size], core
        account = self._account(before, after, p)
        earlier, later = account["totals"]
        if self.ending is not None:
            last = array_of(account["last"])
            lowest = np.where(last < extras[2], np.stack([last, time]), extras[2:])
            extras = np.concatenate([extras[:2], lowest])
        first, length = (np.broadcast_to(array_of(a), time.shape) for a in (begin, lasting))
        pace = (time - first) / np.maximum(1, np.asarray(found.steps))
        clocks = tuple(map(value_of, (first, time, first + length, pace)))
        return MotionOfCases(
            state=core,
            time=time,
            ended=ended,
            status=status,
            stops=first_stops(
                status,
                clocks,
                (value_of(before), value_of(after)),
                lambda k: self.make({name: value_of(value)[:, k] for name, value in p.items()}),
            ),
            peaks=self.peaks.found(found.statistics),
            residuals=residuals_between(self.equations, earlier, later, before, x1=after),
            extras=extras,
            settled=np.full(len(time), np.nan, like=x)
            if self.settling is None
            else found.event_time[0],
            reason=self._integrated[1],
            integrals={name: array_of(found.statistics[name]) for name in self._integrals},
            event_times=array_of(found.event_time),
            samples={} if sampling is None else self._samples(x, p, (first, time), sampling),
        )

    def _samples(
        self,
        x: np.ndarray,
        p: Parameters,
        clocks: tuple[np.ndarray, np.ndarray],
        sampling: SignalTimes,
    ) -> dict[str, np.ndarray]:
        """Signals of cases that begin at x and move between two times by the phase's clock.

        The motion is computed once more, on the clock of the run, which all cases share.
        """
        begin, end = (clock + sampling.origin for clock in clocks)
        wanted, count = np.array(sampling.histories.times), x.shape[1]
        first, last = np.min(begin, initial=np.inf), np.max(end, initial=-np.inf)
        within = (wanted >= first) & (wanted <= last)
        if not within.any():
            return {}
        origin = np.broadcast_to(array_of(sampling.origin), (1, count))
        times, shifted = wanted[within], p | {"origin": origin}
        # What is seen at a given time does not depend on when the motion ends.
        lasting = value_of(end) - begin
        found = self._recording(x, shifted, start=begin, duration=lasting, times=times)
        states = array_of(found.trajectory)[: self.size]
        # Every time of every case is a case of its own.
        lanes = {name: np.repeat(value[:, None], len(times), axis=1) for name, value in p.items()}
        flat = {name: value.reshape(len(value), -1) for name, value in lanes.items()}
        clock = times[:, None] - origin
        numbers = self._observed(sampling.histories)(
            clock.ravel(), states.reshape(self.size, -1), flat
        )
        if CONTROL in found.in_force and CONTROL in sampling.histories.names:
            numbers |= {CONTROL: array_of(found.in_force[CONTROL])}
        inside = (times[:, None] >= begin) & (times[:, None] <= end)
        samples: dict[str, np.ndarray] = {}
        for name, values in numbers.items():
            rows = array_of(values).reshape(-1, len(times), count)
            samples[name] = np.full((len(rows), len(wanted), count), np.nan, like=x)
            samples[name][:, within] = np.where(inside, rows, np.nan)
        return samples

    @cached_property
    def _recording(self) -> kernel.Rollout:
        """The motion on the clock of the run, at which the phase's begins at `origin`."""
        return self._by(self._rollout.problem.method, shifted=True)

    def _observed(self, histories: Histories) -> kernel.Kernel:
        """(t, x, p) → signals by name."""
        histories = histories.untimed
        if histories not in self._observers:

            def signals(t: Any, x: Any, p: Parameters) -> dict[str, Any]:
                found = histories.entries(self.make(p), t, x)
                return {name: pack([to_scalar(e) for e in found[name]]) for name in found}

            like = 0.0, np.zeros(self.size), self.like
            self._observers[histories] = self.machine.compiled(signals, *like)
        return self._observers[histories]

    @cached_property
    def _observers(self) -> dict[Histories, kernel.Kernel]:
        return {}

    def _stayed(self, x: np.ndarray, time: np.ndarray) -> MotionOfCases:
        """Cases that are over before they begin."""
        count = x.shape[1]
        shapes = self._rollout.problem.statistic_shapes
        peaks = {name: np.full((*shape, count), np.nan, like=x) for name, shape in shapes.items()}
        return MotionOfCases(
            state=x[: self.size],
            time=np.zeros(count, like=x) + time,
            ended=np.ones(count, bool),
            status=np.full(count, int(kernel.Status.EVENT)),
            stops={},
            peaks=peaks,
            residuals=np.zeros((3, count)),
            extras=x[self.size :],
            settled=np.full(count, np.nan, like=x),
            event_times=np.full((len(self._rollout.problem.events), count), np.nan, like=x),
        )

    # --- compiled functions --------------------------------------------------------------------

    @property
    def _rollout(self) -> kernel.Rollout:
        return self._integrated[0]

    @cached_property
    def _integrated(self) -> tuple[kernel.Rollout, str]:
        """The motion, and why it is integrated by a stiff method where it is."""
        return chosen_method(
            self.machine, self.equations, self.like, self.law, lasting=self.lasting, make=self._by
        )

    def _by(self, method: Method, *, shifted: bool = False) -> kernel.Rollout:
        """The motion by a method; `shifted` on a clock on which its own begins at `origin`."""
        law = self.equations.law
        watch = self.watch
        controller = None

        def own(t: Any, p: Any) -> Any:
            return t - p["origin"][0] if shifted else t

        held: dict[str, InForce] = {}
        if law.period is not None:
            held[CONTROL] = InForce(lambda t, x, u, p: u)  # noqa: ARG005
            controller = kernel.Controller(
                lambda t, x, memory, p: self.make(p).command(own(t, p), x[: self.size], memory),
                law.memory,
                law.period,
            )
        elif law.memory is not None:
            raise ModelError(
                "control: a law with memory needs a period (s) at which it is sampled: without "
                "one its memory would depend on the integration's steps"
            )
        more = {"origin": np.zeros(1)} if shifted else {}
        return kernel.rollout(
            lambda t, x, u, p: self._rates(own(t, p), x, u, p, with_integrals=not shifted),
            state=np.zeros(self.size + (0 if watch is None else watch.extras)),
            parameters=self.like | more,
            method=method,
            controller=controller,
            statistics=held if shifted else self._looked_at | self._integrals,
            events=[] if watch is None or shifted else watch.events(),
            quaternions=self.equations.assembly.quaternions,
            backend=self.machine.backend,
            threads=self.machine.threads,
            key=kernel.fingerprint((self, shifted)),
        )

    @property
    def _integrals(self) -> dict[str, Any]:
        return {} if self.integrals is None else self.integrals.statistics()

    @property
    def _looked_at(self) -> dict[str, Any]:
        """Peaks; a motion that is carried out to see what joints bear has been looked at before."""
        return {} if isinstance(self.integrals, Bearing) else self.peaks.statistics()

    def _rates(self, t: Any, x: Any, u: Any, p: Any, *, with_integrals: bool) -> Any:
        """The rates, and where it is `with_integrals` what is integrated besides."""
        equations, core = self.make(p), x[: self.size]
        if u is None:
            u = equations.command(t, core, equations.law.memory)[0]
        rates = equations.driven(t, core, u)
        if self.watch is not None:
            more = self.watch.rates(equations, t, core, rates, p=p)
            rates = pack([*unpack(rates, self.size, "rates"), *more])
        if self.integrals is None or not with_integrals:
            return rates
        integrands = self.integrals.integrands(equations, t, core, u, rates=rates)
        return (rates, integrands) if integrands else rates

    @cached_property
    def _gap(self) -> kernel.Kernel:
        """(x, p) → the signal and its slope."""
        watch = self.ending
        assert watch is not None

        def gap(x: Any, p: Parameters) -> tuple[Any, Any]:
            equations = self.make(p)
            return watch.value(equations, 0.0, x, p), watch.slope(equations, 0.0, x, p)

        return self.machine.compiled(gap, np.zeros(self.size), self.like)

    @cached_property
    def stored(self) -> kernel.Kernel:
        """(x, p) → energy (J) that a contact holds, and may give back."""

        def elastic(x: Any, p: Parameters) -> Any:
            equations = self.make(p)
            assert isinstance(equations.load, Touch)
            return equations.load.contact(*equations.state(x)).elastic_energy

        return self.machine.compiled(elastic, np.zeros(self.size), self.like)

    @cached_property
    def _account(self) -> kernel.Kernel:
        """(x0, x1, p) → totals at both ends of a motion, and what is watched in the end.

        All in one, so that numbers are handed to a GPU once.
        """

        def account(x0: Any, x1: Any, p: Parameters) -> dict[str, Any]:
            totals = Part(totals_of(self.make))
            found: dict[str, Any] = {"totals": (totals(x0, p), totals(x1, p))}
            if self.ending is not None:
                found["last"] = self.ending.value(self.make(p), 0.0, x1, p)
            return found

        like = np.zeros(self.size)
        return self.machine.compiled(account, like, like, self.like)
