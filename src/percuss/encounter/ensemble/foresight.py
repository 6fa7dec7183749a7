"""What the laws of many cases need to know beforehand: meetings, plans and goals as numbers.

In a single run a law is made from numbers that belong to that run: where the chaser starts, where
the target will be. Here these numbers are parameters of one compiled program.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import percuss.kernel as kernel
from percuss.algebra.scalars import pack
from percuss.algebra.vectors import Vector3
from percuss.control import Goal, hold, rest_to_rest
from percuss.encounter.approach import Approach, Foreseen, Law, Way
from percuss.encounter.encounter import Encounter
from percuss.encounter.ensemble.machine import Machine
from percuss.encounter.ensemble.tuning import Parameters, Tuning, gains_from
from percuss.encounter.goals import MoveTo, PassThrough, Stay
from percuss.encounter.laws.meeting_plans import asked_meeting, inward_of, rendezvous
from percuss.encounter.stage import Stage
from percuss.guidance import Meeting, arriving, flight_accelerations, meeting_between
from percuss.guidance.rendezvous import Rendezvous
from percuss.kinematics.frames import frame_pose, frame_velocity
from percuss.kinematics.manifold import coordinate_rates
from percuss.model.errors import ModelError

_TOGETHER = 8192
"""Cases that are planned together: a mass matrix of 13 rates takes 11 MB then."""
_VECTORS = ("wait", "offset", "velocity", "acceleration", "final_velocity", "final_acceleration")


@dataclass(frozen=True)
class Foresight:
    """What the laws before the contact are to know, for cases that start in different states."""

    encounter: Encounter
    stage: Stage
    machine: Machine

    @property
    def kind(self) -> str:
        """A meeting of the tool, a plan of base and joints, a goal, or nothing."""
        return self.approach.control.foresight(self.approach)

    @property
    def approach(self) -> Approach:
        """The motion before the contact; there is one where this is asked for."""
        assert self.encounter.approach is not None
        return self.encounter.approach

    def numbers(self, q: np.ndarray, v: np.ndarray) -> Parameters:
        """Parameters of the laws from states (entries, cases) at the start, side by side."""
        return self._with(q, v, self._plans)

    def example(self, q: np.ndarray, v: np.ndarray) -> Parameters:
        """The same without looking for a plan, which takes time and may not be there."""
        return self._with(q, v, self._staying)

    def _with(
        self, q: np.ndarray, v: np.ndarray, plans: Callable[[np.ndarray, np.ndarray], np.ndarray]
    ) -> Parameters:
        found: Parameters = {"start": np.concatenate([q, v])}
        own = self.stage.chaser.coordinate_count
        if self.kind == "meeting":
            found["meeting"] = self._meetings(q, v)
        elif self.kind == "plan":
            found["plan"] = plans(q, v)
        elif self.kind == "goal":
            found |= goal_numbers(self.approach.control, self.stage, q[:own])
        return found | self._tuning.numbers(found)

    def begun(self, p: Parameters) -> Stage:
        """The stage as a case starts on it."""
        count = self.stage.plant.coordinate_count
        return self.stage.starting_at(p["start"][:count], p["start"][count:])

    def foreseen(self, p: Parameters, stage: Stage) -> Foreseen:
        """What the laws of a case know, from its parameters."""
        approach = self.approach
        if self.kind == "meeting":
            return Foreseen(meeting=self._meeting(p["meeting"]))
        if self.kind == "plan":
            meet = asked_meeting(approach)
            own = stage.chaser.coordinate_count
            end, rates = p["plan"][:own], p["plan"][own:]
            start, go = stage.coordinates[:own], approach.observe
            goal = arriving(stage.chaser, start, end, rates, go, meet.at)
            return Foreseen(goal=goal, tuned=gains_from(p))
        if self.kind == "goal":
            return Foreseen(goal=goal_from(approach.control, stage, p), tuned=gains_from(p))
        return Foreseen()

    @cached_property
    def _tuning(self) -> Tuning:
        like = {"start": np.concatenate([self.stage.coordinates, self.stage.rates])}
        return Tuning(self.approach.control, self.machine, self.begun, like)

    # --- meetings of the tool ------------------------------------------------------------------

    def _meeting(self, numbers: Any) -> Meeting:
        meet = asked_meeting(self.approach)
        vectors = {name: Vector3(*numbers[3 * k : 3 * k + 3]) for k, name in enumerate(_VECTORS)}
        return Meeting(
            self.approach.observe,
            meet.at,
            meet.closing_speed,
            self._known_meeting.approach_direction,
            **vectors,
        )

    @cached_property
    def _known_meeting(self) -> Meeting:
        """That of the encounter's own start; its direction is fixed to the target."""
        stage = self.stage
        return self._between(stage.coordinates, stage.rates, self._target_state, self._target_state)

    @property
    def _target_state(self) -> tuple[Any, Any]:
        q, v = self.stage.chaser.coordinate_count, self.stage.chaser.rate_count
        return self.stage.coordinates[q:], self.stage.rates[v:]

    def _between(self, q: Any, v: Any, at_go: Any, at_meeting: Any) -> Meeting:
        """The meeting of a case that starts at (q, v), the target's flight being known."""
        stage, approach = self.stage, self.approach
        meet = asked_meeting(approach)
        assert stage.target is not None
        assert stage.grip is not None
        own = q[: stage.chaser.coordinate_count], v[: stage.chaser.rate_count]
        go = approach.observe
        moving = frame_velocity(stage.chaser, *own, stage.tool).linear if go == 0.0 else None
        return meeting_between(
            stage.target,
            at_go,
            at_meeting,
            stage.grip,
            frame_pose(stage.chaser, own[0], stage.tool).position,
            go=go,
            at=meet.at,
            closing_speed=meet.closing_speed,
            approach_direction=inward_of(approach, stage),
            tool_velocity=moving,
            orbit=self.encounter.orbit,
        )

    @cached_property
    def _meeting_numbers(self) -> kernel.Kernel:
        """States at the start and of the target later → the vectors of a meeting, (18,)."""

        def vectors(q: Any, v: Any, at_go: Any, at_meeting: Any) -> Any:
            made = self._between(q, v, at_go, at_meeting)
            return pack(x for name in _VECTORS for x in getattr(made, name))

        stage, target = self.stage, self._target_state
        return self.machine.compiled(vectors, stage.coordinates, stage.rates, target, target)

    @cached_property
    def _target_flight(self) -> kernel.Rollout:
        """The target with nothing acting on it but gravity, and the orbit; from t = 0 on."""
        target, orbit = self.stage.target, self.encounter.orbit
        assert target is not None
        count = target.coordinate_count

        def rates(t: Any, x: Any, u: Any, p: Any) -> Any:
            del u, p
            q, v = x[:count], x[count:]
            change = coordinate_rates(target, q, v)
            return pack([*change, *flight_accelerations(target, q, v, orbit, t)])

        return kernel.rollout(
            rates,
            state=np.zeros(count + target.rate_count),
            method=kernel.Adaptive(1e-13, 1e-14),
            quaternions=() if target.is_planar else (3,),
            backend=self.machine.backend,
            threads=self.machine.threads,
            key=kernel.fingerprint(rates),
        )

    def _meetings(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        approach = self.approach
        times = (approach.observe, asked_meeting(approach).at)
        return np.asarray(self._meeting_numbers(q, v, *(self._flown(q, v, t) for t in times)))

    def _flown(self, q: np.ndarray, v: np.ndarray, when: float) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates and rates of the targets (entries, cases) at a time (s)."""
        stage = self.stage
        assert stage.target is not None
        now = np.concatenate([q[stage.chaser.coordinate_count :], v[stage.chaser.rate_count :]])
        found = now if when == 0 else np.asarray(self._target_flight(now, duration=when).state)
        count = stage.target.coordinate_count
        return found[:count], found[count:]

    # --- plans ---------------------------------------------------------------------------------

    def _plans(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Coordinates and rates at the meeting (own_q + own_v, cases); NaN where there is none.

        A case that cannot be planned fails, as its run on its own would.
        """
        own, at = self.stage.chaser.coordinate_count, asked_meeting(self.approach).at
        parts = []
        for some in np.array_split(np.arange(q.shape[1]), max(1, -(-q.shape[1] // _TOGETHER))):
            plans = self._rendezvous.plans(q[:own, some], self._flown(q[:, some], v[:, some], at))
            numbers = np.concatenate([plans.coordinates, plans.rates])
            parts.append(np.where(plans.found, numbers, np.nan))
        return np.concatenate(parts, axis=1)

    def _staying(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Plans that end where they begin, at rest, (own_q + own_v, cases)."""
        chaser = self.stage.chaser
        still = np.zeros_like(v[: chaser.rate_count])
        return np.concatenate([q[: chaser.coordinate_count], still])

    @cached_property
    def _rendezvous(self) -> Rendezvous:
        return rendezvous(Way(self.approach, self.stage, self.encounter.orbit), compiled=True)


# --- goals ----------------------------------------------------------------------------------------


def goal_numbers(law: Law, stage: Stage, own: np.ndarray) -> Parameters:
    """Where a law is to go, for chasers at coordinates (own_coordinates, cases)."""
    if law.goal is None:
        return {}
    if isinstance(law.goal, Stay):
        # A goal of its own: where the cases are changes as they move on.
        return {"goal": own.copy()}
    if isinstance(law.goal, PassThrough):
        raise ModelError(
            "control.goal.times: a path through knots is not available in an ensemble, where "
            "each case would need a spline of its own; give one goal, with `within` a time"
        )
    knots = [
        np.concatenate(law.goal.points(stage.chaser, one).knots)
        for one in (own.T if own.size else stage.coordinates[None, : len(own)])
    ]
    return {"goal": np.stack(knots, axis=1)[:, : own.shape[1]]}


def goal_from(law: Law, stage: Stage, p: Parameters) -> Goal:
    """The goal of a case, from its parameters; a law that has none may stay where it is."""
    own = stage.chaser.coordinate_count
    if law.goal is None:
        return hold(stage.plant, stage.coordinates[:own])
    knots = [p["goal"][k : k + own] for k in range(0, len(p["goal"]), own)]
    if len(knots) == 1:
        return hold(stage.plant, knots[0])
    assert isinstance(law.goal, MoveTo)
    assert law.goal.within is not None
    return rest_to_rest(stage.plant, knots[0], knots[1], law.goal.within)
