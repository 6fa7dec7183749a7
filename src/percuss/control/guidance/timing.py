"""When to meet a tumbling target: candidate times, what each needs, and the easiest."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from percuss.algebra.arrays import Coordinates, Rates
from percuss.control.guidance.needs import Needs, needs_of_each
from percuss.control.guidance.plan import MOVE, STAY, Plan
from percuss.control.guidance.prediction import grip_state, predicted_state
from percuss.control.guidance.rendezvous import Rendezvous
from percuss.kinematics.dexterity_measures import manipulability
from percuss.kinematics.inverse.chain import Span, chain_to, distance
from percuss.kinematics.tasks import Task, task_jacobian
from percuss.model.errors import ModelError
from percuss.model.systems import Frame, System

_COMPILED_FROM = 4
"""Times from which compiling the inverse kinematics pays."""


@dataclass(frozen=True)
class Candidate:
    """A time at which tool and grip could meet."""

    at: float
    """s."""
    distance: float
    """From the arm's first joint, with the base as it is, to the grip (m)."""
    grip_speed: float
    """m/s."""
    spin: float
    """Of the target (rad/s)."""
    manipulability: float | None
    """√det(J Jᵀ) of the tool's velocity at the meeting; None when it is not reached."""
    needs: Needs | None
    """Rates and efforts on the way; None when there is no way."""
    plan: Plan | None
    why_not: str
    """Why it is not feasible; empty when it is."""

    @property
    def is_feasible(self) -> bool:
        """Whether the tool can be there, moving so, within the model's limits."""
        return not self.why_not


@dataclass(frozen=True)
class Timetable:
    """Candidates in order of time, and the best of them."""

    candidates: tuple[Candidate, ...]
    best: Candidate | None
    words: str
    """Why that one, or why none."""

    def __repr__(self) -> str:
        best = "none of them" if self.best is None else f"{self.best.at:g} s"
        return f"<Timetable of {len(self.candidates)} times, best {best}>"

    def __str__(self) -> str:
        head = (
            "   meet at  distance  grip speed      spin   largest rate  manipulability",
            "         s         m         m/s     rad/s",
        )
        rows = (_row(candidate, candidate is self.best) for candidate in self.candidates)
        return "\n".join([*head, *rows, self.words])


def when_to_go(
    chaser: System,
    q: Coordinates,
    tool: str | Frame,
    target: System,
    *,
    q_t: Coordinates,
    v_t: Rates,
    grip: str | Frame,
    closing_speed: float,
    base: str = STAY,
    earliest: float,
    latest: float,
    count: int = 11,
    go: float = 0.0,
    duration: float | None = None,
    **options: Any,
) -> Timetable:
    """Candidate times of a meeting, `count` of them from `earliest` to `latest` (s).

    The best is the feasible one whose largest rate on the way is the smallest share of its limit
    (or, without limits, the smallest); when the base moves, the one that needs the least thrust.
    Feasible means within reach, not singular, and within the model's limits of position, rate
    and effort.

    Args:
        go: when the chaser may leave (s), before `earliest`.
        duration: of the chaser's motion (s): it leaves that long before each meeting, but not
            before `go`, when it also leaves where there is none.
        options: `approach_direction`, `tool_axis`, `align`, `posture`, `seed` and `orbit` as in
            `meeting_plan`; the other arguments are those too.
    """
    if not (math.isfinite(earliest) and math.isfinite(latest) and 0 < earliest <= latest):
        raise ModelError(
            f"earliest and latest must be finite with 0 < earliest ≤ latest (s), "
            f"got {earliest!r} and {latest!r}"
        )
    if not (math.isfinite(go) and 0 <= go < earliest):
        raise ModelError(f"go must be from 0 to before earliest = {earliest!r} s, got {go!r}")
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise ModelError(f"count must be a whole number ≥ 1, got {count!r}")
    if duration is not None and not (math.isfinite(duration) and duration > 0):
        raise ModelError(f"duration must be finite and > 0 s, got {duration!r}")
    problem = Rendezvous.of(
        chaser,
        q,
        tool,
        target,
        q_t=q_t,
        v_t=v_t,
        grip=grip,
        closing_speed=closing_speed,
        base=base,
        **options,
        compiled=base == STAY and count >= _COMPILED_FROM,
    )
    start, frame = problem.start, problem.tool
    task = Task.PLANAR_POSITION if chaser.is_planar else Task.POSITION
    span = chain_to(chaser, frame, task).span(start)
    times = np.linspace(earliest, latest, count).tolist()
    leaves = [go if duration is None else max(go, at - duration) for at in times]
    states = [predicted_state(target, q_t, v_t, at, orbit=problem.orbit) for at in times]
    facts: list[_Facts] = []
    for at, state in zip(times, states, strict=True):
        grip_now = grip_state(target, *state, grip, orbit=problem.orbit, t=at)
        away = distance(task, grip_now.pose.position, span.origin)
        speeds = _size(grip_now.velocity.linear), _size(grip_now.velocity.angular)
        facts.append(_Facts(at, away, *speeds))
    far = [_out_of_reach(one.distance, span) if base == STAY else "" for one in facts]
    within = [k for k, why in enumerate(far) if not why]
    there = problem.at_times(
        [leaves[k] for k in within], [times[k] for k in within], [states[k] for k in within]
    )
    plans = dict(zip(within, there, strict=True))
    sound = [plan for plan in plans.values() if isinstance(plan, Plan)]
    needs = iter(zip(needs_of_each(sound, 101), _manipulabilities(sound), strict=True))
    found: list[Candidate] = []
    for k, one in enumerate(facts):
        plan = plans.get(k)
        if isinstance(plan, Plan):
            found.append(one.planned(plan, *next(needs)))
        else:
            found.append(one.refused(far[k] if plan is None else str(plan)))
    return _timetable(tuple(found))


