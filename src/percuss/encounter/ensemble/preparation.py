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
from percuss.algebra.arrays import Coordinates, Rates
from percuss.algebra.scalars import is_constant, pack
from percuss.algebra.vectors import Vector3
from percuss.control.guidance.arrival import arriving
from percuss.control.guidance.meeting import Meeting, default_approach, meeting_between
from percuss.control.guidance.prediction import flight_accelerations
from percuss.encounter.approach import Approach, Preparation
from percuss.encounter.assembly import Assembly
from percuss.encounter.encounter import Encounter
from percuss.encounter.ensemble.goals import GoalsOfCases, goal_from
from percuss.encounter.ensemble.machine import Machine
from percuss.encounter.ensemble.planned import Planned
from percuss.encounter.ensemble.template import Evaluated, Parameters, Template
from percuss.encounter.ensemble.tuning import Tuning, gains_from
from percuss.encounter.laws.meeting_plans import asked_meeting, grip_of, inward_of
from percuss.kernel.duals import array_of, same_in_all
from percuss.kinematics.frames import frame_pose, frame_velocity
from percuss.kinematics.manifold import coordinate_rates

_VECTORS = ("wait", "offset", "velocity", "acceleration", "final_velocity", "final_acceleration")


@dataclass(frozen=True)
class PreparationOfCases:
    """What the laws before the contact are to know, for cases that differ in some numbers."""

    template: Template
    machine: Machine
    evaluated: Evaluated

    @property
    def assembly(self) -> Assembly:
        """Chaser and target side by side as the encounter itself has them."""
        return self.template.before

    @property
    def kind(self) -> str:
        """A meeting of the tool, a plan of base and joints, a goal, or nothing."""
        return self.approach.control.preparation(self.approach)

    @property
    def approach(self) -> Approach:
        """The motion before the contact as the encounter itself has it."""
        return _approach_of(self.template.nominal)

    def numbers(self, q: np.ndarray, v: np.ndarray, p: Parameters) -> Parameters:
        """Parameters of the laws.

        From states (entries, cases) at the start, side by side, as they are known, and from the
        inputs p of the cases.
        """
        return self._with(q, v, p, self._plans)

    def example(self, q: np.ndarray, v: np.ndarray, p: Parameters) -> Parameters:
        """Parameters with a plan that stays, for which none is looked for: that takes time."""
        return self._with(q, v, p, self._staying)

    def _with(
        self,
        q: np.ndarray,
        v: np.ndarray,
        p: Parameters,
        plans: Callable[[np.ndarray, np.ndarray, Parameters], np.ndarray],
    ) -> Parameters:
        found: Parameters = p | {"start": np.concatenate([q, v])}
        own = self.assembly.chaser.coordinate_count
        if self.kind == "meeting":
            found["meeting"] = self._meetings(q, v, p)
        elif self.kind == "plan":
            found["plan"] = plans(q, v, p)
        elif self.kind == "goal":
            found |= self._goals.numbers(q[:own], p)
        return found | self._tuning.numbers(found)

    def begun(self, p: Parameters) -> Assembly:
        """The assembly as a case starts on it, as its laws know it."""
        assembly = self.template.believed_assembly(p)
        count = assembly.plant.coordinate_count
        return assembly.starting_at(p["start"][:count], p["start"][count:])

    def prepared(self, p: Parameters, assembly: Assembly) -> Preparation:
        """What the laws of a case know, from its parameters."""
        approach = _approach_of(self.template.truth(p))
        if self.kind == "meeting":
            return Preparation(meeting=self._meeting(p))
        if self.kind == "plan":
            meet = asked_meeting(approach)
            own = assembly.chaser.coordinate_count
            end, rates = p["plan"][:own], p["plan"][own:]
            start, go = assembly.coordinates[:own], approach.observe
            goal = arriving(assembly.chaser, start, end, rates, go=go, at=meet.at)
            return Preparation(goal=goal, tuned=gains_from(p))
        if self.kind == "goal":
            return Preparation(goal=goal_from(approach.control, assembly, p), tuned=gains_from(p))
        return Preparation()

    @cached_property
    def _goals(self) -> GoalsOfCases:
        return GoalsOfCases(self.template, self.machine, lambda e: _approach_of(e).control)

    @cached_property
    def _tuning(self) -> Tuning:
        like = {"start": np.concatenate([self.assembly.coordinates, self.assembly.rates])}
        return Tuning(
            law=lambda p: _approach_of(self.template.truth(p)).control,
            tunes=self.approach.control.tunes,
            machine=self.machine,
            begun=self.begun,
            like=like | self.template.like,
        )

    # --- meetings of the tool ------------------------------------------------------------------

    def _meeting(self, p: Parameters) -> Meeting:
        numbers, approach = p["meeting"], _approach_of(self.template.truth(p))
        meet, assembly = asked_meeting(approach), self.template.believed_assembly(p)
        vectors = {name: Vector3(*numbers[3 * k : 3 * k + 3]) for k, name in enumerate(_VECTORS)}
        inward = inward_of(approach, assembly)
        if inward is None:
            assert assembly.target is not None
            inward = default_approach(assembly.target, grip_of(assembly))
        return Meeting(approach.observe, meet.at, meet.closing_speed, inward, **vectors)

    @property
    def _target_state(self) -> tuple[Any, Any]:
        q, v = self.assembly.chaser.coordinate_count, self.assembly.chaser.rate_count
        return self.assembly.coordinates[q:], self.assembly.rates[v:]

    def _between(
        self, q: Coordinates, v: Rates, at_go: Any, at_meeting: Any, *, p: Parameters
    ) -> Meeting:
        """The meeting of a case that starts at (q, v), the target's flight being known."""
        assembly = self.template.believed_assembly(p)
        approach = _approach_of(self.template.truth(p))
        meet = asked_meeting(approach)
        assert assembly.target is not None
        own = q[: assembly.chaser.coordinate_count], v[: assembly.chaser.rate_count]
        go = approach.observe
        leaves_at_once = is_constant(go) and go == 0.0
        moving = (
            frame_velocity(assembly.chaser, *own, assembly.tool).linear if leaves_at_once else None
        )
        return meeting_between(
            assembly.target,
            at_go,
            at_meeting,
            grip_of(assembly),
            tool_position=frame_pose(assembly.chaser, own[0], assembly.tool).position,
            go=go,
            at=meet.at,
            closing_speed=meet.closing_speed,
            approach_direction=inward_of(approach, assembly),
            tool_velocity=moving,
            orbit=self.template.believed(p).orbit,
        )

    @cached_property
    def _meeting_numbers(self) -> kernel.Kernel:
        """States at the start and of the target later, inputs → the vectors of a meeting, (18,)."""

        def vectors(q: Coordinates, v: Rates, at_go: Any, at_meeting: Any, p: Parameters) -> Any:
            made = self._between(q, v, at_go, at_meeting, p=p)
            return pack(x for name in _VECTORS for x in getattr(made, name))

        assembly, target = self.assembly, self._target_state
        like = assembly.coordinates, assembly.rates, target, target, self.template.like
        return self.machine.compiled(vectors, *like)

    @cached_property
    def _target_flight(self) -> kernel.Rollout:
        """The target with nothing acting on it but gravity, and the orbit; from t = 0 on."""
        target = self.assembly.target
        assert target is not None
        count = target.coordinate_count

        def rates(t: Any, x: Any, u: Any, p: Any) -> Any:
            del u
            known = self.template.believed(p)
            assert known.target is not None
            q, v = x[:count], x[count:]
            change = coordinate_rates(known.target, q, v)
            return pack([*change, *flight_accelerations(known.target, q, v, known.orbit, t=t)])

        return kernel.rollout(
            rates,
            state=np.zeros(count + target.rate_count),
            parameters=self.template.like,
            method=kernel.Adaptive(1e-13, 1e-14),
            quaternions=() if target.is_planar else (3,),
            backend=self.machine.backend,
            threads=self.machine.threads,
            key=kernel.fingerprint(rates),
        )

    def _times(self, p: Parameters, count: int) -> np.ndarray:
        """When cases set out, and when they meet (2, cases), s."""

        def both(encounter: Encounter) -> list[Any]:
            approach = _approach_of(encounter)
            return [approach.observe, asked_meeting(approach).at]

        return self.evaluated("times of meeting", both, p, count)

    def _meetings(self, q: np.ndarray, v: np.ndarray, p: Parameters) -> np.ndarray:
        flown = (self._flown(q, v, p, when) for when in self._times(p, q.shape[1]))
        return array_of(self._meeting_numbers(q, v, *flown, p))

    def _flown(
        self, q: np.ndarray, v: np.ndarray, p: Parameters, when: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates and rates of the targets (entries, cases) at times (cases,), s."""
        assembly = self.assembly
        assert assembly.target is not None
        now = np.concatenate(
            [q[assembly.chaser.coordinate_count :], v[assembly.chaser.rate_count :]]
        )
        found = now
        if np.any(when):
            lasting = when[0] if same_in_all(when) else when
            found = array_of(self._target_flight(now, p, duration=lasting).state)
        count = assembly.target.coordinate_count
        return found[:count], found[count:]

    # --- plans ---------------------------------------------------------------------------------

    def _plans(self, q: np.ndarray, v: np.ndarray, p: Parameters) -> np.ndarray:
        """Coordinates and rates at the meeting (own_q + own_v, cases); NaN where there is none.

        A case that cannot be planned fails, as its run on its own would. Cases that know the same
        have the same plan.
        """
        count = q.shape[1]
        at, closing = self._times(p, count)[1], self._closing_speeds(p, count)
        known = np.concatenate([q, v, np.stack([at, closing])])
        if not self.template.known and count > 1 and same_in_all(known):
            first = {name: value[:, :1] for name, value in p.items()}
            return np.repeat(self._plans(q[:, :1], v[:, :1], first), count, axis=1)
        then = self._flown(q, v, p, at)
        own = q[: self.assembly.chaser.coordinate_count]
        return self._planned(own, then, closing, p)

    def _closing_speeds(self, p: Parameters, count: int) -> np.ndarray:
        """The closing speeds of cases when they meet (cases,), m/s."""
        return self.evaluated.one(
            "closing speed", lambda e: asked_meeting(_approach_of(e)).closing_speed, p, count
        )

    @cached_property
    def _planned(self) -> Planned:
        return Planned(self.template, self.machine)

    def _staying(self, q: np.ndarray, v: np.ndarray, p: Parameters) -> np.ndarray:
        """Plans that end where they begin, at rest, (own_q + own_v, cases)."""
        del p
        chaser = self.assembly.chaser
        still = np.zeros_like(v[: chaser.rate_count])
        return np.concatenate([q[: chaser.coordinate_count], still])


def _approach_of(encounter: Encounter) -> Approach:
    """The motion before the contact; there is one where this is asked for."""
    assert encounter.approach is not None
    return encounter.approach
