"""Jacobians inside traced functions, with what is known of them while tracing: zeros, constants."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from percuss.kernel import trees
from percuss.kernel.builder import Builder
from percuss.kernel.calculus import jacobian, orthogonal_groups, sparsity
from percuss.kernel.calculus.affine import affine_forms
from percuss.kernel.calculus.forward import part_and_tangent
from percuss.kernel.calculus.inlining import inline
from percuss.kernel.calculus.sparsity import Pattern
from percuss.kernel.errors import KernelError
from percuss.kernel.program import Program
from percuss.kernel.tracing.function import record
from percuss.kernel.tracing.operands import reals
from percuss.kernel.tracing.parts import Part
from percuss.kernel.tracing.values import wrapped
from percuss.kernel.tracing.writing import writer_of

Place = tuple[int, int]
"""Row and column."""

WRITTEN_OUT = 40_000
"""Operations times columns up to which a Jacobian is written out. A seven-joint arm with friction
has 90,000: its Jacobian of 46,000 operations takes four seconds to compile, by calls a half."""


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
        program = record(function, *like).program
        large = program.operation_count * len(wanted) > WRITTEN_OUT
        found = (_by_calls if large else _written_out)(program, wanted)
        self.shape, self.constant = found.shape, found.constant
        self.moving = tuple(found.moving)

        def values(*arguments: Any) -> Any:
            writer = writer_of(arguments)
            if writer is None:
                raise KernelError("a sparse Jacobian is evaluated while a function is traced only")
            leaves = [reals(writer, leaf) for leaf in trees.leaves_of(arguments)]
            inputs = [register for leaf in leaves for register in leaf.ravel().tolist()]
            return wrapped(writer, np.array(found.emit(writer.builder, inputs), np.int64))

        self._values = Part(values)

    def __call__(self, *arguments: Any) -> Any:
        """The values at the places `moving`."""
        return self._values(*arguments)


class _Found(NamedTuple):
    """What is known of a Jacobian, and how the entries that move are emitted into a builder."""

    shape: tuple[int, int]
    constant: dict[Place, float]
    moving: list[Place]
    emit: Callable[[Builder, Sequence[int]], list[int]]


def _written_out(program: Program, wanted: Sequence[int]) -> _Found:
    """All entries in one program, in which the columns share what they can."""
    whole, pattern = jacobian(program, wanted, by="columns")
    rows = pattern.shape[0]
    constants = range(whole.input_count, whole.first_instruction)
    constant: dict[Place, float] = {}
    moving: list[tuple[Place, int]] = []
    for k, (place, register) in enumerate(zip(pattern.entries, whole.outputs[rows:], strict=True)):
        if register not in constants:
            moving.append((place, rows + k))
        elif value := float(whole.constants[register - whole.input_count]):
            constant[place] = value

    def emit(builder: Builder, inputs: Sequence[int]) -> list[int]:
        found = inline(builder, whole, inputs)
        return [found[output] for _, output in moving]

    return _Found(pattern.shape, constant, [place for place, _ in moving], emit)


def _by_calls(program: Program, wanted: Sequence[int]) -> _Found:
    """One call of the derivative along a direction for each group of columns.

    More operations than written out, and a fraction of the code, which takes long to compile.
    """
    pattern = sparsity(program, wanted)
    forms = affine_forms(program)
    constant: dict[Place, float] = {}
    moving: list[Place] = []
    for row, column in pattern.entries:
        form = forms[row]
        if form is None:
            moving.append((row, column))
        elif slope := form.get(wanted[column], 0.0):
            constant[row, column] = slope
    groups = orthogonal_groups(Pattern(pattern.shape, tuple(moving)))
    group_of = {column: k for k, group in enumerate(groups) for column in group}
    position = {register: k for k, register in enumerate(wanted)}
    moves = tuple(k in position for k in range(program.input_count))
    derived, places = part_and_tangent(program, moves)
    slope_of = {row: len(program.outputs) + k for k, row in enumerate(places)}
    order = [position[k] for k in range(program.input_count) if moves[k]]

    def emit(builder: Builder, inputs: Sequence[int]) -> list[int]:
        zero, one = builder.constant(0.0), builder.constant(1.0)
        products = [
            builder.call(derived, [*inputs, *(one if c in group else zero for c in order)])
            for group in groups
        ]
        return [products[group_of[column]][slope_of[row]] for row, column in moving]

    return _Found(pattern.shape, constant, moving, emit)