def _manipulabilities(plans: Sequence[Plan]) -> list[float]:
    """√det(J Jᵀ) of the tool's velocity at the meeting of each plan of one chaser."""
    if not plans:
        return []
    chaser, tool = plans[0].chaser, plans[0].tool
    place = Task.PLANAR_POSITION if chaser.is_planar else Task.POSITION
    arm = list(chain_to(chaser, tool, place).rates)
    q = np.stack([plan.coordinates for plan in plans], axis=-1)
    J = np.asarray(task_jacobian(chaser, q, tool, place), float)[:, arm]
    values = np.broadcast_to(np.asarray(manipulability(J), float), (len(plans),))
    return [float(value) for value in values]


@dataclass(frozen=True)
class _Facts:
    at: float
    distance: float
    grip_speed: float
    spin: float

    def refused(self, why: str) -> Candidate:
        return Candidate(
            at=self.at,
            distance=self.distance,
            grip_speed=self.grip_speed,
            spin=self.spin,
            manipulability=None,
            needs=None,
            plan=None,
            why_not=why,
        )

    def planned(self, plan: Plan, needs: Needs, manipulability: float) -> Candidate:
        why = "; ".join(need.words for need in needs.too_much)
        return Candidate(
            at=self.at,
            distance=self.distance,
            grip_speed=self.grip_speed,
            spin=self.spin,
            manipulability=manipulability,
            needs=needs,
            plan=plan,
            why_not=why,
        )


def _out_of_reach(away: float, span: Span) -> str:
    if away > span.most:
        return (
            f"out of reach by {away - span.most:.4g} m: the grip is {away:.4g} m from "
            f"{span.joint!r} and the arm spans {span.most:.4g} m"
        )
    if away < span.least:
        return (
            f"too near by {span.least - away:.4g} m: the grip is {away:.4g} m from "
            f"{span.joint!r} and the arm gets no nearer than {span.least:.4g} m"
        )
    return ""


def _timetable(candidates: tuple[Candidate, ...]) -> Timetable:
    feasible = [c for c in candidates if c.is_feasible]
    if not feasible:
        nearest = min(candidates, key=lambda c: c.distance)
        words = (
            f"None of {len(candidates)} times is feasible; at {nearest.at:.4g} s, when the grip "
            f"is nearest, {nearest.why_not}."
        )
        return Timetable(candidates, None, words)
    best = min(feasible, key=_hardness)
    words = (
        f"Meet at {best.at:.4g} s: of {len(feasible)} feasible times among {len(candidates)} it "
        f"needs the least {_least(best)}; the grip then moves at {best.grip_speed:.4g} m/s."
    )
    return Timetable(candidates, best, words)


def _hardness(candidate: Candidate) -> tuple[float, float, float]:
    needs = _needs(candidate)
    rate = needs.hardest_rate
    if _moves(candidate):
        return needs.thrust, rate.share, candidate.at
    return rate.share, rate.most, candidate.at


def _least(best: Candidate) -> str:
    needs = _needs(best)
    if _moves(best):
        return f"thrust, {needs.thrust:.4g} N"
    rate = needs.hardest_rate
    limited = "" if math.isinf(rate.limit) else f", {100 * rate.share:.3g} % of its limit"
    return f"rate, {rate.most:.4g} {rate.unit} of {rate.name}{limited}"


def _needs(candidate: Candidate) -> Needs:
    assert candidate.needs is not None, "only what can be reached is compared"
    return candidate.needs


def _moves(candidate: Candidate) -> bool:
    return candidate.plan is not None and candidate.plan.base == MOVE


def _row(c: Candidate, best: bool) -> str:
    mark = "→" if best else " "
    line = f"{mark} {c.at:8.4g}  {c.distance:8.4g}  {c.grip_speed:10.4g}  {c.spin:8.4g}"
    if c.needs is None:
        return f"{line}  {c.why_not}"
    rate = c.needs.hardest_rate
    line += f"  {rate.most:7.3g} {rate.unit:5}  {c.manipulability:14.4g}"
    return f"{line}  {c.why_not}".rstrip()


def _size(vector: Any) -> float:
    return math.hypot(*(float(x) for x in vector))
