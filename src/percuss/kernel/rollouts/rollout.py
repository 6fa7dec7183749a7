"""`rollout`: integrate many cases of a differential equation with the time loop in the kernel."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from percuss.kernel import trees
from percuss.kernel.compiling import choose_backend
from percuss.kernel.duals import is_dual, value_of
from percuss.kernel.errors import KernelError
from percuss.kernel.rollouts import (
    fixed_step,
    general_step,
    interpolated_step,
    recorded_step,
    staged_step,
)
from percuss.kernel.rollouts.arguments import begin_of, rows_of, slope_rows, table_of
from percuss.kernel.rollouts.loops import iteration_of, traced_part, traced_record
from percuss.kernel.rollouts.methods import RK4, Adaptive, Method
from percuss.kernel.rollouts.pieces import Pieces, pieces_of
from percuss.kernel.rollouts.plan import Clocks, SegmentPlan, make_plan, own_clocks
from percuss.kernel.rollouts.prepared import PreparedIteration
from percuss.kernel.rollouts.problem import Controller, Event, RolloutProblem, Tree
from percuss.kernel.rollouts.result import (
    RolloutResult,
    make_result,
    own_arrays,
    states_at_times,
    unpacked,
)
from percuss.kernel.rollouts.statistics import Statistic

if TYPE_CHECKING:
    from percuss.kernel.iteration import Iteration
    from percuss.kernel.rollouts.sensitivity import Sensitivity
    from percuss.kernel.traced import Traced

MANY_TOGETHER = 64
"""Cases from which it pays to gather those that take longer than others."""


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
    single: bool = False,
    key: str | None = None,
) -> Rollout:
    """Compile the integration of x' = f(t, x, u, p) for many cases at once.

    Args:
        f: (t, x, u, p) → rates shaped like x, written as for `compile`. x, u and p are nested
            containers of numbers and small arrays; u is None without a controller.
        state: an example of x; only its structure and shapes matter.
        parameters: an example of p; None when there are none.
        method: `RK4(step)`; `Adaptive(relative, absolute)`, the default, of order 5; or, for tight
            tolerances, `Dop853(relative, absolute)` of order 8.
        controller: the control law that makes u.
        statistics: by name, what to return of each case besides its final state.
        events: sign changes that stop a case or restart it from another state.
        quaternions: where the flat state (all leaves, in the order of the containers) holds unit
            quaternions: offsets or slices of 4 entries. f sees them normalised, and every accepted
            step is projected back onto the sphere.
        backend: "llvm", "cuda", "numpy" or "auto", as in `compile`.
        dtype: float64 or float32, of all arithmetic.
        threads: at most this many; default all cores.
        single: whether cases come one at a time. The machine code of "llvm" then works on single
            numbers, not on vectors of cases of which all but one would be idle: the same in a
            bit more than half the time, to rounding (the mathematical functions are others).
        key: a name that determines f, the control law, the functions of statistics and events,
            and every constant in them. With it what is traced and compiled is kept on disk, and a
            second start does neither; all other arguments here are told apart by themselves.

    Example:
        >>> import numpy as np
        >>> from percuss.kernel.rollouts.rollout import rollout
        >>> from percuss.kernel.rollouts.statistics import Maximum
        >>> from percuss.kernel.rollouts.methods import RK4
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
    problem = RolloutProblem(
        f,
        state=state,
        parameters=parameters,
        method=Adaptive() if method is None else method,
        controller=controller,
        statistics=statistics or {},
        events=events,
        quaternions=quaternions,
        dtype=kind,
        key=key,
    )
    return Rollout(problem, choose_backend(backend), threads, single=single)


