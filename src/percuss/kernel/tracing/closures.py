"""Functions inside of functions that are being traced: they may use values from outside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from percuss.kernel import trees
from percuss.kernel.builder import Builder
from percuss.kernel.calculus.inlining import inline
from percuss.kernel.excerpt import excerpt
from percuss.kernel.tracing.function import numbered
from percuss.kernel.tracing.operands import reals, registers_of
from percuss.kernel.tracing.parts import LONG, is_small
from percuss.kernel.tracing.values import wrapped
from percuss.kernel.tracing.writer import ProgramWriter, Registers
from percuss.kernel.tracing.writing import writer_of


class ClosureProgram:
    """The program of a function inside another one that is being traced.

    It runs on placeholders. What it uses besides its arguments becomes inputs that do not move.
    """

    def __init__(
        self,
        writer: ProgramWriter,
        function: Callable[..., Any],
        tree: Any,
        at: Sequence[Registers],
        *,
        has_aux: bool,
    ) -> None:
        self.writer = writer
        builder = writer.builder
        places = [builder.placeholder() for array in at for _ in range(array.size)]
        first = places[0] if places else 0
        stand_ins = numbered([array.shape for array in at], first)
        result = function(*trees.unflatten(tree, [wrapped(writer, r) for r in stand_ins]))
        result, more = result if has_aux else (result, None)
        leaves, self._tree = trees.flatten(result)
        more_leaves, self._more_tree = trees.flatten(more)
        outputs = [registers_of(writer, leaf) for leaf in leaves]
        others = [registers_of(writer, leaf) for leaf in more_leaves]
        self._shapes = [array.shape for array in outputs]
        self._more_shapes = [array.shape for array in others]
        self.count = sum(array.size for array in outputs)
        self.program, self.closed = excerpt(builder, places, flat([*outputs, *others]))

    def arranged(self, registers: Sequence[int]) -> tuple[Any, Any]:
        """Result and more, from the registers of all outputs."""
        flat = np.array(registers, np.int64)
        parts = [
            wrapped(self.writer, flat[place])
            for place in numbered([*self._shapes, *self._more_shapes])
        ]
        split = len(self._shapes)
        result = trees.unflatten(self._tree, parts[:split])
        return result, trees.unflatten(self._more_tree, parts[split:])


def flat(arrays: Sequence[Registers]) -> list[int]:
    return [register for array in arrays for register in array.ravel().tolist()]


class Repeated:
    """A function that is used many times where it was made, in the machine code once.

    As a `Part`, but it may use traced values besides its arguments, those of the function in
    which it was made: they are handed over. Its arguments keep their structure and shapes. One that
    is small is written out unless all its uses, so many `times`, would be long together.
    """

    def __init__(self, function: Callable[..., Any], times: int) -> None:
        self._function = function
        self._times = times
        self._body: ClosureProgram | None = None

    def __call__(self, *arguments: Any) -> Any:
        leaves, tree = trees.flatten(arguments)
        writer = writer_of(arguments)
        if writer is None:
            return self._function(*arguments)
        at = [reals(writer, leaf) for leaf in leaves]
        if self._body is None:
            self._body = ClosureProgram(writer, self._function, tree, at, has_aux=False)
        body, builder = self._body, writer.builder
        given = flat(at)
        # What is used besides the arguments is handed over once.
        small = is_small(body.program, len(given))
        small = small and self._times * body.program.operation_count <= LONG
        write = inline if small else Builder.call
        return body.arranged(write(builder, body.program, [*given, *body.closed]))[0]
