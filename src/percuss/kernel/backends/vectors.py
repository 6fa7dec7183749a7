"""Vectors that maps read: which of them lie in a row in memory already."""

from __future__ import annotations

from collections.abc import Sequence

from percuss.kernel.maps import layout_of
from percuss.kernel.program import Program

Vector = tuple[int, ...]
"""Registers of the entries."""


def scattered_vectors(program: Program, arrays: Sequence[range]) -> dict[int, list[Vector]]:
    """Of every map, by its register, the vectors that do not lie in a row.

    Inputs of each range of `arrays` lie in a row.
    """
    return {
        register: [
            vector
            for vector in layout_of(instruction).vectors_in(instruction.arguments)
            if not is_in_a_row(program, vector, arrays)
        ]
        for register, instruction in enumerate(program.instructions, program.first_instruction)
        if instruction.operation == "map"
    }


def is_in_a_row(program: Program, vector: Vector, arrays: Sequence[range]) -> bool:
    """Whether these are consecutive results of one call, or consecutive inputs of one array."""
    first = program.first_instruction
    if vector[0] < first:
        row = tuple(range(vector[0], vector[0] + len(vector)))
        return vector == row and any(row[0] in a and row[-1] in a for a in arrays)
    if min(vector) < first:
        return False
    found = [program.instructions[register - first] for register in vector]
    if any(instruction.operation != "result" for instruction in found):
        return False
    call, start = found[0].arguments, found[0].table[0]
    return all(
        instruction.arguments == call and instruction.table[0] == start + k
        for k, instruction in enumerate(found)
    )
