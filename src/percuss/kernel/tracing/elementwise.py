"""`elementwise`: what is done to every entry of vectors, as a loop in the machine code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from percuss.kernel import trees
from percuss.kernel.tracing.writing import writer_of

LONG_VECTOR, SAVED = 24, 60
"""Entries from which a loop is as fast as what it does written out for each, where known numbers
are folded and values stay in registers; and operations that it must save. Of vectors of 34 entries
(a capture with a seven-joint arm) loops are as fast, of 20 (a bounce) a tenth slower."""
LONG_BODY = 100
"""Operations from which a loop is as fast for fewer entries, too: they would not stay there."""


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
    from percuss.kernel.calculus.inlining import expanded, inline
    from percuss.kernel.tracing.function import record
    from percuss.kernel.tracing.operands import reals
    from percuss.kernel.tracing.values import wrapped

    traced = record(function, *[np.zeros(())] * (len(vectors) + len(shared)))
    body = expanded(traced.program)
    arrays = [reals(writer, vector) for vector in vectors]
    rows = np.array([array.ravel() for array in arrays])
    # Where most numbers are known there is little to do.
    known = np.vectorize(lambda r: writer.builder.value(r) is not None)(rows)
    simple = 2 * np.sum(known, axis=0) >= len(rows)
    if not _worth_a_loop(count - int(np.count_nonzero(simple)), len(body.instructions)):
        return function(*vectors, *shared)
    numbers = [int(reals(writer, value)) for value in shared]
    found = np.empty((len(body.outputs), count), np.int64)
    found[:, ~simple] = writer.builder.map(body, rows[:, ~simple].tolist(), numbers)
    for entry in np.flatnonzero(simple):
        found[:, entry] = inline(writer.builder, body, [*rows[:, entry].tolist(), *numbers])
    results = [wrapped(writer, row.reshape(arrays[0].shape)) for row in found]
    return trees.unflatten(traced.output_tree, results)


def _worth_a_loop(count: int, operations: int) -> bool:
    if count < LONG_VECTOR:
        return operations >= LONG_BODY
    return (count - 1) * operations >= SAVED