class Rollout:
    """A compiled integration; see `rollout`. Call it with initial states and parameters."""

    def __init__(
        self,
        problem: RolloutProblem,
        backend: str,
        threads: int | None = None,
        *,
        single: bool = False,
        loop: Any = None,
    ) -> None:
        self.problem = problem
        self.backend = backend
        self.threads = threads or os.cpu_count() or 1
        self.single = single
        self.lean = isinstance(problem.method, RK4) and not problem.events and loop is None
        self._loop = loop or (fixed_step if self.lean else general_step)
        self._quick: Any = staged_step if self.lean and staged_step.fits(problem) else self._loop
        self._last_plan: tuple[Any, SegmentPlan] | None = None

    @cached_property
    def _general(self) -> Rollout:
        """This rollout with a clock for each case, which the lean loop does not have."""
        return self._alike(general_step)

    @cached_property
    def _interpolated(self) -> Rollout:
        """This rollout with the polynomial of the last step kept, for states at chosen times."""
        return self._alike(interpolated_step)

    @cached_property
    def _recorded(self) -> Rollout:
        """This rollout with every step recorded."""
        return self._alike(recorded_step)

    def _alike(self, loop: Any) -> Rollout:
        return Rollout(self.problem, self.backend, self.threads, single=self.single, loop=loop)

    def _suited(self, duration: Any, times: Any, start: Any) -> Rollout:
        """The rollout that can do what is asked: this one, unless it takes another loop."""
        differ = own_clocks(duration, start) or is_dual(duration) or is_dual(start)
        if self.lean and (differ or self.problem.looks_ahead):
            return self._general
        before_the_end = times is not None and (np.size(times) > 1 or duration is not None)
        cuts_steps = self._loop is not interpolated_step
        if before_the_end and cuts_steps and interpolated_step.fits(self.problem):
            return self._interpolated
        return self

    @cached_property
    def prepared(self) -> PreparedIteration:
        """The loop that runs."""
        loop = self._quick
        return PreparedIteration(
            self.problem.shelf.named(loop.__name__),
            lambda: traced_record(self.problem, loop, "observe", loop.observe),
            self._whole,
        )

    def _whole(self) -> Iteration:
        step = traced_part(self.problem, self._quick, "step", self._quick.step)
        iteration = iteration_of(
            self.problem, self._quick, step, self.prepared.observe, votes=not self.lean
        )
        if hasattr(self._quick, "due"):
            due = traced_part(self.problem, self._quick, "due", self._quick.due)
            return replace(iteration, due=due.program)
        if self._quick is not staged_step:
            return iteration
        row = np.zeros(len(staged_step.ROWS[0]))
        stage = traced_part(self.problem, staged_step, "stage", staged_step.stage, more=(row,))
        return replace(iteration, stage=stage.program, stage_rows=staged_step.ROWS)

    @property
    def iteration(self) -> Iteration:
        """The loop that runs; see `operations` for what a step costs."""
        return self.prepared.iteration

    def prepare(self, *, slopes: bool = False) -> None:
        """Begin to compile what a call with nothing but a duration runs, and do not wait for it.

        With `slopes` what a call with Duals runs.
        """
        if self.backend != "numpy" and not self.lean:
            loop = self._variational if slopes else self.prepared
            loop.code(self.problem.dtype, self.backend, self._lanes)

    @property
    def operations(self) -> int:
        """Scalar operations of one step of one case."""
        return self.iteration.outline.operations

    def __call__(
        self,
        state: Tree,
        parameters: Tree = None,
        *,
        duration: Any = None,
        times: Any = None,
        start: Any = 0.0,
    ) -> RolloutResult:
        """Integrate from `start` (s) for `duration` (s), or to the last of `times` (s).

        Leaves of state and parameters are shaped like the examples, with the batch as one more,
        last axis; a leaf without that axis is the same for every case. With the CUDA back end,
        when any of them lies on the GPU, so do the results (CuPy arrays).

        `start` and `duration` may be arrays of shape (batch,), on the host: each case then has
        its own clock. Chosen `times` are the same for all of them.

        With a `Dual` in the place of any array, `start` and `duration` included, the result has
        Duals: the derivatives that `sensitivity` gives, along one direction of each case. A chosen
        time at which a case ends counts as its end.
        """
        suited = self._suited(duration, times, start)
        if suited is not self:
            return suited(state, parameters, duration=duration, times=times, start=start)
        if any(map(is_dual, trees.leaves_of((state, parameters, duration, start)))):
            return self._with_slopes(state, parameters, Clocks(duration, times, start))
        plan = self._planned(duration, times, start)
        library, found, batch = self._found(state, parameters, plan)
        return make_result(self.problem, self.lean, found, plan, batch=batch, library=library)

    def states_at(self, times: Any, state: Tree, parameters: Tree = None, *, start: Any) -> Tree:
        """The trajectory alone, as a call has it, of arrays that are no Duals: a search asks for no
        more, many times."""
        if self._suited(None, times, start) is not self:
            return self(state, parameters, times=times, start=start).trajectory
        plan = self._planned(None, times, start)
        library, found, batch = self._found(state, parameters, plan)
        return own_arrays(states_at_times(self.problem, found["x"], plan), batch, library)

    def _found(
        self, state: Tree, parameters: Tree, plan: SegmentPlan
    ) -> tuple[Any, dict[str, Any], int | None]:
        """The library of the results, what was recorded of a run, and the size of the batch."""
        library, x, p, batch, stays = rows_of(
            self.problem, self.backend, state, parameters, clocks=plan.batch
        )
        begin = begin_of(self.problem, self._quick, library, x, plan=plan)
        records = self._run(library, self.prepared, begin, p, plan=plan)
        library, records = _returned(library, records, stays)
        return library, unpacked(self.prepared.observe, records), batch

    def _planned(self, duration: Any, times: Any, start: Any) -> SegmentPlan:
        """The plan of a run; a search asks for the same times again and again."""
        if not self.lean or duration is not None or not isinstance(times, np.ndarray):
            return make_plan(self.problem, self.lean, duration, times, start=start)
        asked = self.problem.method, times.dtype, times.shape, times.tobytes(), float(start)
        if self._last_plan is None or self._last_plan[0] != asked:
            plan = make_plan(self.problem, self.lean, duration, times, start=start)
            self._last_plan = asked, plan
        return self._last_plan[1]

    def _with_slopes(self, state: Tree, parameters: Tree, clocks: Clocks) -> RolloutResult:
        """The result as Duals, of arguments some of which are."""
        from percuss.kernel.rollouts.sensitivity import result_with_slopes

        duration, times, start = clocks.values
        plan = make_plan(self.problem, self.lean, duration, times, start=start)
        if not self.lean:
            plan = plan.ending_by_cases()
        x, p = (trees.map_leaves(value_of, tree) for tree in (state, parameters))
        library, x, p, batch, stays = rows_of(self.problem, self.backend, x, p, clocks=plan.batch)
        if self.backend == "cuda" and stays:
            raise KernelError("Duals are arrays of the host: give no arrays that lie on a GPU")
        count = 1 if batch is None else batch
        dx, dp = slope_rows(self.problem, library, state, parameters, count=count)
        begin = begin_of(self.problem, self._loop, library, x, plan=plan)
        tangent = self._still(library, begin)
        tangent["x"][: len(x)] = dx
        if not self.lean:
            first, last = (library.asarray(a, self.problem.dtype) for a in clocks.slopes)
            tangent["t"][...] = tangent["begin"][...] = first
            tangent["finish"][...] = last
        lanes = library.concatenate([p, dp])
        records = self._run(library, self._variational, (begin, tangent), lanes, plan=plan)
        _, records = _returned(library, records, stays)
        values, slopes = unpacked(self._variational.observe, records)
        return result_with_slopes(self.problem, self.lean, (values, slopes), plan, batch=batch)

    def _still(self, library: Any, begin: Any) -> dict[str, Any]:
        """Tangents of what a loop keeps, zero."""
        return {
            key: trees.map_leaves(library.zeros_like, begin[key])
            for key in self._loop.SMOOTH
            if key in begin
        }

    def pieces(
        self, state: Tree, parameters: Tree = None, *, end: float, start: float = 0.0
    ) -> Iterator[Pieces]:
        """The steps of one case from `start` (s) to `end` (s), with dense output.

        They come some at a time, as they are taken: who reads them may stop at any time. The last
        ones say how the case ended. For methods whose polynomial between the ends of a step is as
        good as the step: `Dop853` and `Rosenbrock`.
        """
        if not interpolated_step.fits(self.problem):
            name = type(self.problem.method).__name__
            raise KernelError(
                f"{name} has no dense output as good as its steps: take Dop853 or Rosenbrock, or "
                "ask for states at chosen times"
            )
        return pieces_of(self._recorded, state, parameters, start, end=end)

    def sensitivity(
        self,
        state: Tree,
        parameters: Tree = None,
        *,
        duration: Any = None,
        times: Any = None,
        start: Any = 0.0,
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
        from percuss.kernel.rollouts.sensitivity import RolloutSlopes, Sensitivity

        suited = self._suited(duration, times, start)
        if suited is not self:
            return suited.sensitivity(
                state,
                parameters,
                duration=duration,
                times=times,
                start=start,
                by_state=by_state,
                by_parameters=by_parameters,
            )
        plan = make_plan(self.problem, self.lean, duration, times, start=start)
        library, x, p, batch, stays = rows_of(
            self.problem, self.backend, state, parameters, clocks=plan.batch
        )
        count = 1 if batch is None else batch
        wanted = (len(x) if by_state else 0) + (len(p) if by_parameters else 0)
        if not wanted:
            raise KernelError("nothing to differentiate by: there are no parameters")
        # Lane d·batch + b is direction d of case b.
        seeds = library.repeat(library.eye(len(x) + len(p)), count, axis=1)
        first = 0 if by_state else len(x)
        seeds = seeds[:, first * count : (first + wanted) * count]
        begin = begin_of(self.problem, self._loop, library, library.tile(x, wanted), plan=plan)
        tangent = self._still(library, begin)
        tangent["x"][: len(x)] = seeds[: len(x)]
        lanes = library.concatenate([library.tile(p, wanted), seeds[len(x) :]])
        records = self._run(library, self._variational, (begin, tangent), lanes, plan=plan)
        library, records = _returned(library, records, stays)
        values, slopes = unpacked(self._variational.observe, records)
        single = trees.map_leaves(lambda leaf: leaf[..., :count], values)
        table = RolloutSlopes(slopes, plan, wanted, batch)
        problem, shift = self.problem, len(x) if by_state else 0
        return Sensitivity(
            result=make_result(problem, self.lean, single, plan, batch=batch, library=library),
            by_state=table.derivatives(problem, 0, problem.state_tree, problem.state_shapes)
            if by_state
            else None,
            by_parameters=table.derivatives(
                problem, shift, problem.parameter_tree, problem.parameter_shapes
            )
            if by_parameters and problem.parameter_shapes
            else None,
        )

    @cached_property
    def _variational(self) -> PreparedIteration:
        """The loop that runs with a derivative along a direction."""
        from percuss.kernel.rollouts.sensitivity import variational_observation, variational_step

        loop, problem = self._loop, self.problem
        smooth = [key for key in loop.SMOOTH if key in loop.start_state(problem)]

        def observe() -> Traced:
            function = variational_observation(loop.observe)
            return traced_record(
                self.problem, loop, "derivative of observe", function, smooth=smooth
            )

        def iteration() -> Iteration:
            function = variational_step(loop.step, smooth, not self.lean)
            step = traced_part(self.problem, loop, "derivative of step", function, smooth=smooth)
            return iteration_of(
                problem, loop, step, self._variational.observe, votes=not self.lean, copies=2
            )

        name = problem.shelf.named(f"derivative of {loop.__name__}")
        return PreparedIteration(name, observe, iteration)

    def _run(
        self, library: Any, loop: PreparedIteration, begin: Any, p: Any, *, plan: SegmentPlan
    ) -> Any:
        """Records (segments, record_count, batch), on the side (host or GPU) of the library."""
        dtype, batch = self.problem.dtype, p.shape[1]
        state = library.ascontiguousarray(table_of(library, begin, batch), dtype)
        targets = np.ascontiguousarray(plan.targets, dtype)
        parameters = library.ascontiguousarray(p, dtype)
        if not batch:
            return library.zeros((len(plan.iterations), loop.record_count, 0), dtype)
        if self.backend == "numpy" or self.lean or batch < MANY_TOGETHER:
            return self.advanced(loop, state, parameters, targets, iterations=plan.iterations)[0]
        from percuss.kernel.rollouts.rounds import clock_of, in_rounds, in_rounds_on_gpu

        run = self._code(loop)
        clock = clock_of(begin)
        if self.backend == "cuda":
            return in_rounds_on_gpu(run, state, parameters, plan, clock=clock)
        return in_rounds(run, state, parameters, plan, clock=clock, library=library)

    def advanced(
        self, loop: PreparedIteration, state: Any, parameters: Any, targets: Any, *, iterations: Any
    ) -> tuple[Any, Any]:
        """Records (segments, record_count, batch), and the state after the last segment."""
        if self.backend == "numpy":
            from percuss.kernel.iteration import iterate_with_numpy

            return iterate_with_numpy(loop.iteration, state, parameters, targets, iterations)
        return self._code(loop)(state, parameters, targets, iterations)

    @property
    def _lanes(self) -> int | None:
        """Cases that one instruction works on; None for as many as the processor can."""
        return 1 if self.single else None

    def _code(self, loop: PreparedIteration) -> Callable[..., Any]:
        """The machine code of a loop."""
        code = loop.code(self.problem.dtype, self.backend, self._lanes)
        if self.backend == "cuda":
            return code

        return partial(code, threads=self.threads)


def _returned(library: Any, records: Any, stays: bool) -> tuple[Any, Any]:
    """Records with the library of their side, brought to the host where they do not stay."""
    if stays:
        return library, records
    from percuss.kernel.backends.cuda import downloaded

    return np, downloaded(records)
