"""Whether a motion is stiff: it decays much faster than it is to be followed.

An explicit method is stable only while (fastest decay) · (step) stays below a number of its own,
however smooth the motion is; a stiff method (`Rosenbrock`) is not bound by that, but its steps cost
more and are of lower order. Fast oscillations that are not damped do not count: whoever follows
them needs steps as short as their period with any method.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from percuss.kernel import trees
from percuss.kernel.errors import KernelError
from percuss.kernel.rollouts.methods import Adaptive, Dop853, ErrorControlled
from percuss.kernel.rollouts.problem import RolloutProblem, Tree
from percuss.kernel.rollouts.rollout import Rollout

REACH: dict[type[ErrorControlled], float] = {Adaptive: 3.3, Dop853: 6.4}
"""Decay times step up to which an explicit method is stable: where its stability function leaves
the unit circle along the negative real axis."""
MANY = 3000.0
"""Steps for the sake of stability alone from which a stiff method pays. With friction in its seven
joints a free-floating arm takes 1159 steps of `Rosenbrock` in 10 s at a tolerance of 1e-10, and one
costs as many operations as two of `Dop853`; the rest is a margin."""


@dataclass(frozen=True)
class Stiffness:
    """How fast a motion decays by itself at a state.

    Attributes:
        decay: 1/s, the largest -Re λ of the eigenvalues λ of ∂(dx/dt)/∂x less the largest Re λ, 0
            when that is negative. A motion without losses has eigenvalues ±λ: what decays in it
            grows as fast elsewhere, and has to be followed.
    """

    decay: float

    def steps(self, duration: float, method: type[ErrorControlled]) -> float:
        """Steps that stability alone asks of an explicit method over a duration (s)."""
        if method not in REACH:
            known = ", ".join(each.__name__ for each in REACH)
            raise KernelError(f"stability limits the steps of {known}; got {method.__name__}")
        return self.decay * duration / REACH[method]

    def is_stiff(self, duration: float, method: type[ErrorControlled] = Dop853) -> bool:
        """Whether a stiff method is the cheaper one for a duration (s), were it so all along."""
        return self.steps(duration, method) > MANY

    def sentence(self, duration: float, method: type[ErrorControlled] = Dop853) -> str:
        """What was found, and what follows from it for a duration (s)."""
        count, name = self.steps(duration, method), method.__name__
        found = f"motions decay at up to {self.decay:.3g} 1/s"
        if self.is_stiff(duration, method):
            return (
                f"Rosenbrock: {found}, which would hold {name} to {count:.3g} steps in "
                f"{duration:.3g} s"
            )
        return f"{name}: {found}, which asks for {count:.3g} steps at least in {duration:.3g} s"


def stiffness(
    run: Rollout,
    state: Tree,
    parameters: Tree = None,
    *,
    time: float = 0.0,
    command: Tree = None,
    memory: Tree = None,
) -> Stiffness:
    """How stiff the equation of a rollout is at one state of one case.

    The Jacobian comes from the program of f, run once by NumPy: nothing is compiled. `command` is
    what a sampled controller holds; `memory` what one that is not sampled remembers, by default
    what it starts with. Dry friction is stiff where joints stand still: look at the states where a
    run begins and at those it comes to, for example where an explicit method gave up.
    """
    problem = run.problem
    leaves, tree = trees.flatten(state)
    shapes = [np.shape(leaf) for leaf in leaves]
    if tree != problem.state_tree or shapes != problem.state_shapes:
        raise KernelError(
            f"one state of one case is needed, shaped like {problem.state_shapes}; got {shapes}"
        )
    if problem.controller is not None and not problem.sampled and memory is None:
        memory = problem.memory_start
    if problem.sampled and command is None:
        command = trees.map_leaves(lambda u: np.zeros(u.shape), problem.command_like)
    jacobian = _jacobian(problem, time, leaves, (command, memory, parameters))
    if not np.isfinite(jacobian).all():
        raise KernelError(
            f"the derivatives of the rates are not finite at t = {time!r} s, at the state {state!r}"
        )
    real = np.linalg.eigvals(jacobian).real
    return Stiffness(float(max(0.0, -real.min() - max(0.0, real.max()))))


def _jacobian(
    problem: RolloutProblem, time: float, state: Sequence[Any], others: tuple[Tree, Tree, Tree]
) -> np.ndarray:
    """∂(dx/dt)/∂x at a point: the derivative along every unit vector, all together."""
    from percuss.kernel.backends.interpreter import interpret
    from percuss.kernel.tracing.derivatives import jvp
    from percuss.kernel.tracing.function import trace

    x = np.concatenate([np.ravel(np.asarray(leaf, float)) for leaf in state])
    like = trees.map_leaves(lambda leaf: np.zeros(np.shape(leaf)), (time, x, x, *others))

    def along(t: Any, x: Any, direction: Any, *others: Any) -> Any:
        return jvp(lambda x: problem.rates(t, x, *others)[: problem.size], (x,), (direction,))[1]

    traced = problem.shelf.traced("slopes", like, lambda: trace(along, *like))
    numbers = [np.ravel(np.asarray(leaf, float)) for leaf in trees.leaves_of(others)]
    inputs = [np.float64(time), *x, *np.eye(len(x)), *np.concatenate([np.empty(0), *numbers])]
    slopes = interpret(traced.program, inputs)
    return np.stack([np.broadcast_to(row, len(x)) for row in slopes])
