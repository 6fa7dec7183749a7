"""Jacobians inside traced functions, with what is known of them while tracing: zeros, constants."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from percuss.kernel import trees
from percuss.kernel.calculus import inline, jacobian
from percuss.kernel.errors import KernelError
from percuss.kernel.tracing.function import Part, record, writer_of
from percuss.kernel.tracing.operands import reals
from percuss.kernel.tracing.values import wrapped

Place = tuple[int, int]
"""Row and column."""


class SparseJacobian:
    """The derivatives of a function's flat result by some entries of its flat arguments.

    The function is traced and differentiated once, for arguments shaped like the given ones. Called
    with traced arguments of the same shapes, the object returns the values of the entries that are
    neither zero nor constant, in the order of `moving`.

    Attributes:
        shape: rows (entries of the result) and columns (the wanted entries of the arguments).
        constant: the entries whose value does not depend on the arguments, by place; entries that
            are zero are not listed.
        moving: the places of all other entries, row by row.
    """

    def __init__(
        self, function: Callable[..., Any], like: tuple[Any, ...], wanted: Sequence[int]
    ) -> None:
        traced = record(function, *like)
        program, pattern = jacobian(traced.program, wanted, by="columns")
        self.shape = pattern.shape
        entries = program.outputs[pattern.shape[0] :]
        constants = range(program.input_count, program.first_instruction)
        self.constant: dict[Place, float] = {}
        moving: list[tuple[Place, int]] = []
        for k, (place, register) in enumerate(zip(pattern.entries, entries, strict=True)):
            if register not in constants:
                moving.append((place, pattern.shape[0] + k))
            elif value := float(program.constants[register - program.input_count]):
                self.constant[place] = value
        self.moving = tuple(place for place, _ in moving)
        outputs = [output for _, output in moving]

        def values(*arguments: Any) -> Any:
            writer = writer_of(arguments)
            if writer is None:
                raise KernelError("a sparse Jacobian is evaluated while a function is traced only")
            leaves = [reals(writer, leaf) for leaf in trees.leaves_of(arguments)]
            inputs = [register for leaf in leaves for register in leaf.ravel().tolist()]
            found = np.array(inline(writer.builder, program, inputs), np.int64)
            return wrapped(writer, found[outputs])

        self._values = Part(values)

    def __call__(self, *arguments: Any) -> Any:
        """The values at the places `moving`."""
        return self._values(*arguments)
