"""From compiled code back into JAX, with derivative rules.

The primal is a callback to compiled code. Its derivative asks compiled code for the whole
Jacobian and multiplies by the tangent *in JAX*, where the product can be transposed: that is
why `jax.grad` works although no callback can be transposed itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from percuss.kernel.compile import compile
from percuss.kernel.derivatives import jacobian


def to_jax(function: Callable[..., Any], *like: Any, **options: Any) -> Callable[..., Any]:
    """Compile a function and wrap it for JAX: `jit`, `vmap`, `grad`, `jacfwd` work through it.

    Derivatives are of first order. Arguments and results are pytrees of arrays; see `compile`
    for `like` and options.
    """
    kernel = compile(function, *like, **options)
    slopes = jacobian(function, *like, **options)
    return bridge(kernel, slopes, like, _shapes_of(kernel))


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
        expected = [jax.ShapeDtypeStruct(shape, dtype) for shape in shapes]

        def host(*values: np.ndarray) -> list[np.ndarray]:
            return [np.asarray(r, dtype) for r in on_host(compute, *values)]

        return jax.pure_callback(host, expected, *leaves, vmap_method="broadcast_all")

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


def _shapes_of(kernel: Any) -> Any:
    """An example of the kernel's result, for its structure and shapes."""
    shapes = kernel.traced.output_shapes
    return jax.tree.unflatten(kernel.traced.output_tree, [np.zeros(shape) for shape in shapes])
