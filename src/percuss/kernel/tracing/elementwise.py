"""`elementwise`: what is done to every entry of vectors, as a loop in the machine code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from percuss.kernel import trees
from percuss.kernel.calculus import expanded
from percuss.kernel.tracing.function import record, writer_of
from percuss.kernel.tracing.operands import reals
from percuss.kernel.tracing.values import wrapped

WORTH_A_LOOP = 60
"""Operations that a loop must save; with fewer, what is done is written out for every entry."""


def elementwise(function: Callable[..., Any], *vectors: Any, shared: Sequence[Any] = ()) -> Any:
    """function(*vectors, *shared) for a function that treats all entries of vectors alike.

    Given traced values it writes a loop over the entries, whose body is in the machine code once.
    The function must compute each entry of its results from the same entries of the vectors and
    from what is shared, numbers, and use no other traced values. Vectors have one shape; results
    are nested containers of vectors of that shape.
    """
    writer = writer_of(vectors, shared)
    count = np.size(vectors[0])
    if writer is None or count < 2:
        return function(*vectors, *shared)
    traced = record(function, *[np.zeros(())] * (len(vectors) + len(shared)))
    body = expanded(traced.program)
    if (count - 1) * len(body.instructions) < WORTH_A_LOOP:
        return function(*vectors, *shared)
    arrays = [reals(writer, vector) for vector in vectors]
    numbers = [int(reals(writer, value)) for value in shared]
    rows = [array.ravel().tolist() for array in arrays]
    found = writer.builder.map(body, rows, numbers)
    results = [wrapped(writer, np.array(row).reshape(arrays[0].shape)) for row in found]
    return trees.unflatten(traced.output_tree, results)
