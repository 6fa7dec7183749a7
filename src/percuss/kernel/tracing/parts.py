"""Functions that are traced once and used many times.

What traces is imported where something is traced: a program that is read from the disk needs none
of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from percuss.kernel import trees
from percuss.kernel.program import Program
from percuss.kernel.traced import Traced
from percuss.kernel.tracing.writing import is_traced, writer_of

SMALL = 32
"""Operations up to which a call is not worth its while, besides moving what it takes and gives."""
LONG = 500
"""Operations from which it is in any case: whoever uses a part often has its code once. Eight
solutions of 42 equations take 9,000 operations, and twice the time to compile a step."""

LARGE = 1000
"""Instructions from which results that are known or handed through may be kept with the others:
beside such a program it costs little to compute with them."""


def is_small(program: Program, inputs: int) -> bool:
    """Whether a program costs little more than to hand over so many inputs and its outputs."""
    moved = inputs + len(program.outputs)
    return program.operation_count <= min(LONG, SMALL + 2 * moved)


def traced_by_itself(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function; where it is written in `jax.numpy`, JAX traces it, and it alone.

    What surrounds it is traced by NumPy's protocols as ever. It must not use traced values other
    than its arguments.
    """
    part = Part(function)

    def call(*arguments: Any) -> Any:
        try:
            return function(*arguments)
        except Exception as error:
            from percuss.kernel.tracing.function import asks_for_jax

            if writer_of(arguments) is None or not asks_for_jax(error):
                raise
            return part(*arguments)

    return call


class Part:
    """A function that is traced once for each shape of its arguments, then called.

    Given traced values it writes a call of its program, which is then in the machine code once
    however often it is used; a small one is written out. Given anything else it is the function
    itself. The function must not use traced values other than its arguments. The results of each
    call of a `whole` one that is large stay together in memory, where loops over them find them.
    """

    def __init__(self, function: Callable[..., Any], whole: bool = False) -> None:
        self.function = function
        self._whole = whole
        self._traced: dict[Any, Traced] = {}

    def __call__(self, *arguments: Any) -> Any:
        leaves, tree = trees.flatten(arguments)
        writer = next((leaf.writer for leaf in leaves if is_traced(leaf)), None)
        if writer is None:
            return self.function(*arguments)
        from percuss.kernel.calculus.inlining import inline
        from percuss.kernel.tracing.function import numbered
        from percuss.kernel.tracing.operands import reals
        from percuss.kernel.tracing.values import wrapped

        inputs = [reals(writer, leaf) for leaf in leaves]
        traced = self.traced(tree, tuple(array.shape for array in inputs))
        flat = [register for array in inputs for register in array.ravel().tolist()]
        program = traced.program
        written = is_small(program, program.input_count) or all(
            writer.builder.value(r) is not None for r in flat
        )
        if written:
            found = inline(writer.builder, program, flat)
        else:
            whole = self._whole and program.size >= LARGE
            found = writer.builder.call(program, flat, whole)
        outputs = np.array(found, np.int64)
        results = [wrapped(writer, outputs[places]) for places in numbered(traced.output_shapes)]
        return trees.unflatten(traced.output_tree, results)

    def traced(self, tree: Any, shapes: tuple[tuple[int, ...], ...]) -> Traced:
        """The program for arguments of this structure and these shapes."""
        key = (tree, shapes)
        if key not in self._traced:
            from percuss.kernel.tracing.function import record

            like = trees.unflatten(tree, [np.zeros(shape) for shape in shapes])
            self._traced[key] = record(self.function, *like)
        return self._traced[key]
