"""`trace`: the program of a function, and functions that are traced once and used many times."""

from __future__ import annotations

import math
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from percuss.kernel import trees
from percuss.kernel.builder import Builder
from percuss.kernel.calculus import inline, with_single_calls_inlined, without_holds
from percuss.kernel.collecting import without_collection
from percuss.kernel.errors import KernelError, is_missing_jax
from percuss.kernel.program import Program
from percuss.kernel.traced import Traced
from percuss.kernel.tracing.lines import users_line_of
from percuss.kernel.tracing.operands import JaxAskedError, is_traced, reals, registers_of
from percuss.kernel.tracing.values import wrapped
from percuss.kernel.tracing.writer import Registers, Writer

SMALL = 32
"""Operations up to which a call is not worth its while, besides moving what it takes and gives."""
LONG = 500
"""Operations from which it is in any case: whoever uses a part often has its code once. Eight
solutions of 42 equations take 9,000 operations, and twice the time to compile a step."""

LARGE = 1000
"""Instructions from which results that are known or handed through may be kept with the others:
beside such a program it costs little to compute with them."""


@without_collection()
def trace(function: Callable[..., Any], *like: Any) -> Traced:
    """The program of `function` for arguments shaped like the given ones.

    `like` are nested containers of numbers, arrays, or anything with a shape and a dtype; only
    shapes matter. Registers 0…n-1 are the entries of the arguments in order. A function written in
    `jax.numpy` is traced by JAX.
    """
    found = record(function, *like)
    return Traced(
        with_single_calls_inlined(without_holds(found.program)),
        found.input_tree,
        found.input_shapes,
        found.output_tree,
        found.output_shapes,
    )


def record(function: Callable[..., Any], *like: Any) -> Traced:
    """As `trace`, with what is not to be differentiated (`hold`) still marked."""
    leaves, tree = trees.flatten(like)
    shapes = tuple(tuple(np.shape(leaf)) for leaf in leaves)
    writer = Writer(Builder(sum(map(math.prod, shapes))))
    inputs = [wrapped(writer, numbers) for numbers in numbered(shapes)]
    try:
        result = function(*trees.unflatten(tree, inputs))
        out_leaves, out_tree = trees.flatten(result)
        outputs = [registers_of(writer, leaf) for leaf in out_leaves]
    except Exception as error:
        if asks_for_jax(error):
            from percuss.kernel.jaxprs.function import record_with_jax

            return record_with_jax(function, *like)
        refusal = refusal_behind(error, writer)
        if refusal is error:
            raise
        raise refusal from error
    registers = [register for output in outputs for register in output.ravel().tolist()]
    output_shapes = tuple(output.shape for output in outputs)
    return Traced(writer.builder.finish(registers), tree, shapes, out_tree, output_shapes)


def refusal_behind(error: Exception, writer: Writer | None) -> Exception:
    """The refusal that made NumPy raise an error of its own in the same line, else the error."""
    if isinstance(error, KernelError) or writer is None or writer.refused is None:
        return error
    where, refusal = writer.refused
    return refusal if where == users_line_of(error.__traceback__) else error


def numbered(shapes: Sequence[tuple[int, ...]], first: int = 0) -> list[Registers]:
    """Consecutive registers for arrays of these shapes."""
    result: list[Registers] = []
    for shape in shapes:
        size = math.prod(shape)
        result.append(np.arange(first, first + size).reshape(shape))
        first += size
    return result


def asks_for_jax(error: BaseException) -> bool:
    """Whether a function failed because it hands its arguments to JAX, where they were refused.

    JAX takes its own frames out of tracebacks and says so, in a note or in the cause, unless it
    is told not to.
    """
    if isinstance(error, JaxAskedError) or is_missing_jax(error):
        return True
    jax = sys.modules.get("jax")
    if jax is None:
        return False
    if type(error.__cause__).__module__.split(".")[0] == "jax":
        return True
    if any("JAX has removed its internal frames" in note for note in _notes(error)):
        return True
    folder = os.path.dirname(str(jax.__file__)) + os.sep
    return any(
        frame.f_code.co_filename.startswith(folder)
        for frame, _ in traceback.walk_tb(error.__traceback__)
    )


def _notes(error: BaseException) -> list[str]:
    return [*getattr(error, "__notes__", []), str(error)]


def writer_of(*values: Any) -> Writer | None:
    """The writer of the traced leaves among some values, None when there are none."""
    for leaf in trees.leaves_of(values):
        if is_traced(leaf):
            return leaf.writer
    return None


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
            like = trees.unflatten(tree, [np.zeros(shape) for shape in shapes])
            self._traced[key] = record(self.function, *like)
        return self._traced[key]
