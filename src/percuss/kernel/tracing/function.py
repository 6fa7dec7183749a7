"""`trace`: the program of a function."""

from __future__ import annotations

import math
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from percuss.kernel import trees
from percuss.kernel.builder import Builder
from percuss.kernel.calculus import with_single_calls_inlined
from percuss.kernel.calculus.inlining import without_holds
from percuss.kernel.collecting import without_collection
from percuss.kernel.errors import KernelError, is_missing_jax
from percuss.kernel.traced import Traced
from percuss.kernel.tracing.lines import users_line_of
from percuss.kernel.tracing.operands import JaxAskedError, registers_of
from percuss.kernel.tracing.values import wrapped
from percuss.kernel.tracing.writer import ProgramWriter, Registers


@without_collection()
def trace(function: Callable[..., Any], *like: Any) -> Traced:
    """The program of `function` for arguments shaped like the given ones.

    `like` are nested containers of numbers, arrays, or anything with a shape and a dtype; only
    shapes matter. Registers 0…n-1 are the entries of the arguments in order. A function written in
    `jax.numpy` is traced by JAX.
    """
    found = trace_with_calls(function, *like)
    return replace(found, program=with_single_calls_inlined(found.program))


@without_collection()
def trace_with_calls(function: Callable[..., Any], *like: Any) -> Traced:
    """Trace a function, keeping calls of parts that it uses once: another program may, too."""
    found = record(function, *like)
    return replace(found, program=without_holds(found.program))


def record(function: Callable[..., Any], *like: Any) -> Traced:
    """Trace a function, with what is not to be differentiated (`hold`) still marked."""
    leaves, tree = trees.flatten(like)
    shapes = tuple(tuple(np.shape(leaf)) for leaf in leaves)
    writer = ProgramWriter(Builder(sum(map(math.prod, shapes))))
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
    return Traced(
        program=writer.builder.finish(registers),
        input_tree=tree,
        input_shapes=shapes,
        output_tree=out_tree,
        output_shapes=output_shapes,
    )


def refusal_behind(error: Exception, writer: ProgramWriter | None) -> Exception:
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
