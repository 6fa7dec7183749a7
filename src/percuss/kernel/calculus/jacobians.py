"""Whole Jacobians as one program, structural zeros left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from percuss.kernel.builder import Builder
from percuss.kernel.calculus.forward import Directional
from percuss.kernel.calculus.inlining import expanded
from percuss.kernel.calculus.reverse import Accumulation
from percuss.kernel.calculus.sparsity import Pattern, chosen, orthogonal_groups, sparsity
from percuss.kernel.program import Program

Entries = dict[tuple[int, int], int | None]
Method = Callable[[Builder, Program, Sequence[int], list[int], Pattern], Entries]


def jacobian(
    program: Program, wanted: Sequence[int] | None = None, by: str = "fewest"
) -> tuple[Program, Pattern]:
    """∂ outputs / ∂ inputs in a single program, for one evaluation a case.

    Args:
        program: the function.
        wanted: positions of the inputs to differentiate by; default all.
        by: "columns" (one direction for each input), "groups" (one for each group of columns
            without a common row), "rows" (one reverse accumulation for each output), or
            "fewest": the program of these three with the fewest operations.

    Returns:
        A program with the inputs of `program` whose outputs are those of `program` followed by
        the entries of the pattern; and the pattern, whose columns follow `wanted`.
    """
    if by not in (*METHODS, "fewest"):
        raise ValueError(f"by must be one of {', '.join(METHODS)}, fewest; got {by!r}")
    program = expanded(program)
    positions = chosen(program, wanted)
    pattern = sparsity(program, positions)
    names = [by] if by in METHODS else list(METHODS)
    if len(names) > 1 and all(len(group) == 1 for group in orthogonal_groups(pattern)):
        names.remove("groups")  # the same as by columns
    programs = [_assembled(program, positions, pattern, METHODS[name]) for name in names]
    return min(programs, key=lambda candidate: candidate.operation_count), pattern


def _assembled(program: Program, positions: list[int], pattern: Pattern, method: Method) -> Program:
    builder = Builder(program.input_count)
    registers = builder.registers_of(program, range(program.input_count))
    found = method(builder, program, registers, positions, pattern)
    values = [registers[output] for output in program.outputs]
    slopes = [found[place] for place in pattern.entries]
    zero = builder.constant(0.0)
    return builder.finish([*values, *(zero if slope is None else slope for slope in slopes)])


def _by_columns(
    builder: Builder,
    program: Program,
    registers: Sequence[int],
    positions: list[int],
    pattern: Pattern,
) -> Entries:
    columns = sorted({column for _, column in pattern.entries})
    return _along(builder, program, registers, positions, pattern, [(c,) for c in columns])


def _by_groups(
    builder: Builder,
    program: Program,
    registers: Sequence[int],
    positions: list[int],
    pattern: Pattern,
) -> Entries:
    return _along(builder, program, registers, positions, pattern, orthogonal_groups(pattern))


def _along(
    builder: Builder,
    program: Program,
    registers: Sequence[int],
    positions: list[int],
    pattern: Pattern,
    groups: Sequence[tuple[int, ...]],
) -> Entries:
    """The entries from one direction for each group of columns."""
    directional, one = Directional(builder, program, registers), builder.constant(1.0)
    group_of = {column: k for k, group in enumerate(groups) for column in group}
    products: list[list[int | None]] = []
    for group in groups:
        tangents: list[int | None] = [None] * program.input_count
        for column in group:
            tangents[positions[column]] = one
        products.append(directional.along(tangents))
    return {(row, c): products[group_of[c]][row] for row, c in pattern.entries}


def _by_rows(
    builder: Builder,
    program: Program,
    registers: Sequence[int],
    positions: list[int],
    pattern: Pattern,
) -> Entries:
    accumulation = Accumulation(builder, program, registers, positions)
    one = builder.constant(1.0)
    found: Entries = {}
    for row in sorted({row for row, _ in pattern.entries}):
        weights: list[int | None] = [None] * len(program.outputs)
        weights[row] = one
        slopes = accumulation.of(weights)
        found |= {(row, column): slopes[position] for column, position in enumerate(positions)}
    return found


METHODS: dict[str, Method] = {"columns": _by_columns, "groups": _by_groups, "rows": _by_rows}
