"""Structure of Jacobians: which entries can differ from zero, and columns that share a seed.

Two columns without a common row can be computed together: a Jacobian-vector product along the
sum of their unit vectors holds the entries of both (Curtis, Powell and Reid 1974). Grouping the
columns is a colouring of the graph that joins columns with a common row (Coleman and Moré 1983).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from percuss.kernel.calculus.flow import dependence
from percuss.kernel.calculus.inlining import expanded
from percuss.kernel.program import Program

Groups = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Pattern:
    """The places of a matrix that can differ from zero.

    Attributes:
        shape: rows and columns of the matrix.
        entries: (row, column) of every such place, row by row.
    """

    shape: tuple[int, int]
    entries: tuple[tuple[int, int], ...]

    def dense(self, values: Any) -> np.ndarray:
        """The matrix (rows, columns, …) from the values (entries, …) at `entries`."""
        given = np.asarray(values)
        if given.shape[:1] != (len(self.entries),):
            raise ValueError(
                f"the pattern has {len(self.entries)} entries, got values of shape {given.shape}"
            )
        matrix = np.zeros((*self.shape, *given.shape[1:]))
        for place, value in zip(self.entries, given, strict=True):
            matrix[place] = value
        return matrix


def sparsity(program: Program, wanted: Sequence[int] | None = None) -> Pattern:
    """The structure of ∂ outputs / ∂ inputs at the positions `wanted`; default all inputs.

    A place belongs to the pattern when the output depends on the input through operations that
    have a derivative: not through comparisons, roundings, table lookups or holds.
    """
    program = expanded(program)
    positions = chosen(program, wanted)
    reached = dependence(program, positions)
    entries = [
        (row, column)
        for row, output in enumerate(program.outputs)
        for column in range(len(positions))
        if reached[output] >> column & 1
    ]
    return Pattern((len(program.outputs), len(positions)), tuple(entries))


def chosen(program: Program, wanted: Sequence[int] | None) -> list[int]:
    """The positions of the wanted inputs, checked; all inputs when none are named."""
    if wanted is None:
        return list(range(program.input_count))
    for position in wanted:
        if not 0 <= position < program.input_count:
            raise ValueError(f"wanted input {position} is not one of 0 … {program.input_count - 1}")
    if len(set(wanted)) != len(wanted):
        raise ValueError(f"wanted inputs must differ from each other, got {list(wanted)}")
    return list(wanted)


def orthogonal_groups(pattern: Pattern) -> Groups:
    """Columns gathered into groups in which no two have a row in common.

    Greedy, the fullest columns first. Columns without entries are in no group.
    """
    rows = [0] * pattern.shape[1]
    for row, column in pattern.entries:
        rows[column] |= 1 << row
    order = sorted((c for c, bits in enumerate(rows) if bits), key=lambda c: -rows[c].bit_count())
    groups: list[list[int]] = []
    taken: list[int] = []
    for column in order:
        for k, bits in enumerate(taken):
            if not bits & rows[column]:
                groups[k].append(column)
                taken[k] |= rows[column]
                break
        else:
            groups.append([column])
            taken.append(rows[column])
    return tuple(tuple(sorted(group)) for group in groups)


def seeds(pattern: Pattern, groups: Groups) -> np.ndarray:
    """Directions (columns, groups) of zeros and ones, one for each group."""
    directions = np.zeros((pattern.shape[1], len(groups)))
    for k, group in enumerate(groups):
        directions[list(group), k] = 1.0
    return directions


def decompressed(pattern: Pattern, groups: Groups, products: np.ndarray) -> np.ndarray:
    """The matrix (rows, columns, …) from its products (rows, groups, …) with the seeds."""
    group_of = {column: k for k, group in enumerate(groups) for column in group}
    matrix = np.zeros((*pattern.shape, *products.shape[2:]), products.dtype)
    for row, column in pattern.entries:
        matrix[row, column] = products[row, group_of[column]]
    return matrix
