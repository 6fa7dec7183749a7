"""The cases of an ensemble while it runs: where each of them is, and what has been found out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np

from percuss.encounter.assembly import Assembly
from percuss.encounter.ensemble.failures import REASONS, Failure, together
from percuss.encounter.ensemble.flow import Flow
from percuss.encounter.ensemble.history import Histories
from percuss.encounter.ensemble.impacts import ImpactOfCases
from percuss.encounter.ensemble.joint_use import JOLT, jolts_of, single_joints
from percuss.encounter.ensemble.motion import MotionOfCases
from percuss.encounter.ensemble.result import EnsembleResult
from percuss.encounter.ensemble.template import Parameters
from percuss.encounter.outcome import Outcome
from percuss.kernel.duals import value_of


class Cases:
    """All cases side by side, and the account of each. Indices choose some of them."""

    def __init__(
        self,
        assembly: Assembly,
        q: np.ndarray,
        v: np.ndarray,
        joints: int,
        *,
        uses: int = 0,
        known: tuple[np.ndarray, np.ndarray] | None = None,
        inputs: Parameters | None = None,
        histories: Histories | None = None,
    ) -> None:
        """Coordinates and rates (entries, cases) become its own; Duals carry derivatives along.

        `joints` are looked at for the forces through them, `uses` for how far they are used.
        `known` are those that laws and plans know of the start, by default the same; `inputs` the
        numbers in which cases differ besides; `histories` what is wanted over time.
        """
        count = q.shape[1]
        self.assembly = assembly
        self.q, self.v = q, v
        self.known = (q.copy(), v.copy()) if known is None else known
        self.inputs: Parameters = {} if inputs is None else inputs
        self.histories = Histories() if histories is None else histories
        self.history: dict[str, np.ndarray] = {}
        """Signals by name, (entries, times, cases)."""
        self.time = np.zeros(count, like=q)
        self.wheels: np.ndarray | None = None
        self.mean_motion: np.ndarray | None = None
        """Of the orbits (rad/s), where they are in one."""
        self.p: Parameters = {}
        """Parameters of the laws before the contact, and of the surface that is touched."""
        self.status = np.full(count, int(Outcome.FAILED))
        self.impacts = np.zeros(count, int)
        own, other = assembly.chaser, assembly.target
        self.found: dict[str, np.ndarray] = {
            name: np.full(count, np.nan, like=q)
            for name in (
                "contact_time",
                "contact_speed",
                "closest_distance",
                "closest_time",
                "settling_time",
                "peak_force",
                "impact_duration",
                "damping",
            )
        }
        self.found |= {
            name: np.zeros(count, like=q) for name in ("energy_lost", "touching", "touches")
        }
        self.found["impulse"] = np.full((3, count), np.nan, like=q)
        self.found["last_impulse"] = np.full((3, count), np.nan, like=q)
        self.found["coordinates"] = np.full((own.coordinate_count, count), np.nan, like=q)
        self.found["rates"] = np.full((own.rate_count, count), np.nan, like=q)
        sizes = (0, 0) if other is None else (other.coordinate_count, other.rate_count)
        self.found["target_coordinates"] = np.full((sizes[0], count), np.nan, like=q)
        self.found["target_rates"] = np.full((sizes[1], count), np.nan, like=q)
        self.peaks = {
            "control": np.zeros((own.rate_count, count), like=q),
            "base_rate": np.zeros(count, like=q),
            "wheels": np.zeros(count, like=q),
            "reactions": np.zeros((joints, count), like=q),
        }
        self.peaks |= {
            name: np.full((uses, count), np.nan, like=q)
            for name in ("highest", "lowest", "fastest")
        }
        self.jolts = np.full((len(JOLT), uses, count), np.nan, like=q)
        """Of the impact that changes the rate of each joint most."""
        self.optional: dict[str, np.ndarray] = {}
        """What else was found out, (…, cases) by name; NaN for cases that do not have it."""
        self.base = q[assembly.chaser.node(assembly.chaser.base_joint.child).coordinates].copy()
        """Coordinates of the chaser's base at the start."""
        self.impact: dict[str, np.ndarray] = {}
        """Everything about the last impact of each case, where it is asked for."""
        self.impact_time = np.full(count, np.nan, like=q)
        self.residuals = np.full((3, count), np.nan)
        self.failures: list[Failure] = []
        self.reasons: dict[str, str] = {}
        """By phase, why a stiff method was taken."""

    def __len__(self) -> int:
        return self.q.shape[1]

    def piece(self, which: slice) -> Cases:
        """Some neighbours as cases of their own; what they find out stands among all cases.

        Their parameters, failures and reasons are their own until they are `gathered`.
        """
        piece = copy(self)
        for name in (
            "q",
            "v",
            "time",
            "status",
            "impacts",
            "impact_time",
            "residuals",
            "jolts",
            "base",
        ):
            setattr(piece, name, getattr(self, name)[..., which])
        for name in ("found", "peaks"):
            arrays: dict[str, np.ndarray] = getattr(self, name)
            setattr(piece, name, {key: array[..., which] for key, array in arrays.items()})
        piece.known = self.known[0][:, which], self.known[1][:, which]
        piece.inputs = {name: value[:, which] for name, value in self.inputs.items()}
        piece.p, piece.failures, piece.reasons, piece.impact = {}, [], {}, {}
        piece.history, piece.optional = {}, {}
        return piece

    def gather(self, which: Sequence[slice], pieces: Sequence[Cases]) -> None:
        """Failures and reasons of pieces, the same failure of several as one."""
        for where, piece in zip(which, pieces, strict=True):
            self.reasons |= piece.reasons
            for table in ("history", "impact", "optional"):
                for name, values in getattr(piece, table).items():
                    self._of_all(getattr(self, table), name, values)[..., where] = values
            self.failures += [
                replace(failure, cases=failure.cases + where.start) for failure in piece.failures
            ]
        self.failures = list(together(self.failures))

    def at(self, some: np.ndarray) -> np.ndarray | slice:
        """Where some cases are in an array of all: all of them are found without copying."""
        return slice(None) if len(some) == len(self) else some

    def state_of(self, some: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates and rates of some cases, side by side, to be read."""
        at = self.at(some)
        return self.q[:, at], self.v[:, at]

    def parameters(self, some: np.ndarray, like: Parameters) -> Parameters:
        """Parameters of some cases, those of them that a program is compiled for."""
        at, known = self.at(some), self.inputs | self.p
        return {name: known[name][:, at] for name in like if name in known}

    def inputs_of(self, some: np.ndarray) -> Parameters:
        """The numbers in which some cases differ."""
        at = self.at(some)
        return {name: value[:, at] for name, value in self.inputs.items()}

    def keep(self, some: np.ndarray, samples: Mapping[str, np.ndarray]) -> None:
        """Signals of some cases (entries, times, cases), where they are no NaN."""
        for name, values in samples.items():
            whole = self._of_all(self.history, name, values)
            whole[..., some] = np.where(np.isnan(values), whole[..., some], values)

    def keep_optional(self, some: np.ndarray, found: Mapping[str, np.ndarray]) -> None:
        """Numbers of some cases by name, (…, cases)."""
        for name, values in found.items():
            self._of_all(self.optional, name, values)[..., some] = values

    def _of_all(self, table: dict[str, np.ndarray], name: str, like: np.ndarray) -> np.ndarray:
        """An array of a table for all cases, NaN at first; `like` is that of some of them."""
        if name not in table:
            table[name] = np.full((*like.shape[:-1], len(self)), np.nan, like=like)
        return table[name]

    def wheels_of(self, some: np.ndarray) -> np.ndarray | None:
        return None if self.wheels is None else self.wheels[:, self.at(some)]

    def started(
        self, some: np.ndarray, flow: Flow, q: np.ndarray | None = None, v: np.ndarray | None = None
    ) -> np.ndarray:
        """Flat states (entries, cases) with which some cases begin a phase now.

        They are where they are, or at other coordinates and rates; what their wheels hold and by
        how much the local orbital frame has turned goes on.
        """
        at = self.at(some)
        if q is None or v is None:
            q, v = self.q[:, at], self.v[:, at]
        x = flow.start(q, v, self.wheels_of(some))
        if flow.equations.orbit is not None:
            assert self.mean_motion is not None
            x[flow.equations.slices["orbit"]] = self.mean_motion[at] * self.time[at]
        return x

    def add(self, some: np.ndarray, motion: MotionOfCases) -> None:
        """The account of a phase."""
        at = self.at(some)
        for name, value in motion.peaks.items():
            if name in self.peaks:
                self.peaks[name][..., at] = np.fmax(self.peaks[name][..., at], value)
        self.residuals[:, at] = np.fmax(self.residuals[:, at], motion.residuals)

    def carry(self, some: np.ndarray, flow: Flow, motion: MotionOfCases, origin: Any = 0.0) -> None:
        """Bodies side by side go on from where a phase left them; `origin` (s) of its clock."""
        self.add(some, motion)
        at = self.at(some)
        self.q[:, at] = flow.part(motion.state, "q")
        self.v[:, at] = flow.part(motion.state, "v")
        self.time[at] = motion.time + origin
        h = flow.part(motion.state, "wheels")
        if len(h):
            if self.wheels is None:
                self.wheels = np.zeros((len(h), len(self)), like=self.q)
            self.wheels[:, at] = h

    def touched(self, some: np.ndarray) -> None:
        """The first contact of some cases is now."""
        self.found["contact_time"][some] = self.time[some]

    def add_impact(self, some: np.ndarray, impact: ImpactOfCases, conserves: bool) -> None:
        """The account of an impact now."""
        at = self.at(some)
        if len(self.jolts[0]):
            joints, before = single_joints(self.assembly.chaser), self.v[:, at]
            rates, loads = impact.more["chaser_rates"], impact.more["reactions"]
            self.jolts[..., at] = jolts_of(
                joints, self.jolts[..., at], before, rates, reactions=loads
            )
        speed, is_first = self.found["contact_speed"], self.impacts[at] == 0
        speed[at] = np.where(is_first, impact.speed, speed[at])
        self.impacts[at] += 1
        self.found["impulse"][:, at] = self.found["last_impulse"][:, at] = impact.impulse
        self.found["impact_duration"][at] = 0.0
        self.found["energy_lost"][at] += impact.lost
        self.impact_time[at] = self.time[at]
        for name in self.impact.keys() - impact.more.keys():
            # A grasp has no normal, whatever the bounce before it had.
            self.impact[name][:, at] = np.nan
        for name, values in impact.more.items():
            self._of_all(self.impact, name, values)[:, at] = values
        if conserves:
            self.residuals[1:, at] = np.fmax(self.residuals[1:, at], value_of(impact.change))

    def lasted(
        self,
        some: np.ndarray,
        times: tuple[np.ndarray, np.ndarray],
        more: Mapping[str, np.ndarray],
    ) -> None:
        """The account of a contact that took time: its begin (s) and how long it lasted (s)."""
        self.impact_time[some], self.found["impact_duration"][some] = times
        for name, values in more.items():
            self._of_all(self.impact, name, values)[:, some] = values

    def over(self, some: np.ndarray, outcome: Outcome) -> None:
        """Some cases end side by side, where they are."""
        own_q, own_v = self.assembly.chaser.coordinate_count, self.assembly.chaser.rate_count
        q, v = self.state_of(some)
        chaser, target = (q[:own_q], v[:own_v]), (q[own_q:], v[own_v:])
        self.end(some, outcome, chaser, target, time=self.time[self.at(some)])

    def end(
        self,
        some: np.ndarray,
        outcome: Outcome,
        chaser: tuple[np.ndarray, np.ndarray],
        target: tuple[np.ndarray, np.ndarray],
        *,
        time: np.ndarray,
    ) -> None:
        """Some cases end in given states; those that are no numbers have failed."""
        at = self.at(some)
        self.time[at] = time
        names = ("coordinates", "rates", "target_coordinates", "target_rates")
        finite = np.ones(len(some), bool)
        for name, values in zip(names, (*chaser, *target), strict=True):
            self.found[name][:, at] = values
            finite &= np.isfinite(values).all(axis=0)
        self.status[at] = np.where(finite, int(outcome), int(Outcome.FAILED))

    def fail(self, some: np.ndarray, motion: MotionOfCases, phase: str) -> None:
        """End those of some cases that could not go on in a phase, where they are."""
        self.over(some[motion.failed], Outcome.FAILED)
        self.note(some, motion, phase)

    def note(self, some: np.ndarray, motion: MotionOfCases, phase: str) -> None:
        """Keep why some cases failed in a phase, and why it was integrated as it was."""
        if motion.reason:
            self.reasons[phase] = motion.reason
        for status, stop in motion.stops.items():
            where = some[motion.status == status]
            self.failures.append(Failure(phase, REASONS[status], where, stop))

    def refuse(self, some: np.ndarray, phase: str, reason: str) -> None:
        """Some cases cannot begin a phase."""
        if len(some):
            self.over(some, Outcome.FAILED)
            start = value_of(self.q)[:, some[0]].copy(), value_of(self.v)[:, some[0]].copy()
            self.failures.append(Failure(phase, reason, some, start=start))

    def _base_turn(self) -> np.ndarray:
        """By how much the bases have turned since the start (rad)."""
        chaser = self.assembly.chaser
        ends = self.found["coordinates"][chaser.node(chaser.base_joint.child).coordinates]
        if len(ends) == 3:
            return ends[2] - self.base[2]
        if len(ends) != 7:
            return np.where(np.isnan(self.found["rates"]).any(axis=0), np.nan, 0.0)
        (w, *first), (z, *last) = self.base[3:], ends[3:]
        first, last = np.stack(first), np.stack(last)
        # Vector and scalar part of the quaternion from the first to the last attitude.
        vector = w * last - z * first - np.cross(first, last, axis=0)
        scalar = w * z + (first * last).sum(axis=0)
        return 2.0 * np.arctan2(np.sqrt((vector**2).sum(axis=0)), np.abs(scalar))

    def result(self) -> EnsembleResult:
        energy, linear, angular = self.residuals
        return EnsembleResult(
            status=self.status,
            impacts=self.impacts,
            time=self.time,
            energy_balance=energy,
            linear_balance=linear,
            angular_balance=angular,
            peak_control=self.peaks["control"],
            peak_base_rate=self.peaks["base_rate"],
            peak_wheels=self.peaks["wheels"],
            peak_reactions=self.peaks["reactions"],
            impact_time=self.impact_time,
            impact=self.impact,
            base_turn=self._base_turn(),
            uses={name: self.peaks[name] for name in ("highest", "lowest", "fastest")},
            jolts=self.jolts,
            optional=self.optional,
            history=self.history,
            failures=tuple(self.failures),
            remarks=tuple(
                f"{phase} was integrated by a Rosenbrock method: {reason}"
                for phase, reason in self.reasons.items()
            ),
            **self.found,
        )
