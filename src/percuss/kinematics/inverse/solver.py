"""Inverse kinematics of any chain: several starts, limits, null-space objectives."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from percuss.algebra.poses import Pose
from percuss.kinematics.inverse.arms import Arms
from percuss.kinematics.inverse.chain import Array, Span, ToolChain, chain_to
from percuss.kinematics.inverse.descent import BestLanes, LaneDescent, Lanes
from percuss.kinematics.inverse.failure import explained
from percuss.kinematics.inverse.objectives import Objective
from percuss.kinematics.inverse.search import SolutionSearch
from percuss.kinematics.inverse.solutions import Solution, Solutions, as_batch
from percuss.kinematics.inverse.starts import Starts
from percuss.kinematics.inverse.steps import squared_errors, target_entries
from percuss.kinematics.manifold import difference, neutral
from percuss.kinematics.tasks import Task, usual_task
from percuss.model.errors import ModelError
from percuss.model.joints import Revolute
from percuss.model.systems import Frame, System

_LANES = 50_000
"""Descents that are computed together: some ten megabytes an array."""


@dataclass(frozen=True)
class InverseKinematics:
    """A solver for one tool: make it once, solve for many targets.

    Levenberg-Marquardt from several starts: `near`, then of many random configurations those
    whose tool is nearest to the target, then any. Every solution is verified by forward
    kinematics. Joints that do not carry the tool, and a free base, stay as `near` has them.
    """

    system: System
    frame: str | Frame
    task: Task | str | None = None
    """Default: the whole pose, in the plane or in space."""
    near: Any = None
    """Coordinates to start from, shape (nq,), a free base's pose among them; default neutral."""
    joints: Sequence[str] | None = None
    """Joints that may move, default all that carry the tool except a free base."""
    objective: Objective | None = None
    """What to do with freedom that the task leaves."""
    limited: bool = True
    """Whether the joints' limits hold."""
    starts: int = 48
    tolerance: tuple[float, float] = (1e-9, 1e-9)
    """Distance (m) and angle (rad) at which the target counts as reached."""
    iterations: int = 80
    """Most steps from one start."""
    seed: int = 0
    compiled: bool = False
    """Compile the steps to machine code: half a second at first use, then microseconds a step."""
    threads: int | None = None
    arms: Arms | None = None
    """Arms built as `system` is that differ in their numbers, for `solve_each` alone."""

    def __post_init__(self) -> None:
        if isinstance(self.starts, bool) or not isinstance(self.starts, int) or self.starts < 1:
            raise ModelError(f"starts must be a whole number ≥ 1, got {self.starts!r}")
        if not all(math.isfinite(x) and x > 0 for x in self.tolerance):
            raise ModelError(
                f"tolerance must be a distance (m) and an angle (rad), both > 0, "
                f"got {self.tolerance!r}"
            )

    # --- solving ----------------------------------------------------------------------------

    def solve(self, target: Any) -> Solution:
        """The solution nearest to `near`, or with the least objective; raises `NoSolutionError`.

        The target is a `Pose`, (x, y, z), (x, y) or (x, y, angle), as the task says: m, rad.
        """
        entries = self._target(target)
        starts = self._starts.of_one(entries)
        targets = np.repeat(entries[:, None], starts.shape[1], axis=1)
        lanes = self._search.reach(starts, targets)
        numbers = np.arange(starts.shape[1])
        good = np.flatnonzero(self._verified(lanes.q, targets))
        if not good.size and (close := self._search.close(lanes, targets)).size:
            lanes = self._search.insist(lanes.q[:, close], targets[:, close])
            targets, numbers = targets[:, close], close
            good = np.flatnonzero(self._verified(lanes.q, targets))
        if not good.size:
            raise explained(self._descent, self._span, starts, entries, lanes=lanes)
        found = Lanes(lanes.q[:, good], lanes.squares[:, good], lanes.iterations)
        if self.objective is None:
            near = np.repeat(self._near[:, None], good.size, axis=1)
            ranks = self._ranks(numbers[good], found.q, near).tolist()
        else:
            found = self._descent.improved(found, targets[:, good], self.objective)
            ranks = [float(self.objective.value(q)) for q in found.q.T]  # type: ignore[arg-type]
        chosen = int(np.argmin(ranks))
        q = self._unwound(found.q[:, chosen], self._near)
        distance, angle = np.sqrt(np.asarray(self._errors(q, entries), float))
        value = None if self.objective is None else ranks[chosen]
        return Solution(
            q=q,
            distance=float(distance),
            angle=float(angle),
            objective=value,
            starts=starts.shape[1],
            solved=good.size,
        )

    def solve_many(self, targets: Any) -> Solutions:
        """One solution for each target, the targets as last axis; failures are marked.

        Targets are a `Pose` whose entries are arrays of shape (n,), or numbers of shape (3, n)
        or (2, n). Each start is tried on the targets that are still open; an objective is then
        followed from the solution found.
        """
        entries = self._targets(targets)
        count = entries.shape[1]
        best = BestLanes(self._near, count, self._length)
        slow: list[tuple[Any, Array]] = []
        used = np.zeros(count, np.int64)
        open_ = np.arange(count)
        for number in range(self.starts):
            if not open_.size:
                break
            wanted = entries[:, open_]
            lanes = self._search.reach(self._starts.of_round(number, wanted), wanted)
            close = self._search.close(lanes, wanted)
            slow.append((open_[close], lanes.q[:, close]))
            best.update(open_, lanes)
            used[open_] += 1
            open_ = open_[~lanes.reached(self.tolerance)]
        if open_.size:
            which = np.concatenate([k for k, _ in slow])
            again = np.isin(which, open_)
            q = np.concatenate([q for _, q in slow], axis=1)[:, again]
            best.update(which[again], self._search.insist(q, entries[:, which[again]]))
        q = best.q
        success = self._verified(q, entries)
        if self.objective is not None and success.any():
            found = Lanes(q[:, success], best.squares[:, success], 0)
            q[:, success] = self._descent.improved(found, entries[:, success], self.objective).q
            success = self._verified(q, entries)
        return self._solutions(self._unwound(q, self._near), success, entries, used)

    def solve_each(self, targets: Any, near: Any, numbers: Array | None = None) -> Solutions:
        """What `solve` finds for each of many targets, near coordinates of its own (nq, n).

        Targets as for `solve_many`. A free base is in all of them where the solver's `near` has
        it. `numbers` (entries, n) are those in which `arms` differ. A solver with an objective is
        refused: `solve_many` follows it.
        """
        if self.objective is not None:
            raise ModelError("solve_each follows no objective; use solve_many, or leave it out")
        entries, given = self._targets(targets), np.array(near, float)
        size = (self.system.coordinate_count, entries.shape[1])
        if given.shape != size or not np.isfinite(given).all():
            raise ModelError(f"near must be finite numbers of shape {size}, got {given.shape}")
        if self.arms is not None and numbers is not None:
            entries = self.arms.columns(entries, numbers, self._near)
        near = self._within_limits(given)
        lanes = self._search.reach(near, entries)
        success = self._verified(lanes.q, entries)
        open_ = np.flatnonzero(~success & self._spanned(entries))
        q, used = lanes.q, np.ones(len(success), np.int64)
        used[open_] = self.starts
        for some in np.array_split(open_, max(1, -(-open_.size * self.starts // _LANES))):
            found = self._nearest_of(entries[:, some], near[:, some])
            q[:, some], success[some] = found
        return self._solutions(self._unwound(q, near), success, entries, used)

    def _spanned(self, entries: Array) -> Any:
        """Which targets may be in reach, by the lengths of the links alone."""
        if self.joints is not None:
            return np.ones(entries.shape[1], bool)  # what does not move may be anywhere
        size = self.chain.task.linear_count
        place = entries[9:12] if self.chain.task == Task.POSE else entries[:size]
        if self.arms is not None:
            *origins, most = self.arms.spans(entries[-self.arms.count :], self._near)
            away = np.linalg.norm(place - np.array(origins)[:size], axis=0)
            return away <= most + 1e-9 * np.maximum(1.0, away)
        origin = np.asarray(self._span.origin.array(), float)[:size]
        away = np.linalg.norm(place - origin[:, None], axis=0)
        slack = 1e-9 * np.maximum(1.0, away)
        return (away <= self._span.most + slack) & (away >= self._span.least - slack)

    def _nearest_of(self, entries: Array, near: Array) -> tuple[Array, Any]:
        """From all starts: the solutions nearest to `near` (nq, n), and of which there are some."""
        count = entries.shape[1]
        starts = self._starts.of_each(entries, near)
        numbers, which = (x.ravel() for x in np.indices((starts.shape[1], count)))
        targets = entries[:, which]
        lanes = self._search.reach(starts.reshape(len(starts), -1), targets)
        q, success = near.copy(), np.zeros(count, bool)

        def choose(lane: Any, found: Array) -> None:
            good = np.flatnonzero(self._verified(found, targets[:, lane]))
            lane, found = lane[good], found[:, good]
            ranks = self._ranks(numbers[lane], found, near[:, which[lane]])
            order = np.argsort(-ranks, kind="stable")  # so that the last written is the nearest
            q[:, which[lane[order]]] = found[:, order]
            success[which[lane]] = True

        choose(np.arange(which.size), lanes.q)
        close = self._search.close(lanes, targets)
        close = close[~success[which[close]]]
        if close.size:
            choose(close, self._search.insist(lanes.q[:, close], targets[:, close]).q)
        return q, success

    def _solutions(self, q: Array, success: Any, entries: Array, used: Any) -> Solutions:
        distance, angle = np.sqrt(self._errors(q, entries))
        return Solutions(
            q=q,
            success=success,
            distance=distance,
            angle=np.broadcast_to(angle, q.shape[1]),
            starts=used,
        )

    def _ranks(self, numbers: Any, q: Array, near: Array) -> Array:
        """How far the joints move (rad, m) to solutions (nq, n) from starts of these numbers.

        That from `near` itself, number 0, comes before all others.
        """
        ways = np.asarray(difference(self.system, near, self._unwound(q, near)), float)
        return np.where(numbers == 0, -1.0, np.linalg.norm(ways, axis=0))

    # --- parts ------------------------------------------------------------------------------

    @cached_property
    def chain(self) -> ToolChain:
        """The joints that move."""
        task = usual_task(self.system) if self.task is None else self.task
        return chain_to(self.system, self.frame, task, self.joints, limited=self.limited)

    @cached_property
    def _near(self) -> Array:
        given = neutral(self.system) if self.near is None else self.near
        q = np.array(given, float)
        size = self.system.coordinate_count
        if q.shape != (size,) or not np.isfinite(q).all():
            names = ", ".join(self.system.coordinate_names)
            raise ModelError(f"near must be {size} finite numbers ({names}), got {self.near!r}")
        return self._within_limits(q)

    def _within_limits(self, q: Array) -> Array:
        """Coordinates (nq,) or (nq, n) with the moving joints brought within their limits."""
        for node in self.chain.nodes:
            if self.limited and node.joint.motion.coordinate_count == 1:
                limits = node.limits
                q[node.coordinates] = np.clip(q[node.coordinates], limits.lower, limits.upper)
        return q

    @cached_property
    def _span(self) -> Span:
        return self.chain.span(self._near)

    @cached_property
    def _length(self) -> float:
        """What a radian is compared with: the reach of the arm (m)."""
        most = self._span.most
        return most if 0 < most < math.inf else 1.0

    @cached_property
    def _descent(self) -> LaneDescent:
        return LaneDescent(
            chain=self.chain,
            length=self._length,
            tolerance=self.tolerance,
            iterations=self.iterations,
            compiled=self.compiled,
            threads=self.threads,
            arms=self.arms,
        )

    @cached_property
    def _search(self) -> SolutionSearch:
        return SolutionSearch(self._descent)

    @cached_property
    def _starts(self) -> Starts:
        return Starts(
            chain=self.chain,
            near=self._near,
            length=self._length,
            count=self.starts,
            seed=self.seed,
            prefers_near=self.near is not None,
            arms=self.arms,
        )

    def _target(self, target: Any) -> Array:
        entries = np.asarray(target_entries(self.chain.task, target), dtype=object)
        return self._checked(as_batch(entries.reshape(-1, 1), len(entries), "the target"))[:, 0]

    def _targets(self, targets: Any) -> Array:
        task = self.chain.task
        if isinstance(targets, Pose):
            flat = np.broadcast_arrays(
                *(np.asarray(x, float) for x in target_entries(task, targets))
            )
            return self._checked(as_batch(np.array(flat), len(flat), "the targets"))
        size = len(target_entries(task, Pose.identity()))
        return self._checked(as_batch(targets, size, "the targets"))

    def _checked(self, entries: Array) -> Array:
        if self.chain.task == Task.POSE:
            turn = np.moveaxis(entries[:9].reshape(3, 3, -1), -1, 0)
            if np.abs(turn @ np.swapaxes(turn, -1, -2) - np.eye(3)).max() > 1e-9:
                raise ModelError("the target's rotation is not orthogonal; build it with Pose.at")
        return entries

    def _errors(self, q: Array, entries: Array) -> Any:
        """Squared errors by forward kinematics in plain NumPy, whatever found the solution."""
        if self.arms is not None:
            return self.arms.errors(q, entries)
        return squared_errors(self.chain, q, entries)

    def _verified(self, q: Array, entries: Array) -> Any:
        squares = np.broadcast_to(self._errors(q, entries), (2, q.shape[1]))
        # Rounding differs between compiled code and this check by a few last digits.
        slack = np.square(np.asarray(self.tolerance) * (1 + 1e-6) + 1e-15)
        good = (squares <= slack[:, None]).all(axis=0)
        for node in self.chain.nodes:
            if self.limited and node.joint.motion.coordinate_count == 1:
                x, limits = q[node.coordinates.start], node.limits
                good = good & (x >= limits.lower) & (x <= limits.upper)
        return good

    def _unwound(self, q: Array, near: Array) -> Array:
        """Joints that may turn for ever within half a turn of `near`, (nq,) or (nq, n)."""
        q = q.copy()
        for node in self.chain.nodes:
            limits = node.limits
            bounded = self.limited and (math.isfinite(limits.lower) or math.isfinite(limits.upper))
            if isinstance(node.joint.motion, Revolute) and not bounded:
                k = node.coordinates.start
                q[k] -= math.tau * np.round((q[k] - near[k]) / math.tau)
        return q


def inverse_kinematics(
    system: System,
    frame: str | Frame,
    target: Any,
    task: Task | str | None = None,
    **options: Any,
) -> Solution:
    """Coordinates that bring a frame to a target; raises `NoSolutionError`, which says why not.

    Options are the fields of `InverseKinematics`: near, joints, objective, starts, tolerance …
    """
    return InverseKinematics(system, frame, task, **options).solve(target)
