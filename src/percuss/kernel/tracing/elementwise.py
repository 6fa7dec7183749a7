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

FEW = 6
"""Entries up to which what is done is written out for each: a loop is not shorter by much then."""


def elementwise(function: Callable[..., Any], *vectors: Any, shared: Sequence[Any] = ()) -> Any:
    """function(*vectors, *shared) for a function that treats all entries of vectors alike.

    Given traced values it writes a loop over the entries, whose body is in the machine code once.
    The function must compute each entry of its results from the same entries of the vectors and
    from what is shared, numbers, and use no other traced values. Vectors have one shape; results
    are nested containers of vectors of that shape.
    """
    writer = writer_of(vectors, shared)
    if writer is None or np.size(vectors[0]) <= FEW:
        return function(*vectors, *shared)
    arrays = [reals(writer, vector) for vector in vectors]
    numbers = [int(reals(writer, value)) for value in shared]
    body = record(function, *[np.zeros(())] * (len(arrays) + len(numbers)))
    rows = [array.ravel().tolist() for array in arrays]
    found = writer.builder.map(expanded(body.program), rows, numbers)
    results = [wrapped(writer, np.array(row).reshape(arrays[0].shape)) for row in found]
    return trees.unflatten(body.output_tree, results)
