"""The straight-line program of a Python function that JAX traces.

The function is traced by JAX in a 64-bit context. Each array in the trace becomes an integer
array of registers of the same shape, so that reshaping, slicing and indexing are done on
register numbers and cost nothing; arithmetic becomes one instruction per element.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from percuss.kernel import trees
from percuss.kernel.builder import Builder
from percuss.kernel.jaxprs import arithmetic, arrays, control_flow, reductions  # noqa: F401
from percuss.kernel.jaxprs.reader import JaxprReader
from percuss.kernel.traced import Traced


def record_with_jax(function: Callable[..., Any], *like: Any) -> Traced:
    """The program of a function written in `jax.numpy`, for arguments shaped like the given ones.

    `like` are pytrees of numbers, arrays or `jax.ShapeDtypeStruct`; only shapes matter. Registers
    0…n-1 are the entries of the arguments in order.
    """
    leaves, tree = trees.flatten(like)
    shapes = tuple(tuple(np.shape(leaf)) for leaf in leaves)
    with jax.enable_x64(True):
        specimens = [jax.ShapeDtypeStruct(shape, np.float64) for shape in shapes]

        def flat(*values: Any) -> Any:
            return function(*trees.unflatten(tree, values))

        closed, result = jax.make_jaxpr(flat, return_shape=True)(*specimens)
        out_leaves, out_tree = trees.flatten(result)
        sizes = [int(np.prod(shape)) for shape in shapes]
        reader = JaxprReader(Builder(sum(sizes)))
        numbers = iter(np.split(np.arange(sum(sizes)), np.cumsum(sizes)[:-1]))
        inputs = [next(numbers).reshape(shape) for shape in shapes]
        outputs = reader.run(closed.jaxpr, closed.consts, inputs)
    registers = [int(r) for array in outputs for r in np.ravel(array)]
    return Traced(
        program=reader.builder.finish(registers),
        input_tree=tree,
        input_shapes=shapes,
        output_tree=out_tree,
        output_shapes=tuple(tuple(leaf.shape) for leaf in out_leaves),
    )
