"""`rollout`: integrate many cases of a differential equation with the time loop in the kernel."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import jax
import numpy as np

from percuss.kernel import fixed_step, general_step
from percuss.kernel.compile import batch_size, choose_backend, input_rows
from percuss.kernel.errors import KernelError
from percuss.kernel.general_step import Status
from percuss.kernel.iteration import Iteration, iterate_with_numpy
from percuss.kernel.problem import Controller, Event, Problem, Tree
from percuss.kernel.sensitivity import (
    Derivatives,
    Sensitivity,
    variational_observation,
    variational_step,
)
from percuss.kernel.statistics import Statistic
from percuss.kernel.steppers import RK4, Adaptive, Method
from percuss.kernel.trace import Traced, trace

MANY = 256
"""Cases from which a second thread pays for itself, a rollout being long."""


def rollout(
    f: Callable[[Any, Any, Any, Any], Any],
    *,
    state: Tree,
    parameters: Tree = None,
    method: Method | None = None,
    controller: Controller | None = None,
    statistics: Mapping[str, Statistic] | None = None,
    events: Sequence[Event] = (),
    quaternions: Sequence[int | slice] = (),
    backend: str = "auto",
    dtype: Any = np.float64,
    threads: int | None = None,
) -> Rollout:
    """Compile the integration of x' = f(t, x, u, p) for many cases at once.

    Args:
        f: (t, x, u, p) → rates shaped like x, written as for JAX. x, u and p are nested
            containers of numbers and small arrays; u is None without a controller.
        state: an example of x; only its structure and shapes matter.
        parameters: an example of p; None when there are none.
        method: `RK4(step)`, or `Adaptive(relative, absolute)`, the default.
        controller: the control law that makes u.
        statistics: by name, what to return of each case besides its final state.
        events: sign changes that stop a case or restart it from another state.
        quaternions: where the flat state (all leaves, in JAX's order) holds unit quaternions:
            offsets or slices of 4 entries. f sees them normalised, and every accepted step is
            projected back onto the sphere.
        backend: "llvm", "cuda", "numpy" or "auto", as in `compile`.
        dtype: float64 or float32, of all arithmetic.
        threads: at most this many; default all cores.

    Example:
        >>> import numpy as np
        >>> from percuss.kernel.rollout import rollout
        >>> from percuss.kernel.statistics import Maximum
        >>> from percuss.kernel.steppers import RK4
        >>> run = rollout(
        ...     lambda t, x, u, p: (x[1], -p * x[0]),
        ...     state=(0.0, 0.0),
        ...     parameters=0.0,
        ...     method=RK4(step=0.01),
        ...     statistics={"peak": Maximum(lambda t, x, u, p: x[0])},
        ... )
        >>> stiffness = np.array([1.0, 4.0, 9.0])
        >>> result = run((0.0, 1.0), stiffness, duration=3.0)
        >>> result.statistics["peak"].round(3)
        array([1.   , 0.5  , 0.333])

    The result of a case depends on nothing but that case: not on its place in the batch, the
    size of the batch or the number of threads; a NaN stays where it is.
    """
    kind = np.dtype(dtype)
    if kind not in (np.float64, np.float32):
        raise KernelError(f"dtype must be float64 or float32, got {kind}")
    problem = Problem(
        f,
        state=state,
        parameters=parameters,
        method=Adaptive() if method is None else method,
        controller=controller,
        statistics=statistics or {},
        events=events,
        quaternions=quaternions,
        dtype=kind,
    )
    return Rollout(problem, choose_backend(backend), threads)


@dataclass(frozen=True)
class RolloutResult:
    """What a rollout returns. Arrays end with the batch axis, if any argument had one.

    Attributes:
        state: at the end of each case, shaped like the example.
        time: s, at which each case ended.
        status: a `Status` per case.
        steps: accepted steps per case.
        attempts: steps tried, rejected ones and those repeated for events included.
        statistics: by name.
        trajectory: states at `times`: leaves of shape (…, len(times), batch), None when no
            times were asked for. After its end a case stays where it is.
        times: s, those asked for.
        event: index of the terminal event that stopped the case, -1 when none did.
        event_time: s, shape (events, batch): last occurrence of each event, NaN when none.
        event_count: shape (events, batch): how often each event occurred.
    """

    state: Tree
    time: Any
    status: Any
    steps: Any
    attempts: Any
    statistics: dict[str, Any]
    trajectory: Tree
    times: np.ndarray | None
    event: Any
    event_time: Any
    event_count: Any


class Rollout:
    """A compiled integration; see `rollout`. Call it with initial states and parameters."""

    def __init__(self, problem: Problem, backend: str, threads: int | None = None) -> None:
        self.problem = problem
        self.backend = backend
        self.threads = threads or os.cpu_count() or 1
        self.lean = isinstance(problem.method, RK4) and not problem.events
        self._loop = fixed_step if self.lean else general_step

    @cached_property
    def _observe(self) -> Traced:
        return self._traced(self._loop.observe)

    @cached_property
    def iteration(self) -> Iteration:
        """The loop that runs: its `step.operation_count` tells what a step costs."""
        return self._iteration(self._traced(self._loop.step), self._observe, 1)

    def __call__(
        self,
        state: Tree,
        parameters: Tree = None,
        *,
        duration: float | None = None,
        times: Any = None,
        start: float = 0.0,
    ) -> RolloutResult:
        """Integrate from `start` (s) for `duration` (s), or to the last of `times` (s).

        Leaves of state and parameters are shaped like the examples, with the batch as one more,
        last axis; a leaf without that axis is the same for every case.
        """
        plan = self._plan(duration, times, start)
        x, p, batch = self._rows(state, parameters)
        count = 1 if batch is None else batch
        begin = self._begin(x, count, start)
        records = self._run(self.iteration, begin, p, plan)
        return self._result(self._unpacked(self._observe, records), plan, batch)

    def sensitivity(
        self,
        state: Tree,
        parameters: Tree = None,
        *,
        duration: float | None = None,
        times: Any = None,
        start: float = 0.0,
        by_state: bool = True,
        by_parameters: bool = True,
    ) -> Sensitivity:
        """Derivatives of the end state, trajectory, end time and statistics of each case.

        Forward variational: the derivative of the discrete step is carried along, one direction
        a lane, so that for RK4 the result is the exact derivative of what `__call__` computes,
        to rounding. The lengths that error control chooses are held; the times of events are
        differentiated (through their action, the restart and what follows). Derivatives with
        respect to a quaternion are those with respect to its four entries taken freely.
        """
        plan = self._plan(duration, times, start)
        x, p, batch = self._rows(state, parameters)
        count = 1 if batch is None else batch
        wanted = (len(x) if by_state else 0) + (len(p) if by_parameters else 0)
        if not wanted:
            raise KernelError("nothing to differentiate by: there are no parameters")
        observe, iteration = self._variational
        # Lane d·batch + b is direction d of case b.
        seeds = np.repeat(np.eye(len(x) + len(p)), count, axis=1)
        first = 0 if by_state else len(x)
        seeds = seeds[:, first * count : (first + wanted) * count]
        begin = self._begin(np.tile(x, wanted), count * wanted, start)
        tangent = {
            key: jax.tree.map(np.zeros_like, begin[key])
            for key in self._loop.SMOOTH
            if key in begin
        }
        tangent["x"][: len(x)] = seeds[: len(x)]
        lanes = np.concatenate([np.tile(p, wanted), seeds[len(x) :]])
        records = self._run(iteration, (begin, tangent), lanes, plan)
        values, slopes = self._unpacked(observe, records)
        single = jax.tree.map(lambda leaf: leaf[..., :count], values)

        def jacobian(first: int, tree: Any, shapes: Sequence[tuple[int, ...]]) -> Derivatives:
            size = sum(map(math.prod, shapes))

            def by_input(leaf: np.ndarray) -> Tree:
                parts = leaf.reshape((*leaf.shape[:-1], wanted, count))
                parts = parts[..., first : first + size, :]
                ends = np.cumsum([math.prod(shape) for shape in shapes])
                pieces = []
                for end, shape in zip(ends, shapes, strict=True):
                    piece = parts[..., end - math.prod(shape) : end, :]
                    piece = piece.reshape((*leaf.shape[:-1], *shape, count))
                    pieces.append(piece[..., 0] if batch is None else piece)
                return jax.tree.unflatten(tree, pieces)

            end = self._arranged(slopes["x"][plan.last])
            path = self._path(slopes["x"], plan)
            return Derivatives(
                state=jax.tree.map(by_input, end),
                time=by_input(
                    slopes["t"][plan.last] if "t" in slopes else np.zeros(wanted * count)
                ),
                statistics={k: by_input(v[plan.last]) for k, v in slopes["statistics"].items()},
                trajectory=None if path is None else jax.tree.map(by_input, path),
            )

        problem = self.problem
        shift = len(x) if by_state else 0
        return Sensitivity(
            result=self._result(single, plan, batch),
            by_state=jacobian(0, problem.state_tree, problem.state_shapes) if by_state else None,
            by_parameters=jacobian(shift, problem.parameter_tree, problem.parameter_shapes)
            if by_parameters and problem.parameter_shapes
            else None,
        )

    @cached_property
    def _variational(self) -> tuple[Traced, Iteration]:
        loop, problem = self._loop, self.problem
        smooth = [key for key in loop.SMOOTH if key in loop.start_state(problem)]
        step = self._traced(variational_step(loop.step, smooth, not self.lean), smooth)
        observe = self._traced(variational_observation(loop.observe), smooth)
        return observe, self._iteration(step, observe, 2)

    # --- tracing and running ------------------------------------------------------------------

    def _traced(self, function: Callable[..., Any], smooth: Sequence[str] | None = None) -> Traced:
        """The program of a step or an observation, of its derivative when `smooth` is given."""
        state: Any = self._loop.start_state(self.problem)
        problem = self.problem
        p: Any = jax.tree.unflatten(
            problem.parameter_tree, [np.zeros(shape) for shape in problem.parameter_shapes]
        )
        if smooth is not None:
            state, p = (state, {key: state[key] for key in smooth}), (p, p)
        return trace(lambda s, g, q: function(problem, s, g, q), state, self._loop.TARGETS, p)

    def _iteration(self, step: Traced, observe: Traced, copies: int) -> Iteration:
        targets = len(self._loop.TARGETS)
        parameters = copies * sum(map(math.prod, self.problem.parameter_shapes))
        count = step.program.input_count - targets - parameters
        votes = not self.lean
        return Iteration(step.program, observe.program, count, targets, parameters, votes)

    def _run(self, iteration: Iteration, begin: Any, p: np.ndarray, plan: _Plan) -> np.ndarray:
        dtype = self.problem.dtype
        leaves = jax.tree.leaves(begin)
        batch = p.shape[1]
        rows = [np.reshape(leaf, (-1, batch)) for leaf in leaves]
        state = np.ascontiguousarray(np.concatenate(rows), dtype)
        targets = np.ascontiguousarray(plan.targets, dtype)
        parameters = np.ascontiguousarray(p, dtype)
        if not batch:
            return np.zeros((len(plan.iterations), iteration.record_count, 0), dtype)
        if self.backend == "numpy":
            return iterate_with_numpy(iteration, state, parameters, targets, plan.iterations)
        code = _compiled(iteration, dtype, self.backend)
        if self.backend == "cuda":
            return np.asarray(code(state, parameters, targets, plan.iterations))
        threads = self.threads if batch >= MANY else 1
        return code(state, parameters, targets, plan.iterations, threads=threads)

    # --- arguments ----------------------------------------------------------------------------

    def _rows(self, state: Tree, parameters: Tree) -> tuple[np.ndarray, np.ndarray, int | None]:
        """State (n, batch), parameters (m, batch) and the batch size, None without that axis."""
        problem = self.problem
        leaves: list[np.ndarray] = []
        for name, value, tree in (
            ("state", state, problem.state_tree),
            ("parameters", parameters, problem.parameter_tree),
        ):
            found, structure = jax.tree.flatten(value)
            if structure != tree:
                raise KernelError(f"{name} have the structure {structure}, compiled was {tree}")
            leaves += [np.asarray(leaf, problem.dtype) for leaf in found]
        shapes = [*problem.state_shapes, *problem.parameter_shapes]
        batch = batch_size(leaves, shapes)
        count = 1 if batch is None else batch
        rows = input_rows(leaves, shapes, count, problem.dtype)
        table = np.stack(rows) if rows else np.zeros((0, count), problem.dtype)
        x, p = table[: problem.size], table[problem.size :]
        for offset in problem.quaternions:
            with np.errstate(all="ignore"):
                norm = np.sqrt(np.sum(x[offset : offset + 4] ** 2, axis=0))
            wrong = np.flatnonzero(np.abs(norm - 1) > 1e-3)
            if wrong.size:
                raise KernelError(
                    f"the quaternion at entry {offset} of the state must be unit, case {wrong[0]} "
                    f"has norm {norm[wrong[0]]:.6g}; divide it by its norm"
                )
        return x, p, batch

    def _begin(self, x: np.ndarray, batch: int, start: float) -> dict[str, Any]:
        """Everything the loop keeps, per case."""
        dtype = self.problem.dtype
        begin = jax.tree.map(
            lambda leaf: np.repeat(np.asarray(leaf, dtype)[..., None], batch, axis=-1),
            self._loop.start_state(self.problem),
        )
        begin["x"][: len(x)] = x
        if "t" in begin:
            begin["t"][...] = start
        return begin

    def _plan(self, duration: float | None, times: Any, start: float) -> _Plan:
        wanted = None if times is None else np.array(times, float)
        if wanted is not None and (wanted.ndim != 1 or not wanted.size):
            raise KernelError(f"times must be a list of seconds, got shape {wanted.shape}")
        if duration is None and wanted is None:
            raise KernelError("give a duration in seconds, or the times at which states are wanted")
        end = float(wanted[-1] if duration is None else start + duration)  # type: ignore[index]
        stops = np.array([]) if wanted is None else wanted
        if not (math.isfinite(end) and math.isfinite(start) and np.isfinite(stops).all()):
            raise KernelError(f"start, duration and times must be finite, got end {end!r} s")
        if end < start or (np.diff(stops) <= 0).any() or ((stops < start) | (stops > end)).any():
            raise KernelError(
                f"times must rise from start {start!r} s to the end {end!r} s, got {stops}"
            )
        if not stops.size or stops[-1] < end:
            stops = np.append(stops, end)
        method = self.problem.method
        if self.lean:
            assert isinstance(method, RK4)
            made = fixed_step.schedule(method, start, stops)
            return _Plan(made.targets, made.iterations, made.ends, wanted, start, end)
        most = method.most_steps
        if most is None:
            most = 10_000 + 10 * math.ceil((end - start) / method.step)  # type: ignore[union-attr]
        if self.problem.dtype == np.float32 and most > 2**24:
            raise KernelError(
                f"single precision counts steps up to {2**24} only, most_steps is {most}"
            )
        # In the order of sorted(TARGETS): end, most, start.
        rows = [[stop, float(most), start] for stop in stops]
        limits = np.full(len(stops), most, np.int64)
        return _Plan(np.array(rows), limits, np.arange(len(stops)), wanted, start, end)

    # --- results ------------------------------------------------------------------------------

    def _unpacked(self, observe: Traced, records: np.ndarray) -> Any:
        """Records (segments, count, batch) in the structure of the observation."""
        leaves, at = [], 0
        for shape in observe.output_shapes:
            size = math.prod(shape)
            part = records[:, at : at + size]
            leaves.append(part.reshape((len(records), *shape, records.shape[-1])))
            at += size
        return jax.tree.unflatten(observe.output_tree, leaves)

    def _arranged(self, x: np.ndarray) -> Tree:
        """Flat states (n, …, batch) in the user's shape."""
        problem = self.problem
        ends = np.cumsum([math.prod(shape) for shape in problem.state_shapes])
        pieces = [
            x[end - math.prod(shape) : end].reshape((*shape, *x.shape[1:]))
            for end, shape in zip(ends, problem.state_shapes, strict=True)
        ]
        return jax.tree.unflatten(problem.state_tree, pieces)

    def _path(self, x: np.ndarray, plan: _Plan) -> Tree:
        """States at the times asked for, from (segments, n, batch)."""
        if plan.times is None:
            return None
        chosen = x[plan.ends[: len(plan.times)]]
        return self._arranged(np.moveaxis(chosen, 0, 1))

    def _result(self, found: dict[str, Any], plan: _Plan, batch: int | None) -> RolloutResult:
        problem, last = self.problem, plan.last
        x = found["x"][last]
        count, events = x.shape[-1], len(problem.events)
        if self.lean:
            finite = np.isfinite(x).all(axis=0)
            status = np.where(finite, Status.DONE, Status.NOT_FINITE).astype(np.int64)
            time = np.full(count, plan.end, problem.dtype)
            steps = attempts = np.full(count, plan.iterations.sum())
        else:
            code = found["status"][last]
            time = found["t"][last]
            steps, attempts = (found[k][last].astype(np.int64) for k in ("steps", "attempts"))
            status = np.where(code == general_step.RUNNING, Status.DONE, code).astype(np.int64)
        event = np.full(count, -1)
        event_time = np.full((0, count), np.nan)
        event_count = np.zeros((0, count), np.int64)
        if events:
            event = np.where(status == Status.EVENT, found["which"][last], -1).astype(np.int64)
            event_time = found["event_time"][last]
            event_count = found["event_count"][last].astype(np.int64)

        def own(tree: Tree) -> Tree:
            """Without the batch axis where no argument had one; never a view of the records."""
            return jax.tree.map(lambda a: np.array(a[..., 0] if batch is None else a), tree)

        return RolloutResult(
            state=own(self._arranged(x)),
            time=own(time),
            status=own(status),
            steps=own(steps),
            attempts=own(attempts),
            statistics=own({name: v[last] for name, v in found["statistics"].items()}),
            trajectory=own(self._path(found["x"], plan)),
            times=plan.times,
            event=own(event),
            event_time=own(event_time),
            event_count=own(event_count),
        )


@dataclass(frozen=True)
class _Plan:
    """Segments of a run, and which of them end at the times asked for and at the end."""

    targets: np.ndarray
    iterations: np.ndarray
    ends: np.ndarray
    times: np.ndarray | None
    start: float
    end: float

    @property
    def last(self) -> int:
        return int(self.ends[-1])


@lru_cache(maxsize=128)
def _compiled(iteration: Iteration, dtype: np.dtype[Any], backend: str) -> Any:
    """Machine code of an iteration; the same for equal iterations."""
    if backend == "cuda":
        from percuss.kernel.cuda import CudaIteration

        return CudaIteration(iteration, dtype)
    from percuss.kernel.llvm import LlvmIteration

    return LlvmIteration(iteration, dtype)
