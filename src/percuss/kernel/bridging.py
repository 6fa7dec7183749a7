"""Compiled code as a function of JAX, with derivative rules.

The primal is a callback to compiled code. Its derivative asks compiled code for the whole
Jacobian and multiplies by the tangent *in JAX*, where the product can be transposed: that is
why `jax.grad` works although no callback can be transposed itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from percuss.kernel import trees
from percuss.kernel.compiling import compile
from percuss.kernel.derivatives import jacobian
from percuss.kernel.jax_extra import jax, jnp
from percuss.kernel.rollouts.rollout import Rollout


def to_jax(function: Callable[..., Any], *like: Any, **options: Any) -> Callable[..., Any]:
    """Compile a function and wrap it for JAX: `jit`, `vmap`, `grad`, `jacfwd` work through it.

    Derivatives are of first order. Arguments and results are pytrees of arrays; see `compile`
    for `like` and options.
    """
    kernel = compile(function, *like, **options)
    slopes = jacobian(function, *like, **options)
    result = _zeros(kernel.traced.output_tree, kernel.traced.output_shapes)
    return bridge(kernel, slopes, like, result)


def rollout_to_jax(run: Rollout, **times: Any) -> Callable[..., Any]:
    """A rollout as a JAX function: (state, parameters) → {"state": …, "statistics": …}.

    `duration`, `times` and `start` are those of the rollout's call, fixed here; with `times` the
    result has the "trajectory" too. `jax.grad`, `jax.jacfwd`, `vmap` and `jit` work through it,
    and so do optimizers and samplers built on them; derivatives are forward variational, of
    first order. A rollout without parameters takes the state alone.
    """
    problem = run.problem
    state = _zeros(problem.state_tree, problem.state_shapes)
    parameters = _zeros(problem.parameter_tree, problem.parameter_shapes)
    arguments = (state, parameters) if problem.parameter_shapes else (state,)

    def outputs(result: Any) -> dict[str, Any]:
        found = {"state": result.state, "statistics": result.statistics}
        return found if result.trajectory is None else found | {"trajectory": result.trajectory}

    def primal(*values: Any) -> Any:
        return outputs(run(*values, **times))

    def slopes(*values: Any) -> Any:
        found = run.sensitivity(*values, **times)
        kinds = (found.by_state, found.by_parameters)[: len(arguments)]
        trees = [outputs(kind) for kind in kinds]
        # Result leaf by result leaf, each with the structure of the arguments.
        result_tree = jax.tree.structure(outputs(found.result))
        by_kind = [result_tree.flatten_up_to(tree) for tree in trees]
        return [tuple(parts) for parts in zip(*by_kind, strict=True)]

    example: dict[str, Any] = {
        "state": state,
        "statistics": {name: np.zeros(s) for name, s in problem.statistic_shapes.items()},
    }
    if times.get("times") is not None:
        saved = [(*shape, len(times["times"])) for shape in problem.state_shapes]
        example["trajectory"] = _zeros(problem.state_tree, saved)
    return bridge(primal, slopes, arguments, example)


def bridge(
    primal: Callable[..., Any],
    slopes: Callable[..., Any],
    like: tuple[Any, ...],
    result_like: Any,
) -> Callable[..., Any]:
    """A JAX function from two callables over NumPy arrays with the batch as last axis.

    Args:
        primal: (*arguments) → result.
        slopes: (*arguments) → for each leaf of the result, the structure of the arguments with
            arrays (result shape…, argument shape…, batch).
        like: examples of the arguments; `result_like`: an example of the result.
    """
    result_shapes = [tuple(np.shape(leaf)) for leaf in jax.tree.leaves(result_like)]
    result_tree = jax.tree.structure(result_like)
    argument_leaves, argument_tree = jax.tree.flatten(like)
    argument_shapes = [tuple(np.shape(leaf)) for leaf in argument_leaves]

    def on_host(compute: Callable[..., list[np.ndarray]], *leaves: np.ndarray) -> list[np.ndarray]:
        """Move the axes that vmap put in front to one batch axis at the end, and back."""
        front = np.asarray(leaves[0]).shape[: np.ndim(leaves[0]) - len(argument_shapes[0])]
        moved: list[np.ndarray] = []
        for leaf, shape in zip(leaves, argument_shapes, strict=True):
            flat = np.asarray(leaf, float).reshape((-1, *shape))
            moved.append(np.moveaxis(flat, 0, -1))
        results = compute(*jax.tree.unflatten(argument_tree, moved))
        back = [np.moveaxis(np.asarray(result), -1, 0) for result in results]
        return [result.reshape(front + result.shape[1:]) for result in back]

    def call(compute: Callable[..., Any], shapes: list[tuple[int, ...]], leaves: Any) -> Any:
        dtype = jnp.result_type(float)
        if dtype != jnp.float64:
            expected = [jax.ShapeDtypeStruct(shape, dtype) for shape in shapes]

            def single(*values: np.ndarray) -> list[np.ndarray]:
                return [np.asarray(r, dtype) for r in on_host(compute, *values)]

            return jax.pure_callback(single, expected, *leaves, vmap_method="broadcast_all")

        # JAX runs callbacks in threads that do not know of an `enable_x64` context and would
        # round everything to single precision: doubles travel as pairs of 32-bit words.
        def double(*words: np.ndarray) -> list[np.ndarray]:
            values = [np.array(w, order="C").view(np.float64)[..., 0] for w in words]
            results = [np.array(r, np.float64, order="C") for r in on_host(compute, *values)]
            return [r[..., None].view(np.uint32) for r in results]

        expected = [jax.ShapeDtypeStruct((*shape, 2), jnp.uint32) for shape in shapes]
        sent = [jax.lax.bitcast_convert_type(leaf, jnp.uint32) for leaf in leaves]
        received = jax.pure_callback(double, expected, *sent, vmap_method="broadcast_all")
        return [jax.lax.bitcast_convert_type(words, jnp.float64) for words in received]

    def primal_leaves(*arguments: Any) -> list[np.ndarray]:
        return jax.tree.leaves(primal(*arguments))

    def slope_leaves(*arguments: Any) -> list[np.ndarray]:
        return jax.tree.leaves(slopes(*arguments))

    slope_shapes = [result + argument for result in result_shapes for argument in argument_shapes]

    @jax.custom_jvp
    def flat(*leaves: Any) -> list[Any]:
        return call(primal_leaves, result_shapes, leaves)

    @flat.defjvp
    def _(leaves: tuple[Any, ...], tangents: tuple[Any, ...]) -> tuple[list[Any], list[Any]]:
        values = flat(*leaves)
        blocks = iter(call(slope_leaves, slope_shapes, leaves))
        changes: list[Any] = []
        for result in result_shapes:
            change = jnp.zeros(result)
            for tangent, argument in zip(tangents, argument_shapes, strict=True):
                change = change + jnp.tensordot(next(blocks), tangent, axes=len(argument))
            changes.append(change)
        return values, changes

    def wrapped(*arguments: Any) -> Any:
        leaves = [jnp.asarray(leaf, float) for leaf in jax.tree.leaves(arguments)]
        return jax.tree.unflatten(result_tree, flat(*leaves))

    return wrapped


def _zeros(tree: Any, shapes: Any) -> Any:
    """An example with this structure and these shapes."""
    return trees.unflatten(tree, [np.zeros(shape) for shape in shapes])
