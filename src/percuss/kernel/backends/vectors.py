"""Vectors that maps read: which of them lie in a row in memory already."""

from __future__ import annotations

from collections.abc import Sequence

from percuss.kernel.maps import layout_of
from percuss.kernel.program import Program

Vector = tuple[int, ...]
"""Registers of the entries."""


def scattered_vectors(program: Program, arrays: Sequence[range]) -> dict[int, list[Vector]]:
    """The vectors of each map that do not lie in a row, by the register of the map.

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
    return length_of_row(program, vector, 0, arrays) == len(vector)


def length_of_row(
    program: Program, registers: Sequence[int], start: int, arrays: Sequence[range]
) -> int:
    """How many of the registers from `start` on lie in a row; 0 where the first is not there."""
    origin = _origin(program, registers[start], arrays)
    if origin is None:
        return 0
    whose, first = origin
    for k, register in enumerate(registers[start:]):
        if _origin(program, register, arrays) != (whose, first + k):
            return k
    return len(registers) - start


def _origin(
    program: Program, register: int, arrays: Sequence[range]
) -> tuple[int | range, int] | None:
    """The array or the call that a register belongs to, and its place there."""
    if register < program.input_count:
        whose = next((array for array in arrays if register in array), None)
        return None if whose is None else (whose, register)
    if register < program.first_instruction:
        return None
    instruction = program.instructions[register - program.first_instruction]
    if instruction.operation != "result":
        return None
    return instruction.arguments[0], int(instruction.table[0])
