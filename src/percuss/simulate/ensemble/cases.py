"""The cases of an ensemble while it runs: where each of them is, and what has been found out."""

from __future__ import annotations

from typing import Any

import numpy as np

from percuss.simulate.ensemble.failures import REASONS, Failure
from percuss.simulate.ensemble.flow import Flow, Moved
from percuss.simulate.ensemble.foresight import Parameters
from percuss.simulate.ensemble.impacts import Struck
from percuss.simulate.ensemble.result import EnsembleResult, Outcome
from percuss.simulate.stage import Stage


class Cases:
    """All cases side by side, and the account of each. Indices choose some of them."""

    def __init__(self, stage: Stage, q: np.ndarray, v: np.ndarray, joints: int) -> None:
        count = q.shape[1]
        self.stage = stage
        self.q, self.v = np.array(q), np.array(v)
        self.time = np.zeros(count)
        self.wheels: np.ndarray | None = None
        self.p: Parameters = {}
        """Parameters of the laws before the contact, and of the surface that is touched."""
        self.status = np.full(count, int(Outcome.FAILED))
        self.impacts = np.zeros(count, int)
        own, other = stage.chaser, stage.target
        self.found: dict[str, np.ndarray] = {
            name: np.full(count, np.nan)
            for name in (
                "contact_time",
                "contact_speed",
                "closest_distance",
                "closest_time",
                "settling_time",
                "peak_force",
            )
        }
        self.found |= {name: np.zeros(count) for name in ("energy_lost", "touching", "touches")}
        self.found["impulse"] = np.full((3, count), np.nan)
        self.found["coordinates"] = np.full((own.coordinate_count, count), np.nan)
        self.found["rates"] = np.full((own.rate_count, count), np.nan)
        sizes = (0, 0) if other is None else (other.coordinate_count, other.rate_count)
        self.found["target_coordinates"] = np.full((sizes[0], count), np.nan)
        self.found["target_rates"] = np.full((sizes[1], count), np.nan)
        self.peaks = {
            "control": np.zeros((own.rate_count, count)),
            "base_rate": np.zeros(count),
            "wheels": np.zeros(count),
            "reactions": np.zeros((joints, count)),
        }
        self.residuals = np.full((3, count), np.nan)
        self.failures: list[Failure] = []

    def __len__(self) -> int:
        return self.q.shape[1]

    def parameters(self, some: np.ndarray) -> Parameters:
        return {name: value[:, some] for name, value in self.p.items()}

    def wheels_of(self, some: np.ndarray) -> np.ndarray | None:
        return None if self.wheels is None else self.wheels[:, some]

    def add(self, some: np.ndarray, moved: Moved) -> None:
        """The account of a stretch."""
        for name, value in moved.peaks.items():
            if name in self.peaks:
                self.peaks[name][..., some] = np.fmax(self.peaks[name][..., some], value)
        self.residuals[:, some] = np.fmax(self.residuals[:, some], moved.residuals)

    def carry(self, some: np.ndarray, flow: Flow, moved: Moved, origin: Any = 0.0) -> None:
        """Bodies side by side go on from where a stretch left them; `origin` (s) of its clock."""
        self.add(some, moved)
        self.q[:, some] = flow.part(moved.state, "q")
        self.v[:, some] = flow.part(moved.state, "v")
        self.time[some] = moved.time + origin
        h = flow.part(moved.state, "wheels")
        if len(h):
            if self.wheels is None:
                self.wheels = np.zeros((len(h), len(self)))
            self.wheels[:, some] = h

    def touched(self, some: np.ndarray) -> None:
        """The first contact of some cases is now."""
        self.found["contact_time"][some] = self.time[some]

    def hit(self, some: np.ndarray, struck: Struck, conserves: bool) -> None:
        """The account of an impact now."""
        first = some[self.impacts[some] == 0]
        self.found["contact_speed"][first] = struck.speed[self.impacts[some] == 0]
        self.impacts[some] += 1
        self.found["impulse"][:, some] = struck.impulse
        self.found["energy_lost"][some] += struck.lost
        if conserves:
            self.residuals[1:, some] = np.fmax(self.residuals[1:, some], struck.change)

    def over(self, some: np.ndarray, outcome: Outcome) -> None:
        """Some cases end side by side, where they are."""
        own_q, own_v = self.stage.chaser.coordinate_count, self.stage.chaser.rate_count
        self.end(
            some,
            outcome,
            (self.q[:own_q, some], self.v[:own_v, some]),
            (self.q[own_q:, some], self.v[own_v:, some]),
            self.time[some],
        )

    def end(
        self,
        some: np.ndarray,
        outcome: Outcome,
        chaser: tuple[np.ndarray, np.ndarray],
        target: tuple[np.ndarray, np.ndarray],
        time: np.ndarray,
    ) -> None:
        """Some cases end in given states; those that are no numbers have failed."""
        self.time[some] = time
        self.found["coordinates"][:, some], self.found["rates"][:, some] = chaser
        self.found["target_coordinates"][:, some] = target[0]
        self.found["target_rates"][:, some] = target[1]
        finite = np.isfinite(np.concatenate([*chaser, *target])).all(axis=0)
        self.status[some] = np.where(finite, int(outcome), int(Outcome.FAILED))

    def fail(self, some: np.ndarray, moved: Moved, phase: str) -> None:
        """Those of some cases that could not go on in a phase end where they are."""
        self.over(some[moved.failed], Outcome.FAILED)
        self.note(some, moved, phase)

    def note(self, some: np.ndarray, moved: Moved, phase: str) -> None:
        """Keep why some cases failed in a phase."""
        for status, stop in moved.stops.items():
            where = some[moved.status == status]
            self.failures.append(Failure(phase, REASONS[status], where, stop))

    def refuse(self, some: np.ndarray, phase: str, reason: str) -> None:
        """Some cases cannot begin a phase."""
        if len(some):
            self.over(some, Outcome.FAILED)
            start = self.q[:, some[0]].copy(), self.v[:, some[0]].copy()
            self.failures.append(Failure(phase, reason, some, start=start))

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
            failures=tuple(self.failures),
            **self.found,
        )
